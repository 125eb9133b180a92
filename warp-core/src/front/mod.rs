//! Source text to IR, in one walk: parse, resolve names, infer types, build SSA.
//!
//! Not here: what builtins mean ([`crate::builtins`]), Python objects (behind [`Scope`]). No input text
//! makes the front panic; every refusal is an [`Error`] with a place and, where one is known, a hint.
//!
//! Types flow forward, so inference is part of the walk. A composite (vector, matrix, quaternion) is a list of scalar
//! values ([`crate::builtins::Operand`]), so the IR has scalars only. Calls of `@wp.func`s are inlined. Jumps become
//! conditions (`control/flow.rs`). Loops of a few known iterations are written out (`control/unroll.rs`). A struct is a tree of its fields
//! (`data/structs.rs`). A row of an array is a view with its leading indices; only the front knows such views.

mod call;
mod control;
mod data;
mod source;
mod walk;

pub use source::library::{
    Meanings, find as library, kernel as library_kernel, searches, struct_of,
};
pub use source::reading::Reading;
pub use source::scope::{Constant, External, FuncRef, Scope, SourceText};
pub use source::statics::StaticScope;
pub use walk::kernel::{build, result, signature};
pub use walk::names::nearest;

use crate::error::Error;
use crate::ir::Func;
use crate::span::{Source, Span};
use crate::ty::Type;

/// A parameter of a kernel, as its author declared it.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Type: a scalar, vector, matrix, quaternion, transform, struct or array.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// What a launch has to know of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Signature {
    /// Name of the kernel.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Parameter>,
}

/// A kernel as IR. Which arrays it reads and writes: `pass::access`.
#[derive(Clone, Debug)]
pub struct Built {
    /// The IR, not yet verified.
    pub func: Func,
    /// Texts that spans point into: the kernel's own first.
    pub sources: Vec<Source>,
    /// Name and parameters.
    pub signature: Signature,
}

/// A mistake and the texts that its spans point into.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// What is wrong.
    pub error: Error,
    /// Texts that spans point into.
    pub sources: Vec<Source>,
}

impl Failure {
    /// The message as users read it.
    pub fn render(&self) -> String {
        self.error.render(&self.sources)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render())
    }
}

impl std::error::Error for Failure {}
