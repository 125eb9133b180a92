//! Rows and their signatures: how a call finds its overload, and what is said where none fits.

pub mod binding;
pub mod call;
pub mod hints;
mod renamed;
pub mod row;
pub mod sig;
