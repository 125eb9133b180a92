//! Atomic operations that a call reduces in registers: one for each lane, which come together where the call ends, always in the
//! same order.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Kind, Value};
use crate::lower::body::slots::{self, identity};
use crate::lower::emit::text::{ins, line, register};
use crate::lower::host::lanes::gang::GangBody;
use std::fmt::Write;

impl GangBody<'_> {
    /// Combines the value of an operation that is reduced with what each lane has; false for other operations.
    pub(in crate::lower::host::lanes) fn collect(&mut self, kind: &Kind, value: Value) -> bool {
        let Some(slot) = self.body.reductions.slot(kind) else {
            return false;
        };
        self.body.reduced_at.insert(slot, self.body.span);
        let (_, op, ty) = self.body.slots()[slot];
        let v = self.vector_type(ty);
        let value = self.or_identity(op, ty, value);
        let before = ins!(self.body.t, "load {v}, ptr %lanes{slot}");
        let after = self.wide(|g| slots::combine(&mut g.body.t, op, ty, &before, &value));
        line!(self.body.t, "store {v} {after}, ptr %lanes{slot}");
        true
    }

    /// A value as a vector, with what changes nothing in the lanes that do not run.
    pub(in crate::lower::host::lanes) fn or_identity(
        &mut self,
        op: AtomicOp,
        ty: Scalar,
        value: Value,
    ) -> String {
        let value = self.vector(value);
        let Some(mask) = self.mask.clone() else {
            return value;
        };
        let none = format!("splat ({} {})", register(ty), identity(op, ty));
        self.choose(ty, &mask, &value, &none)
    }
}
