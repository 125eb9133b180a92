//! What the gradient of a launch needs of an array: the content that it had then, and the tensor that tells of changes.

use crate::exchange::descriptor::Descriptor;
use crate::object::Array;
use crate::registry::for_each_framework;
use crate::runtime::change_count::Counted;
use crate::runtime::config;
use crate::runtime::snapshot::{self, Snapshot};
use pyo3::prelude::*;
use std::sync::Arc;
use warp_core::tape::Need;
use warp_dlpack::{Adapter, Counter, raise};

/// Of what an array holds now, of which the launch was `given` a tensor perhaps.
///
/// # Errors
/// There is no memory.
pub fn need(array: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>) -> PyResult<Need<Py<PyAny>>> {
    let tensor = tensor_of(given);
    Ok(Need {
        snapshot: Some(snapshot_of(array.cast()?, tensor.as_ref())?),
        counted: tensor.map(Bound::unbind),
    })
}

/// Takes a snapshot of what an array holds now.
///
/// # Errors
/// There is no memory.
pub fn save(need: &mut Need<Py<PyAny>>, array: &Bound<'_, Array>) -> PyResult<()> {
    let py = array.py();
    let taken = snapshot_of(array, need.counted.as_ref().map(|t| t.bind(py)))?;
    if config::verify_access() {
        taken.remember().map_err(|e| raise(py, e))?;
    }
    need.snapshot = Some(taken);
    Ok(())
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
    let counted = tensor.and_then(|tensor| {
        let counter = counter(tensor)?;
        Some(Counted { tensor, counter })
    });
    snapshot::take(array.py(), &array.get().core, counted.as_ref())
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
