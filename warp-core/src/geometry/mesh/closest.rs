//! The face that is closest to a point, or furthest from it.
//!
//! A search goes down a tree with 8 children to a node, nearest first, and compares boxes and triangles eight at a time in
//! float32, with a margin for rounding. Triangles that may be better than the best so far are compared in float64; of faces at
//! the same distance the one with the least number wins. So the result is that of going through all faces.

use super::exact::{Feature, Vec3, furthest, nearest};
use super::interleaved::{self, Search};
use super::layout::{Block, IS_BLOCK, Mesh, NONE, WIDE, Wide};
use super::simd::{Lanes, Vec3 as Wide3, cross, dot, minus};
use super::stack::Stack;
use std::mem::MaybeUninit;

/// What rounding may do to squares of distances, relative to them.
const MARGIN: f32 = 1.001;
/// The same, relative to the square of the largest coordinate.
const SPREAD: f32 = 1e-9;
/// A point that is less behind a face than this part of the largest coordinates is on the surface: sums in any order differ by less.
const ON_SURFACE: f64 = 1e-12;

/// What is found best so far.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    /// The square of the distance.
    pub square: f64,
    /// The face, or [`NONE`].
    pub face: u32,
}

/// The search of the closest face.
#[derive(Clone, Copy)]
pub struct Closest {
    point: [f32; 3],
    /// What was found.
    pub best: Best,
    limit: f32,
}

impl Closest {
    /// Nearer than `max`. The best without a search if nothing is.
    pub fn new(mesh: &Mesh<'_>, point: [f32; 3], max: f32) -> Result<Closest, Best> {
        let best = Best {
            square: f64::from(max) * f64::from(max),
            face: NONE,
        };
        match max > 0.0 && !mesh.nodes.is_empty() {
            true => Ok(Closest {
                point,
                best,
                limit: limit_of(best.square),
            }),
            false => Err(best),
        }
    }
}

impl Search for Closest {
    #[inline(always)]
    fn step<L: Lanes>(&mut self, mesh: &Mesh<'_>, stack: &mut Stack, at: u32) -> Option<u32> {
        let Closest { point, best, limit } = self;
        step::<L>(
            mesh,
            *point,
            limit,
            (stack, at),
            &mut |block, lane, face| {
                let (square, _) = nearest(*point, mesh.corners(block, lane));
                if square < best.square
                    || (square == best.square && face < best.face && best.face != NONE)
                {
                    *best = Best { square, face };
                }
                best.square
            },
        )
    }
}

/// The closest face nearer than `max`.
#[inline(always)]
pub fn closest<L: Lanes>(mesh: &Mesh<'_>, point: [f32; 3], max: f32) -> Best {
    match Closest::new(mesh, point, max) {
        Ok(search) => interleaved::alone::<L, _>(mesh, search).best,
        Err(best) => best,
    }
}

/// Which side of the surface a point lies on, by the normal of the closest face, edge or corner: the sum of those of the faces that
/// meet there, at corners weighted by their angles (Baerentzen, Aanaes, "Signed distance computation using the angle weighted
/// pseudonormal", 2005). Faces meet where they are exactly as near. Several places may be so: each says the same, so what they say is
/// added up. Negative inside; a point on the surface is outside, in whichever order sums are rounded.
#[inline(always)]
pub fn side<L: Lanes>(mesh: &Mesh<'_>, point: [f32; 3], square: f64) -> i32 {
    let (mut sum, mut size) = (0.0, 0.0);
    search::<L>(mesh, point, square, &mut |block, lane, _| {
        let corners = mesh.corners(block, lane);
        let (found, feature) = nearest(point, corners);
        if found == square {
            let [a, b, c] = corners.map(Vec3::of);
            let normal = (b - a).cross(c - a).unit();
            let weight = match feature {
                Feature::Corner(k) => angle([a, b, c], k),
                _ => 1.0,
            };
            let of = [a, b, c];
            let towards = match feature {
                Feature::Corner(k) => Vec3::of(point) - of[k],
                Feature::Edge(k) => {
                    let (from, to) = (of[k], of[(k + 1) % 3]);
                    let along = to - from;
                    let t =
                        (Vec3::of(point) - from).dot(along) / along.square().max(f64::MIN_POSITIVE);
                    Vec3::of(point) - (from + along * t.clamp(0.0, 1.0))
                }
                Feature::Inside => normal * (Vec3::of(point) - a).dot(normal),
            };
            sum += weight * normal.dot(towards);
            size += weight * (extent(point) + extent(corners[0]));
        }
        square
    });
    if sum < -ON_SURFACE * size { -1 } else { 1 }
}

/// The largest coordinate.
fn extent(point: [f32; 3]) -> f64 {
    point
        .into_iter()
        .fold(0.0, |most: f32, x| most.max(x.abs()))
        .into()
}

/// The angle of a triangle at a corner.
fn angle(corners: [Vec3; 3], k: usize) -> f64 {
    let (to, from) = (
        corners[(k + 1) % 3] - corners[k],
        corners[(k + 2) % 3] - corners[k],
    );
    to.cross(from).square().sqrt().atan2(to.dot(from))
}

/// The face that reaches furthest, farther than `min`.
#[inline(always)]
pub fn furthest_face<L: Lanes>(mesh: &Mesh<'_>, point: [f32; 3], min: f32) -> u32 {
    let least = if min > 0.0 {
        f64::from(min) * f64::from(min)
    } else {
        -1.0
    };
    let (mut best, mut face) = (least, NONE);
    let mut place = MaybeUninit::uninit();
    let stack = Stack::begin(&mut place);
    if !mesh.nodes.is_empty() {
        stack.push(0, f32::NEG_INFINITY, 0);
    }
    // The stack has the least numbers last: distances are negative there.
    while let Some((bound, at)) = stack.pop() {
        if at & IS_BLOCK != 0 {
            let block = (at & !IS_BLOCK) as usize;
            for lane in 0..WIDE {
                let number = mesh.blocks[block].faces[lane];
                let square = furthest(point, mesh.corners(block, lane));
                let tie = square == best && number < face && face != NONE;
                if number != NONE && (square > best || tie) {
                    (best, face) = (square, number);
                }
            }
            continue;
        }
        if bound < 0.0 && f64::from(-bound * MARGIN) < best {
            continue;
        }
        let node = &mesh.nodes[at as usize];
        let p = splat::<L>(point);
        let squares = (reach(node, 0, p) + reach(node, 1, p) + reach(node, 2, p)).numbers();
        let first = stack.len();
        for (square, child) in squares.into_iter().zip(node.child) {
            if child != NONE && f64::from(square * MARGIN) >= best {
                stack.push(first, -square, child);
            }
        }
    }
    face
}

/// A point for all lanes. Closures would stay calls, as they know nothing of AVX.
#[inline(always)]
fn splat<L: Lanes>(point: [f32; 3]) -> Wide3<L> {
    [L::all(point[0]), L::all(point[1]), L::all(point[2])]
}

/// The square of how far a point is from the far sides of boxes, along an axis.
#[inline(always)]
fn reach<L: Lanes>(node: &Wide, d: usize, point: Wide3<L>) -> L {
    let below = (point[d] - L::load(&node.low[d])).abs();
    let far = below.max((L::load(&node.high[d]) - point[d]).abs());
    far * far
}

/// Calls a function for all faces that may be as near as a bound, which the function makes smaller.
#[inline(always)]
fn search<L: Lanes>(
    mesh: &Mesh<'_>,
    point: [f32; 3],
    bound: f64,
    each: &mut impl FnMut(usize, usize, u32) -> f64,
) {
    let mut place = MaybeUninit::uninit();
    let (stack, mut limit) = (Stack::begin(&mut place), limit_of(bound));
    let mut next = (!mesh.nodes.is_empty()).then_some(0);
    while let Some(at) = next {
        next = step::<L>(mesh, point, &mut limit, (stack, at), each);
    }
}

/// Below which squares in float32 faces may be as near as a bound.
#[inline(always)]
fn limit_of(bound: f64) -> f32 {
    (bound * f64::from(MARGIN)) as f32
}

/// Visits a node or block; which one is next that may be near enough.
#[inline(always)]
fn step<L: Lanes>(
    mesh: &Mesh<'_>,
    point: [f32; 3],
    limit: &mut f32,
    (stack, at): (&mut Stack, u32),
    each: &mut impl FnMut(usize, usize, u32) -> f64,
) -> Option<u32> {
    let at_point = splat::<L>(point);
    if at & IS_BLOCK != 0 {
        let number = (at & !IS_BLOCK) as usize;
        let block = &mesh.blocks[number];
        let mut lanes = candidates(block, at_point, *limit);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            *limit = limit_of(each(number, lane, block.faces[lane]));
        }
        return stack.pop_within(*limit);
    }
    let node = &mesh.nodes[at as usize];
    let squares = to_boxes(node, at_point);
    // Of NaN nothing is found.
    let lanes = L::bits(squares.at_most(L::all(*limit))) & node.children;
    stack.descend(lanes, squares.numbers(), &node.child, *limit)
}

/// The squares of the distances of a point to the boxes of a node's children.
#[inline(always)]
fn to_boxes<L: Lanes>(node: &Wide, point: Wide3<L>) -> L {
    // A point that is no number is far from all boxes, which `max` may not say.
    let odd = (point[0] + point[1] + point[2]) * L::all(0.0);
    apart(node, 0, point) + apart(node, 1, point) + apart(node, 2, point) + odd
}

/// The square of how far a point is from boxes, along an axis.
#[inline(always)]
fn apart<L: Lanes>(node: &Wide, d: usize, point: Wide3<L>) -> L {
    let below = L::load(&node.low[d]) - point[d];
    let above = point[d] - L::load(&node.high[d]);
    let far = below.max(above).max(L::all(0.0));
    far * far
}

/// The corners of triangles, from a point.
#[inline(always)]
fn corner<L: Lanes>(block: &Block, c: usize, point: Wide3<L>) -> Wide3<L> {
    let [x, y, z] = &block.corners[c];
    [
        L::load(x) - point[0],
        L::load(y) - point[1],
        L::load(z) - point[2],
    ]
}

/// The largest coordinates.
#[inline(always)]
fn largest<L: Lanes>(v: Wide3<L>) -> L {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

/// The triangles of a block that may be nearer than a limit.
#[inline(always)]
fn candidates<L: Lanes>(block: &Block, point: Wide3<L>, limit: f32) -> u32 {
    let (a, b, c) = (
        corner(block, 0, point),
        corner(block, 1, point),
        corner(block, 2, point),
    );
    let spread = largest(a).max(largest(b)).max(largest(c));
    let (ab, bc, ca) = (minus(b, a), minus(c, b), minus(a, c));
    let normal = cross(ab, ca);
    let sides = [
        dot(cross(ab, normal), a),
        dot(cross(bc, normal), b),
        dot(cross(ca, normal), c),
    ];
    let zero = L::all(0.0);
    let least = sides[0].min(sides[1]).min(sides[2]);
    let most = sides[0].max(sides[1]).max(sides[2]);
    let inside = L::or(zero.at_most(least), most.at_most(zero));
    let far = dot(normal, a);
    let plane = far * far / dot(normal, normal);
    let edge = to_edge(a, ab).min(to_edge(b, bc)).min(to_edge(c, ca));
    let square = L::select(inside, plane.min(edge), edge);
    // Of an empty place, and of a triangle that is none, a sum that is no number.
    let there = dot(a, ab) + dot(b, bc) + dot(c, ca);
    let square = square + there * zero;
    let slack = L::all(limit) + L::all(SPREAD) * spread * spread;
    L::bits(square.at_most(slack))
}

/// The squares of the distances of the origin to edges that begin at a corner.
#[inline(always)]
fn to_edge<L: Lanes>(corner: Wide3<L>, along: Wide3<L>) -> L {
    let (zero, one) = (L::all(0.0), L::all(1.0));
    let length = dot(along, along).max(L::all(f32::MIN_POSITIVE));
    let t = ((zero - dot(corner, along)) / length).max(zero).min(one);
    let nearest = [
        corner[0] + along[0] * t,
        corner[1] + along[1] * t,
        corner[2] + along[2] * t,
    ];
    dot(nearest, nearest)
}
