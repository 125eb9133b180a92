//! What a multiprocessor has, by compute capability.

/// Kept back of each block's shared memory from sm_80 on.
pub const RESERVED_SHARED: u64 = 1024;

pub fn shared_per_multiprocessor(sm: u32) -> i64 {
    match sm {
        0..=79 => 64 << 10,
        80 | 87 => 164 << 10,
        86 | 89 | 120.. => 100 << 10,
        _ => 228 << 10,
    }
}

/// Shared memory that a block can have if its kernel asks for it.
pub fn shared_optin(sm: u32) -> i64 {
    if sm < 80 {
        64 << 10
    } else {
        shared_per_multiprocessor(sm) - RESERVED_SHARED as i64
    }
}

pub fn threads_per_multiprocessor(sm: u32) -> u32 {
    match sm {
        75..=79 => 1024,
        86..=89 | 120.. => 1536,
        _ => 2048,
    }
}

pub fn blocks_per_multiprocessor(sm: u32) -> u32 {
    match sm {
        75..=79 | 86 | 87 => 16,
        89 | 120.. => 24,
        _ => 32,
    }
}
