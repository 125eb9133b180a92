//! The memory of objects that speak DLPack.

use super::reader::Use;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warp_core::array::Owner;
use warp_core::device::{Device, current_stream};
use warp_core::interop::Desc;
use warp_dlpack::ffi::{DLDevice, DLDeviceType, DLPackVersion, ExchangeTable};
use warp_dlpack::{Lenient, raise};

/// Modules of tensors whose exchange table is not used here. Torch's looks at none of what makes a tensor's memory differ from
/// its values; paddle's crashes on tensors without dense memory. The adapters look, where they are built in, and `__dlpack__`
/// does most of it.
const UNCHECKED: [&str; 2] = ["torch", "paddle"];

/// The exchange table that stands on exactly the object's type.
fn table(value: &Bound<'_, PyAny>) -> PyResult<Option<&'static ExchangeTable>> {
    let Some(table) = warp_dlpack::exchange::own_table(value)? else {
        return Ok(None);
    };
    let module = value.get_type().module()?;
    Ok((!UNCHECKED.contains(&&*module.to_string_lossy())).then_some(table))
}

/// Describes the memory of an object with an exchange table for the duration of a call. Tables cannot say that memory
/// must not be written, so that this is only for reading it.
///
/// # Errors
/// What the object's table raises.
pub fn lent(value: &Bound<'_, PyAny>) -> PyResult<Option<Desc>> {
    let lends = |table: &&ExchangeTable| table.0.dltensor_from_py_object_no_sync.is_some();
    let Some(table) = table(value)?.filter(lends) else {
        return Ok(None);
    };
    let mut desc = Desc::EMPTY;
    // SAFETY: the table is that of exactly this type.
    match unsafe { warp_dlpack::exchange::describe(table, value, &mut desc) } {
        Ok(()) => Ok(Some(desc)),
        // What cannot be lent, such as what is read-only, may still be shared.
        Err(e) if e.is_instance_of::<PyBufferError>(value.py()) => Ok(None),
        Err(e) => Err(e),
    }
}

/// A share in the memory of an object with an exchange table or `__dlpack__`; None where it has neither.
///
/// # Errors
/// The memory is on a device that is not here, or the producer refuses.
pub fn hold(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<Option<(Desc, Owner)>> {
    let py = value.py();
    if let Some(table) = table(value)? {
        // SAFETY: the table is that of exactly this type.
        return unsafe { warp_dlpack::exchange::hold(table, value) }.map(Some);
    }
    let Some(method) = value.getattr_opt(pyo3::intern!(py, "__dlpack__"))? else {
        return Ok(None);
    };
    let device = check_device(value)?;
    let options = PyDict::new(py);
    if device != Device::Cpu {
        // The producer lets our stream wait.
        let stream = current_stream(device).map_err(|e| raise(py, e))?;
        options.set_item(pyo3::intern!(py, "stream"), stream.handle)?;
    }
    let DLPackVersion { major, minor } = DLPackVersion::CURRENT;
    options.set_item(pyo3::intern!(py, "max_version"), (major, minor))?;
    let capsule = match method.call((), Some(&options)) {
        // A producer from before versions.
        Err(e) if e.is_instance_of::<PyTypeError>(py) => {
            options.del_item(pyo3::intern!(py, "max_version"))?;
            method.call((), Some(&options))?
        }
        other => other?,
    };
    if wanted == Use::Share && warp_dlpack::is_copied(&capsule) {
        return Err(error(
            Code::Value,
            format!(
                "{} gives only a copy of its memory (__dlpack__), so what is written to it would be lost; pass an array that \
             holds the memory",
                describe(value)
            ),
        ));
    }
    let (mut desc, owner) = warp_dlpack::consume(&capsule)?;
    // jax exports legacy capsules, which cannot say that its arrays are immutable.
    let module = value.get_type().module()?;
    if module.to_string_lossy().starts_with("jax") {
        desc.read_only = true;
    }
    Ok(Some((desc, owner)))
}

/// Refuses memory on other devices before its producer does anything for it.
fn check_device(value: &Bound<'_, PyAny>) -> PyResult<Device> {
    let py = value.py();
    let Some(method) = value.getattr_opt(pyo3::intern!(py, "__dlpack_device__"))? else {
        return Ok(Device::Cpu);
    };
    let answer = method.call0()?;
    let number = |i: usize| answer.get_item(i).and_then(|n| n.extract::<i32>());
    let device = DLDevice {
        device_type: DLDeviceType(number(0)?.cast_unsigned()),
        // Some say None where there is only one.
        device_id: number(1).lenient()?.unwrap_or(0),
    };
    warp_dlpack::device_of(device).map_err(|e| raise(py, e.within(describe(value))))
}
