//! Private copies of arrays that a launch only adds to (privatisation of reductions): each task of the pool adds to its own, without
//! atomic operations, and the copies are merged when all are done: by non-atomic operations, unless another launch may update
//! the array at that time. If none may do so from the beginning on, the caller's own task adds to the array itself.
//! A launch that is short enough for one thread needs no copies, and adds to the arrays themselves ([`in_place`]).
//! An atomic add to memory takes a processor some twenty cycles, and its result the time from one core to the next.

use super::sum::add;
use crate::abi::{Change, ChangedArrays, Passed, Strided, Summed, array, flag};
use crate::backend::cpu::pool;
use crate::dtype::Scalar;
use smallvec::SmallVec;
use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// The most bytes of all copies of a launch.
const MOST: usize = 256 << 20;
/// What a copy is aligned to; a copy lies within such a line as its array does.
const LINE: usize = 64;
/// Bytes of an array that a thread adds up at once.
const PIECE: usize = 1 << 16;

/// The private copies of one launch.
pub struct PrivateCopies {
    args: *const u8,
    /// Words of the argument block.
    words: usize,
    chosen: Vec<Chosen>,
    /// The bits of all of them.
    flags: u32,
    /// Whether the caller's task works on the arrays themselves.
    in_place: bool,
    /// By number of the task. One that comes late, or is the caller's, may not need its copy.
    tasks: Vec<Own>,
}

/// An array that is copied.
struct Chosen {
    /// The bit that says that it is copied.
    flag: u32,
    /// How many adds to it are expected.
    adds: u128,
    /// Where it lies in the argument block.
    offset: usize,
    scalar: Scalar,
    data: NonNull<u8>,
    bytes: usize,
}

/// The private copies of one task.
struct Own {
    /// By array.
    memory: Vec<Memory>,
    /// The argument block, once the copies are zero.
    block: OnceLock<Vec<u64>>,
}

// SAFETY: the argument block is only read. `add_up` alone writes the arrays, by plain operations only if nobody else changes them.
unsafe impl Sync for PrivateCopies {}

impl PrivateCopies {
    /// Private copies for a launch of `n` threads in so many tasks, if any array is worth it. `alone` tells whether the launch has
    /// exclusive locks on its arrays until it ends.
    ///
    /// # Safety
    /// `args` is an argument block of the kernel that `changed` is of, and its arrays are alive as long as this value. Where
    /// `alone` says so, nothing else changes them.
    pub unsafe fn new(
        changed: &ChangedArrays,
        args: *const u8,
        n: i64,
        tasks: i64,
        alone: impl FnOnce() -> bool,
    ) -> Option<PrivateCopies> {
        if !changed.arrays.iter().any(|passed| summed(passed).is_some()) {
            return None;
        }
        // SAFETY: the caller's promise.
        let arrays = unsafe { Arrays::new(changed, args) };
        let mut room = MOST / tasks as usize;
        let mut chosen = Vec::new();
        for (k, passed) in changed.arrays.iter().enumerate() {
            let Some(summed) = summed(passed) else {
                continue;
            };
            let (range, size) = (&arrays.ranges[k], summed.scalar.size());
            let adds = u128::from(summed.adds) * n as u128;
            if !arrays.is_apart(k, size)
                || range.len() > room
                || !pays(adds, range.len() / size, tasks - 1)
            {
                continue;
            }
            room -= range.len();
            chosen.push(Chosen {
                flag: flag::COPY << summed.bit,
                adds,
                offset: passed.offset as usize,
                scalar: summed.scalar,
                data: NonNull::new(arrays.all[k].array.data)?,
                bytes: range.len(),
            });
        }
        let in_place = !chosen.is_empty() && alone();
        if !in_place {
            chosen.retain(|c| pays(c.adds, c.bytes / c.scalar.size(), tasks));
        }
        if chosen.is_empty() {
            return None;
        }
        let own = |_| {
            let memory: Option<_> = chosen.iter().map(Memory::for_copy).collect();
            Some(Own {
                memory: memory?,
                block: OnceLock::new(),
            })
        };
        let tasks: Option<Vec<Own>> = (0..tasks).map(own).collect();
        Some(PrivateCopies {
            args,
            words: changed.block as usize / 8,
            flags: chosen.iter().fold(0, |flags, c| flags | c.flag),
            in_place,
            tasks: tasks?,
            chosen,
        })
    }

    /// The argument block and the flags of a task that a worker runs. Worker 0 is the caller: the handler of a signal that
    /// interrupts it may add to the arrays, too.
    pub fn of(&self, task: i64, worker: usize) -> (*const u8, u32) {
        if self.in_place && worker == 0 {
            return (self.args, self.flags);
        }
        let own = &self.tasks[task as usize];
        let block = own.block.get_or_init(|| self.make(&own.memory));
        (block.as_ptr().cast(), self.flags)
    }

    fn make(&self, memory: &[Memory]) -> Vec<u64> {
        // SAFETY: the block has so many words, as `new` was promised.
        let mut block =
            unsafe { std::slice::from_raw_parts(self.args.cast::<u64>(), self.words) }.to_vec();
        for (c, memory) in self.chosen.iter().zip(memory) {
            // SAFETY: it is as long as that, and nobody has it yet.
            unsafe { memory.data().write_bytes(0, c.bytes) };
            block[(c.offset + array::DATA) / 8] = memory.data() as u64;
        }
        block
    }

    /// Merges all copies into the arrays: by non-atomic operations if it has them `alone`. False: this is a child that was forked meanwhile.
    ///
    /// # Safety
    /// If it is said to be alone, nothing else changes what was added to.
    pub unsafe fn add_up(&self, alone: bool) -> bool {
        let worked = |own: &&Own| own.block.get().is_some();
        let owns: Vec<&Own> = self.tasks.iter().filter(worked).collect();
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

/// The flags by which the only thread of a launch adds without atomic operations to the arrays themselves; none unless the launch is
/// `alone`.
///
/// # Safety
/// As [`PrivateCopies::new`].
pub unsafe fn in_place(
    changed: &ChangedArrays,
    args: *const u8,
    alone: impl FnOnce() -> bool,
) -> u32 {
    if !changed.arrays.iter().any(|passed| summed(passed).is_some()) {
        return 0;
    }
    // SAFETY: the caller's promise.
    let arrays = unsafe { Arrays::new(changed, args) };
    let each = changed.arrays.iter().enumerate();
    let flags = each.fold(0, |flags, (k, passed)| match summed(passed) {
        Some(summed) if arrays.is_apart(k, summed.scalar.size()) => {
            flags | flag::COPY << summed.bit
        }
        _ => flags,
    });
    match flags != 0 && alone() {
        true => flags,
        false => 0,
    }
}

fn summed(passed: &Passed) -> Option<Summed> {
    match passed.change {
        Some(Change::Summed(summed)) => Some(summed),
        _ => None,
    }
}

/// The arrays of a launch, in the order of [`ChangedArrays::arrays`].
struct Arrays {
    all: SmallVec<[Strided; 8]>,
    ranges: SmallVec<[Range<usize>; 8]>,
}

impl Arrays {
    /// # Safety
    /// `args` is an argument block of the kernel that `changed` is of.
    unsafe fn new(changed: &ChangedArrays, args: *const u8) -> Arrays {
        // SAFETY: the caller's promise.
        let passed = |passed: &Passed| unsafe { passed.of(args) };
        let all: SmallVec<[Strided; 8]> = changed.arrays.iter().map(passed).collect();
        let ranges = all.iter().map(Strided::bytes).collect();
        Arrays { all, ranges }
    }

    /// Whether an array has numbers of such a size side by side in memory that no other array shares.
    fn is_apart(&self, k: usize, size: usize) -> bool {
        let range = &self.ranges[k];
        let meets = |(other, r): (usize, &Range<usize>)| {
            other != k && r.start < range.end && range.start < r.end
        };
        !range.is_empty()
            && range.start.is_multiple_of(size)
            && self.all[k].is_contiguous()
            && !self.ranges.iter().enumerate().any(meets)
    }
}

/// Whether so many copies are faster for so many adds to an array of `count` numbers: each is made and read, and what was added is
/// added once more. In nanoseconds of a processor, an atomic add takes 6 more than a plain one, and for each
/// number two copies take 2; the adds are an estimate.
fn pays(adds: u128, count: usize, copies: i64) -> bool {
    copies == 0 || 10 * adds >= count as u128 * (2 + copies as u128)
}

/// Memory of a copy.
struct Memory {
    base: NonNull<u8>,
    layout: Layout,
    within: usize,
}

// SAFETY: it is memory.
unsafe impl Send for Memory {}
// SAFETY: as above; who writes it is the launch's affair.
unsafe impl Sync for Memory {}

impl Memory {
    /// As many bytes as the array has, which begin where it does within a line; None if there is no memory.
    fn for_copy(of: &Chosen) -> Option<Memory> {
        let within = of.data.as_ptr() as usize % LINE;
        let layout = Layout::from_size_align(of.bytes + within, LINE).ok()?;
        // SAFETY: it has a size.
        let base = NonNull::new(unsafe { alloc(layout) })?;
        Some(Memory {
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

impl Drop for Memory {
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

    fn made(block: &Block, n: i64) -> Option<PrivateCopies> {
        // SAFETY: the block is what `changed_arrays` says.
        unsafe {
            PrivateCopies::new(
                &changed_arrays(),
                std::ptr::from_ref(block).cast(),
                n,
                2,
                || false,
            )
        }
    }

    #[test]
    fn tasks_add_to_their_own_and_all_is_added_up() {
        let (read, total) = (vec![0.0f32; 100], vec![1.0f32; 50_001]);
        let block = Block([0; 2], [arg(&read, 4), arg(&total[1..], 4)]);
        let copies = made(&block, 1 << 20).expect("worth it");
        for task in 0..2 {
            let (args, flags) = copies.of(task, 1);
            assert_eq!(flags, flag::COPY);
            // SAFETY: a block like the one that was given.
            let own = unsafe { &*args.cast::<Block>() };
            assert_eq!(own.1[0], block.1[0]);
            assert_ne!(own.1[1].data, block.1[1].data);
            for k in (task as usize..50_000).step_by(7) {
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
    fn the_caller_needs_no_copy_where_nobody_else_is() {
        let (read, mut total) = (vec![0.0f32; 100], vec![1.0f32; 1000]);
        let block = Block([0; 2], [arg(&read, 4), arg(&total, 4)]);
        let args: *const u8 = std::ptr::from_ref(&block).cast();
        // SAFETY: the block is what `changed_arrays` says.
        let copies =
            |tasks| unsafe { PrivateCopies::new(&changed_arrays(), args, 150, tasks, || true) };
        let two = copies(2).expect("worth it");
        let data = [0, 1].map(|task| {
            let (args, flags) = two.of(task, task as usize);
            assert_eq!(flags, flag::COPY);
            // SAFETY: a block like the one that was given.
            unsafe { (*args.cast::<Block>()).1[1].data.cast::<f32>() }
        });
        assert_eq!(data[0], total.as_mut_ptr());
        for at in data {
            // SAFETY: the array and its copy have so many numbers.
            unsafe { *at.add(7) += 2.0 };
        }
        // SAFETY: nobody else knows the array.
        assert!(unsafe { two.add_up(true) });
        assert_eq!((total[6], total[7]), (1.0, 5.0));
        assert!(copies(3).is_none() && copies(1).is_some());
        assert!(made(&block, 150).is_none(), "two copies are not worth it");
    }

    #[test]
    fn one_thread_adds_in_place_where_nobody_else_is() {
        let (read, total) = (vec![0.0f32; 100], vec![1.0f32; 100]);
        let flags = |second, alone: bool| {
            let block = Block([0; 2], [arg(&read, 4), second]);
            // SAFETY: the block is what `changed_arrays` says.
            unsafe {
                in_place(&changed_arrays(), std::ptr::from_ref(&block).cast(), || {
                    alone
                })
            }
        };
        assert_eq!(flags(arg(&total, 4), true), flag::COPY);
        assert_eq!(flags(arg(&total, 4), false), 0, "another launch adds to it");
        assert_eq!(flags(arg(&read[50..], 4), true), 0, "what is read, too");
        assert_eq!(flags(arg(&total, 8), true), 0, "elements lie apart");
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
