//! Whether a kernel runs in gangs, and how wide they are.

pub(in crate::lower::host::lanes) mod choice;
pub(in crate::lower::host::lanes) mod cost;
pub(in crate::lower::host::lanes) mod order_of_changes;
pub(in crate::lower::host::lanes) mod registers;
pub(in crate::lower::host::lanes) mod waiting;
