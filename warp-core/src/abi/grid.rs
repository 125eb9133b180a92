//! What a kernel on a GPU is given besides its argument block: a block of this form, by value.
//!
//! All threads of a launch share it. What one of them needs for itself it finds by its number in the grid, which is smaller
//! than the number of threads that run at a time.

use super::ctx::{ARENAS, ErrorSlot};
use std::mem::offset_of;

/// Memory in which each thread of the grid begins a stack. Threads lie side by side: unit `u` (8 bytes) of thread `t` is
/// unit `u * threads + t` of the memory, so that neighbours push to neighbouring addresses. A thread that needs more takes a
/// region of its own, see [`Overflow`], and keeps it for the rest of the launch.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridStack {
    /// The first byte, at a multiple of 8; anything where the room is 0.
    pub base: *mut u8,
    /// Units that each thread has.
    pub room: i64,
}

/// What the threads of a launch note about stacks that outgrow their room, in memory of the device. All zeros when the launch
/// begins.
///
/// A thread that outgrows its room takes twice as much, or more if it needs more, from [`GridLaunch::spare`], and moves
/// there. Where nothing is left, it ends with [`super::fault::RECORD_LIMIT`]: bytes that were asked for, and bytes there are.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflow {
    /// Bytes that threads asked for, whether there were so many or not.
    pub taken: u64,
    /// By arena number: the most units that a thread asked for; 0 where none outgrew its room. With so much room each, the
    /// same launch takes nothing.
    pub wanted: [u64; ARENAS],
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

/// The first fault of a device, and whose it is: all kernels on a device note theirs in one place.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridFault {
    /// What went wrong.
    pub slot: ErrorSlot,
    /// The number of the kernel.
    pub kernel: u32,
    /// Nothing.
    pub reserved: u32,
}

/// What a launch on a GPU is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridLaunch {
    /// Where the first fault is noted, in memory of the device.
    pub error: *mut GridFault,
    /// Number of threads of the launch: the product of its dimensions.
    pub total: i64,
    /// Bits of [`super::flag`].
    pub flags: u32,
    /// The kernel's number, which a fault carries along.
    pub kernel: u32,
    /// Where threads print to; null for kernels that do not.
    pub print: *mut PrintHeader,
    /// By arena number, as in [`super::Ctx::stacks`].
    pub stacks: [GridStack; ARENAS],
    /// What is noted of stacks that outgrow their room; null for kernels that have no stacks.
    pub overflow: *mut Overflow,
    /// The memory that they grow into, at a multiple of 8; anything where there is none.
    pub spare: *mut u8,
    /// Bytes of it.
    pub spare_size: i64,
    /// How many threads the launch wants a block to have. Where the device allows fewer, blocks are smaller than this says.
    pub block_dim: u32,
    /// Nothing.
    pub reserved: u32,
}

/// Offset of the pointer to the error slot.
pub const ERROR: usize = 0;
/// Offset of the number of threads.
pub const TOTAL: usize = 8;
/// Offset of the flags.
pub const FLAGS: usize = 16;
/// Offset of the kernel's number.
pub const KERNEL: usize = 20;
/// Offset of the kernel's number in a fault.
pub const FAULT_KERNEL: usize = 24;
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
/// Offset of the pointer to what is noted of stacks.
pub const OVERFLOW: usize = STACKS + ARENAS * STACK_SIZE;
/// Offset of the pointer to the memory that they grow into.
pub const SPARE: usize = OVERFLOW + 8;
/// Offset of the size of that memory.
pub const SPARE_SIZE: usize = SPARE + 8;
/// Offset of the first counter of units in [`Overflow`]; the others follow.
pub const WANTED: usize = 8;
/// Offset of the threads that a block is to have.
pub const BLOCK_DIM: usize = SPARE_SIZE + 8;
/// Bytes of it all.
pub const SIZE: usize = BLOCK_DIM + 8;

// The offsets are facts about the structs above; if one moves, the build stops here.
const _: () = {
    assert!(offset_of!(GridLaunch, error) == ERROR);
    assert!(offset_of!(GridLaunch, total) == TOTAL);
    assert!(offset_of!(GridLaunch, flags) == FLAGS);
    assert!(offset_of!(GridLaunch, kernel) == KERNEL);
    assert!(offset_of!(GridFault, kernel) == FAULT_KERNEL);
    assert!(offset_of!(GridLaunch, print) == PRINT);
    assert!(offset_of!(GridLaunch, stacks) == STACKS);
    assert!(size_of::<GridStack>() == STACK_SIZE);
    assert!(offset_of!(GridStack, room) == STACK_ROOM);
    assert!(size_of::<PrintHeader>() == PRINT_HEADER);
    assert!(offset_of!(PrintHeader, size) == PRINT_SIZE);
    assert!(offset_of!(GridLaunch, overflow) == OVERFLOW);
    assert!(offset_of!(GridLaunch, spare) == SPARE);
    assert!(offset_of!(GridLaunch, spare_size) == SPARE_SIZE);
    assert!(offset_of!(GridLaunch, block_dim) == BLOCK_DIM);
    assert!(offset_of!(Overflow, taken) == 0);
    assert!(offset_of!(Overflow, wanted) == WANTED);
    assert!(size_of::<GridLaunch>() == SIZE);
};
