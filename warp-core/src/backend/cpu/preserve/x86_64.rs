//! The functions that save every register of x86-64.
//!
//! The context's stack may be aligned to 16 bytes only, the direction flag is clear and the rounding mode that of the launch, as for
//! any call.

/// The vector registers that generated code uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Registers {
    /// 16 of 16 bytes.
    Sse,
    /// 16 of 32 bytes.
    Avx,
    /// 32 of 64 bytes, and 8 masks.
    Avx512,
}

/// The address of a function that calls `$target`, with the same arguments, and changes none of the registers.
macro_rules! preserving {
    ($registers:expr, $target:path) => {{
        #[unsafe(naked)]
        unsafe extern "C" fn sse() {
            $crate::backend::cpu::preserve::x86_64::call!($target, 256, "nop",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovaps [rsp + 16*\\i], xmm\\i\n.endr",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovaps xmm\\i, [rsp + 16*\\i]\n.endr")
        }
        #[unsafe(naked)]
        unsafe extern "C" fn avx() {
            $crate::backend::cpu::preserve::x86_64::call!($target, 512, "vzeroupper",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovaps [rsp + 32*\\i], ymm\\i\n.endr",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovaps ymm\\i, [rsp + 32*\\i]\n.endr")
        }
        #[unsafe(naked)]
        unsafe extern "C" fn avx512() {
            $crate::backend::cpu::preserve::x86_64::call!($target, 2112, "vzeroupper",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
                 vmovaps [rsp + 64*\\i], zmm\\i\n.endr\n\
                 .irp i,0,1,2,3,4,5,6,7\nkmovq [rsp + 2048 + 8*\\i], k\\i\n.endr",
                ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\
                 vmovaps zmm\\i, [rsp + 64*\\i]\n.endr\n\
                 .irp i,0,1,2,3,4,5,6,7\nkmovq k\\i, [rsp + 2048 + 8*\\i]\n.endr")
        }
        use $crate::backend::cpu::preserve::x86_64::Registers;
        match $registers {
            Registers::Sse => sse as *const () as usize,
            Registers::Avx => avx as *const () as usize,
            Registers::Avx512 => avx512 as *const () as usize,
        }
    }};
}

/// The body of such a function: what the vectors take in memory, how they are cleared, saved and given back.
///
/// A function keeps rbx, rbp and r12 to r15 by the calling convention; the other integers are saved here.
macro_rules! call {
    ($target:path, $bytes:literal, $clear:literal, $save:literal, $restore:literal) => {
        core::arch::naked_asm!(
            "push rbp", "mov rbp, rsp",
            "push rax", "push rcx", "push rdx", "push rsi", "push rdi", "push r8", "push r9", "push r10", "push r11",
            "sub rsp, {bytes}", "and rsp, -64",
            $save, $clear,
            "call {target}",
            $restore,
            "lea rsp, [rbp - 72]",
            "pop r11", "pop r10", "pop r9", "pop r8", "pop rdi", "pop rsi", "pop rdx", "pop rcx", "pop rax",
            "pop rbp", "ret",
            target = sym $target,
            bytes = const $bytes,
        )
    };
}

pub(in crate::backend::cpu) use {call, preserving};

#[cfg(test)]
mod tests;
