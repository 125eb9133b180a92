//! Expressions.

use crate::builtins::{self, BinaryOp, Operand, Tree, UnaryOp, truth};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::front::data::index::Node;
use crate::front::walk::join::same_shape;
use crate::front::walk::{Walk, boolean};
use crate::ir::Const;
use crate::span::Span;
use ruff_python_ast::{Expr, ExprBinOp, ExprIf, Number, Operator, UnaryOp as AstUnary};

/// Written integers that are nested deeper are not computed when the kernel is read.
const MAX_PARENTHESES: u32 = 64;

impl Walk<'_> {
    /// The value of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Result<Tree> {
        self.expr_as(expr, None)
    }

    /// The value of an expression; numbers written in it take the type `want` if they can. Only a constructor, a
    /// cast or an annotation that stands around it may ask for one.
    pub fn expr_as(&mut self, expr: &Expr, want: Option<Scalar>) -> Result<Tree> {
        let node = self.node_as(expr, want)?;
        self.load(node, expr)
    }

    /// An expression whose element of an array, if it is one, is not read yet.
    pub fn node(&mut self, expr: &Expr) -> Result<Node> {
        self.node_as(expr, None)
    }

    fn node_as(&mut self, expr: &Expr, want: Option<Scalar>) -> Result<Node> {
        let at = self.span(expr);
        self.nested(at, |w| w.node_at(expr, want, at))
    }

    fn node_at(&mut self, expr: &Expr, want: Option<Scalar>, at: Span) -> Result<Node> {
        let tree = match expr {
            Expr::NumberLiteral(it) => self.number(&it.value, false, want, at)?,
            Expr::BooleanLiteral(it) => boolean(self.b.bool(it.value)),
            Expr::StringLiteral(it) => Tree::Str(it.value.to_str().into()),
            Expr::NoneLiteral(_) => Tree::None,
            Expr::Name(_) => return self.name_or_path(expr, want, at),
            Expr::Attribute(it) => return self.attribute(expr, it, want, at),
            Expr::Subscript(it) => return self.subscript(it, at),
            Expr::UnaryOp(it) => {
                if let (AstUnary::USub, Expr::NumberLiteral(number)) = (it.op, &*it.operand) {
                    return Ok(Node::Tree(self.number(&number.value, true, want, at)?));
                }
                if let Some(value) = want.and_then(|_| whole(expr, 0)) {
                    return self.int_in(value, want, at).map(Node::Tree);
                }
                let want = want.filter(|_| self.is_number(&it.operand));
                let operand = self.expr_as(&it.operand, want)?;
                self.b.span = at;
                let op = match it.op {
                    AstUnary::USub => UnaryOp::Neg,
                    AstUnary::UAdd => UnaryOp::Pos,
                    AstUnary::Invert => UnaryOp::Invert,
                    AstUnary::Not => return self.not(&operand, at).map(Node::Tree),
                };
                self.unary_of(op, &operand, at)?
            }
            Expr::BinOp(it) => match want.and_then(|_| whole(expr, 0)) {
                Some(value) => self.int_in(value, want, at)?,
                None => self.binary(it, want)?,
            },
            Expr::BoolOp(it) => boolean(self.bool_op(it)?),
            Expr::Compare(it) => boolean(self.compare(it)?),
            Expr::If(it) => self.conditional(it, want, at)?,
            Expr::Call(it) => self.call(it, want)?,
            Expr::Tuple(it) => {
                let items: Result<Vec<Tree>> = it.elts.iter().map(|e| self.expr(e)).collect();
                Tree::Tuple(items?.into())
            }
            other => return Err(self.not_in_kernels(other, at)),
        };
        Ok(Node::Tree(tree))
    }

    fn not(&mut self, operand: &Tree, at: Span) -> Result<Tree> {
        let value = truth(&mut self.b, operand, at)?;
        if let Some(known) = self.known(value) {
            return Ok(boolean(self.b.bool(!known)));
        }
        builtins::unary(&mut self.b, UnaryOp::Not, &boolean(value), at)
    }

    /// Operators of one level lean to the left: walked in a loop, so that long sums need no deep stack.
    fn binary(&mut self, it: &ExprBinOp, want: Option<Scalar>) -> Result<Tree> {
        let mut chain = vec![it];
        while let Expr::BinOp(left) = &*chain[chain.len() - 1].left {
            chain.push(left);
        }
        let want = want.filter(|_| {
            let leftmost = chain.last().is_none_or(|it| self.is_number(&it.left));
            leftmost && chain.iter().all(|it| self.is_number(&it.right))
        });
        let mut left = match chain.last() {
            Some(innermost) => self.expr_as(&innermost.left, want)?,
            None => return Ok(Tree::None),
        };
        for it in chain.into_iter().rev() {
            let right = self.expr_as(&it.right, want)?;
            let at = self.span(it);
            self.b.span = at;
            left = self.operate(it.op, &left, &right, at)?;
        }
        Ok(left)
    }

    /// `left op right`.
    pub fn operate(&mut self, op: Operator, left: &Tree, right: &Tree, at: Span) -> Result<Tree> {
        let op = match op {
            Operator::Add => BinaryOp::Add,
            Operator::Sub => BinaryOp::Sub,
            Operator::Mult => BinaryOp::Mul,
            Operator::MatMult => BinaryOp::MatMul,
            Operator::Div => BinaryOp::Div,
            Operator::FloorDiv => BinaryOp::FloorDiv,
            Operator::Mod => BinaryOp::Mod,
            Operator::Pow => BinaryOp::Pow,
            Operator::LShift => BinaryOp::Shl,
            Operator::RShift => BinaryOp::Shr,
            Operator::BitOr => BinaryOp::BitOr,
            Operator::BitXor => BinaryOp::BitXor,
            Operator::BitAnd => BinaryOp::BitAnd,
        };
        self.binary_of(op, [left, right], at)
    }

    fn conditional(&mut self, it: &ExprIf, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let cond = self.condition(&it.test)?;
        match self.known(cond) {
            Some(true) => return self.expr_as(&it.body, want),
            Some(false) => return self.expr_as(&it.orelse, want),
            None => {}
        }
        let then = self.expr_path(|w| w.expr_as(&it.body, want))?;
        let els = self.expr_path(|w| w.expr_as(&it.orelse, want))?;
        if !same_shape(&then.tree, &els.tree) {
            let (a, b) = (then.tree.ty(), els.tree.ty());
            let what = format!("this is {a} if the condition holds and {b} if not");
            return Err(Error::at(Code::Type, at, what)
                .label(self.span(&*it.body), format!("{a} here"))
                .label(self.span(&*it.orelse), format!("{b} here"))
                .hint("both must have one type: convert one of them"));
        }
        self.join_expr(cond, then, els, at).ok_or_else(|| {
            let what = "a conditional expression cannot choose between arrays or functions";
            Error::at(Code::Type, at, what).hint(
                "which one is meant must be known when compiling: read the element, or call the function, in each branch",
            )
        })
    }

    /// Whether an expression is made of written numbers only.
    pub fn is_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::NumberLiteral(_) => true,
            Expr::UnaryOp(it) => matches!(&*it.operand, Expr::NumberLiteral(_)),
            Expr::BinOp(it) => match (&*it.left, &*it.right) {
                (Expr::NumberLiteral(_) | Expr::UnaryOp(_), right) => {
                    self.is_number(&it.left) && self.is_number(right)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A number as written, with its sign.
    fn number(
        &mut self,
        number: &Number,
        negative: bool,
        want: Option<Scalar>,
        at: Span,
    ) -> Result<Tree> {
        self.b.span = at;
        let tree = match number {
            Number::Int(int) => {
                // Hexadecimal ones beyond 64 bits keep their text.
                let digits = int.to_string();
                let value = int.as_u64().map(i128::from).or_else(|| digits.parse().ok());
                let Some(value) = value.map(|v| if negative { -v } else { v }) else {
                    let what = "this number does not fit any type of kernels";
                    return Err(
                        Error::at(Code::Value, at, what).hint("the widest are int64 and uint64")
                    );
                };
                self.int(value, want, at)
            }
            Number::Float(value) => self.float(if negative { -value } else { *value }, want, at),
            Number::Complex { .. } => {
                Err(Error::at(Code::Type, at, "kernels have no complex numbers")
                    .hint("keep the real and imaginary part in a `wp.vec2`"))
            }
        }?;
        if let Tree::Elem(x) = &tree
            && let Some(value) = x.as_scalar()
        {
            self.b.mark_literal(value);
        }
        Ok(tree)
    }

    /// A Python int as a constant.
    pub fn int(&mut self, value: i128, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let wanted = want.filter(|w| *w != Scalar::Bool);
        // A number that int32 cannot hold has the next type that can.
        let wide = match value {
            v if i32::try_from(v).is_ok() => Scalar::I32,
            v if i64::try_from(v).is_ok() => Scalar::I64,
            v if u64::try_from(v).is_ok() => Scalar::U64,
            _ => Scalar::I32,
        };
        let ty = wanted.unwrap_or(wide);
        if ty.is_float() {
            return self.float(value as f64, want, at);
        }
        let bits = ty.bits();
        let (low, high) = match ty.is_signed() {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        if value < low || value > high {
            let what = format!("{value} does not fit {ty}, which goes from {low} to {high}");
            return Err(Error::at(Code::Value, at, what));
        }
        let value = self.b.constant(ty, Const::Int(value as i64));
        Ok(Tree::Elem(Operand::scalar(ty, value)))
    }

    /// What arithmetic on written integers gives, as a constant: an integer type takes the low bits.
    fn int_in(&mut self, value: i128, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let value = match want {
            Some(ty) if ty.is_int() => wrapped(value, ty),
            _ => value,
        };
        self.int(value, want, at)
    }

    /// A Python float as a constant.
    pub fn float(&mut self, value: f64, want: Option<Scalar>, at: Span) -> Result<Tree> {
        let ty = want.filter(|w| w.is_float()).unwrap_or(Scalar::F32);
        let number = match want {
            Some(want) if want.is_float() => self.b.number(ty, value),
            _ => self.b.untyped(ty, value),
        };
        let rounded = self.b.as_const(number);
        let too_large = matches!(rounded, Some(Const::Float(x)) if x.is_infinite());
        if too_large && value.is_finite() {
            let what = format!("{value:e} is too large for {ty}");
            return Err(
                Error::at(Code::Value, at, what).hint(format!("write wp.float64({value:e})"))
            );
        }
        Ok(Tree::Elem(Operand::scalar(ty, number)))
    }

    fn not_in_kernels(&self, expr: &Expr, at: Span) -> Error {
        let (what, hint) = match expr {
            Expr::Lambda(_) => ("lambdas", "write a function with `@wp.func`"),
            Expr::List(_) | Expr::ListComp(_) => (
                "lists",
                "use a vector (`wp.vec3(...)`), an array parameter or a loop",
            ),
            Expr::Dict(_) | Expr::DictComp(_) => {
                ("dictionaries", "use variables or array parameters")
            }
            Expr::Set(_) | Expr::SetComp(_) => ("sets", "use variables or array parameters"),
            Expr::Generator(_) => ("generator expressions", "write a `for` loop"),
            Expr::FString(_) | Expr::TString(_) => (
                "formatted strings",
                "use `wp.printf(\"x = %f\\n\", x)` or `print(\"x =\", x)`",
            ),
            Expr::BytesLiteral(_) => ("bytes", "strings occur in `print` and `wp.printf` only"),
            Expr::Named(_) => ("`:=`", "assign in a statement of its own"),
            Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => {
                ("coroutines", "write to an array instead")
            }
            Expr::Starred(_) => ("`*` here", "name each value"),
            Expr::Slice(_) => ("slices", "loop over the indices"),
            Expr::EllipsisLiteral(_) => ("`...` as a value", "name each index"),
            _ => (
                "this expression",
                "see the guide for what kernels can compute",
            ),
        };
        Error::at(Code::Syntax, at, format!("kernels have no {what}")).hint(hint)
    }
}

/// The value of an expression that is made of written integers only, in their arithmetic: `/` truncates, bits combine.
/// A division by zero has none.
fn whole(expr: &Expr, depth: u32) -> Option<i128> {
    let depth = (depth < MAX_PARENTHESES).then_some(depth + 1)?;
    let mut chain = Vec::new();
    let mut innermost = expr;
    while let Expr::BinOp(it) = innermost {
        chain.push(it);
        innermost = &it.left;
    }
    let first = match innermost {
        Expr::NumberLiteral(it) => match &it.value {
            Number::Int(int) => i128::from(int.as_u64()?),
            _ => return None,
        },
        Expr::UnaryOp(it) => {
            let value = whole(&it.operand, depth)?;
            match it.op {
                AstUnary::USub => value.checked_neg()?,
                AstUnary::UAdd => value,
                AstUnary::Invert => !value,
                AstUnary::Not => return None,
            }
        }
        _ => return None,
    };
    let combine = |left: i128, it: &&ExprBinOp| combined(it.op, left, whole(&it.right, depth)?);
    chain.iter().rev().try_fold(first, combine)
}

fn combined(op: Operator, x: i128, y: i128) -> Option<i128> {
    let bits = || u32::try_from(y).ok().filter(|bits| *bits < i64::BITS);
    match op {
        Operator::Add => x.checked_add(y),
        Operator::Sub => x.checked_sub(y),
        Operator::Mult => x.checked_mul(y),
        Operator::Div => x.checked_div(y),
        Operator::FloorDiv => {
            let rest = x.checked_rem(y)?;
            Some(x / y - i128::from(rest != 0 && (rest < 0) != (y < 0)))
        }
        Operator::Mod => x.checked_rem(y),
        Operator::LShift => x.checked_mul(1 << bits()?),
        Operator::RShift => Some(x >> bits()?),
        Operator::BitAnd => Some(x & y),
        Operator::BitOr => Some(x | y),
        Operator::BitXor => Some(x ^ y),
        // A power of integers is none of kernels.
        Operator::Pow | Operator::MatMult => None,
    }
}

/// The low bits of an integer, as a number of the type.
fn wrapped(value: i128, ty: Scalar) -> i128 {
    let unused = i128::BITS - ty.bits();
    match ty.is_signed() {
        true => (value << unused) >> unused,
        false => ((value as u128) << unused >> unused) as i128,
    }
}
