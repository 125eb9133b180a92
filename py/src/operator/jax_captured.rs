//! Arrays of ours that programs of jax read whenever they run, and the order of that on GPUs.

use super::jax_callback::{Capsules, set_callback};
use crate::object::Array;
use crate::runtime::device::Device as PyDevice;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use warp_core::array::Array as Core;
use warp_core::backend::{self, Located};
use warp_core::device::{Device, Stream, cuda, current_stream};
use warp_dlpack::raise;
use warp_jax::ffi::callback::{AttributeValue, Invocation};

/// Lets further work of a device wait for what a stream of another library has now, so that memory of ours which that uses
/// is not given back before. Does nothing while the stream is captured.
#[pyfunction]
fn _jax_follow(py: Python<'_>, device: &PyDevice, stream: usize) -> PyResult<()> {
    let stream = Stream {
        device: device.0,
        handle: stream,
    };
    follow(stream).map_err(|e| raise(py, e))
}

fn follow(stream: Stream) -> warp_core::error::Result<()> {
    match cuda::capture_of(stream)? {
        Some(_) => Ok(()),
        None => cuda::join(cuda::gpu_of(stream.device)?.stream()?, stream),
    }
}

/// Arrays that programs read whenever they run, by number.
static CAPTURED: RwLock<BTreeMap<i64, Core>> = RwLock::new(BTreeMap::new());

/// Registers the function that gives programs the content of arrays; the capsules for XLA.
#[pyfunction]
fn _jax_captured<'py>(py: Python<'py>, name: String) -> PyResult<Option<Capsules<'py>>> {
    set_callback(py, name, Arc::new(read_captured))
}

/// Keeps an array for programs that name it by a number, until it is let go: `array` is None then.
#[pyfunction]
#[pyo3(signature = (number, array))]
fn _jax_capture(number: i64, array: Option<&Array>) {
    let mut captured = CAPTURED.write().unwrap_or_else(PoisonError::into_inner);
    let old = match array {
        Some(array) => captured.insert(number, array.core.clone()),
        None => captured.remove(&number),
    };
    drop(captured);
    // Outside the lock: deleters may run anything.
    drop(old);
}

/// Copies the content of an array to where XLA wants it. Runs without Python.
fn read_captured(invocation: Invocation) -> Result<(), String> {
    let number = match invocation.attrs.first() {
        Some((_, AttributeValue::Scalar(_, bytes))) => {
            i64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))
        }
        _ => return Err("warp: a call without a number".into()),
    };
    let captured = CAPTURED.read().unwrap_or_else(PoisonError::into_inner);
    let Some(core) = captured.get(&number) else {
        return Err(
            "warp: the program reads an array that is not one of this process, or is no more"
                .into(),
        );
    };
    let view = &core.view;
    let [to] = &invocation.outputs[..] else {
        return Err("warp: a call with other than one result".into());
    };
    let len = view.layout().len() * view.elem.size();
    let wanted = to.shape.iter().product::<i64>() as usize * to.scalar.size();
    if len != wanted || !view.is_contiguous() {
        return Err(format!("warp: an array of {len} bytes is read as {wanted}"));
    }
    if !core.owner.is_current() {
        let error = core.owner.moved();
        return Err(format!("warp: an array that the program reads: {error}"));
    }
    // SAFETY: both have this many bytes without gaps, which the owner and XLA keep until the copy is done: the owner is let go
    // only after what its device has in hand.
    let copied = unsafe { send(to.data as *mut u8, &view.located(), invocation.stream) };
    copied.map_err(|e| format!("warp: an array that the program reads: {e}"))
}

/// Copies elements without gaps to memory of XLA's, in order with what is done with them before and afterwards.
///
/// # Safety
/// As for `Backend::copy`.
unsafe fn send(data: *mut u8, from: &Located, stream: Stream) -> warp_core::error::Result<()> {
    let mut to = *from;
    (to.device, to.elements.array.data) = (stream.device, data);
    let (device, stream) = match (stream.device, from.device) {
        (Device::Cpu, Device::Cpu) => (Device::Cpu, stream),
        // The copy waits: memory of the host that is not pinned cannot be written later.
        (Device::Cpu, theirs) => (theirs, current_stream(theirs)?),
        (ours, _) => (ours, stream),
    };
    if from.device != Device::Cpu {
        cuda::join_all(stream, from.device)?;
    }
    // SAFETY: promised by the caller.
    unsafe { backend::of(device)?.copy(&to, from, stream) }?;
    match from.device {
        Device::Cpu => Ok(()),
        // What overwrites the array later comes after the copy.
        _ if stream.device == from.device => follow(stream),
        theirs => cuda::join(cuda::gpu_of(theirs)?.stream()?, stream),
    }
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_jax_captured, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_capture, m)?)?;
    m.add_function(wrap_pyfunction!(_jax_follow, m)?)
}
