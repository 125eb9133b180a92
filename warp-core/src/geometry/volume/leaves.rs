//! Which leaves a grid is to have, of the voxels or tiles that are wanted.

use super::layout::{entry_at, key_of, origin_of};

/// Leaves of a grid that is to be built, in the order in which they lie in memory.
#[derive(Debug, Default)]
pub struct Leaves {
    /// The root's tiles: their keys, in the order of their coordinates.
    pub roots: Vec<u64>,
    /// For each leaf the rank of the tile, the entry in the upper and that in the lower table, as one number.
    pub places: Vec<u64>,
    /// For each leaf which voxels are active; without this all are.
    pub masks: Option<Vec<[u64; 8]>>,
}

/// Bits of a leaf's place below the rank of the tile: those of the entries in an upper and a lower table.
const UPPER_BITS: u32 = 15;
const LOWER_BITS: u32 = 12;

/// The entry of a voxel in the table of a node whose entries are 2^step voxels wide, 2^log2 along each axis.
const fn entry_of(at: [i32; 3], step: u32, log2: u32) -> u64 {
    let mask = (1 << log2) - 1;
    let part = [
        (at[0] >> step) & mask,
        (at[1] >> step) & mask,
        (at[2] >> step) & mask,
    ];
    (part[0] as u64) << (2 * log2) | (part[1] as u64) << log2 | part[2] as u64
}

impl Leaves {
    /// The leaves that have these voxels: all voxels of these leaves, or only those.
    pub fn of(voxels: &[[i32; 3]], only: bool) -> Leaves {
        let roots = roots_of(voxels);
        let mut last = (u64::MAX, 0);
        let mut numbers: Vec<u64> = Vec::with_capacity(voxels.len());
        for at in voxels {
            let key = key_of(*at);
            if key != last.0 {
                let order = signed(key);
                last = (
                    key,
                    roots.partition_point(|other| signed(*other) < order) as u64,
                );
            }
            let place =
                (last.1 << UPPER_BITS | entry_of(*at, 7, 5)) << LOWER_BITS | entry_of(*at, 3, 4);
            numbers.push(match only {
                true => place << 9 | entry_of(*at, 0, 3),
                false => place,
            });
        }
        // Points side by side are often in one leaf.
        numbers.dedup();
        numbers.sort_unstable();
        numbers.dedup();
        if !only {
            return Leaves {
                roots,
                places: numbers,
                masks: None,
            };
        }
        let (mut places, mut masks) = (Vec::new(), Vec::new());
        for number in numbers {
            let place = number >> 9;
            if places.last() != Some(&place) {
                places.push(place);
                masks.push([0u64; 8]);
            }
            if let Some(mask) = masks.last_mut() {
                mask[(number >> 6 & 7) as usize] |= 1 << (number & 63);
            }
        }
        Leaves {
            roots,
            places,
            masks: Some(masks),
        }
    }

    /// All leaves that meet a box, both corners included.
    pub fn of_box(low: [i32; 3], high: [i32; 3]) -> Leaves {
        let [low, high] = [low, high].map(|at| at.map(|c| c >> 3));
        let mut tiles = Vec::new();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                tiles.extend((low[2]..=high[2]).map(|z| [x << 3, y << 3, z << 3]));
            }
        }
        Leaves::of(&tiles, false)
    }

    /// Leaves, lower and upper nodes.
    pub fn nodes(&self) -> [usize; 3] {
        let lower = count(self.places.iter().map(|place| place >> LOWER_BITS));
        [self.places.len(), lower, self.roots.len()]
    }

    /// Active voxels.
    pub fn voxels(&self) -> u64 {
        match &self.masks {
            None => 512 * self.places.len() as u64,
            Some(masks) => masks
                .iter()
                .flatten()
                .map(|word| u64::from(word.count_ones()))
                .sum(),
        }
    }

    /// The rank of the tile of a leaf, and the entries in the upper and the lower table.
    pub fn entries(&self, leaf: usize) -> [usize; 3] {
        let place = self.places[leaf];
        let mask = |bits: u32| (1u64 << bits) - 1;
        [
            (place >> (UPPER_BITS + LOWER_BITS)) as usize,
            (place >> LOWER_BITS & mask(UPPER_BITS)) as usize,
            (place & mask(LOWER_BITS)) as usize,
        ]
    }

    /// The first voxel of a leaf.
    pub fn origin(&self, leaf: usize) -> [i32; 3] {
        let [root, upper, lower] = self.entries(leaf);
        let (root, upper, lower) = (
            origin_of(self.roots[root]),
            entry_at(upper, 5),
            entry_at(lower, 4),
        );
        [0, 1, 2].map(|n| root[n].wrapping_add((upper[n] << 7) + (lower[n] << 3)))
    }

    /// The least and greatest active voxel of a leaf.
    pub fn bounds(&self, leaf: usize) -> [[i32; 3]; 2] {
        let origin = self.origin(leaf);
        let Some(masks) = &self.masks else {
            return [origin, origin.map(|c| c.wrapping_add(7))];
        };
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        for (n, word) in masks[leaf].iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let at = entry_at(64 * n + word.trailing_zeros() as usize, 3);
                word &= word - 1;
                for axis in 0..3 {
                    low[axis] = low[axis].min(origin[axis].wrapping_add(at[axis]));
                    high[axis] = high[axis].max(origin[axis].wrapping_add(at[axis]));
                }
            }
        }
        [low, high]
    }
}

/// Coordinates of a tile in the order of numbers with a sign.
fn signed(key: u64) -> [i32; 3] {
    origin_of(key)
}

/// The keys of the tiles that voxels lie in, each once, in the order of coordinates.
fn roots_of(voxels: &[[i32; 3]]) -> Vec<u64> {
    let mut roots: Vec<u64> = voxels.iter().map(|at| key_of(*at)).collect();
    roots.dedup();
    roots.sort_unstable_by_key(|key| signed(*key));
    roots.dedup();
    roots
}

/// How many runs of equal numbers there are.
fn count(numbers: impl Iterator<Item = u64>) -> usize {
    let mut last = None;
    numbers.filter(|n| last.replace(*n) != Some(*n)).count()
}
