//! Conversions between types.

use crate::ptx::body::Body;
use crate::ptx::code::{Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::Type;
use crate::ptx::value::Round;
use crate::ptx::value::convert::{Conversion, integers};

impl Body<'_, '_> {
    pub(super) fn cvt(&mut self, form: &mut Form) -> Res<()> {
        let (to, from) = (form.ty()?, form.ty()?);
        let untyped = |ty: Type| matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64);
        if untyped(to) || untyped(from) || to == Type::Pred || from == Type::Pred {
            return Err(form.unknown());
        }
        if from.packed() || to.packed() && (to.integer() || from != Type::F32) {
            return Err(form.unknown());
        }
        let integral = form.one_of(&[
            ("rni", Round::Near),
            ("rzi", Round::Zero),
            ("rmi", Round::Down),
            ("rpi", Round::Up),
        ]);
        let round = form.round();
        let flush = form.take("ftz");
        let saturate = form.take("sat");
        let relu = to.half() && form.take("relu");
        form.finish()?;
        let allowed = match (from.float(), to.float()) {
            (false, false) => integral.is_none() && round.is_none() && !flush,
            (false, true) => integral.is_none() && round.is_some() && !flush,
            (true, false) => integral.is_some() && round.is_none(),
            (true, true) if to == from => round.is_none(),
            (true, true) if widens(to, from) => round.is_none() && integral.is_none(),
            (true, true) => round.is_some() && integral.is_none(),
        };
        if !allowed || flush && from != Type::F32 && to != Type::F32 {
            return Err(form.unknown());
        }
        let op = if !from.float() && !to.float() && !saturate {
            Op::Unary(integers(to, from))
        } else {
            Op::Convert(Conversion {
                to,
                from,
                round: integral.or(round).unwrap_or(Round::Near),
                integral: integral.is_some(),
                flush,
                saturate,
                relu,
            })
        };
        let d = if to.packed() {
            self.destination(to)?
        } else {
            self.wide_destination(to)?
        };
        self.comma()?;
        let a = self.wide_source(from)?;
        let b = if to.packed() { self.then(from)? } else { SINK };
        self.emit(op, d, [a, b, SINK, 0]);
        Ok(())
    }
}

/// Whether every value of one float type is one of the other.
fn widens(to: Type, from: Type) -> bool {
    use Type::*;
    matches!((to, from), (F32, F16 | Bf16) | (F64, F16 | Bf16 | F32))
}
