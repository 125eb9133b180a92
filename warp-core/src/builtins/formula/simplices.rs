//! Segments and triangles in space: closest points, and whether two triangles meet.

use crate::builtins::formula::algebra;
use crate::ir::expr::vector::{add, cross, dot, join, scaled, select, square, sub};
use crate::ir::{Expr, Exprs};

fn unit_interval<'s>(x: Expr<'s>) -> Expr<'s> {
    let [zero, one] = x.numbers([0.0, 1.0]);
    x.max(zero).min(one)
}

/// `x / y`, or `x` where `usable` is false: then the result is not used, nor is its derivative infinite.
fn over<'s>(x: Expr<'s>, y: Expr<'s>, usable: Expr<'s>) -> Expr<'s> {
    x / usable.select(y, 1.0)
}

/// Weights `s` and `t` of the closest points `p1 + s (q1 - p1)` and `p2 + t (q2 - p2)` of two segments, and their distance. A
/// segment whose squared length is at most `epsilon` is its first point; of parallel ones the point with the least `s` is taken.
///
/// The weight on the first line is a triple product over the square of the directions' cross product, which loses no digits
/// where these are nearly parallel. Source of the cases: Ericson, Real-Time Collision Detection (2005), 5.1.9.
pub fn closest_points_of_segments<'s>(
    [p1, q1, p2, q2]: [&[Expr<'s>]; 4],
    epsilon: Expr<'s>,
) -> Exprs<'s> {
    let [zero, one] = epsilon.numbers([0.0, 1.0]);
    let (d1, d2) = (sub(q1, p1), sub(q2, p2));
    let between = sub(p2, p1);
    let (a, e) = (square(&d1), square(&d2));
    let (long1, long2) = (a.gt(epsilon), e.gt(epsilon));
    let both = long1 & long2;
    // Of each line, the point closest to the other's first one.
    let (along1, along2) = (dot(&d1, &between), dot(&d2, &between));
    let common = dot(&d1, &d2);
    let normal = cross(&d1, &d2);
    let sine = square(&normal);
    let usable = sine.gt(zero) & both;
    let reach = dot(&cross(&between, &d2), &normal);
    let s = usable.select(unit_interval(over(reach, sine, usable)), zero);
    let on1 = unit_interval(over(along1, a, long1));
    // Where the second one is a point, the closest on the first; where the first is a point, its own.
    let s = both.select(s, long1.select(on1, zero));
    let t = over(common * s - along2, e, long2);
    let (under, beyond) = (t.lt(zero), t.gt(one));
    let t = long2.select(unit_interval(t), zero);
    // Beyond an end of the second one, that end counts.
    let to_end = unit_interval(over(common + along1, a, long1));
    let at_end = under.select(on1, to_end);
    let s = ((under | beyond) & both).select(at_end, s);
    let gap = add(&sub(&scaled(&d2, t), &scaled(&d1, s)), &between);
    Exprs::from_slice(&[s, t, algebra::length(&gap)])
}

/// Whether a plane across an axis lies between two sets of points.
fn separates<'s>(axis: &[Expr<'s>], x: &[Exprs<'s>], y: &[Exprs<'s>]) -> Expr<'s> {
    let [[low, high], [least, greatest]] = [x, y].map(|points| {
        let along: Exprs<'s> = points.iter().map(|p| dot(axis, p)).collect();
        [join(&along, |x, y| x.min(y)), join(&along, |x, y| x.max(y))]
    });
    high.lt(least) | greatest.lt(low)
}

/// The longer of two vectors.
fn longer<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    select(square(x).ge(square(y)), x, y)
}

/// The first vector, or the second where that is zero.
fn or_else<'s>(x: &[Expr<'s>], y: &[Expr<'s>]) -> Exprs<'s> {
    select(square(x).gt(0.0), x, y)
}

/// Whether two triangles have a point in common; false where a coordinate is infinite or NaN.
///
/// Two convex sets are apart if a plane separates them. Across which axes it may lie: the normals, products of an edge
/// of each, and, in the plane of one, what is at right angles to an edge of either; of triangles that are segments or points, a
/// plane through both stands for that. Source: Gottschalk, Lin, Manocha, OBBTree (1996).
pub fn triangles_meet<'s>(first: [&[Expr<'s>]; 3], second: [&[Expr<'s>]; 3]) -> Expr<'s> {
    // Seen from a corner of one, so that what touches it there does so exactly.
    let [x, y] = [first, second].map(|triangle| triangle.map(|p| sub(p, first[0])));
    let from_second = first.map(|p| sub(p, second[0]));
    let zero: Exprs<'s> = first[0].iter().map(|x| x.number(0.0)).collect();
    let edges = |p: &[Exprs<'s>; 3]| [(0, 1), (1, 2), (2, 0)].map(|(i, j)| sub(&p[j], &p[i]));
    let (own, other) = (edges(&x), edges(&y));
    let normals = [&own, &other].map(|e| cross(&e[0], &e[1]));
    let mut apart = Vec::new();
    let at_zero = std::slice::from_ref(&zero);
    apart.push(separates(&normals[0], at_zero, &y));
    apart.push(separates(&normals[1], &from_second, at_zero));
    for (i, edge) in own.iter().enumerate() {
        for (j, across) in other.iter().enumerate() {
            // Both ends of an edge lie at the same place.
            let mine = [x[i].clone(), x[(i + 2) % 3].clone()];
            let theirs = [y[j].clone(), y[(j + 2) % 3].clone()];
            apart.push(separates(&cross(edge, across), &mine, &theirs));
        }
    }
    let to = sub(second[0], first[0]);
    let [one, two] = [&own, &other].map(|e| longer(&longer(&e[0], &e[1]), &e[2]));
    // A plane through both, where there is one.
    let mut normal = longer(&normals[0], &normals[1]);
    for (from, along) in [(&one, &two), (&one, &to), (&two, &to)] {
        normal = or_else(&normal, &cross(from, along));
    }
    for edge in own.iter().chain(&other) {
        apart.push(separates(&cross(&normal, edge), &x, &y));
    }
    apart.push(separates(&to, &x, &y));
    let meet = !join(&apart, |x, y| x | y);
    let all = first.into_iter().chain(second).flatten();
    let finite: Vec<Expr<'s>> = all.map(|x| x.is_finite()).collect();
    finite.into_iter().fold(meet, |all, one| all & one)
}
