//! Memory of GPUs: pools, peer access, allocators of the user's, handles for other processes.

use super::device::Device;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_void;
use std::sync::Arc;
use warp_core::array::Owner;
use warp_core::backend::Origin;
use warp_core::backend::cuda::{Lender, set_lender};
use warp_core::device::Device as CoreDevice;
use warp_core::device::cuda::{self, Gpu, PoolFact, ipc};
use warp_core::error::{Code as CoreCode, Error, Result};
use warp_dlpack::raise;

fn raised<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    result.map_err(|e| raise(py, e))
}

fn gpu(py: Python<'_>, device: &Device) -> PyResult<&'static Gpu> {
    raised(py, cuda::gpu_of(device.0))
}

/// Has a GPU take memory from its pool, or not.
#[pyfunction]
fn _use_pool(py: Python<'_>, device: &Device, enable: bool) -> PyResult<()> {
    gpu(py, device)?.use_pools(enable);
    Ok(())
}

/// A number of a GPU's pool: its release threshold, the bytes in use, or those in use at most.
#[pyfunction]
fn _pool_fact(py: Python<'_>, device: &Device, name: &str) -> PyResult<u64> {
    let fact = match name {
        "threshold" => PoolFact::ReleaseThreshold,
        "used" => PoolFact::Used,
        _ => PoolFact::UsedHigh,
    };
    raised(py, cuda::pool_fact(gpu(py, device)?, fact))
}

/// Sets how many bytes a GPU's pool keeps.
#[pyfunction]
fn _set_release_threshold(py: Python<'_>, device: &Device, bytes: u64) -> PyResult<()> {
    raised(py, cuda::set_release_threshold(gpu(py, device)?, bytes))
}

/// Whether `peer` can be let reach the memory of `target`.
#[pyfunction]
fn _can_reach(py: Python<'_>, target: &Device, peer: &Device) -> PyResult<bool> {
    raised(py, cuda::can_reach(gpu(py, target)?, gpu(py, peer)?))
}

/// Whether `peer` may reach the memory of `target`: that of its pool, or the other.
#[pyfunction]
fn _has_access(py: Python<'_>, target: &Device, peer: &Device, pool: bool) -> PyResult<bool> {
    let (target, peer) = (gpu(py, target)?, gpu(py, peer)?);
    raised(
        py,
        match pool {
            true => cuda::has_pool_access(target, peer),
            false => cuda::has_peer_access(target, peer),
        },
    )
}

/// Lets `peer` reach the memory of `target`, or not.
#[pyfunction]
fn _set_access(
    py: Python<'_>,
    target: &Device,
    peer: &Device,
    pool: bool,
    enable: bool,
) -> PyResult<()> {
    let (target, peer) = (gpu(py, target)?, gpu(py, peer)?);
    raised(
        py,
        match pool {
            true => cuda::set_pool_access(target, peer, enable),
            false => cuda::set_peer_access(target, peer, enable).map(drop),
        },
    )
}

/// Whether kernels on a device reach the memory of an array.
#[pyfunction]
fn _reaches(device: &Device, array: &Bound<'_, Array>) -> bool {
    reaches_array(device.0, array.get())
}

/// Whether kernels on a device reach the memory of an array.
pub fn reaches_array(device: CoreDevice, array: &Array) -> bool {
    let view = array.view();
    let address = view.arg.data as usize;
    let (Ok(target), Ok(peer)) = (cuda::gpu_of(view.device), cuda::gpu_of(device)) else {
        return cuda::reaches(device, view.device, address);
    };
    // Of memory of ours it is known which way it came.
    let way = match &array.core.owner {
        Owner::Own(memory) if memory.origin() == Origin::Usual => {
            cuda::has_pool_access(target, peer)
        }
        Owner::Own(memory) if memory.origin() == Origin::Direct => {
            cuda::has_peer_access(target, peer)
        }
        _ => Ok(cuda::reaches(device, view.device, address)),
    };
    way.unwrap_or(false)
}

/// An object of Python's that gives out memory.
struct PyLender(Arc<Py<PyAny>>);

impl Lender for PyLender {
    fn lend(&self, size: usize) -> Result<usize> {
        Python::attach(|py| {
            let given = self.0.bind(py).call_method1("allocate", (size,));
            match given.and_then(|at| at.extract::<usize>()) {
                Ok(0) => Err(Error::new(
                    CoreCode::Memory,
                    "the allocator that was set gave the address 0",
                )),
                Ok(at) => Ok(at),
                Err(e) => Err(Error::new(
                    CoreCode::Runtime,
                    format!("the allocator that was set failed: {e}"),
                )),
            }
        })
    }

    fn take_back(&self, address: usize, size: usize) {
        let due = Box::new(Due {
            lender: self.0.clone(),
            address,
            size,
        });
        // Whoever knows when deleters may run knows when this may.
        // SAFETY: the function takes the box, once, with Python's lock.
        drop(unsafe { Owner::foreign(Box::into_raw(due).cast(), give_back) });
    }
}

/// Memory that goes back to an object of Python's.
struct Due {
    lender: Arc<Py<PyAny>>,
    address: usize,
    size: usize,
}

/// # Safety
/// `due` is the box of a [`Due`]; Python's lock is held.
unsafe fn give_back(due: *mut c_void) {
    // SAFETY: promised by the caller.
    let due = unsafe { Box::from_raw(due.cast::<Due>()) };
    Python::attach(|py| {
        let lender = due.lender.bind(py);
        if let Err(e) = lender.call_method1("deallocate", (due.address, due.size)) {
            e.write_unraisable(py, Some(lender));
        }
        drop(due);
    });
}

/// Has an object give out the memory of a GPU; None: the driver.
#[pyfunction]
fn _set_lender(py: Python<'_>, device: &Device, allocator: Option<Py<PyAny>>) -> PyResult<()> {
    let lender = allocator.map(|object| Arc::new(PyLender(Arc::new(object))) as Arc<dyn Lender>);
    set_lender(gpu(py, device)?, lender);
    Ok(())
}

/// New memory that the driver moves between host and GPU.
#[pyfunction]
fn _allocate_managed(py: Python<'_>, device: &Device, size: usize) -> PyResult<usize> {
    raised(py, cuda::allocate_managed(gpu(py, device)?, size))
}

/// Gives that back.
#[pyfunction]
fn _free_managed(py: Python<'_>, device: &Device, address: usize) -> PyResult<()> {
    // SAFETY: the allocator of Python's gives back only what it was given.
    raised(py, unsafe { cuda::free_managed(gpu(py, device)?, address) })
}

/// A handle of an array's memory for other processes.
///
/// # Errors
/// The memory has none.
pub fn ipc_handle<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyBytes>> {
    let view = array.view();
    let refused = |text: String| Err(error(Code::Runtime, format!("ipc_handle: {text}")));
    let Ok(gpu) = cuda::gpu_of(view.device) else {
        return refused(format!(
            "memory of the device \"{}\" has none; share it as NumPy's, with multiprocessing.shared_memory",
            view.device
        ));
    };
    check_access(&array.core, "ipc_handle")?;
    if let Owner::Own(memory) = &array.core.owner {
        match memory.origin() {
            Origin::Direct => {}
            Origin::Lent(_) => {
                return refused(
                    "memory of an allocator that was set has none that Warp knows".into(),
                );
            }
            _ => {
                return refused(format!(
                    "memory of a pool has none; make the array with wp.ScopedMempool(\"{}\", False)",
                    view.device
                ));
            }
        }
        if memory.data() != view.arg.data {
            return refused(
                "this is a part of another array, whose handle is that of all its memory".into(),
            );
        }
    }
    let handle = raised(py, ipc::handle_of_memory(gpu, view.arg.data as usize))?;
    Ok(PyBytes::new(py, &handle))
}

/// A handle as Python has it.
///
/// # Errors
/// It has not 64 bytes.
pub fn handle(place: &str, bytes: &[u8]) -> PyResult<ipc::Handle> {
    bytes.try_into().map_err(|_| {
        let text = format!(
            "{place}: handle has {} bytes, expected the 64 that ipc_handle() gave",
            bytes.len()
        );
        error(Code::Value, text)
    })
}

/// The address of another process's memory.
#[pyfunction]
fn _open_ipc_memory(py: Python<'_>, device: &Device, bytes: &[u8]) -> PyResult<usize> {
    let handle = handle("from_ipc_handle", bytes)?;
    raised(py, ipc::open_memory(gpu(py, device)?, handle))
}

/// Closes it.
#[pyfunction]
fn _close_ipc_memory(py: Python<'_>, device: &Device, address: usize) -> PyResult<()> {
    let gpu = gpu(py, device)?;
    // SAFETY: the last array on the memory is gone.
    py.detach(|| unsafe { ipc::close_memory(gpu, address) });
    Ok(())
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_use_pool, m)?)?;
    m.add_function(wrap_pyfunction!(_pool_fact, m)?)?;
    m.add_function(wrap_pyfunction!(_set_release_threshold, m)?)?;
    m.add_function(wrap_pyfunction!(_can_reach, m)?)?;
    m.add_function(wrap_pyfunction!(_has_access, m)?)?;
    m.add_function(wrap_pyfunction!(_set_access, m)?)?;
    m.add_function(wrap_pyfunction!(_reaches, m)?)?;
    m.add_function(wrap_pyfunction!(_set_lender, m)?)?;
    m.add_function(wrap_pyfunction!(_allocate_managed, m)?)?;
    m.add_function(wrap_pyfunction!(_free_managed, m)?)?;
    m.add_function(wrap_pyfunction!(_open_ipc_memory, m)?)?;
    m.add_function(wrap_pyfunction!(_close_ipc_memory, m)?)
}
