//! Our arrays as managed tensors. What is exported owns its memory by itself: no Python object is
//! needed to delete it, so that it may be deleted on any thread, and after Python has ended.

use crate::dtype_of;
use crate::ffi::*;
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use warp_core::array::{Array, Owner};
use warp_core::device::Device;
use warp_core::error::{Code, Error, Result};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};

/// What an exported tensor is made of; `head` comes first, so that a pointer to it is a pointer to all.
#[repr(C)]
struct Exported<Head> {
    head: Head,
    shape: [i64; MAX_FOREIGN_NDIM],
    strides: [i64; MAX_FOREIGN_NDIM],
    owner: Owner,
}

/// A versioned managed tensor that deletes itself unless somebody takes it.
pub struct Versioned(*mut DLManagedTensorVersioned);

impl Versioned {
    /// Hands it over: the taker deletes it.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }
}

impl Drop for Versioned {
    fn drop(&mut self) {
        // SAFETY: not handed over, so it is ours to delete, once.
        unsafe { delete_versioned(self.0) }
    }
}

/// An array as a versioned managed tensor.
pub fn export(array: &Array, flags: u64) -> Result<Versioned> {
    let flags = flags
        | if array.view.read_only {
            FLAG_READ_ONLY
        } else {
            0
        };
    let (tensor, shape, strides) = tensor(array)?;
    let boxed = Box::new(Exported {
        head: DLManagedTensorVersioned {
            version: VERSION,
            context: std::ptr::null_mut(),
            deleter: Some(delete_versioned),
            flags,
            tensor,
        },
        shape,
        strides,
        owner: array.owner.clone(),
    });
    let raw = Box::into_raw(boxed);
    // SAFETY: just made; the numbers are where they will stay.
    unsafe {
        (*raw).head.tensor.shape = (&raw mut (*raw).shape).cast();
        (*raw).head.tensor.strides = (&raw mut (*raw).strides).cast();
    }
    Ok(Versioned(raw.cast()))
}

fn export_legacy(array: &Array) -> Result<*mut DLManagedTensor> {
    if array.view.read_only {
        return Err(Error::new(
            Code::Buffer,
            "a read-only array cannot be exported to a consumer of unversioned DLPack",
        )
        .hint("the consumer must pass max_version=(1, 0) or later; or export a.clone()"));
    }
    let (tensor, shape, strides) = tensor(array)?;
    let boxed = Box::new(Exported {
        head: DLManagedTensor {
            tensor,
            context: std::ptr::null_mut(),
            deleter: Some(delete_legacy),
        },
        shape,
        strides,
        owner: array.owner.clone(),
    });
    let raw = Box::into_raw(boxed);
    // SAFETY: just made; the numbers are where they will stay.
    unsafe {
        (*raw).head.tensor.shape = (&raw mut (*raw).shape).cast();
        (*raw).head.tensor.strides = (&raw mut (*raw).strides).cast();
    }
    Ok(raw.cast())
}

type Numbers = [i64; MAX_FOREIGN_NDIM];

fn tensor(array: &Array) -> Result<(DLTensor, Numbers, Numbers)> {
    let desc = Desc::of(&array.view);
    let size = desc.scalar.size() as i64;
    if let Some(odd) = desc.strides.iter().find(|s| *s % size != 0) {
        return Err(Error::new(
            Code::Buffer,
            format!(
                "byte stride {odd} is no multiple of the element's {size} bytes, which DLPack needs"
            ),
        ));
    }
    let strides = desc.strides.map(|s| s / size);
    let tensor = DLTensor {
        data: desc.data.cast(),
        device: device(desc.device),
        ndim: desc.ndim as i32,
        dtype: dtype_of(desc.scalar),
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    Ok((tensor, desc.shape, strides))
}

/// A device as DLPack names it.
fn device(d: Device) -> DLDevice {
    match d {
        Device::Cpu => DLDevice { kind: CPU, id: 0 },
        // Each device that the core gains needs its DLPack kind here.
        other => unreachable!("{other} has no DLPack device"),
    }
}

/// A capsule: versioned if the consumer says that it reads those, else legacy.
pub fn capsule<'py>(
    py: Python<'py>,
    array: &Array,
    versioned: bool,
    flags: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let raise = |e| crate::raise(py, e);
    // SAFETY: the capsule owns the tensor until somebody renames it; its destructor looks.
    unsafe {
        if versioned {
            let managed = export(array, flags).map_err(raise)?.into_raw();
            let c = py_ffi::PyCapsule_New(managed.cast(), VERSIONED.as_ptr(), Some(delete_capsule));
            if c.is_null() {
                delete_versioned(managed);
            }
            Bound::from_owned_ptr_or_err(py, c)
        } else {
            let managed = export_legacy(array).map_err(raise)?;
            let c = py_ffi::PyCapsule_New(managed.cast(), LEGACY.as_ptr(), Some(delete_capsule));
            if c.is_null() {
                delete_legacy(managed);
            }
            Bound::from_owned_ptr_or_err(py, c)
        }
    }
}

/// # Safety
/// `m` was made by [`export`] and is deleted once.
unsafe extern "C" fn delete_versioned(m: *mut DLManagedTensorVersioned) {
    // SAFETY: promised; the box began with this head.
    drop(unsafe { Box::from_raw(m.cast::<Exported<DLManagedTensorVersioned>>()) });
}

/// # Safety
/// `m` was made by [`export_legacy`] and is deleted once.
unsafe extern "C" fn delete_legacy(m: *mut DLManagedTensor) {
    // SAFETY: promised; the box began with this head.
    drop(unsafe { Box::from_raw(m.cast::<Exported<DLManagedTensor>>()) });
}

/// # Safety
/// Python calls it with a capsule of ours that goes away.
unsafe extern "C" fn delete_capsule(c: *mut py_ffi::PyObject) {
    // SAFETY: a capsule that still has its first name still owns its tensor.
    unsafe {
        if py_ffi::PyCapsule_IsValid(c, VERSIONED.as_ptr()) != 0 {
            delete_versioned(py_ffi::PyCapsule_GetPointer(c, VERSIONED.as_ptr()).cast());
        } else if py_ffi::PyCapsule_IsValid(c, LEGACY.as_ptr()) != 0 {
            delete_legacy(py_ffi::PyCapsule_GetPointer(c, LEGACY.as_ptr()).cast());
        }
    }
}
