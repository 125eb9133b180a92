//! What lanes do one after the other: atomic operations on elements that may be anybody's.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Kind, Place, Value};
use crate::lower::body::atomic;
use crate::lower::body::slots;
use crate::lower::emit::text::{Text, ins, line, memory};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::target::Host;
use crate::lower::report::Costly;
use std::fmt::Write;

/// Lanes that an iteration of a loop over all of them does.
const AT_ONCE: usize = 4;

impl<'a> GangBody<'a> {
    /// `atomic`.
    pub(in crate::lower::host::lanes) fn atomic(&mut self, kind: &'a Kind) {
        let Kind::Atomic {
            out,
            op,
            place,
            value,
            ..
        } = kind
        else {
            unreachable!("asked for an atomic operation");
        };
        let out = out.filter(|v| self.body.facts.used[v.0 as usize]);
        let ty = self.body.ty(*value);
        if self.collect(kind, *value) {
            return;
        }
        let same = self.shapes.is_same(place);
        let facts = self.body.facts;
        let non_atomic = facts.func.local(place.array).is_some()
            || self.body.variant.is_dense() && facts.is_non_atomic(place.array);
        if non_atomic && !op.replaces() && !same {
            // No two lanes have one element.
            let name = self.vector(*value);
            let Some(out) = out else {
                return self.postpone(place, name, Some(*op));
            };
            self.settle();
            let access = self.access(place);
            let raw = self.read(ty, &access);
            let old = self.wide(|g| g.body.t.unpack(ty, raw));
            let new = self.combine(atomic::pure(*op), ty, old.clone(), name);
            let new = self.wide(|g| g.body.t.pack(ty, &new));
            self.write(ty, &access, &new);
            self.vectors[out.0 as usize] = old;
            return;
        }
        self.settle();
        if same && out.is_none() && slots::is_folded(*op, ty) {
            return self.as_one(ty, *op, place, *value);
        }
        let access = self.access(place);
        self.anywhere(ty, *op, *value, (place, &access), out);
    }

    /// An operation on elements that may be anybody's: plain where they are those of a copy.
    pub(in crate::lower::host::lanes) fn anywhere(
        &mut self,
        ty: Scalar,
        op: AtomicOp,
        value: Value,
        (place, access): (&Place, &Access),
        out: Option<Value>,
    ) {
        let Some(shared) = self.body.unless_copied(place.array) else {
            return self.one_by_one(ty, op, value, access, out, Whose::Shared);
        };
        let [ours, mine, join] = ["ours", "mine", "join"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br i1 {shared}, label %{ours}, label %{mine}");
        self.body.t.start(&ours);
        self.one_by_one(ty, op, value, access, None, Whose::Shared);
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&mine);
        match access {
            Access::Row(_, bytes) if bytes.unsigned_abs() >= ty.size() as u64 => {
                // No two lanes have one number.
                let raw = self.read(ty, access);
                let old = self.wide(|g| g.body.t.unpack(ty, raw));
                let value = self.vector(value);
                let new = self.combine(atomic::pure(op), ty, old, value);
                let new = self.wide(|g| g.body.t.pack(ty, &new));
                self.write(ty, access, &new);
            }
            _ => self.one_by_one(ty, op, value, access, None, Whose::Own),
        }
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
    }

    /// An operation of all lanes on one element: what they have comes together first, in the order that `fold` has.
    fn as_one(&mut self, ty: Scalar, op: AtomicOp, place: &'a Place, value: Value) {
        let all = self.or_identity(op, ty, value);
        let sum = slots::fold(&mut self.body.t, self.width, op, ty, all);
        let before = self.mask.clone().map(|mask| {
            // Where no lane runs there may be no such element.
            let [some, join] = ["some", "join"].map(|l| self.body.t.new_label(l));
            let any = self.wide(|g| g.body.t.any(&mask));
            line!(self.body.t, "br i1 {any}, label %{some}, label %{join}");
            self.body.t.start(&some);
            join
        });
        // What is checked where some lane runs is not for what comes after.
        let mark = self.body.ranges.mark();
        let Access::Same(at) = self.access(place) else {
            unreachable!("no index differs");
        };
        self.body.change(place.array, op, ty, &at, sum);
        if let Some(join) = before {
            self.body.ranges.forget(mark);
            line!(self.body.t, "br label %{join}");
            self.body.t.start(&join);
        }
    }

    /// An atomic operation in memory for each lane that runs, in order. It is a plain one where nobody else has the memory.
    pub(in crate::lower::host::lanes) fn one_by_one(
        &mut self,
        ty: Scalar,
        op: AtomicOp,
        value: Value,
        access: &Access,
        out: Option<Value>,
        whose: Whose,
    ) {
        self.note(Costly::Serial);
        let called = self.body.facts.is_crowded() && whose == Whose::Shared;
        if called && out.is_none() && !op.replaces() {
            return self.call_one_by_one(ty, op, value, access);
        }
        let value = self.spill(value);
        let with = op.compare().map(|with| self.spill(with));
        let at = self.spill_addresses(ty, access);
        let old = out.map(|_| {
            let (to, v) = (self.lane_memory(memory(ty)), self.memory_type(ty));
            line!(self.body.t, "store {v} zeroinitializer, ptr {to}, align 64");
            to
        });
        self.each_lane(whose == Whose::Own, |g, lane| {
            let one = g.fetch(ty, &value, lane);
            let at = g.fetch_address(&at, lane);
            let t = &mut g.body.t;
            let before = match (op, &with) {
                (AtomicOp::CompareExchange(_), Some(with)) => {
                    let with = g.fetch(ty, with, lane);
                    atomic::compared::<Host<'_>>(&mut g.body.t, ty, &at, &with, &one)
                }
                _ if whose == Whose::Own => {
                    return g.body.alone(op, ty, &at, one).truncate(0);
                }
                (AtomicOp::Exchange, _) => atomic::exchanged::<Host<'_>>(t, ty, &at, &one),
                _ => atomic::in_memory(t, op, ty, &at, &one),
            };
            if let Some(old) = &old {
                let to = ins!(
                    g.body.t,
                    "getelementptr inbounds {}, ptr {old}, i64 {lane}",
                    memory(ty)
                );
                g.body.t.store(ty, &before, &to, "");
            }
        });
        if let (Some(out), Some(old)) = (out, old) {
            let v = self.memory_type(ty);
            let raw = ins!(self.body.t, "load {v}, ptr {old}, align 64");
            self.vectors[out.0 as usize] = self.wide(|g| g.body.t.unpack(ty, raw));
        }
    }

    /// The same by a call, where so many of these loops would stand in one text that LLVM takes long.
    fn call_one_by_one(&mut self, ty: Scalar, op: AtomicOp, value: Value, access: &Access) {
        let (lanes, memory_type) = (self.width, self.memory_type(ty));
        let name = format!(
            "w.each.{}.{ty}.{lanes}",
            atomic::pure(op).name().expect("named")
        );
        if !self.body.t.helpers.contains_key(&name) {
            self.write_one_by_one(&name, ty, op);
        }
        let value = self.vector(value);
        let raw = self.wide(|g| g.body.t.pack(ty, &value));
        let at = self.addresses(ty, access);
        let bits = self.running_bits();
        line!(
            self.body.t,
            "call void @{name}({memory_type} {raw}, <{lanes} x ptr> {at}, i64 {bits})"
        );
    }

    /// Writes the function that it calls.
    fn write_one_by_one(&mut self, name: &str, ty: Scalar, op: AtomicOp) {
        let (lanes, memory_type) = (self.width, self.memory_type(ty));
        let mut f = Text::new("t");
        line!(f, "%values = alloca {memory_type}, align 64");
        line!(f, "%places = alloca <{lanes} x ptr>, align 64");
        line!(f, "store {memory_type} %raw, ptr %values, align 64");
        line!(f, "store <{lanes} x ptr> %at, ptr %places, align 64");
        line!(f, "br label %each");
        f.start("each");
        line!(f, "%bits = phi i64 [ %lanes, %0 ], [ %next, %each ]");
        line!(f, "%lane = call i64 @llvm.cttz.i64(i64 %bits, i1 true)");
        line!(
            f,
            "%one.at = getelementptr inbounds {}, ptr %values, i64 %lane",
            memory(ty)
        );
        let one = f.load(ty, "%one.at", "");
        line!(
            f,
            "%place.at = getelementptr inbounds ptr, ptr %places, i64 %lane"
        );
        line!(f, "%place = load ptr, ptr %place.at, align 8");
        atomic::in_memory(&mut f, op, ty, "%place", &one);
        line!(f, "%less = sub i64 %bits, 1");
        line!(f, "%next = and i64 %bits, %less");
        line!(f, "%more = icmp ne i64 %next, 0");
        line!(f, "br i1 %more, label %each, label %end");
        f.start("end");
        line!(f, "ret void");
        let text = format!(
            "define internal void @{name}({memory_type} %raw, <{lanes} x ptr> %at, i64 %lanes) nounwind noinline {{\n{}}}\n",
            f.code
        );
        for (name, text) in f.helpers {
            self.body.t.helper(&name, &text);
        }
        self.body.t.helper(name, &text);
    }

    /// The lanes that run, as bits.
    fn running_bits(&mut self) -> String {
        let Some(mask) = self.mask.clone() else {
            return (u64::MAX >> (64 - self.width)).to_string();
        };
        let lanes = self.width;
        let bits = ins!(self.body.t, "bitcast <{lanes} x i1> {mask} to i{lanes}");
        self.bits_wide(&bits)
    }

    fn memory_type(&self, ty: Scalar) -> String {
        format!("<{} x {}>", self.width, memory(ty))
    }

    /// Makes the lanes of a value readable one by one: their memory, or the number that all have.
    pub(in crate::lower::host::lanes) fn spill(&mut self, value: Value) -> Spilled {
        let ty = self.body.ty(value);
        if self.is_uniform(value) {
            return Spilled::Same(self.body.name(value));
        }
        let name = self.vector(value);
        let raw = self.wide(|g| g.body.t.pack(ty, &name));
        let (to, v) = (self.lane_memory(memory(ty)), self.memory_type(ty));
        line!(self.body.t, "store {v} {raw}, ptr {to}, align 64");
        Spilled::Each(to)
    }

    /// Makes the addresses of lanes readable one by one. Offsets of 32 bits in their place are no faster.
    pub(in crate::lower::host::lanes) fn spill_addresses(
        &mut self,
        ty: Scalar,
        access: &Access,
    ) -> Spilled {
        if let Access::Same(at) = access {
            return Spilled::Same(at.clone());
        }
        let (lanes, all) = (self.width, self.addresses(ty, access));
        let to = self.lane_memory("ptr");
        line!(
            self.body.t,
            "store <{lanes} x ptr> {all}, ptr {to}, align 64"
        );
        Spilled::Each(to)
    }

    pub(in crate::lower::host::lanes) fn fetch_address(
        &mut self,
        all: &Spilled,
        lane: &str,
    ) -> String {
        match all {
            Spilled::Same(at) => at.clone(),
            Spilled::Each(from) => {
                let from = ins!(
                    self.body.t,
                    "getelementptr inbounds ptr, ptr {from}, i64 {lane}"
                );
                ins!(self.body.t, "load ptr, ptr {from}, align 8")
            }
        }
    }

    /// The number of a lane.
    pub(in crate::lower::host::lanes) fn fetch(
        &mut self,
        ty: Scalar,
        value: &Spilled,
        lane: &str,
    ) -> String {
        match value {
            Spilled::Same(name) => name.clone(),
            Spilled::Each(from) => {
                let at = ins!(
                    self.body.t,
                    "getelementptr inbounds {}, ptr {from}, i64 {lane}",
                    memory(ty)
                );
                self.body.t.load(ty, &at, "")
            }
        }
    }

    /// Writes what is done for each lane that runs, whose number (i64) it gets. `short`: it is a few instructions, which are
    /// written several times where all lanes run.
    pub(in crate::lower::host::lanes) fn each_lane(
        &mut self,
        short: bool,
        write: impl FnMut(&mut Self, &str),
    ) {
        if self.mask.is_none() && short && self.width > AT_ONCE {
            return self.each_of_all(write);
        }
        let bits = self.running_bits();
        self.each_of(bits, write);
    }

    /// The same for all lanes.
    fn each_of_all(&mut self, mut write: impl FnMut(&mut Self, &str)) {
        let before = self.body.t.label.clone();
        let [each, end] = ["lane", "end"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br label %{each}");
        self.body.t.start(&each);
        let [first, next] = [(); 2].map(|()| self.body.t.fresh());
        let head = self.body.t.code.len();
        for k in 0..AT_ONCE {
            let lane = ins!(self.body.t, "add nuw nsw i64 {first}, {k}");
            write(self, &lane);
        }
        line!(self.body.t, "{next} = add nuw nsw i64 {first}, {AT_ONCE}");
        let more = ins!(self.body.t, "icmp ult i64 {next}, {}", self.width);
        line!(
            self.body.t,
            "br i1 {more}, label %{each}, label %{end}, !llvm.loop !9"
        );
        let latch = self.body.t.label.clone();
        let phi = format!("  {first} = phi i64 [ 0, %{before} ], [ {next}, %{latch} ]\n");
        self.body.t.code.insert_str(head, &phi);
        self.body.t.start(&end);
    }

    /// The same for the lanes whose bits are set, of which there is one.
    fn each_of(&mut self, first: String, mut write: impl FnMut(&mut Self, &str)) {
        let before = self.body.t.label.clone();
        let [each, end] = ["lane", "end"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br label %{each}");
        self.body.t.start(&each);
        let [bits, next] = [(); 2].map(|()| self.body.t.fresh());
        let head = self.body.t.code.len();
        let lane = ins!(self.body.t, "call i64 @llvm.cttz.i64(i64 {bits}, i1 true)");
        write(self, &lane);
        let less = ins!(self.body.t, "sub i64 {bits}, 1");
        line!(self.body.t, "{next} = and i64 {bits}, {less}");
        let more = ins!(self.body.t, "icmp ne i64 {next}, 0");
        line!(self.body.t, "br i1 {more}, label %{each}, label %{end}");
        let latch = self.body.t.label.clone();
        let phi = format!("  {bits} = phi i64 [ {first}, %{before} ], [ {next}, %{latch} ]\n");
        self.body.t.code.insert_str(head, &phi);
        self.body.t.start(&end);
    }
}

/// Who reaches the memory that lanes change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::lower::host::lanes) enum Whose {
    /// Other threads, too.
    Shared,
    /// This one alone: it is a copy.
    Own,
}

/// A value, or an address, whose lanes are read one by one.
pub(in crate::lower::host::lanes) enum Spilled {
    /// What all lanes have.
    Same(String),
    /// Memory with one for each.
    Each(String),
}
