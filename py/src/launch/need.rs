//! What the gradient of a launch needs of an array: the content that it had then.

use crate::exchange::descriptor::Descriptor;
use crate::object::Array;
use crate::registry::for_each_framework;
use crate::runtime::snapshot::{Kept, Snapshot};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::Arc;
use warp_dlpack::{Adapter, Counter};

/// The content of an array that a gradient needs.
pub struct Need {
    /// What the array held when the launch was recorded; without it, what it holds when the gradient is taken.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The tensor that was passed: it tells whether its framework has changed it.
    tensor: Option<Py<PyAny>>,
}

impl Need {
    /// The copy, if the array was overwritten.
    pub fn kept(&self) -> Option<&Kept> {
        self.snapshot.as_ref()?.kept()
    }

    /// The same for another tape.
    pub fn clone_ref(&self, py: Python<'_>) -> Need {
        Need {
            snapshot: self.snapshot.clone(),
            tensor: self.tensor.as_ref().map(|t| t.clone_ref(py)),
        }
    }

    /// Of what an array holds now, of which the launch was `given` a tensor perhaps.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(array: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>) -> PyResult<Need> {
        let tensor = tensor_of(given);
        Ok(Need {
            snapshot: Some(snapshot_of(array.cast()?, tensor.as_ref())?),
            tensor: tensor.map(Bound::unbind),
        })
    }

    /// Takes a snapshot of what the array holds now, if there is none.
    ///
    /// # Errors
    /// There is no memory.
    pub fn take_snapshot(&mut self, array: &Bound<'_, Array>) -> PyResult<()> {
        if self.snapshot.is_none() {
            let tensor = self.tensor.as_ref().map(|t| t.bind(array.py()));
            let taken = snapshot_of(array, tensor)?;
            taken.verify_later(array.py())?;
            self.snapshot = Some(taken);
        }
        Ok(())
    }

    /// Shows Python's collector every object that this holds.
    ///
    /// # Errors
    /// The collector wants to see no more.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.tensor.iter().try_for_each(|t| visit.call(t))
    }
}

fn snapshot_of(
    array: &Bound<'_, Array>,
    tensor: Option<&Bound<'_, PyAny>>,
) -> PyResult<Arc<Snapshot>> {
    let linked = match tensor {
        None if array.get().is_linked() => linked(array),
        _ => None,
    };
    let tensor = tensor.or(linked.as_ref());
    let counted = tensor.and_then(|t| Some((t, counter(t)?)));
    Snapshot::take(array.py(), &array.get().core, counted)
}

/// The tensor that was passed, if it was one.
pub fn tensor_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if value.is_instance_of::<Array>() {
        return None;
    }
    if let Ok(descriptor) = value.cast::<Descriptor>() {
        return Some(descriptor.get().tensor(value.py()).clone());
    }
    counter(value).map(|_| value.clone())
}

/// A tensor that shares the memory and the gradient of an array.
fn linked<'py>(array: &Bound<'py, Array>) -> Option<Bound<'py, PyAny>> {
    let state = array.get().state();
    state.tensors.iter().find_map(|t| t.alive(array.py()))
}

/// How a framework says how often it has changed a tensor in place.
fn counter(tensor: &Bound<'_, PyAny>) -> Option<Counter> {
    for_each_framework!(F => {
        if F::CHANGES.is_some() && F::is_tensor(tensor) {
            return F::CHANGES;
        }
    });
    None
}
