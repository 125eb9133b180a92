//! What kernel code can call. One row per builtin: name, signatures, expansion into primitive
//! operations, documentation. Adjoints of rows follow from the adjoints of the primitives
//! (see `prim.rs`), so a row never states one.

pub mod value;

pub use value::{Operand, Parts, Tree, View};
