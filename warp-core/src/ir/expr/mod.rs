//! Arithmetic as formulas are written: `(x * x + y * y).sqrt()`.
//!
//! An [`Expr`] is a value and the place where operations on it go. It is small and is copied; each operator appends one
//! statement. A number beside an expression becomes a constant of its type, right before the operation.
//! `builder.rs` lends a builder to expressions, `vector.rs` computes with lists of them.

mod builder;
#[cfg(test)]
mod tests;
pub mod vector;

pub use builder::ExprBuilder;

use crate::dtype::Scalar;
use crate::ir::id::Value;
use crate::ir::op::{Const, Op};
use smallvec::SmallVec;
use std::fmt;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shr, Sub};

/// Where operations go. [`ExprBuilder`] is one.
pub trait Emit {
    /// Defines a value by an operation whose type follows from its arguments.
    fn op(&self, op: Op, args: &[Value]) -> Value;
    /// The number nearest to `value` of a type.
    fn number(&self, ty: Scalar, value: f64) -> Value;
    /// Converts to a type; nothing if it is that type already.
    fn cast(&self, value: Value, ty: Scalar) -> Value;
    /// Type of a value.
    fn ty(&self, value: Value) -> Scalar;
    /// The constant that defines a value, if one does.
    fn as_const(&self, value: Value) -> Option<Const>;
}

/// A value to compute with.
#[derive(Clone, Copy)]
pub struct Expr<'s> {
    emit: &'s dyn Emit,
    value: Value,
}

/// The components of a composite, row-major.
pub type Exprs<'s> = SmallVec<[Expr<'s>; 4]>;

/// What may stand beside an expression: another one of its type, or a number.
pub trait Term<'s> {
    /// The operand, a number as a constant of the type of `x`.
    fn beside(self, x: Expr<'s>) -> Expr<'s>;
}

impl<'s> Term<'s> for Expr<'s> {
    fn beside(self, _: Expr<'s>) -> Expr<'s> {
        self
    }
}

impl<'s> Expr<'s> {
    /// An expression for a value that `emit` defined.
    pub fn new(emit: &'s dyn Emit, value: Value) -> Expr<'s> {
        Expr { emit, value }
    }
    /// The value.
    pub fn value(self) -> Value {
        self.value
    }
    /// Its type.
    pub fn ty(self) -> Scalar {
        self.emit.ty(self.value)
    }
    /// The constant that defines it, if one does.
    pub fn as_const(self) -> Option<Const> {
        self.emit.as_const(self.value)
    }
    /// A number of the same type.
    pub fn number(self, x: f64) -> Expr<'s> {
        Expr::new(self.emit, self.emit.number(self.ty(), x))
    }
    /// Numbers of the same type.
    pub fn numbers<const N: usize>(self, numbers: [f64; N]) -> [Expr<'s>; N] {
        numbers.map(|x| self.number(x))
    }
    /// The same number in another type.
    pub fn cast(self, ty: Scalar) -> Expr<'s> {
        Expr::new(self.emit, self.emit.cast(self.value, ty))
    }
    /// A primitive on this value.
    pub fn apply(self, op: Op) -> Expr<'s> {
        Expr::new(self.emit, self.emit.op(op, &[self.value]))
    }
    /// A primitive on this value and another one.
    pub fn with(self, op: Op, y: impl Term<'s>) -> Expr<'s> {
        let args = [self.value, y.beside(self).value];
        Expr::new(self.emit, self.emit.op(op, &args))
    }
    /// `self ? x : y`
    pub fn select(self, x: Expr<'s>, y: impl Term<'s>) -> Expr<'s> {
        let args = [self.value, x.value, y.beside(x).value];
        Expr::new(self.emit, self.emit.op(Op::Select, &args))
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl<'s> Term<'s> for $number {
            fn beside(self, x: Expr<'s>) -> Expr<'s> {
                x.number(self.into())
            }
        }
    )+};
}

numbers!(f64, i32, u32);

macro_rules! operators {
    ($($operator:ident $method:ident $op:ident;)+) => {$(
        impl<'s, T: Term<'s>> $operator<T> for Expr<'s> {
            type Output = Expr<'s>;
            fn $method(self, y: T) -> Expr<'s> {
                self.with(Op::$op, y)
            }
        }
    )+};
}

operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Mod;
    BitAnd bitand And;
    BitOr bitor Or;
    BitXor bitxor Xor;
    Shr shr Shr;
}

macro_rules! operators_after_a_number {
    ($($operator:ident $method:ident;)+) => {$(
        impl<'s> $operator<Expr<'s>> for f64 {
            type Output = Expr<'s>;
            fn $method(self, y: Expr<'s>) -> Expr<'s> {
                y.number(self).$method(y)
            }
        }
    )+};
}

operators_after_a_number! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl<'s> Neg for Expr<'s> {
    type Output = Expr<'s>;
    fn neg(self) -> Expr<'s> {
        self.apply(Op::Neg)
    }
}

impl<'s> Not for Expr<'s> {
    type Output = Expr<'s>;
    fn not(self) -> Expr<'s> {
        self.apply(Op::Not)
    }
}

macro_rules! functions {
    ($($name:ident $op:ident),+; $($name2:ident $op2:ident),+) => {
        impl<'s> Expr<'s> {
            $(
                #[doc = concat!("[`Op::", stringify!($op), "`] of this value.")]
                pub fn $name(self) -> Expr<'s> {
                    self.apply(Op::$op)
                }
            )+
            $(
                #[doc = concat!("[`Op::", stringify!($op2), "`] of this value and another one.")]
                pub fn $name2(self, y: impl Term<'s>) -> Expr<'s> {
                    self.with(Op::$op2, y)
                }
            )+
        }
    };
}

functions! {
    abs Abs, sign Sign, floor Floor, trunc Trunc, rint Rint, sqrt Sqrt, norm Norm, cbrt Cbrt, exp Exp, log Log,
    sin Sin, cos Cos, asin Asin, acos Acos, sinh Sinh, cosh Cosh, is_finite IsFinite;
    eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge, min Min, max Max, pow Pow, atan2 Atan2, copysign CopySign,
    floor_div FloorDiv
}

impl From<Expr<'_>> for Value {
    fn from(x: Expr<'_>) -> Value {
        x.value
    }
}

impl fmt::Debug for Expr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}
