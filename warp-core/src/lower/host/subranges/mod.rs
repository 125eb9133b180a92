//! The loop over the subranges of a row, see [`crate::lower::analysis::split`].

mod ends;
mod quotients;

use super::plan::WHOLE;
use super::target::Host;
use super::threads::{BEHIND, FIRST, NEXT, Row};
use crate::abi::ctx;
use crate::dtype::Scalar;
use crate::ir::Value;
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::range::Mark;
use crate::lower::analysis::split::{End, Form, Held, Level, Split};
use crate::lower::body::{Body, Checked, held_name};
use crate::lower::emit::text::{ins, line, register};
use std::collections::HashSet;
use std::fmt::Write;

/// Further than any thread.
const NEVER: i64 = 1 << 40;

/// A loop over subranges whose beginning is still to be written: what it has to check is known when the interior is.
pub(super) struct Subranges<'a> {
    split: &'a Split,
    /// Where the beginning stands in the text.
    at: usize,
    /// What is in force there.
    mark: Mark,
    /// The first thread of the row, the block that begins with it, and what is behind the row.
    lo: String,
    before: String,
    hi: String,
}

/// What the interior takes from the beginning of a subrange.
struct HeldValue {
    value: Value,
    held: Held,
    /// Of the value, or of what it grows from.
    name: String,
    register: &'static str,
}

impl<'a> Body<'a, Host<'a>> {
    /// Starts a subrange of the threads from `lo` to `hi` of a row. What comes next is the loop over one that is part of the interior.
    pub(super) fn open_subranges(&mut self, lo: &str, hi: &str) -> Option<Subranges<'a>> {
        let split = self.facts.split?;
        let before = self.t.label.clone();
        line!(self.t, "br label %subrange");
        self.t.start("subrange");
        line!(
            self.t,
            "{FIRST} = phi i64 [ {lo}, %{before} ], [ {BEHIND}, %{NEXT} ]"
        );
        let (at, mark) = (self.t.code.len(), self.ranges.mark());
        self.t.start("interior");
        self.assume_interior();
        Some(Subranges {
            split,
            at,
            mark,
            lo: lo.into(),
            before,
            hi: hi.into(),
        })
    }

    /// From here on the text is that of the interior: what is so there is in force.
    pub(super) fn assume_interior(&mut self) {
        if let Some(split) = self.facts.split {
            self.interior = true;
            for (value, truth) in &split.assumed {
                self.ranges.assume(*value, *truth);
            }
        }
    }

    /// Goes on with the next subrange, or behind the last one, and writes how one begins: where it ends, and what runs it.
    pub(super) fn close_subranges(&mut self, open: &Subranges<'a>, row: Option<&Row>, exit: &str) {
        self.ranges.forget(open.mark);
        self.interior = false;
        self.t.start(NEXT);
        let (hi, at) = (&open.hi, open.at);
        let more = ins!(self.t, "icmp slt i64 {BEHIND}, {hi}");
        line!(self.t, "br i1 {more}, label %subrange, label %{exit}");
        let after = std::mem::take(&mut self.t.code);
        let label = self.t.label.clone();
        let vectorises = std::mem::replace(&mut self.t.vectorises, false);
        self.begins = true;
        self.begin(open, row);
        self.begins = false;
        self.t.vectorises = vectorises;
        self.t.label = label;
        let begin = std::mem::replace(&mut self.t.code, after);
        self.t.code.insert_str(at, &begin);
    }

    /// Writes how a subrange begins.
    fn begin(&mut self, open: &Subranges<'a>, row: Option<&Row>) {
        let (split, hi) = (open.split, &open.hi);
        let mut end = hi.clone();
        let mut known = HashSet::new();
        if let Some(carried) = &split.carried {
            self.carry_quotients(open, carried);
            end = ins!(self.t, "call i64 @llvm.smin.i64(i64 {end}, i64 %limit)");
            known.extend(split.held.keys().copied());
        } else {
            line!(self.t, "%first.tid = trunc nuw nsw i64 {FIRST} to i32");
        }
        for (out, op, args) in &split.begin.lets {
            if known.insert(*out) {
                self.let_(*out, *op, args);
            }
        }
        if split.carried.is_none() {
            for held in self.held(split) {
                let now = self.now(&held);
                line!(self.t, "{} = add nsw {} {now}, 0", held.name, held.register);
                self.widen(&held);
            }
        }
        let checked = std::mem::take(&mut self.checked);
        let mut ends = split.begin.ends.clone();
        if let Some(carried) = &split.carried {
            ends.retain(|end| !carried.ends.contains(end));
        }
        for check in &checked {
            if let Form::Along(rise) = check.form
                && split.forms.may_wrap(check.index)
            {
                let of = check.index;
                self.compute(of, &mut known);
                ends.push(End::Wrap { of, rise });
            }
        }
        end = self.end_of(ends, end);
        if let Some(usable) = split.usable {
            let usable = self.name(usable);
            end = ins!(self.t, "select i1 {usable}, i64 {end}, i64 {hi}");
        }
        line!(self.t, "{BEHIND} = add nuw nsw i64 {end}, 0");
        let counts = [split.usable, split.sound].into_iter().flatten();
        let counts = counts.map(|v| self.name(v)).collect();
        let counts = self.all(counts);
        self.leave_out(split, counts.as_deref());
        let count = ins!(self.t, "sub nsw i64 {BEHIND}, {FIRST}");
        let mut inside: Vec<String> = counts.into_iter().collect();
        inside.extend(split.inside.map(|v| self.name(v)));
        let mut named = HashSet::new();
        for check in &checked {
            self.compute(check.index, &mut known);
            let names = named.insert(check.index);
            let fine = self.check_subrange(check, &count, names);
            inside.push(fine);
        }
        self.choose_part(split, inside, row);
    }

    /// What the interior takes from the beginning of a subrange.
    fn held(&self, split: &Split) -> Vec<HeldValue> {
        let all = split.held.iter().map(|(value, held)| {
            let (name, register) = match held {
                Held::Fixed => (held_name(*value), register(self.ty(*value))),
                Held::Along(_) => (format!("{}.from", held_name(*value)), "i64"),
            };
            HeldValue {
                value: *value,
                held: *held,
                name,
                register,
            }
        });
        all.collect()
    }

    /// What is held of a value that was computed for the first thread of a subrange.
    fn now(&mut self, held: &HeldValue) -> String {
        match held.held {
            Held::Fixed => self.name(held.value),
            Held::Along(step) => {
                let now = self.begun(held.value);
                let before = self.steps(FIRST, step);
                ins!(self.t, "sub nsw i64 {now}, {before}")
            }
        }
    }

    /// Names a held value as i64, too.
    fn widen(&mut self, held: &HeldValue) {
        if (held.held, held.register) == (Held::Fixed, "i32") {
            let name = &held.name;
            line!(self.t, "{name}.wide = sext i32 {name} to i64");
        }
    }

    /// Computes a value where a subrange begins.
    fn compute(&mut self, value: Value, known: &mut HashSet<Value>) {
        if let Def::Let(op, args) = self.facts.defs[value.0 as usize]
            && known.insert(value)
        {
            args.iter().for_each(|arg| self.compute(*arg, known));
            self.let_(value, op, args);
        }
    }

    /// Whether an index is in range in all threads of a subrange of `count`; `names`: what it grows from has no name yet.
    fn check_subrange(&mut self, check: &Checked, count: &str, names: bool) -> String {
        let n = self.extent_wide(check.array, check.dim);
        let first = self.begun(check.index);
        let mut fine = vec![ins!(self.t, "icmp ult i64 {first}, {n}")];
        let mut from = first.clone();
        if let Form::Along(step) = check.form {
            let before = self.steps(FIRST, step);
            from = ins!(self.t, "sub nsw i64 {first}, {before}");
            let grown = self.steps(count, step);
            let behind = ins!(self.t, "add nsw i64 {first}, {grown}");
            let last = ins!(self.t, "sub nsw i64 {behind}, {step}");
            fine.push(ins!(self.t, "icmp ult i64 {last}, {n}"));
        }
        let name = Checked::name(check.index);
        if names {
            line!(self.t, "{name} = add nsw i64 {from}, 0");
        }
        let fine = self.all(fine).expect("there are some");
        if !self.facts.asked.contains(&check.array) {
            return fine;
        }
        // An array that is missing is not accessed.
        let data = self.data(check.array);
        let missing = ins!(self.t, "icmp eq ptr {data}, null");
        ins!(self.t, "or i1 {fine}, {missing}")
    }

    /// Whether all hold; None if there are none.
    fn all(&mut self, names: Vec<String>) -> Option<String> {
        let both = |a: String, b: String| ins!(self.t, "and i1 {a}, {b}");
        names.into_iter().reduce(both)
    }

    /// A value that a subrange begins with, as i64.
    fn begun(&mut self, value: Value) -> String {
        let name = self.name(value);
        match self.ty(value) {
            Scalar::I64 => name,
            _ => ins!(self.t, "sext i32 {name} to i64"),
        }
    }

    /// Goes on with the next subrange where threads do nothing; `counts`: whether the ends are to be counted on.
    fn leave_out(&mut self, split: &Split, counts: Option<&str>) {
        let Some(works) = split.works else {
            return;
        };
        let mut works = self.name(works);
        if let Some(counts) = counts {
            works = ins!(self.t, "select i1 {counts}, i1 {works}, i1 true");
        }
        line!(
            self.t,
            "br i1 {works}, label %subrange.works, label %{NEXT}"
        );
        self.t.start("subrange.works");
    }

    /// Runs what is not part of the interior, which goes on in its own block if all of this holds.
    fn choose_part(&mut self, split: &Split, inside: Vec<String>, row: Option<&Row>) {
        let Some(inside) = self.all(inside) else {
            return line!(self.t, "br label %interior");
        };
        line!(self.t, "br i1 {inside}, label %interior, label %border");
        self.t.start("border");
        let [begin, end] = match row {
            None => [FIRST, BEHIND].map(String::from),
            // Counted over all rows.
            Some(row) => {
                let start = ins!(self.t, "sub nsw i64 %row.at, {}", row.lo);
                [FIRST, BEHIND].map(|at| ins!(self.t, "add nsw i64 {start}, {at}"))
            }
        };
        let name = &self.options.name;
        let border = match split.level {
            Level::Idle => format!("{name}.any"),
            Level::Borders => {
                let whole = format!("{name}.{WHOLE}");
                if let Some(usable) = split.usable {
                    let usable = self.name(usable);
                    line!(
                        self.t,
                        "br i1 {usable}, label %border.part, label %border.{WHOLE}"
                    );
                    self.t.start("border.whole");
                    self.hand_over(&whole, [&begin, &end], NEXT);
                    self.t.start("border.part");
                }
                format!("{whole}.any")
            }
        };
        self.hand_over(&border, [&begin, &end], NEXT);
    }

    /// What a number of threads grows to.
    fn steps(&mut self, threads: &str, step: i64) -> String {
        match step {
            1 => threads.into(),
            step => ins!(self.t, "mul nsw i64 {threads}, {step}"),
        }
    }

    /// Where a thread begins: what has grown since the beginning of the subrange.
    pub(super) fn grow(&mut self) {
        let Some(split) = self.facts.split else {
            return;
        };
        let last = self.facts.dims - 1;
        for (value, held) in &split.held {
            if let Held::Along(step) = held {
                let name = held_name(*value);
                let grown = self.steps(&format!("%tid{last}.wide"), *step);
                let wide = match self.ty(*value) {
                    Scalar::I64 => name.clone(),
                    _ => format!("{name}.wide"),
                };
                line!(self.t, "{wide} = add nsw i64 {grown}, {name}.from");
                if wide != name {
                    line!(self.t, "{name} = trunc nsw i64 {wide} to i32");
                }
            }
        }
    }

    /// Has another body run threads, and goes on in a block unless one of them fails.
    pub(super) fn hand_over(&mut self, body: &str, [begin, end]: [&str; 2], next: &str) {
        self.close_stacks(false);
        self.close_fuel();
        line!(
            self.t,
            "call void @{body}(ptr %ctx, ptr %args, i64 {begin}, i64 {end})"
        );
        self.reopen_stacks();
        self.reopen_fuel();
        let at = ctx::ERROR_CODE;
        let at = ins!(self.t, "getelementptr inbounds i8, ptr %ctx, i64 {at}");
        let code = ins!(self.t, "load i32, ptr {at}, align 4");
        let bad = ins!(self.t, "icmp ne i32 {code}, 0");
        let failed = self.t.new_label("failed");
        line!(self.t, "br i1 {bad}, label %{failed}, label %{next}");
        self.t.start(&failed);
        line!(self.t, "ret void");
    }
}
