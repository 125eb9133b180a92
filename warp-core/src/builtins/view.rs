//! Arrays in kernels: a parameter, a part of one that indices and slices leave, or one of several of these.
//!
//! Which of several is meant is known at run time: every access asks. Nothing behind the front knows of that.

mod address;

use crate::dtype::Scalar;
use crate::ir::{
    AtomicOp, Builder, Comp, Described, Kind, Op, ParamId, ParamType, Place, Size, Value, Values,
};
use crate::ty::Elem;
use smallvec::{SmallVec, smallvec};

/// An array as an expression gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// What it holds.
    pub elem: Elem,
    /// Dimensions that are left.
    pub ndim: u8,
    /// What it may be; no two are [alike](Way::is_like).
    pub ways: SmallVec<[Way; 1]>,
    /// The number (int32) of the one that it is, where there are several.
    pub which: Option<Value>,
}

/// An array parameter, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Way {
    /// The parameter; for an array of structs that of the first leaf, which the others follow.
    pub array: ParamId,
    /// One for each dimension of the parameter.
    pub axes: SmallVec<[Axis; 4]>,
    /// For an addressed parameter: which array it is, as [`Place::index`] begins. Empty for others.
    pub described: Values,
}

/// A way that outlives its values: what it is like, and their types.
#[derive(Clone, Debug)]
pub struct TypedWay {
    /// Its values are those of another function.
    pub way: Way,
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
    /// As the ways of the view: parameter and index.
    ways: SmallVec<[(ParamId, Values); 1]>,
    which: Option<Value>,
}

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

    fn zeros(&self, b: &mut Builder, types: Vec<Scalar>) -> Way {
        let zeros: Vec<Value> = types.into_iter().map(|ty| b.number(ty, 0.0)).collect();
        self.with_values(&mut zeros.into_iter())
    }

    /// What is known of the array where addresses say which it is.
    fn described(&self) -> Described<'_> {
        Described::split(&self.described, self.axes.len()).0
    }

    /// The dimension of the parameter that is number `dim` of those left.
    fn axis(&self, dim: usize) -> usize {
        let left = self
            .axes
            .iter()
            .enumerate()
            .filter(|(_, a)| !matches!(a, Axis::At(_)));
        left.map(|(n, _)| n).nth(dim).unwrap_or(0)
    }

    fn extent(&self, b: &mut Builder, dim: usize) -> Value {
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
    fn cut(&self, b: &mut Builder, cuts: &[Cut]) -> Way {
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

impl View {
    /// All of an array parameter.
    pub fn whole(array: ParamId, elem: Elem, ndim: u8) -> View {
        let axes = smallvec![Axis::Whole; ndim as usize];
        View {
            elem,
            ndim,
            ways: smallvec![Way {
                array,
                axes,
                described: Values::new(),
            }],
            which: None,
        }
    }

    /// All of an array that addresses lead to; see [`Described`].
    pub fn addressed(array: ParamId, elem: Elem, ndim: u8, described: Values) -> View {
        let mut view = View::whole(array, elem, ndim);
        view.ways[0].described = described;
        view
    }

    /// The parameter that it is or may be.
    pub fn array(&self) -> ParamId {
        self.ways[0].array
    }

    /// The values in it, in order.
    pub fn values(&self) -> Vec<Value> {
        let mut values: Vec<Value> = self.which.into_iter().collect();
        values.extend(self.ways.iter().flat_map(Way::values));
        values
    }

    /// The same with other values, in the order of [`View::values`].
    pub fn with_values(&self, values: &mut impl Iterator<Item = Value>) -> View {
        View {
            which: self.which.and_then(|old| values.next().or(Some(old))),
            ways: self
                .ways
                .iter()
                .map(|way| way.with_values(values))
                .collect(),
            ..self.clone()
        }
    }

    /// Whether another one differs at most in its values.
    pub fn is_like(&self, other: &View) -> bool {
        let mut pairs = self.ways.iter().zip(&other.ways);
        self.ways.len() == other.ways.len() && pairs.all(|(x, y)| x.is_like(y))
    }

    /// What it may be.
    pub fn typed_ways(&self, b: &Builder) -> Vec<TypedWay> {
        let typed = |way: &Way| TypedWay {
            types: way.types(b),
            way: way.clone(),
        };
        self.ways.iter().map(typed).collect()
    }

    /// The same, with ways more that it is not.
    pub fn widened(&self, b: &mut Builder, ways: &[TypedWay]) -> View {
        let mut out = self.clone();
        for TypedWay { way, types } in ways {
            if !out.ways.iter().any(|known| known.is_like(way)) {
                out.ways.push(way.zeros(b, types.clone()));
            }
        }
        if out.ways.len() > 1 && out.which.is_none() {
            out.which = Some(b.i32(0));
        }
        out
    }

    /// The number, among `ways`, of the one that it is.
    pub fn number_among(&self, b: &mut Builder, ways: &[Way]) -> Value {
        let place = |way: &Way| ways.iter().position(|w| w.is_like(way)).unwrap_or(0) as i32;
        let places: Vec<i32> = self.ways.iter().map(place).collect();
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
        let mut ways = x.ways.clone();
        for way in &y.ways {
            match ways.iter_mut().find(|known| known.is_like(way)) {
                Some(known) => {
                    let pairs = known.values().into_iter().zip(way.values());
                    let chosen: Vec<Value> = pairs
                        .map(|(x, y)| if x == y { x } else { b.select(cond, x, y) })
                        .collect();
                    *known = known.with_values(&mut chosen.into_iter());
                }
                None => ways.push(way.clone()),
            }
        }
        let which = (ways.len() > 1).then(|| {
            let [x, y] = [x, y].map(|view| view.number_among(b, &ways));
            b.select(cond, x, y)
        });
        View {
            ways,
            which,
            ..x.clone()
        }
    }

    /// How many indices there are along a dimension.
    pub fn extent(&self, b: &mut Builder, dim: usize) -> Value {
        let extents: Vec<Value> = self.ways.iter().map(|way| way.extent(b, dim)).collect();
        choose(b, self.which, &extents)
    }

    /// Whether there is an array: false for None.
    pub fn present(&self, b: &mut Builder) -> Value {
        let present = self.ways.iter();
        let present: Vec<Value> = present
            .map(|way| {
                let array = b.func().gradient_of(way.array).unwrap_or(way.array);
                match b.func().param(array).ty {
                    // Where a struct's field holds no array: see `Walk::no_array`.
                    ParamType::Local { .. } => match way.axes[0] {
                        Axis::Part { len, .. } => {
                            let none = b.i32(0);
                            b.op(Op::Ne, &[len, none])
                        }
                        _ => b.bool(true),
                    },
                    ParamType::Addressed { .. } => {
                        let (data, none) = (way.described().data, b.number(Scalar::U64, 0.0));
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
            ways: SmallVec::new(),
            ..self.clone()
        };
        let Some(which) = self.which else {
            out.ways.push(self.ways[0].cut(b, cuts));
            return out;
        };
        for (n, way) in self.ways.iter().enumerate() {
            // What it is not must not be checked.
            let n = b.i32(n as i32);
            let is = b.op(Op::Eq, &[which, n]);
            b.open(Vec::new());
            let cut = way.cut(b, cuts);
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
            out.ways.push(cut.with_values(&mut outs.into_iter()));
        }
        out
    }

    /// The element at an index for each dimension.
    pub fn element(&self, b: &mut Builder, index: &[Value]) -> Element {
        let cuts: Vec<Cut> = index.iter().map(|i| Cut::At(*i)).collect();
        let view = self.cut(b, &cuts);
        let ways = view.ways.iter().map(|way| {
            let index = way.axes.iter().filter_map(|axis| match axis {
                Axis::At(index) => Some(*index),
                _ => None,
            });
            let described = way.described.iter().copied();
            (way.array, described.chain(index).collect())
        });
        Element {
            ways: ways.collect(),
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

impl Element {
    /// The parameter that it is in or may be in.
    pub fn array(&self) -> ParamId {
        self.ways[0].0
    }

    /// The parameters that it is in or may be in.
    pub fn arrays(&self) -> impl Iterator<Item = ParamId> {
        self.ways.iter().map(|way| way.0)
    }

    /// The field of a struct whose leaves begin at a number.
    pub fn leaf(&self, number: usize) -> Element {
        let mut out = self.clone();
        for (array, _) in &mut out.ways {
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
    fn access(
        &self,
        b: &mut Builder,
        comp: Comp,
        from: usize,
        act: &mut dyn FnMut(&mut Builder, Place) -> Option<Value>,
    ) -> Option<Value> {
        let (array, index) = self.ways[from].clone();
        let place = Place { array, index, comp };
        let Some(which) = self.which.filter(|_| from + 1 < self.ways.len()) else {
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
        let outs = b.fresh_like(&then.results);
        b.push(Kind::If {
            cond: is,
            then,
            els,
            outs: outs.clone(),
        });
        outs.first().copied()
    }
}
