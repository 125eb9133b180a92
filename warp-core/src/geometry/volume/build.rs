//! Builds grids of NanoVDB, of the leaves that they are to have.

use super::layout::{
    Coding, GRID, LEAF_MASK, LEAF_OFFSET, LEAF_PREFIX, MAGICS, NODE_MASK, ROOT_TILES, Sizes,
    TILE_CHILD, TREE, VERSION, ValueType, grid, tree,
};
use super::leaves::Leaves;
use crate::algorithm::each;

/// What a grid is to be, but for its leaves.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The type of its values.
    pub value: ValueType,
    /// The value where there is no voxel, and of new voxels: its bytes.
    pub background: Vec<u8>,
    /// Index space to world, by rows.
    pub matrix: [f64; 9],
    /// Where voxel 0 lies in the world.
    pub translation: [f64; 3],
}

/// The class of grids whose values are numbers of voxels.
const INDEX_GRID: u32 = 8;
/// The flags of a grid whose nodes have boxes and lie level by level.
const FLAGS: u32 = 1 << 1 | 1 << 5;
/// The flag of a leaf that has a box.
const HAS_BOX: u8 = 2;

/// Where the parts of a grid begin.
#[derive(Clone, Copy, Debug)]
struct Plan {
    sizes: Sizes,
    root: usize,
    upper: usize,
    lower: usize,
    leaf: usize,
    end: usize,
}

impl Plan {
    fn new(value: ValueType, [leaves, lower, upper]: [usize; 3], roots: usize) -> Plan {
        let sizes = value.layout(false);
        let root = GRID + TREE;
        let upper_at = root + sizes.root + roots * sizes.tile;
        let lower_at = upper_at + upper * sizes.upper;
        let leaf = lower_at + lower * sizes.lower;
        Plan {
            sizes,
            root,
            upper: upper_at,
            lower: lower_at,
            leaf,
            end: leaf + leaves * sizes.leaf,
        }
    }
}

/// How many bytes a grid of so many leaves, lower and upper nodes takes.
pub fn size(value: ValueType, nodes: [usize; 3]) -> usize {
    Plan::new(value, nodes, nodes[2]).end
}

/// The inverse of a matrix; None if there is none.
pub fn inverse(m: &[f64; 9]) -> Option<[f64; 9]> {
    let minor = |a: usize, b: usize, c: usize, d: usize| m[a] * m[d] - m[b] * m[c];
    let first = [minor(4, 5, 7, 8), -minor(3, 5, 6, 8), minor(3, 4, 6, 7)];
    let det = m[0] * first[0] + m[1] * first[1] + m[2] * first[2];
    let inverse = [
        first[0],
        -minor(1, 2, 7, 8),
        minor(1, 2, 4, 5),
        first[1],
        minor(0, 2, 6, 8),
        -minor(0, 2, 3, 5),
        first[2],
        -minor(0, 1, 6, 7),
        minor(0, 1, 3, 4),
    ]
    .map(|x| x / det);
    inverse.iter().all(|x| x.is_finite()).then_some(inverse)
}

/// Writes a grid into memory that is zeros, of [`size`] bytes or more; how many it has taken.
pub fn write(out: &mut [u8], spec: &Spec, leaves: &Leaves) -> usize {
    let nodes = leaves.nodes();
    let plan = Plan::new(spec.value, nodes, leaves.roots.len());
    let mut b = Out(out);
    header(&mut b, spec, leaves, &plan);
    inner(&mut b, spec, leaves, &plan);
    leaf_nodes(&mut b, spec, leaves, &plan);
    plan.end
}

/// Memory of a grid, to be written.
struct Out<'a>(&'a mut [u8]);

impl Out<'_> {
    fn bytes(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }
    fn u32(&mut self, at: usize, value: u32) {
        self.bytes(at, &value.to_le_bytes());
    }
    fn u64(&mut self, at: usize, value: u64) {
        self.bytes(at, &value.to_le_bytes());
    }
    fn f32(&mut self, at: usize, value: f32) {
        self.u32(at, value.to_bits());
    }
    fn f64(&mut self, at: usize, value: f64) {
        self.u64(at, value.to_bits());
    }
    fn bounds(&mut self, at: usize, bounds: [[i32; 3]; 2]) {
        for (n, c) in bounds.iter().flatten().enumerate() {
            self.u32(at + 4 * n, *c as u32);
        }
    }
}

fn header(b: &mut Out<'_>, spec: &Spec, leaves: &Leaves, plan: &Plan) {
    let [leaf_count, lower_count, upper_count] = leaves.nodes();
    let voxels = leaves.voxels();
    b.u64(0, MAGICS[1]);
    b.u64(grid::CHECKSUM, u64::MAX);
    b.u32(grid::VERSION, VERSION);
    b.u32(grid::FLAGS, FLAGS);
    b.u32(grid::COUNT, 1);
    b.u64(grid::SIZE, plan.end as u64);
    let inverse = inverse(&spec.matrix).unwrap_or_default();
    let map = spec.matrix.iter().chain(&inverse).chain(&spec.translation);
    for (n, x) in map.chain(&[1.0]).enumerate() {
        b.f32(grid::MAP_SINGLE + 4 * n, *x as f32);
        b.f64(grid::MAP + 8 * n, *x);
    }
    for n in 0..3 {
        let m = &spec.matrix;
        let length = (m[n] * m[n] + m[3 + n] * m[3 + n] + m[6 + n] * m[6 + n]).sqrt();
        b.f64(grid::VOXEL_SIZE + 8 * n, length);
    }
    b.u32(
        grid::CLASS,
        if spec.value.is_index() { INDEX_GRID } else { 0 },
    );
    b.u32(grid::TYPE, spec.value as u32);
    b.u64(grid::BLIND, plan.end as u64);
    if spec.value.is_index() {
        b.u64(grid::VALUES, voxels + 1);
    }
    for (n, at) in [plan.leaf, plan.lower, plan.upper, plan.root]
        .into_iter()
        .enumerate()
    {
        b.u64(GRID + tree::NODES + 8 * n, (at - GRID) as u64);
    }
    for (n, count) in [leaf_count, lower_count, upper_count]
        .into_iter()
        .enumerate()
    {
        b.u32(GRID + tree::COUNTS + 4 * n, count as u32);
    }
    b.u64(GRID + tree::VOXELS, voxels);
    let root = plan.root;
    b.u32(root + ROOT_TILES, leaves.roots.len() as u32);
    b.bytes(root + plan.sizes.background, &spec.background);
    for (n, key) in leaves.roots.iter().enumerate() {
        let at = root + plan.sizes.root + n * plan.sizes.tile;
        b.u64(at, *key);
        b.u64(
            at + TILE_CHILD,
            (plan.upper + n * plan.sizes.upper - root) as u64,
        );
    }
}

/// The upper and lower nodes, and all boxes.
fn inner(b: &mut Out<'_>, spec: &Spec, leaves: &Leaves, plan: &Plan) {
    let sizes = &plan.sizes;
    let filled = spec.background.iter().any(|byte| *byte != 0);
    let fill = |b: &mut Out<'_>, table: usize, entries: usize| {
        for n in 0..entries * usize::from(filled) {
            b.bytes(table + n * sizes.entry, &spec.background);
        }
    };
    let mut boxes = [NOTHING; 3];
    let (mut upper, mut lower) = (usize::MAX, plan.lower.wrapping_sub(sizes.lower));
    let mut last = [usize::MAX; 2];
    for leaf in 0..leaves.places.len() {
        let [root, in_upper, in_lower] = leaves.entries(leaf);
        if last[0] != root {
            upper = plan.upper + root * sizes.upper;
            fill(b, upper + sizes.upper_table, 32768);
            boxes[1] = NOTHING;
        }
        if last != [root, in_upper] {
            lower = lower.wrapping_add(sizes.lower);
            fill(b, lower + sizes.lower_table, 4096);
            boxes[2] = NOTHING;
            set(b, upper + NODE_MASK + 4096, in_upper);
            let entry = upper + sizes.upper_table + in_upper * sizes.entry;
            child(b, entry, lower - upper, sizes.entry);
            last = [root, in_upper];
        }
        set(b, lower + NODE_MASK + 512, in_lower);
        let at = plan.leaf + leaf * sizes.leaf;
        let entry = lower + sizes.lower_table + in_lower * sizes.entry;
        child(b, entry, at - lower, sizes.entry);
        let bounds = leaves.bounds(leaf);
        boxes = boxes.map(|other| union(other, bounds));
        b.bounds(upper, boxes[1]);
        b.bounds(lower, boxes[2]);
    }
    if boxes[0][0][0] > boxes[0][1][0] {
        return;
    }
    b.bounds(plan.root, boxes[0]);
    world_box(b, spec, boxes[0]);
}

/// The box of nothing.
const NOTHING: [[i32; 3]; 2] = [[i32::MAX; 3], [i32::MIN; 3]];

fn union(a: [[i32; 3]; 2], b: [[i32; 3]; 2]) -> [[i32; 3]; 2] {
    let low = [0, 1, 2].map(|n| a[0][n].min(b[0][n]));
    let high = [0, 1, 2].map(|n| a[1][n].max(b[1][n]));
    [low, high]
}

/// An entry of a table names a child.
fn child(b: &mut Out<'_>, entry: usize, far: usize, size: usize) {
    b.0[entry..entry + size].fill(0);
    b.u64(entry, far as u64);
}

/// Sets a bit of a mask.
fn set(b: &mut Out<'_>, mask: usize, n: usize) {
    b.0[mask + n / 8] |= 1 << (n % 8);
}

/// The box of the voxels in the world.
fn world_box(b: &mut Out<'_>, spec: &Spec, [low, high]: [[i32; 3]; 2]) {
    let (mut least, mut most) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for corner in 0..8 {
        let at = [0, 1, 2].map(|n| match corner >> n & 1 {
            0 => f64::from(low[n]),
            _ => f64::from(high[n]) + 1.0,
        });
        for n in 0..3 {
            let row = &spec.matrix[3 * n..3 * n + 3];
            let x = row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + spec.translation[n];
            least[n] = least[n].min(x);
            most[n] = most[n].max(x);
        }
    }
    for n in 0..3 {
        b.f64(grid::WORLD_BOX + 8 * n, least[n]);
        b.f64(grid::WORLD_BOX + 24 + 8 * n, most[n]);
    }
}

/// Leaves that one task writes at least.
const PART: usize = 64;

fn leaf_nodes(b: &mut Out<'_>, spec: &Spec, leaves: &Leaves, plan: &Plan) {
    let size = plan.sizes.leaf;
    let count = leaves.places.len();
    // The number of the first voxel of each part.
    let mut firsts = Vec::new();
    let mut first = 1u64;
    for leaf in 0..count {
        if leaf.is_multiple_of(PART) {
            firsts.push(first);
        }
        first += active(leaves, leaf);
    }
    let out = b.0[plan.leaf..plan.end].chunks_mut((PART * size).max(1));
    let parts: Vec<_> = out.map(|part| std::sync::Mutex::new(Some(part))).collect();
    each(parts.len(), count * size, |n| {
        let part = parts[n].lock().ok().and_then(|mut part| part.take());
        let Some(part) = part else { return };
        let mut first = firsts[n];
        for (k, node) in part.chunks_mut(size).enumerate() {
            let leaf = n * PART + k;
            leaf_node(&mut Out(node), spec, leaves, plan, (leaf, first));
            first += active(leaves, leaf);
        }
    });
}

fn active(leaves: &Leaves, leaf: usize) -> u64 {
    let ones = |mask: &[u64; 8]| mask.iter().map(|word| u64::from(word.count_ones())).sum();
    leaves
        .masks
        .as_ref()
        .map_or(512, |masks| ones(&masks[leaf]))
}

fn leaf_node(
    b: &mut Out<'_>,
    spec: &Spec,
    leaves: &Leaves,
    plan: &Plan,
    (leaf, first): (usize, u64),
) {
    let [low, high] = leaves.bounds(leaf);
    for n in 0..3 {
        b.u32(4 * n, low[n] as u32);
        b.0[12 + n] = high[n].wrapping_sub(low[n]) as u8;
    }
    b.0[15] = HAS_BOX;
    let mask = leaves
        .masks
        .as_ref()
        .map_or([u64::MAX; 8], |masks| masks[leaf]);
    let (mut before, mut prefix) = (0, 0);
    for (n, word) in mask.iter().enumerate() {
        b.u64(LEAF_MASK + 8 * n, *word);
        before += u64::from(word.count_ones());
        if n < 7 {
            prefix |= before << (9 * n);
        }
    }
    match spec.value.coding() {
        Coding::Index => b.u64(LEAF_OFFSET, first),
        Coding::OnIndex => {
            b.u64(LEAF_OFFSET, first);
            b.u64(LEAF_PREFIX, prefix);
        }
        _ if spec.background.iter().any(|byte| *byte != 0) => {
            let values = &mut b.0[plan.sizes.leaf_values..];
            let size = spec.background.len();
            for value in values.chunks_exact_mut(size).take(512) {
                value.copy_from_slice(&spec.background);
            }
        }
        _ => {}
    }
}
