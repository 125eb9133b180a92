//! Loads, stores and fences.

use crate::ptx::body::Body;
use crate::ptx::code::{Access, Op, SINK, Vector};
use crate::ptx::form::Form;
use crate::ptx::refusal::Res;
use crate::ptx::types::{Space, Type};

/// Hints for caches: they change no result.
const HINTS: [&str; 19] = [
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::evict_last",
    "L2::evict_first",
    "L2::evict_normal",
];

/// Who takes part in an ordering; here all see everything.
pub(super) const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];

impl Body<'_, '_> {
    fn access(&mut self, form: &mut Form, orders: &[&str]) -> Res<(Access, usize, Type)> {
        let ty = form.ty()?;
        if ty == Type::Pred || ty.packed() || ty.half() {
            return Err(form.unknown());
        }
        let count = form.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1);
        let space = form.space();
        let fences = orders.iter().any(|o| form.take(o));
        let strong = fences || form.take("volatile") || form.take("relaxed");
        if strong {
            form.drop(&SCOPES);
            // Somebody may look at memory until another thread has written it.
            self.function.waits = true;
        }
        self.function.fences |= fences;
        form.take("weak");
        form.drop(&HINTS);
        form.finish()?;
        if count as u32 * ty.bytes() > 32 {
            return Err(form.unknown());
        }
        if fences {
            self.emit(Op::Fence, SINK, [SINK; 4]);
        }
        let access = Access {
            space,
            bytes: ty.bytes() as u8,
            signed: ty.signed(),
            strong,
        };
        Ok((access, count, ty))
    }

    pub(super) fn load(&mut self, form: &mut Form) -> Res<()> {
        let (mut access, count, ty) = self.access(form, &["acquire"])?;
        let elements = self.list(|body| body.wide_destination(ty))?;
        self.expect_count(form, &elements, count)?;
        self.comma()?;
        let address = self.address(access.space)?;
        access.space = address.space;
        let (a, e) = (address.base, address.offset as u32);
        if count == 1 {
            self.emit(Op::Load(access), elements[0], [a, SINK, SINK, e]);
        } else {
            let number = self.function.vectors.len() as u32;
            self.function.vectors.push(Vector { access, elements });
            self.emit(Op::LoadVector(number), SINK, [a, SINK, SINK, e]);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, form: &mut Form) -> Res<()> {
        let (mut access, count, ty) = self.access(form, &["release"])?;
        let address = self.address(access.space)?;
        access.space = address.space;
        if matches!(access.space, Space::Const | Space::Param) {
            return Err(form.unknown());
        }
        self.comma()?;
        let elements = self.list(|body| body.wide_source(ty))?;
        self.expect_count(form, &elements, count)?;
        let (a, e) = (address.base, address.offset as u32);
        if count == 1 {
            self.emit(Op::Store(access), SINK, [a, elements[0], SINK, e]);
        } else {
            let number = self.function.vectors.len() as u32;
            self.function.vectors.push(Vector { access, elements });
            self.emit(Op::StoreVector(number), SINK, [a, SINK, SINK, e]);
        }
        Ok(())
    }

    fn expect_count(&self, form: &Form, elements: &[u32], count: usize) -> Res<()> {
        if elements.len() == count {
            return Ok(());
        }
        let what = format!("`{}` takes {count} elements", form.whole);
        Err(self.cursor.syntax(what))
    }

    /// Nothing happens, even where the address is not valid.
    pub(super) fn prefetch(&mut self, form: &mut Form) -> Res<()> {
        if matches!(form.opcode, "applypriority" | "discard") {
            return Err(form.unknown());
        }
        let space = form.space();
        form.drop(&["L1", "L2", "L2::evict_last", "L2::evict_normal"]);
        form.finish()?;
        self.address(space)?;
        self.emit(Op::Nop, SINK, [SINK; 4]);
        Ok(())
    }

    pub(super) fn fence(&mut self, form: &mut Form) -> Res<()> {
        form.drop(&SCOPES);
        form.drop(&["gl", "sc", "acq_rel", "acquire", "release"]);
        form.finish()?;
        self.function.fences = true;
        self.emit(Op::Fence, SINK, [SINK; 4]);
        Ok(())
    }
}
