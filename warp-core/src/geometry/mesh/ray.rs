//! Rays through a mesh: the first face, any face, how many.
//!
//! Boxes and triangles are tested eight at a time in float32, with a margin for rounding; those that are left, in float64.

use super::exact::Ray;
use super::layout::{Block, IS_BLOCK, Mesh, NONE, Wide};
use super::simd::Lanes;
use super::stack::Stack;

/// What rounding may do to where a ray enters and leaves a box, relative to it.
const MARGIN: f32 = 1.000_001;
/// What rounding may do to weights, relative to their summands.
const SPREAD: f32 = 2e-6;

/// A ray as boxes are tested.
#[derive(Clone, Copy)]
struct Slabs {
    start: [f32; 3],
    per: [f32; 3],
    /// Whether the ray goes down along an axis.
    down: [bool; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Slabs {
        // A direction that is zero is as good as one that is tiny: what divides stays finite.
        let per = ray.along.map(|x| {
            1.0 / if x.abs() < 1e-30 {
                f32::copysign(1e-30, x)
            } else {
                x
            }
        });
        Slabs {
            start: ray.start,
            per,
            down: per.map(|x| x < 0.0),
        }
    }

    /// Where the ray enters the boxes of the children of a node, and which it meets before a limit.
    #[inline(always)]
    fn enter<L: Lanes>(&self, node: &Wide, limit: f32) -> (L, u32) {
        let (mut enter, mut leave) = (L::all(0.0), L::all(limit));
        for d in 0..3 {
            let (near, far) = match self.down[d] {
                true => (&node.high[d], &node.low[d]),
                false => (&node.low[d], &node.high[d]),
            };
            let (start, per) = (L::all(self.start[d]), L::all(self.per[d]));
            enter = ((L::load(near) - start) * per).max(enter);
            leave = ((L::load(far) - start) * per).min(leave);
        }
        let lanes = L::bits(enter.at_most(leave * L::all(MARGIN)));
        (enter, lanes & node.children)
    }
}

/// A ray as triangles are tested, in float32.
#[derive(Clone, Copy)]
struct Sheared {
    start: [f32; 3],
    axes: [usize; 3],
    shear: [f32; 2],
}

impl Sheared {
    fn new(ray: &Ray) -> Sheared {
        Sheared {
            start: ray.start,
            axes: ray.axes,
            shear: [ray.shear[0] as f32, ray.shear[1] as f32],
        }
    }

    /// The corners of triangles across the ray, and the largest coordinates before and after that.
    #[inline(always)]
    fn corner<L: Lanes>(&self, block: &Block, c: usize) -> ([L; 2], L, L) {
        let [x, y, z] = self.axes;
        let corners = &block.corners[c];
        let right = L::load(&corners[x]) - L::all(self.start[x]);
        let up = L::load(&corners[y]) - L::all(self.start[y]);
        let depth = L::load(&corners[z]) - L::all(self.start[z]);
        let across = [
            right - L::all(self.shear[0]) * depth,
            up - L::all(self.shear[1]) * depth,
        ];
        let large = right.abs().max(up.abs()).max(depth.abs());
        (across, large, across[0].abs().max(across[1].abs()))
    }

    /// The triangles of a block that the ray may meet.
    #[inline(always)]
    fn candidates<L: Lanes>(&self, block: &Block) -> u32 {
        let (a, large_a, wide_a) = self.corner::<L>(block, 0);
        let (b, large_b, wide_b) = self.corner::<L>(block, 1);
        let (c, large_c, wide_c) = self.corner::<L>(block, 2);
        let u = c[0] * b[1] - c[1] * b[0];
        let v = a[0] * c[1] - a[1] * c[0];
        let w = b[0] * a[1] - b[1] * a[0];
        // The error of a coordinate is that of `large`; of a product, that times the other factor.
        let error = L::all(SPREAD) * large_a.max(large_b).max(large_c);
        let slack = error * (wide_a.max(wide_b).max(wide_c) + error);
        let (least, most) = (u.min(v).min(w), u.max(v).max(w));
        let ok = L::or((L::all(0.0) - slack).at_most(least), most.at_most(slack));
        L::bits(ok)
    }
}

/// Calls a function for all faces that a ray may meet before a limit, which the function gives.
#[inline(always)]
fn walk<L: Lanes>(
    mesh: &Mesh<'_>,
    ray: &Ray,
    max: f32,
    each: &mut impl FnMut(usize, usize, u32) -> f32,
) {
    if mesh.nodes.is_empty() || max.is_nan() || max <= 0.0 {
        return;
    }
    let (slabs, sheared) = (Slabs::new(ray), Sheared::new(ray));
    let mut limit = max;
    let mut stack = Stack::new(true);
    while let Some((enter, at)) = stack.pop() {
        if enter > limit * MARGIN {
            continue;
        }
        if at & IS_BLOCK != 0 {
            let number = (at & !IS_BLOCK) as usize;
            let block = &mesh.blocks[number];
            let mut lanes = sheared.candidates::<L>(block);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if block.faces[lane] != NONE {
                    limit = each(number, lane, block.faces[lane]);
                }
            }
            continue;
        }
        let node = &mesh.nodes[at as usize];
        let (enters, mut lanes) = slabs.enter::<L>(node, limit);
        let (enters, first) = (enters.numbers(), stack.len());
        while lanes != 0 {
            let k = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            stack.push(first, enters[k], node.child[k]);
        }
    }
}

/// The first face that a ray meets, before `max` lengths of its direction; of several at the same distance the least.
#[inline(always)]
pub fn first<L: Lanes>(
    mesh: &Mesh<'_>,
    start: [f32; 3],
    along: [f32; 3],
    max: f32,
    root: i32,
) -> u32 {
    let Some(ray) = Ray::new(start, along) else {
        return NONE;
    };
    let (mut best, mut face) = (f64::from(max), NONE);
    each_below::<L>(mesh, &ray, max, root, &mut |block, lane, number| {
        if let Some(t) = ray.meets(mesh.corners(block, lane))
            && (t < best || (t == best && number < face && face != NONE))
        {
            (best, face) = (t, number);
        }
        // Rounded up, so that what is as near is found.
        (best as f32).next_up()
    });
    face
}

/// Whether the first face that a ray meets shows it its back.
#[inline(always)]
pub fn first_back<L: Lanes>(mesh: &Mesh<'_>, start: [f32; 3], along: [f32; 3]) -> bool {
    let Some(ray) = Ray::new(start, along) else {
        return false;
    };
    let (mut best, mut face, mut back) = (f64::INFINITY, NONE, false);
    walk::<L>(mesh, &ray, f32::INFINITY, &mut |block, lane, number| {
        let corners = mesh.corners(block, lane);
        if let Some(t) = ray.meets(corners)
            && (t < best || (t == best && number < face))
        {
            (best, face) = (t, number);
            back = ray.leaves(corners);
        }
        (best as f32).next_up()
    });
    back
}

/// Whether a ray meets a face.
#[inline(always)]
pub fn any<L: Lanes>(
    mesh: &Mesh<'_>,
    start: [f32; 3],
    along: [f32; 3],
    max: f32,
    root: i32,
) -> bool {
    let Some(ray) = Ray::new(start, along) else {
        return false;
    };
    let mut found = false;
    each_below::<L>(mesh, &ray, max, root, &mut |block, lane, _| {
        if !found {
            let t = ray.meets(mesh.corners(block, lane));
            found = t.is_some_and(|t| t < f64::from(max));
        }
        // Nothing is nearer than this.
        if found { -1.0 } else { max }
    });
    found
}

/// How many faces a ray crosses.
#[inline(always)]
pub fn count<L: Lanes>(mesh: &Mesh<'_>, start: [f32; 3], along: [f32; 3], root: i32) -> i32 {
    let Some(ray) = Ray::new(start, along) else {
        return 0;
    };
    let mut sum = 0;
    each_below::<L>(mesh, &ray, f32::INFINITY, root, &mut |block, lane, _| {
        sum += i32::from(ray.crosses(mesh.corners(block, lane)).is_some());
        f32::INFINITY
    });
    sum
}

/// Goes through the faces below a node of the binary tree, all if it is negative.
#[inline(always)]
fn each_below<L: Lanes>(
    mesh: &Mesh<'_>,
    ray: &Ray,
    max: f32,
    root: i32,
    each: &mut impl FnMut(usize, usize, u32) -> f32,
) {
    let Ok(root) = usize::try_from(root) else {
        return walk::<L>(mesh, ray, max, each);
    };
    let Some(end) = mesh.tree.get(root).map(|node| node.escape as usize) else {
        return;
    };
    let (slabs, mut at, mut limit) = (Slabs::new(ray), root, max);
    while at < end && limit > 0.0 {
        let node = &mesh.tree[at];
        let (mut enter, mut leave) = (0.0f32, limit * MARGIN);
        for d in 0..3 {
            let (low, high) = (node.bounds.low[d], node.bounds.high[d]);
            let (near, far) = if slabs.down[d] {
                (high, low)
            } else {
                (low, high)
            };
            enter = enter.max((near - slabs.start[d]) * slabs.per[d]);
            leave = leave.min((far - slabs.start[d]) * slabs.per[d] * MARGIN);
        }
        if node.is_leaf() {
            if enter <= leave {
                let block = mesh.leaves[at] as usize;
                let faces = &mesh.blocks[block].faces;
                for (lane, face) in faces.iter().enumerate().filter(|(_, face)| **face != NONE) {
                    limit = each(block, lane, *face);
                }
            }
            at += 1;
        } else if enter <= leave {
            at += 1;
        } else {
            at = node.escape as usize;
        }
    }
}
