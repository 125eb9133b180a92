//! No exchange of 16 bytes.

/// Whether 16 bytes are exchanged at once.
pub fn exchanges_wide() -> bool {
    false
}

/// Never called.
///
/// # Safety
/// It is not called.
pub unsafe fn exchange(_: *mut u8, _: [u64; 2], _: [u64; 2]) -> [u64; 2] {
    unreachable!("16 bytes are not exchanged here");
}
