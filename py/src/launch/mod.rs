//! Level 9: launches: `wp.launch`, recorded launches, tapes, adjoints, the interpreter.
//!
//! A recorded launch (`command.rs`) holds the memory that its arguments point to, whatever the arguments are given later.
//! Parameters that were given the same array are merged before the adjoint is formed; arrays that overlap otherwise are
//! refused where the kernel writes one. A copy (`wp.copy`, `clone`, `assign`, a slice) is a launch of a copying kernel on a
//! tape.

mod adjoint;
mod backward;
mod by_hand;
mod call;
mod command;
mod command_state;
mod forward;
mod gradient;
mod graph;
mod host;
mod in_force;
mod interpret;
mod listing;
mod map;
mod record;
mod saved_array;
mod tape;
mod taped;

use pyo3::prelude::*;

/// Adds the classes and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    command::register(m)?;
    graph::register(m)?;
    tape::register(m)?;
    call::register(m)?;
    map::register(m)?;
    interpret::register(m)
}
