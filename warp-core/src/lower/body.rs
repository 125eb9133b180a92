//! One body of a kernel: what a thread does, written once for each memory layout.

use super::Options;
use super::atomic::Pending;
use super::plan::Plan;
use super::range::{Def, Ranges};
use super::text::{Text, ins, line, register};
use super::{arith, cast, text};
use crate::abi;
use crate::dtype::Scalar;
use crate::ir::{Block, Const, Kind, Op, ParamId, Stmt, Value};
use crate::span::Span;
use std::collections::HashMap;
use std::fmt::Write;

/// Bound on launch dimensions and shapes in the body for plain layouts; larger ones take the other
/// body. The room below 2^31 keeps `tid + 1` and its like from wrapping.
pub const EXTENT: i64 = (1 << 31) - (1 << 16);

/// Which memory layout a body is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// As `Inner`, and no array is missing: for kernels that ask.
    Full,
    /// Elements along the last dimension of every array follow each other.
    Inner,
    /// Strides are known at run time only.
    Any,
}

impl Layout {
    /// Whether elements along the last dimension follow each other.
    pub fn is_dense(self) -> bool {
        self != Layout::Any
    }
    /// How the body's name ends.
    pub const fn suffix(self) -> &'static str {
        match self {
            Layout::Full => "full",
            Layout::Inner => "inner",
            Layout::Any => "any",
        }
    }
}

/// A body under construction.
pub struct Body<'a> {
    /// What a thread does.
    pub t: Text,
    /// What is computed once per call: arguments, shapes, strides.
    pub head: Text,
    /// Facts about the kernel.
    pub plan: &'a Plan<'a>,
    /// Facts about integers.
    pub ranges: Ranges<'a>,
    /// Memory layout.
    pub layout: Layout,
    /// Options.
    pub options: &'a Options,
    /// Where each parameter lies in the args block.
    pub offsets: &'a [usize],
    /// What stands behind each access to an array: the access group, if there is one.
    pub group: &'static str,
    /// Places that run-time errors name.
    pub spans: &'a mut Vec<Span>,
    /// Constants behind the code.
    pub globals: &'a mut Vec<String>,
    /// Whether anything jumps to `bail`.
    pub bails: bool,
    /// Where the statement at hand stands.
    pub span: Span,
    /// Text of each value.
    pub names: Vec<String>,
    /// Plain additions to components of one element that wait to be written, see [`Body::settle`].
    pub pending: Vec<Pending<'a>>,
    once: HashMap<String, String>,
}

impl<'a> Body<'a> {
    /// An empty body.
    pub fn new(
        plan: &'a Plan<'a>,
        options: &'a Options,
        layout: Layout,
        offsets: &'a [usize],
        spans: &'a mut Vec<Span>,
        globals: &'a mut Vec<String>,
    ) -> Body<'a> {
        let extent = match layout {
            Layout::Full | Layout::Inner => EXTENT,
            Layout::Any => i64::from(i32::MAX),
        };
        Body {
            t: Text::new("t", options.contract),
            head: Text::new("h", options.contract),
            plan,
            ranges: Ranges::new(plan.func, &plan.defs, extent.into()),
            layout,
            options,
            offsets,
            group: "",
            spans,
            globals,
            bails: false,
            span: Span::default(),
            names: vec![String::new(); plan.func.values.len()],
            pending: Vec::new(),
            once: HashMap::new(),
        }
    }

    /// The text of a value.
    pub fn name(&self, value: Value) -> String {
        self.names[value.0 as usize].clone()
    }
    /// Type of a value.
    pub fn ty(&self, value: Value) -> Scalar {
        self.plan.func.ty(value)
    }

    /// Writes something into the head the first time that `name` is asked for; gives its name.
    pub fn once(&mut self, name: String, write: impl FnOnce(&mut Self, &str)) -> String {
        if !self.once.contains_key(&name) {
            write(self, &name);
            self.once.insert(name.clone(), name.clone());
        }
        self.once[&name].clone()
    }

    /// Name of a value in the args block, loaded in the head.
    fn argument(&mut self, name: String, ty: &str, offset: usize, tail: &str) -> String {
        self.once(name, |b, name| {
            line!(
                b.head,
                "{name}.at = getelementptr inbounds i8, ptr %args, i64 {offset}"
            );
            line!(
                b.head,
                "{name} = load {ty}, ptr {name}.at{tail}, !invariant.load !5"
            );
        })
    }

    /// Data pointer of an array.
    pub fn data(&mut self, id: ParamId) -> String {
        let at = self.offsets[id.0 as usize] + abi::array::DATA;
        self.argument(format!("%a{}.data", id.0), "ptr", at, ", align 8")
    }
    /// Extent of a dimension as i32.
    pub fn extent(&mut self, id: ParamId, dim: usize) -> String {
        let at = self.offsets[id.0 as usize] + abi::array::SHAPE + 4 * dim;
        let tail = ", align 4, !range !4";
        self.argument(format!("%a{}.n{dim}", id.0), "i32", at, tail)
    }
    /// Extent of a dimension as i64.
    pub fn extent_wide(&mut self, id: ParamId, dim: usize) -> String {
        let narrow = self.extent(id, dim);
        self.once(format!("{narrow}.wide"), |b, name| {
            line!(b.head, "{name} = zext nneg i32 {narrow} to i64");
        })
    }
    /// Byte stride of a dimension.
    pub fn stride(&mut self, id: ParamId, dim: usize) -> String {
        let at = self.offsets[id.0 as usize] + abi::array::STRIDES + 8 * dim;
        self.argument(format!("%a{}.s{dim}", id.0), "i64", at, ", align 8")
    }
    /// A launch dimension as i64.
    pub fn dim(&mut self, dim: usize) -> String {
        let tail = ", align 4, !range !4";
        let at = abi::DIMS_OFFSET + 4 * dim;
        let narrow = self.argument(format!("%dim{dim}.narrow"), "i32", at, tail);
        self.once(format!("%dim{dim}"), |b, name| {
            line!(b.head, "{name} = zext nneg i32 {narrow} to i64");
        })
    }
    /// A component of a parameter that is passed by value.
    fn component(&mut self, id: ParamId, comp: u32) -> String {
        let ty = self.plan.func.param(id).ty.elem().scalar();
        let at = self.offsets[id.0 as usize] + comp as usize * ty.size();
        let key = format!("%p{}.{comp}", id.0);
        if let Some(name) = self.once.get(&key) {
            return name.clone();
        }
        line!(
            self.head,
            "{key}.at = getelementptr inbounds i8, ptr %args, i64 {at}"
        );
        let tail = format!(", align {}, !invariant.load !5", ty.size());
        line!(
            self.head,
            "{key} = load {}, ptr {key}.at{tail}",
            text::memory(ty)
        );
        let name = self.head.unpack(ty, key.clone());
        self.once.insert(key, name.clone());
        name
    }
    fn present(&mut self, id: ParamId) -> String {
        if self.layout == Layout::Full {
            return "true".into();
        }
        let data = self.data(id);
        self.once(format!("%a{}.present", id.0), |b, name| {
            line!(b.head, "{name} = icmp ne ptr {data}, null");
        })
    }

    /// Writes what a block does; its results are then named.
    pub fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.settle(None);
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        self.span = stmt.span;
        let kind = &stmt.kind;
        match kind {
            Kind::Let { out, op, args } => self.let_(*out, *op, args),
            Kind::Load { out, place } => {
                self.settle(Some(place.array));
                let at = self.address(place);
                let name = self.t.load(self.plan.func.ty(*out), &at, self.group);
                self.names[out.0 as usize] = name;
            }
            Kind::Store { place, value, log } => {
                self.settle(Some(place.array));
                let at = self.address(place);
                let ty = self.ty(*value);
                if *log {
                    let old = self.t.load(ty, &at, self.group);
                    self.log(ty, &at, &old);
                }
                let name = self.name(*value);
                self.t.store(ty, &name, &at, self.group);
            }
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
                self.for_([*start, *stop, *step], init, body, outs);
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
            Kind::Print { format, args } => self.print(format, args),
            Kind::Record { slot, values } => self.record(*slot, values),
            Kind::Replay { slot, outs } => self.replay(*slot, outs),
            Kind::Mark { out } => self.mark(*out),
            Kind::Unwind { mark } => {
                self.settle(None);
                self.unwind(*mark);
            }
        }
    }

    /// The side of an `if` that is known to run.
    fn inline(&mut self, block: &'a Block, outs: &[Value]) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        for (out, result) in outs.iter().zip(&block.results) {
            self.names[out.0 as usize] = self.name(*result);
        }
    }

    /// Writes a pure operation and names its result.
    pub fn let_(&mut self, out: Value, op: Op, args: &[Value]) {
        let ty = self.ty(out);
        let names: Vec<String> = args.iter().map(|a| self.name(*a)).collect();
        let name = match op {
            Op::Const(c) => text::constant(ty, c),
            Op::Tid(d) => format!("%tid{d}"),
            Op::Shape(id, d) => self.extent(id, d as usize),
            Op::Param(id, comp) => self.component(id, comp),
            Op::Present(id) => self.present(id),
            Op::Cast => cast::convert(&mut self.t, self.plan.func.ty(args[0]), ty, &names[0]),
            Op::Select => self.t.select(&names[0], register(ty), &names[1], &names[2]),
            Op::RangeLen => arith::rounds(&mut self.t, ty, [&names[0], &names[1], &names[2]]),
            named => {
                let from = self.ty(args[0]);
                let known = self.known(out, from, args);
                if self.options.check_bounds
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

    fn known(&self, out: Value, from: Scalar, args: &[Value]) -> arith::Known {
        let mut known = arith::Known::nothing(from);
        if from.is_int() {
            known.a = self.ranges.of(args[0]);
            known.b = args.get(1).map_or(known.b, |b| self.ranges.of(*b));
            known.fits = self.ranges.fits(out);
        }
        known
    }

    /// An int32 or int64 value as i64. Sums and products that do not wrap are formed in 64 bits, so that
    /// LLVM sees how addresses grow with the thread index.
    pub fn wide(&mut self, value: Value, depth: u32) -> String {
        let ty = self.ty(value);
        match self.plan.defs[value.0 as usize] {
            Def::Let(Op::Const(Const::Int(i)), _) => i.to_string(),
            Def::Let(Op::Tid(d), _) => format!("%tid{d}.wide"),
            Def::Let(Op::Shape(id, d), _) => self.extent_wide(id, d as usize),
            Def::Let(Op::Cast, args) if ty == Scalar::I64 && self.ty(args[0]) == Scalar::I32 => {
                self.wide(args[0], depth)
            }
            Def::Let(op @ (Op::Add | Op::Sub | Op::Mul), args)
                if ty == Scalar::I32 && depth > 0 && self.ranges.fits(value) =>
            {
                let [a, b] = [args[0], args[1]].map(|v| self.wide(v, depth - 1));
                let name = op.name().expect("named");
                ins!(self.t, "{name} nsw i64 {a}, {b}")
            }
            _ if ty == Scalar::I32 => {
                let name = self.name(value);
                ins!(self.t, "sext i32 {name} to i64")
            }
            _ => self.name(value),
        }
    }

    /// Ends the kernel with a run-time error if `bad` holds.
    pub fn fail_if(&mut self, bad: &str, code: i32, a: &str, b: &str) {
        let (fail, go) = (self.t.new_label("fail"), self.t.new_label("go"));
        line!(self.t, "br i1 {bad}, label %{fail}, label %{go}, !prof !6");
        self.t.start(&fail);
        let span = self.place_number();
        line!(
            self.t,
            "call void @warp_fail(ptr %ctx, i32 {code}, i32 {span}, i64 {a}, i64 {b})"
        );
        line!(self.t, "br label %bail");
        self.bails = true;
        self.t.start(&go);
    }

    /// Number of the statement's place in the table of places.
    fn place_number(&mut self) -> usize {
        let at = self.spans.iter().position(|s| *s == self.span);
        at.unwrap_or_else(|| {
            self.spans.push(self.span);
            self.spans.len() - 1
        })
    }
}
