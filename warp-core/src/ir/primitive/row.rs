//! What a row says about its primitive.

use crate::dtype::Scalar;
use crate::ir::expr::Expr;
use crate::ir::op::Op;
use crate::ir::primitive::facts::Facts;
use crate::ir::primitive::rule::Rule;
use std::cmp::Ordering;

/// A primitive: everything that the system knows about one operation, whoever asks.
#[derive(Debug)]
pub struct Primitive {
    /// The operation.
    pub op: Op,
    /// Its name in the text form, and in the names of the host's functions.
    pub name: &'static str,
    /// What it computes. Where kernels can call it, the reference of builtins says the same.
    pub doc: &'static str,
    /// Types of arguments and result.
    pub rule: Rule,
    /// Rough cycles on the host, which lowering weighs against memory accesses.
    pub cost: usize,
    /// Whether swapping the arguments changes nothing.
    pub commutes: bool,
    /// What it means for floats: the interpreter computes this.
    pub floats: OnFloats,
    /// What it means for integers and truth values.
    pub ints: OnInts,
    /// What the arguments get of the adjoint of the result.
    pub derivative: Derivative,
    /// How the host computes it for floats.
    pub float_code: Code,
    /// How the host computes it for integers and truth values.
    pub int_code: Code,
    /// How kernels call it, if a builtin is this one operation.
    pub builtin: Option<Builtin>,
}

/// Cost of a division or a square root.
pub const DIVISION: usize = 6;
/// Cost of a transcendental function.
pub const FUNCTION: usize = 20;

/// The meaning of a primitive for floats. Numbers come as `f64`; a result is rounded to its type afterwards.
#[derive(Clone, Copy, Debug)]
pub enum OnFloats {
    /// It takes none.
    Undefined,
    /// A function of one number.
    Unary(fn(f64) -> f64),
    /// A function of two numbers of a type.
    Binary(fn(f64, f64, Scalar) -> f64),
    /// A property.
    Test(fn(f64) -> bool),
    /// A comparison; None means that one of the numbers is NaN.
    Compare(fn(Option<Ordering>) -> bool),
}

/// The meaning of a primitive for integers and truth values (0 and 1). Numbers come with their mathematical value; a
/// result is wrapped to its type afterwards.
#[derive(Clone, Copy, Debug)]
pub enum OnInts {
    /// It takes none.
    Undefined,
    /// A function of one number of a type.
    Unary(fn(i128, Scalar) -> i128),
    /// A function of two numbers of a type.
    Binary(fn(i128, i128, Scalar) -> i128),
    /// A comparison.
    Compare(fn(Option<Ordering>) -> bool),
}

/// The rule by which a primitive is differentiated.
#[derive(Clone, Copy, Debug)]
pub enum Derivative {
    /// There is none: the arguments or the result are no floats.
    Undefined,
    /// Zero wherever there is one: the function is piecewise constant.
    Zero,
    /// What the argument gets.
    Unary(UnaryRule),
    /// What each of two arguments gets; None for nothing.
    Binary(BinaryRule),
}

/// `out = op(x)`, and `d` is the adjoint of `out`.
pub type UnaryRule = for<'s> fn(d: Expr<'s>, out: Expr<'s>, x: Expr<'s>) -> Expr<'s>;
/// `out = op(x, y)`, and `d` is the adjoint of `out`.
pub type BinaryRule =
    for<'s> fn(d: Expr<'s>, out: Expr<'s>, x: Expr<'s>, y: Expr<'s>) -> [Option<Expr<'s>>; 2];

/// How the host computes a primitive: what lowering writes.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// It takes no such numbers.
    Undefined,
    /// An LLVM instruction.
    Instruction(&'static str),
    /// An LLVM instruction on integers that may wrap, so that it takes `nsw` or `nuw` where it is known not to.
    Wrapping(&'static str),
    /// An LLVM intrinsic. Of integers its name goes without the letter for signed or unsigned.
    Intrinsic(&'static str),
    /// An LLVM intrinsic whose result is exact in every float type, so that nothing is rounded.
    Exact(&'static str),
    /// A predicate of `fcmp`, or of `icmp` without the letter for signed or unsigned.
    Compare(&'static str),
    /// A function of the backend; where it has none of its own, this one.
    Function(Library),
    /// Several instructions, which `lower::arith` writes.
    Several,
}

/// A function for float32 and the same for float64, of the C library or written here.
#[derive(Clone, Copy, Debug)]
pub enum Library {
    /// Of one argument.
    Unary(extern "C" fn(f32) -> f32, extern "C" fn(f64) -> f64),
    /// Of two arguments.
    Binary(
        extern "C" fn(f32, f32) -> f32,
        extern "C" fn(f64, f64) -> f64,
    ),
}

/// The builtin that is a primitive and nothing more.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Name behind `wp.`.
    pub name: &'static str,
    /// `(x: F) -> F`; the module `builtins::sig` says how it is read.
    pub sig: &'static str,
    /// How to test it.
    pub facts: Facts,
}

impl Primitive {
    /// What a row says if it says no more: a cheap operation on nothing.
    pub const fn plain(op: Op, name: &'static str, doc: &'static str, rule: Rule) -> Primitive {
        Primitive {
            op,
            name,
            doc,
            rule,
            cost: 1,
            commutes: false,
            floats: OnFloats::Undefined,
            ints: OnInts::Undefined,
            derivative: Derivative::Undefined,
            float_code: Code::Undefined,
            int_code: Code::Undefined,
            builtin: None,
        }
    }

    /// The function that the backend calls, if the host computes this primitive by one.
    pub const fn library(&self) -> Option<Library> {
        match self.float_code {
            Code::Function(library) => Some(library),
            _ => None,
        }
    }

    /// Whether the derivative is zero wherever there is one.
    pub const fn is_flat(&self) -> bool {
        matches!(self.derivative, Derivative::Zero)
    }
}

impl Library {
    /// Addresses of the functions for float32 and float64.
    pub fn addresses(self) -> [usize; 2] {
        match self {
            Library::Unary(single, double) => [single as usize, double as usize],
            Library::Binary(single, double) => [single as usize, double as usize],
        }
    }
}

impl Builtin {
    /// A function of integers.
    pub const fn of_ints(
        name: &'static str,
        sig: &'static str,
        reference: fn(&[i32]) -> i32,
    ) -> Builtin {
        Builtin {
            name,
            sig,
            facts: Facts::of_ints(reference),
        }
    }
}
