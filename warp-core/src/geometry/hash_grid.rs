//! Hash grids: points sorted by the cells of a grid that repeats in space.
//!
//! In memory, in words of 32 bits: the dimensions (3), the number of points, whether there are groups; from word 8 on the
//! reciprocal of the cells' width, in float32 for positions of 16 and 32 bits, else in float64; from word 16 on, for each
//! cell and for one behind the last, where its points begin; the numbers of the points, by cell and in it by group, else in
//! their order; with groups, the group of each of those. `library/hash_grid.py` reads it.
//!
//! Cells are `floor(position * (1 / width))`, rounded as the type of the positions says, in queries too: whatever lies within
//! a distance of a point lies in a cell between those of the two corners of the box around it, as rounding is monotone.

use super::memory::Memory;
use super::storage::Storage;
use crate::algorithm::{Place, each};
use crate::backend::cpu::pool;
use crate::device::{Device, Stream, current_stream};
use crate::dtype::Scalar;
use crate::error::{Code, Error, Result};
use crate::ir::ObjectKind;
use crate::objects::{Block, Keeper};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Words before the starts of cells.
const HEADER: usize = 16;
/// The word with the reciprocal of the width.
const PER_WIDTH: usize = 8;
/// Cells beyond this are one cell, so that they are int32.
const FARTHEST: f64 = (1 << 29) as f64;
/// Points that one task sorts at least.
const PART: usize = 1 << 14;

/// A grid that kernels query.
#[derive(Debug)]
pub struct HashGrid {
    storage: Storage,
    scalar: Scalar,
    dims: [i32; 3],
}

/// Points to sort, in contiguous memory of the host.
#[derive(Clone, Copy, Debug)]
pub struct Points {
    /// The first coordinate.
    pub positions: *const u8,
    /// How many points there are.
    pub count: usize,
    /// A number (int32) for each, if there are groups.
    pub groups: Option<*const i32>,
}

// SAFETY: addresses; who builds a grid answers for them.
unsafe impl Sync for Points {}

impl HashGrid {
    /// A grid without points.
    ///
    /// # Errors
    /// [`Code::Value`] if a dimension is not positive or there are 2^31 cells or more, [`Code::Type`] if positions cannot have
    /// this type; what the device says.
    pub fn new(dims: [i64; 3], scalar: Scalar, device: Device) -> Result<Arc<HashGrid>> {
        let kind = match scalar {
            Scalar::F16 => ObjectKind::HashGridHalf,
            Scalar::F32 => ObjectKind::HashGridSingle,
            Scalar::F64 => ObjectKind::HashGridDouble,
            other => {
                let what = format!(
                    "a hash grid has positions of float16, float32 or float64, not {other}"
                );
                return Err(Error::new(Code::Type, what));
            }
        };
        for (name, dim) in ["dim_x", "dim_y", "dim_z"].into_iter().zip(dims) {
            if dim <= 0 {
                let what =
                    format!("{name} is {dim}, a hash grid has at least one cell along each axis");
                return Err(Error::new(Code::Value, what));
            }
        }
        let cells = (dims.iter()).try_fold(1i64, |cells, dim| cells.checked_mul(*dim));
        if cells.is_none_or(|cells| cells >= i64::from(i32::MAX)) {
            let [x, y, z] = dims;
            let what = format!(
                "{x} x {y} x {z} cells are too many, a hash grid has fewer than 2147483647"
            );
            return Err(Error::new(Code::Value, what));
        }
        let dims = dims.map(|dim| dim as i32);
        let memory = header(Memory::default(), dims, 0, false);
        let made = Arc::new(HashGrid {
            storage: Storage::new(kind, memory, device)?,
            scalar,
            dims,
        });
        let keeper: Arc<Keeper> = made.clone();
        made.storage.is_kept_by(&keeper);
        Ok(made)
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.storage.id()
    }

    /// The type of positions.
    pub fn scalar(&self) -> Scalar {
        self.scalar
    }

    /// Cells along each axis.
    pub fn dims(&self) -> [i32; 3] {
        self.dims
    }

    /// What its memory holds, for [`HashGrid::restore`].
    pub fn bytes(&self) -> Vec<u8> {
        let bytes = |memory: &Memory| memory.bytes().map(<[u8]>::to_vec);
        self.storage.with(bytes).flatten().unwrap_or_default()
    }

    /// Gives it the points of another one with the same dimensions.
    ///
    /// # Errors
    /// [`Code::Value`] if this is not what [`HashGrid::bytes`] gave; what the device says.
    pub fn restore(&self, bytes: &[u8]) -> Result<()> {
        let bad = || Error::new(Code::Value, "these are not the bytes of such a hash grid");
        let chunks = bytes.chunks_exact(4);
        let given: Vec<u32> = chunks
            .map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let cells = cells(self.dims);
        let (head, rest) = given.split_at_checked(HEADER).ok_or_else(bad)?;
        let starts = rest.get(..=cells).ok_or_else(bad)?;
        let (points, groups) = (head[3], head[4] != 0);
        let fits = head[..3] == self.dims.map(|dim| dim as u32)
            && given.len() == words(self.dims, points as usize, groups)
            && bytes.len() == 4 * given.len()
            && starts[0] == 0
            && starts[cells] == points
            && starts.is_sorted();
        let mut seen = vec![false; points as usize];
        let mut ids = rest.iter().skip(cells + 1).take(points as usize);
        let once = ids.all(|id| match seen.get_mut(*id as usize) {
            Some(seen) => !std::mem::replace(seen, true),
            None => false,
        });
        if !(fits && once) {
            return Err(bad());
        }
        let mut memory = header(Memory::default(), self.dims, points as usize, groups);
        memory.words().copy_from_slice(&given);
        let stream = current_stream(self.storage.device())?;
        self.storage.replace(memory, stream)
    }

    /// Refuses what [`HashGrid::build`] would refuse; the reciprocal of the width, as the type of positions rounds it.
    ///
    /// # Errors
    /// Those of [`HashGrid::build`].
    pub fn check(&self, points: usize, width: f64) -> Result<f64> {
        if points >= i32::MAX as usize {
            let what = format!("{points} points are too many for a hash grid");
            return Err(Error::new(Code::Value, what));
        }
        let rounded = self.scalar.round(width);
        let per_width = match self.scalar {
            Scalar::F64 => 1.0 / rounded,
            _ => f64::from(1.0 / rounded as f32),
        };
        if rounded > 0.0 && rounded.is_finite() && per_width.is_finite() && per_width > 0.0 {
            return Ok(per_width);
        }
        let what = format!("the radius is {width}, the width of a cell is a positive number");
        Err(Error::new(Code::Value, what))
    }

    /// Makes room for so many points, so that the next build takes no memory from the system.
    pub fn reserve(&self, points: usize, groups: bool) {
        let words = words(self.dims, points, groups);
        self.storage.keep(self.storage.spare().again(words));
    }

    /// Where it lies.
    pub fn device(&self) -> Device {
        self.storage.device()
    }

    /// Sorts points into cells of a width. A GPU has them in the order of a stream; on the host, launches that run meanwhile see the grid as it was.
    ///
    /// # Errors
    /// [`Code::Value`] if the width is not a positive number, or there are 2^31 points or more; what the device says.
    ///
    /// # Safety
    /// There are as many points and groups as `points` says, of the type of this grid, and nothing writes them meanwhile.
    pub unsafe fn build(&self, points: &Points, width: f64, stream: Stream) -> Result<()> {
        let per_width = self.check(points.count, width)?;
        let groups = points.groups.is_some();
        let mut memory = header(self.storage.spare(), self.dims, points.count, groups);
        match self.scalar {
            Scalar::F64 => {
                let [low, high] = split(per_width.to_bits());
                memory.words()[PER_WIDTH..PER_WIDTH + 2].copy_from_slice(&[low, high]);
            }
            _ => memory.words()[PER_WIDTH] = (per_width as f32).to_bits(),
        }
        // SAFETY: the caller's promise.
        unsafe { self.sort(memory.words(), points, per_width) };
        self.storage.replace(memory, stream)
    }

    /// # Safety
    /// As [`HashGrid::build`].
    unsafe fn sort(&self, words: &mut [u32], points: &Points, per_width: f64) {
        let count = points.count;
        let cells = cells(self.dims);
        let mut cell_of = vec![0u32; count];
        let (starts, rest) = words[HEADER..].split_at_mut(cells + 1);
        let (ids, groups) = rest.split_at_mut(count);
        // How many points each cell has, in the place behind its own.
        let counts = starts.as_mut_ptr().cast::<AtomicU32>();
        // SAFETY: words may be atomic ones for as long as nobody else has them.
        let counts = unsafe { std::slice::from_raw_parts(counts, cells + 1) };
        let out = Place::<u32>::new(cell_of.as_mut_ptr().cast());
        each(count.div_ceil(PART), 4 * count, |part| {
            for i in part * PART..count.min((part + 1) * PART) {
                // SAFETY: the caller's promise; each task has its own points.
                unsafe {
                    let cell = self.cell(points.positions, i, per_width);
                    out.put(i, cell);
                    counts[cell as usize + 1].fetch_add(1, Relaxed);
                }
            }
        });
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        // Each task sorts the points of some cells, in their order: the result is the same for any number of tasks.
        let parts = pool::threads().min(count / PART + 1);
        let bounds = even_parts(starts, parts);
        let (starts, cell_of) = (&*starts, &cell_of[..]);
        let ids = Place::<u32>::new(ids.as_mut_ptr().cast());
        let groups = Place::<i32>::new(groups.as_mut_ptr().cast());
        each(parts, count * parts, |part| {
            let (first, last) = (bounds[part], bounds[part + 1]);
            let mut next = starts[first..last].to_vec();
            for (i, cell) in cell_of.iter().enumerate() {
                if let Some(at) = (*cell as usize).checked_sub(first)
                    && let Some(place) = next.get_mut(at)
                {
                    // SAFETY: a place among those of the cells of this task.
                    unsafe { ids.put(*place as usize, i as u32) };
                    *place += 1;
                }
            }
            let Some(of) = points
                .groups
                .map(|of| Place::<i32>::new(of.cast_mut().cast()))
            else {
                return;
            };
            for cell in first..last {
                let (begin, end) = (starts[cell] as usize, starts[cell + 1] as usize);
                // SAFETY: the places of a cell of this task; the caller's promise for the groups.
                unsafe {
                    let own =
                        std::slice::from_raw_parts_mut(ids.from(begin).address(), end - begin);
                    own.sort_by_key(|i| of.get(*i as usize));
                    for (k, i) in own.iter().enumerate() {
                        groups.put(begin + k, of.get(*i as usize));
                    }
                }
            }
        });
    }

    /// The cell of a point.
    ///
    /// # Safety
    /// There is such a point.
    #[inline]
    unsafe fn cell(&self, positions: *const u8, i: usize, per_width: f64) -> u32 {
        let at = positions
            .wrapping_add(3 * i * self.scalar.size())
            .cast_mut();
        let mut cell = 0;
        for d in (0..3).rev() {
            // SAFETY: the caller's promise.
            let scaled = unsafe {
                match self.scalar {
                    Scalar::F64 => Place::<f64>::new(at).get(d) * per_width,
                    Scalar::F16 => {
                        let x = Place::<half::f16>::new(at).get(d).to_f32();
                        f64::from(x * per_width as f32)
                    }
                    _ => f64::from(Place::<f32>::new(at).get(d) * per_width as f32),
                }
            };
            let dim = self.dims[d];
            cell = cell * dim as u32 + whole(scaled).rem_euclid(dim) as u32;
        }
        cell
    }
}

/// The largest integer that is not larger, within bounds; 0 for NaN.
#[inline]
fn whole(x: f64) -> i32 {
    // A cast saturates, and makes 0 of NaN; the processor may have no instruction for `floor`.
    let near = x.clamp(-FARTHEST, FARTHEST);
    let towards_zero = near as i32;
    towards_zero - i32::from(f64::from(towards_zero) > near)
}

/// Bounds of so many ranges of cells with about as many points each.
fn even_parts(starts: &[u32], parts: usize) -> Vec<usize> {
    let (cells, count) = (starts.len() - 1, starts[starts.len() - 1] as usize);
    let bound = |part: usize| {
        let before = (count * part / parts) as u32;
        starts.partition_point(|start| *start < before).min(cells)
    };
    let mut bounds: Vec<usize> = (0..parts).map(bound).collect();
    bounds[0] = 0;
    bounds.push(cells);
    bounds
}

fn cells(dims: [i32; 3]) -> usize {
    dims.iter().map(|dim| *dim as usize).product()
}

/// Words of a grid in memory.
fn words(dims: [i32; 3], points: usize, groups: bool) -> usize {
    HEADER + cells(dims) + 1 + points * if groups { 2 } else { 1 }
}

/// Memory of a grid whose points are not sorted yet.
fn header(memory: Memory, dims: [i32; 3], points: usize, groups: bool) -> Memory {
    let mut memory = memory.again(words(dims, points, groups));
    let words = memory.words();
    words[..3].copy_from_slice(&dims.map(|dim| dim as u32));
    words[3] = points as u32;
    words[4] = groups.into();
    let first = HEADER + cells(dims) + 1;
    memory.order = first..first + points;
    memory
}

const fn split(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}
