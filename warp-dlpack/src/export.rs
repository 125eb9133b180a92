//! Our arrays as managed tensors. What is exported owns its memory by itself: no Python object is
//! needed to delete it, so that it may be deleted on any thread, and after Python has ended.

use crate::ffi::*;
use crate::{describe, device, dtype_of};
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use warp_core::array::{Allocation, Array, Owner, View};
use warp_core::backend::Content;
use warp_core::error::{Code, Error, Result};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::Elem;

/// Shape and strides in elements, as a DLPack tensor points to them.
pub type ShapeStrides = [[i64; MAX_FOREIGN_NDIM]; 2];

/// A managed tensor of either kind, which a capsule of this name holds.
pub trait CapsuleContent: ManagedTensorBase {
    /// The name until a consumer takes the tensor.
    const NAME: &'static CStr;
}

impl CapsuleContent for DLManagedTensorVersioned {
    const NAME: &'static CStr = VERSIONED;
}

impl CapsuleContent for DLManagedTensor {
    const NAME: &'static CStr = LEGACY;
}

/// What an exported tensor is made of, in one allocation; `head` comes first, so that a pointer to it is a pointer to all.
#[repr(C)]
struct Exported<M> {
    head: M,
    numbers: ShapeStrides,
    owner: Owner,
}

/// A managed tensor around what `tensor` and `tensor_of` give.
fn exported<M: ManagedTensorBase>(
    (mut tensor, numbers): (DLTensor, ShapeStrides),
    owner: Owner,
    flags: DlpackFlags,
) -> Managed<M> {
    let place = Box::into_raw(Box::<Exported<M>>::new_uninit()).cast::<Exported<M>>();
    // SAFETY: the box has room for all fields, which are written before anybody reads them; the numbers stay where they
    // are. Whoever sets flags has seen that they are true.
    unsafe {
        let at = (&raw mut (*place).numbers).cast::<i64>();
        tensor.shape = at;
        tensor.strides = at.add(MAX_FOREIGN_NDIM);
        // `delete` needs no context, but paddle calls no deleter where there is none.
        let mut head = M::from_parts(tensor, place.cast(), Some(delete::<M>));
        head.set_flags_unchecked(flags);
        place.write(Exported {
            head,
            numbers,
            owner,
        });
        Managed::from_raw(place.cast()).expect("it is of dlpark's version")
    }
}

/// An array as a managed tensor of our version.
///
/// # Errors
/// The array has no memory, holds structs, or has a byte stride that is no multiple of its elements' size.
pub fn export(array: &Array, mut flags: DlpackFlags) -> Result<Managed<DLManagedTensorVersioned>> {
    if array.view.read_only {
        flags |= DlpackFlags::READ_ONLY;
    }
    Ok(exported(tensor(&array.view)?, array.owner.clone(), flags))
}

/// An array as a managed tensor from before versions, which cannot be marked as read-only.
///
/// # Errors
/// As for [`export`], and where the array is read-only.
pub fn export_legacy(array: &Array) -> Result<Managed<DLManagedTensor>> {
    if array.view.read_only {
        return Err(Error::new(
            Code::Buffer,
            "a read-only array cannot be exported to a consumer of unversioned DLPack",
        )
        .hint("the consumer must pass max_version=(1, 0) or later; or export a.clone()"));
    }
    let (parts, owner) = (tensor(&array.view)?, array.owner.clone());
    Ok(exported(parts, owner, DlpackFlags::empty()))
}

/// An array as a tensor that lives as long as the array and `numbers`, which are filled in. It has no flags, so that
/// what must not be written cannot be lent.
///
/// # Errors
/// As for [`export`], and where the view is read-only.
pub fn lend(view: &View, numbers: &mut ShapeStrides) -> Result<DLTensor> {
    if view.read_only {
        return Err(Error::new(
            Code::Buffer,
            "a read-only array cannot be exported to a consumer that ignores the read-only flag",
        )
        .hint("pass a.clone()"));
    }
    let (tensor, own) = tensor(view)?;
    *numbers = own;
    Ok(tensor)
}

/// New memory like a prototype, of which element type, shape and device count.
///
/// # Errors
/// The prototype is none that [`describe`] accepts, or there is no memory for it.
///
/// # Safety
/// The prototype's shape points to as many numbers as it has dimensions.
pub unsafe fn allocate(prototype: &DLTensor) -> Result<Managed<DLManagedTensorVersioned>> {
    let asked = DLTensor {
        data: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
        ..*prototype
    };
    let mut desc = Desc::EMPTY;
    // SAFETY: promised by the caller.
    unsafe { describe(&asked, false, &mut desc) }?;
    let bytes = desc
        .shape()
        .iter()
        .try_fold(desc.scalar.size(), |bytes, n| {
            bytes.checked_mul(usize::try_from(*n).ok()?)
        });
    let bytes = bytes.ok_or_else(|| {
        Error::new(
            Code::Value,
            format!("no memory can have the shape {:?}", desc.shape()),
        )
    })?;
    let memory = Allocation::new(bytes, Content::Any, desc.device)?;
    desc.data = memory.data();
    let owner = Owner::Own(Arc::new(memory));
    Ok(exported(tensor_of(&desc)?, owner, DlpackFlags::empty()))
}

fn tensor(view: &View) -> Result<(DLTensor, ShapeStrides)> {
    if view.arg.data.is_null() && !view.layout().is_empty() {
        return Err(Error::new(Code::Buffer, "the array has no memory")
            .hint("it only stands for a type, as in the annotation of a kernel's parameter"));
    }
    if let Elem::Struct(s) = view.elem {
        return Err(Error::new(
            Code::Buffer,
            format!("the array holds {s}, a struct; tensors have no records"),
        )
        .hint(format!("pass one field: a['{}']", s.fields()[0].name)));
    }
    tensor_of(&Desc::of(view))
}

fn tensor_of(desc: &Desc) -> Result<(DLTensor, ShapeStrides)> {
    let size = desc.scalar.size() as i64;
    let odd = (0..desc.ndim).find(|d| desc.shape[*d] > 1 && desc.strides[*d] % size != 0);
    if let Some(d) = odd {
        return Err(Error::new(
            Code::Buffer,
            format!(
                "byte stride {} is no multiple of the element's {size} bytes, which DLPack needs",
                desc.strides[d]
            ),
        )
        .hint("pass a.contiguous()"));
    }
    let tensor = DLTensor {
        data: desc.data.cast(),
        device: device(desc.device),
        ndim: desc.ndim as i32,
        dtype: dtype_of(desc.scalar),
        shape: null_mut(),
        strides: null_mut(),
        byte_offset: 0,
    };
    Ok((tensor, [desc.shape, desc.strides.map(|s| s / size)]))
}

/// A capsule around a managed tensor, which it deletes unless it was consumed.
///
/// # Errors
/// Python has no memory for a capsule.
pub fn capsule<M: CapsuleContent>(
    py: Python<'_>,
    managed: Managed<M>,
) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the capsule owns the tensor until somebody renames it; its destructor looks.
    unsafe {
        let content = managed.as_ptr().cast();
        let capsule = py_ffi::PyCapsule_New(content, M::NAME.as_ptr(), Some(delete_capsule));
        let capsule = Bound::from_owned_ptr_or_err(py, capsule)?;
        managed.into_raw();
        Ok(capsule)
    }
}

/// # Safety
/// `head` is that of what [`exported`] made, and is deleted once.
unsafe extern "C" fn delete<M>(head: *mut M) {
    // SAFETY: promised; the box began with this head.
    drop(unsafe { Box::from_raw(head.cast::<Exported<M>>()) });
}

/// # Safety
/// Python calls it with a capsule of ours that goes away.
unsafe extern "C" fn delete_capsule(c: *mut py_ffi::PyObject) {
    let content = |name: &CStr| -> *mut c_void {
        // SAFETY: a capsule that still has its first name still owns its tensor.
        unsafe {
            match py_ffi::PyCapsule_IsValid(c, name.as_ptr()) {
                0 => null_mut(),
                _ => py_ffi::PyCapsule_GetPointer(c, name.as_ptr()),
            }
        }
    };
    let (versioned, legacy) = (content(VERSIONED), content(LEGACY));
    // SAFETY: as above.
    unsafe {
        if !versioned.is_null() {
            delete::<DLManagedTensorVersioned>(versioned.cast());
        } else if !legacy.is_null() {
            delete::<DLManagedTensor>(legacy.cast());
        }
    }
}
