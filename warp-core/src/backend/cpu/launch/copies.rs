//! Copies of arrays that a launch only adds to: each turn of the pool adds to its own, without atomic operations, and what the copies
//! hold is added up when all are done (privatization of reductions): by plain operations, unless another launch may change
//! the array at that time. An atomic add to memory takes a processor some twenty
//! cycles, and its result the time from one core to the next.

use super::sum::add;
use crate::abi::{Change, ChangedArrays, Passed, Strided, array, flag};
use crate::backend::cpu::pool;
use crate::dtype::Scalar;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// The most bytes of all copies of a launch.
const MOST: usize = 256 << 20;
/// What a copy is aligned to; a copy lies within such a line as its array does.
const LINE: usize = 64;
/// Bytes of an array that a thread adds up at once.
const PIECE: usize = 1 << 16;

/// Copies of one launch.
pub struct Copies {
    args: *const u8,
    /// Words of the argument block.
    words: usize,
    chosen: Vec<Chosen>,
    /// The bits of all of them.
    flags: u32,
    /// By number of the turn: what it has, or that there was no memory for it. A turn that comes late has nothing.
    turns: Vec<OnceLock<Option<Own>>>,
}

/// An array that is copied.
struct Chosen {
    /// Where it lies in the argument block.
    offset: usize,
    scalar: Scalar,
    data: NonNull<u8>,
    bytes: usize,
}

/// What one turn has.
struct Own {
    block: Vec<u64>,
    /// By array.
    memory: Vec<Zeroed>,
}

// SAFETY: the argument block is only read, and the arrays are written by `add_up` alone, atomically.
unsafe impl Sync for Copies {}

impl Copies {
    /// Copies for a launch of `n` threads in so many turns, if any array is worth it.
    ///
    /// # Safety
    /// `args` is an argument block of the kernel that `changed` is of, and its arrays are alive as long as this value.
    pub unsafe fn new(
        changed: &ChangedArrays,
        args: *const u8,
        n: i64,
        turns: i64,
    ) -> Option<Copies> {
        let summed = |passed: &Passed| match passed.change {
            Some(Change::Summed(summed)) => Some(summed),
            _ => None,
        };
        if !changed.arrays.iter().any(|passed| summed(passed).is_some()) {
            return None;
        }
        // SAFETY: the caller's promise.
        let passed = |passed: &Passed| unsafe { passed.of(args) };
        let arrays: Vec<Strided> = changed.arrays.iter().map(passed).collect();
        let ranges: Vec<Range<usize>> = arrays.iter().map(Strided::bytes).collect();
        let mut room = MOST / turns as usize;
        let (mut chosen, mut flags) = (Vec::new(), 0);
        for (k, passed) in changed.arrays.iter().enumerate() {
            let Some(summed) = summed(passed) else {
                continue;
            };
            let (range, size) = (&ranges[k], summed.scalar.size());
            let adds = u128::from(summed.adds) * n as u128;
            let meets = |(other, r): (usize, &Range<usize>)| {
                other != k && r.start < range.end && range.start < r.end
            };
            if range.is_empty()
                || range.len() > room
                || !range.start.is_multiple_of(size)
                || !arrays[k].is_contiguous()
                || !pays(adds, range.len() / size, turns)
                || ranges.iter().enumerate().any(meets)
            {
                continue;
            }
            room -= range.len();
            flags |= flag::COPY << summed.bit;
            chosen.push(Chosen {
                offset: passed.offset as usize,
                scalar: summed.scalar,
                data: NonNull::new(arrays[k].array.data)?,
                bytes: range.len(),
            });
        }
        (!chosen.is_empty()).then(|| Copies {
            args,
            words: changed.block as usize / 8,
            chosen,
            flags,
            turns: (0..turns).map(|_| OnceLock::new()).collect(),
        })
    }

    /// The argument block and the flags of a turn; None where there was no memory.
    pub fn of(&self, turn: i64) -> Option<(*const u8, u32)> {
        let own = self.turns[turn as usize].get_or_init(|| self.make());
        (own.as_ref()).map(|own| (own.block.as_ptr().cast(), self.flags))
    }

    fn make(&self) -> Option<Own> {
        // SAFETY: the block has so many words, as `new` was promised.
        let mut block =
            unsafe { std::slice::from_raw_parts(self.args.cast::<u64>(), self.words) }.to_vec();
        let mut memory = Vec::with_capacity(self.chosen.len());
        for c in &self.chosen {
            let zeroed = Zeroed::new(c.bytes, c.data.as_ptr() as usize % LINE)?;
            block[(c.offset + array::DATA) / 8] = zeroed.data() as u64;
            memory.push(zeroed);
        }
        Some(Own { block, memory })
    }

    /// Adds all copies to the arrays: by plain operations if it has them `alone`. False: this is a child that was forked meanwhile.
    ///
    /// # Safety
    /// If it is said to be alone, nobody else changes what was added to.
    pub unsafe fn add_up(&self, alone: bool) -> bool {
        let owns: Vec<&Own> = (self.turns.iter())
            .filter_map(|turn| turn.get()?.as_ref())
            .collect();
        let pieces: Vec<(usize, Range<usize>)> = (self.chosen.iter().enumerate())
            .flat_map(|(k, c)| {
                let starts = (0..c.bytes).step_by(PIECE);
                starts.map(move |at| (k, at..(at + PIECE).min(c.bytes)))
            })
            .collect();
        let work = |_: usize, begin: i64, end: i64| {
            for (k, range) in &pieces[begin as usize..end as usize] {
                let c = &self.chosen[*k];
                // SAFETY: the range lies within the array and within each of its copies; and the caller's promise.
                unsafe {
                    let copies: Vec<*const u8> = (owns.iter())
                        .map(|own| own.memory[*k].data().add(range.start).cast_const())
                        .collect();
                    let to = c.data.as_ptr().add(range.start);
                    add(c.scalar, to, &copies, range.len(), alone);
                }
            }
        };
        pool::run(pieces.len() as i64, 1, &|| (), &work)
    }
}

/// Whether copies are faster for so many adds to an array of `count` numbers: they are made and read as often as there are turns,
/// and what was added is added once more. In nanoseconds of a processor, an atomic add takes 6 more than a plain one, and for each
/// number two turns take 2; the adds are an estimate.
fn pays(adds: u128, count: usize, turns: i64) -> bool {
    10 * adds >= count as u128 * (2 + turns as u128)
}

/// Memory of zeros.
struct Zeroed {
    base: NonNull<u8>,
    layout: Layout,
    within: usize,
}

// SAFETY: it is memory.
unsafe impl Send for Zeroed {}
// SAFETY: as above; who writes it is the launch's affair.
unsafe impl Sync for Zeroed {}

impl Zeroed {
    /// So many bytes that begin `within` bytes after a line does; None if there is no memory.
    fn new(bytes: usize, within: usize) -> Option<Zeroed> {
        let layout = Layout::from_size_align(bytes + within, LINE).ok()?;
        // SAFETY: it has a size.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Zeroed {
            base,
            layout,
            within,
        })
    }

    fn data(&self) -> *mut u8 {
        // SAFETY: it is as long as that.
        unsafe { self.base.as_ptr().add(self.within) }
    }
}

impl Drop for Zeroed {
    fn drop(&mut self) {
        // SAFETY: made of this layout.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{ArrayArg, Summed};

    /// Launch dimensions and two arrays.
    #[repr(C)]
    struct Block([u64; 2], [ArrayArg; 2]);

    fn changed_arrays() -> ChangedArrays {
        let passed = |k: u32, change| Passed {
            offset: 16 + k * array::SIZE as u32,
            ndim: 1,
            size: 4,
            change,
        };
        let summed = Summed {
            bit: 0,
            scalar: Scalar::F32,
            adds: 2,
        };
        ChangedArrays {
            block: size_of::<Block>() as u32,
            arrays: vec![passed(0, None), passed(1, Some(Change::Summed(summed)))],
        }
    }

    fn arg(data: &[f32], stride: i64) -> ArrayArg {
        let mut arg = ArrayArg {
            data: data.as_ptr().cast_mut().cast(),
            ..ArrayArg::MISSING
        };
        (arg.shape[0], arg.strides[0]) = (data.len() as i32 / (stride as i32 / 4), stride);
        arg
    }

    fn made(block: &Block, n: i64) -> Option<Copies> {
        // SAFETY: the block is what `changed_arrays` says.
        unsafe { Copies::new(&changed_arrays(), std::ptr::from_ref(block).cast(), n, 2) }
    }

    #[test]
    fn turns_add_to_their_own_and_all_is_added_up() {
        let (read, total) = (vec![0.0f32; 100], vec![1.0f32; 50_001]);
        let block = Block([0; 2], [arg(&read, 4), arg(&total[1..], 4)]);
        let copies = made(&block, 1 << 20).expect("worth it");
        for turn in 0..2 {
            let (args, flags) = copies.of(turn).expect("there is memory");
            assert_eq!(flags, flag::COPY);
            // SAFETY: a block like the one that was given.
            let own = unsafe { &*args.cast::<Block>() };
            assert_eq!(own.1[0], block.1[0]);
            assert_ne!(own.1[1].data, block.1[1].data);
            for k in (turn as usize..50_000).step_by(7) {
                // SAFETY: the copy is as long as the array.
                unsafe { *own.1[1].data.cast::<f32>().add(k) += k as f32 };
            }
        }
        for (times, alone) in [(1, false), (2, true)] {
            // SAFETY: nobody else knows the array.
            assert!(unsafe { copies.add_up(alone) });
            assert_eq!(total[0], 1.0, "before the array");
            for (k, sum) in total[1..].iter().enumerate() {
                let added = usize::from(k % 7 == 0) + usize::from(k % 7 == 1);
                assert_eq!(*sum, (1 + times * added * k) as f32, "{k}");
            }
        }
    }

    #[test]
    fn what_others_reach_is_not_copied() {
        let total = vec![0.0f32; 100];
        let apart = vec![0.0f32; 100];
        let fine = Block([0; 2], [arg(&apart, 4), arg(&total, 4)]);
        assert!(made(&fine, 1000).is_some());
        assert!(made(&fine, 19).is_none(), "few adds");
        let same = Block([0; 2], [arg(&total[40..50], 4), arg(&total, 4)]);
        assert!(made(&same, 1000).is_none(), "another array is within");
        let strided = Block([0; 2], [arg(&apart, 4), arg(&total, 8)]);
        assert!(made(&strided, 1000).is_none(), "gaps");
        let missing = Block([0; 2], [arg(&apart, 4), ArrayArg::MISSING]);
        assert!(made(&missing, 1000).is_none(), "no array");
    }
}
