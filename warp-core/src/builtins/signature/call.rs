//! A call whose overload is known, and what its expansion reads and gives.

use crate::builtins::formula::fold;
use crate::builtins::value::view::View;
use crate::builtins::value::{Operand, Parts, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::expr::vector;
use crate::ir::{Builder, Const, Expr, ExprBuilder, Exprs, Op};
use crate::span::Span;
use crate::ty::{Compound, Elem};
use smallvec::SmallVec;
use std::cell::RefMut;

/// A call whose overload is known: what an expansion works with.
#[derive(Debug)]
pub struct Call<'s> {
    /// Where operations go.
    pub b: &'s ExprBuilder<'s>,
    /// One per parameter, defaults filled in (in place of nothing [`Tree::None`]); those of a variadic parameter last. The
    /// expansion writes the new value of a `ref` parameter here.
    pub args: SmallVec<[Tree; 4]>,
    /// Place of each argument (of the call for defaults).
    pub spans: SmallVec<[Span; 4]>,
    /// Name of the row, for messages.
    pub name: &'static str,
    /// Place of the call.
    pub span: Span,
}

/// What expansions read and write. Signatures were matched, so a wrong kind is a bug of the table.
impl<'s> Call<'s> {
    /// The builder itself, for what is no formula.
    pub fn builder(&self) -> RefMut<'s, &'s mut Builder> {
        self.b.builder()
    }
    /// An argument that is a scalar, vector, matrix or quaternion.
    pub fn operand(&self, i: usize) -> &Operand {
        match &self.args[i] {
            Tree::Elem(operand) => operand,
            other => panic!("argument {i} of `{}` is {other:?}", self.name),
        }
    }
    /// The components of an argument.
    pub fn parts(&self, i: usize) -> Exprs<'s> {
        self.b.exprs(&self.operand(i).parts)
    }
    /// The type of an argument.
    pub fn elem(&self, i: usize) -> Elem {
        self.operand(i).elem
    }
    /// The type of an argument's components.
    pub fn scalar(&self, i: usize) -> Scalar {
        self.elem(i).scalar()
    }
    /// A scalar argument.
    pub fn value(&self, i: usize) -> Expr<'s> {
        self.b.expr(self.operand(i).parts[0])
    }
    /// A number of the type of an argument's components.
    pub fn number(&self, i: usize, x: f64) -> Expr<'s> {
        self.b.number(self.scalar(i), x)
    }
    /// An array argument.
    pub fn view(&self, i: usize) -> View {
        match &self.args[i] {
            Tree::Array(view) => view.clone(),
            other => panic!("argument {i} of `{}` is {other:?}", self.name),
        }
    }
    /// An argument that is a scalar type.
    pub fn type_arg(&self, i: usize) -> Scalar {
        match &self.args[i] {
            Tree::Type(ty) => ty.as_scalar().unwrap_or(Scalar::F32),
            other => panic!("argument {i} of `{}` is {other:?}", self.name),
        }
    }
    /// An integer argument that must be known when compiling.
    ///
    /// # Errors
    /// The argument is not known before the launch.
    pub fn static_int(&self, i: usize) -> Result<i64> {
        match self.value(i).as_const() {
            Some(Const::Int(n)) => Ok(n),
            _ => Err(self
                .error(i, "must be known when compiling")
                .hint("a literal, a `wp.constant` or `wp.static(...)`")),
        }
    }
    /// An error about one argument.
    pub fn error(&self, i: usize, what: &str) -> Error {
        let message = format!("argument {} of `{}` {what}", i + 1, self.name);
        Error::at(Code::Value, self.spans[i], message)
    }
    /// One primitive on the arguments, in order; component by component where they are composites.
    pub fn primitive(&self, op: Op) -> Tree {
        let elem = self.elem(0);
        let component = |at: usize| {
            let args: Parts = (0..self.args.len())
                .map(|i| self.operand(i).parts[at])
                .collect();
            self.b.expr(fold::op(&mut self.builder(), op, &args))
        };
        self.shaped(elem, (0..elem.count()).map(component).collect())
    }
    /// A primitive operation on each component of the first argument.
    ///
    /// # Errors
    /// The operation does not take such a value.
    pub fn map(&self, op: Op) -> Result<Tree> {
        let out = vector::map(&self.parts(0), |x| x.apply(op));
        Ok(self.shaped(self.elem(0), out))
    }
    /// A primitive operation on the components of the first two arguments.
    ///
    /// # Errors
    /// As [`Call::map`].
    pub fn zip(&self, op: Op) -> Result<Tree> {
        let out = vector::zip(&self.parts(0), &self.parts(1), |x, y| x.with(op, y));
        Ok(self.shaped(self.elem(0), out))
    }
    /// A scalar result.
    pub fn tree(&self, x: Expr<'s>) -> Tree {
        Tree::Elem(Operand::scalar(x.ty(), x.value()))
    }
    /// A result of the given shape; its components' type is theirs.
    pub fn shaped(&self, elem: Elem, parts: Exprs<'s>) -> Tree {
        let elem = match parts.first() {
            Some(first) => elem.with_scalar(first.ty()),
            None => elem,
        };
        let parts = parts.into_iter().map(Expr::value).collect();
        Tree::Elem(Operand { elem, parts })
    }
    /// A vector result.
    pub fn vector(&self, parts: Exprs<'s>) -> Tree {
        let len = parts.len() as u32;
        self.shaped(
            Elem::Vec {
                len,
                scalar: Scalar::F32,
            },
            parts,
        )
    }
    /// A matrix result, row-major.
    pub fn matrix(&self, rows: usize, cols: usize, parts: Exprs<'s>) -> Tree {
        let elem = Elem::Mat {
            rows: rows as u32,
            cols: cols as u32,
            scalar: Scalar::F32,
        };
        self.shaped(elem, parts)
    }
    /// A compound result.
    pub fn compound(&self, compound: Compound, parts: Exprs<'s>) -> Tree {
        self.shaped(Elem::Compound(compound, Scalar::F32), parts)
    }
    /// A quaternion result.
    pub fn quat(&self, parts: Exprs<'s>) -> Tree {
        self.compound(Compound::Quat, parts)
    }
    /// A transform result: position, then rotation.
    pub fn transform(&self, position: &[Expr<'s>], rotation: &[Expr<'s>]) -> Tree {
        let parts = position.iter().chain(rotation).copied().collect();
        self.compound(Compound::Transform, parts)
    }
    /// Several results.
    pub fn tuple(&self, items: impl IntoIterator<Item = Tree>) -> Tree {
        Tree::Tuple(items.into_iter().collect())
    }
}
