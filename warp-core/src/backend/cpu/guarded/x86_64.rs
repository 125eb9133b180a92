//! A call that watches what an x86-64 function must keep.

use crate::abi::{Ctx, Entry};

/// What the bits of [`watched`] are.
pub const BITS: &str =
    "bits 0 to 5: rbx, rbp, r12 to r15; 6: the direction flag; 7: the stack above its frame";

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
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        // 256 bytes of patterns, then where the frame was; 16 bytes align what is pushed.
        "sub rsp, 280",
        "mov [rsp + 256], rbp",
        "movabs r11, 0x5ca1ab1e0ddba115",
        "xor eax, eax",
        "2: mov [rsp + 8*rax], r11",
        "inc eax",
        "cmp eax, 32",
        "jne 2b",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov rcx, r8",
        "mov rbx, r11",
        "mov rbp, r11",
        "mov r12, r11",
        "mov r13, r11",
        "mov r14, r11",
        "mov r15, r11",
        "call rax",
        "movabs r11, 0x5ca1ab1e0ddba115",
        "xor eax, eax",
        "xor ecx, ecx",
        "cmp rbx, r11",
        "setne cl",
        "or eax, ecx",
        "cmp rbp, r11",
        "setne cl",
        "shl ecx, 1",
        "or eax, ecx",
        "xor ecx, ecx",
        "cmp r12, r11",
        "setne cl",
        "shl ecx, 2",
        "or eax, ecx",
        "xor ecx, ecx",
        "cmp r13, r11",
        "setne cl",
        "shl ecx, 3",
        "or eax, ecx",
        "xor ecx, ecx",
        "cmp r14, r11",
        "setne cl",
        "shl ecx, 4",
        "or eax, ecx",
        "xor ecx, ecx",
        "cmp r15, r11",
        "setne cl",
        "shl ecx, 5",
        "or eax, ecx",
        "pushfq",
        "pop rcx",
        "shr ecx, 10",
        "and ecx, 1",
        "shl ecx, 6",
        "or eax, ecx",
        "cld",
        "xor ecx, ecx",
        "3: cmp [rsp + 8*rcx], r11",
        "je 4f",
        "or eax, 128",
        "4: inc ecx",
        "cmp ecx, 32",
        "jne 3b",
        "mov rbp, [rsp + 256]",
        "add rsp, 280",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
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

    bad!(changes_rbx: "xor ebx, ebx");
    bad!(changes_rbp: "inc rbp");
    bad!(changes_r12: "inc r12");
    bad!(changes_r15: "inc r15");
    bad!(changes_direction: "std");
    bad!(changes_stack: "mov qword ptr [rsp + 8], 1");
    bad!(changes_stack_above: "mov byte ptr [rsp + 263], 1");

    /// Each with the bit that it sets.
    pub const ALL: [(Entry, u64); 7] = [
        (changes_rbx, 1),
        (changes_rbp, 2),
        (changes_r12, 4),
        (changes_r15, 32),
        (changes_direction, 64),
        (changes_stack, 128),
        (changes_stack_above, 128),
    ];
}
