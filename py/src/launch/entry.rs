//! What a tape keeps of each thing that it has recorded.

use super::need::Need;
use super::taped::{TapedLaunch, use_of};
use crate::object::Array;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use warp_core::ir::ParamId;
use warp_core::tape::Use;

/// One thing that a tape has recorded.
pub enum Entry {
    Launch(TapedLaunch),
    /// An array, or part of one, was filled: its gradient ends there.
    Fill([Py<PyAny>; 1]),
    /// A function to be called in the backward pass, and the arrays whose gradients it uses.
    Call {
        backward: Py<PyAny>,
        arrays: Vec<Py<PyAny>>,
    },
}

impl Entry {
    /// Shows Python's collector every object that this holds.
    ///
    /// # Errors
    /// The collector wants to see no more.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Entry::Launch(launch) => return launch.visit(visit),
            Entry::Fill(_) => {}
            Entry::Call { backward, .. } => visit.call(backward)?,
        }
        self.arrays().iter().try_for_each(|array| visit.call(array))
    }

    /// The same for another tape.
    pub fn clone_ref(&self, py: Python<'_>) -> Entry {
        match self {
            Entry::Launch(launch) => Entry::Launch(launch.clone_ref(py)),
            Entry::Fill([array]) => Entry::Fill([array.clone_ref(py)]),
            Entry::Call { backward, arrays } => Entry::Call {
                backward: backward.clone_ref(py),
                arrays: arrays.iter().map(|a| a.clone_ref(py)).collect(),
            },
        }
    }

    /// How the entry uses each array; values use nothing.
    ///
    /// # Errors
    /// The kernel does not compile, or an argument is no array any more.
    pub fn uses(&self, py: Python<'_>) -> PyResult<Vec<Use>> {
        let how = match self {
            Entry::Launch(launch) => return launch.uses(py),
            Entry::Fill(_) => Use {
                writes: true,
                fills: true,
                ..Use::NOTHING
            },
            Entry::Call { .. } => Use {
                reads: true,
                ..Use::NOTHING
            },
        };
        let each = self.arrays().iter();
        let uses = each.map(|array| match array.bind(py).cast::<Array>() {
            Ok(array) => use_of(array.get().view().strided(), &how),
            Err(_) => Use::NOTHING,
        });
        Ok(uses.collect())
    }

    /// The arrays, and for launches the other arguments too.
    pub fn arrays(&self) -> &[Py<PyAny>] {
        match self {
            Entry::Launch(launch) => &launch.args,
            Entry::Fill(arrays) => arrays,
            Entry::Call { arrays, .. } => arrays,
        }
    }

    /// What the gradient needs of the arrays.
    pub fn needs(&self) -> impl Iterator<Item = (ParamId, &Need)> {
        let needs: &[Option<Need>] = match self {
            Entry::Launch(launch) => &launch.needs,
            _ => &[],
        };
        let each = (0..).map(ParamId).zip(needs);
        each.filter_map(|(param, need)| Some((param, need.as_ref()?)))
    }

    /// Parts of arrays of structs with the gradients that those have now.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn take_parts(&mut self, py: Python<'_>) -> PyResult<()> {
        match self {
            Entry::Launch(launch) => launch.take_parts(py),
            _ => Ok(()),
        }
    }

    /// The array that an argument is part of.
    pub fn whole(&self, at: usize) -> &Py<PyAny> {
        match self {
            Entry::Launch(launch) => launch.whole(at),
            _ => &self.arrays()[at],
        }
    }
}
