//! Arithmetic whose opcodes integers and floats share.

use crate::ptx::body::Body;
use crate::ptx::code::{Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::integer::{self, Part, Plain};

const INTEGERS: [Type; 6] = {
    use Type::*;
    [U16, U32, U64, S16, S32, S64]
};

impl Body<'_, '_> {
    pub(super) fn arithmetic(&mut self, form: &mut Form) -> Res<()> {
        if form.take("cc") {
            return self.leaving_carry(form);
        }
        let ty = form.ty()?;
        if ty.float() {
            return self.float_arithmetic(form, ty);
        }
        if ty.packed() {
            let signed = ty == Type::S16x2;
            let op = integer::packed(form.opcode, signed).ok_or_else(|| form.unknown())?;
            form.finish()?;
            return self.plain(Plain::Binary(op), ty, ty, ty);
        }
        if form.opcode == "dp4a" {
            let other = form.ty()?;
            let words = [ty, other].map(|t| matches!(t, Type::U32 | Type::S32));
            if words != [true; 2] {
                return Err(form.unknown());
            }
            form.finish()?;
            let op = integer::dot4(ty.signed(), other.signed());
            return self.plain(Plain::Ternary(op), ty, ty, ty);
        }
        if !INTEGERS.contains(&ty) {
            return Err(form.unknown());
        }
        match form.opcode {
            "mul" | "mad" | "mul24" | "mad24" => self.product(form, ty),
            opcode => {
                let saturate = form.take("sat") && ty == Type::S32;
                let op = if saturate {
                    integer::saturating(opcode)
                } else {
                    integer::named(opcode, ty)
                };
                let op = op.ok_or_else(|| form.unknown())?;
                if matches!(opcode, "abs" | "neg") && !ty.signed() {
                    return Err(form.unknown());
                }
                form.finish()?;
                self.plain(op, ty, ty, ty)
            }
        }
    }

    fn product(&mut self, form: &mut Form, ty: Type) -> Res<()> {
        let parts = [("lo", Part::Low), ("hi", Part::High), ("wide", Part::Wide)];
        let part = form.one_of(&parts).ok_or_else(|| form.unknown())?;
        let to = match (part, ty) {
            (Part::Wide, Type::U16) => Type::U32,
            (Part::Wide, Type::S16) => Type::S32,
            (Part::Wide, Type::U32) => Type::U64,
            (Part::Wide, Type::S32) => Type::S64,
            (Part::Wide, _) => return Err(form.unknown()),
            _ => ty,
        };
        if form.opcode.ends_with("24") {
            if ty.bytes() != 4 || part == Part::Wide {
                return Err(form.unknown());
            }
            form.finish()?;
            let op = integer::multiplying24(part, ty.signed());
            if form.opcode == "mul24" {
                return self.plain(Plain::Binary(op), ty, ty, ty);
            }
            let (d, a, b, c) = self.four(ty, ty, ty)?;
            let product = self.temporary();
            self.emit(Op::Binary(op), product, [a, b, SINK, 0]);
            let sum = integer::adding(ty);
            self.emit(Op::Binary(sum), d, [product, c, SINK, 0]);
            return Ok(());
        }
        if form.opcode == "mad" && part == Part::High && ty == Type::S32 && form.take("sat") {
            let op = integer::saturating("mad").ok_or_else(|| form.unknown())?;
            form.finish()?;
            return self.plain(op, ty, ty, ty);
        }
        form.finish()?;
        let op = if form.opcode == "mul" {
            Plain::Binary(integer::multiplying(part, ty))
        } else {
            Plain::Ternary(integer::fusing(part, ty))
        };
        self.plain(op, to, ty, to)
    }
}
