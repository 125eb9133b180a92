//! Access to elements: reads, writes and atomic operations.

use super::{Element, View};
use crate::ir::{AtomicOp, Builder, Comp, Expr, ExprBuilder, Op, ParamId, Place, Value};

impl Element {
    /// The parameter that it is in or may be in.
    pub fn array(&self) -> ParamId {
        self.candidates[0].0
    }

    /// The parameters that it is in or may be in.
    pub fn arrays(&self) -> impl Iterator<Item = ParamId> {
        self.candidates.iter().map(|candidate| candidate.0)
    }

    /// The field of a struct whose leaves begin at a number.
    pub fn leaf(&self, number: usize) -> Element {
        let mut out = self.clone();
        for (array, _) in &mut out.candidates {
            array.0 += number as u32;
        }
        out
    }

    /// Reads a component.
    pub fn load(&self, b: &mut Builder, comp: Comp) -> Value {
        self.access(b, comp, 0, &mut |b, place| Some(b.load(place)))
            .expect("a load gives a value")
    }

    /// Writes a component.
    pub fn store(&self, b: &mut Builder, comp: Comp, value: Value) {
        self.access(b, comp, 0, &mut |b, place| {
            b.store(place, value);
            None
        });
    }

    /// Adds to a component atomically.
    pub fn accumulate(&self, b: &mut Builder, comp: Comp, value: Value) {
        self.access(b, comp, 0, &mut |b, place| {
            b.accumulate(place, value);
            None
        });
    }

    /// Changes a component atomically; what was there before.
    pub fn atomic(&self, b: &mut Builder, op: AtomicOp, comp: Comp, value: Value) -> Value {
        self.access(b, comp, 0, &mut |b, place| Some(b.atomic(op, place, value)))
            .expect("an atomic operation gives a value")
    }

    /// Does something to the place that is meant, one of those from number `from` on.
    pub(super) fn access(
        &self,
        b: &mut Builder,
        comp: Comp,
        from: usize,
        act: &mut dyn FnMut(&mut Builder, Place) -> Option<Value>,
    ) -> Option<Value> {
        let (array, index) = self.candidates[from].clone();
        let place = Place { array, index, comp };
        let Some(which) = self.which.filter(|_| from + 1 < self.candidates.len()) else {
            return act(b, place);
        };
        let n = b.i32(from as i32);
        let is = b.op(Op::Eq, &[which, n]);
        b.open(Vec::new());
        let value = act(b, place);
        let then = b.close(value.into_iter().collect());
        b.open(Vec::new());
        let value = self.access(b, comp, from + 1, act);
        let els = b.close(value.into_iter().collect());
        b.branch(is, then, els).first().copied()
    }
}

impl View {
    /// The content of an array of scalars with one dimension.
    pub fn content<'s>(&self, b: &'s ExprBuilder<'_>, index: Expr<'s>) -> Expr<'s> {
        let content = {
            let b = &mut b.builder();
            let element = self.element(b, &[index.value()]);
            element.load(b, Comp::Fixed(0))
        };
        b.expr(content)
    }
}
