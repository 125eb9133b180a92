//! Which arrays threads may add to in copies of their own.

use crate::dtype::Scalar;

/// What a launch has to know to give threads copies of arrays.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SummedArrays {
    /// Bytes of the argument block.
    pub block: u32,
    /// All arrays that are passed, if any may be copied: a copy may stand for memory only that no other array reaches.
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
    /// How it may be added to in a copy.
    pub summed: Option<Summed>,
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
