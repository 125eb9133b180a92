//! Updates of one number by many lanes: combined before memory is updated.

pub(in crate::lower::host::lanes) mod adds;
pub(in crate::lower::host::lanes) mod sums;
