//! Managed tensors of somebody else's that count how often they are deleted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use warp_core::array::Owner;
use warp_core::error::Result;
use warp_core::interop::Desc;
use warp_dlpack::ffi::{
    DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor, DlpackFlags,
};

/// More than any reader may look at.
pub const ROOM: usize = 10;

/// Shape and strides behind a tensor, and who counts its deletions.
pub struct Context {
    pub shape: [i64; ROOM],
    pub strides: [i64; ROOM],
    pub deleted: Arc<AtomicUsize>,
}

/// Which of the two kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Legacy,
    Versioned {
        version: DLPackVersion,
        flags: DlpackFlags,
    },
}

/// Makes a managed tensor and lets the import path take it over. Which of shape and strides are there is said by
/// the pointers of `tensor`, null or not.
pub fn import(mut tensor: DLTensor, kind: Kind, context: Context) -> Result<(Desc, Owner)> {
    // From here on all pointers come from this one, as in C.
    let context = Box::into_raw(Box::new(context));
    if !tensor.shape.is_null() {
        // SAFETY: just made.
        tensor.shape = unsafe { &raw mut (*context).shape }.cast();
    }
    if !tensor.strides.is_null() {
        // SAFETY: as above.
        tensor.strides = unsafe { &raw mut (*context).strides }.cast();
    }
    let context = context.cast();
    match kind {
        Kind::Legacy => {
            let managed = Box::new(DLManagedTensor {
                dl_tensor: tensor,
                manager_ctx: context,
                deleter: Some(delete_legacy),
            });
            // SAFETY: valid, and handed over.
            unsafe { warp_dlpack::hold_legacy(Box::into_raw(managed)) }
        }
        Kind::Versioned { version, flags } => {
            let managed = Box::new(DLManagedTensorVersioned {
                version,
                manager_ctx: context,
                deleter: Some(delete_versioned),
                flags,
                dl_tensor: tensor,
            });
            // SAFETY: valid, and handed over.
            unsafe { warp_dlpack::hold(Box::into_raw(managed)) }
        }
    }
}

unsafe extern "C" fn delete_legacy(m: *mut DLManagedTensor) {
    // SAFETY: made in `import`, deleted once.
    let m = unsafe { Box::from_raw(m) };
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(m.manager_ctx.cast::<Context>()) });
}

unsafe extern "C" fn delete_versioned(m: *mut DLManagedTensorVersioned) {
    // SAFETY: made in `import`, deleted once.
    let m = unsafe { Box::from_raw(m) };
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(m.manager_ctx.cast::<Context>()) });
}

impl Drop for Context {
    fn drop(&mut self) {
        self.deleted.fetch_add(1, Ordering::SeqCst);
    }
}
