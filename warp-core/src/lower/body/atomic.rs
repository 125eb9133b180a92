//! Atomic operations: in memory, or plain where one thread owns the element.

use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Comp, Kind, Op, ParamId, Place};
use crate::lower::body::{Body, Pending, Target};
use crate::lower::emit::arith::{self, Known};
use crate::lower::emit::text::{Text, ins, line, memory, register};
use std::fmt::Write;

/// The pure operation of a read-modify-write that combines.
pub fn pure(op: AtomicOp) -> Op {
    match op {
        AtomicOp::Add => Op::Add,
        AtomicOp::Min => Op::Min,
        AtomicOp::Max => Op::Max,
        AtomicOp::And => Op::And,
        AtomicOp::Or => Op::Or,
        AtomicOp::Xor => Op::Xor,
        AtomicOp::Exchange | AtomicOp::CompareExchange(_) => {
            unreachable!("what replaces combines nothing")
        }
    }
}

impl<'a, T: Target> Body<'a, T> {
    /// `atomic`.
    pub(in crate::lower) fn atomic(&mut self, kind: &'a Kind) {
        let Kind::Atomic {
            out,
            op,
            place,
            value,
            log,
        } = kind
        else {
            unreachable!("asked for an atomic operation");
        };
        let ty = self.ty(*value);
        let name = self.name(*value);
        if op.replaces() {
            return self.replace(kind);
        }
        if self.collect(kind, &name) {
            return;
        }
        // Nobody else has a local array.
        let local = self.facts.func.local(place.array).is_some();
        let non_atomic = local || self.variant.is_dense() && self.facts.is_non_atomic(place.array);
        let waits = non_atomic && !local && !log;
        if waits && !out.is_some_and(|v| self.facts.used[v.0 as usize]) {
            self.postpone(place, *op, name);
            return;
        }
        self.settle(Some(place.array));
        let at = self.address(place);
        let old = match non_atomic {
            true => self.alone(*op, ty, &at, name),
            false => self.change(place.array, *op, ty, &at, name),
        };
        if *log {
            T::log(self, ty, &at, &old);
        }
        if let Some(out) = out {
            self.names[out.0 as usize] = old;
        }
    }

    /// An operation on an element that other threads may change as well; gives the content before.
    pub(in crate::lower) fn change(
        &mut self,
        array: ParamId,
        op: AtomicOp,
        ty: Scalar,
        at: &str,
        value: String,
    ) -> String {
        if self.facts.non_atomic.contains(&array) && !self.variant.is_dense() {
            self.perhaps_alone("%overlap", op, ty, at, value)
        } else if let Some(shared) = self.unless_copied(array) {
            self.perhaps_alone(&shared, op, ty, at, value)
        } else {
            in_memory(&mut self.t, op, ty, at, &value)
        }
    }

    /// `atomic exchange` and `atomic compare`: in memory, whoever owns the element.
    fn replace(&mut self, kind: &'a Kind) {
        let Kind::Atomic {
            out,
            op,
            place,
            value,
            log,
        } = kind
        else {
            unreachable!("asked for an atomic operation");
        };
        let (ty, name) = (self.ty(*value), self.name(*value));
        let with = op.compare().map(|with| self.name(with));
        self.settle(Some(place.array));
        let at = self.address(place);
        let local = self.facts.func.local(place.array).is_some();
        let old = match with {
            _ if local => self.replaced(ty, &at, with.as_deref(), &name),
            None => exchanged::<T>(&mut self.t, ty, &at, &name),
            Some(with) => compared::<T>(&mut self.t, ty, &at, &with, &name),
        };
        if *log {
            T::log(self, ty, &at, &old);
        }
        if let Some(out) = out {
            self.names[out.0 as usize] = old;
        }
    }

    /// A plain read-modify-write; gives the content before.
    pub(in crate::lower) fn alone(
        &mut self,
        op: AtomicOp,
        ty: Scalar,
        at: &str,
        value: String,
    ) -> String {
        let old = self.t.load(ty, at, self.notes);
        let args = [old.clone(), value];
        let new = arith::named(&mut self.t, pure(op), ty, &args, Known::nothing(ty));
        self.t.store(ty, &new, at, self.notes);
        old
    }

    /// An exchange in memory that nobody else has.
    fn replaced(&mut self, ty: Scalar, at: &str, with: Option<&str>, value: &str) -> String {
        let old = self.t.load(ty, at, "");
        let new = match with {
            None => value.to_string(),
            Some(with) => {
                let args = [old.clone(), with.to_string()];
                let same = arith::named(&mut self.t, Op::Eq, ty, &args, Known::nothing(ty));
                self.t.select(&same, register(ty), value, &old)
            }
        };
        self.t.store(ty, &new, at, "");
        old
    }

    /// A plain one unless the launch says that others may reach the element: because buffers overlap (the entry point has not
    /// looked: what comes to the body for any strides may be neither), or because this is not a copy.
    fn perhaps_alone(
        &mut self,
        reached: &str,
        op: AtomicOp,
        ty: Scalar,
        at: &str,
        value: String,
    ) -> String {
        if T::COPIES && self.facts.is_crowded() {
            let name = either(&mut self.t, op, ty);
            let r = register(ty);
            return ins!(
                self.t,
                "call {r} @{name}(ptr {at}, {r} {value}, i1 {reached})"
            );
        }
        let [alone, shared, both] = ["alone", "shared", "both"].map(|l| self.t.new_label(l));
        line!(self.t, "br i1 {reached}, label %{shared}, label %{alone}");
        self.t.start(&alone);
        let mine = self.alone(op, ty, at, value.clone());
        let mine_from = self.t.label.clone();
        line!(self.t, "br label %{both}");
        self.t.start(&shared);
        let ours = in_memory(&mut self.t, op, ty, at, &value);
        let ours_from = self.t.label.clone();
        line!(self.t, "br label %{both}");
        self.t.start(&both);
        let r = register(ty);
        ins!(
            self.t,
            "phi {r} [ {mine}, %{mine_from} ], [ {ours}, %{ours_from} ]"
        )
    }

    /// In the head: whether the launch says that buffers overlap, where an operation asks.
    pub(in crate::lower) fn open_overlap(&mut self) {
        if self.variant.is_dense() || self.facts.non_atomic.is_empty() {
            return;
        }
        let flags = T::flags(&mut self.head);
        let bit = ins!(self.head, "and i32 {flags}, {}", abi::flag::OVERLAP);
        line!(self.head, "%overlap = icmp ne i32 {bit}, 0");
    }

    /// In the head: for each array of which there may be a copy, whether it is none.
    pub(in crate::lower) fn open_copies(&mut self) {
        let summed = self.facts.summed.iter();
        let all = summed.filter(|(id, _)| !self.reductions.has(**id));
        let bits: Vec<u8> = all.map(|(_, bit)| *bit).collect();
        if !T::COPIES || bits.is_empty() {
            return;
        }
        let flags = T::flags(&mut self.head);
        for bit in bits {
            let set = ins!(self.head, "and i32 {flags}, {}", abi::flag::COPY << bit);
            line!(self.head, "%shared{bit} = icmp eq i32 {set}, 0");
        }
    }

    /// Whether an array is what all threads have (i1), where it may be a copy.
    pub(in crate::lower) fn unless_copied(&self, array: ParamId) -> Option<String> {
        let bit = self.facts.summed.get(&array).filter(|_| T::COPIES)?;
        Some(format!("%shared{bit}"))
    }

    /// Keeps a plain operation back while others on further components of the same element may follow.
    fn postpone(&mut self, place: &'a Place, op: AtomicOp, value: String) {
        let joins = |p: &Pending| {
            p.place.array != place.array
                || (p.place.index == place.index
                    && matches!((p.place.comp, place.comp),
                        (Comp::Fixed(a), Comp::Fixed(b)) if a != b))
        };
        if !self.pending.iter().all(joins) {
            self.settle(Some(place.array));
        }
        let span = self.span;
        self.pending.push(Pending {
            place,
            op,
            value,
            span,
        });
    }

    /// Writes the operations that were kept back, on all arrays or on one: first everything is read, then
    /// everything is written, so that LLVM sees whole elements being read and written.
    pub(in crate::lower) fn settle(&mut self, array: Option<ParamId>) {
        if !array.is_none_or(|id| self.pending.iter().any(|p| p.place.array == id)) {
            return;
        }
        let (mut stores, here) = (Vec::new(), self.span);
        for Pending {
            place,
            op,
            value,
            span,
        } in std::mem::take(&mut self.pending)
        {
            self.span = span;
            let ty = self.facts.func.param(place.array).ty.elem().scalar();
            let at = self.address(place);
            let old = self.t.load(ty, &at, self.notes);
            stores.push((ty, op, at, old, value));
        }
        self.span = here;
        for (ty, op, at, old, value) in stores {
            let args = [old, value];
            let new = arith::named(&mut self.t, pure(op), ty, &args, Known::nothing(ty));
            self.t.store(ty, &new, &at, self.notes);
        }
    }
}

/// Changes memory atomically and gives its content before.
pub fn in_memory(t: &mut Text, op: AtomicOp, ty: Scalar, at: &str, value: &str) -> String {
    let (mem, size) = (memory(ty), ty.size());
    let name = match (op, ty) {
        (AtomicOp::Add, Scalar::F32 | Scalar::F64) => "fadd",
        (AtomicOp::Add, _) if ty.is_int() => "add",
        (AtomicOp::Min, _) if ty.is_signed() => "min",
        (AtomicOp::Max, _) if ty.is_signed() => "max",
        (AtomicOp::Min, _) if ty.is_int() => "umin",
        (AtomicOp::Max, _) if ty.is_int() => "umax",
        (AtomicOp::And, _) => "and",
        (AtomicOp::Or, _) => "or",
        (AtomicOp::Xor, _) => "xor",
        _ => {
            let name = exchange(t, op, ty);
            let r = register(ty);
            return ins!(t, "call {r} @{name}(ptr {at}, {r} {value})");
        }
    };
    ins!(
        t,
        "atomicrmw {name} ptr {at}, {mem} {value} monotonic, align {size}"
    )
}

/// A function that changes memory, atomically if the last argument says so, and gives its content before.
fn either(t: &mut Text, op: AtomicOp, ty: Scalar) -> String {
    let what = pure(op).name().expect("named");
    let name = format!("w.either.{what}.{ty}");
    if t.helpers.contains_key(&name) {
        return name;
    }
    let r = register(ty);
    let mut f = Text::new("t");
    line!(f, "br i1 %shared, label %ours, label %mine");
    f.start("ours");
    let old = in_memory(&mut f, op, ty, "%p", "%value");
    line!(f, "ret {r} {old}");
    f.start("mine");
    let old = f.load(ty, "%p", "");
    let args = [old.clone(), "%value".into()];
    let new = arith::named(&mut f, pure(op), ty, &args, Known::nothing(ty));
    f.store(ty, &new, "%p", "");
    line!(f, "ret {r} {old}");
    let text = format!(
        "define internal {r} @{name}(ptr %p, {r} %value, i1 %shared) nounwind noinline {{\n{}}}\n",
        f.code
    );
    for (name, text) in f.helpers {
        t.helper(&name, &text);
    }
    t.helper(&name, &text);
    name
}

/// Replaces memory atomically and gives its content before. Locks are made of it, so it orders what stands around it.
pub(in crate::lower) fn exchanged<T: Target>(
    t: &mut Text,
    ty: Scalar,
    at: &str,
    value: &str,
) -> String {
    let (bits, size, [order, _]) = (ty.bits(), ty.size(), T::EXCHANGE);
    let new = t.pack_bits(ty, value);
    T::fence(t);
    let old = ins!(
        t,
        "atomicrmw xchg ptr {at}, i{bits} {new} {order}, align {size}"
    );
    T::fence(t);
    t.unpack_bits(ty, old)
}

/// Replaces memory atomically where it equals `with`, and gives its content before. Floats are equal as numbers:
/// 0.0 equals -0.0, and NaN nothing.
pub(in crate::lower) fn compared<T: Target>(
    t: &mut Text,
    ty: Scalar,
    at: &str,
    with: &str,
    value: &str,
) -> String {
    let name = format!("w.atomic.compare.{ty}");
    let (r, bits, size) = (register(ty), ty.bits(), ty.size());
    let [exchange, load] = T::EXCHANGE;
    if !t.helpers.contains_key(&name) {
        let mut f = Text::new("t");
        line!(
            f,
            "%first = load atomic i{bits}, ptr %p {load}, align {size}"
        );
        line!(f, "br label %try");
        f.start("try");
        line!(f, "%seen = phi i{bits} [ %first, %0 ], [ %now, %swap ]");
        let old = f.unpack_bits(ty, "%seen".into());
        let args = [old.clone(), "%with".into()];
        let same = arith::named(&mut f, Op::Eq, ty, &args, Known::nothing(ty));
        line!(f, "br i1 {same}, label %swap, label %done");
        f.start("swap");
        let new = f.pack_bits(ty, "%value");
        line!(
            f,
            "%pair = cmpxchg ptr %p, i{bits} %seen, i{bits} {new} {exchange} {load}, align {size}"
        );
        line!(f, "%now = extractvalue {{ i{bits}, i1 }} %pair, 0");
        line!(f, "%won = extractvalue {{ i{bits}, i1 }} %pair, 1");
        line!(f, "br i1 %won, label %done, label %try");
        f.start("done");
        line!(f, "ret {r} {old}");
        let text = format!(
            "define internal {r} @{name}(ptr %p, {r} %with, {r} %value) nounwind {{\n{}}}\n",
            f.code
        );
        for (name, text) in f.helpers {
            t.helper(&name, &text);
        }
        t.helper(&name, &text);
    }
    T::fence(t);
    let old = ins!(t, "call {r} @{name}(ptr {at}, {r} {with}, {r} {value})");
    T::fence(t);
    old
}

/// A function that changes memory by compare-and-exchange: for what LLVM's own operation would treat
/// NaN differently, and for 16-bit floats.
fn exchange(t: &mut Text, op: AtomicOp, ty: Scalar) -> String {
    let what = pure(op).name().expect("named");
    let name = format!("w.atomic.{what}.{ty}");
    if t.helpers.contains_key(&name) {
        return name;
    }
    let (r, bits, size) = (register(ty), ty.bits(), ty.size());
    let mut f = Text::new("t");
    line!(
        f,
        "%first = load atomic i{bits}, ptr %p monotonic, align {size}"
    );
    line!(f, "br label %try");
    f.start("try");
    line!(f, "%seen = phi i{bits} [ %first, %0 ], [ %now, %swap ]");
    let old = f.unpack_bits(ty, "%seen".into());
    let args = [old.clone(), "%value".into()];
    let new = arith::named(&mut f, pure(op), ty, &args, Known::nothing(ty));
    let new = f.pack_bits(ty, &new);
    let same = ins!(f, "icmp eq i{bits} {new}, %seen");
    line!(f, "br i1 {same}, label %done, label %swap");
    f.start("swap");
    line!(
        f,
        "%pair = cmpxchg weak ptr %p, i{bits} %seen, i{bits} {new} monotonic monotonic, align {size}"
    );
    line!(f, "%now = extractvalue {{ i{bits}, i1 }} %pair, 0");
    line!(f, "%won = extractvalue {{ i{bits}, i1 }} %pair, 1");
    line!(f, "br i1 %won, label %done, label %try");
    f.start("done");
    line!(f, "ret {r} {old}");
    let text = format!(
        "define internal {r} @{name}(ptr %p, {r} %value) nounwind {{\n{}}}\n",
        f.code
    );
    for (name, text) in f.helpers {
        t.helper(&name, &text);
    }
    t.helper(&name, &text);
    name
}
