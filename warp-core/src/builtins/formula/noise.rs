//! Gradient noise on an integer lattice: the building blocks of rows.
//!
//! The noise is Perlin's (K. Perlin, "Improving Noise"): each corner of the lattice cell that holds a point has a
//! direction, drawn with a state that is hashed from the corner's coordinates; what these slopes give at the point is
//! blended by a polynomial of fifth degree. All corners are written out: loops over them would keep threads from running
//! in vectors, which costs a factor of ten in four dimensions.

use crate::builtins::formula::algebra;
use crate::builtins::formula::random::{hash, uniform};
use crate::dtype::Scalar;
use crate::ir::expr::vector::{add, dot, map, scaled, sub};
use crate::ir::{Expr, ExprBuilder, Exprs};
use smallvec::smallvec;

/// One factor for each axis, by which coordinates of the lattice are hashed.
const FACTORS: [u32; 4] = [73_856_093, 19_349_663, 53_471_161, 10_000_019];

/// A point and the cell that holds it.
pub struct Cell<'s> {
    state: Expr<'s>,
    /// int32: the lower corner.
    corner: Exprs<'s>,
    /// float32: where the point lies in the cell.
    inside: Exprs<'s>,
    /// int32, by axis; empty if the noise does not repeat.
    periods: Exprs<'s>,
    /// Whether slopes are wanted, too.
    slopes: bool,
}

impl<'s> Cell<'s> {
    /// The cell of a point.
    pub fn new(state: Expr<'s>, x: &[Expr<'s>], periods: Exprs<'s>, slopes: bool) -> Cell<'s> {
        let floors = map(x, |x| x.floor());
        Cell {
            state,
            corner: map(&floors, |x| x.cast(Scalar::I32)),
            inside: sub(x, &floors),
            periods,
            slopes,
        }
    }

    /// The noise, followed by its slopes by each coordinate, if they are wanted.
    pub fn noise(&self) -> Exprs<'s> {
        self.blend(&mut Exprs::new())
    }

    /// The noise that the corners with these offsets (int32: 0 or 1 on the last axes) give.
    fn blend(&self, offsets: &mut Exprs<'s>) -> Exprs<'s> {
        let Some(axis) = (self.inside.len() - offsets.len()).checked_sub(1) else {
            return self.slope(offsets);
        };
        let [low, high] = [0.0, 1.0].map(|offset| {
            offsets.push(self.corner[0].number(offset));
            let found = self.blend(offsets);
            offsets.pop();
            found
        });
        self.between(axis, &low, &high)
    }

    /// From what two faces across an axis give to what the point has.
    fn between(&self, axis: usize, low: &[Expr<'s>], high: &[Expr<'s>]) -> Exprs<'s> {
        let t = self.inside[axis];
        let rise = sub(high, low);
        let mut out = add(&scaled(&rise, smooth(t)), low);
        if self.slopes {
            out[1 + axis] = out[1 + axis] + rise[0] * smooth_slope(t);
        }
        out
    }

    /// The slope of a corner at the point, with `offsets` of the last axis first.
    fn slope(&self, offsets: &[Expr<'s>]) -> Exprs<'s> {
        let n = self.inside.len();
        let offset = |axis: usize| offsets[n - 1 - axis];
        let parts = FACTORS
            .into_iter()
            .enumerate()
            .take(n)
            .map(|(axis, factor)| {
                let place = self.coordinate(axis, offset(axis)).cast(Scalar::U32);
                let part = place * factor;
                if axis + 1 == n {
                    part + self.state
                } else {
                    part
                }
            });
        let mut state = parts.reduce(|key, part| key ^ part).unwrap_or(self.state);
        let slope = direction(&mut state, n);
        let distance: Exprs<'s> = (0..n)
            .map(|axis| self.inside[axis] - offset(axis).cast(Scalar::F32))
            .collect();
        let mut out: Exprs<'s> = smallvec![dot(&slope, &distance)];
        if self.slopes {
            out.extend(slope);
        }
        out
    }

    /// A corner's coordinate, as it is hashed.
    fn coordinate(&self, axis: usize, offset: Expr<'s>) -> Expr<'s> {
        let corner = self.corner[axis];
        match self.periods.get(axis) {
            None => corner + offset,
            Some(period) => remainder(remainder(corner, *period) + offset, *period),
        }
    }
}

/// What is left of a division that rounds towards 0.
fn remainder<'s>(x: Expr<'s>, period: Expr<'s>) -> Expr<'s> {
    let left = x.abs() % period.abs();
    x.lt(0).select(-left, left)
}

/// A random direction: in one dimension a number in [-1, 1), else such numbers as a vector of length 1.
fn direction<'s>(state: &mut Expr<'s>, n: usize) -> Exprs<'s> {
    let draws: Exprs<'s> = (0..n).map(|_| uniform(state)).collect();
    let [one, two] = draws[0].numbers([1.0, 2.0]);
    let out = map(&draws, |u| two * u - one);
    match n {
        1 => out,
        _ => algebra::normalize(&out),
    }
}

/// `6 t^5 - 15 t^4 + 10 t^3`, from 0 to 1 without slope and bend at the ends.
fn smooth<'s>(t: Expr<'s>) -> Expr<'s> {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// The slope of [`smooth`].
fn smooth_slope<'s>(t: Expr<'s>) -> Expr<'s> {
    let root = (t - 1.0) * t;
    30.0 * (root * root)
}

/// Curl of noise at a point of two dimensions, or of three potentials at one of three or four (the last is time). Gives
/// the state of the last potential, too, from which a further octave goes on.
pub fn curl<'s>(b: &'s ExprBuilder<'_>, state: Expr<'s>, x: &[Expr<'s>]) -> (Expr<'s>, Exprs<'s>) {
    let slopes = |state| Cell::new(state, x, Exprs::new(), true).noise();
    if x.len() == 2 {
        let found = slopes(state);
        return (state, smallvec![-found[2], found[1]]);
    }
    // One round for each potential: of the third it changes x and y, of the first y and z, and so on.
    let [zero, one, two, three] = [0, 1, 2, 3].map(|n| b.i32(n));
    let nothing = x[0].number(0.0);
    let init = [state, nothing, nothing, nothing];
    let found = b.for_([zero, three, one], &init, |potential, now| {
        let found = slopes(now[0]);
        let is = [zero, one, two].map(|n| potential.eq(n));
        let [second, third] = now[0].numbers([10_019_689.0, 13_112_221.0]);
        let next = hash(now[0] + hash(is[0].select(second, third)));
        let mut out = vec![is[2].select(now[0], next)];
        for axis in 0..3 {
            let [before, after] = [(axis + 2) % 3, (axis + 1) % 3];
            let plus = is[before].select(found[1 + after], nothing);
            let minus = is[after].select(found[1 + before], nothing);
            out.push(now[1 + axis] + plus - minus);
        }
        out
    });
    (found[0], Exprs::from_slice(&found[1..]))
}
