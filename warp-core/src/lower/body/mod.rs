//! One body of a kernel: what a thread does, written once for each memory layout.

pub(in crate::lower) mod argument;
pub(in crate::lower) mod atomic;
pub(in crate::lower) mod call;
mod exact;
pub(in crate::lower) mod fault;
pub(in crate::lower) mod long_loop;
pub(in crate::lower) mod matmul;
pub(in crate::lower) mod object;
pub(in crate::lower) mod pack;
pub(in crate::lower) mod place;
pub(in crate::lower) mod print;
pub(in crate::lower) mod region;
mod require;
pub(in crate::lower) mod runs;
pub(in crate::lower) mod slots;
pub(in crate::lower) mod subrange;
pub(in crate::lower) mod undo;

use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{
    AtomicOp, Block, Intrinsic, Kind, ObjectKind, Op, ParamId, Place, Search, Slot, Stmt, Value,
};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::range::Ranges;
use crate::lower::analysis::reductions::Reductions;
use crate::lower::analysis::split::Form;
use crate::lower::analysis::variant::Variant;
use crate::lower::analysis::work;
use crate::lower::emit::lane::Lane;
use crate::lower::emit::strip::Strip;
use crate::lower::emit::text::{Text, ins, register};
use crate::lower::emit::{arith, cast, text};
use crate::lower::guards::conditions::Conditions;
use crate::lower::options::{Options, Printed};
use crate::span::Span;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// What each kind of device writes in its own way. The value behind it holds what the device needs for that.
pub trait Target: Sized {
    /// Loads the bits of [`abi::flag`] of the launch, in the head or in an entry point.
    fn flags(t: &mut Text) -> String;
    /// How many threads a block is to have, in the head.
    fn block_dim(t: &mut Text) -> String;
    /// Whether a fault is the first of its context (i1); where threads share a context, its code is noted at once.
    fn first_fault(t: &mut Text, code: &str) -> String;
    /// Says in the fault whose it is, where several kernels share the place.
    fn sign_fault(t: &mut Text);
    /// What every function is given besides: names of pointers.
    fn given(facts: &KernelFacts<'_>) -> &'static [&'static str];
    /// Where a function begins, in its head.
    fn enter(body: &mut Body<'_, Self>);
    /// Where a function ends, or calls another one.
    fn leave(body: &mut Body<'_, Self>);
    /// Where another function has returned.
    fn reenter(body: &mut Body<'_, Self>);
    /// Where the kernel ends.
    fn end(body: &mut Body<'_, Self>);
    /// What LLVM is told of functions.
    fn attributes(body: &Body<'_, Self>) -> &'static str;
    /// Whether launches may give threads copies of arrays that they add to.
    const COPIES: bool;
    /// Whether the dense body counts on elements of 8, 16 and more bytes to lie at multiples of that, so that several components are
    /// read and written at once.
    const WIDE: bool;
    /// How an atomic exchange is ordered, and the load before one: [`Target::fence`] does the rest.
    const EXCHANGE: [&'static str; 2];
    /// What stands before and behind an exchange, so that what stands around it stays there: locks are made of it.
    fn fence(t: &mut Text);
    /// A pointer to where an address leads that was in memory or passed as a number.
    fn reach(t: &mut Text, address: &str) -> String;
    /// What neighbouring threads have reduced together, and whether this thread is to add it to memory (i1).
    fn gather(t: &mut Text, op: AtomicOp, ty: Scalar, mine: String) -> (String, Option<String>);
    /// `record`.
    fn record(body: &mut Body<'_, Self>, slot: Slot, values: &[Value]);
    /// `replay`.
    fn replay(body: &mut Body<'_, Self>, slot: Slot, outs: &[Value]);
    /// Keeps in the undo log what an address holds.
    fn log(body: &mut Body<'_, Self>, ty: Scalar, at: &str, old: &str);
    /// `mark`.
    fn mark(body: &mut Body<'_, Self>, out: Value);
    /// `unwind`.
    fn unwind(body: &mut Body<'_, Self>, mark: Value);
    /// Lets a loop pay for work that it has done, on its way back: where work is long, it asks whether to go on.
    fn spend(body: &mut Body<'_, Self>, work: u64);
    /// Lets a loop pay in advance for a strip of iterations of so much work, as many as may run without asking; its end.
    fn ration(body: &mut Body<'_, Self>, strip: &Strip<'_>, work: u64) -> String;
    /// The address of an object (i64), or 0.
    fn object(body: &mut Body<'_, Self>, kind: ObjectKind, id: &str) -> String;
    /// A search for so many lanes of so many: the names of its addresses and of its numbers, see [`crate::abi::runtime::SEARCH`].
    fn search(body: &mut Body<'_, Self>, search: Search, of: [&str; 2], lanes: (&str, usize));
    /// A pointer to an array of this type in LLVM that a block shares.
    fn shared(body: &mut Body<'_, Self>, id: ParamId, ty: &str) -> String;
    /// What threads do together.
    fn together(body: &mut Body<'_, Self>, op: &Intrinsic, args: &[Value], outs: &[Value]);
    /// `print`.
    fn print(body: &mut Body<'_, Self>, format: &str, args: &[Value]);
}

/// A plain read-modify-write that waits for its neighbours.
pub struct Pending<'a> {
    /// What it changes.
    pub place: &'a Place,
    /// How.
    pub op: AtomicOp,
    /// The name of the other operand.
    pub value: String,
    /// Where it stands in the user's text.
    pub span: Span,
}

/// An index that a subrange checks.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    /// Of this array.
    pub array: ParamId,
    /// Along this dimension.
    pub dim: usize,
    /// The index.
    pub index: Value,
    /// How it grows.
    pub form: Form,
}

impl Checked {
    /// What the index is at thread 0, if it grows, or anywhere, if it does not.
    pub fn name(index: Value) -> String {
        format!("%index{}", index.0)
    }
}

/// A jump to the block of faults: where from, and what is noted.
#[derive(Debug)]
pub struct Fault {
    /// The block that jumps.
    pub from: String,
    /// What is wrong.
    pub code: i32,
    /// Number of the statement's place.
    pub span: usize,
    /// First number of the message.
    pub a: String,
    /// Second number of the message.
    pub b: String,
}

/// What the bodies of one kernel collect for the rest of its text: what they refer to and rely on.
#[derive(Debug, Default)]
pub struct Tail {
    /// Places that run-time errors name.
    pub spans: Vec<Span>,
    /// The index of each of them.
    pub numbers: HashMap<Span, usize>,
    /// What each `print` prints, where not the kernel does it.
    pub prints: Vec<Printed>,
    /// Constants behind the code.
    pub globals: Vec<String>,
    /// What the entry point sees to.
    pub guards: Conditions,
}

/// The name of a value that the interior takes from the beginning of a subrange.
pub(in crate::lower) fn held_name(value: Value) -> String {
    format!("%held{}", value.0)
}

/// A body under construction.
pub struct Body<'a, T> {
    /// What a thread does.
    pub t: Text,
    /// What is computed once per call: arguments, shapes, strides.
    pub head: Text,
    /// Facts about the kernel.
    pub facts: &'a KernelFacts<'a>,
    /// Facts about integers.
    pub ranges: Ranges<'a>,
    /// What the names of its functions begin with.
    pub symbol: String,
    /// Memory layout.
    pub variant: Variant,
    /// Options.
    pub options: &'a Options,
    /// Where each parameter lies in the args block.
    pub offsets: &'a [usize],
    /// What the device needs besides.
    pub target: T,
    /// The operations that are reduced in registers.
    pub reductions: &'a Reductions<'a>,
    /// Where they stand in the user's text, by register.
    pub(in crate::lower) reduced_at: BTreeMap<usize, Span>,
    /// What stands behind each access to an array: the device's notes to LLVM.
    pub notes: &'static str,
    /// What all bodies refer to.
    pub tail: &'a mut Tail,
    /// The checks that jump to `fault`.
    pub faults: Vec<Fault>,
    /// Whether anything jumps to `bail`.
    pub bails: bool,
    /// Whether the text also runs for threads that do not meet the conditions in force: what follows from these may not be told to LLVM.
    pub partial: bool,
    /// Whether the text is that of where a subrange begins, see [`crate::lower::analysis::split`].
    pub begins: bool,
    /// Whether it is that of threads of the interior.
    pub interior: bool,
    /// Indices that the subrange checks.
    pub checked: Vec<Checked>,
    /// Where the statement at hand stands.
    pub span: Span,
    /// Text of each value; empty for one that is a lane.
    pub names: Vec<String>,
    /// Values that are lanes of a vector.
    pub(in crate::lower) lanes: HashMap<Value, Lane>,
    /// Lanes that have a name for the statement at hand, see [`Body::fetch`].
    pub(in crate::lower) fetched: Vec<Value>,
    /// Plain additions to components of one element that wait to be written, see [`Body::settle`].
    pub pending: Vec<Pending<'a>>,
    /// What the head has loaded or computed, by the name that was asked for.
    pub(in crate::lower) once: HashMap<String, String>,
}

impl<'a, T: Target> Body<'a, T> {
    /// An empty body.
    pub fn new(
        facts: &'a KernelFacts<'a>,
        options: &'a Options,
        variant: Variant,
        offsets: &'a [usize],
        reductions: &'a Reductions<'a>,
        target: T,
        tail: &'a mut Tail,
    ) -> Body<'a, T> {
        Body {
            t: Text::new("t"),
            head: Text::new("h"),
            facts,
            ranges: Ranges::new(
                facts.func,
                &facts.defs,
                &facts.numbers,
                variant.extent().into(),
            ),
            symbol: format!("{}.{}", options.name, variant.suffix()),
            variant,
            options,
            offsets,
            target,
            reductions,
            reduced_at: BTreeMap::new(),
            notes: "",
            tail,
            faults: Vec::new(),
            bails: false,
            partial: false,
            begins: false,
            interior: false,
            checked: Vec::new(),
            span: Span::default(),
            names: vec![String::new(); facts.func.values.len()],
            lanes: HashMap::new(),
            fetched: Vec::new(),
            pending: Vec::new(),
            once: HashMap::new(),
        }
    }

    /// The text of a value.
    pub fn name(&self, value: Value) -> String {
        self.names[value.0 as usize].clone()
    }

    /// A thread index: where a subrange begins, the last one is that of its first thread.
    pub(in crate::lower) fn tid(&self, dim: u8) -> String {
        match self.begins && usize::from(dim) + 1 == self.facts.dims {
            true => "%first.tid".into(),
            false => format!("%tid{dim}"),
        }
    }

    /// Type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.facts.func.ty(value)
    }

    /// Writes something into the head the first time that `name` is asked for; gives its name.
    pub fn once(&mut self, name: String, write: impl FnOnce(&mut Self, &str)) -> String {
        if !self.once.contains_key(&name) {
            write(self, &name);
            self.once.insert(name.clone(), name.clone());
        }
        self.once[&name].clone()
    }

    /// Writes what a block does; its results are then named.
    pub fn block(&mut self, block: &'a Block) {
        let mark = self.ranges.mark();
        self.stmts(&block.stmts);
        self.settle(None);
        self.ranges.forget(mark);
    }

    pub(in crate::lower) fn stmt(&mut self, stmt: &'a Stmt) {
        let kind = &stmt.kind;
        match kind {
            Kind::Let { out, op, args } => self.let_(*out, *op, args),
            Kind::Load { out, place } => {
                self.settle(Some(place.array));
                let at = self.address(place);
                let name = self.t.load(self.facts.func.ty(*out), &at, self.notes);
                self.names[out.0 as usize] = name;
            }
            Kind::Store { place, value, log } => {
                self.settle(Some(place.array));
                let at = self.address(place);
                let ty = self.ty(*value);
                if *log {
                    let old = self.t.load(ty, &at, self.notes);
                    T::log(self, ty, &at, &old);
                }
                let name = self.name(*value);
                self.t.store(ty, &name, &at, self.notes);
            }
            Kind::Intrinsic { op, args, outs } => self.intrinsic(op, args, outs),
            Kind::Call {
                callee, args, outs, ..
            } => self.call(*callee, args, outs),
            Kind::Custom { .. } => unreachable!("its body stands in its place"),
            Kind::Atomic { .. } => self.atomic(kind),
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => match self.names[cond.0 as usize].as_str() {
                "true" => self.inline(then, outs),
                "false" => self.inline(els, outs),
                _ => {
                    self.settle(None);
                    self.if_(*cond, then, els, outs);
                }
            },
            Kind::For {
                start,
                stop,
                step,
                init,
                body,
                outs,
            } => {
                self.settle(None);
                let brief = work::brief(kind, &self.facts.defs).is_some();
                let range = [*start, *stop, *step];
                if brief || work::has_loops(body) {
                    self.for_(range, init, body, outs, brief);
                } else {
                    self.for_in_strips(range, init, body, outs);
                }
            }
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                self.settle(None);
                self.while_(init, cond, body, outs);
            }
        }
    }

    fn intrinsic(&mut self, op: &'a Intrinsic, args: &[Value], outs: &[Value]) {
        match op {
            Intrinsic::Matmul(sizes) => {
                let (a, b) = args.split_at((sizes[0] * sizes[1]) as usize);
                self.matmul(outs, [a, b], *sizes);
            }
            Intrinsic::Factor(_) => unreachable!("its expansion stands in its place"),
            Intrinsic::Check(size) => self.check(args, *size),
            Intrinsic::Require(what) => self.require(args[0], *what),
            Intrinsic::Object(kind) => self.object(outs[0], *kind, args[0]),
            Intrinsic::Read(scalar) => self.read_object(outs[0], *scalar, args),
            Intrinsic::Search(search) => self.search(outs[0], *search, args),
            Intrinsic::Print(format) => T::print(self, format, args),
            Intrinsic::Record(slot) => T::record(self, *slot, args),
            Intrinsic::Replay(slot) => T::replay(self, *slot, outs),
            Intrinsic::Mark => T::mark(self, outs[0]),
            Intrinsic::Unwind => {
                self.settle(None);
                T::unwind(self, args[0]);
            }
            Intrinsic::Barrier(_) | Intrinsic::Exchange(_) => {
                self.settle(None);
                T::together(self, op, args, outs);
            }
        }
    }

    /// The side of an `if` that is known to run.
    fn inline(&mut self, block: &'a Block, outs: &[Value]) {
        self.stmts(&block.stmts);
        for (out, result) in outs.iter().zip(&block.results) {
            self.names[out.0 as usize] = self.name(*result);
            if let Some(lane) = self.lanes.get(result).cloned() {
                self.lanes.insert(*out, lane);
            }
        }
    }

    /// Writes a pure operation and names its result.
    pub fn let_(&mut self, out: Value, op: Op, args: &[Value]) {
        if self.facts.held(out).is_some() && !self.begins {
            self.names[out.0 as usize] = held_name(out);
            return;
        }
        let ty = self.ty(out);
        let names: Vec<String> = args.iter().map(|a| self.name(*a)).collect();
        let name = match op {
            Op::Const(c) => text::constant(ty, c),
            Op::Tid(d) => self.tid(d),
            Op::BlockDim => T::block_dim(&mut self.head),
            Op::Shape(id, d) => self.extent(id, d as usize),
            Op::Param(id, comp) => self.component(id, comp),
            Op::Present(id) => self.present(id),
            Op::Address(id) => {
                let data = self.data(id);
                ins!(self.t, "ptrtoint ptr {data} to i64")
            }
            Op::Stride(id, d) => self.stride(id, d as usize),
            Op::Cast => cast::convert(&mut self.t, self.facts.func.ty(args[0]), ty, &names[0]),
            Op::Bits => {
                let bits = self.t.pack_bits(self.facts.func.ty(args[0]), &names[0]);
                self.t.unpack_bits(ty, bits)
            }
            Op::Select => self.t.select(&names[0], register(ty), &names[1], &names[2]),
            Op::RangeLen => arith::iterations(&mut self.t, ty, [&names[0], &names[1], &names[2]]),
            named => {
                let from = self.ty(args[0]);
                let known = self.known(out, from, args);
                if self.options.check_division
                    && from.is_int()
                    && matches!(op, Op::Div | Op::FloorDiv | Op::Mod)
                    && known.b.has(0)
                {
                    let bad = ins!(self.t, "icmp eq {} {}, 0", register(from), names[1]);
                    self.fail_if(&bad, abi::fault::DIVISION, "0", "0");
                }
                arith::named(&mut self.t, named, from, &names, known)
            }
        };
        self.names[out.0 as usize] = name;
    }

    /// What is known about the integers of an operation.
    pub(in crate::lower) fn known(&self, out: Value, from: Scalar, args: &[Value]) -> arith::Known {
        let mut known = arith::Known::nothing(from);
        if self.partial {
            let constant = args.get(1).and_then(|b| self.ranges.constant(*b));
            if let (true, Some(_)) = (from.is_int(), constant) {
                known.b = self.ranges.of(args[1]);
            }
        } else if from.is_int() {
            known.a = self.ranges.of(args[0]);
            known.b = args.get(1).map_or(known.b, |b| self.ranges.of(*b));
            known.fits = self.ranges.fits(out);
        }
        known.wraps = T::COPIES && self.facts.wraps(args);
        known
    }
}
