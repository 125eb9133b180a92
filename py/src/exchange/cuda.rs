//! `__cuda_array_interface__`, versions 0 to 3: CuPy, Numba and others on a GPU.
//!
//! The driver says which device an address belongs to. Where there is none, the memory is refused by name, so that nothing reads an
//! address of a GPU as one of the host, and nothing is copied from a GPU implicitly.

use super::interface::{Header, address, header};
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use warp_core::array::Owner;
use warp_core::device::Device as Core;
use warp_core::device::cuda::{device_of_address, gpus, is_pinned};
use warp_core::interop::Desc;
use warp_dlpack::{Lenient, raise};

/// The attribute.
pub const NAME: &str = "__cuda_array_interface__";

/// The stream that a consumer has to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stream {
    /// Nothing to wait for.
    None,
    /// The legacy default stream.
    Legacy,
    /// The default stream of each thread.
    PerThread,
    /// A handle of the driver's.
    Handle(u64),
}

fn stream(value: &Bound<'_, PyAny>, found: Option<Bound<'_, PyAny>>) -> PyResult<Stream> {
    let wrong = |text: String| {
        error(
            Code::Value,
            format!("{NAME} of {}: {text}", describe(value)),
        )
    };
    let Some(found) = found else {
        return Ok(Stream::None);
    };
    match found.extract::<u64>().lenient()? {
        Some(0) => Err(wrong(
            "'stream' is 0, which names no stream; the default streams are 1 and 2".into(),
        )),
        Some(1) => Ok(Stream::Legacy),
        Some(2) => Ok(Stream::PerThread),
        Some(handle) => Ok(Stream::Handle(handle)),
        None => Err(wrong(format!(
            "'stream' is {}, expected None or an int",
            describe(&found)
        ))),
    }
}

fn parse(value: &Bound<'_, PyAny>, dict: &Bound<'_, PyAny>) -> PyResult<(Desc, Stream)> {
    let dict = dict.cast::<PyDict>().map_err(|_| {
        error(
            Code::Type,
            format!(
                "{NAME} of {} is {}, expected a dict",
                describe(value),
                describe(dict)
            ),
        )
    })?;
    let Header { mut desc, data } = header(value, NAME, dict)?;
    let Some((at, read_only)) = data.as_ref().and_then(address) else {
        let found = data.as_ref().map_or_else(|| "missing".into(), describe);
        return Err(error(
            Code::Type,
            format!(
                "{NAME} of {}: 'data' is {found}, expected a pair (address, read-only)",
                describe(value),
            ),
        ));
    };
    desc.data = at as *mut u8;
    desc.read_only = read_only;
    let stream = stream(value, dict.get_item("stream")?.filter(|s| !s.is_none()))?;
    if at == 0 && !desc.shape().contains(&0) {
        return Err(error(
            Code::Value,
            format!(
                "{NAME} of {}: the array has elements but no memory",
                describe(value)
            ),
        ));
    }
    Ok((desc, stream))
}

/// The memory that the interface of an object names, once our work is ordered after that of its stream.
///
/// # Errors
/// The interface is wrong, there is no such device, or the driver refuses.
pub fn read_memory(value: &Bound<'_, PyAny>, dict: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = value.py();
    let (mut desc, stream) = parse(value, dict)?;
    // An empty array has no address, and every GPU reaches pinned memory: both belong to the current GPU, or to the first.
    let anywhere = || {
        let current = device::current();
        let first = || gpus().first().map(|gpu| gpu.device());
        Some(current).filter(|d| *d != Core::Cpu).or_else(first)
    };
    let address = desc.data as usize;
    let device = match address {
        0 => anywhere(),
        _ => device_of_address(address).or_else(|| anywhere().filter(|_| is_pinned(address))),
    };
    let Some(device) = device else {
        if !gpus().is_empty() {
            let text = format!(
                "{NAME} of {}: no GPU reaches the memory at {address:#x}; memory of the host is described by __array_interface__",
                describe(value)
            );
            return Err(error(Code::Value, text));
        }
        return Err(error(
            Code::Type,
            format!(
                "{} is on a CUDA device, which is not available here; copy it to the CPU first (in CuPy a.get(), in Numba \
             a.copy_to_host())",
                describe(value)
            ),
        ));
    };
    desc.device = device;
    let theirs = match stream {
        Stream::None => None,
        Stream::Legacy => Some(1),
        Stream::PerThread => Some(2),
        Stream::Handle(handle) => Some(handle as usize),
    };
    if let Some(theirs) = theirs {
        warp_dlpack::follow(device, theirs, false).map_err(|e| raise(py, e))?;
    }
    Ok((desc, warp_dlpack::reference(value.clone())))
}

/// What the `__cuda_array_interface__` of an object says: address, shape, strides in bytes, scalar type, whether it is
/// read-only, and the stream to wait for. Imports nothing.
#[pyfunction]
#[pyo3(name = "_read_cuda_array_interface")]
pub fn read<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = value.py();
    let (desc, stream) = parse(value, &value.getattr(NAME)?)?;
    let d = PyDict::new(py);
    d.set_item("ptr", desc.data as usize)?;
    d.set_item("shape", PyTuple::new(py, desc.shape())?)?;
    d.set_item("strides", PyTuple::new(py, &desc.strides[..desc.ndim])?)?;
    d.set_item("dtype", desc.scalar.name())?;
    d.set_item("read_only", desc.read_only)?;
    d.set_item(
        "stream",
        match stream {
            Stream::None => None,
            Stream::Legacy => Some(1),
            Stream::PerThread => Some(2),
            Stream::Handle(handle) => Some(handle),
        },
    )?;
    Ok(d)
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(read, m)?)
}
