//! Logic, shifts, fields and counts.

use crate::ptx::body::Body;
use crate::ptx::code::{Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::bits;
use crate::ptx::value::integer::Plain;

const WORDS: [Type; 4] = [Type::Pred, Type::B16, Type::B32, Type::B64];

impl Body<'_, '_> {
    pub(super) fn logic(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&WORDS)?;
        form.finish()?;
        let op = match form.opcode {
            "not" | "cnot" if form.opcode == "cnot" && ty == Type::Pred => None,
            "not" | "cnot" => bits::unary(form.opcode, ty).map(Plain::Unary),
            opcode => bits::logical(opcode).map(Plain::Binary),
        };
        let op = op.ok_or_else(|| form.unknown())?;
        self.plain(op, ty, ty, ty)
    }

    pub(super) fn shift(&mut self, form: &mut Form) -> Res<()> {
        use Type::*;
        let left = form.opcode == "shl";
        let ty = if left {
            form.ty_of(&WORDS[1..])?
        } else {
            form.ty_of(&[B16, B32, B64, U16, U32, U64, S16, S32, S64])?
        };
        form.finish()?;
        let d = self.destination(ty)?;
        let (a, by) = (self.then(ty)?, self.then(U32)?);
        self.emit(Op::Binary(bits::shifting(left, ty)), d, [a, by, SINK, 0]);
        Ok(())
    }

    pub(super) fn funnel_shift(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&[Type::B32])?;
        let left = form.one_of(&[("l", true), ("r", false)]);
        let wrap = form.one_of(&[("wrap", true), ("clamp", false)]);
        let (Some(left), Some(wrap)) = (left, wrap) else {
            return Err(form.unknown());
        };
        form.finish()?;
        self.plain(Plain::Ternary(bits::funnel(left, wrap)), ty, ty, ty)
    }

    pub(super) fn field(&mut self, form: &mut Form) -> Res<()> {
        use Type::*;
        let insert = form.opcode == "bfi";
        let ty = if insert {
            form.ty_of(&[B32, B64])?
        } else {
            form.ty_of(&[U32, U64, S32, S64])?
        };
        form.finish()?;
        if insert {
            let op = Plain::Quaternary(bits::inserting(ty));
            return self.plain(op, ty, ty, U32);
        }
        let d = self.destination(ty)?;
        let (a, at, len) = (self.then(ty)?, self.then(U32)?, self.then(U32)?);
        self.emit(Op::Ternary(bits::extracting(ty)), d, [a, at, len, 0]);
        Ok(())
    }

    pub(super) fn count(&mut self, form: &mut Form) -> Res<()> {
        use Type::*;
        let find = form.opcode == "bfind";
        let allowed: &[Type] = if find {
            &[U32, U64, S32, S64]
        } else {
            &[B32, B64]
        };
        let ty = form.ty_of(allowed)?;
        let name = match find && form.take("shiftamt") {
            true => "bfind.shiftamt",
            false => form.opcode,
        };
        form.finish()?;
        let to = if name == "brev" { ty } else { U32 };
        let op = bits::unary(name, ty).ok_or_else(|| form.unknown())?;
        self.plain(Plain::Unary(op), to, ty, ty)
    }

    pub(super) fn permute(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&[Type::B32])?;
        let modes = ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"];
        let mode = form.one_of(&modes.map(|m| (m, m)));
        let op = bits::permuting(mode).ok_or_else(|| form.unknown())?;
        form.finish()?;
        self.plain(Plain::Ternary(op), ty, ty, ty)
    }

    pub(super) fn lop3(&mut self, form: &mut Form) -> Res<()> {
        let ty = form.ty_of(&[Type::B32])?;
        form.finish()?;
        self.plain(Plain::Quaternary(bits::lop3), ty, ty, ty)
    }

    pub(super) fn mask(&mut self, form: &mut Form) -> Res<()> {
        use Type::{B32, S32, U32};
        let wrap = form.one_of(&[("wrap", true), ("clamp", false)]);
        let wrap = wrap.ok_or_else(|| form.unknown())?;
        let op = if form.opcode == "bmsk" {
            form.ty_of(&[B32])?;
            bits::bmsk(wrap)
        } else {
            bits::szext(wrap, form.ty_of(&[U32, S32])?.signed())
        };
        form.finish()?;
        self.plain(Plain::Binary(op), B32, B32, B32)
    }
}
