//! Sparse volumes that kernels look up: grids in the format of NanoVDB, whose bytes lie in an array.
//!
//! The object itself is a [`header`] that says where the parts of the grid are; `library/volume.py` reads it and follows the nodes.
//! A grid is checked when it becomes an object, so that no lookup leaves its memory.

mod blosc;
mod build;
mod grid;
mod layout;
mod leaves;
mod points;

pub use blosc::unpack as unpack_blosc;
pub use build::{Spec, inverse, size, write};
pub use grid::{Feature, Grid};
pub use layout::ValueType;
pub use leaves::Leaves;
pub use points::Places;

#[cfg(test)]
mod tests;

use super::described::laid_out;
use super::storage::Storage;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ir::ObjectKind;
use crate::objects::Keeper;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// A volume that kernels look up.
#[derive(Debug)]
pub struct Volume {
    storage: Storage,
    /// Where the grid lies, in the memory of its device.
    address: u64,
    grid: Mutex<Arc<Grid>>,
}

/// How much a grid that is built again has room for.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Leaves, lower and upper nodes.
    pub nodes: [usize; 3],
    /// Active voxels.
    pub voxels: u64,
}

impl Most {
    /// What there is no room for: bit 0 leaves, 1 lower nodes, 2 upper nodes, 3 voxels.
    fn status(&self, leaves: &Leaves) -> u32 {
        let [leaf, lower, upper] = [0, 1, 2].map(|n| leaves.nodes()[n] > self.nodes[n]);
        let over = [leaf, lower, upper, leaves.voxels() > self.voxels];
        (0..4).map(|n| u32::from(over[n]) << n).sum()
    }
}

/// Words of 64 bits in the header of a volume.
mod header {
    /// Addresses of the grid and of the gradient of its bytes (0 for none), of the background, and how many tiles the root has.
    pub const GRID: usize = 0;
    pub const GRADIENT: usize = 1;
    pub const BACKGROUND: usize = 2;
    pub const TILES: usize = 3;
    /// Leaves: the address of the first, how far apart they are (0 if that varies), where values begin in one, how they are coded.
    pub const LEAVES: usize = 4;
    pub const STRIDE: usize = 5;
    pub const VALUES: usize = 6;
    pub const CODING: usize = 7;
    /// Inner nodes: the size of an entry, and where the tables of upper and lower nodes begin.
    pub const ENTRY: usize = 8;
    pub const UPPER_TABLE: usize = 9;
    pub const LOWER_TABLE: usize = 10;
    /// How many voxels have numbers.
    pub const COUNT: usize = 11;
    /// In float64: index to world and back, by rows, and the place of voxel 0.
    pub const MATRIX: usize = 12;
    pub const INVERSE: usize = 21;
    pub const TRANSLATION: usize = 30;
    /// In words of 32 bits: where the list of leaves begins, the first leaf of the box that it is of, and how many leaves
    /// that has along each axis (0 for no list). By box, x slowest, the number of each leaf counted from 1, or 0.
    pub const LIST: usize = 66;
    /// For each tile a key, in their order; then for each the address of the node below it (0 for none); then that of its value.
    pub const KEYS: usize = 40;
}

impl Volume {
    /// A volume of a grid, which lies at an address in the memory of a device, and whose bytes are these.
    ///
    /// # Errors
    /// [`Code::Runtime`](crate::error::Code::Runtime) if there is no grid, or it is not sound;
    /// [`Code::Memory`](crate::error::Code::Memory) if there are too many objects; what the device says.
    ///
    /// # Safety
    /// The bytes lie at the address, for as long as `owner` lives, and nothing writes them meanwhile.
    pub unsafe fn new(
        address: u64,
        bytes: &[u8],
        owner: Box<dyn Any + Send + Sync>,
        device: Device,
    ) -> Result<Arc<Volume>> {
        let grid = Arc::new(Grid::new(bytes)?);
        let memory = laid_out(&words_of(&grid, bytes, address), owner);
        let made = Arc::new(Volume {
            storage: Storage::new(grid.value.kind(), memory, device)?,
            address,
            grid: Mutex::new(grid),
        });
        let keeper: Arc<Keeper> = made.clone();
        made.storage.is_kept_by(&keeper);
        Ok(made)
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.storage.id()
    }

    /// What kernels may look up.
    pub fn kind(&self) -> ObjectKind {
        self.storage.kind()
    }

    /// What is known of its grid.
    pub fn grid(&self) -> Arc<Grid> {
        Arc::clone(&self.grid.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at its grid again, which was written anew and has the same type.
    ///
    /// # Errors
    /// As [`Volume::new`].
    ///
    /// # Safety
    /// As [`Volume::new`].
    pub unsafe fn refresh(
        &self,
        bytes: &[u8],
        owner: Box<dyn Any + Send + Sync>,
        stream: Stream,
    ) -> Result<()> {
        let grid = Arc::new(Grid::new(bytes)?);
        let memory = laid_out(&words_of(&grid, bytes, self.address), owner);
        *self.grid.lock().unwrap_or_else(PoisonError::into_inner) = grid;
        self.storage.replace(memory, stream)
    }

    /// Writes a grid of other leaves into its bytes, or a copy of these that the caller takes to the device. Where there are more
    /// leaves, nodes or voxels than `most` says, the grid becomes empty.
    ///
    /// # Errors
    /// As [`Volume::new`].
    ///
    /// # Safety
    /// As [`Volume::new`], when the bytes have come to the device.
    pub unsafe fn rebuild(
        &self,
        bytes: &mut [u8],
        spec: &Spec,
        (leaves, most): (&Leaves, &Most),
        owner: Box<dyn Any + Send + Sync>,
        stream: Stream,
    ) -> Result<u32> {
        let status = most.status(leaves);
        bytes.fill(0);
        let none = Leaves::default();
        write(bytes, spec, if status == 0 { leaves } else { &none });
        // SAFETY: the caller's promise.
        unsafe { self.refresh(bytes, owner, stream)? };
        Ok(status)
    }

    /// Says where the gradient of its bytes lies; 0 for none.
    ///
    /// # Errors
    /// What the device says.
    pub fn set_gradient(&self, address: u64) -> Result<()> {
        self.storage.set_word(header::GRADIENT, address)
    }
}

/// The header of a grid.
fn words_of(grid: &Grid, bytes: &[u8], address: u64) -> Vec<u64> {
    let count = grid.tiles.len();
    let mut words = vec![0; header::KEYS + 3 * count];
    let mut put = |at: usize, value: u64| words[at] = value;
    let sizes = &grid.sizes;
    put(header::GRID, address);
    put(
        header::BACKGROUND,
        address + (grid.root + sizes.background) as u64,
    );
    put(header::TILES, count as u64);
    put(header::LEAVES, address + grid.first_leaf as u64);
    put(header::STRIDE, grid.stride as u64);
    put(header::VALUES, sizes.leaf_values as u64);
    put(header::CODING, grid.coding() as u64);
    put(header::ENTRY, sizes.entry as u64);
    put(header::UPPER_TABLE, sizes.upper_table as u64);
    put(header::LOWER_TABLE, sizes.lower_table as u64);
    put(header::COUNT, grid.values);
    let maps = [
        (header::MATRIX, &grid.matrix[..]),
        (header::INVERSE, &grid.inverse[..]),
        (header::TRANSLATION, &grid.translation[..]),
    ];
    for (at, numbers) in maps {
        for (n, x) in numbers.iter().enumerate() {
            put(at + n, x.to_bits());
        }
    }
    for (n, tile) in grid.tiles.iter().enumerate() {
        put(header::KEYS + n, tile.key);
        put(
            header::KEYS + count + n,
            tile.child.map_or(0, |child| address + child as u64),
        );
        put(
            header::KEYS + 2 * count + n,
            address + (tile.at + sizes.tile_value) as u64,
        );
    }
    list_leaves(grid, bytes, &mut words);
    words
}

/// Leaves that are near each other are listed by their place, which is faster than to go down the tree.
fn list_leaves(grid: &Grid, bytes: &[u8], words: &mut Vec<u64>) {
    let leaves = grid.leaves(bytes);
    let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
    for (_, origin) in &leaves {
        low = std::array::from_fn(|n| low[n].min(origin[n] >> 3));
        high = std::array::from_fn(|n| high[n].max(origin[n] >> 3));
    }
    let size = [0, 1, 2].map(|n| (i64::from(high[n]) - i64::from(low[n]) + 1).max(0));
    let cells = size.iter().product::<i64>();
    if grid.stride == 0 || cells == 0 || cells > 8 * leaves.len() as i64 + 4096 {
        return;
    }
    let at = 2 * words.len();
    let mut list = vec![0u32; (cells as usize).next_multiple_of(2)];
    for (place, origin) in &leaves {
        let [x, y, z] = [0, 1, 2].map(|n| i64::from((origin[n] >> 3) - low[n]));
        let number = (place - grid.first_leaf) / grid.stride + 1;
        list[((x * size[1] + y) * size[2] + z) as usize] = number as u32;
    }
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    words.extend(list.chunks_exact(2).map(|two| pair(two[0], two[1])));
    let head = [at as u32, low[0] as u32, low[1] as u32, low[2] as u32];
    let sizes = size.map(|n| n as u32);
    let all = [
        head[0], head[1], head[2], head[3], sizes[0], sizes[1], sizes[2], 0,
    ];
    for (n, two) in all.chunks_exact(2).enumerate() {
        words[header::LIST / 2 + n] = pair(two[0], two[1]);
    }
}
