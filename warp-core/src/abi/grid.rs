//! What a kernel on a GPU is given besides its argument block: a block of this form, by value.
//!
//! All threads of a launch share it. What one of them needs for itself it finds by its number in the grid, which is smaller
//! than the number of threads that run at a time.

use super::ctx::{ARENAS, ErrorSlot};
use std::mem::offset_of;

/// Memory in which each thread of the grid has a stack. Threads lie side by side: unit `u` (8 bytes) of thread `t` is
/// unit `u * threads + t` of the memory, so that neighbours push to neighbouring addresses.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridStack {
    /// The first byte, at a multiple of 8; null where there is none.
    pub base: *mut u8,
    /// Units that each thread may use.
    pub room: i64,
}

/// Where threads print to: a header, and behind it records one after the other.
///
/// A record is the number of the `print` statement as u64 and one 8-byte slot for each of its values, as
/// [`super::runtime::PRINT`] wants them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintHeader {
    /// Bytes that threads asked for, whether there was room for them or not.
    pub wanted: u64,
    /// Bytes that there are.
    pub size: u64,
}

/// What a launch on a GPU is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLaunch {
    /// Where the first fault is noted, in memory of the device.
    pub error: *mut ErrorSlot,
    /// Number of threads of the launch: the product of its dimensions.
    pub total: i64,
    /// Bits of [`super::flag`].
    pub flags: u32,
    /// Nothing.
    pub reserved: u32,
    /// Where threads print to; null for kernels that do not.
    pub print: *mut PrintHeader,
    /// By arena number, as in [`super::Ctx::stacks`].
    pub stacks: [GridStack; ARENAS],
}

/// Offset of the pointer to the error slot.
pub const ERROR: usize = 0;
/// Offset of the number of threads.
pub const TOTAL: usize = 8;
/// Offset of the flags.
pub const FLAGS: usize = 16;
/// Offset of the pointer to the header of what is printed.
pub const PRINT: usize = 24;
/// Offset of the first stack; the others follow.
pub const STACKS: usize = 32;
/// Bytes of a stack.
pub const STACK_SIZE: usize = 16;
/// Offset of `room` in a stack.
pub const STACK_ROOM: usize = 8;
/// Bytes of the header of what is printed.
pub const PRINT_HEADER: usize = 16;
/// Offset of `size` in that header.
pub const PRINT_SIZE: usize = 8;
/// Bytes of it all.
pub const SIZE: usize = STACKS + ARENAS * STACK_SIZE;

// The offsets are facts about the structs above; if one moves, the build stops here.
const _: () = {
    assert!(offset_of!(GridLaunch, error) == ERROR);
    assert!(offset_of!(GridLaunch, total) == TOTAL);
    assert!(offset_of!(GridLaunch, flags) == FLAGS);
    assert!(offset_of!(GridLaunch, print) == PRINT);
    assert!(offset_of!(GridLaunch, stacks) == STACKS);
    assert!(size_of::<GridStack>() == STACK_SIZE);
    assert!(offset_of!(GridStack, room) == STACK_ROOM);
    assert!(size_of::<PrintHeader>() == PRINT_HEADER);
    assert!(offset_of!(PrintHeader, size) == PRINT_SIZE);
    assert!(size_of::<GridLaunch>() == SIZE);
};
