//! Exchanges of 16 bytes on Arm: a load of a pair that a store of a pair ends, which every processor of 64 bits has.

/// Whether the processor exchanges 16 bytes at once.
pub fn exchanges_wide() -> bool {
    true
}

/// Replaces 16 bytes that hold `old`; gives what they held.
///
/// The halves that the load gives are of one moment only if the store succeeds, so that other bytes are stored as they are.
///
/// # Safety
/// They are there, aligned to 16.
pub unsafe fn exchange(to: *mut u8, old: [u64; 2], new: [u64; 2]) -> [u64; 2] {
    let (low, high): (u64, u64);
    // SAFETY: the caller's promise. Nothing but arithmetic stands between the load and the store.
    unsafe {
        std::arch::asm!(
            "2: ldxp {low}, {high}, [{to}]",
            "cmp {low}, {old_low}",
            "ccmp {high}, {old_high}, 0, eq",
            "csel {put_low}, {new_low}, {low}, eq",
            "csel {put_high}, {new_high}, {high}, eq",
            "stxp {failed:w}, {put_low}, {put_high}, [{to}]",
            "cbnz {failed:w}, 2b",
            to = in(reg) to,
            old_low = in(reg) old[0],
            old_high = in(reg) old[1],
            new_low = in(reg) new[0],
            new_high = in(reg) new[1],
            low = out(reg) low,
            high = out(reg) high,
            put_low = out(reg) _,
            put_high = out(reg) _,
            failed = out(reg) _,
            options(nostack),
        );
    }
    [low, high]
}
