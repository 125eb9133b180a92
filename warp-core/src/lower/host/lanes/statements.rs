//! Statements of a gang, in order.

use super::analysis::shape::Shape;
use super::body::ORDERED;
use super::fault::Said;
use super::gang::GangBody;
use crate::abi::fault;
use crate::dtype::Scalar;
use crate::ir::{Block, Intrinsic, Kind, Op, Requirement, Stmt, Value};
use crate::lower::analysis::range::Range;
use crate::lower::emit::arith::{self, Known};
use crate::lower::emit::cast;
use crate::lower::emit::text::{ins, register};
use std::fmt::Write;

impl<'a> GangBody<'a> {
    /// Writes what a block does.
    pub(super) fn block(&mut self, block: &'a Block) {
        let mark = self.body.ranges.mark();
        self.statements(&block.stmts);
        self.body.ranges.forget(mark);
    }

    fn statements(&mut self, mut stmts: &'a [Stmt]) {
        let (outside, place) = (std::mem::take(&mut self.early), self.body.span);
        while let Some((first, rest)) = stmts.split_first() {
            self.body.stand(first.span);
            let is_done = self.early.contains(&first.kind.key());
            if !is_done && !self.element(stmts) && !self.pair(stmts) {
                self.statement(&first.kind);
            }
            stmts = rest;
        }
        self.settle();
        self.early = outside;
        self.body.locate(place);
    }

    fn statement(&mut self, kind: &'a Kind) {
        // What only computes may stand between the writes of an element.
        if !matches!(
            kind,
            Kind::Let { .. } | Kind::Store { .. } | Kind::Atomic { .. }
        ) {
            self.settle();
        }
        match kind {
            Kind::Let { out, op, args } => self.let_(*out, *op, args),
            Kind::Load { out, place } => self.load(*out, place),
            Kind::Store { place, value, .. } => self.store(place, *value),
            Kind::Atomic { .. } => self.atomic(kind),
            Kind::If { .. } => self.if_(kind),
            Kind::For { .. } => self.for_(kind),
            Kind::While { .. } => self.while_(kind),
            Kind::Intrinsic { op, args, outs } => match op {
                Intrinsic::Check(size) => self.check(args, *size),
                Intrinsic::Require(what) => self.require(args[0], *what),
                Intrinsic::Object(kind) => self.body.object(outs[0], *kind, args[0]),
                Intrinsic::Read(scalar) => self.read_object(outs[0], *scalar, args),
                Intrinsic::Search(search) => self.search(outs[0], *search, args),
                Intrinsic::Record(slot) => self.record(*slot, args),
                Intrinsic::Replay(slot) => self.replay(*slot, outs),
                op => unreachable!("`choice` leaves kernels with `{}` to scalars", op.name()),
            },
            Kind::Call {
                callee, args, outs, ..
            } => self.call(*callee, args, outs),
            Kind::Custom { .. } => unreachable!("its body stands in its place"),
        }
    }

    /// A pure operation.
    pub(super) fn let_(&mut self, out: Value, op: Op, args: &[Value]) {
        if self.shapes.of(out) != Shape::Varying {
            return self.body.let_(out, op, args);
        }
        let ty = self.body.ty(out);
        let names: Vec<String> = args.iter().map(|a| self.vector(*a)).collect();
        let from = args.first().map_or(ty, |a| self.body.ty(*a));
        let name = match op {
            Op::Tid(_) => ORDERED.into(),
            Op::Cast => self.wide(|g| cast::convert(&mut g.body.t, from, ty, &names[0])),
            Op::Bits => self.wide(|g| {
                let bits = g.body.t.pack_bits(from, &names[0]);
                g.body.t.unpack_bits(ty, bits)
            }),
            Op::Select if self.is_uniform(args[0]) => {
                let (c, v) = (self.body.name(args[0]), self.vector_type(ty));
                let (a, b) = (&names[1], &names[2]);
                ins!(self.body.t, "select i1 {c}, {v} {a}, {v} {b}")
            }
            Op::Select => self.choose(ty, &names[0], &names[1], &names[2]),
            Op::RangeLen => self
                .wide(|g| arith::iterations(&mut g.body.t, ty, [&names[0], &names[1], &names[2]])),
            named => {
                let known = self.body.known(out, from, args);
                if self.body.options.check_division
                    && from.is_int()
                    && matches!(op, Op::Div | Op::FloorDiv | Op::Mod)
                    && known.b.has(0)
                {
                    let (v, b) = (self.vector_type(from), &names[1]);
                    let bad = ins!(self.body.t, "icmp eq {v} {b}, zeroinitializer");
                    self.fail_lanes(&bad, fault::DIVISION, &Said::Same("0"), &Said::Same("0"));
                }
                self.wide(|g| arith::named(&mut g.body.t, named, from, &names, known))
            }
        };
        self.vectors[out.0 as usize] = name;
    }

    /// An operation on the vectors of two values.
    pub(super) fn combine(&mut self, op: Op, ty: Scalar, a: String, b: String) -> String {
        self.wide(|g| arith::named(&mut g.body.t, op, ty, &[a, b], Known::nothing(ty)))
    }

    /// `require`.
    fn require(&mut self, cond: Value, what: Requirement) {
        let code = match what {
            Requirement::Assertion => fault::ASSERTION,
            Requirement::Assigned => fault::UNASSIGNED,
        };
        let cond = self.vector(cond);
        let bad = self.not(&cond);
        self.fail_lanes(&bad, code, &Said::Same("0"), &Said::Same("0"));
    }

    /// `check`.
    fn check(&mut self, args: &[Value], size: Option<u32>) {
        let (index, given) = (args[0], args[1]);
        let hi = match size {
            Some(size) => i128::from(size) - 1,
            None => self.body.ranges.of(args[2]).hi - 1,
        };
        let range = Range { lo: 0, hi };
        let known = size.is_some() && self.body.ranges.of(index).within(range);
        if !self.body.options.check_bounds || known {
            return;
        }
        let ty = self.body.ty(index);
        let (at, given_vector) = (self.vector(index), self.vector(given));
        let given_ty = self.body.ty(given);
        let (size, most) = match size {
            Some(size) => (format!("splat ({} {size})", register(ty)), None),
            None => (self.vector(args[2]), Some(self.body.ty(args[2]))),
        };
        let v = self.vector_type(ty);
        let bad = ins!(self.body.t, "icmp uge {v} {at}, {size}");
        let fixed = (hi + 1).to_string();
        let most = match most {
            None => Said::Same(&fixed),
            Some(ty) => Said::Each(ty, &size),
        };
        self.fail_lanes(
            &bad,
            fault::INDEX,
            &Said::Each(given_ty, &given_vector),
            &most,
        );
        if hi >= 0 {
            self.body.ranges.restrict(index, range);
        }
    }
}
