//! Level 2: Python's types and values as ours: scalars, vectors, matrices, quaternions, structs; numbers and instances.

mod elem;
mod instance;
mod number;
mod pattern;
mod structs;
mod value;

pub use elem::require_scalar;
pub use elem::{PyElem, annotation, class_of, elem_of, indexed_of, require_elem};
pub use number::number;
pub use pattern::{object_of, open_elem, pattern};
pub use value::{
    constant, element_bytes, held_by, host_constant, memory_of, own_type, read, to_python,
    value_bytes,
};

pub use instance::{expected, values};

use pyo3::prelude::*;

/// Adds the classes and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    elem::register(m)?;
    m.add_class::<pattern::PyPattern>()?;
    structs::register(m)
}
