//! NumPy arrays in and out, through NumPy's C API.
//!
//! Not here: any decision about what an array means for us; that is `warp_core::interop`.
//!
//! Invariants: NumPy is imported only where something of NumPy's is asked for (`api.rs`), and its C API is touched only
//! after that; an array of NumPy's that we hold keeps its memory, since NumPy refuses to resize what is referenced.

mod adapter;
mod api;
mod array;
mod dtype;

pub use api::require;
pub use array::{Numpy, describe_records, is_array, wrap, wrap_as};
pub use dtype::{from_descr, to_descr};
