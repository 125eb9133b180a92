//! Rays through a mesh: the first face, any face, how many.
//!
//! Boxes and triangles are tested eight at a time in float32, with a margin for rounding; those that are left, in float64.

use super::exact::Ray;
use super::interleaved::{self, Search};
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
    /// Whether it goes neither way: it is inside a box there or outside for all its length, and a side of the box is inside.
    still: [bool; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Slabs {
        // What divides stays finite.
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
            still: ray.along.map(|x| x == 0.0),
        }
    }

    /// Where the ray enters the boxes of the children of a node, and which it meets before a limit.
    #[inline(always)]
    fn enter<L: Lanes>(&self, node: &Wide, limit: f32) -> (L, u32) {
        let (mut enter, mut leave) = (L::all(0.0), L::all(limit));
        let mut children = node.children;
        for d in 0..3 {
            if self.still[d] {
                let (low, high) = (L::load(&node.low[d]), L::load(&node.high[d]));
                let start = L::all(self.start[d]);
                children &= L::bits(low.at_most(start)) & L::bits(start.at_most(high));
                continue;
            }
            let (near, far) = match self.down[d] {
                true => (&node.high[d], &node.low[d]),
                false => (&node.low[d], &node.high[d]),
            };
            let (start, per) = (L::all(self.start[d]), L::all(self.per[d]));
            enter = ((L::load(near) - start) * per).max(enter);
            leave = ((L::load(far) - start) * per).min(leave);
        }
        let lanes = L::bits(enter.at_most(leave * L::all(MARGIN)));
        (enter, lanes & children)
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

/// What is made of the faces that a ray may meet.
pub trait Faces {
    /// The ray.
    fn ray(&self) -> &Ray;
    /// Looks at a face; how far the ray is followed from now on.
    fn see(&mut self, mesh: &Mesh<'_>, block: usize, lane: usize, face: u32) -> f32;
}

/// The first face that a ray meets, before a distance; of several at the same distance the least.
#[derive(Clone, Copy)]
pub struct First {
    ray: Ray,
    best: f64,
    /// The face, or [`NONE`].
    pub face: u32,
}

impl First {
    /// Before `max` lengths of the direction.
    pub fn new(ray: Ray, max: f32) -> First {
        First {
            ray,
            best: f64::from(max),
            face: NONE,
        }
    }
}

impl Faces for First {
    fn ray(&self) -> &Ray {
        &self.ray
    }

    #[inline(always)]
    fn see(&mut self, mesh: &Mesh<'_>, block: usize, lane: usize, face: u32) -> f32 {
        if let Some(t) = self.ray.meets(mesh.corners(block, lane))
            && (t < self.best || (t == self.best && face < self.face && self.face != NONE))
        {
            (self.best, self.face) = (t, face);
        }
        // Rounded up, so that what is as near is found.
        (self.best as f32).next_up()
    }
}

/// Whether the first face that a ray meets shows it its back.
struct Back {
    first: First,
    back: bool,
}

impl Faces for Back {
    fn ray(&self) -> &Ray {
        &self.first.ray
    }

    #[inline(always)]
    fn see(&mut self, mesh: &Mesh<'_>, block: usize, lane: usize, face: u32) -> f32 {
        let limit = self.first.see(mesh, block, lane, face);
        if self.first.face == face {
            self.back = self.first.ray.leaves(mesh.corners(block, lane));
        }
        limit
    }
}

/// Whether a ray meets a face.
#[derive(Clone, Copy)]
pub struct Any {
    ray: Ray,
    max: f32,
    /// Whether one was met.
    pub found: bool,
}

impl Any {
    /// Before `max` lengths of the direction.
    pub fn new(ray: Ray, max: f32) -> Any {
        Any {
            ray,
            max,
            found: false,
        }
    }
}

impl Faces for Any {
    fn ray(&self) -> &Ray {
        &self.ray
    }

    #[inline(always)]
    fn see(&mut self, mesh: &Mesh<'_>, block: usize, lane: usize, _: u32) -> f32 {
        if !self.found {
            let t = self.ray.meets(mesh.corners(block, lane));
            self.found = t.is_some_and(|t| t < f64::from(self.max));
        }
        // Nothing is nearer than this.
        if self.found { -1.0 } else { self.max }
    }
}

/// How many faces a ray crosses.
#[derive(Clone, Copy)]
pub struct Count {
    ray: Ray,
    /// The number.
    pub sum: i32,
}

impl Count {
    /// None so far.
    pub fn new(ray: Ray) -> Count {
        Count { ray, sum: 0 }
    }
}

impl Faces for Count {
    fn ray(&self) -> &Ray {
        &self.ray
    }

    #[inline(always)]
    fn see(&mut self, mesh: &Mesh<'_>, block: usize, lane: usize, _: u32) -> f32 {
        self.sum += i32::from(self.ray.crosses(mesh.corners(block, lane)).is_some());
        f32::INFINITY
    }
}

/// A ray on its way through the tree.
#[derive(Clone, Copy)]
pub struct Walk<F> {
    slabs: Slabs,
    sheared: Sheared,
    limit: f32,
    /// What is made of the faces.
    pub faces: F,
}

impl<F: Faces> Walk<F> {
    /// A ray that is followed for `max` lengths of its direction. The faces themselves if it meets none.
    pub fn new(mesh: &Mesh<'_>, faces: F, max: f32) -> Result<Walk<F>, F> {
        if mesh.nodes.is_empty() || max.is_nan() || max <= 0.0 {
            return Err(faces);
        }
        let ray = faces.ray();
        Ok(Walk {
            slabs: Slabs::new(ray),
            sheared: Sheared::new(ray),
            limit: max,
            faces,
        })
    }
}

impl<F: Faces> Search for Walk<F> {
    #[inline(always)]
    fn step<L: Lanes>(&mut self, mesh: &Mesh<'_>, stack: &mut Stack, at: u32) -> Option<u32> {
        if at & IS_BLOCK != 0 {
            let number = (at & !IS_BLOCK) as usize;
            let block = &mesh.blocks[number];
            let mut lanes = self.sheared.candidates::<L>(block);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if block.faces[lane] != NONE {
                    self.limit = self.faces.see(mesh, number, lane, block.faces[lane]);
                }
            }
            return stack.pop_within(self.limit * MARGIN);
        }
        let node = &mesh.nodes[at as usize];
        let (enters, lanes) = self.slabs.enter::<L>(node, self.limit);
        stack.descend(lanes, enters.numbers(), &node.child, self.limit * MARGIN)
    }
}

/// Shows what is made of them the faces that a ray may meet before `max` lengths of its direction: those below a node of the binary
/// tree, all if it is -1.
#[inline(always)]
pub fn alone<L: Lanes, F: Faces>(mesh: &Mesh<'_>, mut faces: F, max: f32, root: i32) -> F {
    if root != -1 {
        if let Ok(root) = usize::try_from(root) {
            each_below(mesh, &mut faces, max, root);
        }
        return faces;
    }
    match Walk::new(mesh, faces, max) {
        Ok(walk) => interleaved::alone::<L, _>(mesh, walk).faces,
        Err(faces) => faces,
    }
}

/// Whether the first face that a ray meets shows it its back.
#[inline(always)]
pub fn first_back<L: Lanes>(mesh: &Mesh<'_>, start: [f32; 3], along: [f32; 3]) -> bool {
    let Some(ray) = Ray::new(start, along) else {
        return false;
    };
    let first = First::new(ray, f32::INFINITY);
    alone::<L, _>(mesh, Back { first, back: false }, f32::INFINITY, -1).back
}

/// Goes through the faces below a node of the binary tree.
#[inline(always)]
fn each_below(mesh: &Mesh<'_>, faces: &mut impl Faces, max: f32, root: usize) {
    let Some(end) = mesh.tree.get(root).map(|node| node.escape as usize) else {
        return;
    };
    let (slabs, mut at, mut limit) = (Slabs::new(faces.ray()), root, max);
    while at < end && limit > 0.0 {
        let node = &mesh.tree[at];
        let (mut enter, mut leave) = (0.0f32, limit * MARGIN);
        for d in 0..3 {
            let (low, high) = (node.bounds.low[d], node.bounds.high[d]);
            if slabs.still[d] {
                if !(low..=high).contains(&slabs.start[d]) {
                    leave = -1.0;
                }
                continue;
            }
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
                let all = &mesh.blocks[block].faces;
                for (lane, face) in all.iter().enumerate().filter(|(_, face)| **face != NONE) {
                    limit = faces.see(mesh, block, lane, *face);
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
