//! `cuDeviceGetAttribute`.
use super::identity::by_ordinal;
use super::limits::{
    RESERVED_SHARED, blocks_per_multiprocessor, shared_optin, shared_per_multiprocessor,
    threads_per_multiprocessor,
};
use crate::driver::base::{Error, Result};
use crate::driver::state::State;

/// `cuDeviceGetAttribute`. Attributes of hardware that a kernel of PTX cannot use are zero.
pub fn attribute(s: &State, device: i32, attribute: u32) -> Result<i32> {
    let device = by_ordinal(s, device)?;
    let sm = s.settings.sm;
    Ok(match attribute {
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65535,
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        11 => i32::MAX,
        12 | 82 => 65536,
        13 | 36 => 1_000_000,
        14 | 30 => 512,
        15 => 1,
        16 => s.settings.multiprocessors as i32,
        17 | 18 => 0,
        19 => 1,
        20 => 0,
        21 | 22 | 42 | 53 | 55 | 77 => 131_072,
        23 | 27..=28 | 46..=47 | 56 | 70..=71 | 73..=74 => 65536,
        24..=26 => 16384,
        29 => 2048,
        31 => 1,
        32 => 0,
        33 => device as i32 + 1,
        34 | 35 | 50 => 0,
        37 => 256,
        38 => 4 << 20,
        39 => threads_per_multiprocessor(sm) as i32,
        40 => 2,
        41 => 1,
        51 => 32,
        69 => 1 << 27,
        72 => 2_097_120,
        75 => (sm / 10) as i32,
        76 => (sm % 10) as i32,
        78..=80 => 1,
        81 => shared_per_multiprocessor(sm) as i32,
        // Managed memory, and the host's memory without registration: no.
        83 | 88 | 89 | 100 | 101 => 0,
        84 | 86 => 0,
        85 => device as i32,
        87 => 64,
        90 | 91 => 1,
        // Operations on streams that read and write memory; cooperative launches; virtual memory.
        92..=96 | 98 | 102..=105 | 107..=110 => 0,
        97 => shared_optin(sm) as i32,
        99 => 1,
        106 => blocks_per_multiprocessor(sm) as i32,
        111 => {
            if sm < 80 {
                0
            } else {
                RESERVED_SHARED as i32
            }
        }
        112..=114 | 116..=119 => 0,
        115 => 1,
        43..=45 | 48..=49 | 52 | 54 | 57..=68 => 0,
        120..=145 => 0,
        _ => return Err(Error::INVALID_VALUE),
    })
}
