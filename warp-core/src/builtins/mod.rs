//! What kernel code can call. One row per builtin: name, signatures, expansion into primitive
//! operations, documentation. Adjoints of rows follow from the derivatives of the primitives
//! (see [`crate::ir::primitive`]), so a row never states one. A builtin that is one primitive has no row here: its
//! signature stands in the row of the primitive.
//!
//! Python operators, constructors and component access expand here too: the walk over source
//! text knows syntax, this module knows what the operations mean.

mod algebra;
mod arrays;
mod cast;
mod component;
mod composite;
mod constants;
mod docs;
mod expect;
mod fold;
mod format;
mod hints;
mod noise;
mod operators;
mod poisson;
mod random;
mod renamed;
mod rigid;
mod row;
pub mod sig;
mod simplices;
mod table;
pub mod value;
mod view;

pub use arrays::{index_value, tid};
pub use cast::{MAX_COMPONENTS, cast, cast_elem, check_size, construct, truth};
pub use component::{attribute, checked, component, with_attribute, with_component};
pub use constants::{CONSTANTS, constant as named_constant};
pub use docs::{reference, stubs};
pub use hints::{element_of, written};
pub use operators::{BinaryOp, CompareOp, UnaryOp, binary, compare, unary};
pub use row::{Arg, Call, Expand, Outcome, Overload, Row, describe_tree as describe};
pub use table::rows;
pub use value::{Operand, Parts, Tree};
pub use view::{Axis, Cut, Element, TypedWay, View, Way};

/// The row of a builtin by the name after `wp.`; Python's own names (`len`, `print`, `abs`,
/// `min`, `max`, `round`, `pow`) are rows too.
pub fn find(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name == name)
}
