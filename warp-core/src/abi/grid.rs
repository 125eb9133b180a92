//! What a kernel on a GPU is given besides its argument block: a block of this form, by value.
//!
//! All threads of a launch share it. What one of them needs for itself it finds by its number in the grid, which is smaller
//! than the number of threads that run at a time.

use super::ctx::{ARENAS, ErrorSlot};
use super::object::GridObject;
use crate::ty::MAX_NDIM;
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

/// The buffer for printing: a header, followed by records.
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

/// How numbers below 2^31 are divided by a number without a division: `n / d` is `n * factor >> shift`, in 64 bits.
///
/// After Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quotient {
    /// What `n` is multiplied by.
    pub factor: u32,
    /// By how many bits the product is shifted.
    pub shift: u32,
}

impl Quotient {
    /// For a divisor from 1 to 2^31.
    pub fn by(divisor: u32) -> Quotient {
        // The least power of two that is not below the divisor, so that the error of the factor stays below one.
        let shift = 31 + (32 - (divisor - 1).leading_zeros());
        let factor = (1u64 << shift) / u64::from(divisor) + 1;
        Quotient {
            factor: factor as u32,
            shift,
        }
    }
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
    /// How the linear index of a thread is divided by the launch dimensions but the first.
    pub quotients: [Quotient; MAX_NDIM - 1],
    /// Where the device's objects lie, by slot; null for kernels that query none.
    pub objects: *const GridObject,
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
/// Offset of the first quotient; the others follow.
pub const QUOTIENTS: usize = BLOCK_DIM + 8;
/// Bytes of a quotient.
pub const QUOTIENT_SIZE: usize = 8;
/// Offset of `shift` in a quotient.
pub const QUOTIENT_SHIFT: usize = 4;
/// Offset of the pointer to the table of objects.
pub const OBJECTS: usize = QUOTIENTS + (MAX_NDIM - 1) * QUOTIENT_SIZE;
/// Bytes of it all.
pub const SIZE: usize = OBJECTS + 8;

// The offsets are facts about the structs above; if one moves, the build stops here.
const _: () = {
    assert!(offset_of!(GridLaunch, error) == ERROR);
    assert!(offset_of!(GridLaunch, total) == TOTAL);
    assert!(offset_of!(GridLaunch, flags) == FLAGS);
    assert!(offset_of!(GridLaunch, quotients) == QUOTIENTS);
    assert!(offset_of!(GridLaunch, objects) == OBJECTS);
    assert!(offset_of!(Quotient, shift) == QUOTIENT_SHIFT);
    assert!(size_of::<Quotient>() == QUOTIENT_SIZE);
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

#[cfg(test)]
mod tests {
    use super::Quotient;

    #[test]
    fn quotients_are_exact() {
        let divisors = (1..300).chain([511, 512, 513, 641, 65_535, 65_537, 1 << 30, (1 << 30) + 1]);
        for d in divisors.chain([(1u32 << 31) - 1, 1 << 31]) {
            let by = Quotient::by(d);
            let near = (0..400u32).flat_map(|k| {
                let multiple = (u64::from(d) * u64::from(k * 9973 + k)) as u32;
                [
                    k,
                    multiple.wrapping_sub(1),
                    multiple,
                    multiple.wrapping_add(1),
                ]
            });
            for n in near
                .chain([(1 << 31) - 1, (1 << 31) - 2])
                .filter(|n| *n < 1 << 31)
            {
                let found = (u64::from(n) * u64::from(by.factor)) >> by.shift;
                assert_eq!(found, u64::from(n / d), "{n} / {d}");
            }
        }
    }
}
