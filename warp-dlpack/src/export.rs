//! Our arrays as managed tensors. What is exported owns its memory by itself: no Python object is
//! needed to delete it, so that it may be deleted on any thread, and after Python has ended.

use crate::ffi::*;
use crate::{describe, dtype_of};
use pyo3::ffi as py_ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use warp_core::array::{Allocation, Array, Owner, View};
use warp_core::backend::Content;
use warp_core::device::{Device, Stream};
use warp_core::error::{Code, Error, Result};
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::Elem;

/// Shape and strides in elements, as a DLPack tensor points to them.
pub type Numbers = [[i64; MAX_FOREIGN_NDIM]; 2];

/// A managed tensor of either kind.
pub trait Head {
    /// What a capsule is called that holds one.
    const NAME: &'static CStr;
    /// The head around a tensor.
    #[doc(hidden)]
    fn new(tensor: DLTensor, flags: u64) -> Self;
    #[doc(hidden)]
    fn tensor(&mut self) -> &mut DLTensor;
    #[doc(hidden)]
    fn context(&mut self) -> &mut *mut c_void;
}

impl Head for DLManagedTensorVersioned {
    const NAME: &'static CStr = VERSIONED;
    fn new(tensor: DLTensor, flags: u64) -> Self {
        DLManagedTensorVersioned {
            version: VERSION,
            context: null_mut(),
            deleter: Some(delete::<Self>),
            flags,
            tensor,
        }
    }
    fn tensor(&mut self) -> &mut DLTensor {
        &mut self.tensor
    }
    fn context(&mut self) -> &mut *mut c_void {
        &mut self.context
    }
}

impl Head for DLManagedTensor {
    const NAME: &'static CStr = LEGACY;
    fn new(tensor: DLTensor, _flags: u64) -> Self {
        DLManagedTensor {
            tensor,
            context: null_mut(),
            deleter: Some(delete::<Self>),
        }
    }
    fn tensor(&mut self) -> &mut DLTensor {
        &mut self.tensor
    }
    fn context(&mut self) -> &mut *mut c_void {
        &mut self.context
    }
}

/// What an exported tensor is made of; `head` comes first, so that a pointer to it is a pointer to all.
#[repr(C)]
struct Exported<H> {
    head: H,
    numbers: Numbers,
    owner: Owner,
}

/// A managed tensor that deletes itself unless somebody takes it.
pub struct Managed<H: Head>(*mut H);

/// One of our version.
pub type Versioned = Managed<DLManagedTensorVersioned>;
/// One from before versions.
pub type Legacy = Managed<DLManagedTensor>;

impl<H: Head> Managed<H> {
    fn new((tensor, numbers): (DLTensor, Numbers), owner: Owner, flags: u64) -> Managed<H> {
        let raw = Box::into_raw(Box::new(Exported {
            head: H::new(tensor, flags),
            numbers,
            owner,
        }));
        // SAFETY: just made; the numbers are where they will stay.
        unsafe {
            let at = (&raw mut (*raw).numbers).cast::<i64>();
            let tensor = (*raw).head.tensor();
            tensor.shape = at;
            tensor.strides = at.add(MAX_FOREIGN_NDIM);
            // We need none, but paddle calls no deleter where there is none.
            *(*raw).head.context() = raw.cast();
        }
        Managed(raw.cast())
    }
    /// Hands it over: the taker deletes it.
    pub fn into_raw(self) -> *mut H {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }
}

impl<H: Head> Drop for Managed<H> {
    fn drop(&mut self) {
        // SAFETY: not handed over, so it is ours to delete, once.
        unsafe { delete(self.0) }
    }
}

/// An array as a managed tensor of our version.
pub fn export(array: &Array, flags: u64) -> Result<Versioned> {
    let read_only = if array.view.read_only {
        FLAG_READ_ONLY
    } else {
        0
    };
    let parts = tensor(&array.view)?;
    Ok(Managed::new(parts, array.owner.clone(), flags | read_only))
}

/// An array as a managed tensor from before versions, which cannot be marked as read-only.
pub fn export_legacy(array: &Array) -> Result<Legacy> {
    if array.view.read_only {
        return Err(Error::new(
            Code::Buffer,
            "a read-only array cannot be exported to a consumer of unversioned DLPack",
        )
        .hint("the consumer must pass max_version=(1, 0) or later; or export a.clone()"));
    }
    Ok(Managed::new(tensor(&array.view)?, array.owner.clone(), 0))
}

/// An array as a tensor that lives as long as the array and `numbers`, which are filled in. It has no flags, so that
/// what must not be written cannot be lent.
pub fn lend(view: &View, numbers: &mut Numbers) -> Result<DLTensor> {
    if view.read_only {
        return Err(Error::new(
            Code::Buffer,
            "a read-only array cannot be lent to a consumer that looks at no flags",
        )
        .hint("pass a.clone()"));
    }
    let (tensor, found) = tensor(view)?;
    *numbers = found;
    Ok(tensor)
}

/// New memory like a prototype, of which element type, shape and device count.
///
/// # Safety
/// The prototype's shape points to as many numbers as it has dimensions.
pub unsafe fn allocate(prototype: &DLTensor) -> Result<Versioned> {
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
    let memory = Allocation::new(bytes, Content::Any, Stream::default_of(desc.device))?;
    desc.data = memory.data();
    let owner = Owner::Own(Arc::new(memory));
    Ok(Managed::new(tensor_of(&desc)?, owner, 0))
}

fn tensor(view: &View) -> Result<(DLTensor, Numbers)> {
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

fn tensor_of(desc: &Desc) -> Result<(DLTensor, Numbers)> {
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

/// A device as DLPack names it.
fn device(d: Device) -> DLDevice {
    match d {
        Device::Cpu => DLDevice { kind: CPU, id: 0 },
        Device::Cuda(ordinal) => DLDevice {
            kind: CUDA,
            id: ordinal.into(),
        },
    }
}

/// A capsule around a managed tensor, which it deletes unless somebody takes it out.
pub fn capsule<H: Head>(py: Python<'_>, managed: Managed<H>) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the capsule owns the tensor until somebody renames it; its destructor looks.
    unsafe {
        let c = py_ffi::PyCapsule_New(managed.0.cast(), H::NAME.as_ptr(), Some(delete_capsule));
        let c = Bound::from_owned_ptr_or_err(py, c)?;
        managed.into_raw();
        Ok(c)
    }
}

/// # Safety
/// `m` is the head of what [`Managed::new`] made, and is deleted once.
unsafe extern "C" fn delete<H>(m: *mut H) {
    // SAFETY: promised; the box began with this head.
    drop(unsafe { Box::from_raw(m.cast::<Exported<H>>()) });
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
