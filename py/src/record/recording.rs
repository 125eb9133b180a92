//! What has been recorded: memories, and steps that name them.

use super::{Unrecordable, look};
use crate::dtype;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::array::{Array as Core, Owner, View};

/// What has been recorded so far.
#[derive(Default)]
pub struct Recording {
    state: Mutex<State>,
}

/// Memories and steps.
#[derive(Default)]
pub struct State {
    /// Those of the arrays that are given, then others as they come.
    pub memories: Vec<Memory>,
    /// As Python reads them.
    pub steps: Vec<Py<PyAny>>,
    /// Why this cannot be recorded.
    pub void: Option<String>,
}

/// Memory that steps name. It is held until the end, so that its addresses are nobody else's.
pub struct Memory {
    /// All of it, as the array that it was made for.
    pub whole: Core,
    addresses: Range<usize>,
    /// What it holds at first.
    pub start: Start,
    /// Whether a step names it, or it is one of the given.
    named: bool,
}

impl Memory {
    /// Whether somebody else holds it, who should not: what is from outside is held there.
    pub fn is_kept(&self) -> bool {
        match &self.whole.owner {
            Owner::Own(memory) => {
                self.start != Start::Outside && self.named && Arc::strong_count(memory) > 1
            }
            _ => false,
        }
    }
}

/// What memory holds before the first step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// What the caller gives.
    Given,
    /// Nothing that matters.
    Blank,
    /// What is in it.
    Content,
    /// What is in it whenever the steps are done: it is from outside, and only read.
    Outside,
}

impl Recording {
    /// For a moment.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory with these addresses.
    pub fn find(&self, addresses: &Range<usize>) -> Option<usize> {
        let state = self.state();
        state
            .memories
            .iter()
            .position(|m| m.addresses.start <= addresses.start && addresses.start < m.addresses.end)
    }

    /// Adds memory, which is held from now on.
    pub fn add(&self, whole: &Core, start: Start) {
        let addresses = whole.view.addresses();
        self.state().memories.push(Memory {
            whole: whole.clone(),
            addresses,
            start,
            named: start == Start::Given,
        });
    }

    /// Ends the recording.
    pub fn end(&self, why: String) -> PyErr {
        let text = format!("recording ends: {why}");
        self.state().void.get_or_insert(why);
        Unrecordable::new_err(text)
    }

    /// Adds a step.
    pub fn step(&self, step: Bound<'_, PyTuple>) {
        self.state().steps.push(step.into_any().unbind());
    }

    /// What a step says about an array: its memory and where in it. None for other arrays.
    pub fn place<'py>(
        &self,
        py: Python<'py>,
        view: &View,
        writes: bool,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let layout = view.layout();
        let (shape, strides) = (layout.shape(), layout.strides());
        let class = dtype::class_of(py, view.elem)?;
        if layout.is_empty() {
            let made = ("empty", PyTuple::new(py, shape)?, class);
            return made.into_pyobject(py).map(Some);
        }
        let addresses = view.addresses();
        let Some(memory) = self.find(&addresses) else {
            return Ok(None);
        };
        let (base, end, elem, start) = {
            let m = &mut self.state().memories[memory];
            m.named = true;
            let whole = &m.addresses;
            (whole.start, whole.end, m.whole.view.elem, m.start)
        };
        if start == Start::Outside && writes {
            return Ok(None);
        }
        if addresses.end > end || view.elem.scalar() != elem.scalar() {
            return Err(self.end("an array is seen in two ways".into()));
        }
        let offset = view.arg.data as usize - base;
        let made = (
            "array",
            memory,
            offset,
            PyTuple::new(py, shape)?,
            PyTuple::new(py, strides)?,
            class,
        );
        made.into_pyobject(py).map(Some)
    }

    /// [`Recording::place`] for an array that is read, which may be one from outside.
    pub fn source<'py>(
        &self,
        py: Python<'py>,
        core: &Core,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if let Some(place) = self.place(py, &core.view, false)? {
            return Ok(Some(place));
        }
        if !core.view.is_contiguous() {
            return Ok(None);
        }
        // It may be one of a recording around this one.
        look(&core.view, "a function that is recorded inside")?;
        self.add(core, Start::Outside);
        self.place(py, &core.view, false)
    }
}
