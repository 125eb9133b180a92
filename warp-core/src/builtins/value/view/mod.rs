//! Arrays in kernels: a parameter, a part of one that indices and slices leave, or one of several of these.
//!
//! Which of several is meant is known at run time: every access asks. Only the front knows of that.

mod address;
mod candidate;
mod element;

use crate::dtype::Scalar;
use crate::ir::{Builder, Kind, Op, ParamId, ParamType, Value, Values};
use crate::ty::Elem;
use smallvec::{SmallVec, smallvec};

/// An array as an expression gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// What it holds.
    pub elem: Elem,
    /// Dimensions that are left.
    pub ndim: u8,
    /// What it may be; no two are [alike](Candidate::is_like).
    pub candidates: SmallVec<[Candidate; 1]>,
    /// The number (int32) of the one that it is, where there are several.
    pub which: Option<Value>,
}

/// An array parameter, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The parameter; for an array of structs that of the first leaf, which the others follow.
    pub array: ParamId,
    /// One for each dimension of the parameter.
    pub axes: SmallVec<[Axis; 4]>,
    /// For a pointer-based parameter: which array it is, as [`Place::index`](crate::ir::Place::index) begins. Empty for
    /// others.
    pub described: Values,
}

/// An alias candidate that outlives its values: what it is like, and their types.
#[derive(Clone, Debug)]
pub struct TypedCandidate {
    /// Its values are those of another function.
    pub candidate: Candidate,
    /// The types of its values.
    pub types: Vec<Scalar>,
}

/// What is left of a dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Axis {
    /// Nothing: one index (int32 or int64) of it.
    At(Value),
    /// All of it.
    Whole,
    /// Every `step`-th index from `start` on, `len` of them (int32).
    Part {
        /// The first index.
        start: Value,
        /// From one index to the next.
        step: Value,
        /// How many.
        len: Value,
    },
}

/// What stands between brackets along one dimension.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// An index: int32 or int64.
    At(Value),
    /// A slice; its bounds and its step are int32 or int64.
    Slice {
        /// `a` of `a:b:c`.
        lower: Option<Value>,
        /// `b`.
        upper: Option<Value>,
        /// `c`.
        step: Option<Value>,
    },
}

/// An element of an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// As the alias candidates of the view: parameter and index.
    candidates: SmallVec<[(ParamId, Values); 1]>,
    which: Option<Value>,
}

impl View {
    /// All of an array parameter.
    pub fn whole(array: ParamId, elem: Elem, ndim: u8) -> View {
        let axes = smallvec![Axis::Whole; ndim as usize];
        View {
            elem,
            ndim,
            candidates: smallvec![Candidate {
                array,
                axes,
                described: Values::new(),
            }],
            which: None,
        }
    }

    /// All of an array that addresses lead to; see [`Described`](crate::ir::Described).
    pub fn pointer_based(array: ParamId, elem: Elem, ndim: u8, described: Values) -> View {
        let mut view = View::whole(array, elem, ndim);
        view.candidates[0].described = described;
        view
    }

    /// The parameter that it is or may be.
    pub fn array(&self) -> ParamId {
        self.candidates[0].array
    }

    /// The values in it, in order.
    pub fn values(&self) -> Vec<Value> {
        let mut values: Vec<Value> = self.which.into_iter().collect();
        values.extend(self.candidates.iter().flat_map(Candidate::values));
        values
    }

    /// The same with other values, in the order of [`View::values`].
    pub fn with_values(&self, values: &mut impl Iterator<Item = Value>) -> View {
        View {
            which: self.which.and_then(|old| values.next().or(Some(old))),
            candidates: self
                .candidates
                .iter()
                .map(|candidate| candidate.with_values(values))
                .collect(),
            ..self.clone()
        }
    }

    /// Whether another one differs at most in its values.
    pub fn is_like(&self, other: &View) -> bool {
        let mut pairs = self.candidates.iter().zip(&other.candidates);
        self.candidates.len() == other.candidates.len() && pairs.all(|(x, y)| x.is_like(y))
    }

    /// What it may be.
    pub fn typed_candidates(&self, b: &Builder) -> Vec<TypedCandidate> {
        let typed = |candidate: &Candidate| TypedCandidate {
            types: candidate.types(b),
            candidate: candidate.clone(),
        };
        self.candidates.iter().map(typed).collect()
    }

    /// The same, with more alias candidates that it is not.
    pub fn widened(&self, b: &mut Builder, candidates: &[TypedCandidate]) -> View {
        let mut out = self.clone();
        for TypedCandidate { candidate, types } in candidates {
            if !out.candidates.iter().any(|known| known.is_like(candidate)) {
                out.candidates.push(candidate.zeros(b, types.clone()));
            }
        }
        if out.candidates.len() > 1 && out.which.is_none() {
            out.which = Some(b.i32(0));
        }
        out
    }

    /// The number, among these alias candidates, of the one that it is.
    pub fn number_among(&self, b: &mut Builder, candidates: &[Candidate]) -> Value {
        let place = |candidate: &Candidate| {
            candidates
                .iter()
                .position(|w| w.is_like(candidate))
                .unwrap_or(0) as i32
        };
        let places: Vec<i32> = self.candidates.iter().map(place).collect();
        let Some(which) = self.which else {
            return b.i32(places[0]);
        };
        if places
            .iter()
            .enumerate()
            .all(|(n, place)| n as i32 == *place)
        {
            return which;
        }
        let mut out = b.i32(places[0]);
        for (n, place) in places.iter().enumerate().skip(1) {
            let (n, place) = (b.i32(n as i32), b.i32(*place));
            let is = b.op(Op::Eq, &[which, n]);
            out = b.select(is, place, out);
        }
        out
    }

    /// One of two, both of which are at hand.
    pub fn select(b: &mut Builder, cond: Value, x: &View, y: &View) -> View {
        let mut candidates = x.candidates.clone();
        for candidate in &y.candidates {
            match candidates.iter_mut().find(|known| known.is_like(candidate)) {
                Some(known) => {
                    let pairs = known.values().into_iter().zip(candidate.values());
                    let chosen: Vec<Value> = pairs
                        .map(|(x, y)| if x == y { x } else { b.select(cond, x, y) })
                        .collect();
                    *known = known.with_values(&mut chosen.into_iter());
                }
                None => candidates.push(candidate.clone()),
            }
        }
        let which = (candidates.len() > 1).then(|| {
            let [x, y] = [x, y].map(|view| view.number_among(b, &candidates));
            b.select(cond, x, y)
        });
        View {
            candidates,
            which,
            ..x.clone()
        }
    }

    /// How many indices there are along a dimension.
    pub fn extent(&self, b: &mut Builder, dim: usize) -> Value {
        let extents: Vec<Value> = self
            .candidates
            .iter()
            .map(|candidate| candidate.extent(b, dim))
            .collect();
        choose(b, self.which, &extents)
    }

    /// Whether there is an array: false for None.
    pub fn present(&self, b: &mut Builder) -> Value {
        let present = self.candidates.iter();
        let present: Vec<Value> = present
            .map(|candidate| {
                let array = b
                    .func()
                    .gradient_of(candidate.array)
                    .unwrap_or(candidate.array);
                match b.func().param(array).ty {
                    // Where a struct's field holds no array: see `Walk::no_array`.
                    ParamType::Local { .. } => match candidate.axes[0] {
                        Axis::Part { len, .. } => {
                            let none = b.i32(0);
                            b.op(Op::Ne, &[len, none])
                        }
                        _ => b.bool(true),
                    },
                    ParamType::Shared { .. } => b.bool(true),
                    ParamType::PointerBased { .. } => {
                        let (data, none) = (candidate.described().data, b.number(Scalar::U64, 0.0));
                        b.op(Op::Ne, &[data, none])
                    }
                    _ => b.let_(Scalar::Bool, Op::Present(array), &[]),
                }
            })
            .collect();
        choose(b, self.which, &present)
    }

    /// The part that indices and slices leave, at most one for each dimension.
    pub fn cut(&self, b: &mut Builder, cuts: &[Cut]) -> View {
        let taken = cuts.iter().filter(|cut| matches!(cut, Cut::At(_))).count();
        let mut out = View {
            ndim: self.ndim - taken as u8,
            candidates: SmallVec::new(),
            ..self.clone()
        };
        let Some(which) = self.which else {
            out.candidates.push(self.candidates[0].cut(b, cuts));
            return out;
        };
        for (n, candidate) in self.candidates.iter().enumerate() {
            // What it is not must not be checked.
            let n = b.i32(n as i32);
            let is = b.op(Op::Eq, &[which, n]);
            b.open(Vec::new());
            let cut = candidate.cut(b, cuts);
            let then = b.close(cut.values());
            b.open(Vec::new());
            let zeros = cut.zeroed(b).values();
            let els = b.close(zeros);
            let outs = b.fresh_like(&then.results);
            b.push(Kind::If {
                cond: is,
                then,
                els,
                outs: outs.clone(),
            });
            out.candidates.push(cut.with_values(&mut outs.into_iter()));
        }
        out
    }

    /// The element at an index for each dimension.
    pub fn element(&self, b: &mut Builder, index: &[Value]) -> Element {
        let cuts: Vec<Cut> = index.iter().map(|i| Cut::At(*i)).collect();
        let view = self.cut(b, &cuts);
        let candidates = view.candidates.iter().map(|candidate| {
            let index = candidate.axes.iter().filter_map(|axis| match axis {
                Axis::At(index) => Some(*index),
                _ => None,
            });
            let described = candidate.described.iter().copied();
            (candidate.array, described.chain(index).collect())
        });
        Element {
            candidates: candidates.collect(),
            which: view.which,
        }
    }
}

/// The value of the number `which`.
fn choose(b: &mut Builder, which: Option<Value>, values: &[Value]) -> Value {
    let mut out = values[0];
    for (n, value) in values.iter().enumerate().skip(1) {
        let Some(which) = which else { break };
        let n = b.i32(n as i32);
        let is = b.op(Op::Eq, &[which, n]);
        out = b.select(is, *value, out);
    }
    out
}
