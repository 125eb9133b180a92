//! What searches read of a mesh, made of the tree over its faces.

use super::layout::{Block, IS_BLOCK, NONE, Parts, WIDE, Wide};
use super::surface::{Surface, slice};
use super::winding;
use crate::algorithm::{Place, each};
use crate::geometry::memory::prefetch;
use crate::geometry::tree::{Bounds, Built, Node};

/// Faces that one task works on at least.
const PART: usize = 1 << 13;
/// The same in blocks.
const BLOCKS: usize = PART / WIDE;
/// Blocks between a request for points, or for the numbers of points, and their use.
const AHEAD: usize = 4;

/// The corners of a face; NaN if an index is none of a point, or a coordinate is not finite.
fn corners(points: &[[f32; 3]], indices: &[[i32; 3]], face: usize) -> [[f32; 3]; 3] {
    let of = |index: i32| usize::try_from(index).ok().and_then(|at| points.get(at));
    let all = indices[face].map(of);
    let finite = |corner: &[f32; 3]| corner.iter().all(|x| x.is_finite());
    match all {
        [Some(a), Some(b), Some(c)] if finite(a) && finite(b) && finite(c) => [*a, *b, *c],
        _ => [[f32::NAN; 3]; 3],
    }
}

/// # Safety
/// As [`super::Mesh::build`].
unsafe fn arrays<'a>(surface: &Surface) -> (&'a [[f32; 3]], &'a [[i32; 3]]) {
    // SAFETY: the caller's promise.
    unsafe {
        let points = slice(surface.points.cast(), surface.point_count);
        (points, slice(surface.indices.cast(), surface.faces))
    }
}

/// The boxes of the faces.
///
/// # Safety
/// As [`super::Mesh::build`].
pub unsafe fn bounds(surface: &Surface) -> Vec<Bounds> {
    // SAFETY: the caller's promise.
    let (points, indices) = unsafe { arrays(surface) };
    let count = indices.len();
    let mut all = vec![Bounds::NONE; count];
    let out = Place::<Bounds>::new(all.as_mut_ptr().cast());
    each(count.div_ceil(PART), 32 * count, |part| {
        for face in part * PART..count.min((part + 1) * PART) {
            let bounds = around(corners(points, indices, face));
            // SAFETY: each task has its own faces.
            unsafe { out.put(face, bounds) };
        }
    });
    all
}

/// The nodes with up to 8 children of a binary tree, without boxes. The first is the root.
pub fn collapse(tree: &[Node]) -> Vec<Wide> {
    let mut nodes = Vec::new();
    if !tree.is_empty() {
        let mut leaves = vec![0u32; tree.len()];
        let mut before = 0;
        for (at, node) in tree.iter().enumerate() {
            leaves[at] = before;
            before += u32::from(node.is_leaf());
        }
        wide(tree, &leaves, 0, &mut nodes);
    }
    nodes
}

/// The node of the children below a node of the binary tree, or of itself if it is a leaf.
fn wide(tree: &[Node], leaves: &[u32], root: usize, nodes: &mut Vec<Wide>) -> u32 {
    let mut children = vec![root];
    loop {
        // The largest one is taken apart, as long as there is room.
        let inner = children
            .iter()
            .enumerate()
            .filter(|(_, at)| !tree[**at].is_leaf());
        let largest = inner.fold(None, |best: Option<(usize, f32)>, (n, at)| {
            let area = tree[*at].bounds.half_area();
            match best {
                Some((_, most)) if most >= area => best,
                _ => Some((n, area)),
            }
        });
        let Some((n, _)) = largest.filter(|_| children.len() < WIDE) else {
            break;
        };
        let at = children[n];
        children[n] = at + 1;
        children.push(tree[at + 1].escape as usize);
    }
    let number = nodes.len();
    nodes.push(Wide {
        low: [[f32::INFINITY; WIDE]; 3],
        high: [[f32::NEG_INFINITY; WIDE]; 3],
        child: [NONE; WIDE],
        from: [0; WIDE],
        children: 0,
    });
    for (k, at) in children.into_iter().enumerate() {
        let child = match tree[at].is_leaf() {
            true => leaves[at] | IS_BLOCK,
            false => wide(tree, leaves, at, nodes),
        };
        nodes[number].child[k] = child;
        nodes[number].from[k] = at as u32;
        nodes[number].children |= 1 << k;
    }
    number as u32
}

/// Counts the leaves before each node.
pub fn number_leaves(parts: &mut Parts<'_>, tree: &[Node]) {
    let mut before = 0;
    for (leaves, node) in parts.leaves.iter_mut().zip(tree) {
        *leaves = before;
        before += u32::from(node.is_leaf());
    }
}

/// Says which faces the blocks have.
pub fn number_faces(parts: &mut Parts<'_>, built: &Built) {
    let leaves = built.nodes.iter().filter(|node| node.is_leaf());
    for (block, leaf) in parts.blocks.iter_mut().zip(leaves) {
        block.faces = [NONE; WIDE];
        for (face, item) in block.faces.iter_mut().zip(leaf.range()) {
            *face = built.order[item];
        }
    }
}

/// Puts the corners of faces into the blocks, and their boxes in the same order.
///
/// # Safety
/// As [`super::Mesh::build`].
pub unsafe fn put_corners(parts: &mut Parts<'_>, boxes: &mut [Bounds], surface: &Surface) {
    // SAFETY: the caller's promise.
    let (points, indices) = unsafe { arrays(surface) };
    // Where the boxes of each part of the blocks begin.
    let starts: Vec<usize> = (parts.blocks.chunks(BLOCKS))
        .scan(0, |next, blocks| {
            let faces = blocks.iter().flat_map(|block| block.faces);
            let first = *next;
            *next += faces.filter(|face| *face != NONE).count();
            Some(first)
        })
        .collect();
    let count = parts.blocks.len();
    let blocks = Place::<Block>::new(parts.blocks.as_mut_ptr().cast());
    let out = Place::<Bounds>::new(boxes.as_mut_ptr().cast());
    each(starts.len(), 32 * WIDE * count, |part| {
        let mut next = starts[part];
        let end = count.min((part + 1) * BLOCKS);
        for number in part * BLOCKS..end {
            // Faces of a block lie anywhere among all faces, and their points anywhere, too.
            let faces = |later: usize| {
                let block = (number + later < end).then(|| blocks.from(number + later).address());
                // SAFETY: each task has its own blocks, whose faces nobody changes.
                let faces = block.map(|block| unsafe { (*block).faces });
                faces.into_iter().flatten().filter(|face| *face != NONE)
            };
            for face in faces(2 * AHEAD) {
                prefetch(&raw const indices[face as usize]);
            }
            for face in faces(AHEAD) {
                for index in indices[face as usize] {
                    prefetch(points.as_ptr().wrapping_offset(index as isize));
                }
            }
            // SAFETY: each task has its own blocks.
            let block = unsafe { &mut *blocks.from(number).address() };
            for lane in 0..WIDE {
                let corners = match block.faces[lane] {
                    NONE => [[f32::NAN; 3]; 3],
                    face => corners(points, indices, face as usize),
                };
                for (own, corner) in block.corners.iter_mut().zip(corners) {
                    for (own, x) in own.iter_mut().zip(corner) {
                        own[lane] = x;
                    }
                }
                if block.faces[lane] != NONE {
                    // SAFETY: each face has a box.
                    unsafe { out.put(next, around(corners)) };
                    next += 1;
                }
            }
        }
    });
}

/// The box of a face; NaN if it has no numbers, so that it meets nothing, and makes no box larger.
fn around(corners: [[f32; 3]; 3]) -> Bounds {
    let mut bounds = Bounds {
        low: corners[0],
        high: corners[0],
    };
    for corner in &corners[1..] {
        for (d, x) in corner.iter().enumerate() {
            bounds.low[d] = bounds.low[d].min(*x);
            bounds.high[d] = bounds.high[d].max(*x);
        }
    }
    bounds
}

/// Fits boxes and moments, where the corners and the boxes of the binary tree are fitted already.
pub fn fit(parts: &mut Parts<'_>, tree: &[Node]) {
    for node in parts.nodes.iter_mut() {
        for k in 0..WIDE {
            if node.child[k] != NONE {
                let bounds = &tree[node.from[k] as usize].bounds;
                for d in 0..3 {
                    node.low[d][k] = bounds.low[d];
                    node.high[d][k] = bounds.high[d];
                }
            }
        }
    }
    if !parts.moments.is_empty() {
        winding::fill(parts, tree);
    }
}
