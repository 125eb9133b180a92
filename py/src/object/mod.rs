//! Level 1: the class `wp.array` as Rust sees it, what is asked before its memory is used, errors and how messages
//! describe objects, what is used of the Python package, and whether a function is being traced, or launches captured. Knows no framework, no type of Python's and no kernel.

pub mod access;
mod array;
mod create;
pub mod error;
pub mod keyword;
pub mod legacy;
pub mod message;
pub mod nested_arrays;
mod own;
pub mod package;
pub mod part;
pub mod queried;
pub mod record;
pub mod shape;
pub mod trace_state;

pub use array::Array;
pub use array::Tensor;
pub use create::Frame;
pub use create::probe;
pub use own::Own;
