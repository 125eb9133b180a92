//! Printing, and checks that print.

pub mod expect;
pub mod format;
