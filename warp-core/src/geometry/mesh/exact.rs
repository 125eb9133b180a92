//! What decides searches: distances to triangles and rays through them, in float64 of float32 corners.
//!
//! Searches pass over most triangles in float32; of those that are left, these functions decide, whichever way a search
//! came. So results do not depend on the tree, nor on the processor.

use std::ops::{Add, Mul, Sub};

/// A vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3(pub [f64; 3]);

impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, o: Vec3) -> Vec3 {
        Vec3([0, 1, 2].map(|d| self.0[d] + o.0[d]))
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, o: Vec3) -> Vec3 {
        Vec3([0, 1, 2].map(|d| self.0[d] - o.0[d]))
    }
}

impl Mul<f64> for Vec3 {
    type Output = Vec3;
    fn mul(self, by: f64) -> Vec3 {
        Vec3(self.0.map(|x| x * by))
    }
}

impl Vec3 {
    /// Of single numbers.
    pub fn of(x: [f32; 3]) -> Vec3 {
        Vec3(x.map(f64::from))
    }
    /// The inner product.
    pub fn dot(self, o: Vec3) -> f64 {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }
    /// The outer product.
    pub fn cross(self, o: Vec3) -> Vec3 {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Vec3([b * z - c * y, c * x - a * z, a * y - b * x])
    }
    /// The square of its length.
    pub fn square(self) -> f64 {
        self.dot(self)
    }
    /// Of length 1; zero for zero.
    pub fn unit(self) -> Vec3 {
        let length = self.square().sqrt();
        if length > 0.0 {
            self * (1.0 / length)
        } else {
            self
        }
    }
}

/// Where on a triangle the nearest point lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// A corner.
    Corner(usize),
    /// The edge from this corner to the next one.
    Edge(usize),
    Inside,
}

/// The corners of a triangle in an order of their own, and which ones they were: so triangles with the same corners give the same
/// numbers, and the least of them is found.
fn sorted(mut corners: [[f32; 3]; 3]) -> ([[f32; 3]; 3], [usize; 3]) {
    let mut which = [0, 1, 2];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if corners[i] > corners[j] {
            corners.swap(i, j);
            which.swap(i, j);
        }
    }
    (corners, which)
}

/// The square of the distance of a point to a triangle, and where the nearest point lies. Triangles that share an edge or a corner
/// give the same number where that is nearest, as do those with the same corners. NaN where a coordinate is.
pub fn nearest(point: [f32; 3], corners: [[f32; 3]; 3]) -> (f64, Feature) {
    let (corners, which) = sorted(corners);
    let (square, feature) = nearest_of_sorted(point, corners);
    let feature = match feature {
        Feature::Corner(k) => Feature::Corner(which[k]),
        Feature::Edge(k) => {
            let (from, to) = (which[k], which[(k + 1) % 3]);
            Feature::Edge(if (from + 1) % 3 == to { from } else { to })
        }
        Feature::Inside => Feature::Inside,
    };
    (square, feature)
}

/// The same of corners in order (Ericson, "Real-Time Collision Detection", 5.1.5).
fn nearest_of_sorted(point: [f32; 3], corners: [[f32; 3]; 3]) -> (f64, Feature) {
    let p = Vec3::of(point);
    let [a, b, c] = corners.map(|corner| Vec3::of(corner) - p);
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    if normal.square() <= 1e-24 * ab.square().max(ac.square()).powi(2) {
        // A line, or a point: the nearest of the edges.
        let edges = [(a, b), (b, c), (c, a)].map(|(a, b)| to_edge(a, b));
        let least = (0..3).fold(0, |k, n| if edges[n] < edges[k] { n } else { k });
        let sum = edges[0] + edges[1] + edges[2];
        return (
            if sum.is_nan() { sum } else { edges[least] },
            Feature::Edge(least),
        );
    }
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a.square(), Feature::Corner(0));
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return (b.square(), Feature::Corner(1));
    }
    if d1 * d4 - d3 * d2 <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (to_edge(a, b), Feature::Edge(0));
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return (c.square(), Feature::Corner(2));
    }
    if d5 * d2 - d1 * d6 <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (to_edge(a, c), Feature::Edge(2));
    }
    if d3 * d6 - d5 * d4 <= 0.0 && d4 >= d3 && d5 >= d6 {
        return (to_edge(b, c), Feature::Edge(1));
    }
    let far = a.dot(normal);
    (far * far / normal.square(), Feature::Inside)
}

/// The square of the distance of the origin to an edge, the same from both ends.
///
/// It is a call, as LLVM 22 (rustc 1.95, optimisation level 3, one codegen unit) makes wrong code of several copies side by side: its
/// vectorizer of straight-line code drops the third product of `a.dot(along)`. `tests/python/geometry/test_mesh.py` holds the wheel
/// against NumPy.
#[inline(never)]
fn to_edge(a: Vec3, b: Vec3) -> f64 {
    let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    let along = b - a;
    let length = along.square();
    let t = if length > 0.0 {
        -a.dot(along) / length
    } else {
        0.0
    };
    (a + along * t.clamp(0.0, 1.0)).square()
}

/// The square of the distance of a point to the corner that is furthest.
pub fn furthest(point: [f32; 3], corners: [[f32; 3]; 3]) -> f64 {
    let p = Vec3::of(point);
    let far = corners.map(|corner| (Vec3::of(corner) - p).square());
    match far.iter().sum::<f64>().is_nan() {
        true => f64::NAN,
        false => far[0].max(far[1]).max(far[2]),
    }
}

/// A ray, as triangles are tested (Woop, Benthin, Wald, "Watertight ray/triangle intersection", 2013).
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub start: [f32; 3],
    pub along: [f32; 3],
    /// The axis along which it is longest, and the others so that turns keep their sense.
    pub axes: [usize; 3],
    /// How it leans in these, and 1 / length along the first.
    pub shear: [f64; 3],
}

/// What a ray makes of a triangle: weights of the corners, each times the same number, and that number.
#[derive(Clone, Copy, Debug)]
struct Weights {
    of: [f64; 3],
    sum: f64,
    /// The corners, across the ray.
    across: [[f64; 2]; 3],
    depths: [f64; 3],
}

impl Ray {
    /// None for a direction that is zero, or where a number is not finite.
    pub fn new(start: [f32; 3], along: [f32; 3]) -> Option<Ray> {
        if !start.iter().chain(&along).all(|x| x.is_finite()) || along == [0.0; 3] {
            return None;
        }
        let z = (0..3).fold(0, |k, d| {
            if along[d].abs() > along[k].abs() {
                d
            } else {
                k
            }
        });
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if along[z] < 0.0 {
            (x, y) = (y, x);
        }
        let d = along.map(f64::from);
        Some(Ray {
            start,
            along,
            axes: [x, y, z],
            shear: [d[x] / d[z], d[y] / d[z], 1.0 / d[z]],
        })
    }

    fn weights(&self, corners: [[f32; 3]; 3]) -> Weights {
        let [x, y, z] = self.axes;
        let start = self.start.map(f64::from);
        let from = corners.map(|corner| [0, 1, 2].map(|d| f64::from(corner[d]) - start[d]));
        let depths = from.map(|c| c[z]);
        let across = from.map(|c| [c[x] - self.shear[0] * c[z], c[y] - self.shear[1] * c[z]]);
        let [a, b, c] = across;
        let of = [
            c[0] * b[1] - c[1] * b[0],
            a[0] * c[1] - a[1] * c[0],
            b[0] * a[1] - b[1] * a[0],
        ];
        let sum = of[0] + of[1] + of[2];
        Weights {
            of,
            sum,
            across,
            depths,
        }
    }

    /// Whether it goes through a triangle from the back to the front, which the normal comes out of.
    pub fn leaves(&self, corners: [[f32; 3]; 3]) -> bool {
        let [a, b, c] = corners.map(Vec3::of);
        (b - a).cross(c - a).dot(Vec3::of(self.along)) > 0.0
    }

    fn distance(&self, w: &Weights) -> Option<f64> {
        let depth = w.of[0] * w.depths[0] + w.of[1] * w.depths[1] + w.of[2] * w.depths[2];
        let t = depth * self.shear[2] / w.sum;
        (t >= 0.0).then_some(t)
    }

    /// Where it meets a triangle, in lengths of its direction; on edges and corners, too. Two triangles that share an edge leave
    /// no gap, and those with the same corners give the same number.
    pub fn meets(&self, corners: [[f32; 3]; 3]) -> Option<f64> {
        let w = self.weights(sorted(corners).0);
        let inside = w.of.iter().all(|x| *x >= 0.0) || w.of.iter().all(|x| *x <= 0.0);
        if !inside || w.sum == 0.0 || !has_area(corners) {
            return None;
        }
        self.distance(&w)
    }

    /// Where it crosses a triangle, if it does: a point on an edge is inside one of two triangles side by side, as if the ray lay
    /// a little beside it. So rays cross closed surfaces an even number of times from outside.
    pub fn crosses(&self, corners: [[f32; 3]; 3]) -> Option<f64> {
        let w = self.weights(corners);
        if w.sum == 0.0 || w.sum.is_nan() || !has_area(corners) {
            return None;
        }
        let positive = w.sum > 0.0;
        for k in 0..3 {
            let of = if positive { w.of[k] } else { -w.of[k] };
            if of > 0.0 {
                continue;
            }
            // The edge across from the corner, so that the triangle lies on its left.
            let (from, to) = (w.across[(k + 1) % 3], w.across[(k + 2) % 3]);
            let edge = [to[0] - from[0], to[1] - from[1]];
            let [dx, dy] = if positive { edge } else { edge.map(|x| -x) };
            let owned = dy > 0.0 || (dy == 0.0 && dx > 0.0);
            if of < 0.0 || !owned {
                return None;
            }
        }
        self.distance(&w)
    }
}

/// Whether a triangle has an area: a line or a point is met by no ray, whatever rounding makes of its weights.
fn has_area(corners: [[f32; 3]; 3]) -> bool {
    let [a, b, c] = corners.map(Vec3::of);
    (b - a).cross(c - a) != Vec3([0.0; 3])
}

/// The solid angle of a triangle from a point, by 4 pi (van Oosterom, Strackee, "The solid angle of a plane triangle", 1983).
pub fn winding(point: [f32; 3], corners: [[f32; 3]; 3]) -> f64 {
    let p = Vec3::of(point);
    let [a, b, c] = corners.map(|corner| Vec3::of(corner) - p);
    let [x, y, z] = [a, b, c].map(|v| v.square().sqrt());
    let volume = a.dot(b.cross(c));
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    let angle = 2.0 * volume.atan2(below);
    if volume == 0.0 || angle.is_nan() {
        return 0.0;
    }
    angle / (4.0 * std::f64::consts::PI)
}
