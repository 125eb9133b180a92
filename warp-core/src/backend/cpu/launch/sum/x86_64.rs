//! Exchanges of 16 bytes on x86-64, for which nearly all processors have an instruction.

/// Whether the processor exchanges 16 bytes at once.
pub fn exchanges_wide() -> bool {
    std::arch::is_x86_feature_detected!("cmpxchg16b")
}

/// Replaces 16 bytes that hold `old`; gives what they held.
///
/// # Safety
/// They are there, aligned to 16, and the processor has the instruction.
pub unsafe fn exchange(to: *mut u8, old: [u64; 2], new: [u64; 2]) -> [u64; 2] {
    let [mut low, mut high] = old;
    // SAFETY: the caller's promise. The compiler keeps rbx for itself, so that it is put back; the address has a register of its own,
    // since any register may be rbx.
    unsafe {
        std::arch::asm!(
            "xchg {new}, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, {new}",
            in("rdi") to,
            new = inout(reg) new[0] => _,
            in("rcx") new[1],
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    [low, high]
}
