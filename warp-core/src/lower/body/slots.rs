//! The registers in which a call reduces atomic operations. It ends with one operation in memory for each.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Kind, Place, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::range::Range;
use crate::lower::body::atomic;
use crate::lower::body::{Body, Target};
use crate::lower::emit::arith::{self, Known};
use crate::lower::emit::lane;
use crate::lower::emit::text::{Text, float, ins, line, register};
use std::fmt::Write;

impl<T: Target> Body<'_, T> {
    /// Combines the value of an operation that is reduced with what this thread has reduced; false for other operations. Threads start from the
    /// identity, so that the chunk's own sum grows by one unconditional operation per thread, which LLVM
    /// recognises as a reduction even if this one stands under a condition.
    pub(in crate::lower) fn collect(&mut self, kind: &Kind, value: &str) -> bool {
        let Some(slot) = self.reductions.slot(kind) else {
            return false;
        };
        self.reduced_at.insert(slot, self.span);
        let (_, op, ty) = self.slots()[slot];
        let r = register(ty);
        let before = ins!(self.t, "load {r}, ptr %mine{slot}");
        let after = combine(&mut self.t, op, ty, &before, value);
        line!(self.t, "store {r} {after}, ptr %mine{slot}");
        true
    }

    /// The registers: number, operation and type of each.
    pub(in crate::lower) fn slots(&self) -> Vec<(usize, AtomicOp, Scalar)> {
        let slots = self.reductions.slots.iter().enumerate();
        slots
            .filter_map(|(k, kind)| match kind {
                Kind::Atomic { op, value, .. } => Some((k, *op, self.ty(*value))),
                _ => None,
            })
            .collect()
    }

    /// In the head: the variables of the slots.
    pub(in crate::lower) fn open_slots(&mut self) {
        for (k, op, ty) in self.slots() {
            let (r, none) = (register(ty), identity(op, ty));
            line!(self.head, "%mine{k} = alloca {r}");
            line!(self.head, "%sum{k} = alloca {r}");
            line!(self.head, "store {r} {none}, ptr %sum{k}");
        }
    }

    /// In the head: a variable for each lane of a group.
    pub(in crate::lower) fn open_lanes(&mut self, width: usize) {
        for (k, op, ty) in self.slots() {
            let (v, r, none) = (lane::vector(ty, width), register(ty), identity(op, ty));
            line!(self.head, "%lanes{k} = alloca {v}");
            line!(self.head, "store {v} splat ({r} {none}), ptr %lanes{k}");
        }
    }

    /// Where the call ends: what the lanes have becomes what the call has.
    pub(in crate::lower) fn close_lanes(&mut self, width: usize) {
        for (k, op, ty) in self.slots() {
            let all = ins!(self.t, "load {}, ptr %lanes{k}", lane::vector(ty, width));
            let sum = fold(&mut self.t, width, op, ty, all);
            line!(self.t, "store {} {sum}, ptr %sum{k}", register(ty));
        }
    }

    /// Where a thread starts.
    pub(in crate::lower) fn start_slots(&mut self) {
        for (k, op, ty) in self.slots() {
            let (r, none) = (register(ty), identity(op, ty));
            line!(self.t, "store {r} {none}, ptr %mine{k}");
        }
    }

    /// Where a thread ends.
    pub(in crate::lower) fn end_slots(&mut self) {
        for (k, op, ty) in self.slots() {
            let r = register(ty);
            let sum = ins!(self.t, "load {r}, ptr %sum{k}");
            let mine = ins!(self.t, "load {r}, ptr %mine{k}");
            let sum = combine(&mut self.t, op, ty, &sum, &mine);
            line!(self.t, "store {r} {sum}, ptr %sum{k}");
        }
    }

    /// Where the chunk ends: one operation in memory per slot, unless nothing was reduced.
    pub(in crate::lower) fn flush_slots(&mut self) {
        for (k, op, ty) in self.slots() {
            let Kind::Atomic { place, .. } = self.reductions.slots[k] else {
                continue;
            };
            let r = register(ty);
            let sum = ins!(self.t, "load {r}, ptr %sum{k}");
            let (sum, leads) = T::gather(&mut self.t, op, ty, sum);
            let none = identity(op, ty);
            let mut some = if ty.is_float() {
                let bits = if ty == Scalar::F64 { "i64" } else { "i32" };
                let a = ins!(self.t, "bitcast {r} {sum} to {bits}");
                let b = ins!(self.t, "bitcast {r} {none} to {bits}");
                ins!(self.t, "icmp ne {bits} {a}, {b}")
            } else {
                ins!(self.t, "icmp ne {r} {sum}, {none}")
            };
            if let Some(leads) = leads {
                some = ins!(self.t, "and i1 {some}, {leads}");
            }
            let (flush, next) = (self.t.new_label("flush"), self.t.new_label("next"));
            line!(self.t, "br i1 {some}, label %{flush}, label %{next}");
            self.t.start(&flush);
            // What is checked here is not for what comes after.
            let mark = self.ranges.mark();
            self.span = self.reduced_at.get(&k).copied().unwrap_or(self.span);
            self.compute_again(place);
            let at = self.address(place);
            atomic::in_memory(&mut self.t, op, ty, &at, &sum);
            self.ranges.forget(mark);
            line!(self.t, "br label %{next}");
            self.t.start(&next);
        }
    }

    /// Computes the launch-wide values of a place once more, where their first place of
    /// definition does not reach.
    fn compute_again(&mut self, place: &Place) {
        let mut values = Vec::new();
        place.uses(|v| values.push(v));
        for v in values {
            self.again(v);
        }
    }

    fn again(&mut self, value: Value) {
        if let Def::Let(op, args) = self.facts.defs[value.0 as usize] {
            args.iter().for_each(|a| self.again(*a));
            self.let_(value, op, args);
        }
    }
}

/// Whether what lanes have for one element may come together before it changes. Memory rounds 16-bit floats at each add; their sum
/// would be rounded once.
pub(in crate::lower) const fn is_folded(op: AtomicOp, ty: Scalar) -> bool {
    let short = ty.is_float() && ty.bits() < 32;
    !op.replaces() && !short
}

pub(in crate::lower) fn combine(
    t: &mut Text,
    op: AtomicOp,
    ty: Scalar,
    a: &str,
    b: &str,
) -> String {
    if op == AtomicOp::Add && ty.is_float() {
        // 16-bit floats are summed in a float: rounding each step would only lose digits.
        let r = t.reg(ty);
        return ins!(t, "fadd {r} {a}, {b}");
    }
    let args = [a.to_string(), b.to_string()];
    arith::named(t, atomic::pure(op), ty, &args, Known::nothing(ty))
}

/// Halves a vector of `lanes` numbers until one is left.
pub(in crate::lower) fn fold(
    t: &mut Text,
    mut lanes: usize,
    op: AtomicOp,
    ty: Scalar,
    mut all: String,
) -> String {
    while lanes > 1 {
        let (v, half) = (lane::vector(ty, lanes), lanes / 2);
        let parts = [0, half].map(|from| {
            if half == 1 {
                return ins!(t, "extractelement {v} {all}, i64 {from}");
            }
            let picked = (from..from + half).map(|k| format!("i32 {k}"));
            let picked = picked.collect::<Vec<_>>().join(", ");
            ins!(
                t,
                "shufflevector {v} {all}, {v} poison, <{half} x i32> <{picked}>"
            )
        });
        t.width = half;
        all = combine(t, op, ty, &parts[0], &parts[1]);
        t.width = 1;
        lanes = half;
    }
    all
}

/// What leaves the memory as it is when combined with it: where a reduction starts.
pub(in crate::lower) fn identity(op: AtomicOp, ty: Scalar) -> String {
    if ty.is_float() {
        return float(
            ty,
            match op {
                AtomicOp::Add => -0.0,
                // Of a number and NaN the number is taken.
                AtomicOp::Min | AtomicOp::Max => f64::NAN,
                other => unreachable!("{other:?} of floats is not reduced"),
            },
        );
    }
    let range = Range::of(ty);
    match op {
        AtomicOp::Add | AtomicOp::Or | AtomicOp::Xor => "0".into(),
        AtomicOp::And => "-1".into(),
        AtomicOp::Min => range.hi.to_string(),
        AtomicOp::Max => range.lo.to_string(),
        AtomicOp::Exchange | AtomicOp::CompareExchange(_) => {
            unreachable!("what is replaced is not reduced")
        }
    }
}
