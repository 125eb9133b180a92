//! Where arrays and elements lie in memory.

use super::{Axis, Candidate, Element, View};
use crate::dtype::Scalar;
use crate::ir::{Builder, Comp, Kind, Op, ParamId, ParamType, Place, Size, Value};
use crate::ty::{ARRAY_DESCRIPTOR, word};
use smallvec::SmallVec;

/// How far it is along one dimension to what is meant.
enum Along {
    /// An index, which is checked.
    Index(Value),
    /// So many elements.
    Elements(Value),
}

/// An array as addresses need it.
struct Memory {
    start: Value,
    extents: SmallVec<[Value; 4]>,
    strides: SmallVec<[Value; 4]>,
}

impl Memory {
    fn of(b: &mut Builder, array: ParamId, described: &[Value], ndim: usize) -> Memory {
        if let ParamType::PointerBased { offset, .. } = b.func().param(array).ty {
            let (of, _) = crate::ir::Described::split(described, ndim);
            let (none, by) = (
                b.number(Scalar::U64, 0.0),
                b.number(Scalar::U64, offset.into()),
            );
            let there = b.op(Op::Ne, &[of.data, none]);
            let field = b.op(Op::Add, &[of.data, by]);
            return Memory {
                start: b.select(there, field, none),
                extents: of.extents.into(),
                strides: of.strides.into(),
            };
        }
        let dims = 0..ndim as u8;
        Memory {
            start: b.let_(Scalar::U64, Op::Address(array), &[]),
            extents: dims
                .clone()
                .map(|d| b.let_(Scalar::I32, Op::Shape(array, d), &[]))
                .collect(),
            strides: dims
                .map(|d| b.let_(Scalar::I64, Op::Stride(array, d), &[]))
                .collect(),
        }
    }

    fn address(&self, b: &mut Builder, path: impl Iterator<Item = (usize, Along)>) -> Value {
        let mut address = self.start;
        for (d, along) in path {
            let far = match along {
                Along::Elements(n) => b.cast(n, Scalar::I64),
                Along::Index(index) => {
                    let index = b.cast(index, Scalar::I64);
                    let (zero, n) = (
                        b.number(Scalar::I64, 0.0),
                        b.cast(self.extents[d], Scalar::I64),
                    );
                    let negative = b.op(Op::Lt, &[index, zero]);
                    let from_end = b.op(Op::Add, &[index, n]);
                    let from_start = b.select(negative, from_end, index);
                    b.push(Kind::check(from_start, index, Size::At(n)));
                    from_start
                }
            };
            let bytes = b.op(Op::Mul, &[far, self.strides[d]]);
            let bytes = b.cast(bytes, Scalar::U64);
            address = b.op(Op::Add, &[address, bytes]);
        }
        address
    }
}

impl View {
    /// The address (uint64) of the first element; 0 if there is no array. None of the arrays may be a local one.
    pub fn address(&self, b: &mut Builder) -> Value {
        self.address_from(b, 0)
    }

    fn address_from(&self, b: &mut Builder, from: usize) -> Value {
        let candidate = &self.candidates[from];
        let Some(which) = self.which.filter(|_| from + 1 < self.candidates.len()) else {
            return candidate.address(b);
        };
        let n = b.i32(from as i32);
        let is = b.op(Op::Eq, &[which, n]);
        // What it is not must not be checked.
        let outs = b.if_(
            is,
            |b| vec![candidate.address(b)],
            |b| vec![self.address_from(b, from + 1)],
        );
        outs[0]
    }
}

impl View {
    /// The words (uint64) of its [descriptor](ARRAY_DESCRIPTOR); zeros if there is no array, as which local ones count. Where the
    /// gradient lies is known only of an array that a descriptor names.
    pub fn words(&self, b: &mut Builder) -> Vec<Value> {
        let there = self.present(b);
        b.if_(there, |b| self.words_from(b, 0), no_words)
    }

    fn words_from(&self, b: &mut Builder, from: usize) -> Vec<Value> {
        let candidate = &self.candidates[from];
        let words = |b: &mut Builder| match b.func().local(candidate.array) {
            Some(_) => no_words(b),
            None => candidate.words(b),
        };
        let Some(which) = self.which.filter(|_| from + 1 < self.candidates.len()) else {
            return words(b);
        };
        let n = b.i32(from as i32);
        let is = b.op(Op::Eq, &[which, n]);
        b.if_(is, words, |b| self.words_from(b, from + 1))
    }
}

/// The words of no array.
fn no_words(b: &mut Builder) -> Vec<Value> {
    vec![b.number(Scalar::U64, 0.0); ARRAY_DESCRIPTOR.count()]
}

impl Candidate {
    fn words(&self, b: &mut Builder) -> Vec<Value> {
        let zero = b.number(Scalar::U64, 0.0);
        let data = self.address(b);
        let gradient = match self.described.is_empty() {
            true => zero,
            false => {
                // As far from the gradient's first element as this is from the array's.
                let of = self.described();
                let (start, gradient) = (of.data, of.gradient);
                let far = b.op(Op::Sub, &[data, start]);
                let moved = b.op(Op::Add, &[gradient, far]);
                let there = b.op(Op::Ne, &[gradient, zero]);
                b.select(there, moved, zero)
            }
        };
        let memory = Memory::of(b, self.array, &self.described, self.axes.len());
        let left = self.axes.iter().filter(|axis| !matches!(axis, Axis::At(_)));
        let ndim = left.count();
        let mut words = no_words(b);
        (words[word::DATA], words[word::GRADIENT]) = (data, gradient);
        for dim in 0..ndim {
            let extent = self.extent(b, dim);
            let mut extent = b.cast(extent, Scalar::U64);
            if dim % 2 == 1 {
                let half = b.number(Scalar::U64, 32.0);
                let high = b.op(Op::Shl, &[extent, half]);
                extent = b.op(Op::Or, &[words[word::SHAPE + dim / 2], high]);
            }
            words[word::SHAPE + dim / 2] = extent;
            let axis = self.axis(dim);
            let mut stride = memory.strides[axis];
            if let Axis::Part { step, .. } = self.axes[axis] {
                let step = b.cast(step, Scalar::I64);
                stride = b.op(Op::Mul, &[stride, step]);
            }
            words[word::STRIDES + dim] = b.cast(stride, Scalar::U64);
        }
        words[word::NDIM] = b.number(Scalar::U64, ndim as f64);
        words
    }

    fn address(&self, b: &mut Builder) -> Value {
        let memory = Memory::of(b, self.array, &self.described, self.axes.len());
        let path = self
            .axes
            .iter()
            .enumerate()
            .filter_map(|(d, axis)| match axis {
                Axis::At(index) => Some((d, Along::Index(*index))),
                Axis::Part { start, .. } => Some((d, Along::Elements(*start))),
                Axis::Whole => None,
            });
        memory.address(b, path)
    }
}

impl Element {
    /// The address (uint64) of a component. None of the arrays may be a local one.
    pub fn address(&self, b: &mut Builder, comp: Comp) -> Value {
        self.access(b, comp, 0, &mut |b, place| Some(address_of(b, &place)))
            .expect("an address is a value")
    }
}

fn address_of(b: &mut Builder, place: &Place) -> Value {
    let ndim = b
        .func()
        .array(place.array)
        .map_or(0, |(_, ndim)| ndim.into());
    let (described, index) = place.index.split_at(place.index.len() - ndim);
    let memory = Memory::of(b, place.array, described, ndim);
    let path = index.iter().map(|i| Along::Index(*i)).enumerate();
    let address = memory.address(b, path);
    let size = b.func().param(place.array).ty.elem().scalar().size();
    let comp = match place.comp {
        Comp::Fixed(n) => b.number(Scalar::U64, n.into()),
        Comp::At(n) => b.cast(n, Scalar::U64),
    };
    let size = b.number(Scalar::U64, size as f64);
    let bytes = b.op(Op::Mul, &[comp, size]);
    b.op(Op::Add, &[address, bytes])
}
