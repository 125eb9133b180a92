//! The interval of the result of an operation, by those of its operands.

use super::Ranges;
use super::interval::Range;
use crate::dtype::Scalar;
use crate::ir::{Const, Op, Value};

impl<'a> Ranges<'a> {
    pub(super) fn operation(&self, op: Op, args: &[Value], ty: Scalar, depth: u32) -> Range {
        let all = Range::of(ty);
        let arg = |k: usize| self.look(args[k], depth);
        match op {
            Op::Const(Const::Int(i)) if !ty.is_signed() => {
                Range::point(i128::from(i).rem_euclid(1 << ty.bits()))
            }
            Op::Const(Const::Int(i)) => Range::point(i.into()),
            Op::Const(Const::Bool(b)) => Range::point(b.into()),
            Op::Tid(d) => Range {
                lo: 0,
                hi: match self.func.threads {
                    Some(of) if of.dim == d => i128::from(of.threads) - 1,
                    _ => self.extent - 1,
                },
            },
            Op::BlockDim => Range {
                lo: 1,
                hi: i32::MAX.into(),
            },
            Op::Shape(..) => Range {
                lo: 0,
                hi: self.extent,
            },
            Op::Cast if !self.func.ty(args[0]).is_float() && ty != Scalar::Bool => arg(0),
            Op::Select => self.look(args[1], depth).join(self.look(args[2], depth)),
            Op::Neg => {
                let a = arg(0);
                Range {
                    lo: -a.hi,
                    hi: -a.lo,
                }
            }
            Op::Abs => {
                let a = arg(0);
                let far = a.lo.abs().max(a.hi.abs());
                let near = if a.has(0) {
                    0
                } else {
                    a.lo.abs().min(a.hi.abs())
                };
                Range { lo: near, hi: far }
            }
            Op::Add => {
                let (a, b) = (arg(0), arg(1));
                Range {
                    lo: a.lo + b.lo,
                    hi: a.hi + b.hi,
                }
            }
            Op::Sub => {
                let (a, b) = (arg(0), arg(1));
                Range {
                    lo: a.lo - b.hi,
                    hi: a.hi - b.lo,
                }
            }
            // 64-bit unsigned bounds would overflow even 128 bits, and no index needs them.
            Op::Mul if ty != Scalar::U64 => arg(0).corners(arg(1), |a, b| a * b),
            Op::Min | Op::Max => {
                let (a, b) = (arg(0), arg(1));
                let pick = match op {
                    Op::Min => i128::min,
                    _ => i128::max,
                };
                Range {
                    lo: pick(a.lo, b.lo),
                    hi: pick(a.hi, b.hi),
                }
            }
            Op::Div | Op::FloorDiv | Op::Mod | Op::And | Op::Shr => of_integers(op, all, &arg),
            Op::Sign => Range { lo: -1, hi: 1 },
            _ => all,
        }
    }
}

/// The interval of a quotient, a remainder or bits of integers; `all`: that of the type.
fn of_integers(op: Op, all: Range, arg: &impl Fn(usize) -> Range) -> Range {
    match op {
        Op::Div | Op::FloorDiv => {
            let (a, b) = (arg(0), arg(1));
            if a.lo < 0 || b.lo < 0 {
                return all;
            }
            // A zero divisor gives 0.
            let lo = if b.lo == 0 { 0 } else { a.lo / b.hi };
            Range {
                lo,
                hi: a.hi / b.lo.max(1),
            }
        }
        Op::Mod => {
            let (a, b) = (arg(0), arg(1));
            let most = (b.lo.abs().max(b.hi.abs()) - 1).max(0);
            Range {
                lo: if a.lo >= 0 { 0 } else { a.lo.max(-most) },
                hi: if a.hi <= 0 { 0 } else { a.hi.min(most) },
            }
        }
        Op::And => match (arg(0), arg(1)) {
            (a, b) if a.lo >= 0 && b.lo >= 0 => Range {
                lo: 0,
                hi: a.hi.min(b.hi),
            },
            (a, _) if a.lo >= 0 => Range { lo: 0, hi: a.hi },
            (_, b) if b.lo >= 0 => Range { lo: 0, hi: b.hi },
            _ => all,
        },
        Op::Shr => match arg(0) {
            a if a.lo >= 0 => Range { lo: 0, hi: a.hi },
            _ => all,
        },
        _ => all,
    }
}
