//! DLPack: arrays in and out as legacy capsules, versioned capsules and through exchange tables.
//!
//! Not here: which types of which framework may be trusted with their exchange table; the framework's own adapter knows.
//!
//! Invariants: a managed tensor that is taken over is owned from that moment on, whatever fails after; what we export keeps
//! its memory alive without any Python object.
//!
//! The structures, versions, flags and the handle of what we export come from the crate `dlpark`. Its builders are not
//! used, because they put the owner into a second allocation; nor is its Python part, because it looks up the exchange table
//! of each object anew, and checks a tensor that we check again as we fill in a `Desc`.

mod adapter;
mod device;
mod dtype;
pub mod exchange;
mod export;
pub mod ffi;
mod import;
mod members;
mod order;
mod passing;
mod python;

pub use adapter::{Adapter, Counter, TensorAdapter};
pub use device::{device, device_of};
pub use dtype::{dtype_of, scalar_of};
pub use export::{CapsuleContent, ShapeStrides, allocate, capsule, export, export_legacy, lend};
pub use import::{consume, describe, hold, hold_legacy, is_copied};
pub use members::{Method, Property};
pub use order::follow;
pub use passing::{Lenient, note, passes, raise_noted};
pub use python::{class, exception, exception_in_text, raise, reference, references, referent};
