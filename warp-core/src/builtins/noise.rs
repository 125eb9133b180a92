//! Gradient noise on an integer lattice: the building blocks of rows.
//!
//! The noise is Perlin's (K. Perlin, "Improving Noise"): each corner of the lattice cell that holds a point has a
//! direction, drawn with a state that is hashed from the corner's coordinates; what these slopes give at the point is
//! blended by a polynomial of fifth degree. All corners are written out: loops over them would keep threads from running
//! in vectors, which costs a factor of ten in four dimensions.

use crate::builtins::algebra;
use crate::builtins::random::{float, hash, uniform, word};
use crate::builtins::value::Parts;
use crate::dtype::Scalar;
use crate::ir::{Builder, Op, Value};

/// One factor for each axis, by which coordinates of the lattice are hashed.
const FACTORS: [u32; 4] = [73_856_093, 19_349_663, 53_471_161, 10_000_019];

/// A point and the cell that holds it.
pub struct Cell {
    state: Value,
    /// int32: the lower corner.
    corner: Parts,
    /// float32: where the point lies in the cell.
    inside: Parts,
    /// int32, by axis; empty if the noise does not repeat.
    periods: Parts,
    /// Whether slopes are wanted, too.
    slopes: bool,
}

impl Cell {
    /// The cell of a point.
    pub fn new(b: &mut Builder, state: Value, x: &[Value], periods: Parts, slopes: bool) -> Cell {
        let floors: Parts = x.iter().map(|x| b.op(Op::Floor, &[*x])).collect();
        Cell {
            state,
            corner: floors.iter().map(|x| b.cast(*x, Scalar::I32)).collect(),
            inside: algebra::zip(b, Op::Sub, x, &floors),
            periods,
            slopes,
        }
    }

    /// The noise, followed by its slopes by each coordinate, if they are wanted.
    pub fn noise(&self, b: &mut Builder) -> Parts {
        self.blend(b, &mut Parts::new())
    }

    /// The noise that the corners with these offsets (int32: 0 or 1 on the last axes) give.
    fn blend(&self, b: &mut Builder, offsets: &mut Parts) -> Parts {
        let Some(axis) = (self.inside.len() - offsets.len()).checked_sub(1) else {
            return self.slope(b, offsets);
        };
        let [low, high] = [0, 1].map(|offset| {
            offsets.push(b.i32(offset));
            let found = self.blend(b, offsets);
            offsets.pop();
            found
        });
        self.between(b, axis, &low, &high)
    }

    /// From what two faces across an axis give to what the point has.
    fn between(&self, b: &mut Builder, axis: usize, low: &[Value], high: &[Value]) -> Parts {
        let t = self.inside[axis];
        let (weight, slope) = smooth(b, t, self.slopes);
        let rise = algebra::zip(b, Op::Sub, high, low);
        let parts = algebra::each(b, Op::Mul, &rise, weight);
        let mut out = algebra::zip(b, Op::Add, &parts, low);
        if let Some(slope) = slope {
            let more = b.op(Op::Mul, &[rise[0], slope]);
            out[1 + axis] = b.op(Op::Add, &[out[1 + axis], more]);
        }
        out
    }

    /// The slope of a corner at the point, with `offsets` of the last axis first.
    fn slope(&self, b: &mut Builder, offsets: &[Value]) -> Parts {
        let n = self.inside.len();
        let offset = |axis: usize| offsets[n - 1 - axis];
        let mut key: Option<Value> = None;
        for (axis, factor) in FACTORS.into_iter().enumerate().take(n) {
            let place = self.coordinate(b, axis, offset(axis));
            let place = b.cast(place, Scalar::U32);
            let factor = word(b, factor);
            let mut part = b.op(Op::Mul, &[place, factor]);
            if axis + 1 == n {
                part = b.op(Op::Add, &[part, self.state]);
            }
            key = Some(key.map_or(part, |key| b.op(Op::Xor, &[key, part])));
        }
        let mut state = key.unwrap_or(self.state);
        let slope = direction(b, &mut state, n);
        let mut distance = Parts::new();
        for axis in 0..n {
            let offset = b.cast(offset(axis), Scalar::F32);
            distance.push(b.op(Op::Sub, &[self.inside[axis], offset]));
        }
        let mut out = Parts::new();
        out.push(algebra::dot(b, &slope, &distance));
        if self.slopes {
            out.extend(slope);
        }
        out
    }

    /// A corner's coordinate, as it is hashed.
    fn coordinate(&self, b: &mut Builder, axis: usize, offset: Value) -> Value {
        let corner = self.corner[axis];
        let Some(period) = self.periods.get(axis).copied() else {
            return b.op(Op::Add, &[corner, offset]);
        };
        let corner = remainder(b, corner, period);
        let place = b.op(Op::Add, &[corner, offset]);
        remainder(b, place, period)
    }
}

/// What is left of a division that rounds towards 0.
fn remainder(b: &mut Builder, x: Value, period: Value) -> Value {
    let zero = b.i32(0);
    let size = b.op(Op::Abs, &[x]);
    let divisor = b.op(Op::Abs, &[period]);
    let left = b.op(Op::Mod, &[size, divisor]);
    let minus = b.op(Op::Neg, &[left]);
    let negative = b.op(Op::Lt, &[x, zero]);
    b.select(negative, minus, left)
}

/// A random direction: in one dimension a number in [-1, 1), else such numbers as a vector of length 1.
fn direction(b: &mut Builder, state: &mut Value, n: usize) -> Parts {
    let (one, two) = (float(b, 1.0), float(b, 2.0));
    let mut draw = |b: &mut Builder| {
        let u = uniform(b, state);
        let twice = b.op(Op::Mul, &[two, u]);
        b.op(Op::Sub, &[twice, one])
    };
    let out: Parts = (0..n).map(|_| draw(b)).collect();
    match n {
        1 => out,
        _ => algebra::normalize(b, &out),
    }
}

/// `6 t^5 - 15 t^4 + 10 t^3`, from 0 to 1 without slope and bend at the ends, and its slope.
fn smooth(b: &mut Builder, t: Value, slope: bool) -> (Value, Option<Value>) {
    let [six, ten, fifteen, thirty, one] = [6.0, 10.0, 15.0, 30.0, 1.0].map(|x| float(b, x));
    let square = b.op(Op::Mul, &[t, t]);
    let x = b.op(Op::Mul, &[t, six]);
    let x = b.op(Op::Sub, &[x, fifteen]);
    let x = b.op(Op::Mul, &[t, x]);
    let x = b.op(Op::Add, &[x, ten]);
    let cube = b.op(Op::Mul, &[square, t]);
    let weight = b.op(Op::Mul, &[cube, x]);
    let slope = slope.then(|| {
        let x = b.op(Op::Sub, &[t, one]);
        let x = b.op(Op::Mul, &[x, t]);
        let x = b.op(Op::Mul, &[x, x]);
        b.op(Op::Mul, &[thirty, x])
    });
    (weight, slope)
}

/// Curl of noise at a point of two dimensions, or of three potentials at one of three or four (the last is time). Gives
/// the state of the last potential, too, from which a further octave goes on.
pub fn curl(b: &mut Builder, state: Value, x: &[Value]) -> (Value, Parts) {
    let slopes = |b: &mut Builder, state| {
        let cell = Cell::new(b, state, x, Parts::new(), true);
        cell.noise(b)
    };
    if x.len() == 2 {
        let found = slopes(b, state);
        let down = b.op(Op::Neg, &[found[2]]);
        return (state, smallvec::smallvec![down, found[1]]);
    }
    // One round for each potential: of the third it changes x and y, of the first y and z, and so on.
    let [zero, one, two, three] = [0, 1, 2, 3].map(|n| b.i32(n));
    let nothing = float(b, 0.0);
    let init = vec![state, nothing, nothing, nothing];
    let range = [zero, three, one];
    let found = b.for_(range, init, |b, potential, now| {
        let found = slopes(b, now[0]);
        let is = [zero, one, two].map(|n| b.op(Op::Eq, &[potential, n]));
        let [second, third] = [10_019_689, 13_112_221].map(|n| word(b, n));
        let salt = b.select(is[0], second, third);
        let salt = hash(b, salt);
        let next = b.op(Op::Add, &[now[0], salt]);
        let next = hash(b, next);
        let mut out = vec![b.select(is[2], now[0], next)];
        for axis in 0..3 {
            let [before, after] = [(axis + 2) % 3, (axis + 1) % 3];
            let plus = b.select(is[before], found[1 + after], nothing);
            let minus = b.select(is[after], found[1 + before], nothing);
            let sum = b.op(Op::Add, &[now[1 + axis], plus]);
            out.push(b.op(Op::Sub, &[sum, minus]));
        }
        out
    });
    (found[0], found[1..].into())
}
