//! Arithmetic with a carry. The carry is a slot of its own, which the next instruction reads.

use crate::ptx::body::Body;
use crate::ptx::code::{Fill, Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::integer::{self, Part};

const WORDS: [Type; 6] = {
    use Type::*;
    [U32, S32, B32, U64, S64, B64]
};

impl Body<'_, '_> {
    /// `add.cc`, `sub.cc`, `mad.lo.cc`: `.cc` is taken already.
    pub(super) fn leaving_carry(&mut self, form: &mut Form) -> Res<()> {
        match form.opcode {
            "add" | "sub" | "mad" => self.carrying(form, false, true),
            _ => Err(form.unknown()),
        }
    }

    /// `addc`, `subc`, `madc`, with or without `.cc`.
    pub(super) fn with_carry(&mut self, form: &mut Form) -> Res<()> {
        let leaves = form.take("cc");
        self.carrying(form, true, leaves)
    }

    fn carrying(&mut self, form: &mut Form, takes: bool, leaves: bool) -> Res<()> {
        let ty = form.ty_of(&WORDS)?;
        let parts = [("lo", Part::Low), ("hi", Part::High)];
        let fused = form.opcode.starts_with("mad");
        let part = if fused { form.one_of(&parts) } else { None };
        if fused && part.is_none() {
            return Err(form.unknown());
        }
        form.finish()?;
        let d = self.destination(ty)?;
        let (mut a, mut b) = (self.then(ty)?, self.then(ty)?);
        if let Some(part) = part {
            let product = self.temporary();
            let op = integer::multiplying(part, ty);
            self.emit(Op::Binary(op), product, [a, b, SINK, 0]);
            (a, b) = (product, self.then(ty)?);
        }
        let carry = self.filled(Fill::Carry);
        let given = if takes { carry } else { self.constant(0) };
        let (sum, carries) = integer::carrying(form.opcode.starts_with("sub"), ty);
        // The result may be an operand: the carry is computed first, and kept last.
        let left = self.temporary();
        self.emit(Op::Ternary(carries), left, [a, b, given, 0]);
        self.emit(Op::Ternary(sum), d, [a, b, given, 0]);
        if leaves {
            self.emit(Op::Move, carry, [left, SINK, SINK, 0]);
        }
        Ok(())
    }
}
