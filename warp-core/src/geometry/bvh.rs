//! Trees of boxes that kernels query.
//!
//! In memory, in words of 32 bits: the numbers of nodes, items and groups (3), and where boxes, numbers and groups begin (3);
//! from word 16 on the [nodes](super::tree::Node), 8 words each; the boxes of items, leaf by leaf, 6 words each; their numbers;
//! for each group, in ascending order, its number and its root. `library/bvh.py` reads it.

use super::memory::Memory;
use super::storage::Storage;
use super::tree::{self, Bounds, Built, Leaves, MAX_ITEMS, Node};
use crate::algorithm::{Place, each};
use crate::device::{Device, Stream};
use crate::error::{Code, Error, Result};
use crate::ir::ObjectKind;
use crate::objects::{Block, Keeper};
use std::sync::Arc;

/// Words before the nodes.
const HEADER: usize = 16;
/// Words of a node.
const NODE: usize = size_of::<Node>() / 4;
/// Words of a box.
const BOX: usize = size_of::<Bounds>() / 4;
/// Boxes that one task copies at least.
const PART: usize = 1 << 14;
/// How items lie in the leaves.
const LEAVES: Leaves = Leaves {
    size: 4,
    block: 1,
    visit: 1.0,
};

/// A tree that kernels query.
#[derive(Debug)]
pub struct Bvh {
    storage: Storage,
    items: usize,
}

/// The boxes of a tree, in contiguous memory of the host.
#[derive(Clone, Copy, Debug)]
pub struct Boxes {
    /// The least corners, 3 float32 each.
    pub lowers: *const f32,
    /// The greatest corners.
    pub uppers: *const f32,
    /// How many there are.
    pub count: usize,
    /// A number for each, if there are groups.
    pub groups: Option<*const i32>,
}

// SAFETY: addresses; who builds a tree answers for them.
unsafe impl Sync for Boxes {}

impl Boxes {
    /// # Safety
    /// There are as many boxes as this says, and nothing writes them meanwhile.
    unsafe fn read(&self) -> Vec<Bounds> {
        let mut all = vec![Bounds::NONE; self.count];
        let out = Place::<Bounds>::new(all.as_mut_ptr().cast());
        each(self.count.div_ceil(PART), 12 * self.count, |part| {
            for i in part * PART..self.count.min((part + 1) * PART) {
                // SAFETY: the caller's promise; each task has its own boxes.
                unsafe {
                    let low = self.lowers.cast::<[f32; 3]>().add(i).read_unaligned();
                    let high = self.uppers.cast::<[f32; 3]>().add(i).read_unaligned();
                    out.put(i, Bounds { low, high });
                }
            }
        });
        all
    }

    /// # Safety
    /// As [`Boxes::read`].
    unsafe fn groups(&self) -> Option<&[i32]> {
        // SAFETY: the caller's promise.
        let groups = |at| unsafe { std::slice::from_raw_parts(at, self.count) };
        self.groups.map(groups)
    }
}

impl Bvh {
    /// A tree for so many boxes, in which queries find nothing until it is built.
    ///
    /// # Errors
    /// [`Code::Value`] if there are too many; what the device says.
    pub fn new(items: usize, device: Device) -> Result<Arc<Bvh>> {
        if items > MAX_ITEMS {
            let what = format!("{items} boxes are too many for a tree, at most {MAX_ITEMS}");
            return Err(Error::new(Code::Value, what));
        }
        let memory = lay_out(&Built::default(), &[], Memory::default());
        let made = Arc::new(Bvh {
            storage: Storage::new(ObjectKind::Bvh, memory, device)?,
            items,
        });
        let keeper: Arc<Keeper> = made.clone();
        made.storage.is_kept_by(&keeper);
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

    /// How many items it has.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Fits it to boxes that have changed. A GPU has it in the order of a stream; on the host, launches that run meanwhile see the
    /// tree as it was.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// There are [`Bvh::items`] boxes, and nothing writes them meanwhile.
    pub unsafe fn refit(&self, boxes: &Boxes, stream: Stream) -> Result<()> {
        // SAFETY: the caller's promise.
        let bounds = unsafe { boxes.read() };
        let put = |parts: &mut Parts<'_>| {
            for (own, item) in parts.boxes.iter_mut().zip(&*parts.order) {
                *own = bounds[*item as usize];
            }
        };
        self.fit(put, stream)
    }

    /// Fits it to the boxes that a function puts into the items' order, and looks at the nodes.
    pub(super) fn fit(&self, put: impl FnOnce(&mut Parts<'_>), stream: Stream) -> Result<()> {
        let mut memory = self.storage.for_fit();
        let mut parts = Parts::of(memory.words());
        put(&mut parts);
        let boxes = &*parts.boxes;
        tree::refit(parts.nodes, |item| boxes[item]);
        self.storage.replace(memory, stream)
    }

    /// Builds it, as [`Bvh::refit`] fits it.
    ///
    /// # Errors
    /// What the device says.
    ///
    /// # Safety
    /// As [`Bvh::refit`].
    pub unsafe fn build(&self, boxes: &Boxes, stream: Stream) -> Result<()> {
        // SAFETY: the caller's promise.
        let memory = unsafe { built(boxes, self.storage.spare()) };
        self.storage.replace(memory, stream)
    }

    /// Its memory.
    pub(super) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Looks at its nodes.
    pub(super) fn with_nodes(&self, look: impl FnOnce(&[Node])) {
        self.storage.with(|memory| {
            let words = words_of(memory);
            let count = words.first().map_or(0, |count| *count as usize);
            let nodes = words.get(HEADER..HEADER + NODE * count).unwrap_or(&[]);
            // SAFETY: these words are nodes.
            look(unsafe { std::slice::from_raw_parts(nodes.as_ptr().cast(), count) });
        });
    }
}

fn words_of(block: &Memory) -> &[u32] {
    let bytes = block.bytes().unwrap_or(&[]);
    // SAFETY: the memory of a tree is words.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / 4) }
}

/// # Safety
/// As [`Bvh::build`].
unsafe fn built(boxes: &Boxes, memory: Memory) -> Memory {
    // SAFETY: the caller's promise.
    let (bounds, groups) = unsafe { (boxes.read(), boxes.groups()) };
    let built = match groups {
        Some(groups) => tree::build_groups(&bounds, groups, LEAVES),
        None => tree::build(&bounds, LEAVES),
    };
    lay_out(&built, &bounds, memory)
}

/// Puts a tree into memory.
pub(super) fn lay_out(built: &Built, bounds: &[Bounds], memory: Memory) -> Memory {
    let (nodes, items) = (built.nodes.len(), built.order.len());
    let boxes = HEADER + NODE * nodes;
    let order = boxes + BOX * items;
    let groups = order + items;
    let mut memory = memory.again(groups + 2 * built.groups.len());
    let head = [nodes, items, built.groups.len(), boxes, order, groups];
    memory.words()[..head.len()].copy_from_slice(&head.map(|n| n as u32));
    let parts = Parts::of(memory.words());
    parts.nodes.copy_from_slice(&built.nodes);
    parts.order.copy_from_slice(&built.order);
    for (own, item) in parts.boxes.iter_mut().zip(&built.order) {
        *own = bounds[*item as usize];
    }
    for (own, (group, root)) in parts.groups.iter_mut().zip(&built.groups) {
        *own = [*group as u32, *root];
    }
    memory.plan_anew();
    memory
}

/// The parts of a tree in memory.
pub(super) struct Parts<'a> {
    /// Depth first.
    pub nodes: &'a mut [Node],
    /// The boxes of items, leaf by leaf.
    pub boxes: &'a mut [Bounds],
    /// The numbers of items.
    pub order: &'a mut [u32],
    /// Groups and their roots.
    pub groups: &'a mut [[u32; 2]],
}

impl Parts<'_> {
    /// Those of words whose header is set.
    pub fn of(words: &mut [u32]) -> Parts<'_> {
        let (head, rest) = words.split_at_mut(HEADER);
        let [nodes, items, groups] = [head[0], head[1], head[2]].map(|n| n as usize);
        let (own, rest) = rest.split_at_mut(NODE * nodes);
        let (boxes, rest) = rest.split_at_mut(BOX * items);
        let (order, rest) = rest.split_at_mut(items);
        // SAFETY: nodes, boxes and pairs are words, and any words are such.
        unsafe {
            let nodes = std::slice::from_raw_parts_mut(own.as_mut_ptr().cast(), nodes);
            let boxes = std::slice::from_raw_parts_mut(boxes.as_mut_ptr().cast(), items);
            let groups = std::slice::from_raw_parts_mut(rest.as_mut_ptr().cast(), groups);
            Parts {
                nodes,
                boxes,
                order,
                groups,
            }
        }
    }
}
