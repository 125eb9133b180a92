//! The entry point: which body runs, and the loops over threads.

use super::Options;
use super::body::{Body, EXTENT, Layout};
use super::plan::Plan;
use super::text::{Text, ins, line};
use crate::abi;
use crate::ir::{ParamId, ParamType};
use crate::ty::MAX_NDIM;
use std::fmt::Write;

impl Body<'_> {
    /// Writes the whole body: a function `(ctx, args, begin, end)` that runs the threads whose linear
    /// index over the dimensions that the kernel tells apart is in `begin..end`.
    pub(super) fn function(mut self, name: &str) -> Text {
        self.open_slots();
        self.open_stacks();
        self.open_overlap();
        let dims = self.plan.dims;
        self.t.start("start");
        let any = ins!(self.t, "icmp slt i64 %begin, %end");
        line!(self.t, "br i1 {any}, label %first, label %done");
        self.t.start("first");
        // One row is a run along the last dimension, so that the inner loop counts without division.
        let (mut lo, mut hi) = ("%begin".to_string(), "%end".to_string());
        let row = (dims > 1).then(|| self.open_row());
        if let Some(row) = &row {
            (lo, hi) = (row.lo.clone(), row.hi.clone());
        }
        let before = self.t.label.clone();
        line!(self.t, "br label %thread");
        self.t.start("thread");
        let last = dims - 1;
        line!(
            self.t,
            "%tid{last}.wide = phi i64 [ {lo}, %{before} ], [ %tid.next, %latch ]"
        );
        line!(
            self.t,
            "%tid{last} = trunc nuw nsw i64 %tid{last}.wide to i32"
        );
        self.start_slots();
        let func = self.plan.func;
        self.block(&func.body);
        self.end_slots();
        line!(self.t, "br label %latch");
        self.t.start("latch");
        line!(self.t, "%tid.next = add nuw nsw i64 %tid{last}.wide, 1");
        let more = ins!(self.t, "icmp slt i64 %tid.next, {hi}");
        let exit = if row.is_some() { "row.next" } else { "done" };
        let loop_data = match self.layout {
            Layout::Inner if self.plan.tests_lose => "!8",
            Layout::Full | Layout::Inner => "!1",
            Layout::Any => "!3",
        };
        line!(
            self.t,
            "br i1 {more}, label %thread, label %{exit}, !llvm.loop {loop_data}"
        );
        if let Some(row) = row {
            self.close_row(&row);
        }
        self.t.start("done");
        self.flush_slots();
        self.close_stacks(false);
        line!(self.t, "ret void");
        if self.bails {
            self.t.start("bail");
            self.close_stacks(true);
            line!(self.t, "ret void");
        }
        self.assemble(name)
    }

    /// Puts head and body together.
    fn assemble(self, name: &str) -> Text {
        let mut whole = self.t;
        let code = std::mem::take(&mut whole.code);
        let _ = writeln!(
            whole.code,
            "define internal void @{name}(ptr noalias %ctx, ptr noalias readonly %args, i64 %begin, \
             i64 %end) nounwind noinline {{\nentry:"
        );
        whole.code += &self.head.code;
        line!(whole, "br label %start");
        whole.code += &code;
        whole.code += "}\n";
        whole
    }

    /// Starts the loop over rows: outer thread indices are counted up like the digits of a clock.
    fn open_row(&mut self) -> Row {
        let dims = self.plan.dims;
        let size: Vec<String> = (0..dims).map(|d| self.dim(d)).collect();
        let mut rest = "%begin".to_string();
        let mut first = vec![String::new(); dims];
        for d in (1..dims).rev() {
            first[d] = ins!(self.t, "urem i64 {rest}, {}", size[d]);
            rest = ins!(self.t, "udiv i64 {rest}, {}", size[d]);
        }
        first[0] = rest;
        let before = self.t.label.clone();
        line!(self.t, "br label %row");
        self.t.start("row");
        line!(
            self.t,
            "%row.at = phi i64 [ %begin, %{before} ], [ %row.at.next, %row.next ]"
        );
        let last = dims - 1;
        line!(
            self.t,
            "%row.lo = phi i64 [ {}, %{before} ], [ 0, %row.next ]",
            first[last]
        );
        for (d, first) in first.iter().enumerate().take(last) {
            line!(
                self.t,
                "%tid{d}.wide = phi i64 [ {first}, %{before} ], [ %tid{d}.next, %row.next ]"
            );
        }
        for d in 0..last {
            line!(self.t, "%tid{d} = trunc nuw nsw i64 %tid{d}.wide to i32");
        }
        let left = ins!(self.t, "sub nuw nsw i64 %end, %row.at");
        let room = ins!(self.t, "sub nuw nsw i64 {}, %row.lo", size[last]);
        let count = ins!(self.t, "call i64 @llvm.smin.i64(i64 {left}, i64 {room})");
        let hi = ins!(self.t, "add nuw nsw i64 %row.lo, {count}");
        Row {
            size,
            lo: "%row.lo".into(),
            hi,
            count,
        }
    }

    fn close_row(&mut self, row: &Row) {
        let last = self.plan.dims - 1;
        self.t.start("row.next");
        line!(
            self.t,
            "%row.at.next = add nuw nsw i64 %row.at, {}",
            row.count
        );
        // The innermost of the outer dimensions moves on with every row.
        let mut carry = "true".to_string();
        for d in (0..last).rev() {
            let step = ins!(self.t, "zext i1 {carry} to i64");
            let next = ins!(self.t, "add nuw nsw i64 %tid{d}.wide, {step}");
            if d == 0 {
                line!(self.t, "%tid0.next = add nuw nsw i64 {next}, 0");
            } else {
                carry = ins!(self.t, "icmp eq i64 {next}, {}", row.size[d]);
                line!(
                    self.t,
                    "%tid{d}.next = select i1 {carry}, i64 0, i64 {next}"
                );
            }
        }
        let more = ins!(self.t, "icmp slt i64 %row.at.next, %end");
        line!(self.t, "br i1 {more}, label %row, label %done");
    }
}

/// The bounds of one row.
struct Row {
    size: Vec<String>,
    lo: String,
    hi: String,
    count: String,
}

/// Writes the function that the launcher calls. It chooses the body and, where the launch has more
/// dimensions than the kernel tells apart, runs each thread as often as those say.
pub fn entry(plan: &Plan, symbol: &str, options: &Options, offsets: &[usize]) -> String {
    let mut t = Text::new("t", options.contract);
    let two = !plan.arrays.is_empty();
    line!(
        t,
        "%more.at = getelementptr inbounds i8, ptr %args, i64 {}",
        abi::DIMS_OFFSET
    );
    let mut repeats = "1".to_string();
    for d in plan.dims..MAX_NDIM {
        let n = read(&mut t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
        let n = ins!(t, "zext i32 {n} to i64");
        repeats = ins!(t, "mul i64 {repeats}, {n}");
    }
    let once = ins!(t, "icmp eq i64 {repeats}, 1");
    line!(t, "br i1 {once}, label %choose, label %repeat");

    t.start("choose");
    let call = |t: &mut Text, layout: Layout| {
        let which = layout.suffix();
        line!(
            t,
            "tail call void @{symbol}.{which}(ptr %ctx, ptr %args, i64 %begin, i64 %end)"
        );
        line!(t, "ret void");
    };
    if two {
        let checks = checks(&mut t, plan, offsets);
        let dense = all_of(&mut t, &checks);
        line!(t, "br i1 {dense}, label %dense, label %any");
        t.start("dense");
    }
    if !plan.asked.is_empty() {
        let mut present = Vec::new();
        for id in &plan.asked {
            let data = read(&mut t, "ptr", offsets[id.0 as usize] + abi::array::DATA, 8);
            present.push(ins!(t, "icmp ne ptr {data}, null"));
        }
        let full = all_of(&mut t, &present);
        line!(t, "br i1 {full}, label %full, label %inner");
        t.start("full");
        call(&mut t, Layout::Full);
        t.start("inner");
    }
    call(&mut t, Layout::Inner);
    if two {
        t.start("any");
        call(&mut t, Layout::Any);
    }

    t.start("repeat");
    let some = ins!(t, "icmp slt i64 %begin, %end");
    line!(t, "br i1 {some}, label %each, label %done");
    t.start("each");
    line!(t, "%i = phi i64 [ %begin, %repeat ], [ %next, %each ]");
    line!(t, "%one = udiv i64 %i, {repeats}");
    line!(t, "%behind = add i64 %one, 1");
    let which = if two { "any" } else { "inner" };
    line!(
        t,
        "call void @{symbol}.{which}(ptr %ctx, ptr %args, i64 %one, i64 %behind)"
    );
    line!(
        t,
        "%code.at = getelementptr inbounds i8, ptr %ctx, i64 {}",
        abi::ctx::ERROR_CODE
    );
    line!(t, "%code = load i32, ptr %code.at, align 4");
    line!(t, "%fine = icmp eq i32 %code, 0");
    line!(t, "%next = add i64 %i, 1");
    line!(t, "%rest = icmp slt i64 %next, %end");
    line!(t, "%on = and i1 %fine, %rest");
    line!(t, "br i1 %on, label %each, label %done");
    t.start("done");
    line!(t, "ret void");
    format!(
        "define void @{symbol}(ptr %ctx, ptr %args, i64 %begin, i64 %end) nounwind {{\n{}}}\n",
        t.code
    )
}

fn all_of(t: &mut Text, checks: &[String]) -> String {
    let mut all = "true".to_string();
    for check in checks {
        all = ins!(t, "and i1 {all}, {check}");
    }
    all
}

fn read(t: &mut Text, ty: &str, offset: usize, align: usize) -> String {
    let at = ins!(t, "getelementptr inbounds i8, ptr %args, i64 {offset}");
    ins!(t, "load {ty}, ptr {at}, align {align}")
}

/// What must hold for the body with plain layouts.
fn checks(t: &mut Text, plan: &Plan, offsets: &[usize]) -> Vec<String> {
    let mut all = Vec::new();
    for d in 0..plan.dims {
        let n = read(t, "i32", abi::DIMS_OFFSET + 4 * d, 4);
        all.push(ins!(t, "icmp ule i32 {n}, {EXTENT}"));
    }
    for id in plan.array_params() {
        let ParamType::Array { ndim, .. } = plan.func.param(id).ty else {
            continue;
        };
        let at = offsets[id.0 as usize];
        if plan.shapes.contains(&id) {
            for d in 0..ndim as usize {
                let n = read(t, "i32", at + abi::array::SHAPE + 4 * d, 4);
                all.push(ins!(t, "icmp ule i32 {n}, {EXTENT}"));
            }
        }
        if plan.arrays.contains(&id) {
            let last = at + abi::array::STRIDES + 8 * (ndim as usize - 1);
            let stride = read(t, "i64", last, 8);
            let close = ins!(t, "icmp eq i64 {stride}, {}", plan.func.param(id).step());
            let data = read(t, "ptr", at + abi::array::DATA, 8);
            // An array that is missing is not accessed, whatever its strides.
            let missing = ins!(t, "icmp eq ptr {data}, null");
            all.push(ins!(t, "or i1 {close}, {missing}"));
        }
    }
    if !plan.plain.is_empty() {
        let at = ins!(
            t,
            "getelementptr inbounds i8, ptr %ctx, i64 {}",
            abi::ctx::FLAGS
        );
        let flags = ins!(t, "load i32, ptr {at}, align 4");
        let bit = ins!(t, "and i32 {flags}, {}", abi::flag::OVERLAP);
        all.push(ins!(t, "icmp eq i32 {bit}, 0"));
    }
    apart(t, plan, offsets, &mut all);
    all
}

/// That no array whose elements belong to one thread each overlaps itself or another array. Fields of one array of
/// structs count as one array, once they are where fields are expected.
fn apart(t: &mut Text, plan: &Plan, offsets: &[usize], all: &mut Vec<String>) {
    if plan.owned.is_empty() {
        return;
    }
    let group = |id: ParamId| plan.func.param(id).part.map(|part| part.group);
    let owned = |id: ParamId| match group(id) {
        None => plan.owned.contains(&id),
        own => plan.owned.iter().any(|other| group(*other) == own),
    };
    let mut spans: Vec<(ParamId, String, String)> = Vec::new();
    for id in plan.arrays.iter().copied() {
        let param = plan.func.param(id);
        let ParamType::Array { ndim, .. } = param.ty else {
            continue;
        };
        let at = offsets[id.0 as usize];
        let data = read(t, "i64", at + abi::array::DATA, 8);
        let start = match param.part {
            Some(part) => ins!(t, "sub i64 {data}, {}", part.offset),
            None => data.clone(),
        };
        let known = spans
            .iter()
            .find(|span| param.part.is_some() && group(span.0) == group(id));
        if let Some((other, theirs, _)) = known {
            let fits = siblings(t, offsets, ndim, (id, &start), (*other, theirs));
            // A field that is missing is not accessed.
            let missing = ins!(t, "icmp eq i64 {data}, 0");
            all.push(ins!(t, "or i1 {fits}, {missing}"));
            continue;
        }
        // Bytes from the first element to the end of the last, for strides that do not fall.
        let mut reach = param.step().to_string();
        for d in (0..ndim as usize).rev() {
            let n = read(t, "i32", at + abi::array::SHAPE + 4 * d, 4);
            let n = ins!(t, "zext i32 {n} to i64");
            let stride = read(t, "i64", at + abi::array::STRIDES + 8 * d, 8);
            let least = if owned(id) { reach.as_str() } else { "0" };
            all.push(ins!(t, "icmp sge i64 {stride}, {least}"));
            let steps = ins!(t, "sub i64 {n}, 1");
            let bytes = ins!(t, "mul i64 {steps}, {stride}");
            reach = ins!(t, "add i64 {reach}, {bytes}");
        }
        let end = ins!(t, "add i64 {start}, {reach}");
        spans.push((id, start, end));
    }
    for (i, (a, start_a, end_a)) in spans.iter().enumerate() {
        for (b, start_b, end_b) in &spans[i + 1..] {
            if owned(*a) || owned(*b) {
                let before = ins!(t, "icmp ule i64 {end_a}, {start_b}");
                let behind = ins!(t, "icmp ule i64 {end_b}, {start_a}");
                all.push(ins!(t, "or i1 {before}, {behind}"));
            }
        }
    }
}

/// Whether two arrays are fields of the same structs, which begin at these addresses if they are.
fn siblings(
    t: &mut Text,
    offsets: &[usize],
    ndim: u8,
    (a, start_a): (ParamId, &str),
    (b, start_b): (ParamId, &str),
) -> String {
    let mut same = ins!(t, "icmp eq i64 {start_a}, {start_b}");
    for d in 0..ndim as usize {
        for (ty, at, size) in [
            ("i32", abi::array::SHAPE + 4 * d, 4),
            ("i64", abi::array::STRIDES + 8 * d, 8),
        ] {
            let [x, y] = [a, b].map(|id| read(t, ty, offsets[id.0 as usize] + at, size));
            let equal = ins!(t, "icmp eq {ty} {x}, {y}");
            same = ins!(t, "and i1 {same}, {equal}");
        }
    }
    same
}
