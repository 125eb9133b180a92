//! Level 6: what Python sees of `wp.array`: making, filling, indexing, assigning, pickling, printing.

mod assign;
mod attribute;
mod call;
pub mod fill;
mod gradient;
mod index;
mod item;
mod make;
mod methods;
pub mod operators;
mod pickle;
mod place;
mod reinterpret;
mod relayout;
mod text;

pub use gradient::checked_gradient;
pub use gradient::set_retain;
pub use make::{Request, array};
pub use place::shared_as;

use crate::object::Array;
use pyo3::prelude::*;

/// Adds the class and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Array>()?;
    call::register(m)?;
    assign::register(m)?;
    make::register(m)?;
    fill::register(m)?;
    operators::register(m)?;
    pickle::register(m)
}
