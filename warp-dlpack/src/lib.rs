//! DLPack: arrays in and out as legacy capsules, versioned capsules and through exchange tables.
//!
//! Not here: which types of which framework may be trusted with their exchange table; the
//! framework's own adapter knows. Invariants: a managed tensor that is taken over is owned from that moment on, whatever
//! fails after; what we export keeps its memory alive without any Python object.

mod ask;
mod dtype;
mod exchange;
mod export;
pub mod ffi;
mod import;
mod python;

pub use ask::{Method, Property};
pub use dtype::{dtype_of, scalar_of};
pub use exchange::{api_of, managed, object, own_api, view};
pub use export::{
    Head, Legacy, Managed, Numbers, Versioned, allocate, capsule, export, export_legacy, lend,
};
pub use import::{consume, describe, device_of, hold, hold_legacy, is_copied};
pub use python::{exception, raise, reference};
