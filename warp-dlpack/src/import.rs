//! Managed tensors and capsules of others.

use crate::ffi::*;
use crate::{raise, scalar_of};
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use std::ffi::c_void;
use warp_core::array::Owner;
use warp_core::device::Device;
use warp_core::error::{Code, Error, Result};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};

/// What a DLTensor says.
///
/// # Safety
/// `shape`, and `strides` unless null, point to `ndim` numbers.
#[inline]
pub unsafe fn describe(t: &DLTensor, read_only: bool, out: &mut Desc) -> Result<()> {
    out.scalar = scalar_of(t.dtype)?;
    out.device = device_of(t.device)?;
    out.read_only = read_only;
    if t.ndim < 0 || t.ndim as usize > MAX_FOREIGN_NDIM || (t.ndim > 0 && t.shape.is_null()) {
        return Err(bad_ndim(t));
    }
    out.ndim = t.ndim as usize;
    out.data = if t.data.is_null() {
        std::ptr::null_mut()
    } else {
        t.data.cast::<u8>().wrapping_add(t.byte_offset as usize)
    };
    let size = out.scalar.size() as i64;
    let mut dense = size;
    for d in (0..out.ndim).rev() {
        // SAFETY: promised by the caller.
        let n = unsafe { *t.shape.add(d) };
        out.shape[d] = n;
        out.strides[d] = if t.strides.is_null() {
            dense
        } else {
            // SAFETY: promised by the caller. What overflows stays out of range for the import.
            unsafe { *t.strides.add(d) }.saturating_mul(size)
        };
        dense = dense.saturating_mul(n.max(1));
    }
    Ok(())
}

#[cold]
fn bad_ndim(t: &DLTensor) -> Error {
    let message = if t.ndim < 0 || t.ndim as usize > MAX_FOREIGN_NDIM {
        format!("{} dimensions are too many", t.ndim)
    } else {
        "the shape of the DLPack tensor is missing".into()
    };
    Error::new(Code::Value, message)
}

#[inline]
fn device_of(d: DLDevice) -> Result<Device> {
    match d.kind {
        CPU | CUDA_HOST => Ok(Device::Cpu),
        _ => Err(no_device(d)),
    }
}

#[cold]
fn no_device(d: DLDevice) -> Error {
    match d.kind {
        CUDA => Error::new(
            Code::Value,
            format!(
                "the memory is on CUDA device {}, which is not available here",
                d.id
            ),
        )
        .hint("copy it to the CPU first"),
        kind => Error::new(
            Code::Value,
            format!("the memory is on a device of DLPack kind {kind}, which has no counterpart"),
        )
        .hint("copy it to the CPU first"),
    }
}

/// Takes over a managed tensor: its deleter runs when the last owner goes, or now if this fails.
///
/// # Safety
/// `managed` is a valid managed tensor that nobody else deletes.
#[inline]
pub unsafe fn hold(managed: *mut DLManagedTensorVersioned) -> Result<(Desc, Owner)> {
    // SAFETY: the deleter may be called from any thread, as DLPack demands, if the gate agrees.
    let owner = unsafe { Owner::foreign(managed.cast(), delete_versioned) };
    // SAFETY: valid, as promised.
    let m = unsafe { &*managed };
    if m.version.major != VERSION.major {
        return Err(Error::new(
            Code::Buffer,
            format!(
                "the tensor speaks DLPack {}.{}, this is {}.{}",
                m.version.major, m.version.minor, VERSION.major, VERSION.minor
            ),
        ));
    }
    let mut desc = Desc::EMPTY;
    // SAFETY: a valid managed tensor's tensor is valid.
    unsafe { describe(&m.tensor, m.flags & FLAG_READ_ONLY != 0, &mut desc) }?;
    Ok((desc, owner))
}

/// Takes over the content of a capsule, and renames the capsule so that nobody else does.
pub fn consume(capsule: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let py = capsule.py();
    let raw = capsule.as_ptr();
    let fail = |e| Err(raise(py, e));
    // SAFETY: any object may be asked whether it is a capsule of a name. A capsule of that name holds a
    // managed tensor of that kind, which is ours once renamed.
    unsafe {
        if py_ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) != 0 {
            let m = py_ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr());
            py_ffi::PyCapsule_SetName(raw, VERSIONED_USED.as_ptr());
            return hold(m.cast()).or_else(fail);
        }
        if py_ffi::PyCapsule_IsValid(raw, LEGACY.as_ptr()) != 0 {
            let m: *mut DLManagedTensor = py_ffi::PyCapsule_GetPointer(raw, LEGACY.as_ptr()).cast();
            py_ffi::PyCapsule_SetName(raw, LEGACY_USED.as_ptr());
            let owner = Owner::foreign(m.cast(), delete_legacy);
            let mut desc = Desc::EMPTY;
            return match describe(&(*m).tensor, false, &mut desc) {
                Ok(()) => Ok((desc, owner)),
                Err(e) => fail(e),
            };
        }
        let used = [VERSIONED_USED, LEGACY_USED]
            .iter()
            .any(|n| py_ffi::PyCapsule_IsValid(raw, n.as_ptr()) != 0);
        fail(if used {
            Error::new(Code::Value, "this DLPack capsule has been consumed already")
                .hint("each capsule can be imported once: ask the source for a new one")
        } else {
            Error::new(
                Code::Type,
                format!(
                    "expected a DLPack capsule, found {}",
                    capsule.get_type().name()?
                ),
            )
        })
    }
}

/// # Safety
/// `m` is a versioned managed tensor that was taken over and not deleted.
unsafe fn delete_versioned(m: *mut c_void) {
    let m: *mut DLManagedTensorVersioned = m.cast();
    // SAFETY: promised by the caller.
    unsafe {
        if let Some(delete) = (*m).deleter {
            delete(m);
        }
    }
}

/// # Safety
/// `m` is a legacy managed tensor that was taken over and not deleted.
unsafe fn delete_legacy(m: *mut c_void) {
    let m: *mut DLManagedTensor = m.cast();
    // SAFETY: promised by the caller.
    unsafe {
        if let Some(delete) = (*m).deleter {
            delete(m);
        }
    }
}
