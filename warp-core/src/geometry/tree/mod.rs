//! Trees of boxes: a binary hierarchy of axis-aligned bounding boxes (a BVH) over items, as queries read it.
//!
//! Nodes lie depth first: the first child of a node follows it, and each node says which one follows its subtree (an escape
//! link, after Smits, "Efficiency issues for ray tracing", 1998). So a query is a walk from left to right whose state is one
//! number, without a stack, and a subtree is a range of nodes.

mod build;

pub use build::{Built, Leaves, MAX_ITEMS, build, build_groups};

/// An axis-aligned box, or an item that has one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Bounds {
    /// The least corner.
    pub low: [f32; 3],
    /// The greatest corner.
    pub high: [f32; 3],
}

impl Bounds {
    /// The box of nothing.
    pub const NONE: Bounds = Bounds {
        low: [f32::INFINITY; 3],
        high: [f32::NEG_INFINITY; 3],
    };

    /// Grows to hold both corners of another one, whichever is less. NaN holds nothing.
    #[inline]
    pub fn add(&mut self, other: &Bounds) {
        for d in 0..3 {
            self.low[d] = self.low[d].min(other.low[d].min(other.high[d]));
            self.high[d] = self.high[d].max(other.high[d].max(other.low[d]));
        }
    }

    /// Grows to hold another one, which is none or has its lesser corner first.
    #[inline]
    pub fn add_fit(&mut self, other: &Bounds) {
        for d in 0..3 {
            self.low[d] = self.low[d].min(other.low[d]);
            self.high[d] = self.high[d].max(other.high[d]);
        }
    }

    /// Half of its surface; 0 for nothing.
    #[inline]
    pub fn half_area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|d| (self.high[d] - self.low[d]).max(0.0));
        x * (y + z) + y * z
    }
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Node {
    /// A box that holds those of its items.
    pub bounds: Bounds,
    /// The node behind its subtree.
    pub escape: u32,
    /// For a leaf, `first << COUNT_BITS | count` of its items; else 0.
    pub items: u32,
}

/// Bits of [`Node::items`] for the count.
pub const COUNT_BITS: u32 = 4;

impl Node {
    /// The items of a leaf, as they are ordered.
    #[inline]
    pub fn range(&self) -> std::ops::Range<usize> {
        let first = (self.items >> COUNT_BITS) as usize;
        first..first + (self.items & ((1 << COUNT_BITS) - 1)) as usize
    }

    /// Whether it is a leaf.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.items != 0
    }
}

/// Fits the boxes of nodes to those of their items.
pub fn refit(nodes: &mut [Node], bounds_of: impl Fn(usize) -> Bounds) {
    // Children lie behind their parents.
    for at in (0..nodes.len()).rev() {
        let mut bounds = Bounds::NONE;
        if nodes[at].is_leaf() {
            for item in nodes[at].range() {
                bounds.add(&bounds_of(item));
            }
        } else {
            let (end, mut child) = (nodes[at].escape as usize, at + 1);
            while child < end {
                bounds.add_fit(&nodes[child].bounds);
                child = nodes[child].escape as usize;
            }
        }
        nodes[at].bounds = bounds;
    }
}

#[cfg(test)]
mod tests;
