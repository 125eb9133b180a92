//! Segments and triangles.

use crate::builtins::formula::simplices;
use crate::builtins::signature::call::Call;
use crate::builtins::signature::row::Row;
use crate::builtins::table::facts::is;
use crate::builtins::table::overload::overload;
use crate::builtins::value::Tree;
use crate::dtype::Scalar;
use crate::error::Result;

const GROUP: &str = "Geometry";

fn closest_points(c: &mut Call<'_>) -> Result<Tree> {
    let points = [c.parts(0), c.parts(1), c.parts(2), c.parts(3)];
    let epsilon = c.value(4);
    let [p1, q1, p2, q2] = &points;
    let parts = simplices::closest_points_of_segments([p1, q1, p2, q2], epsilon);
    Ok(c.vector(parts))
}

fn triangles_meet(c: &mut Call<'_>) -> Result<Tree> {
    let corners: [_; 6] = std::array::from_fn(|i| c.parts(i));
    let [v0, v1, v2, u0, u1, u2] = &corners;
    let meet = simplices::triangles_meet([v0, v1, v2], [u0, u1, u2]);
    Ok(c.tree(meet.cast(Scalar::I32)))
}

type Point = [f64; 3];

fn point(x: &[f64], at: usize) -> Point {
    [x[3 * at], x[3 * at + 1], x[3 * at + 2]]
}

fn minus(x: Point, y: Point) -> Point {
    [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
}

fn dot(x: Point, y: Point) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

fn along(x: Point, d: Point, t: f64) -> Point {
    [x[0] + t * d[0], x[1] + t * d[1], x[2] + t * d[2]]
}

/// The best of all candidates: both lines' closest points where these are inside, and each end with its closest point.
fn best_of_candidates(x: &[f64]) -> Vec<f64> {
    let [p1, q1, p2, q2] = [0, 1, 2, 3].map(|at| point(x, at));
    let (d1, d2, epsilon) = (minus(q1, p1), minus(q2, p2), x[12]);
    let weight = |from: Point, d: Point, to: Point| {
        let square = dot(d, d);
        match square > epsilon {
            true => (dot(minus(to, from), d) / square).clamp(0.0, 1.0),
            false => 0.0,
        }
    };
    let (a, b, e) = (dot(d1, d1), dot(d1, d2), dot(d2, d2));
    let mut tries = Vec::new();
    if a > epsilon && e > epsilon {
        let r = minus(p2, p1);
        let denominator = a * e - b * b;
        let s = (dot(r, d1) * e - dot(r, d2) * b) / denominator;
        let t = (dot(r, d1) * b - dot(r, d2) * a) / denominator;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            tries.push((s, t));
        }
    }
    let ends = |square: f64| {
        if square > epsilon {
            vec![0.0, 1.0]
        } else {
            vec![0.0]
        }
    };
    tries.extend(
        ends(a)
            .iter()
            .map(|s| (*s, weight(p2, d2, along(p1, d1, *s)))),
    );
    tries.extend(
        ends(e)
            .iter()
            .map(|t| (weight(p1, d1, along(p2, d2, *t)), *t)),
    );
    let distance = |(s, t): (f64, f64)| {
        let gap = minus(along(p2, d2, t), along(p1, d1, s));
        dot(gap, gap).sqrt()
    };
    let best = tries
        .into_iter()
        .min_by(|x, y| distance(*x).total_cmp(&distance(*y)));
    let (s, t) = best.expect("there are ends");
    vec![s, t, distance((s, t))]
}

/// Whether an edge of one goes through the other, by the signs of volumes.
fn an_edge_goes_through(x: &[f64]) -> Vec<f64> {
    let corners: [Point; 6] = std::array::from_fn(|at| point(x, at));
    let volume = |a: Point, b: Point, c: Point, d: Point| {
        let (u, v, w) = (minus(b, a), minus(c, a), minus(d, a));
        u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
            + u[2] * (v[0] * w[1] - v[1] * w[0])
    };
    let through = |edge: [Point; 2], t: [Point; 3]| {
        let sides = edge.map(|p| volume(t[0], t[1], t[2], p) > 0.0);
        let turns = [0, 1, 2].map(|i| volume(edge[0], edge[1], t[i], t[(i + 1) % 3]) > 0.0);
        sides[0] != sides[1] && turns.iter().all(|turn| *turn == turns[0])
    };
    let found = [(0, 3), (3, 0)].iter().any(|(own, other)| {
        let t = [corners[*other], corners[other + 1], corners[other + 2]];
        (0..3).any(|i| through([corners[own + i], corners[own + (i + 1) % 3]], t))
    });
    vec![f64::from(u8::from(found))]
}

/// Four corners in a cube, then the least squared length.
const SEGMENTS: &[(f64, f64)] = &[
    (-2.0, 2.0),
    (-2.0, 2.0),
    (-2.0, 2.0),
    (-2.0, 2.0),
    (0.01, 0.1),
];

pub const ROWS: &[Row] = &[
    Row {
        name: "closest_point_edge_edge",
        group: GROUP,
        doc: "The points of two segments, from p1 to q1 and from p2 to q2, that are closest to each other: the weights s and t of \
              p1 + s (q1 - p1) and p2 + t (q2 - p2), from 0 to 1, and their distance. A segment whose squared length is epsilon or \
              less is its first point. The slope by epsilon is 0. Source: Ericson, Real-Time Collision Detection (2005), 5.1.9.",
        overloads: &[overload!(
            "(p1: vec(3, F), q1: vec(3, F), p2: vec(3, F), q2: vec(3, F), epsilon: F) -> vec(3, F)",
            closest_points,
            is(SEGMENTS, best_of_candidates)
        )],
    },
    Row {
        name: "intersect_tri_tri",
        group: GROUP,
        doc: "Whether two triangles, (v0, v1, v2) and (u0, u1, u2), have a point in common: 1 or 0. Triangles that touch have one. \
              Triangles in one plane, and triangles that are segments or points, are tested alike. The result is 0 where a \
              coordinate is infinite or NaN. Source: Gottschalk, Lin, Manocha, OBBTree (1996), separating axes.",
        overloads: &[overload!(
            "(v0: vec(3, F), v1: vec(3, F), v2: vec(3, F), u0: vec(3, F), u1: vec(3, F), u2: vec(3, F)) -> int32",
            triangles_meet,
            is(&[(-2.0, 2.0)], an_edge_goes_through)
        )],
    },
];
