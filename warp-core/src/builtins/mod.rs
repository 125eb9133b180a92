//! What kernel code can call. One row per builtin: name, signatures, expansion into primitive
//! operations, documentation. Adjoints of rows follow from the derivatives of the primitives
//! (see [`crate::ir::primitive`]), so a row never states one. A builtin that is one primitive has no row here: its
//! signature stands in the row of the primitive.
//!
//! Python operators, constructors and component access expand here too: the walk over source
//! text knows syntax, this module knows what the operations mean.
//!
//! | room | what it has |
//! |---|---|
//! | `value` | what an expression stands for while it is compiled: numbers, composites, arrays |
//! | `formula` | arithmetic that rows share: algebra, rotations, random numbers, noise |
//! | `signature` | rows, their signatures, and how a call finds its overload |
//! | `operation` | operators, conversions, constructors, components, array indices |
//! | `output` | printing |
//! | `table` | the rows |
//! | `stubs` | what type checkers and editors see of them |

mod constants;
mod derivative;
mod docs;
mod examples;
mod formula;
mod operation;
mod output;
mod signature;
mod stubs;
mod table;
pub mod value;

pub use constants::{CONSTANTS, constant as named_constant};
pub use derivative::{derivative, differentiable};
pub use docs::reference;
pub use examples::example;
pub use operation::arrays::{index_value, tid};
pub use operation::cast::{MAX_COMPONENTS, cast, cast_elem, check_size, construct, truth};
pub use operation::component::{
    attribute, checked, component, named_part, with_attribute, with_component,
};
pub use operation::operators::{BinaryOp, CompareOp, UnaryOp, binary, compare, unary};
pub use signature::binding::Arg;
pub use signature::call::Call;
pub use signature::hints::{element_of, written};
pub use signature::row::{Expand, Outcome, Overload, Row};
pub use signature::sig;
pub use stubs::stubs;
pub use table::rows;
pub use value::view::{Axis, Candidate, Cut, Element, TypedCandidate, View};
pub use value::{Operand, Parts, Tree, describe_tree as describe};

/// The row of a builtin by the name after `wp.`; Python's own names (`len`, `print`, `abs`,
/// `min`, `max`, `round`, `pow`) are rows too.
pub fn find(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name == name)
}
