//! A call of compiled code that sees whether it leaves what is its caller's alone.
//!
//! The registers that a function must keep hold patterns, and so do words of the stack right above its frame. Done in debug builds, and
//! where `WARP_CHECK_CODE` is set.

use crate::abi::{Ctx, Entry};

/// Runs `entry`.
///
/// # Panics
/// If it does not keep what the calling convention says, which is a bug of the compiler.
///
/// # Safety
/// As for the entry itself.
pub unsafe fn call(entry: Entry, ctx: *mut Ctx, args: *const u8, begin: i64, end: i64) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        // SAFETY: the caller's promise.
        let broken = unsafe { watched(entry, ctx, args, begin, end) };
        assert_eq!(
            broken, 0,
            "compiled code does not keep registers (bits 0 to 5: rbx, rbp, r12 to r15), the direction flag (6) or the stack above its frame (7)"
        );
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: the caller's promise.
    unsafe {
        entry(ctx, args, begin, end)
    };
}

/// Bit by bit, what `entry` has changed.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[unsafe(naked)]
unsafe extern "C" fn watched(
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

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;

    unsafe extern "C" fn good(ctx: *mut Ctx, args: *const u8, begin: i64, end: i64) {
        // SAFETY: tests pass a context.
        unsafe { (*ctx).worker = (begin + 10 * end + args as i64) as u32 };
    }

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

    #[test]
    fn what_is_the_caller_s_is_watched() {
        let mut ctx = Ctx::new();
        // SAFETY: the functions take what they are given.
        unsafe {
            call(good, &mut ctx, 100 as *const u8, 1, 2);
            assert_eq!(ctx.worker, 121);
            let all: [(Entry, u64); 7] = [
                (changes_rbx, 1),
                (changes_rbp, 2),
                (changes_r12, 4),
                (changes_r15, 32),
                (changes_direction, 64),
                (changes_stack, 128),
                (changes_stack_above, 128),
            ];
            for (entry, bit) in all {
                assert_eq!(watched(entry, &mut ctx, std::ptr::null(), 0, 0), bit);
            }
        }
    }
}
