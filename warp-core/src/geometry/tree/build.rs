//! Builds trees from the top by the surface area heuristic, in bins (Wald, "On fast construction of SAH-based bounding volume
//! hierarchies", 2007). How work is cut depends on sizes alone, so that the tree is the same for any number of threads.

use super::{Bounds, COUNT_BITS, Node};
use crate::algorithm::each;
use std::sync::{Mutex, PoisonError};

/// Bins along an axis.
const BINS: usize = 16;
/// Items of a leaf at most that [`Node::items`] has room for.
const MOST: usize = (1 << COUNT_BITS) - 1;
/// Items of a tree at most.
pub const MAX_ITEMS: usize = 1 << (31 - COUNT_BITS);
/// Subtrees of so many items are built by one task.
const PART: usize = 1 << 13;
/// From this depth on, items are halved, so that depth stays below this and the logarithm of their number.
const DEEP: usize = 48;

/// A tree and its items.
#[derive(Debug, Default)]
pub struct Built {
    /// Depth first.
    pub nodes: Vec<Node>,
    /// The numbers of items, leaf by leaf.
    pub order: Vec<u32>,
    /// For each group, in ascending order, the root of its items.
    pub groups: Vec<(i32, u32)>,
}

/// How items are stored in leaves.
#[derive(Clone, Copy, Debug)]
pub struct Leaves {
    /// Items of a leaf at most, 15 or fewer.
    pub size: usize,
    /// How many items are tested at once.
    pub block: usize,
    /// What it costs to visit a node, where the test of a block is 1.
    pub visit: f32,
}

/// An item while the tree is built.
#[derive(Clone, Copy)]
#[repr(C)]
struct Item {
    bounds: Bounds,
    number: u32,
    /// Unused; makes it 32 bytes.
    _pad: u32,
}

impl Item {
    /// Twice the middle of its box; 0 where that is no number.
    #[inline]
    fn middle(&self, axis: usize) -> f32 {
        let sum = self.bounds.low[axis] + self.bounds.high[axis];
        if sum.is_finite() { sum } else { 0.0 }
    }
}

/// The top of a tree, whose lower parts are built apart.
enum Top {
    Part(usize),
    Inner(Box<[Top; 2]>),
}

/// Items whose subtree is built by one task.
struct Part<'a> {
    items: &'a mut [Item],
    /// The number of the first one.
    first: usize,
    /// How deep in the tree they lie.
    depth: usize,
    nodes: Vec<Node>,
}

/// The tree of boxes.
pub fn build(bounds: &[Bounds], leaves: Leaves) -> Built {
    let mut items = items_of(bounds, None);
    let mut built = Built::default();
    grow(&mut items, leaves, &mut built.nodes, 0);
    built.order = items.iter().map(|item| item.number).collect();
    finish(&mut built, bounds);
    built
}

/// The tree of boxes in which the items of each group are those of a subtree.
pub fn build_groups(bounds: &[Bounds], groups: &[i32], leaves: Leaves) -> Built {
    let mut order: Vec<u32> = (0..bounds.len() as u32).collect();
    order.sort_by_key(|i| groups[*i as usize]);
    let mut items = items_of(bounds, Some(&order));
    let mut parts = Vec::new();
    let mut first = 0;
    while first < items.len() {
        let group = groups[items[first].number as usize];
        let same = order[first..].partition_point(|i| groups[*i as usize] == group);
        let mut nodes = Vec::new();
        grow(&mut items[first..first + same], leaves, &mut nodes, first);
        parts.push((group, nodes));
        first += same;
    }
    let mut built = Built::default();
    join(&parts, &mut built);
    built.order = items.iter().map(|item| item.number).collect();
    finish(&mut built, bounds);
    built
}

/// Puts the trees of groups, in ascending order, below one root.
fn join(parts: &[(i32, Vec<Node>)], built: &mut Built) {
    let (first, rest) = match parts {
        [] => return,
        [(group, nodes)] => {
            let at = built.nodes.len() as u32;
            built.groups.push((*group, at));
            let moved = nodes.iter().map(|node| Node {
                escape: node.escape + at,
                ..*node
            });
            built.nodes.extend(moved);
            return;
        }
        parts => parts.split_at(parts.len() / 2),
    };
    let at = built.nodes.len();
    built.nodes.push(INNER);
    join(first, built);
    join(rest, built);
    built.nodes[at].escape = built.nodes.len() as u32;
}

const INNER: Node = Node {
    bounds: Bounds::NONE,
    escape: 0,
    items: 0,
};

fn items_of(bounds: &[Bounds], order: Option<&[u32]>) -> Vec<Item> {
    let of = |number: u32| Item {
        bounds: bounds[number as usize],
        number,
        _pad: 0,
    };
    match order {
        Some(order) => order.iter().map(|number| of(*number)).collect(),
        None => (0..bounds.len() as u32).map(of).collect(),
    }
}

fn finish(built: &mut Built, bounds: &[Bounds]) {
    let order = &built.order;
    super::refit(&mut built.nodes, |item| bounds[order[item] as usize]);
}

/// Grows the tree of some items, which it orders; the first is number `first` of all.
fn grow(items: &mut [Item], leaves: Leaves, nodes: &mut Vec<Node>, first: usize) {
    if items.is_empty() {
        return;
    }
    let mut parts = Vec::new();
    let total = items.len();
    let top = cut(items, leaves, 0, first, &mut parts);
    each(parts.len(), 512 * total, |n| {
        let mut part = parts[n].lock().unwrap_or_else(PoisonError::into_inner);
        let part = &mut *part;
        subtree(part.items, leaves, part.depth, part.first, &mut part.nodes);
    });
    flatten(&top, &parts, nodes);
}

/// Cuts items until parts are small.
fn cut<'a>(
    items: &'a mut [Item],
    leaves: Leaves,
    depth: usize,
    first: usize,
    parts: &mut Vec<Mutex<Part<'a>>>,
) -> Top {
    let middle = match items.len() > PART {
        true => split(items, leaves, depth),
        false => None,
    };
    let Some(middle) = middle else {
        parts.push(Mutex::new(Part {
            items,
            first,
            depth,
            nodes: Vec::new(),
        }));
        return Top::Part(parts.len() - 1);
    };
    let (left, right) = items.split_at_mut(middle);
    let left = cut(left, leaves, depth + 1, first, parts);
    let right = cut(right, leaves, depth + 1, first + middle, parts);
    Top::Inner(Box::new([left, right]))
}

fn flatten(top: &Top, parts: &[Mutex<Part<'_>>], nodes: &mut Vec<Node>) {
    let at = nodes.len();
    match top {
        Top::Part(n) => {
            let part = parts[*n].lock().unwrap_or_else(PoisonError::into_inner);
            nodes.extend(part.nodes.iter().map(|node| Node {
                escape: node.escape + at as u32,
                ..*node
            }));
        }
        Top::Inner(children) => {
            nodes.push(INNER);
            for child in children.iter() {
                flatten(child, parts, nodes);
            }
            nodes[at].escape = nodes.len() as u32;
        }
    }
}

/// The nodes of some items, with escape links counted from the first of them.
fn subtree(items: &mut [Item], leaves: Leaves, depth: usize, first: usize, nodes: &mut Vec<Node>) {
    let at = nodes.len();
    nodes.push(INNER);
    match split(items, leaves, depth) {
        Some(middle) => {
            let (left, right) = items.split_at_mut(middle);
            subtree(left, leaves, depth + 1, first, nodes);
            subtree(right, leaves, depth + 1, first + middle, nodes);
        }
        None => {
            items.sort_unstable_by_key(|item| item.number);
            nodes[at].items = (first << COUNT_BITS | items.len()) as u32;
        }
    }
    nodes[at].escape = nodes.len() as u32;
}

/// Orders items so that those of the first child come first, and says how many these are; None for a leaf.
fn split(items: &mut [Item], leaves: Leaves, depth: usize) -> Option<usize> {
    let count = items.len();
    if count <= 1 {
        return None;
    }
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items.iter() {
        for d in 0..3 {
            let middle = item.middle(d);
            low[d] = low[d].min(middle);
            high[d] = high[d].max(middle);
        }
    }
    let extents = [0, 1, 2].map(|d| high[d] - low[d]);
    let best = match depth < DEEP {
        true => best_plane(items, leaves, low, extents),
        false => None,
    };
    let leaf = count.div_ceil(leaves.block) as f32;
    if let Some((cost, axis, bin)) = best {
        if count <= leaves.size && cost >= leaf {
            return None;
        }
        let bin_of = Binning::new(low[axis], extents[axis]);
        let middle = partition(items, |item| bin_of.bin(item.middle(axis)) <= bin);
        if middle > 0 && middle < count {
            return Some(middle);
        }
    } else if count <= leaves.size.min(MOST) {
        return None;
    }
    // Middles that are equal, or a tree that is deep: halves.
    let axis = (0..3).fold(
        0,
        |best, d| if extents[d] > extents[best] { d } else { best },
    );
    let half = count / 2;
    items.select_nth_unstable_by(half, |a, b| {
        let by_place = a.middle(axis).total_cmp(&b.middle(axis));
        by_place.then(a.number.cmp(&b.number))
    });
    Some(half)
}

/// Puts items that satisfy a condition first; how many there are.
fn partition(items: &mut [Item], is_first: impl Fn(&Item) -> bool) -> usize {
    let (mut low, mut high) = (0, items.len());
    while low < high {
        if is_first(&items[low]) {
            low += 1;
        } else {
            high -= 1;
            items.swap(low, high);
        }
    }
    low
}

/// Bins along an axis.
#[derive(Clone, Copy)]
struct Binning {
    low: f32,
    scale: f32,
}

impl Binning {
    fn new(low: f32, extent: f32) -> Binning {
        let scale = BINS as f32 * 0.9999 / extent;
        let scale = if scale.is_finite() { scale } else { 0.0 };
        Binning { low, scale }
    }

    #[inline]
    fn bin(self, middle: f32) -> usize {
        (((middle - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

/// The cheapest plane between bins: its cost relative to the test of one block of items, its axis, and the last bin before it.
fn best_plane(
    items: &[Item],
    leaves: Leaves,
    low: [f32; 3],
    extents: [f32; 3],
) -> Option<(f32, usize, usize)> {
    let binnings = [0, 1, 2].map(|d| Binning::new(low[d], extents[d]));
    let mut counts = [[0u32; BINS]; 3];
    let mut bounds = [[Bounds::NONE; BINS]; 3];
    for item in items {
        for d in 0..3 {
            let bin = binnings[d].bin(item.middle(d));
            counts[d][bin] += 1;
            bounds[d][bin].add_fit(&item.bounds);
        }
    }
    let mut whole = Bounds::NONE;
    bounds[0].iter().for_each(|bin| whole.add_fit(bin));
    let area = whole.half_area();
    let area = if area > 0.0 { area } else { f32::MIN_POSITIVE };
    let blocks = |count: u32| (count as usize).div_ceil(leaves.block) as f32;
    let mut best: Option<(f32, usize, usize)> = None;
    for d in 0..3 {
        if extents[d].is_nan() || extents[d] <= 0.0 {
            continue;
        }
        let mut behind = [0.0f32; BINS];
        let (mut right, mut count) = (Bounds::NONE, 0);
        for bin in (1..BINS).rev() {
            right.add_fit(&bounds[d][bin]);
            count += counts[d][bin];
            behind[bin - 1] = match count {
                0 => f32::INFINITY,
                count => right.half_area() * blocks(count),
            };
        }
        let (mut left, mut count) = (Bounds::NONE, 0);
        for (bin, behind) in behind.iter().enumerate().take(BINS - 1) {
            left.add_fit(&bounds[d][bin]);
            count += counts[d][bin];
            if count == 0 || !behind.is_finite() {
                continue;
            }
            let cost = leaves.visit + (left.half_area() * blocks(count) + behind) / area;
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, d, bin));
            }
        }
    }
    best
}
