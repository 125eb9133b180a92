//! How a mesh lies in memory, as searches and `library/mesh_nearest.py` read it.
//!
//! From the start, in words of 64 bits: the [`Header`]. Behind it, each at a multiple of 64 bytes: nodes with up to 8 children,
//! blocks of up to 8 triangles, for winding numbers the moments of the nodes of the binary tree, and for each of these nodes how many
//! leaves lie before it. That tree, over the faces, is an object of its own ([`super::super::Bvh`]); its leaves are the blocks, in
//! order.
//!
//! Blocks have copies of the corners, so that searches read memory from front to back. What is computed of a face that was found is
//! computed of the arrays.

use super::super::memory::{Memory, prefetch};
use super::super::tree::Node;

/// Children of a node, and triangles of a block.
pub const WIDE: usize = 8;
/// No child, or no face.
pub const NONE: u32 = u32::MAX;
/// A child that is a block.
pub const IS_BLOCK: u32 = 1 << 31;

/// What stands at the start of the memory of a mesh.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Header {
    /// The address of the tree over the faces, and its id.
    pub tree: u64,
    pub tree_id: u64,
    /// Points: addresses of data and gradient, and how many there are.
    pub points: u64,
    pub points_gradient: u64,
    pub point_count: u64,
    /// Velocities of points: the same.
    pub velocities: u64,
    pub velocities_gradient: u64,
    pub velocity_count: u64,
    /// Numbers of points, three for each face.
    pub indices: u64,
    pub index_count: u64,
    /// Bytes from the start to nodes, blocks, moments and leaves.
    pub nodes_at: u64,
    pub blocks_at: u64,
    pub moments_at: u64,
    pub leaves_at: u64,
    /// How many of these there are.
    pub node_count: u64,
    pub block_count: u64,
    pub moment_count: u64,
    pub leaf_count: u64,
    /// Unused; makes it a multiple of 64 bytes.
    pub pad: [u64; 6],
}

/// A node with up to 8 children.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Wide {
    /// The least coordinates of the children's boxes, by axis.
    pub low: [[f32; WIDE]; 3],
    /// The greatest.
    pub high: [[f32; WIDE]; 3],
    /// A node, a block with [`IS_BLOCK`], or [`NONE`].
    pub child: [u32; WIDE],
    /// The node of the binary tree that each child is.
    pub from: [u32; WIDE],
    /// A bit for each child that there is.
    pub children: u32,
}

/// Triangles side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Block {
    /// By corner, by axis. NaN where there is no triangle.
    pub corners: [[[f32; WIDE]; 3]; 3],
    /// Their numbers; [`NONE`] where there is none.
    pub faces: [u32; WIDE],
}

/// The moments of the faces below a node of the binary tree, for winding numbers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Moments {
    /// The mean of the faces' centres, weighted by area.
    pub center: [f32; 3],
    /// A radius around it that holds all faces; negative where nothing is to be approximated.
    pub radius: f32,
    /// The sum of the faces' normals, of the length of their areas.
    pub normal: [f32; 3],
    /// The sum of their areas.
    pub area: f32,
    /// The sums of products of centre, from the mean, and normal: xx yy zz xy+yx xz+zx yz+zy.
    pub second: [f32; 6],
    /// Unused; makes it 64 bytes.
    pub pad: [f32; 2],
}

/// What searches see of a mesh in memory.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    /// The root is the first.
    pub nodes: &'a [Wide],
    pub blocks: &'a [Block],
    pub moments: &'a [Moments],
    /// For each node of the binary tree, the leaves before it.
    pub leaves: &'a [u32],
    /// The nodes of the binary tree.
    pub tree: &'a [Node],
}

impl Mesh<'_> {
    /// The mesh whose memory lies at an address.
    ///
    /// # Safety
    /// There is one, which nothing changes for as long as this lives.
    pub unsafe fn at<'a>(address: u64) -> Mesh<'a> {
        let start = address as *const u8;
        // SAFETY: the caller's promise; what the header says is true.
        unsafe {
            let header = &*start.cast::<Header>();
            let tree = header.tree as *const u32;
            let nodes = match tree.is_null() {
                true => 0,
                false => tree.read() as usize,
            };
            Mesh {
                nodes: part(start, header.nodes_at, header.node_count),
                blocks: part(start, header.blocks_at, header.block_count),
                moments: part(start, header.moments_at, header.moment_count),
                leaves: part(start, header.leaves_at, header.leaf_count),
                tree: part(tree.cast(), 64, nodes as u64),
            }
        }
    }

    /// Asks for the memory of a node or block.
    #[inline(always)]
    pub fn fetch(&self, at: u32) {
        match at & IS_BLOCK {
            0 => prefetch(self.nodes.as_ptr().wrapping_add(at as usize)),
            _ => prefetch(self.blocks.as_ptr().wrapping_add((at & !IS_BLOCK) as usize)),
        }
    }

    /// The corners of a triangle of a block.
    #[inline]
    pub fn corners(&self, block: usize, lane: usize) -> [[f32; 3]; 3] {
        let corners = &self.blocks[block].corners;
        [0, 1, 2].map(|k| [0, 1, 2].map(|d| corners[k][d][lane]))
    }
}

/// # Safety
/// So many lie there.
unsafe fn part<'a, T>(start: *const u8, at: u64, count: u64) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts(start.add(at as usize).cast(), count as usize) },
    }
}

/// The parts of a mesh in memory, to be written.
pub struct Parts<'a> {
    pub header: &'a mut Header,
    pub nodes: &'a mut [Wide],
    pub blocks: &'a mut [Block],
    pub moments: &'a mut [Moments],
    pub leaves: &'a mut [u32],
}

/// Memory for so many nodes, blocks, moments and leaves, zeros but for the header's places and counts.
pub fn memory(memory: Memory, [nodes, blocks, moments, leaves]: [usize; 4]) -> Memory {
    let sizes = [size_of::<Wide>(), size_of::<Block>(), size_of::<Moments>()];
    let nodes_at = size_of::<Header>();
    let blocks_at = nodes_at + nodes * sizes[0];
    let moments_at = blocks_at + blocks * sizes[1];
    let leaves_at = moments_at + moments * sizes[2];
    let mut memory = memory.again(leaves_at / 4 + leaves);
    let parts = Parts::of(memory.words());
    *parts.header = Header {
        nodes_at: nodes_at as u64,
        blocks_at: blocks_at as u64,
        moments_at: moments_at as u64,
        leaves_at: leaves_at as u64,
        node_count: nodes as u64,
        block_count: blocks as u64,
        moment_count: moments as u64,
        leaf_count: leaves as u64,
        ..Header::default()
    };
    memory
}

impl Parts<'_> {
    /// Those of words whose header is set, or is zeros.
    pub fn of(words: &mut [u32]) -> Parts<'_> {
        let start = words.as_mut_ptr().cast::<u8>();
        debug_assert!(start.cast::<Wide>().is_aligned() && size_of::<Header>() == 192);
        // SAFETY: any words are such parts; places and counts are within the memory, and parts lie apart.
        unsafe {
            let header = &mut *start.cast::<Header>();
            let (nodes, blocks) = (header.nodes_at as usize, header.blocks_at as usize);
            let (moments, leaves) = (header.moments_at as usize, header.leaves_at as usize);
            Parts {
                nodes: own(start, nodes, header.node_count),
                blocks: own(start, blocks, header.block_count),
                moments: own(start, moments, header.moment_count),
                leaves: own(start, leaves, header.leaf_count),
                header,
            }
        }
    }
}

/// # Safety
/// So many lie there, and nobody else has them.
unsafe fn own<'a, T>(start: *mut u8, at: usize, count: u64) -> &'a mut [T] {
    match count {
        0 => &mut [],
        // SAFETY: the caller's promise.
        _ => unsafe { std::slice::from_raw_parts_mut(start.add(at).cast(), count as usize) },
    }
}
