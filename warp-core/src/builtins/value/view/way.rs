//! One array that a view may be: its values, extents and cuts.

use super::{Axis, Cut, Way};
use crate::dtype::Scalar;
use crate::ir::{Builder, Described, Kind, Op, Size, Value};

impl Way {
    /// Whether it is all of the array.
    pub fn is_whole(&self) -> bool {
        self.axes.iter().all(|axis| *axis == Axis::Whole)
    }

    /// Whether another one differs at most in the values that say where it lies.
    pub fn is_like(&self, other: &Way) -> bool {
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
    pub fn with_values(&self, values: &mut impl Iterator<Item = Value>) -> Way {
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
        Way {
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
    pub fn zeroed(&self, b: &mut Builder) -> Way {
        let types = self.types(b);
        self.zeros(b, types)
    }

    pub(super) fn zeros(&self, b: &mut Builder, types: Vec<Scalar>) -> Way {
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
                match b.func().local(array).map(|shape| shape[axis]) {
                    Some(extent) => b.i32(extent as i32),
                    None => b.let_(Scalar::I32, Op::Shape(array, axis as u8), &[]),
                }
            }
        }
    }

    /// Fills the first dimensions that are left.
    pub(super) fn cut(&self, b: &mut Builder, cuts: &[Cut]) -> Way {
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
    let ty = b.ty(index);
    let [start, step, len] = [start, step, len].map(|v| b.cast(v, ty));
    let zero = b.number(ty, 0.0);
    let negative = b.op(Op::Lt, &[index, zero]);
    let wrapped = b.op(Op::Add, &[index, len]);
    let from_start = b.select(negative, wrapped, index);
    b.push(Kind::check(from_start, index, Size::At(len)));
    let by = b.op(Op::Mul, &[from_start, step]);
    b.op(Op::Add, &[start, by])
}

/// `lower:upper:step` of `len` indices by Python's rules.
fn slice(b: &mut Builder, axis: Axis, len: Value, bounds: [Option<Value>; 3]) -> Axis {
    let [lower, upper, step] = bounds.map(|v| v.map(|v| narrow(b, v)));
    let (zero, one, minus) = (b.i32(0), b.i32(1), b.i32(-1));
    let step = step.unwrap_or(one);
    let known = b.as_const(step);
    let backward = match known {
        Some(crate::ir::Const::Int(n)) => b.bool(n < 0),
        _ => b.op(Op::Lt, &[step, zero]),
    };
    let choose = |b: &mut Builder, back: Value, forth: Value| match b.as_const(backward) {
        Some(crate::ir::Const::Bool(true)) => back,
        Some(crate::ir::Const::Bool(false)) => forth,
        _ => b.select(backward, back, forth),
    };
    let last = b.op(Op::Add, &[len, minus]);
    let (low, high) = (choose(b, minus, zero), choose(b, last, len));
    let clip = |b: &mut Builder, bound: Value| {
        let negative = b.op(Op::Lt, &[bound, zero]);
        let wrapped = b.op(Op::Add, &[bound, len]);
        let from_start = b.select(negative, wrapped, bound);
        let above = b.op(Op::Max, &[from_start, low]);
        b.op(Op::Min, &[above, high])
    };
    let first = choose(b, last, zero);
    let end = choose(b, minus, len);
    let from = match lower {
        Some(bound) => clip(b, bound),
        None => first,
    };
    let to = match upper {
        Some(bound) => clip(b, bound),
        None => end,
    };
    let count = b.op(Op::RangeLen, &[from, to, step]);
    match axis {
        Axis::Part {
            start: before,
            step: by,
            ..
        } => {
            let offset = b.op(Op::Mul, &[from, by]);
            Axis::Part {
                start: b.op(Op::Add, &[before, offset]),
                step: b.op(Op::Mul, &[step, by]),
                len: count,
            }
        }
        _ => Axis::Part {
            start: from,
            step,
            len: count,
        },
    }
}

/// An int32 that is as far out of range as a wider integer.
fn narrow(b: &mut Builder, x: Value) -> Value {
    if b.ty(x) == Scalar::I32 {
        return x;
    }
    let [low, high] =
        [-(1i64 << 30), 1 << 30].map(|n| b.constant(Scalar::I64, crate::ir::Const::Int(n)));
    let x = b.op(Op::Max, &[x, low]);
    let x = b.op(Op::Min, &[x, high]);
    b.cast(x, Scalar::I32)
}
