//! What the lanes of a gang have in common: values, neighbouring memory, the order of iterations.

pub(in crate::lower::host::lanes) mod neighbours;
pub(in crate::lower::host::lanes) mod order;
pub(in crate::lower::host::lanes) mod shape;
