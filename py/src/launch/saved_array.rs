//! What the gradient of a launch needs of an array: the content that it had then, and the tensor that tells of changes.

use crate::exchange::descriptor::Descriptor;
use crate::object::Array;
use crate::object::nested_arrays::may_hold;
use crate::registry::for_each_framework;
use crate::runtime::change_count::Counted;
use crate::runtime::config;
use crate::runtime::snapshot;
use pyo3::prelude::*;
use warp_core::pass::regions::Region;
use warp_core::tape::SavedArray;
use warp_dlpack::{Adapter, Counter, raise};

/// Of what elements of an array hold now, of which the launch was `given` a tensor perhaps.
///
/// # Errors
/// There is no memory.
pub fn saved_array(
    array: &Bound<'_, PyAny>,
    given: &Bound<'_, PyAny>,
    region: Option<Region>,
) -> PyResult<SavedArray<Py<PyAny>>> {
    let array = array.cast::<Array>()?;
    let tensor = tensor_of(given);
    let mut saved = SavedArray {
        snapshot: None,
        // What an element leads to is looked for in whole arrays.
        region: region.filter(|_| !may_hold(array.get().view().elem)),
        counted: tensor.map(Bound::unbind),
    };
    take(&mut saved, array)?;
    Ok(saved)
}

/// Takes a snapshot of what an array holds now.
///
/// # Errors
/// There is no memory.
pub fn save(saved: &mut SavedArray<Py<PyAny>>, array: &Bound<'_, Array>) -> PyResult<()> {
    take(saved, array)?;
    match &saved.snapshot {
        Some(taken) if config::verify_access() => {
            taken.remember().map_err(|e| raise(array.py(), e))
        }
        _ => Ok(()),
    }
}

fn take(saved: &mut SavedArray<Py<PyAny>>, array: &Bound<'_, Array>) -> PyResult<()> {
    if saved.is_empty() {
        return Ok(());
    }
    let tensor = saved.counted.as_ref().map(|t| t.bind(array.py()));
    let linked = match tensor {
        None if array.get().is_linked() => linked(array),
        _ => None,
    };
    let counted = tensor.or(linked.as_ref()).and_then(|tensor| {
        let counter = counter(tensor)?;
        Some(Counted { tensor, counter })
    });
    let part = saved.part(&array.get().core);
    saved.snapshot = Some(snapshot::take(array.py(), &part, counted.as_ref())?);
    Ok(())
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
