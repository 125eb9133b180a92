//! What gangs read and write: rows, gathers and scatters, whole elements, pairs of neighbours.

pub(in crate::lower::host::lanes) mod access;
pub(in crate::lower::host::lanes) mod elements;
mod objects;
pub(in crate::lower::host::lanes) mod pairs;
pub(in crate::lower::host::lanes) mod singles;
