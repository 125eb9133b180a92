//! Triangle meshes that kernels query.
//!
//! A mesh has two objects: a tree over its faces' boxes ([`Bvh`](super::Bvh)), and its own memory with what searches read. Both are
//! made anew, or fitted, when points have moved; launches that run meanwhile see them as they were.

mod build;
mod closest;
mod exact;
mod interleaved;
mod layout;
mod ray;
mod search;
mod simd;
mod stack;
mod surface;
mod winding;

pub use search::search_by_id;
pub use surface::{Places, Surface};

#[cfg(test)]
mod tests;

use super::bvh::{self, Bvh};
use super::memory::Memory;
use super::storage::Storage;
use super::tree::{self, Leaves, MAX_ITEMS};
use crate::device::{Device, Stream};
use crate::error::{Code, Error, Result};
use crate::ir::ObjectKind;
use crate::objects::{self, Keeper};
use layout::{Header, Parts, WIDE};
use std::any::Any;
use std::mem::offset_of;
use std::sync::Arc;
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
    storage: Storage,
    tree: Arc<Bvh>,
    winding: bool,
}

impl Mesh {
    /// A mesh of so many faces, in which queries find nothing until it is built.
    ///
    /// # Errors
    /// [`Code::Value`] if there are too many; what the device says.
    pub fn new(faces: usize, winding: bool, device: Device) -> Result<Arc<Mesh>> {
        if faces > MAX_ITEMS {
            let what = format!("{faces} faces are too many for a mesh, at most {MAX_ITEMS}");
            return Err(Error::new(Code::Value, what));
        }
        objects::search_by(search::search);
        let tree = Bvh::new(faces, device)?;
        let mut memory = layout::memory(Memory::default(), [0; 4]);
        Parts::of(memory.words()).header.tree_id = tree.id();
        let made = Arc::new(Mesh {
            storage: Storage::new(ObjectKind::Mesh, memory, device)?,
            tree,
            winding,
        });
        let keeper: Arc<Keeper> = made.clone();
        made.storage.is_kept_by(&keeper);
        made.tree.storage().is_kept_by(&keeper);
        Ok(made)
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.storage.id()
    }

    /// Where it lies.
    pub fn device(&self) -> Device {
        self.storage.device()
    }

    /// How many faces it has.
    pub fn faces(&self) -> usize {
        self.tree.items()
    }

    /// Builds it. A GPU has it in the order of a stream.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// There are as many points, velocities, indices and groups as `surface` says, [`Mesh::faces`] faces among them; nothing
    /// writes them meanwhile; and they are there for as long as `owners` lives.
    pub unsafe fn build(
        &self,
        surface: &Surface,
        owners: Box<dyn Any + Send + Sync>,
        stream: Stream,
    ) -> Result<()> {
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
        let mut memory = layout::memory(self.storage.spare(), counts);
        memory.plan_anew();
        let mut parts = Parts::of(memory.words());
        parts.nodes.copy_from_slice(&nodes);
        build::number_leaves(&mut parts, &built.nodes);
        build::number_faces(&mut parts, &built);
        let mut tree = bvh::lay_out(&built, &bounds, self.tree.storage().spare());
        // SAFETY: the caller's promise.
        unsafe { build::put_corners(&mut parts, bvh::Parts::of(tree.words()).boxes, surface) };
        build::fit(&mut parts, &built.nodes);
        self.tree.storage().replace(tree, stream)?;
        self.finish(memory, surface, owners, stream)
    }

    /// Fits it to points that have moved.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// As [`Mesh::build`].
    pub unsafe fn refit(
        &self,
        surface: &Surface,
        owners: Box<dyn Any + Send + Sync>,
        stream: Stream,
    ) -> Result<()> {
        let mut memory = self.storage.for_fit();
        let mut parts = Parts::of(memory.words());
        let put = |tree: &mut bvh::Parts<'_>| {
            // SAFETY: the caller's promise.
            unsafe { build::put_corners(&mut parts, tree.boxes, surface) };
        };
        self.tree.fit(put, stream)?;
        self.tree.with_nodes(|nodes| build::fit(&mut parts, nodes));
        self.finish(memory, surface, owners, stream)
    }

    /// Says where the gradients of points and velocities lie; 0 for none.
    ///
    /// # Errors
    /// What the device says.
    pub fn set_gradients(&self, points: u64, velocities: u64) -> Result<()> {
        let word = |offset: usize| offset / size_of::<u64>();
        let storage = &self.storage;
        storage.set_word(word(offset_of!(Header, points_gradient)), points)?;
        storage.set_word(word(offset_of!(Header, velocities_gradient)), velocities)
    }

    /// Says where the arrays lie, and makes the memory that of the mesh.
    fn finish(
        &self,
        mut memory: Memory,
        surface: &Surface,
        owners: Box<dyn Any + Send + Sync>,
        stream: Stream,
    ) -> Result<()> {
        memory.keeps = Some(owners);
        let header = Parts::of(memory.words()).header;
        header.tree = self.tree.storage().address();
        header.tree_id = self.tree.id();
        header.points = surface.places.points;
        header.points_gradient = surface.points_gradient;
        header.point_count = surface.point_count as u64;
        header.velocities = surface.places.velocities;
        header.velocities_gradient = surface.velocities_gradient;
        header.velocity_count = match surface.places.velocities {
            0 => 0,
            _ => surface.point_count as u64,
        };
        header.indices = surface.places.indices;
        header.index_count = 3 * surface.faces as u64;
        self.storage.replace(memory, stream)
    }
}
