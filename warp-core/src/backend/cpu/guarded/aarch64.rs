//! A call that watches what an Arm function of 64 bits must keep.

use crate::abi::{Ctx, Entry};

/// What the bits of [`watched`] are.
pub const BITS: &str =
    "bits 0 to 10: x19 to x29; 11 to 18: d8 to d15; 19: the stack above its frame";

/// Bit by bit, what `entry` has changed.
#[unsafe(naked)]
pub unsafe extern "C" fn watched(
    entry: Entry,
    ctx: *mut Ctx,
    args: *const u8,
    begin: i64,
    end: i64,
) -> u64 {
    core::arch::naked_asm!(
        "stp x29, x30, [sp, -160]!",
        "stp x19, x20, [sp, 16]",
        "stp x21, x22, [sp, 32]",
        "stp x23, x24, [sp, 48]",
        "stp x25, x26, [sp, 64]",
        "stp x27, x28, [sp, 80]",
        "stp d8, d9, [sp, 96]",
        "stp d10, d11, [sp, 112]",
        "stp d12, d13, [sp, 128]",
        "stp d14, d15, [sp, 144]",
        // 256 bytes of patterns, right above the frame of `entry`.
        "sub sp, sp, 256",
        "movz x9, 0xa115",
        "movk x9, 0x0ddb, lsl 16",
        "movk x9, 0xab1e, lsl 32",
        "movk x9, 0x5ca1, lsl 48",
        "mov x10, 0",
        "2: str x9, [sp, x10, lsl 3]",
        "add x10, x10, 1",
        "cmp x10, 32",
        "b.ne 2b",
        "mov x16, x0",
        "mov x0, x1",
        "mov x1, x2",
        "mov x2, x3",
        "mov x3, x4",
        ".irp i,19,20,21,22,23,24,25,26,27,28,29\nmov x\\i, x9\n.endr",
        ".irp i,8,9,10,11,12,13,14,15\nfmov d\\i, x9\n.endr",
        "blr x16",
        "movz x9, 0xa115",
        "movk x9, 0x0ddb, lsl 16",
        "movk x9, 0xab1e, lsl 32",
        "movk x9, 0x5ca1, lsl 48",
        "mov x0, 0",
        ".irp i,19,20,21,22,23,24,25,26,27,28,29\n\
         cmp x\\i, x9\ncset x10, ne\norr x0, x0, x10, lsl #(\\i - 19)\n.endr",
        ".irp i,8,9,10,11,12,13,14,15\n\
         fmov x11, d\\i\ncmp x11, x9\ncset x10, ne\norr x0, x0, x10, lsl #(\\i + 3)\n.endr",
        "mov x10, 0",
        "3: ldr x11, [sp, x10, lsl 3]",
        "cmp x11, x9",
        "b.eq 4f",
        "orr x0, x0, 0x80000",
        "4: add x10, x10, 1",
        "cmp x10, 32",
        "b.ne 3b",
        "add sp, sp, 256",
        "ldp x19, x20, [sp, 16]",
        "ldp x21, x22, [sp, 32]",
        "ldp x23, x24, [sp, 48]",
        "ldp x25, x26, [sp, 64]",
        "ldp x27, x28, [sp, 80]",
        "ldp d8, d9, [sp, 96]",
        "ldp d10, d11, [sp, 112]",
        "ldp d12, d13, [sp, 128]",
        "ldp d14, d15, [sp, 144]",
        "ldp x29, x30, [sp], 160",
        "ret",
    )
}

#[cfg(test)]
pub mod broken {
    //! Functions that change what is their caller's.

    use crate::abi::{Ctx, Entry};

    /// Changes `$what`.
    macro_rules! bad {
        ($name:ident: $($what:literal),+) => {
            #[unsafe(naked)]
            unsafe extern "C" fn $name(_: *mut Ctx, _: *const u8, _: i64, _: i64) {
                core::arch::naked_asm!($($what),+, "ret")
            }
        };
    }

    bad!(changes_x19: "mov x19, 0");
    bad!(changes_x28: "mov x28, 0");
    bad!(changes_x29: "add x29, x29, 1");
    bad!(changes_d8: "fmov d8, xzr");
    bad!(changes_d15: "fmov s15, wzr");
    bad!(changes_stack: "str xzr, [sp]");
    bad!(changes_stack_above: "strb wzr, [sp, 255]");

    /// Each with the bit that it sets.
    pub const ALL: [(Entry, u64); 7] = [
        (changes_x19, 1),
        (changes_x28, 1 << 9),
        (changes_x29, 1 << 10),
        (changes_d8, 1 << 11),
        (changes_d15, 1 << 18),
        (changes_stack, 1 << 19),
        (changes_stack_above, 1 << 19),
    ];
}
