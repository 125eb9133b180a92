//! Level 8: launches: `wp.launch`, recorded launches, tapes, adjoints, the interpreter.

mod adjoint;
mod call;
mod command;
mod gradient;
mod interpret;
mod tape;

use pyo3::prelude::*;

/// Adds the classes and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    command::register(m)?;
    tape::register(m)?;
    call::register(m)?;
    interpret::register(m)
}
