//! Kernels as functions from arrays to new arrays, without any framework and without any numbers.
//!
//! A kernel writes into arrays that it is given; an operator of a framework takes arrays and returns new ones. An
//! [`Operator`] says how each parameter of a kernel is filled for that ([`Binding`]). [`Operator::resolve`] says what each
//! parameter gets then ([`Supply`]), and where every extent comes from ([`Source`]): of which argument's array, or from what
//! the caller gave. Extents stay symbols here, so the same rules serve programs whose shapes are not known yet. A
//! [`Callee`] carries a call out: adapters look at tensors and make them ([`Caller`]), and no rule is left to them.

mod binding;
mod call;
mod check;
mod clear;
mod data;
mod resolve;

#[cfg(test)]
mod tests;

pub use binding::Binding;
pub use call::{Callee, Caller, Dims, Extents, Take};
pub use clear::needs_clearing;
pub use data::{Extent, Operator, OperatorParam};
pub use resolve::{Resolved, Source, Supply};
