//! What is in a grid of NanoVDB: checked once, so that kernels may follow its nodes.

use super::layout::{
    Coding, GRID, LEAF_FLAGS, LEAF_MASK, MAGICS, NODE_MASK, ROOT_TILES, Sizes, TILE_CHILD, TREE,
    ValueType, entry_at, grid, origin_of, tree,
};
use crate::error::{Code, Error, Result};

/// A grid in memory. Reads beyond it give zeros.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    fn part<const N: usize>(self, at: usize) -> [u8; N] {
        let part = at.checked_add(N).and_then(|end| self.0.get(at..end));
        part.and_then(|part| part.try_into().ok()).unwrap_or([0; N])
    }

    pub fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.part(at))
    }

    pub fn u64(self, at: usize) -> u64 {
        u64::from_le_bytes(self.part(at))
    }

    pub fn i64(self, at: usize) -> i64 {
        i64::from_le_bytes(self.part(at))
    }

    pub fn f64(self, at: usize) -> f64 {
        f64::from_le_bytes(self.part(at))
    }

    /// The words of a mask of so many bits.
    fn mask(self, at: usize, bits: usize) -> impl Iterator<Item = u64> {
        (0..bits / 64).map(move |n| self.u64(at + 8 * n))
    }

    /// The numbers of the bits of a mask that are set.
    pub fn set(self, at: usize, bits: usize) -> impl Iterator<Item = usize> {
        self.mask(at, bits).enumerate().flat_map(|(n, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * n + bit)
            })
        })
    }
}

/// A tile of the root.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// What it is found by.
    pub key: u64,
    /// Where it lies, as a distance from the start of the grid.
    pub at: usize,
    /// Where the upper node below it lies.
    pub child: Option<usize>,
}

/// What is known of a grid.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The type of its values.
    pub value: ValueType,
    /// Where things lie in nodes.
    pub sizes: Sizes,
    /// Bytes.
    pub size: usize,
    /// The number of this grid of its file.
    pub index: u32,
    /// How many grids there are.
    pub count: u32,
    /// Its name.
    pub name: String,
    /// Where the root lies.
    pub root: usize,
    /// By key.
    pub tiles: Vec<Tile>,
    /// Leaves, lower and upper nodes.
    pub nodes: [usize; 3],
    /// Active voxels.
    pub voxels: u64,
    /// Values that an index grid numbers, or voxels of all leaves.
    pub values: u64,
    /// Where the first leaf lies.
    pub first_leaf: usize,
    /// How far apart leaves are; 0 if that varies.
    pub stride: usize,
    /// Index space to world, by rows.
    pub matrix: [f64; 9],
    /// World to index space.
    pub inverse: [f64; 9],
    /// Where voxel 0 lies in the world.
    pub translation: [f64; 3],
    /// How long voxels are along each axis.
    pub voxel_size: [f64; 3],
    /// Arrays beside the voxels.
    pub features: Vec<Feature>,
}

/// An array beside the voxels of a grid: NanoVDB's "blind data".
#[derive(Clone, Debug)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub at: usize,
    /// How many values it has.
    pub count: usize,
    /// How many bytes each of them has.
    pub size: usize,
    /// The number of their type, as [`ValueType`].
    pub value: u32,
}

fn bad(what: impl Into<String>) -> Error {
    Error::new(Code::Runtime, what)
}

impl Grid {
    /// Looks at a grid.
    ///
    /// # Errors
    /// [`Code::Runtime`] if this is no grid, of an unknown version or type, or a node names one that does not lie in it.
    pub fn new(bytes: &[u8]) -> Result<Grid> {
        let b = Bytes(bytes);
        let (value, size) = header(b)?;
        let bytes = &bytes[..size];
        let b = Bytes(bytes);
        let at = |n: usize| usize::try_from(b.i64(GRID + tree::NODES + 8 * n)).ok();
        let root = at(3).and_then(|far| far.checked_add(GRID));
        let root = root.filter(|root| *root >= GRID + TREE && *root < size);
        let root = root.ok_or_else(|| bad("the tree has no root"))?;
        let first_leaf = at(0).and_then(|far| far.checked_add(GRID)).unwrap_or(0);
        let counts = [0, 1, 2].map(|n| b.u32(GRID + tree::COUNTS + 4 * n) as usize);
        let features = features(b)?;
        let data_end = features.iter().map(|f| f.at).min().unwrap_or(size);
        let half = value == ValueType::Half
            && counts[0] > 0
            && data_end.saturating_sub(first_leaf) < counts[0] * 2144;
        let sizes = value.layout(half);
        let mut found = Grid {
            value,
            sizes,
            size,
            index: b.u32(grid::INDEX),
            count: b.u32(grid::COUNT),
            name: text(&bytes[grid::NAME..grid::NAME + 256]),
            root,
            tiles: tiles(b, root, &sizes)?,
            nodes: [0; 3],
            voxels: b.u64(GRID + tree::VOXELS),
            values: 0,
            first_leaf,
            stride: sizes.leaf,
            matrix: std::array::from_fn(|n| b.f64(grid::MAP + 8 * n)),
            inverse: std::array::from_fn(|n| b.f64(grid::MAP + 8 * (9 + n))),
            translation: std::array::from_fn(|n| b.f64(grid::MAP + 8 * (18 + n))),
            voxel_size: std::array::from_fn(|n| b.f64(grid::VOXEL_SIZE + 8 * n)),
            features,
        };
        found.check_nodes(bytes, counts)?;
        found.values = match value.is_index() {
            true => b.u64(grid::VALUES).saturating_sub(1),
            false => 512 * found.nodes[0] as u64,
        };
        Ok(found)
    }

    /// Walks the tree: counts nodes, refuses what does not lie in the grid, and finds whether leaves lie side by side.
    fn check_nodes(&mut self, bytes: &[u8], counts: [usize; 3]) -> Result<()> {
        let mut nodes = [0; 3];
        let (mut even, first, stride) = (self.stride > 0, self.first_leaf, self.stride);
        let end = self.size;
        let walked = self.walk(bytes, &mut |level, at, _| {
            nodes[level] += 1;
            if nodes[level] > counts[level] {
                let what = ["leaves", "lower nodes", "upper nodes"][level];
                return Err(bad(format!(
                    "the tree has more {what} than the {} that its header names",
                    counts[level]
                )));
            }
            if level == 0 {
                let place = at.checked_sub(first);
                even &= place.is_some_and(|far| {
                    far.is_multiple_of(stride.max(1)) && far / stride.max(1) < counts[0]
                });
            }
            (at < end)
                .then_some(())
                .ok_or_else(|| bad("a node lies beyond the grid"))
        });
        walked?;
        self.nodes = nodes;
        if !even {
            self.stride = 0;
        }
        Ok(())
    }

    /// Visits upper nodes (2), lower nodes (1) and leaves (0), each before those below it: where it lies, and its first voxel.
    ///
    /// # Errors
    /// That of a visit, or [`Code::Runtime`] if a node does not lie in the grid.
    pub fn walk(
        &self,
        bytes: &[u8],
        visit: &mut impl FnMut(usize, usize, [i32; 3]) -> Result<()>,
    ) -> Result<()> {
        let b = Bytes(bytes);
        let sizes = &self.sizes;
        for tile in &self.tiles {
            let Some(upper) = tile.child else { continue };
            let origin = origin_of(tile.key);
            visit(2, within(bytes, upper, sizes.upper)?, origin)?;
            for n in b.set(upper + NODE_MASK + 4096, 32768) {
                let lower = child(b, upper, upper + sizes.upper_table + n * sizes.entry)?;
                let origin = moved(origin, entry_at(n, 5), 7);
                visit(1, within(bytes, lower, sizes.lower)?, origin)?;
                for n in b.set(lower + NODE_MASK + 512, 4096) {
                    let leaf = child(b, lower, lower + sizes.lower_table + n * sizes.entry)?;
                    let size = match self.value.coding() {
                        Coding::FpN => 96 + (64 << (fpn_log2(b, leaf))),
                        _ => sizes.leaf,
                    };
                    let origin = moved(origin, entry_at(n, 4), 3);
                    visit(0, within(bytes, leaf, size)?, origin)?;
                }
            }
        }
        Ok(())
    }

    /// How leaves hold values.
    pub fn coding(&self) -> Coding {
        match self.value.coding() {
            // Written in full by some programs.
            Coding::Half if self.sizes.leaf == ValueType::Float.layout(false).leaf => Coding::Plain,
            coding => coding,
        }
    }

    /// Whether leaves hold values as they are.
    pub fn is_plain(&self) -> bool {
        self.coding() == Coding::Plain
    }

    /// Leaves as they lie in memory: where, and the first voxel.
    pub fn leaves(&self, bytes: &[u8]) -> Vec<(usize, [i32; 3])> {
        let mut leaves = Vec::with_capacity(self.nodes[0]);
        let walked = self.walk(bytes, &mut |level, at, origin| {
            if level == 0 {
                leaves.push((at, origin));
            }
            Ok(())
        });
        debug_assert!(walked.is_ok(), "the grid was checked");
        leaves.sort_unstable_by_key(|leaf| leaf.0);
        leaves
    }

    /// Active voxels of leaves, in the order of [`Grid::leaves`].
    pub fn active(&self, bytes: &[u8]) -> Vec<[i32; 3]> {
        let mut voxels = Vec::new();
        for (at, origin) in self.leaves(bytes) {
            let set = Bytes(bytes).set(at + LEAF_MASK, 512);
            voxels.extend(set.map(|n| moved(origin, entry_at(n, 3), 0)));
        }
        voxels
    }
}

/// The logarithm of the bits of a code of a leaf.
pub fn fpn_log2(b: Bytes<'_>, leaf: usize) -> u32 {
    let flags = b.0.get(leaf + LEAF_FLAGS).copied().unwrap_or(0);
    u32::from(flags >> 5)
}

/// The voxel so many steps of 2^log2 voxels from another one.
fn moved(from: [i32; 3], by: [i32; 3], log2: u32) -> [i32; 3] {
    [0, 1, 2].map(|n| from[n].wrapping_add(by[n] << log2))
}

/// The place of a node that another one names in an entry of its table.
fn child(b: Bytes<'_>, node: usize, entry: usize) -> Result<usize> {
    let far = isize::try_from(b.i64(entry)).ok();
    let at = far.and_then(|far| node.checked_add_signed(far));
    at.ok_or_else(|| bad("a node names one that does not lie in the grid"))
}

fn within(bytes: &[u8], at: usize, size: usize) -> Result<usize> {
    let inside = at >= GRID + TREE
        && at.checked_add(size).is_some_and(|end| end <= bytes.len())
        && at.is_multiple_of(8);
    match inside {
        true => Ok(at),
        false => Err(bad("a node does not lie in the grid")),
    }
}

/// The type and size of a grid.
fn header(b: Bytes<'_>) -> Result<(ValueType, usize)> {
    let given = b.0.len();
    if given < GRID + TREE + 64 {
        return Err(bad(format!(
            "{given} bytes are too few for a grid of NanoVDB"
        )));
    }
    if !MAGICS.contains(&b.u64(0)) {
        return Err(bad(
            "a grid of NanoVDB begins with \"NanoVDB1\", this does not",
        ));
    }
    let version = b.u32(grid::VERSION);
    if version >> 21 != 32 {
        let what = format!(
            "the grid is of version {} of NanoVDB, expected 32",
            version >> 21
        );
        return Err(bad(what));
    }
    let number = b.u32(grid::TYPE);
    let value = ValueType::from_number(number).ok_or_else(|| {
        bad(format!(
            "grids with values of the type number {number} are not supported"
        ))
    })?;
    let size = b.u64(grid::SIZE);
    match usize::try_from(size)
        .ok()
        .filter(|size| (GRID + TREE + 64..=given).contains(size))
    {
        Some(size) => Ok((value, size)),
        None => Err(bad(format!("the grid has {size} bytes, {given} are there"))),
    }
}

/// The tiles of the root, by key.
fn tiles(b: Bytes<'_>, root: usize, sizes: &Sizes) -> Result<Vec<Tile>> {
    let count = b.u32(root + ROOT_TILES) as usize;
    let end = count
        .checked_mul(sizes.tile)
        .and_then(|n| n.checked_add(root + sizes.root));
    if end.is_none_or(|end| end > b.0.len()) {
        return Err(bad(format!(
            "the {count} tiles of the root do not lie in the grid"
        )));
    }
    let mut tiles = Vec::with_capacity(count);
    for n in 0..count {
        let at = root + sizes.root + n * sizes.tile;
        let child = match b.i64(at + TILE_CHILD) {
            0 => None,
            _ => Some(child(b, root, at + TILE_CHILD)?),
        };
        tiles.push(Tile {
            key: b.u64(at),
            at,
            child,
        });
    }
    // Tables by hash have empty places.
    tiles.sort_by_key(|tile| (tile.key, tile.child.is_none()));
    tiles.dedup_by_key(|tile| tile.key);
    Ok(tiles)
}

/// Arrays beside the voxels.
fn features(b: Bytes<'_>) -> Result<Vec<Feature>> {
    /// Bytes of what is known of each.
    const META: usize = 288;
    let count = b.u32(grid::BLIND_COUNT) as usize;
    let first = usize::try_from(b.i64(grid::BLIND)).unwrap_or(usize::MAX);
    let outside = || bad("an array beside the voxels does not lie in the grid");
    let mut features = Vec::new();
    for n in 0..count {
        let at = n.checked_mul(META).and_then(|far| first.checked_add(far));
        let at = at.filter(|at| at.checked_add(META).is_some_and(|end| end <= b.0.len()));
        let at = at.ok_or_else(outside)?;
        let far = isize::try_from(b.i64(at)).ok();
        let data = far
            .and_then(|far| at.checked_add_signed(far))
            .ok_or_else(outside)?;
        let (count, size) = (b.u64(at + 8) as usize, b.u32(at + 16) as usize);
        let bytes = count.checked_mul(size);
        let end = bytes.and_then(|bytes| data.checked_add(bytes));
        if end.is_none_or(|end| end > b.0.len()) {
            return Err(outside());
        }
        features.push(Feature {
            name: text(&b.0[at + 32..at + META]),
            at: data,
            count,
            size,
            value: b.u32(at + 28),
        });
    }
    Ok(features)
}

/// Text that ends at a zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}
