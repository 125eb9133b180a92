//! Typed, structured SSA over scalars.
//!
//! Composites (vectors, matrices, quaternions) do not occur: the front holds them as lists of
//! scalar values, so that every later pass and every adjoint rule sees scalars only. Expressions
//! are pure; effects stand in statements; control flow is regions with explicit carried values.
//! There are no jumps: the front turns `break`, `continue` and early `return` into conditions.
//!
//! The text form (`Display` and [`read()`]) is the reference of the IR. An array access names a [`Place`]: an array
//! parameter, an index for each dimension, and a component. A negative index counts from the end. The gradient of an array
//! is an array parameter of its own, with its own strides.
//!
//! Arrays that lie in memory, as fields of the elements of an array of structs, are no parameters that a launch passes. A
//! parameter of type [`ParamType::PointerBased`] stands for all arrays that come from one such field; the index of a place in
//! it begins with what was read from memory of the array that is meant ([`Described`]). So an access needs no form of its
//! own, and what the array is, is values like any others: in loops, branches and adjoints too.

#[macro_use]
pub mod primitive;

pub mod build;
pub mod data;
pub mod digest;
pub mod effects;
pub mod exchange;
pub mod expr;
pub mod factorization;
pub mod id;
pub mod intrinsic;
mod kind;
pub mod num;
pub mod object;
pub mod op;
mod operands;
mod print;
pub mod probe;
mod read;
mod search;
pub mod thread_block;

pub use build::Builder;
pub use data::{
    AtomicOp, Block, Callee, Comp, Described, Func, Kind, Param, ParamType, Part, Place, Rules,
    Size, Stmt, Values,
};
pub use effects::Effects;
pub use exchange::Exchange;
pub use expr::{Emit, Expr, ExprBuilder, Exprs, Term};
pub use factorization::Factorization;
pub use id::{CalleeId, ParamId, STACKS, Slot, Value};
pub use intrinsic::{Intrinsic, Requirement};
pub use num::{Num, evaluate};
pub use object::ObjectKind;
pub use op::{Const, Op};
pub use primitive::{PRIMITIVES, Primitive, Rule};
pub use read::read;
pub use search::Search;
pub use thread_block::{ThreadBlock, ThreadScope};
