//! What a launch is asked before it takes a body, and what the bodies leave to that.

pub(in crate::lower) mod bounds;
pub(in crate::lower) mod checks;
pub(in crate::lower) mod conditions;
