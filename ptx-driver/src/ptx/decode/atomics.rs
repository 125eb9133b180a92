//! Atomics.

use super::memory::SCOPES;
use crate::ptx::body::Body;
use crate::ptx::code::{Access, Atomic, Op, SINK};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::{Space, Type};
use crate::ptx::value::rmw;

impl Body<'_, '_> {
    pub(super) fn atomic(&mut self, form: &mut Form) -> Res<()> {
        let names = [
            "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec",
        ];
        let ty = form.ty()?;
        let name = form.one_of(&names.map(|n| (n, n)));
        let name = name.ok_or_else(|| form.unknown())?;
        let new = rmw::named(name, ty).ok_or_else(|| form.unknown())?;
        let half_sum = ty.half() && name == "add";
        if half_sum && !form.take("noftz") || ty.half() && !half_sum {
            return Err(form.unknown());
        }
        let new_in_global = match (name, ty) {
            ("add", Type::F32) => rmw::add_flushing,
            _ => new,
        };
        let space = form.space();
        if matches!(space, Space::Const | Space::Local | Space::Param) {
            return Err(form.unknown());
        }
        let orders = ["acquire", "release", "acq_rel"];
        let fences = orders.iter().any(|o| form.take(o));
        form.take("relaxed");
        form.drop(&SCOPES);
        let reduces = form.opcode == "red";
        form.finish()?;
        if reduces && matches!(name, "exch" | "cas") {
            return Err(form.unknown());
        }
        let d = if reduces {
            SINK
        } else {
            let d = self.destination(ty)?;
            self.comma()?;
            d
        };
        let address = self.address(space)?;
        let b = self.then(ty)?;
        let c = if name == "cas" { self.then(ty)? } else { SINK };
        let access = Access {
            space,
            bytes: ty.bytes() as u8,
            signed: false,
            strong: true,
        };
        self.function.fences |= fences;
        // Locks are taken by these.
        self.function.waits |= matches!(name, "exch" | "cas");
        let number = self.function.atomics.len() as u32;
        self.function.atomics.push(Atomic {
            access,
            new,
            new_in_global,
            fences,
        });
        let e = address.offset as u32;
        self.emit(Op::Atomic(number), d, [address.base, b, c, e]);
        Ok(())
    }
}
