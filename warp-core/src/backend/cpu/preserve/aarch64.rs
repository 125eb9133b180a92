//! The functions that save every register of Arm processors of 64 bits, but for x16 and x17, which the linker's jumps may change, and
//! x18, which is the platform's.
//!
//! LLVM knows such calls by a calling convention (`llvm/preserved.rs`).

/// The vector registers that generated code uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Registers {
    /// 32 of 16 bytes.
    Neon,
}

/// The address of a function that calls `$target`, with the same arguments, and changes none of the registers.
///
/// A function keeps x19 to x29 by the calling convention; x0 to x15 and all vectors are saved here.
macro_rules! preserving {
    ($registers:expr, $target:path) => {{
        #[unsafe(naked)]
        unsafe extern "C" fn neon() {
            core::arch::naked_asm!(
                "sub sp, sp, 656",
                "stp x29, x30, [sp]",
                "mov x29, sp",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nstr x\\i, [sp, 16 + 8*\\i]\n.endr",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
                 str q\\i, [sp, 144 + 16*\\i]\n.endr",
                "bl {target}",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nldr x\\i, [sp, 16 + 8*\\i]\n.endr",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
                 ldr q\\i, [sp, 144 + 16*\\i]\n.endr",
                "ldp x29, x30, [sp]",
                "add sp, sp, 656",
                "ret",
                target = sym $target,
            )
        }
        use $crate::backend::cpu::preserve::aarch64::Registers;
        match $registers {
            Registers::Neon => neon as *const () as usize,
        }
    }};
}

pub(in crate::backend::cpu) use preserving;

#[cfg(test)]
mod tests;
