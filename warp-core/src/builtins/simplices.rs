//! Segments and triangles in space: closest points, and whether two triangles meet.

use super::algebra;
use super::value::Parts;
use crate::dtype::Scalar;
use crate::ir::{Builder, Op, Value};

fn difference(b: &mut Builder, x: &[Value], y: &[Value]) -> Parts {
    algebra::zip(b, Op::Sub, x, y)
}

fn square(b: &mut Builder, x: &[Value]) -> Value {
    algebra::dot(b, x, x)
}

fn unit_interval(b: &mut Builder, x: Value) -> Value {
    let ty = b.ty(x);
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let raised = b.op(Op::Max, &[x, zero]);
    b.op(Op::Min, &[raised, one])
}

/// `x / y`, or `x` where `usable` is false: then the result is not used, nor is its derivative infinite.
fn over(b: &mut Builder, x: Value, y: Value, usable: Value) -> Value {
    let one = b.number(b.ty(y), 1.0);
    let y = b.select(usable, y, one);
    b.op(Op::Div, &[x, y])
}

/// Weights `s` and `t` of the closest points `p1 + s (q1 - p1)` and `p2 + t (q2 - p2)` of two segments, and their distance. A
/// segment whose squared length is at most `epsilon` is its first point; of parallel ones the point with the least `s` is taken.
///
/// The weight on the first line is a triple product over the square of the directions' cross product, which loses no digits
/// where these are nearly parallel. Source of the cases: Ericson, Real-Time Collision Detection (2005), 5.1.9.
pub fn closest_points_of_segments(
    b: &mut Builder,
    [p1, q1, p2, q2]: [&[Value]; 4],
    epsilon: Value,
) -> Parts {
    let ty = b.ty(p1[0]);
    let (zero, one) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let (d1, d2) = (difference(b, q1, p1), difference(b, q2, p2));
    let between = difference(b, p2, p1);
    let (a, e) = (square(b, &d1), square(b, &d2));
    let (long1, long2) = (b.op(Op::Gt, &[a, epsilon]), b.op(Op::Gt, &[e, epsilon]));
    let both = b.op(Op::And, &[long1, long2]);
    // Of each line, the point closest to the other's first one.
    let (along1, along2) = (
        algebra::dot(b, &d1, &between),
        algebra::dot(b, &d2, &between),
    );
    let common = algebra::dot(b, &d1, &d2);
    let normal = algebra::cross(b, &d1, &d2);
    let sine = square(b, &normal);
    let crossing = b.op(Op::Gt, &[sine, zero]);
    let usable = b.op(Op::And, &[crossing, both]);
    let reach = algebra::cross(b, &between, &d2);
    let reach = algebra::dot(b, &reach, &normal);
    let met = over(b, reach, sine, usable);
    let met = unit_interval(b, met);
    let s = b.select(usable, met, zero);
    let on1 = over(b, along1, a, long1);
    let on1 = unit_interval(b, on1);
    // Where the second one is a point, the closest on the first; where the first is a point, its own.
    let point = b.select(long1, on1, zero);
    let s = b.select(both, s, point);
    let moved = b.op(Op::Mul, &[common, s]);
    let moved = b.op(Op::Sub, &[moved, along2]);
    let t = over(b, moved, e, long2);
    let (under, beyond) = (b.op(Op::Lt, &[t, zero]), b.op(Op::Gt, &[t, one]));
    let t = unit_interval(b, t);
    let t = b.select(long2, t, zero);
    // Beyond an end of the second one, that end counts.
    let to_end = b.op(Op::Add, &[common, along1]);
    let to_end = over(b, to_end, a, long1);
    let to_end = unit_interval(b, to_end);
    let outside = b.op(Op::Or, &[under, beyond]);
    let at_end = b.select(under, on1, to_end);
    let corrected = b.op(Op::And, &[outside, both]);
    let s = b.select(corrected, at_end, s);
    let (x, y) = (
        algebra::each(b, Op::Mul, &d1, s),
        algebra::each(b, Op::Mul, &d2, t),
    );
    let gap = algebra::zip(b, Op::Sub, &y, &x);
    let gap = algebra::zip(b, Op::Add, &gap, &between);
    let distance = algebra::length(b, &gap);
    Parts::from_slice(&[s, t, distance])
}

/// The least and the greatest of numbers.
fn span_of(b: &mut Builder, numbers: &[Value]) -> [Value; 2] {
    let (first, rest) = numbers.split_first().expect("a corner");
    rest.iter().fold([*first; 2], |[low, high], x| {
        [b.op(Op::Min, &[low, *x]), b.op(Op::Max, &[high, *x])]
    })
}

/// Whether a plane across an axis lies between two sets of points.
fn separates(b: &mut Builder, axis: &[Value], x: &[Parts], y: &[Parts]) -> Value {
    let spans = [x, y].map(|points| {
        let along: Parts = points.iter().map(|p| algebra::dot(b, axis, p)).collect();
        span_of(b, &along)
    });
    let [[low, high], [least, greatest]] = spans;
    let (before, behind) = (b.op(Op::Lt, &[high, least]), b.op(Op::Lt, &[greatest, low]));
    b.op(Op::Or, &[before, behind])
}

fn select(b: &mut Builder, cond: Value, x: &[Value], y: &[Value]) -> Parts {
    let pairs = x.iter().zip(y);
    pairs.map(|(x, y)| b.select(cond, *x, *y)).collect()
}

/// The longer of two vectors.
fn longer(b: &mut Builder, x: &[Value], y: &[Value]) -> Parts {
    let (a, c) = (square(b, x), square(b, y));
    let is = b.op(Op::Ge, &[a, c]);
    select(b, is, x, y)
}

/// The first vector, or the second where that is zero.
fn or_else(b: &mut Builder, x: &[Value], y: &[Value]) -> Parts {
    let (length, zero) = (square(b, x), b.number(b.ty(x[0]), 0.0));
    let is = b.op(Op::Gt, &[length, zero]);
    select(b, is, x, y)
}

/// Whether two triangles have a point in common; false where a coordinate is infinite or NaN.
///
/// Two convex sets are apart if a plane separates them. Across which axes it may lie: the normals, products of an edge
/// of each, and, in the plane of one, what is at right angles to an edge of either; of triangles that are segments or points, a
/// plane through both stands for that. Source: Gottschalk, Lin, Manocha, OBBTree (1996).
pub fn triangles_meet(b: &mut Builder, first: [&[Value]; 3], second: [&[Value]; 3]) -> Value {
    let ty = b.ty(first[0][0]);
    // Seen from a corner of one, so that what touches it there does so exactly.
    let seen_from = |b: &mut Builder, origin: &[Value]| {
        [first, second].map(|triangle| triangle.map(|p| difference(b, p, origin)))
    };
    let [x, y] = seen_from(b, first[0]);
    let [from_second, _] = seen_from(b, second[0]);
    let zero: Parts = (0..3).map(|_| b.number(ty, 0.0)).collect();
    let edges = |b: &mut Builder, p: &[Parts; 3]| {
        [(0, 1), (1, 2), (2, 0)].map(|(i, j)| difference(b, &p[j], &p[i]))
    };
    let (own, other) = (edges(b, &x), edges(b, &y));
    let normals = [&own, &other].map(|e| algebra::cross(b, &e[0], &e[1]));
    let mut apart = Vec::new();
    let at_zero = std::slice::from_ref(&zero);
    apart.push(separates(b, &normals[0], at_zero, &y));
    apart.push(separates(b, &normals[1], &from_second, at_zero));
    for (i, edge) in own.iter().enumerate() {
        for (j, across) in other.iter().enumerate() {
            let axis = algebra::cross(b, edge, across);
            // Both ends of an edge lie at the same place.
            let mine = [x[i].clone(), x[(i + 2) % 3].clone()];
            let theirs = [y[j].clone(), y[(j + 2) % 3].clone()];
            apart.push(separates(b, &axis, &mine, &theirs));
        }
    }
    let to = difference(b, second[0], first[0]);
    let [one, two] = [&own, &other].map(|e| {
        let pair = longer(b, &e[0], &e[1]);
        longer(b, &pair, &e[2])
    });
    // A plane through both, where there is one.
    let mut normal = longer(b, &normals[0], &normals[1]);
    for (from, along) in [(&one, &two), (&one, &to), (&two, &to)] {
        let further = algebra::cross(b, from, along);
        normal = or_else(b, &normal, &further);
    }
    for edge in own.iter().chain(&other) {
        let axis = algebra::cross(b, &normal, edge);
        apart.push(separates(b, &axis, &x, &y));
    }
    apart.push(separates(b, &to, &x, &y));
    let together = apart.into_iter().reduce(|x, y| b.op(Op::Or, &[x, y]));
    let separated = together.expect("axes were tried");
    let meet = b.op(Op::Not, &[separated]);
    let all = first.into_iter().chain(second).flatten();
    let finite: Vec<Value> = all.map(|x| b.op(Op::IsFinite, &[*x])).collect();
    (finite.into_iter()).fold(meet, |all, one| b.op(Op::And, &[all, one]))
}

/// 1 for true, 0 for false.
pub fn as_int(b: &mut Builder, truth: Value) -> Value {
    b.cast(truth, Scalar::I32)
}
