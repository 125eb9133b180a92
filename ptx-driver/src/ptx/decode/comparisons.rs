//! Comparisons and selections.

use crate::ptx::body::Body;
use crate::ptx::code::{Op, SINK, Slot};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::compare::{NAMES, Relation, comparing};
use crate::ptx::value::{Binary, Ternary, bits};

/// A comparison as its modifiers say it.
struct Comparison {
    relation: Relation,
    flush: bool,
    combine: Option<Binary>,
}

fn comparison(form: &mut Form, ty: Type) -> Res<Comparison> {
    let combine =
        form.one_of::<Binary>(&[("and", bits::and), ("or", bits::or), ("xor", bits::xor)]);
    let relation = form.one_of(&NAMES).ok_or_else(|| form.unknown())?;
    let flush = matches!(ty, Type::F32 | Type::F16 | Type::F16x2) && form.take("ftz");
    if (ty.integer() && !relation.ordered()) || ty.bytes() == 1 {
        return Err(form.unknown());
    }
    form.finish()?;
    Ok(Comparison {
        relation,
        flush,
        combine,
    })
}

impl Body<'_, '_> {
    pub(super) fn setp(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty()?;
        let comparison = comparison(form, ty)?;
        let p = self.destination(Type::Pred)?;
        let second = self.cursor.eat("|");
        let q = if second {
            Some(self.destination(Type::Pred)?)
        } else {
            None
        };
        let compare = comparing(comparison.relation, ty, comparison.flush);
        let (a, b) = (self.then(ty)?, self.then(ty)?);
        if q.is_none() && comparison.combine.is_none() && !ty.packed() {
            self.emit(Op::Binary(compare), p, [a, b, SINK, 0]);
            return Ok(());
        }
        // Both results are computed before one of them is written, since each may be an operand or the guard.
        let first = self.temporary();
        self.emit(Op::Binary(compare), first, [a, b, SINK, 0]);
        let other = self.temporary();
        if ty.packed() {
            let [a, b] = [a, b].map(|v| self.upper_half(v));
            self.emit(Op::Binary(compare), other, [a, b, SINK, 0]);
        } else {
            self.emit(Op::Unary(bits::not), other, [first, SINK, SINK, 0]);
        }
        if let Some(combine) = comparison.combine {
            let c = self.then(Type::Pred)?;
            for slot in [first, other] {
                self.emit(Op::Binary(combine), slot, [slot, c, SINK, 0]);
            }
        }
        self.hold_guard();
        self.emit(Op::Move, p, [first, SINK, SINK, 0]);
        if let Some(q) = q {
            self.emit(Op::Move, q, [other, SINK, SINK, 0]);
        }
        Ok(())
    }

    fn upper_half(&mut self, slot: Slot) -> Slot {
        let upper = self.temporary();
        self.emit(
            Op::Unary(|a| a >> 16 & 0xffff),
            upper,
            [slot, SINK, SINK, 0],
        );
        upper
    }

    /// Answers in a number: all ones or 1.0 for true.
    pub(super) fn set(&mut self, form: &mut Form) -> Res<()> {
        let to = form.ty_of(&[Type::U32, Type::S32, Type::F32])?;
        let ty = form.ty()?;
        let comparison = comparison(form, ty)?;
        if ty.packed() {
            return Err(form.unknown());
        }
        let d = self.destination(to)?;
        let (a, b) = (self.then(ty)?, self.then(ty)?);
        let holds = self.temporary();
        let compare = comparing(comparison.relation, ty, comparison.flush);
        self.emit(Op::Binary(compare), holds, [a, b, SINK, 0]);
        if let Some(combine) = comparison.combine {
            let c = self.then(Type::Pred)?;
            self.emit(Op::Binary(combine), holds, [holds, c, SINK, 0]);
        }
        let yes = if to == Type::F32 {
            0x3f80_0000
        } else {
            0xffff_ffff
        };
        let (yes, no) = (self.constant(yes), self.constant(0));
        self.emit(Op::Select, d, [yes, no, holds, 0]);
        Ok(())
    }

    pub(super) fn selp(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty()?;
        if ty.bytes() == 1 || ty.packed() {
            return Err(form.unknown());
        }
        form.finish()?;
        let (d, a, b, c) = self.four(ty, ty, Type::Pred)?;
        self.emit(Op::Select, d, [a, b, c, 0]);
        Ok(())
    }

    /// Selects by the sign of the third operand; negative zero counts as zero, NaN as negative.
    pub(super) fn slct(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty()?;
        let by = form.ty_of(&[Type::S32, Type::F32])?;
        let flush = form.take("ftz");
        if ty.bytes() == 1 || ty.half() || ty.packed() || flush && by != Type::F32 {
            return Err(form.unknown());
        }
        form.finish()?;
        let op: Ternary = match by {
            Type::S32 => |a, b, c| if c as i32 >= 0 { a } else { b },
            _ if flush => |a, b, c| {
                let c = crate::ptx::value::float32::input::<true>(c);
                if c >= 0.0 { a } else { b }
            },
            _ => |a, b, c| {
                if f32::from_bits(c as u32) >= 0.0 {
                    a
                } else {
                    b
                }
            },
        };
        let (d, a, b, c) = self.four(ty, ty, by)?;
        self.emit(Op::Ternary(op), d, [a, b, c, 0]);
        Ok(())
    }
}
