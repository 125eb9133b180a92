//! Winding numbers: how often a surface goes around a point.
//!
//! Far groups of faces count as their moments (Barill, Dickson, Schmidt, Levin, Jacobson, "Fast winding numbers for soups and clouds",
//! 2018), of first and second order; near ones as triangles.

use super::exact::{Vec3, winding};
use super::layout::{Mesh, Moments, NONE, Parts, WIDE};
use crate::geometry::tree::Node;

/// Moments of the third order are left out; from so many times the distance on they matter as little as they would with them.
const FARTHER: f32 = 1.5;

/// Inside is where the number is greater than a threshold by more than this. Sums in any order differ by less, so that a point whose number
/// is the threshold, as the half within a face, is outside on all processors.
pub const SLACK: f64 = 1e-9;

/// How often the surface goes around a point: 1 inside of a closed surface whose faces look outwards. A group of faces is taken
/// together if the point is further from it than `accuracy` times its radius.
#[inline(always)]
pub fn number(mesh: &Mesh<'_>, point: [f32; 3], accuracy: f32) -> f64 {
    let (mut sum, mut at) = (0.0, 0);
    if mesh.moments.is_empty() {
        return (0..mesh.blocks.len())
            .map(|block| of_faces(mesh, point, block))
            .sum();
    }
    while at < mesh.moments.len() {
        let (node, moments) = (&mesh.tree[at], &mesh.moments[at]);
        let r = [0, 1, 2].map(|d| moments.center[d] - point[d]);
        let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        let reach = FARTHER * accuracy * moments.radius;
        if moments.radius >= 0.0 && square > reach * reach {
            sum += f64::from(far(moments, r, square));
            at = node.escape as usize;
        } else {
            if node.is_leaf() {
                sum += of_faces(mesh, point, mesh.leaves[at] as usize);
            }
            at += 1;
        }
    }
    sum
}

/// That of the faces of a block.
fn of_faces(mesh: &Mesh<'_>, point: [f32; 3], block: usize) -> f64 {
    let lanes = 0..WIDE;
    let faces = lanes.filter(|lane| mesh.blocks[block].faces[*lane] != NONE);
    faces
        .map(|lane| winding(point, mesh.corners(block, lane)))
        .sum()
}

fn far(m: &Moments, r: [f32; 3], square: f32) -> f32 {
    let per = 1.0 / square.sqrt();
    let per3 = per * per * per;
    let first = (m.normal[0] * r[0] + m.normal[1] * r[1] + m.normal[2] * r[2]) * per3;
    let s = m.second;
    let trace = s[0] + s[1] + s[2];
    let form = s[0] * r[0] * r[0]
        + s[1] * r[1] * r[1]
        + s[2] * r[2] * r[2]
        + s[3] * r[0] * r[1]
        + s[4] * r[0] * r[2]
        + s[5] * r[1] * r[2];
    let second = trace * per3 - 3.0 * form * per3 * per * per;
    (first + second) / (4.0 * std::f32::consts::PI)
}

/// Computes the moments of all nodes of a tree.
pub fn fill(parts: &mut Parts<'_>, tree: &[Node]) {
    for at in (0..tree.len()).rev() {
        parts.moments[at] = match tree[at].is_leaf() {
            true => of_block(parts, parts.leaves[at] as usize),
            false => {
                let second = tree[at + 1].escape as usize;
                joined(&parts.moments[at + 1], &parts.moments[second])
            }
        };
        let m = &mut parts.moments[at];
        if m.radius >= 0.0 {
            let box_ = &tree[at].bounds;
            let far =
                [0, 1, 2].map(|d| (m.center[d] - box_.low[d]).max(box_.high[d] - m.center[d]));
            m.radius = (far[0] * far[0] + far[1] * far[1] + far[2] * far[2]).sqrt();
        }
    }
}

fn of_block(parts: &Parts<'_>, number: usize) -> Moments {
    let block = &parts.blocks[number];
    let mut sum = Moments::default();
    for lane in 0..WIDE {
        if block.faces[lane] == NONE {
            continue;
        }
        let corners = [0, 1, 2].map(|k| Vec3::of([0, 1, 2].map(|d| block.corners[k][d][lane])));
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]) * 0.5;
        let middle = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
        let area = normal.square().sqrt();
        if area > 0.0 && area.is_finite() {
            let one = Moments {
                center: middle.0.map(|x| x as f32),
                normal: normal.0.map(|x| x as f32),
                area: area as f32,
                ..Moments::default()
            };
            sum = joined(&sum, &one);
        }
    }
    sum
}

/// The moments of two groups together.
fn joined(a: &Moments, b: &Moments) -> Moments {
    let area = a.area + b.area;
    if area == 0.0 {
        return Moments::default();
    }
    let share = b.area / area;
    let center = [0, 1, 2].map(|d| a.center[d] + (b.center[d] - a.center[d]) * share);
    let (mut normal, mut second) = ([0.0; 3], [0.0; 6]);
    for m in [a, b].into_iter().filter(|m| m.area > 0.0) {
        let from = [0, 1, 2].map(|d| m.center[d] - center[d]);
        let n = m.normal;
        let moved = [
            from[0] * n[0],
            from[1] * n[1],
            from[2] * n[2],
            from[0] * n[1] + from[1] * n[0],
            from[0] * n[2] + from[2] * n[0],
            from[1] * n[2] + from[2] * n[1],
        ];
        for d in 0..3 {
            normal[d] += n[d];
        }
        for k in 0..6 {
            second[k] += m.second[k] + moved[k];
        }
    }
    Moments {
        center,
        normal,
        area,
        second,
        ..Moments::default()
    }
}
