//! `cuOccupancy...`: how many blocks of a kernel fit on a multiprocessor.
use super::function::find;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::device::limits;
use crate::driver::state::State;

/// `cuOccupancyMaxActiveBlocksPerMultiprocessor`: by threads, registers and shared memory.
pub fn active_blocks(s: &State, function: Handle, block: i32, dynamic: usize) -> Result<i32> {
    let f = find(s, function)?;
    let sm = s.settings.sm;
    if block <= 0 {
        return Err(Error::INVALID_VALUE);
    }
    if block as u32 > f.max_threads() || dynamic as u64 > f.max_dynamic_shared() {
        return Ok(0);
    }
    let warps = (block as u32).div_ceil(32);
    let by_threads = limits::threads_per_multiprocessor(sm) / (warps * 32);
    // Registers are given to warps in units of 256.
    let registers = (f.registers() * 32).next_multiple_of(256) * warps;
    let shared =
        (f.kernel().shared_bytes + dynamic as u64 + limits::RESERVED_SHARED).next_multiple_of(128);
    let by_shared = limits::shared_per_multiprocessor(sm) as u64 / shared;
    Ok(by_threads
        .min(65536 / registers)
        .min(by_shared as u32)
        .min(limits::blocks_per_multiprocessor(sm)) as i32)
}

/// `cuOccupancyMaxPotentialBlockSize`: the block with most threads on a multiprocessor, and the grid that fills the device.
pub fn potential_block(
    s: &State,
    function: Handle,
    dynamic: impl Fn(i32) -> usize,
    limit: i32,
) -> Result<(i32, i32)> {
    let most = find(s, function)?.max_threads() as i32;
    let most = if limit > 0 { most.min(limit) } else { most };
    let (mut best, mut threads) = ((0, 0), 0);
    let sizes = (1..=most / 32)
        .rev()
        .map(|warps| warps * 32)
        .chain((most < 32).then_some(most));
    for block in sizes {
        let blocks = active_blocks(s, function, block, dynamic(block))?;
        if blocks * block > threads {
            threads = blocks * block;
            best = (blocks * s.settings.multiprocessors as i32, block);
        }
    }
    Ok(best)
}

/// `cuOccupancyAvailableDynamicSMemPerBlock`: what each of so many blocks on a multiprocessor can have.
pub fn available_shared(s: &State, function: Handle, blocks: i32, threads: i32) -> Result<usize> {
    let f = find(s, function)?;
    if blocks <= 0 || threads <= 0 || active_blocks(s, function, threads, 0)? < blocks {
        return Err(Error::INVALID_VALUE);
    }
    let each = limits::shared_per_multiprocessor(s.settings.sm) as u64 / blocks as u64;
    let left = each.saturating_sub(f.kernel().shared_bytes + limits::RESERVED_SHARED) / 128 * 128;
    Ok(left.min(f.max_dynamic_shared()) as usize)
}
