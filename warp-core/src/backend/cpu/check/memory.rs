//! Copies of the arrays of a launch.

use super::twin::Twin;
use crate::abi::{ArrayArg, Strided};
use crate::dtype::Scalar;
use crate::interp::Num;
use crate::ir::num::of_bits;
use crate::ir::{ParamId, ParamType};
use crate::ty::Elem;
use std::ops::Range;

/// The arrays of a launch, copied, and an argument block that names the copies.
#[derive(Clone)]
pub struct Snapshot {
    /// The bytes that arrays lie in, without gaps; no two overlap.
    regions: Vec<Region>,
    /// The arrays that are there.
    pub arrays: Vec<Copied>,
    block: Vec<u64>,
}

struct Region {
    /// Where it was.
    at: Range<usize>,
    /// The content, after a few words so that it is aligned as it was.
    words: Vec<u64>,
}

/// Words by which a copy may be moved, so that what was aligned to 64 bytes is.
const SLACK: usize = 8;

impl Clone for Region {
    fn clone(&self) -> Region {
        // SAFETY: the copy is alive.
        unsafe { Region::new(self.at.clone(), self.data()) }
    }
}

impl Region {
    /// A copy of the bytes `from` an address, of what was at another one.
    ///
    /// # Safety
    /// So many bytes may be read there.
    unsafe fn new(at: Range<usize>, from: *const u8) -> Region {
        let words = vec![0; at.len().div_ceil(8) + SLACK];
        let region = Region { at, words };
        // SAFETY: the caller's promise; the words have room for them where `data` says.
        unsafe { std::ptr::copy_nonoverlapping(from, region.data(), region.at.len()) };
        region
    }

    fn data(&self) -> *mut u8 {
        let start = self.words.as_ptr() as usize;
        let moved = self.at.start.wrapping_sub(start) % (8 * SLACK);
        (start + moved) as *mut u8
    }
}

/// An array of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    pub id: ParamId,
    pub elem: Elem,
    /// Where the argument lies in the block.
    offset: usize,
    /// As it is in the program.
    pub given: Strided,
    /// Which region it lies in.
    pub region: usize,
}

impl Snapshot {
    /// Copies the arrays of a launch; none if there are ones that no argument names, or more than so many bytes.
    ///
    /// # Safety
    /// The argument block is the one that the kernel expects, its arrays are alive and as large as it says.
    pub unsafe fn new(twin: &Twin, args: *const u8, most: usize) -> Option<Snapshot> {
        let func = &twin.func;
        let reached = |ty: ParamType| matches!(ty, ParamType::PointerBased { .. });
        if func.params.iter().any(|p| reached(p.ty)) {
            return None;
        }
        let mut arrays = Vec::new();
        let mut ranges = Vec::new();
        let params = func.arguments().iter().enumerate();
        for ((k, param), offset) in params.zip(&twin.layout.offsets) {
            let ParamType::Array { elem, ndim } = param.ty else {
                continue;
            };
            // SAFETY: the caller's promise.
            let array = unsafe { args.add(*offset).cast::<ArrayArg>().read() };
            let given = Strided {
                array,
                ndim: ndim.into(),
                size: elem.size(),
            };
            if array.data.is_null() || given.is_empty() {
                continue;
            }
            ranges.push(span(&given));
            arrays.push(Copied {
                id: ParamId(k as u32),
                elem,
                offset: *offset,
                given,
                region: 0,
            });
        }
        let merged = merge(ranges.clone());
        if merged.iter().map(|r| r.len()).sum::<usize>() > most {
            return None;
        }
        for (array, range) in arrays.iter_mut().zip(&ranges) {
            array.region = merged.iter().position(|r| r.contains(&range.start))?;
        }
        // SAFETY: arrays are alive.
        let copied = |at: Range<usize>| unsafe { Region::new(at.clone(), at.start as *const u8) };
        let regions = merged.into_iter().map(copied);
        let mut block = vec![0; twin.layout.size / 8];
        // SAFETY: the caller's promise.
        unsafe {
            let to = block.as_mut_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping(args, to, twin.layout.size);
        }
        Some(Snapshot {
            regions: regions.collect(),
            arrays,
            block,
        })
    }

    /// The arguments of the launch, with copies in the place of arrays.
    pub fn block(&mut self) -> *const u8 {
        for k in 0..self.arrays.len() {
            let (array, at) = (&self.arrays[k], self.arrays[k].offset / 8);
            self.block[at] = self.copy_of(array) as u64;
        }
        self.block.as_ptr().cast()
    }

    /// Where the copy of an array begins.
    fn copy_of(&self, array: &Copied) -> *mut u8 {
        let region = &self.regions[array.region];
        let behind = array.given.array.data as usize - region.at.start;
        region.data().wrapping_add(behind)
    }

    /// The components of a value that is passed.
    pub fn value(&self, twin: &Twin, param: usize, elem: Elem) -> Vec<Num> {
        let (at, size) = (twin.layout.offsets[param], elem.scalar().size());
        let at = self.block.as_ptr().cast::<u8>().wrapping_add(at);
        // SAFETY: the block holds the values of the kernel's parameters.
        let read = |k| unsafe { read(at.wrapping_add(k * size), elem.scalar()) };
        (0..elem.count()).map(read).collect()
    }

    /// All numbers of an array, row-major.
    pub fn numbers(&self, array: &Copied) -> Vec<Num> {
        let (start, scalar) = (self.copy_of(array), array.elem.scalar());
        let mut all = Vec::with_capacity(array.given.len() * array.elem.count());
        for at in offsets(&array.given) {
            for comp in 0..array.elem.count() {
                let at = start.wrapping_offset(at).wrapping_add(comp * scalar.size());
                // SAFETY: the copy holds all elements of the array.
                all.push(unsafe { read(at, scalar) });
            }
        }
        all
    }

    /// Whether two arrays share memory without being the same.
    pub fn overlaps(&self) -> bool {
        self.arrays.iter().enumerate().any(|(k, a)| {
            let mut others = self.arrays[..k].iter();
            others.any(|b| a.region == b.region && a.given != b.given)
        })
    }
}

/// Bytes from the first element of an array to each one, row-major.
pub fn offsets(array: &Strided) -> Vec<isize> {
    let mut all = vec![0isize];
    for (n, stride) in array.shape().iter().zip(array.strides()) {
        let row: Vec<isize> = (0..*n).map(|i| i as isize * *stride as isize).collect();
        all = all
            .iter()
            .flat_map(|at| row.iter().map(move |i| at + i))
            .collect();
    }
    all
}

/// The bytes between the first and the last one of an array.
fn span(array: &Strided) -> Range<usize> {
    let (mut low, mut high) = (array.array.data as isize, array.array.data as isize);
    for (n, stride) in array.shape().iter().zip(array.strides()) {
        let reach = (*n as isize - 1) * *stride as isize;
        match reach < 0 {
            true => low += reach,
            false => high += reach,
        }
    }
    low as usize..high as usize + array.size
}

fn merge(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|r| r.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// # Safety
/// A number of this type lies there.
unsafe fn read(at: *const u8, ty: Scalar) -> Num {
    let mut bits = [0; 8];
    // SAFETY: the caller's promise; no scalar has more bytes.
    unsafe { std::ptr::copy_nonoverlapping(at, bits.as_mut_ptr(), ty.size()) };
    of_bits(u64::from_le_bytes(bits), ty)
}
