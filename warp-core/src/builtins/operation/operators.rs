//! Python's operators on scalars and composites.

use super::compound::{self, Product};
use crate::builtins::formula::{algebra, fold};
use crate::builtins::operation::cast::cast;
use crate::builtins::signature::hints::{conversion_hint, index_hint, number_hint};
use crate::builtins::value::{Operand, Parts, Tree};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::{Builder, Expr, ExprBuilder, Op, Value};
use crate::span::Span;
use crate::ty::Elem;

macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $symbol:literal $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are the operators")]
        pub enum $name { $($variant),* }

        impl $name {
            /// Every operator of this kind.
            pub const ALL: &[$name] = &[$($name::$variant),*];
            /// As written.
            pub const fn symbol(self) -> &'static str {
                match self { $($name::$variant => $symbol),* }
            }
            /// For messages.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }
        }
    };
}

operators! {
    /// Operators before one operand.
    UnaryOp { Neg "-" "negate", Pos "+" "apply `+` to", Invert "~" "invert", Not "not" "negate" }
}
operators! {
    /// Operators between two operands. `and` and `or` are control flow and not among them.
    BinaryOp {
        Add "+" "add", Sub "-" "subtract", Mul "*" "multiply", MatMul "@" "matrix-multiply",
        Div "/" "divide", FloorDiv "//" "divide", Mod "%" "take the remainder of",
        Pow "**" "raise", Shl "<<" "shift", Shr ">>" "shift",
        BitAnd "&" "combine", BitOr "|" "combine", BitXor "^" "combine",
    }
}
operators! {
    /// Comparisons.
    CompareOp {
        Eq "==" "compare", Ne "!=" "compare", Lt "<" "compare", Le "<=" "compare",
        Gt ">" "compare", Ge ">=" "compare",
    }
}

/// `-x`, `+x`, `~x`, `not x`.
///
/// # Errors
/// The operator does not take such a value.
pub fn unary(b: &mut Builder, op: UnaryOp, x: &Tree, span: Span) -> Result<Tree> {
    let Tree::Elem(x) = x else {
        return Err(refuse_unary(op, x, span));
    };
    let scalar = x.elem.scalar();
    let parts = match op {
        UnaryOp::Neg | UnaryOp::Pos if scalar == Scalar::Bool => None,
        UnaryOp::Neg => Some(map(b, Op::Neg, &x.parts)),
        UnaryOp::Pos => Some(x.parts.clone()),
        UnaryOp::Invert if scalar.is_int() => Some(map(b, Op::Not, &x.parts)),
        UnaryOp::Not if x.as_scalar().is_some() => {
            let zero = b.number(scalar, 0.0);
            let op = if scalar == Scalar::Bool {
                b.op(Op::Not, &x.parts)
            } else {
                b.op(Op::Eq, &[x.parts[0], zero])
            };
            return Ok(Tree::Elem(Operand::scalar(Scalar::Bool, op)));
        }
        UnaryOp::Invert | UnaryOp::Not => None,
    };
    match parts {
        Some(parts) => Ok(Tree::Elem(Operand {
            elem: x.elem,
            parts,
        })),
        None => Err(refuse_unary(op, &Tree::Elem(x.clone()), span)),
    }
}

fn map(b: &mut Builder, op: Op, x: &[Value]) -> Parts {
    x.iter().map(|x| fold::op(b, op, &[*x])).collect()
}

fn refuse_unary(op: UnaryOp, x: &Tree, span: Span) -> Error {
    let error = Error::at(
        Code::Type,
        span,
        format!(
            "cannot {} {}: `{}` is not defined for it",
            op.word(),
            x.ty(),
            op.symbol()
        ),
    );
    match x {
        Tree::Elem(x) if x.elem.scalar() == Scalar::Bool && op != UnaryOp::Not => {
            error.hint("a truth value is negated by `not`; a number is made of it by `int(...)`")
        }
        _ => indexed(error, &[x]),
    }
}

/// `l op r`.
///
/// # Errors
/// The operator does not take such values.
pub fn binary(b: &mut Builder, op: BinaryOp, l: &Tree, r: &Tree, span: Span) -> Result<Tree> {
    let (Tree::Elem(x), Tree::Elem(y)) = (l, r) else {
        return Err(refuse_binary(b, op, l, r, span));
    };
    let y = &exponent(b, op, x, y);
    match combine(b, op, x, y) {
        Some(out) => Ok(Tree::Elem(out)),
        None => Err(refuse_binary(b, op, l, r, span)),
    }
}

/// The second operand; of a power of a float an integer counts as that float, so that `x ** 2` is what it says.
fn exponent(b: &mut Builder, op: BinaryOp, x: &Operand, y: &Operand) -> Operand {
    let (Elem::Scalar(base), Elem::Scalar(scalar)) = (x.elem, y.elem) else {
        return y.clone();
    };
    match op == BinaryOp::Pow && base.is_float() && scalar.is_int() {
        true => cast(b, y, base),
        false => y.clone(),
    }
}

/// None: the operator is not defined for these types.
fn combine(b: &mut Builder, op: BinaryOp, x: &Operand, y: &Operand) -> Option<Operand> {
    let scalar = x.elem.scalar();
    if scalar != y.elem.scalar() {
        return None;
    }
    let prim = primitive(op, scalar)?;
    let out = |elem, parts| Some(Operand { elem, parts });
    match (op, x.elem, y.elem) {
        (BinaryOp::MatMul, Elem::Scalar(_), _) | (BinaryOp::MatMul, _, Elem::Scalar(_)) => None,
        (_, Elem::Scalar(_), Elem::Scalar(_)) => {
            let value = fold::op(b, prim, &[x.parts[0], y.parts[0]]);
            out(x.elem, smallvec::smallvec![value])
        }
        (BinaryOp::Add | BinaryOp::Sub, a, c) if a == c => out(a, zip(b, prim, &x.parts, &y.parts)),
        (BinaryOp::Mod, Elem::Vec { .. }, c) if x.elem == c => {
            out(c, zip(b, prim, &x.parts, &y.parts))
        }
        (
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr,
            Elem::Vec { .. } | Elem::Mat { .. },
            c,
        ) if x.elem == c && scalar.is_int() => out(c, zip(b, prim, &x.parts, &y.parts)),
        (BinaryOp::Mul | BinaryOp::Div, a, Elem::Scalar(_)) => {
            let parts = x.parts.iter().map(|x| b.op(prim, &[*x, y.parts[0]]));
            let parts = parts.collect();
            out(a, parts)
        }
        (BinaryOp::Mul | BinaryOp::Div, Elem::Scalar(_), c) => {
            let parts = y.parts.iter().map(|y| b.op(prim, &[x.parts[0], *y]));
            let parts = parts.collect();
            out(c, parts)
        }
        (BinaryOp::Mul | BinaryOp::MatMul, _, _) => product(b, x, y),
        _ => None,
    }
}

/// Products of composites: matrix by matrix, matrix by vector either way, compounds.
fn product(b: &mut Builder, x: &Operand, y: &Operand) -> Option<Operand> {
    let scalar = x.elem.scalar();
    let (dims, elem) = match (x.elem, y.elem) {
        (Elem::Compound(a, _), Elem::Compound(c, _)) if a == c => {
            return compound::product(a).map(|product| by(b, product, x, y));
        }
        (
            Elem::Mat {
                rows: m, cols: k, ..
            },
            Elem::Mat { rows, cols: n, .. },
        ) if k == rows => {
            let (rows, cols) = (m, n);
            ([m, k, n], Elem::Mat { rows, cols, scalar })
        }
        (
            Elem::Mat {
                rows: m, cols: k, ..
            },
            Elem::Vec { len, .. },
        ) if k == len => ([m, k, 1], Elem::Vec { len: m, scalar }),
        (
            Elem::Vec { len, .. },
            Elem::Mat {
                rows: k, cols: n, ..
            },
        ) if k == len => ([1, k, n], Elem::Vec { len: n, scalar }),
        _ => return None,
    };
    let (b, dims) = (ExprBuilder::new(b), dims.map(|d| d as usize));
    let parts = algebra::matmul(&b, &b.exprs(&x.parts), &b.exprs(&y.parts), dims);
    let parts = parts.into_iter().map(Expr::value).collect();
    Some(Operand { elem, parts })
}

/// A product that is of the type of its factors.
fn by(b: &mut Builder, product: Product, x: &Operand, y: &Operand) -> Operand {
    let b = ExprBuilder::new(b);
    let parts = product(&b.exprs(&x.parts), &b.exprs(&y.parts));
    Operand {
        elem: x.elem,
        parts: parts.into_iter().map(Expr::value).collect(),
    }
}

/// The same operation on pairs.
fn zip(b: &mut Builder, op: Op, x: &[Value], y: &[Value]) -> Parts {
    x.iter().zip(y).map(|(x, y)| b.op(op, &[*x, *y])).collect()
}

/// The primitive that an operator is on scalars of a type.
fn primitive(op: BinaryOp, scalar: Scalar) -> Option<Op> {
    let number = scalar != Scalar::Bool;
    let (op, fits) = match op {
        BinaryOp::Add => (Op::Add, number),
        BinaryOp::Sub => (Op::Sub, number),
        BinaryOp::Mul | BinaryOp::MatMul => (Op::Mul, number),
        BinaryOp::Div => (Op::Div, number),
        BinaryOp::FloorDiv => (Op::FloorDiv, number),
        BinaryOp::Mod => (Op::Mod, number),
        BinaryOp::Pow => (Op::Pow, scalar.is_float()),
        BinaryOp::Shl => (Op::Shl, scalar.is_int()),
        BinaryOp::Shr => (Op::Shr, scalar.is_int()),
        BinaryOp::BitAnd => (Op::And, !scalar.is_float()),
        BinaryOp::BitOr => (Op::Or, !scalar.is_float()),
        BinaryOp::BitXor => (Op::Xor, !scalar.is_float()),
    };
    fits.then_some(op)
}

/// Says how to index what is an array among the operands.
fn indexed(error: Error, operands: &[&Tree]) -> Error {
    match operands.iter().find_map(|x| index_hint(x)) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

fn refuse_binary(b: &Builder, op: BinaryOp, l: &Tree, r: &Tree, span: Span) -> Error {
    let (s, what) = (op.symbol(), op.word());
    let error = Error::at(
        Code::Type,
        span,
        format!(
            "cannot {what} {} and {}: `{s}` is not defined for them",
            l.ty(),
            r.ty()
        ),
    );
    let (Tree::Elem(x), Tree::Elem(y)) = (l, r) else {
        return match (l, r) {
            (Tree::Str(_), _) if op == BinaryOp::Mod => {
                error.hint("texts are not formatted in kernels: use `wp.printf(\"x = %f\\n\", x)` or `print(\"x =\", x)`")
            }
            (Tree::Tuple(_), _) | (_, Tree::Tuple(_)) => {
                error.hint("a tuple is no number: take one of its items, as in `x.shape[0]`")
            }
            _ => indexed(error, &[l, r]),
        };
    };
    let (a, c) = (x.elem.scalar(), y.elem.scalar());
    if a != c {
        // The wider float is the likelier wish; of an integer and a float, the float.
        let rank = |s: Scalar| (s.is_float(), s.bits());
        let (first, second) = if rank(a) >= rank(c) {
            ((y, a), (x, c))
        } else {
            ((x, c), (y, a))
        };
        // A number in the text is easier to change than a value.
        let mut numbers = [first, second].into_iter();
        let number = numbers.find_map(|(x, to)| number_hint(b, x, to));
        return error.hint(number.unwrap_or_else(|| conversion_hint(first.0.elem, first.1)));
    }
    let scalar = |elem| matches!(elem, Elem::Scalar(_));
    match (op, x.elem, y.elem) {
        (BinaryOp::Mul, Elem::Vec { .. }, Elem::Vec { .. }) => error.hint(
            "`wp.cw_mul` multiplies component by component, `wp.dot` gives the inner product",
        ),
        (BinaryOp::Div, Elem::Vec { .. }, Elem::Vec { .. })
        | (BinaryOp::Div, Elem::Mat { .. }, Elem::Mat { .. }) => {
            error.hint("`wp.cw_div` divides component by component")
        }
        (BinaryOp::MatMul, Elem::Vec { .. }, Elem::Vec { .. }) => {
            error.hint("the inner product is `wp.dot`, the outer product `wp.outer`")
        }
        (BinaryOp::Pow, Elem::Scalar(s), _) if s.is_int() => {
            error.hint("`**` takes floats: write `x * x`, or convert with `float(x)`")
        }
        (BinaryOp::Add | BinaryOp::Sub, a, c) if scalar(a) != scalar(c) => {
            error.hint("make a vector of the scalar first, as in `wp.vec3(s)`")
        }
        (_, Elem::Scalar(Scalar::Bool), _) => {
            error.hint("truth values combine by `and`, `or`, `not`; `int(...)` makes a number")
        }
        _ => error,
    }
}

/// `l op r` for one comparison; chains are the caller's. Composites are equal if all components are.
///
/// The one place where types may differ: numbers of two types are compared as numbers of the wider
/// one, so that `x > 0` holds what it says for a float `x`. Nothing is stored in a converted form.
///
/// # Errors
/// Such values are not compared.
pub fn compare(b: &mut Builder, op: CompareOp, l: &Tree, r: &Tree, span: Span) -> Result<Tree> {
    let (Tree::Elem(x), Tree::Elem(y)) = (l, r) else {
        // Texts are known when compiling.
        let same = match (l, r, op) {
            (Tree::Str(x), Tree::Str(y), CompareOp::Eq) => x == y,
            (Tree::Str(x), Tree::Str(y), CompareOp::Ne) => x != y,
            _ => return Err(refuse_compare(op, l, r, span)),
        };
        let same = b.bool(same);
        return Ok(Tree::Elem(Operand::scalar(Scalar::Bool, same)));
    };
    let (x, y) = (&widen(b, x, y), &widen(b, y, x));
    let value = match (op, x.elem == y.elem) {
        (_, false) => return Err(refuse_compare(op, l, r, span)),
        (CompareOp::Eq, _) => all(b, Op::Eq, Op::And, x, y),
        (CompareOp::Ne, _) => all(b, Op::Ne, Op::Or, x, y),
        (order, _) if x.as_scalar().is_some() => {
            let prim = match order {
                CompareOp::Lt => Op::Lt,
                CompareOp::Le => Op::Le,
                CompareOp::Gt => Op::Gt,
                CompareOp::Ge | CompareOp::Eq | CompareOp::Ne => Op::Ge,
            };
            // False is less than true.
            let [x, y] = [x, y].map(|x| match x.elem.scalar() {
                Scalar::Bool => b.cast(x.parts[0], Scalar::I32),
                _ => x.parts[0],
            });
            b.op(prim, &[x, y])
        }
        _ => return Err(refuse_compare(op, l, r, span)),
    };
    Ok(Tree::Elem(Operand::scalar(Scalar::Bool, value)))
}

/// `x` in the type in which it is compared with `y`.
fn widen(b: &mut Builder, x: &Operand, y: &Operand) -> Operand {
    match (x.elem, y.elem) {
        (Elem::Scalar(Scalar::Bool), Elem::Scalar(Scalar::Bool)) => x.clone(),
        // A bool is 0 or 1 beside a number.
        (Elem::Scalar(Scalar::Bool), Elem::Scalar(c)) => cast(b, x, c),
        (Elem::Scalar(_), Elem::Scalar(Scalar::Bool)) => x.clone(),
        (Elem::Scalar(a), Elem::Scalar(c)) if a != c => cast(b, x, common(a, c)),
        _ => x.clone(),
    }
}

/// The type in which two numbers are compared.
fn common(a: Scalar, c: Scalar) -> Scalar {
    match (a.is_float(), c.is_float()) {
        (true, false) => a,
        (false, true) => c,
        (true, true) if a.bits() != c.bits() => widest(a, c),
        // float16 and bfloat16: neither holds the other.
        (true, true) => Scalar::F32,
        (false, false) if a.is_signed() == c.is_signed() => widest(a, c),
        (false, false) => {
            let unsigned = if a.is_signed() { c } else { a };
            match unsigned.bits() {
                64 => Scalar::U64,
                _ => Scalar::I64,
            }
        }
    }
}

fn widest(a: Scalar, c: Scalar) -> Scalar {
    if a.bits() >= c.bits() { a } else { c }
}

fn all(b: &mut Builder, each: Op, join: Op, x: &Operand, y: &Operand) -> Value {
    let pairs = zip(b, each, &x.parts, &y.parts);
    let (first, rest) = pairs.split_first().expect("components");
    rest.iter().fold(*first, |acc, v| b.op(join, &[acc, *v]))
}

fn refuse_compare(op: CompareOp, l: &Tree, r: &Tree, span: Span) -> Error {
    let error = Error::at(
        Code::Type,
        span,
        format!(
            "cannot compare {} and {} by `{}`",
            l.ty(),
            r.ty(),
            op.symbol()
        ),
    );
    match (l, r) {
        (Tree::Elem(x), Tree::Elem(y))
            if x.elem.with_scalar(y.elem.scalar()) == y.elem && x.elem != y.elem =>
        {
            let (elem, scalar) = match x.elem.scalar().is_float() {
                true => (y.elem, x.elem.scalar()),
                false => (x.elem, y.elem.scalar()),
            };
            error.hint(conversion_hint(elem, scalar))
        }
        _ => indexed(error, &[l, r]),
    }
}
