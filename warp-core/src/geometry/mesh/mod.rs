//! Triangle meshes that kernels query.
//!
//! A mesh has two objects: a tree over its faces' boxes ([`Bvh`](super::Bvh)), and its own memory with what searches read. Both are
//! made anew, or fitted, when points have moved; launches that run meanwhile see them as they were.

mod build;
mod closest;
mod exact;
mod layout;
mod ray;
mod search;
mod simd;
mod stack;
mod surface;
mod winding;

pub use search::search_by_id;
pub use surface::Surface;

#[cfg(test)]
mod tests;

use super::bvh::{self, Bvh};
use super::memory::Memory;
use super::tree::{self, Leaves};
use crate::error::{Code, Error, Result};
use crate::ir::ObjectKind;
use crate::objects::{self, Block, Keeper, Registered};
use layout::{Header, Parts, WIDE};
use std::any::Any;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use surface::slice;

/// How faces lie in the leaves of the tree.
const LEAVES: Leaves = Leaves {
    size: WIDE,
    block: WIDE,
    // A node with 8 children stands for 7.
    visit: 0.3,
};

/// A mesh that kernels query.
#[derive(Debug)]
pub struct Mesh {
    object: Registered,
    tree: Arc<Bvh>,
    winding: bool,
    /// Memory that the next fit may use.
    spare: Mutex<Option<Memory>>,
}

impl Mesh {
    /// A mesh of so many faces, in which queries find nothing until it is built.
    ///
    /// # Errors
    /// [`Code::Value`] if there are too many.
    pub fn new(faces: usize, winding: bool) -> Result<Arc<Mesh>> {
        if faces > i32::MAX as usize / 3 {
            let what = format!("{faces} faces are too many for a mesh");
            return Err(Error::new(Code::Value, what));
        }
        objects::search_by(search::search);
        let tree = Bvh::new(faces)?;
        let mut memory = layout::memory(Memory::default(), [0; 4]);
        Parts::of(memory.words()).header.tree_id = tree.id();
        let made = Arc::new(Mesh {
            object: Registered::new(ObjectKind::Mesh, Box::new(memory))?,
            tree,
            winding,
            spare: Mutex::new(None),
        });
        let keeper: Arc<Keeper> = made.clone();
        made.object.is_kept_by(&keeper);
        made.tree.is_kept_by(&keeper);
        Ok(made)
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.object.id()
    }

    /// How many faces it has.
    pub fn faces(&self) -> usize {
        self.tree.items()
    }

    /// Builds it.
    ///
    /// # Safety
    /// There are as many points, velocities, indices and groups as `surface` says, [`Mesh::faces`] faces among them; nothing
    /// writes them meanwhile; and they are there for as long as `owners` lives.
    pub unsafe fn build(&self, surface: &Surface, owners: Box<dyn Any + Send + Sync>) {
        // SAFETY: the caller's promise.
        let (bounds, groups) = unsafe {
            let groups = surface.groups.map(|at| slice(at, surface.faces));
            (build::bounds(surface), groups)
        };
        let built = match groups {
            Some(groups) => tree::build_groups(&bounds, groups, LEAVES),
            None => tree::build(&bounds, LEAVES),
        };
        let nodes = build::collapse(&built.nodes);
        let blocks = built.nodes.iter().filter(|node| node.is_leaf()).count();
        let moments = if self.winding { built.nodes.len() } else { 0 };
        let counts = [nodes.len(), blocks, moments, built.nodes.len()];
        let mut memory = layout::memory(self.spare(), counts);
        memory.plan_anew();
        let mut parts = Parts::of(memory.words());
        parts.nodes.copy_from_slice(&nodes);
        build::number_leaves(&mut parts, &built.nodes);
        build::number_faces(&mut parts, &built);
        let mut tree = bvh::lay_out(&built, &bounds, self.tree.spare());
        // SAFETY: the caller's promise.
        unsafe { build::put_corners(&mut parts, bvh::Parts::of(tree.words()).boxes, surface) };
        build::fit(&mut parts, &built.nodes);
        self.tree.replace(tree);
        self.finish(memory, surface, owners);
    }

    /// Fits it to points that have moved.
    ///
    /// # Safety
    /// As [`Mesh::build`].
    pub unsafe fn refit(&self, surface: &Surface, owners: Box<dyn Any + Send + Sync>) {
        let mut memory = self.spare().for_fit(&self.object);
        let mut parts = Parts::of(memory.words());
        self.tree.fit(|tree| {
            // SAFETY: the caller's promise.
            unsafe { build::put_corners(&mut parts, tree.boxes, surface) };
        });
        self.tree.with_nodes(|nodes| build::fit(&mut parts, nodes));
        self.finish(memory, surface, owners);
    }

    /// Says where the gradients of points and velocities lie; 0 for none.
    pub fn set_gradients(&self, points: u64, velocities: u64) {
        self.object.with(|block| {
            let header = block.address() as *const Header;
            // SAFETY: the memory of a mesh begins with a header; who reads its words meanwhile gets one of both.
            unsafe {
                let to = |at: *const u64| &*at.cast::<AtomicU64>();
                to(&raw const (*header).points_gradient).store(points, Relaxed);
                to(&raw const (*header).velocities_gradient).store(velocities, Relaxed);
            }
        });
    }

    /// Says where the arrays lie, and makes the memory that of the mesh.
    fn finish(&self, mut memory: Memory, surface: &Surface, owners: Box<dyn Any + Send + Sync>) {
        memory.keeps = Some(owners);
        let header = Parts::of(memory.words()).header;
        header.tree = self.tree.address();
        header.tree_id = self.tree.id();
        header.points = surface.points as u64;
        header.points_gradient = surface.points_gradient;
        header.point_count = surface.point_count as u64;
        header.velocities = surface.velocities as u64;
        header.velocities_gradient = surface.velocities_gradient;
        header.velocity_count = match surface.velocities.is_null() {
            true => 0,
            false => surface.point_count as u64,
        };
        header.indices = surface.indices as u64;
        header.index_count = 3 * surface.faces as u64;
        let old = self.object.replace(Box::new(memory));
        if let Some(mut old) =
            old.and_then(|old: Box<dyn Block>| old.into_any().downcast::<Memory>().ok())
        {
            // What is spare keeps no arrays alive.
            old.keeps = None;
            *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = Some(*old);
        }
    }

    fn spare(&self) -> Memory {
        let spare = self.spare.lock();
        spare
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or_default()
    }
}
