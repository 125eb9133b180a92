//! Quotients of flat indices: they are the same in a row of a grid, and one more in the next row. Where a row begins, each is
//! guessed to be what it was or one more, which takes a multiplication and a comparison; where that is wrong, it is divided.

use super::super::target::Host;
use super::super::threads::{FIRST, NEXT};
use super::{HeldValue, NEVER, Subranges};
use crate::dtype::Scalar;
use crate::ir::{Op, Value};
use crate::lower::analysis::split::{Beginning, End, Held, Split};
use crate::lower::body::Body;
use crate::lower::emit::text::{ins, line};
use std::collections::HashMap;
use std::fmt::Write;

/// A dividend and a divisor.
type Division = [Value; 2];

/// What is known where a row of a flat index begins.
struct Known {
    /// Its end.
    limit: String,
    /// The held values, each as [`Body::now`] has it.
    now: Vec<String>,
    /// The quotients, as i64.
    quotients: Vec<String>,
}

impl<'a> Body<'a, Host<'a>> {
    /// Divides where a row of a flat index begins; in its other subranges the quotients are the same. Names them, and the end of
    /// the row.
    pub(super) fn carry_quotients(&mut self, open: &Subranges<'a>, carried: &Beginning) {
        let (split, lo, before) = (open.split, &open.lo, &open.before);
        let divisions = divisions(split);
        line!(
            self.t,
            "%limit.was = phi i64 [ {lo}, %{before} ], [ %limit, %{NEXT} ]"
        );
        let held = self.held(split);
        let kept = held.iter().map(|held| (held.name.clone(), held.register));
        let quotients = (0..divisions.len()).map(|k| (format!("%quotient{k}"), "i64"));
        let kept: Vec<(String, &str)> = kept.chain(quotients).collect();
        for (name, register) in &kept {
            line!(
                self.t,
                "{name}.was = phi {register} [ 0, %{before} ], [ {name}, %{NEXT} ]"
            );
        }
        line!(self.t, "%first.tid = trunc nuw nsw i64 {FIRST} to i32");
        let same = ins!(self.t, "icmp slt i64 {FIRST}, %limit.was");
        line!(
            self.t,
            "br i1 {same}, label %subrange.same, label %subrange.guess"
        );
        self.t.start("subrange.guess");
        let (guessed, fits) = self.guess(split, carried, &divisions, &held);
        line!(
            self.t,
            "br i1 {fits}, label %subrange.same, label %subrange.divide"
        );
        self.t.start("subrange.divide");
        let divided = self.divide(carried, &divisions, &held);
        line!(self.t, "br label %subrange.same");
        self.t.start("subrange.same");
        let [guessed_now, divided_now] =
            [&guessed, &divided].map(|k| k.now.iter().chain(&k.quotients));
        line!(
            self.t,
            "%limit = phi i64 [ %limit.was, %subrange ], [ {}, %subrange.guess ], [ {}, %subrange.divide ]",
            guessed.limit,
            divided.limit
        );
        for (((name, register), guessed), divided) in kept.iter().zip(guessed_now).zip(divided_now)
        {
            line!(
                self.t,
                "{name} = phi {register} [ {name}.was, %subrange ], [ {guessed}, %subrange.guess ], [ {divided}, %subrange.divide ]"
            );
        }
        for held in &held {
            self.name_carried(held);
        }
    }

    /// Guesses quotients, and says whether all guesses are right.
    fn guess(
        &mut self,
        split: &Split,
        carried: &Beginning,
        divisions: &[Division],
        held: &[HeldValue],
    ) -> (Known, String) {
        let mut parts: HashMap<Division, [String; 2]> = HashMap::new();
        let mut fits = Vec::new();
        for (out, op, args) in &carried.lets {
            let division = split.divides(*out);
            let Some(k) = divisions.iter().position(|d| Some(*d) == division) else {
                self.let_(*out, *op, args);
                continue;
            };
            let [quotient, rest] = match parts.get(&divisions[k]) {
                Some(known) => known.clone(),
                None => {
                    let (found, fine) = self.guess_division(k, divisions[k]);
                    parts.insert(divisions[k], found.clone());
                    fits.extend(fine);
                    found
                }
            };
            let wide = match op {
                Op::Div | Op::FloorDiv => quotient,
                _ => rest,
            };
            self.names[out.0 as usize] = self.narrow(*out, wide);
        }
        let mut limit = NEVER.to_string();
        for end in carried.ends.iter().copied() {
            let after = match end {
                End::Quotient { of, by, rise } if parts.contains_key(&[of, by]) => {
                    let rest = &parts[&[of, by]][1];
                    let by = self.begun(by);
                    let left = ins!(self.t, "sub nsw i64 {by}, {rest}");
                    self.ceiling(&left, rise)
                }
                end => self.threads_until(end),
            };
            limit = self.sooner(&limit, &after);
        }
        let known = Known {
            limit,
            now: held.iter().map(|held| self.now(held)).collect(),
            quotients: divisions.iter().map(|d| parts[d][0].clone()).collect(),
        };
        let fits = self.all(fits).expect("a division");
        (known, fits)
    }

    /// A quotient and its remainder, and what must hold for them to be right.
    fn guess_division(&mut self, k: usize, [of, by]: Division) -> ([String; 2], [String; 3]) {
        let [of, by] = [of, by].map(|v| self.begun(v));
        let before = ins!(self.t, "mul i64 %quotient{k}.was, {by}");
        let over = ins!(self.t, "sub i64 {of}, {before}");
        let more = ins!(self.t, "icmp sge i64 {over}, {by}");
        let off = ins!(self.t, "select i1 {more}, i64 {by}, i64 0");
        let rest = ins!(self.t, "sub i64 {over}, {off}");
        let one = ins!(self.t, "zext i1 {more} to i64");
        let quotient = ins!(self.t, "add i64 %quotient{k}.was, {one}");
        let fits = [
            ins!(self.t, "icmp sge i64 {of}, 0"),
            ins!(self.t, "icmp sgt i64 {by}, 0"),
            ins!(self.t, "icmp ult i64 {rest}, {by}"),
        ];
        ([quotient, rest], fits)
    }

    /// Divides.
    fn divide(&mut self, carried: &Beginning, divisions: &[Division], held: &[HeldValue]) -> Known {
        for (out, op, args) in &carried.lets {
            self.let_(*out, *op, args);
        }
        let limit = self.end_of(carried.ends.iter().copied(), NEVER.to_string());
        let quotients = divisions.iter().map(|division| {
            let [of, by] = division.map(|v| self.begun(v));
            let by = self.divisor(&by);
            ins!(self.t, "sdiv i64 {of}, {by}")
        });
        let quotients = quotients.collect();
        Known {
            limit,
            now: held.iter().map(|held| self.now(held)).collect(),
            quotients,
        }
    }

    /// Names what a held value is for the first thread of a subrange.
    fn name_carried(&mut self, held: &HeldValue) {
        self.widen(held);
        let name = match held.held {
            Held::Fixed => held.name.clone(),
            Held::Along(step) => {
                let grown = self.steps(FIRST, step);
                let wide = ins!(self.t, "add nsw i64 {grown}, {}", held.name);
                self.narrow(held.value, wide)
            }
        };
        self.names[held.value.0 as usize] = name;
    }

    /// An i64 as the type of a value, which it fits.
    fn narrow(&mut self, value: Value, wide: String) -> String {
        match self.ty(value) {
            Scalar::I64 => wide,
            _ => ins!(self.t, "trunc i64 {wide} to i32"),
        }
    }
}

/// What held values are the quotients and remainders of.
fn divisions(split: &Split) -> Vec<Division> {
    let mut all = Vec::new();
    for value in split.held.keys() {
        if let Some(division) = split.divides(*value)
            && !all.contains(&division)
        {
            all.push(division);
        }
    }
    all
}
