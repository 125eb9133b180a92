//! Control flow of gangs: conditions, loops, calls, and what lanes do one after the other.

pub(in crate::lower::host::lanes) mod call;
pub(in crate::lower::host::lanes) mod flow;
pub(in crate::lower::host::lanes) mod loops;
pub(in crate::lower::host::lanes) mod records;
pub(in crate::lower::host::lanes) mod serial;
