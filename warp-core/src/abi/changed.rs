//! Which arrays a kernel changes by atomic operations, and how.

use super::array::{ArrayArg, Strided};
use crate::dtype::Scalar;

/// What a launch has to know of a kernel that changes arrays by atomic operations: to give tasks private copies of arrays, and to keep
/// other launches away from memory with non-atomic updates.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChangedArrays {
    /// Bytes of the argument block.
    pub block: u32,
    /// All arrays that are passed, if any is changed so: a copy may stand for memory only that no other array reaches.
    pub arrays: Vec<Passed>,
}

/// An array that is passed to a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Passed {
    /// Where it lies in the argument block.
    pub offset: u32,
    /// Its number of dimensions.
    pub ndim: u8,
    /// Bytes of an element.
    pub size: u32,
    /// How it is changed by atomic operations, if it is.
    pub change: Option<Change>,
}

impl Passed {
    /// The array in an argument block.
    ///
    /// # Safety
    /// The block is one of the kernel's.
    pub unsafe fn of(&self, args: *const u8) -> Strided {
        Strided {
            // SAFETY: the caller's promise.
            array: unsafe { args.add(self.offset as usize).cast::<ArrayArg>().read() },
            ndim: self.ndim.into(),
            size: self.size as usize,
        }
    }
}

/// How a kernel's atomic operations change an array.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Change {
    /// They may be plain ones: each thread has elements of its own.
    NonAtomic,
    /// In memory.
    InMemory,
    /// In memory, or by plain additions in a copy.
    Summed(Summed),
}

/// An array that may be added to in a copy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summed {
    /// Its bit in the flags, counted from [`super::flag::COPY`].
    pub bit: u8,
    /// What its elements consist of.
    pub scalar: Scalar,
    /// How many numbers each thread of the kernel adds, by an estimate.
    pub adds: u32,
}
