//! Loop fission: long straight bodies in several loops over threads, one after the other.
//!
//! LLVM's vectoriser and register allocator take longer than linear in the length of a loop's body. So where a kernel's
//! statements are many, a body runs a strip of threads through the first few hundred, then the same strip through
//! the next: each fissioned loop is a function with a loop of its own. What a later fissioned loop needs of an earlier one waits in
//! memory, a row of numbers for each value. Threads have no order, so nobody sees a difference.
//! [`super::vector::width`] tells LLVM how many threads a vector holds, so that it plans no other vectors.

use super::vector::VectorFacts;
use crate::abi::ctx;
use crate::ir::{Block, Kind, Op, Stmt, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::work::count;
use crate::lower::body::place::TERMS;
use crate::lower::emit::text::{Text, ins, line};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// Statements of a fissioned loop, more or less.
const LENGTH: usize = 400;
/// Threads that run through all fissioned loops before the next ones start.
pub(super) const STRIP: usize = 128;
/// Bytes of a thread that may wait: where more would, the body stays whole.
const MOST: usize = 256;

/// A part of a body.
pub struct FissionedLoop<'a> {
    /// What it does.
    pub stmts: &'a [Stmt],
    /// Values that it computes for itself: those of operations without arguments.
    pub again: Vec<Value>,
    /// Values that wait for it, and where.
    pub ins: Vec<(Value, usize)>,
    /// Values that wait for later ones, and where.
    pub outs: Vec<(Value, usize)>,
}

/// The fissioned loops of a body, and how many bytes wait.
pub struct Fission<'a> {
    /// In order.
    pub list: Vec<FissionedLoop<'a>>,
    /// Bytes for each thread of a strip.
    bytes: usize,
}

impl<'a> Fission<'a> {
    /// Cuts a kernel's body; one fissioned loop if it is short, if its threads depend on each other, or if too much would wait.
    pub fn of(facts: &KernelFacts<'a>, vector: &VectorFacts) -> Fission<'a> {
        let body: &'a Block = &facts.func.body;
        let keeps_order = facts.prints
            || !facts.func.callees.is_empty()
            || !facts.records.is_empty()
            || !facts.logs.is_empty();
        if !keeps_order && !facts.long_loops && vector.parallel && count(&body.stmts) >= 2 * LENGTH
        {
            let cut = Cutter::new(facts, body).cut();
            if cut.bytes <= MOST {
                return cut;
            }
        }
        let whole = FissionedLoop {
            stmts: &body.stmts,
            again: Vec::new(),
            ins: Vec::new(),
            outs: Vec::new(),
        };
        Fission {
            list: vec![whole],
            bytes: 0,
        }
    }

    /// The function that runs the fissioned loops, strip by strip.
    pub fn driver(&self, name: &str) -> String {
        let mut t = Text::new("t");
        let bytes = self.bytes * STRIP;
        line!(t, "%waiting = alloca [{bytes} x i8], align 64");
        line!(t, "%any = icmp slt i64 %begin, %end");
        line!(t, "br i1 %any, label %strip, label %done");
        t.start("strip");
        let last = self.list.len() - 1;
        line!(t, "%at = phi i64 [ %begin, %0 ], [ %to, %ran{last} ]");
        line!(t, "%far = add i64 %at, {STRIP}");
        line!(t, "%to = call i64 @llvm.smin.i64(i64 %far, i64 %end)");
        let code = ctx::ERROR_CODE;
        line!(
            t,
            "%code.at = getelementptr inbounds i8, ptr %ctx, i64 {code}"
        );
        for k in 0..self.list.len() {
            line!(
                t,
                "call void @{name}.{k}(ptr %ctx, ptr %args, i64 %at, i64 %to, ptr %waiting)"
            );
            // What a failed thread would leave waiting is not there.
            let code = ins!(t, "load i32, ptr %code.at, align 4");
            let failed = ins!(t, "icmp ne i32 {code}, 0");
            line!(t, "br i1 {failed}, label %done, label %ran{k}, !prof !6");
            t.start(&format!("ran{k}"));
        }
        line!(t, "%more = icmp slt i64 %to, %end");
        line!(t, "br i1 %more, label %strip, label %done");
        t.start("done");
        line!(t, "ret void");
        format!(
            "define internal void @{name}(ptr %ctx, ptr %args, i64 %begin, i64 %end) nounwind \
             noinline {{\n{}}}\n",
            t.code
        )
    }
}

/// Gives each value that waits a place, which the next one takes when nobody needs the first any more; the bytes of all.
fn place(
    list: &mut [FissionedLoop<'_>],
    defined: &[Vec<Value>],
    last: &BTreeMap<Value, usize>,
    size: impl Fn(Value) -> usize,
) -> usize {
    let mut places: HashMap<Value, usize> = HashMap::new();
    // By size: threads lie at other distances in rows of another one.
    let mut free: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut bytes = 0;
    for (k, fissioned) in list.iter_mut().enumerate() {
        for (value, at) in &mut fissioned.ins {
            *at = places[value];
            // A thread takes what waits for it before it leaves anything.
            if last[value] == k {
                free.entry(size(*value)).or_default().push(*at);
            }
        }
        for value in &defined[k] {
            let left = free.get_mut(&size(*value)).and_then(Vec::pop);
            let at = left.unwrap_or_else(|| {
                bytes += 8;
                bytes - 8
            });
            places.insert(*value, at);
            fissioned.outs.push((*value, at));
        }
    }
    bytes
}

struct Cutter<'a, 'f> {
    facts: &'f KernelFacts<'a>,
    stmts: &'a [Stmt],
    /// By value of the body's own block: which statement defines it.
    defined: HashMap<Value, usize>,
}

impl<'a, 'f> Cutter<'a, 'f> {
    fn new(facts: &'f KernelFacts<'a>, body: &'a Block) -> Self {
        let stmts = body.stmts.iter().enumerate();
        let defined = stmts.flat_map(|(i, stmt)| stmt.kind.outs().iter().map(move |v| (*v, i)));
        Cutter {
            facts,
            stmts: &body.stmts,
            defined: defined.collect(),
        }
    }

    fn cut(&self) -> Fission<'a> {
        let mut list: Vec<FissionedLoop<'a>> = Vec::new();
        // By value that waits: the last fissioned loop that needs it.
        let mut last: BTreeMap<Value, usize> = BTreeMap::new();
        let mut start = 0;
        for (k, end) in self.ends().into_iter().enumerate() {
            let stmts = &self.stmts[start..end];
            let needs = self.needs(stmts, start);
            let (again, ins): (Vec<Value>, Vec<Value>) =
                needs.into_iter().partition(|v| self.is_free(*v));
            last.extend(ins.iter().map(|v| (*v, k)));
            list.push(FissionedLoop {
                stmts,
                again,
                ins: ins.into_iter().map(|v| (v, 0)).collect(),
                outs: Vec::new(),
            });
            start = end;
        }
        let mut defined: Vec<Vec<Value>> = vec![Vec::new(); list.len()];
        for value in last.keys() {
            let at = self.defined[value];
            let behind = |end: &mut usize, fissioned: &FissionedLoop<'_>| {
                *end += fissioned.stmts.len();
                Some(*end)
            };
            let mut ends = list.iter().scan(0, behind);
            let k = ends.position(|end| at < end);
            defined[k.expect("a fissioned loop defines it")].push(*value);
        }
        let bytes = place(&mut list, &defined, &last, |v| self.facts.func.ty(v).size());
        Fission { list, bytes }
    }

    /// Where fissioned loops end: where little waits, near where they are long enough.
    fn ends(&self) -> Vec<usize> {
        let waiting = self.waiting();
        let mut ends = Vec::new();
        let (mut start, mut length) = (0, 0);
        // Of the fissioned loop at hand: the best end so far, and what waits there.
        let mut best: Option<(usize, usize)> = None;
        for (i, stmt) in self.stmts.iter().enumerate() {
            length += count(std::slice::from_ref(stmt));
            if length >= LENGTH / 2 && best.is_none_or(|(_, least)| waiting[i + 1] <= least) {
                best = Some((i + 1, waiting[i + 1]));
            }
            if length >= LENGTH
                && let Some((end, _)) = best.take()
            {
                ends.push(end);
                start = end;
                length = count(&self.stmts[end..=i]);
            }
        }
        if start < self.stmts.len() {
            ends.push(self.stmts.len());
        }
        ends
    }

    /// Before each statement, and behind the last: how many values are defined by then and needed later.
    fn waiting(&self) -> Vec<usize> {
        let mut last: HashMap<Value, usize> = HashMap::new();
        for (i, stmt) in self.stmts.iter().enumerate() {
            for value in self.needs(std::slice::from_ref(stmt), i) {
                if !self.is_free(value) {
                    last.insert(value, i);
                }
            }
        }
        let mut change = vec![0isize; self.stmts.len() + 1];
        for (value, user) in last {
            change[self.defined[&value] + 1] += 1;
            change[user + 1] -= 1;
        }
        let sums = change.into_iter().scan(0, |sum, change| {
            *sum += change;
            Some(*sum as usize)
        });
        sums.collect()
    }

    /// Whether an operation without arguments gives the value.
    fn is_free(&self, value: Value) -> bool {
        matches!(self.facts.defs[value.0 as usize], Def::Let(_, []))
    }

    /// What statements from the `start`-th on read of what earlier ones define.
    fn needs(&self, stmts: &[Stmt], start: usize) -> BTreeSet<Value> {
        let mut found = BTreeSet::new();
        for stmt in stmts {
            self.look(stmt, start, &mut found);
        }
        found
    }

    fn look(&self, stmt: &Stmt, start: usize, found: &mut BTreeSet<Value>) {
        stmt.kind.uses(|v| self.need(v, start, found));
        if let Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. } =
            &stmt.kind
        {
            place.uses(|v| self.need_terms(v, TERMS, start, found));
        }
        for block in stmt.kind.blocks() {
            for stmt in &block.stmts {
                self.look(stmt, start, found);
            }
            for value in &block.results {
                self.need(*value, start, found);
            }
        }
    }

    fn need(&self, value: Value, start: usize, found: &mut BTreeSet<Value>) {
        if self.defined.get(&value).is_some_and(|at| *at < start) {
            found.insert(value);
        }
    }

    /// Indices are written anew from what they are sums and products of.
    fn need_terms(&self, value: Value, depth: u32, start: usize, found: &mut BTreeSet<Value>) {
        self.need(value, start, found);
        let (args, depth) = match self.facts.defs[value.0 as usize] {
            Def::Let(Op::Add | Op::Sub | Op::Mul, args) if depth > 0 => (args, depth - 1),
            Def::Let(Op::Cast, args) => (args, depth),
            _ => return,
        };
        let terms = args.iter().filter(|arg| self.facts.func.ty(**arg).is_int());
        terms.for_each(|arg| self.need_terms(*arg, depth, start, found));
    }
}
