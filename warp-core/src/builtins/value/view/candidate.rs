//! One array that a view may be: its values, extents and cuts.

use super::{Axis, Candidate, Cut};
use crate::dtype::Scalar;
use crate::ir::{Builder, Const, Described, Expr, ExprBuilder, Kind, Op, Size, Value};

impl Candidate {
    /// Whether it is all of the array.
    pub fn is_whole(&self) -> bool {
        self.axes.iter().all(|axis| *axis == Axis::Whole)
    }

    /// Whether another one differs at most in the values that say where it lies.
    pub fn is_like(&self, other: &Candidate) -> bool {
        let pairs = self.axes.iter().zip(&other.axes);
        let kind = std::mem::discriminant::<Axis>;
        self.array == other.array && pairs.into_iter().all(|(a, b)| kind(a) == kind(b))
    }

    /// The values that say where it lies.
    pub fn values(&self) -> Vec<Value> {
        let mut values = self.described.to_vec();
        for axis in &self.axes {
            match *axis {
                Axis::At(index) => values.push(index),
                Axis::Whole => {}
                Axis::Part { start, step, len } => values.extend([start, step, len]),
            }
        }
        values
    }

    /// The same with other values.
    pub fn with_values(&self, values: &mut impl Iterator<Item = Value>) -> Candidate {
        let mut next = |old: Value| values.next().unwrap_or(old);
        let described = self.described.iter().map(|old| next(*old)).collect();
        let axes = self.axes.iter().map(|axis| match *axis {
            Axis::At(index) => Axis::At(next(index)),
            Axis::Whole => Axis::Whole,
            Axis::Part { start, step, len } => Axis::Part {
                start: next(start),
                step: next(step),
                len: next(len),
            },
        });
        Candidate {
            array: self.array,
            axes: axes.collect(),
            described,
        }
    }

    /// The types of its values.
    pub fn types(&self, b: &Builder) -> Vec<Scalar> {
        let described = match self.described.is_empty() {
            true => Vec::new(),
            false => Described::types(self.axes.len()).collect(),
        };
        let indices = self.values().split_off(described.len());
        let indices = indices.into_iter().map(|v| b.ty(v));
        described.into_iter().chain(indices).collect()
    }

    /// The same with zeros for values.
    pub fn zeroed(&self, b: &mut Builder) -> Candidate {
        let types = self.types(b);
        self.zeros(b, types)
    }

    pub(super) fn zeros(&self, b: &mut Builder, types: Vec<Scalar>) -> Candidate {
        let zeros: Vec<Value> = types.into_iter().map(|ty| b.number(ty, 0.0)).collect();
        self.with_values(&mut zeros.into_iter())
    }

    /// What is known of the array where addresses say which it is.
    pub(super) fn described(&self) -> Described<'_> {
        Described::split(&self.described, self.axes.len()).0
    }

    /// The dimension of the parameter that is number `dim` of those left.
    pub(super) fn axis(&self, dim: usize) -> usize {
        let left = self
            .axes
            .iter()
            .enumerate()
            .filter(|(_, a)| !matches!(a, Axis::At(_)));
        left.map(|(n, _)| n).nth(dim).unwrap_or(0)
    }

    pub(super) fn extent(&self, b: &mut Builder, dim: usize) -> Value {
        let axis = self.axis(dim);
        match self.axes[axis] {
            Axis::Part { len, .. } => len,
            _ if !self.described.is_empty() => self.described().extents[axis],
            _ => {
                // A gradient has the extents of its array.
                let array = b.func().gradient_of(self.array).unwrap_or(self.array);
                match b.func().fixed_shape(array).map(|shape| shape[axis]) {
                    Some(extent) => b.i32(extent as i32),
                    None => b.let_(Scalar::I32, Op::Shape(array, axis as u8), &[]),
                }
            }
        }
    }

    /// Fills the first dimensions that are left.
    pub(super) fn cut(&self, b: &mut Builder, cuts: &[Cut]) -> Candidate {
        let mut out = self.clone();
        for (dim, cut) in cuts.iter().enumerate() {
            let axis = self.axis(dim);
            out.axes[axis] = match *cut {
                Cut::At(index) => Axis::At(at(b, self.axes[axis], index)),
                Cut::Slice {
                    lower: None,
                    upper: None,
                    step: None,
                } => self.axes[axis],
                Cut::Slice { lower, upper, step } => {
                    let len = self.extent(b, dim);
                    slice(b, self.axes[axis], len, [lower, upper, step])
                }
            };
        }
        out
    }
}

/// The index of the parameter that an index into what is left of its dimension means.
fn at(b: &mut Builder, axis: Axis, index: Value) -> Value {
    let Axis::Part { start, step, len } = axis else {
        return index;
    };
    let b = &ExprBuilder::new(b);
    let index = b.expr(index);
    let [start, step, len] = [start, step, len].map(|v| b.expr(v).cast(index.ty()));
    let from_start = index.lt(0).select(index + len, index);
    let size = Size::At(len.value());
    let check = Kind::check(from_start.value(), index.value(), size);
    b.builder().push(check);
    (start + from_start * step).value()
}

/// `lower:upper:step` of `len` indices.
fn slice(b: &mut Builder, axis: Axis, len: Value, bounds: [Option<Value>; 3]) -> Axis {
    let b = &ExprBuilder::new(b);
    let bounds = bounds.map(|v| v.map(|v| narrow(b.expr(v))));
    let [from, step, count] = resolved(b, b.expr(len), bounds);
    let (start, step) = match axis {
        Axis::Part {
            start, step: by, ..
        } => {
            let by = b.expr(by);
            (b.expr(start) + from * by, step * by)
        }
        _ => (from, step),
    };
    Axis::Part {
        start: start.value(),
        step: step.value(),
        len: count.value(),
    }
}

/// The first index, the step and the number of indices of a slice of `len` indices, by Python's rules.
fn resolved<'s>(
    b: &'s ExprBuilder<'_>,
    len: Expr<'s>,
    [lower, upper, step]: [Option<Expr<'s>>; 3],
) -> [Expr<'s>; 3] {
    let [zero, one, minus] = [0, 1, -1].map(|n| b.i32(n));
    let step = step.unwrap_or(one);
    let backward = match step.as_const() {
        Some(Const::Int(n)) => b.bool(n < 0),
        _ => step.lt(zero),
    };
    let choose = |back: Expr<'s>, forth: Expr<'s>| match backward.as_const() {
        Some(Const::Bool(true)) => back,
        Some(Const::Bool(false)) => forth,
        _ => backward.select(back, forth),
    };
    let last = len + minus;
    let (low, high) = (choose(minus, zero), choose(last, len));
    let clip = |bound: Expr<'s>| {
        let from_start = bound.lt(zero).select(bound + len, bound);
        from_start.max(low).min(high)
    };
    let (first, end) = (choose(last, zero), choose(minus, len));
    let (from, to) = (lower.map_or(first, clip), upper.map_or(end, clip));
    [from, step, b.range_len([from, to, step])]
}

/// An int32 that is as far out of range as a wider integer.
fn narrow(x: Expr<'_>) -> Expr<'_> {
    if x.ty() == Scalar::I32 {
        return x;
    }
    let far = f64::from(1 << 30);
    let [low, high] = x.numbers([-far, far]);
    x.max(low).min(high).cast(Scalar::I32)
}
