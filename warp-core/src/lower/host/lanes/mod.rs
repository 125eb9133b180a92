//! Bodies that run a group of threads at once, one thread in each lane of vectors (single program, multiple data, as in ispc:
//! Pharr and Mark, 2012).
//!
//! `shape.rs` says which values lanes share: these stay numbers, and what grows by a constant from lane to lane is the number of
//! the first lane. The others are vectors. Where lanes take different ways, a mask says which of them run: an `if` runs
//! each side that any lane takes, a loop runs while any lane does. What lanes that do not run would write, read from memory or
//! fail at never happens; what they compute goes nowhere.
//!
//! Arithmetic is written by the same functions as for scalars, at another width, so that the bits are the same. Where a launch is one
//! row, threads that fill no group run through the scalar body. Where it has many, the last group of each has lanes that do not run.

mod access;
mod choice;
mod cost;
mod elements;
mod fault;
mod flow;
mod loops;
mod records;
mod serial;
mod shape;
mod statements;
mod sums;
mod value;

pub use choice::Choice;

use super::target::Host;
use crate::abi::ctx;
use crate::dtype::Scalar;
use crate::ir::Block;
use crate::lower::body::Body;
use crate::lower::report::Costly;
use crate::lower::text::{Text, ins, line};
use crate::span::Span;
use elements::Write as Pending;
use shape::Shapes;
use std::fmt::Write;

/// A body under construction that runs groups of threads.
pub struct Group<'a> {
    /// What is written once for all lanes, and what it knows.
    body: Body<'a, Host<'a>>,
    /// How values differ between lanes.
    shapes: &'a Shapes,
    /// Lanes of a group.
    width: usize,
    /// Names of the values that are vectors.
    vectors: Vec<String>,
    /// The lanes that run here; none says that all do.
    mask: Option<String>,
    /// Writes of components that wait for the others of their elements.
    pending: Vec<Pending<'a>>,
    /// What costs time.
    notes: Vec<(Costly, Span)>,
}

impl<'a> Group<'a> {
    /// An empty body.
    pub fn new(body: Body<'a, Host<'a>>, choice: &'a Choice) -> Group<'a> {
        let vectors = vec![String::new(); body.facts.func.values.len()];
        Group {
            body,
            shapes: &choice.shapes,
            width: choice.width,
            vectors,
            mask: None,
            pending: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Writes the body: a function `(ctx, args, begin, end)` like the scalar one, which the function `rest` is. Besides what
    /// costs time in it.
    pub fn function(
        mut self,
        name: &str,
        rest: &str,
        block: &'a Block,
    ) -> (Text, Vec<(Costly, Span)>) {
        let b = &mut self.body;
        b.open_slots();
        b.open_stacks();
        b.open_fuel();
        self.open_sums();
        let b = &mut self.body;
        let dims = b.facts.dims;
        b.t.start("start");
        let any = ins!(b.t, "icmp slt i64 %begin, %end");
        line!(b.t, "br i1 {any}, label %first, label %done");
        b.t.start("first");
        let (mut lo, mut hi) = ("%begin".to_string(), "%end".to_string());
        let row = (dims > 1).then(|| b.open_row());
        if let Some(row) = &row {
            (lo, hi) = (row.lo.clone(), row.hi.clone());
        }
        let many = row.is_some();
        let mut middle = hi.clone();
        let exit = if many { "row.next" } else { "left" };
        if !many {
            let count = ins!(b.t, "sub nsw i64 {hi}, {lo}");
            let whole = ins!(b.t, "and i64 {count}, {}", -(self.width as i64));
            middle = ins!(b.t, "add nsw i64 {lo}, {whole}");
        }
        let some = ins!(b.t, "icmp slt i64 {lo}, {middle}");
        let before = b.t.label.clone();
        line!(b.t, "br i1 {some}, label %group, label %{exit}");
        b.t.start("group");
        let last = dims - 1;
        line!(
            b.t,
            "%tid{last}.wide = phi i64 [ {lo}, %{before} ], [ %tid.next, %latch ]"
        );
        line!(b.t, "%tid{last} = trunc nuw nsw i64 %tid{last}.wide to i32");
        if many {
            self.mask_row(&hi);
        }
        self.block(block);
        let b = &mut self.body;
        line!(b.t, "br label %latch");
        b.t.start("latch");
        line!(
            b.t,
            "%tid.next = add nuw nsw i64 %tid{last}.wide, {}",
            self.width
        );
        let more = ins!(b.t, "icmp slt i64 %tid.next, {middle}");
        line!(
            b.t,
            "br i1 {more}, label %group, label %{exit}, !llvm.loop !8"
        );
        match &row {
            Some(row) => b.close_row(row),
            None => self.rest(rest, &middle),
        }
        let notes = std::mem::take(&mut self.notes);
        (self.close(name), notes)
    }

    /// Notes that the statement at hand costs time.
    fn note(&mut self, what: Costly) {
        let note = (what, self.body.span);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The lanes of a row's group that are within the row.
    fn mask_row(&mut self, hi: &str) {
        let last = self.body.facts.dims - 1;
        let left = ins!(self.body.t, "sub nsw i64 {hi}, %tid{last}.wide");
        let lanes = self.width;
        let left = ins!(
            self.body.t,
            "call i64 @llvm.smin.i64(i64 {left}, i64 {lanes})"
        );
        let left = ins!(self.body.t, "trunc nuw nsw i64 {left} to i32");
        let left = self.splat(Scalar::I32, &left);
        let steps = self.steps(Scalar::I32, 1);
        let within = ins!(self.body.t, "icmp slt <{lanes} x i32> {steps}, {left}");
        self.mask = Some(within);
        self.body.partial = true;
    }

    /// Has the scalar body run the threads of a row that fill no group.
    fn rest(&mut self, rest: &str, middle: &str) {
        let b = &mut self.body;
        b.t.start("left");
        let some = ins!(b.t, "icmp slt i64 {middle}, %end");
        line!(b.t, "br i1 {some}, label %rest, label %done");
        b.t.start("rest");
        b.close_stacks(false);
        b.close_fuel();
        line!(
            b.t,
            "call void @{rest}(ptr %ctx, ptr %args, i64 {middle}, i64 %end)"
        );
        b.reopen_stacks();
        b.reopen_fuel();
        let at = ctx::ERROR_CODE;
        let at = ins!(b.t, "getelementptr inbounds i8, ptr %ctx, i64 {at}");
        let code = ins!(b.t, "load i32, ptr {at}, align 4");
        let failed = ins!(b.t, "icmp ne i32 {code}, 0");
        line!(b.t, "br i1 {failed}, label %failed, label %done");
        b.t.start("failed");
        line!(b.t, "ret void");
    }

    fn close(mut self, name: &str) -> Text {
        self.body.t.start("done");
        self.close_sums();
        let mut b = self.body;
        b.flush_slots();
        b.close_stacks(false);
        b.close_fuel();
        line!(b.t, "ret void");
        b.close_faults();
        if b.bails {
            b.t.start("bail");
            b.close_stacks(true);
            line!(b.t, "ret void");
        }
        b.assemble(name, false)
    }
}

/// A constant vector of integers.
fn spelled(lanes: usize, ty: &str, each: impl Fn(usize) -> i64) -> String {
    let all = (0..lanes).map(|lane| format!("{ty} {}", each(lane)));
    format!("<{}>", all.collect::<Vec<_>>().join(", "))
}
