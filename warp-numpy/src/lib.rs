//! NumPy arrays in and out, through NumPy's C API.
//!
//! Not here: any decision about what an array means for us; that is `warp_core::interop`. Nothing touches NumPy, or
//! imports it, before an object is known to be worth asking.

mod api;
mod array;
mod dtype;

pub use api::require;
pub use array::{Numpy, describe, describe_records, is_array, wrap, wrap_as};
pub use dtype::{from_descr, to_descr, type_number};
