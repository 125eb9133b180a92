//! Lanes that add anywhere, to numbers of a copy that lie beside each other: each lane adds all of them before the next one does.

use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Comp, Kind, Op, Place, Stmt, Value};
use crate::lower::emit::arith::{self, Known};
use crate::lower::emit::text::{ins, line, memory};
use crate::lower::host::lanes::analysis::neighbours::{AHEAD, needed};
use crate::lower::host::lanes::control::serial::{Spilled, Whose};
use crate::lower::host::lanes::gang::GangBody;
use crate::lower::host::lanes::memory::access::Access;
use crate::lower::host::lanes::memory::pairs::Beside;
use crate::lower::report::Costly;
use std::fmt::Write;

/// Numbers of an element that are added together: a pair, or two of them.
const MOST: usize = 4;

/// A place, and what is added there.
type Addend<'a> = (&'a Place, Value);

impl<'a> GangBody<'a> {
    /// What two statements add to numbers side by side, and others after them to further components of the same element. Where memory is
    /// everybody's, and where the numbers do not lie so after all, each is added by itself.
    pub(in crate::lower::host::lanes) fn add_several(
        &mut self,
        stmts: &'a [Stmt],
        second: usize,
        before: &[&'a Stmt],
    ) {
        let (one, two) = (added(&stmts[0]), added(&stmts[second]));
        let (Some((place, value)), Some((other, more))) = (one, two) else {
            unreachable!("both are atomic operations");
        };
        let ty = self.body.ty(value);
        let from = self.access(place);
        self.prepare(before);
        let to = self.access(other);
        self.early.insert(stmts[second].kind.key());
        let mut each = vec![(value, from), (more, to)];
        let shared = self.body.unless_copied(place.array);
        let (Some(mut single), Some((order, beside))) = (shared, self.beside(place, other)) else {
            for ((value, access), place) in each.iter().zip([place, other]) {
                self.anywhere(ty, AtomicOp::Add, *value, (place, access), None);
            }
            return;
        };
        match beside {
            Beside::Unless(apart) => {
                let apart = self.any(&apart);
                single = ins!(self.body.t, "or i1 {single}, {apart}");
            }
            Beside::Always => each.extend(self.further(stmts, second, [place, other])),
        }
        let [alone, both, join] = ["alone", "both", "join"].map(|l| self.body.t.new_label(l));
        line!(self.body.t, "br i1 {single}, label %{alone}, label %{both}");
        self.body.t.start(&alone);
        for (value, access) in &each {
            self.one_by_one(ty, AtomicOp::Add, *value, access, None, Whose::Shared);
        }
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&both);
        let [lower, _] = order.of([&each[0].1, &each[1].1]);
        let pair = order.of([value, more]);
        let rest = each[2..].iter().map(|(value, _)| *value);
        let values: Vec<Value> = pair.into_iter().chain(rest).collect();
        self.add_each(ty, &values, lower);
        line!(self.body.t, "br label %{join}");
        self.body.t.start(&join);
    }

    /// What statements after the second add to the components behind those of the first two, in order.
    fn further(
        &mut self,
        stmts: &'a [Stmt],
        second: usize,
        [first, last]: [&Place; 2],
    ) -> Vec<(Value, Access)> {
        let mut found = Vec::new();
        let (Comp::Fixed(from), Comp::Fixed(mut to)) = (first.comp, last.comp) else {
            return found;
        };
        if from + 1 != to {
            return found;
        }
        for (k, stmt) in stmts.iter().enumerate().take(AHEAD).skip(second + 1) {
            if matches!(stmt.kind, Kind::Let { .. }) {
                continue;
            }
            let Some((place, value)) = added(stmt) else {
                break;
            };
            let follows = place.comp == Comp::Fixed(to + 1) && self.is_same_element(first, place);
            if !follows || self.early.contains(&stmt.kind.key()) {
                break;
            }
            let Some(before) = needed(&stmt.kind, &stmts[1..k]) else {
                break;
            };
            self.prepare(&before);
            found.push((value, self.access(place)));
            self.early.insert(stmt.kind.key());
            to += 1;
            if found.len() + 2 == MOST {
                break;
            }
        }
        found
    }

    /// Adds numbers side by side for each lane that runs, in order.
    fn add_each(&mut self, ty: Scalar, values: &[Value], lower: &Access) {
        self.note(Costly::Serial);
        let spilled: Vec<Added> = values
            .chunks(2)
            .map(|part| match *part {
                [low, high] => Added::Pair(self.spill_pair(ty, [low, high])),
                _ => Added::Single(self.spill(part[0])),
            })
            .collect();
        let to = self.spill_addresses(ty, lower);
        self.each_lane(true, |g, lane| {
            let first = g.fetch_address(&to, lane);
            for (k, added) in spilled.iter().enumerate() {
                let at = match k {
                    0 => first.clone(),
                    _ => ins!(
                        g.body.t,
                        "getelementptr inbounds i8, ptr {first}, i64 {}",
                        2 * k * ty.size()
                    ),
                };
                g.add_spilled(ty, added, &at, lane);
            }
        });
    }

    /// Adds one or two numbers of a lane.
    fn add_spilled(&mut self, ty: Scalar, added: &Added, at: &str, lane: &str) {
        let size = ty.size();
        let from = match added {
            Added::Single(value) => {
                let value = self.fetch(ty, value, lane);
                return self.body.alone(AtomicOp::Add, ty, at, value).truncate(0);
            }
            Added::Pair(from) => from,
        };
        let pair = format!("<2 x {}>", memory(ty));
        let value = ins!(
            self.body.t,
            "getelementptr inbounds {pair}, ptr {from}, i64 {lane}"
        );
        let value = ins!(self.body.t, "load {pair}, ptr {value}, align {}", 2 * size);
        let old = ins!(self.body.t, "load {pair}, ptr {at}, align {size}");
        self.body.t.width = 2;
        let new = arith::named(
            &mut self.body.t,
            Op::Add,
            ty,
            &[old, value],
            Known::nothing(ty),
        );
        self.body.t.width = 1;
        line!(self.body.t, "store {pair} {new}, ptr {at}, align {size}");
    }

    /// Memory with the numbers of each lane side by side.
    fn spill_pair(&mut self, ty: Scalar, values: [Value; 2]) -> String {
        let (lanes, mem) = (self.width, memory(ty));
        let [low, high] = values.map(|v| self.vector(v));
        let places = (0..2 * lanes).map(|k| format!("i32 {}", k / 2 + lanes * (k % 2)));
        let places = places.collect::<Vec<_>>().join(", ");
        let both = ins!(
            self.body.t,
            "shufflevector <{lanes} x {mem}> {low}, <{lanes} x {mem}> {high}, <{} x i32> <{places}>",
            2 * lanes
        );
        let to = self.lane_memory(&format!("<2 x {mem}>"));
        line!(
            self.body.t,
            "store <{} x {mem}> {both}, ptr {to}, align 64",
            2 * lanes
        );
        to
    }
}

/// What lanes add one after the other, in memory.
enum Added {
    /// Two numbers side by side for each.
    Pair(String),
    /// One.
    Single(Spilled),
}

/// Where an atomic operation adds, and what.
fn added(stmt: &Stmt) -> Option<Addend<'_>> {
    match &stmt.kind {
        Kind::Atomic {
            op: AtomicOp::Add,
            place,
            value,
            ..
        } => Some((place, *value)),
        _ => None,
    }
}
