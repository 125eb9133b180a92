//! How rows are split: what is computed where a subrange begins, and what follows from that.

use super::data::{Beginning, End, Held, Level};
use super::decide::{Decisions, Works, literal};
use super::forms::{Form, Forms, SHORTEST_ROW, is_comparison};
use crate::dtype::Scalar;
use crate::ir::{Const, Op, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How rows are split.
#[derive(Debug)]
pub struct Split {
    /// Which conditions are decided in the interior.
    pub level: Level,
    /// How values depend on the thread index; in the interior, where that differs.
    pub forms: Forms,
    /// What is computed where a subrange begins.
    pub begin: Beginning,
    /// The part of it that goes on from one subrange to the next, up to one of its ends: the quotients of a row of a flat index.
    pub carried: Option<Beginning>,
    /// Whether divisors are such that rows of a flat index are worth a subrange; None: they are. Otherwise all of a row is border.
    pub usable: Option<Value>,
    /// Whether dividends are not negative, on which the ends count; None: they are not. Otherwise a subrange is border.
    pub sound: Option<Value>,
    /// Whether threads do anything; None: they may.
    pub works: Option<Value>,
    /// Whether it is part of the interior, if it is usable and does anything; None: it is.
    pub inside: Option<Value>,
    /// What is so in the interior.
    pub assumed: Vec<(Value, bool)>,
    /// What the interior takes from the beginning of the subrange.
    pub held: BTreeMap<Value, Held>,
}

impl Split {
    /// Whether threads may be outside of the interior, whatever its indices are.
    pub fn has_border(&self) -> bool {
        self.usable.is_some() || self.inside.is_some()
    }

    /// Whether subranges are rows of a flat index, rather than what lies between the ends of a periodic one.
    pub fn has_quotients(&self) -> bool {
        self.held.values().any(|held| *held == Held::Fixed)
    }

    /// Whether there are quotients or remainders of thread indices, which the interior takes from the beginnings of subranges.
    pub fn has_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// How a value that the interior takes from the beginning of a subrange goes on.
    pub fn held(&self, value: Value) -> Option<Held> {
        self.held.get(&value).copied()
    }

    /// What a held value is the quotient or the remainder of, if that may be computed in 64 bits.
    pub fn divides(&self, value: Value) -> Option<[Value; 2]> {
        if !self.held.contains_key(&value) {
            return None;
        }
        self.forms.division(value).or_else(|| {
            let (_, args) = self.forms.ops[value.0 as usize].as_ref()?;
            let narrow = self.forms.types[value.0 as usize] == Scalar::I32;
            narrow.then(|| [args[0], args[1]])
        })
    }
}

impl Forms {
    /// How rows are split.
    pub fn plan(mut self, works: &Works, decisions: &Decisions) -> Split {
        let held: Vec<(Value, Held)> = (self.order.iter())
            .filter_map(|v| self.held(*v).map(|held| (*v, held)))
            .collect();
        let [usable, sound] = self.quotients(&held);
        let works = works.make(&mut self);
        let borders = decisions.borders.iter();
        let mut all: Vec<Value> = sound.into_iter().collect();
        all.extend(borders.map(|(value, truth)| literal(&mut self, *value, *truth)));
        let inside = self.all_of(all);
        let mut held_values = held.iter();
        let carries = !held.is_empty() && held_values.all(|(value, _)| self.is_steady(*value));
        let held: BTreeMap<Value, Held> = held.into_iter().collect();
        let carried = carries.then(|| self.beginning(held.keys().copied()));
        let roots = [usable, sound, works, inside].into_iter().flatten();
        Split {
            level: self.level,
            begin: self.beginning(roots.chain(held.keys().copied())),
            carried,
            usable,
            sound,
            works,
            inside,
            assumed: decisions.assumed.clone(),
            held,
            forms: self,
        }
    }

    /// Whether a value depends on no condition that changes within a row.
    fn is_steady(&self, value: Value) -> bool {
        let Some((op, args)) = &self.ops[value.0 as usize] else {
            return false;
        };
        let Form::Fixed { row: true, .. } = self.of(value) else {
            let decides = is_comparison(*op) || *op == Op::Select || self.is_picked(value);
            return !decides && args.iter().all(|arg| self.is_steady(*arg));
        };
        true
    }

    /// Whether all divisors are such that rows are worth subranges, and whether no dividend is negative.
    fn quotients(&mut self, held: &[(Value, Held)]) -> [Option<Value>; 2] {
        let mut asked = [BTreeSet::new(), BTreeSet::new()];
        for (value, _) in held {
            if let Some([of, by]) = self.division(*value) {
                if self.constant(by).is_none() {
                    asked[0].insert(by);
                }
                if !self.is_natural(of) || self.may_wrap(of) {
                    asked[1].insert(of);
                }
            }
        }
        let [divisors, dividends] = asked;
        [(divisors, SHORTEST_ROW), (dividends, 0)].map(|(values, least)| {
            let each = values.into_iter().map(|value| {
                let ty = self.types[value.0 as usize];
                let least = self.make(ty, Op::Const(Const::Int(least)), &[]);
                self.make(Scalar::Bool, Op::Ge, &[value, least])
            });
            let each = each.collect();
            self.all_of(each)
        })
    }

    /// Whether all hold; None if there are none.
    fn all_of(&mut self, values: Vec<Value>) -> Option<Value> {
        let both = |a, b| self.make(Scalar::Bool, Op::And, &[a, b]);
        values.into_iter().reduce(both)
    }

    /// What a value is the quotient or the remainder of.
    pub fn division(&self, value: Value) -> Option<[Value; 2]> {
        if let Some(division) = self.remainders.get(&value) {
            return Some(*division);
        }
        match self.ops[value.0 as usize].as_ref()? {
            (Op::Div | Op::FloorDiv | Op::Mod, args)
                if matches!(self.of(args[0]), Form::Along(_)) =>
            {
                Some([args[0], args[1]])
            }
            _ => None,
        }
    }

    /// What is computed for these values where a subrange begins, in order, and where it ends.
    fn beginning(&self, roots: impl Iterator<Item = Value>) -> Beginning {
        let (mut lets, mut ends) = (Vec::new(), Vec::new());
        let mut needed = BTreeSet::new();
        roots.for_each(|value| self.need(value, &mut needed));
        for value in self.order.iter().filter(|v| needed.contains(v)) {
            let Some((op, args)) = &self.ops[value.0 as usize] else {
                continue;
            };
            lets.push((*value, *op, args.clone()));
            let rise = |v: Value| match self.of(v) {
                Form::Along(step) => step,
                _ => 0,
            };
            if let Some([of, by]) = self.division(*value) {
                self.before_wraps(of, &mut ends);
                let rise = rise(of);
                add(&mut ends, End::Quotient { of, by, rise });
            } else if is_comparison(*op) && self.types[args[0].0 as usize].is_int() {
                let sides = [args[0], args[1]];
                let rise = rise(args[0]) - rise(args[1]);
                sides
                    .iter()
                    .for_each(|side| self.before_wraps(*side, &mut ends));
                if rise != 0 {
                    add(
                        &mut ends,
                        End::Compare {
                            op: *op,
                            sides,
                            rise,
                        },
                    );
                }
            } else if *op == Op::Cast && self.types[value.0 as usize].is_int() {
                self.before_wraps(args[0], &mut ends);
            }
        }
        Beginning { lets, ends }
    }

    fn need(&self, value: Value, needed: &mut BTreeSet<Value>) {
        if needed.insert(value)
            && let Some((_, args)) = &self.ops[value.0 as usize]
        {
            args.iter().for_each(|arg| self.need(*arg, needed));
        }
    }

    fn before_wraps(&self, of: Value, ends: &mut Vec<End>) {
        if let Form::Along(rise) = self.of(of)
            && self.may_wrap(of)
        {
            add(ends, End::Wrap { of, rise });
        }
    }
}

fn add(ends: &mut Vec<End>, end: End) {
    if !ends.contains(&end) {
        ends.push(end);
    }
}
