//! Managed tensors and capsules of others.
//!
//! A capsule is taken over before it is looked at, so that it is deleted exactly once, whatever is wrong with it.

use crate::ffi::*;
use crate::{device_of, raise, scalar_of};
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_void};
use warp_core::array::Owner;
use warp_core::error::{Code, Error, Result};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::MAX_NDIM;

/// What a DLTensor says.
///
/// # Errors
/// The elements or the device have no counterpart, there are too many dimensions or no shape, or numbers are out of range.
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
        let at = (t.data as usize).checked_add(t.byte_offset as usize);
        t.data
            .cast::<u8>()
            .with_addr(at.ok_or_else(|| bad_offset(t))?)
    };
    let size = out.scalar.size() as i64;
    let mut dense = size;
    for d in (0..out.ndim).rev() {
        // SAFETY: promised by the caller.
        let n = unsafe { *t.shape.add(d) };
        out.shape[d] = n;
        out.strides[d] = if t.strides.is_null() {
            // What overflows is out of range for the import, too.
            dense
        } else {
            // SAFETY: promised by the caller.
            let stride = unsafe { *t.strides.add(d) };
            stride
                .checked_mul(size)
                .ok_or_else(|| bad_stride(d, stride))?
        };
        dense = dense.saturating_mul(n.max(1));
    }
    Ok(())
}

#[cold]
fn bad_ndim(t: &DLTensor) -> Error {
    let message = if t.ndim < 0 {
        format!("a DLPack tensor cannot have {} dimensions", t.ndim)
    } else if t.ndim as usize > MAX_FOREIGN_NDIM {
        format!(
            "{} dimensions are too many: an array has at most {MAX_NDIM}, and its elements 2 more",
            t.ndim
        )
    } else {
        "the shape of the DLPack tensor is missing".into()
    };
    Error::new(Code::Value, message)
}

#[cold]
fn bad_stride(d: usize, stride: i64) -> Error {
    let message = format!("stride {stride} of dimension {d} is out of range");
    Error::new(Code::Value, message)
}

#[cold]
fn bad_offset(t: &DLTensor) -> Error {
    let message = format!(
        "byte_offset {} leads out of the address space",
        t.byte_offset
    );
    Error::new(Code::Value, message)
}

/// Takes over a managed tensor: its deleter runs when the last owner goes, or now if this fails.
///
/// # Errors
/// The tensor is of another major version, or [`describe`] refuses it. It is deleted then.
///
/// # Safety
/// `managed` is a valid managed tensor that nothing else deletes.
#[inline]
pub unsafe fn hold(managed: *mut DLManagedTensorVersioned) -> Result<(Desc, Owner)> {
    // SAFETY: the deleter may be called from any thread, as DLPack demands, if the gate agrees.
    let owner = unsafe { Owner::foreign(managed.cast(), delete::<DLManagedTensorVersioned>) };
    // SAFETY: valid, as promised.
    let m = unsafe { &*managed };
    // Of another major version only version, context and deleter stand where they do here.
    if !m.version.is_compatible_with(DLPackVersion::CURRENT) {
        return Err(bad_version(m.version));
    }
    let mut desc = Desc::EMPTY;
    // SAFETY: a valid managed tensor's tensor is valid.
    unsafe {
        describe(
            &m.dl_tensor,
            m.flags.contains(DlpackFlags::READ_ONLY),
            &mut desc,
        )
    }?;
    Ok((desc, owner))
}

#[cold]
fn bad_version(found: DLPackVersion) -> Error {
    let own = DLPackVersion::CURRENT;
    let message = format!(
        "the tensor speaks DLPack {}.{}, this is {}.{}",
        found.major, found.minor, own.major, own.minor
    );
    Error::new(Code::Buffer, message).hint("the producer should follow max_version")
}

/// As [`hold`], for a tensor from before versions, which cannot say that it is read-only.
///
/// # Errors
/// [`describe`] refuses the tensor. It is deleted then.
///
/// # Safety
/// As for [`hold`].
#[inline]
pub unsafe fn hold_legacy(managed: *mut DLManagedTensor) -> Result<(Desc, Owner)> {
    // SAFETY: as in `hold`.
    let owner = unsafe { Owner::foreign(managed.cast(), delete::<DLManagedTensor>) };
    let mut desc = Desc::EMPTY;
    // SAFETY: a valid managed tensor's tensor is valid.
    unsafe { describe(&(*managed).dl_tensor, false, &mut desc) }?;
    Ok((desc, owner))
}

/// Whether a capsule says that it holds a copy which its producer made for it.
pub fn is_copied(capsule: &Bound<'_, PyAny>) -> bool {
    let raw = capsule.as_ptr();
    // SAFETY: any object may be asked whether it is a capsule of a name; one of that name holds such a tensor.
    unsafe {
        if py_ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) == 0 {
            return false;
        }
        let m: *mut DLManagedTensorVersioned =
            py_ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr()).cast();
        (*m).version.is_compatible_with(DLPackVersion::CURRENT)
            && (*m).flags.contains(DlpackFlags::IS_COPIED)
    }
}

/// Takes over the content of a capsule, and renames the capsule so that nothing else does.
///
/// # Errors
/// The object is no DLPack capsule, was consumed before, or holds a tensor that [`hold`] or [`hold_legacy`] refuses.
pub fn consume(capsule: &Bound<'_, PyAny>) -> PyResult<(Desc, Owner)> {
    let (py, raw) = (capsule.py(), capsule.as_ptr());
    // SAFETY: any object may be asked whether it is a capsule of a name. A capsule of that name holds a
    // managed tensor of that kind, which is ours once renamed.
    let taken = unsafe {
        if py_ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) != 0 {
            let m = py_ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr());
            py_ffi::PyCapsule_SetName(raw, VERSIONED_USED.as_ptr());
            hold(m.cast())
        } else if py_ffi::PyCapsule_IsValid(raw, LEGACY.as_ptr()) != 0 {
            let m = py_ffi::PyCapsule_GetPointer(raw, LEGACY.as_ptr());
            py_ffi::PyCapsule_SetName(raw, LEGACY_USED.as_ptr());
            hold_legacy(m.cast())
        } else {
            Err(no_capsule(capsule))
        }
    };
    taken.map_err(|e| raise(py, e))
}

/// Why a capsule, or another object, holds nothing for us.
#[cold]
fn no_capsule(object: &Bound<'_, PyAny>) -> Error {
    // SAFETY: as in `consume`; the name of a capsule is a C string or null.
    let name = unsafe {
        if py_ffi::PyCapsule_CheckExact(object.as_ptr()) == 0 {
            let class = object.get_type().name();
            let class = class.map_or_else(|_| "an object".into(), |n| n.to_string());
            return Error::new(
                Code::Type,
                format!("expected a DLPack capsule, found {class}"),
            );
        }
        let name = py_ffi::PyCapsule_GetName(object.as_ptr());
        (!name.is_null()).then(|| CStr::from_ptr(name))
    };
    if name.is_some_and(|n| n == VERSIONED_USED || n == LEGACY_USED) {
        return Error::new(Code::Value, "this DLPack capsule has been consumed already")
            .hint("each capsule can be imported once: ask the source for a new one");
    }
    let name = name.map_or("no name".into(), |n| format!("the name {n:?}"));
    Error::new(
        Code::Type,
        format!("expected a DLPack capsule, found a capsule with {name}"),
    )
}

/// # Safety
/// `managed` is a managed tensor of that kind that was taken over and not deleted.
unsafe fn delete<M: ManagedTensorBase>(managed: *mut c_void) {
    // SAFETY: promised by the caller.
    unsafe { M::drop_raw(managed.cast()) }
}
