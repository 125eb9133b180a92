//! Kernels by handle: attributes and occupancy.
use super::device;
use super::error::{Error, Result};
use super::handle::Handle;
use super::module::Loaded;
use super::state::State;
use crate::ptx::Kernel;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Function {
    pub module: Arc<Loaded>,
    /// The module's handle.
    pub handle: Handle,
    /// Index into the module's kernels.
    pub kernel: usize,
    pub name: CString,
    /// Largest dynamic shared memory of a launch.
    pub dynamic: AtomicU32,
    /// Preferred carveout in percent; all ones is the default, -1.
    pub carveout: AtomicU32,
}

impl Function {
    pub fn kernel(&self) -> &Kernel {
        &self.module.module.kernels[self.kernel]
    }

    pub fn name(&self) -> &str {
        &self.kernel().name
    }

    /// Threads of a block, at most: by `.maxntid`, and by registers.
    pub fn max_threads(&self) -> u32 {
        let warps = 65536 / (registers(self.kernel()) * 32).next_multiple_of(256);
        let possible = (32 * warps).min(1024);
        self.kernel()
            .max_threads
            .map_or(possible, |most| most.min(possible))
    }

    /// Bytes of dynamic shared memory that a launch may ask for.
    pub fn max_dynamic_shared(&self) -> u64 {
        let set = u64::from(self.dynamic.load(Ordering::Relaxed));
        // Without the attribute, static and dynamic memory share 48 KiB.
        if set <= 48 << 10 {
            set.saturating_sub(self.kernel().shared_bytes)
        } else {
            set
        }
    }
}

pub fn find(s: &State, function: Handle) -> Result<&Arc<Function>> {
    s.functions.get(function).ok_or(Error::INVALID_HANDLE)
}

/// `cuFuncGetAttribute`.
pub fn attribute(s: &State, function: Handle, attribute: u32) -> Result<i32> {
    let f = find(s, function)?;
    let (kernel, module) = (f.kernel(), &f.module.module);
    Ok(match attribute {
        0 => f.max_threads() as i32,
        1 => kernel.shared_bytes as i32,
        2 => f.module.const_bytes as i32,
        3 => kernel.local_bytes as i32,
        4 => registers(kernel) as i32,
        5 => (module.version.0 * 10 + module.version.1) as i32,
        6 => s.settings.sm as i32,
        7 => 0,
        8 => f.max_dynamic_shared() as i32,
        9 => f.carveout.load(Ordering::Relaxed) as i32,
        // Clusters: not asked for, and none.
        10..=15 => 0,
        _ => return Err(Error::INVALID_VALUE),
    })
}

/// `cuFuncSetAttribute`: only the two that may be set.
pub fn set_attribute(s: &State, function: Handle, attribute: u32, value: i32) -> Result {
    let f = find(s, function)?;
    match attribute {
        8 => {
            let most = device::shared_optin(s.settings.sm) - f.kernel().shared_bytes as i64;
            if !(0..=most).contains(&i64::from(value)) {
                return Err(Error::INVALID_VALUE);
            }
            f.dynamic.store(value as u32, Ordering::Relaxed);
        }
        9 if (-1..=100).contains(&value) => f.carveout.store(value as u32, Ordering::Relaxed),
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

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
    let by_threads = device::threads_per_multiprocessor(sm) / (warps * 32);
    // Registers are given to warps in units of 256.
    let registers = (registers(f.kernel()) * 32).next_multiple_of(256) * warps;
    let shared =
        (f.kernel().shared_bytes + dynamic as u64 + device::RESERVED_SHARED).next_multiple_of(128);
    let by_shared = device::shared_per_multiprocessor(sm) as u64 / shared;
    Ok(by_threads
        .min(65536 / registers)
        .min(by_shared as u32)
        .min(device::blocks_per_multiprocessor(sm)) as i32)
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
    let each = device::shared_per_multiprocessor(s.settings.sm) as u64 / blocks as u64;
    let left = each.saturating_sub(f.kernel().shared_bytes + device::RESERVED_SHARED) / 128 * 128;
    Ok(left.min(f.max_dynamic_shared()) as usize)
}

/// Registers of a thread, as a compiler would allocate them: text declares each value by itself, and hardware has 255.
pub fn registers(kernel: &Kernel) -> u32 {
    kernel.registers.div_ceil(4).clamp(16, 255)
}
