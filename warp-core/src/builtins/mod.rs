//! What kernel code can call. One row per builtin: name, signatures, expansion into primitive
//! operations, documentation. Adjoints of rows follow from the adjoints of the primitives
//! (see [`prim`]), so a row never states one.
//!
//! Python operators, constructors and component access expand here too: whoever walks source
//! text knows syntax, this module knows what the operations mean.

mod algebra;
mod arrays;
mod cast;
mod component;
mod docs;
mod fold;
mod format;
mod operators;
pub mod prim;
mod row;
pub mod sig;
mod table;
pub mod value;

pub use arrays::{index_value, tid};
pub use cast::{cast, cast_elem, construct, truth};
pub use component::{attribute, component, with_attribute, with_component};
pub use docs::{reference, stubs};
pub use operators::{BinaryOp, CompareOp, UnaryOp, binary, compare, unary};
pub use row::{Arg, Call, Facts, Overload, Reference, Row};
pub use value::{Operand, Parts, Tree, View};

/// The row of a builtin by the name behind `wp.`; Python's own names (`len`, `print`, `abs`,
/// `min`, `max`, `round`, `pow`) are rows too.
pub fn find(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name == name)
}

/// Every row, by group.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    table::GROUPS.iter().flat_map(|group| group.iter())
}
