//! Memory for what a graph of ours does: made outside of the graph while that is recorded, and kept as long as it.
//!
//! Graphs can allocate by themselves, but not in branches and loops, and graphs that do cannot be parts of others.

use crate::backend::cuda::memory::fresh;
use crate::backend::memory::{Memory, Origin};
use crate::device::Stream;
use crate::device::cuda::{Gpu, Unhindered};
use crate::error::Result;
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use std::cell::RefCell;
use std::ptr::NonNull;

struct Arena {
    gpu: u16,
    /// Gives out the memory: no stream that is recorded.
    stream: Stream,
    all: Vec<Memory>,
    /// Addresses and sizes of what later steps may use again.
    free: Vec<(CUdeviceptr, usize)>,
}

thread_local! {
    static OPEN: RefCell<Option<Arena>> = const { RefCell::new(None) };
}

/// Whether this thread records a graph.
pub fn is_open() -> bool {
    OPEN.with_borrow(Option::is_some)
}

/// From now on this thread's memory on a GPU is that of a graph. False if it is already.
///
/// # Errors
/// What the driver says.
pub fn open(gpu: &Gpu) -> Result<bool> {
    let stream = gpu.release_stream()?;
    Ok(OPEN.with_borrow_mut(|open| {
        if open.is_some() {
            return false;
        }
        *open = Some(Arena {
            gpu: gpu.ordinal.get(),
            stream,
            all: Vec::new(),
            free: Vec::new(),
        });
        true
    }))
}

/// Ends that: the memory, which is there when this returns.
///
/// # Errors
/// What the driver says; the memory is lost then.
pub fn close(gpu: &Gpu) -> Result<Vec<Memory>> {
    let Some(arena) = OPEN.take() else {
        return Ok(Vec::new());
    };
    if !arena.all.is_empty() {
        let current = gpu.enter()?;
        let _unhindered = Unhindered::begin();
        // SAFETY: the stream stays.
        unsafe {
            current
                .driver()
                .stream_synchronize(arena.stream.handle as CUstream)
        }?;
    }
    Ok(arena.all)
}

/// Memory of the graph that this thread records; None if it records none on this GPU.
///
/// # Errors
/// What the driver says.
pub fn take(gpu: &Gpu, size: usize) -> Result<Option<CUdeviceptr>> {
    let found = OPEN.with_borrow_mut(|open| {
        let arena = open.as_mut().filter(|a| a.gpu == gpu.ordinal.get())?;
        let fits = arena
            .free
            .iter()
            .position(|(_, room)| (size..=2 * size).contains(room));
        let again = fits.map(|at| arena.free.swap_remove(at).0);
        Some((arena.stream, again))
    });
    let (stream, again) = match found {
        None => return Ok(None),
        Some(found) => found,
    };
    if again.is_some() {
        return Ok(again);
    }
    let current = gpu.enter()?;
    let (address, direct) = fresh::take(gpu, &current, size, stream)?;
    let Some(data) = NonNull::new(address as *mut u8) else {
        return Ok(None);
    };
    let origin = match direct {
        true => Origin::Direct,
        false => Origin::Usual,
    };
    let base = address as usize;
    OPEN.with_borrow_mut(|open| {
        if let Some(arena) = open {
            arena.all.push(Memory {
                data,
                size,
                base,
                origin,
            });
        }
    });
    Ok(Some(address))
}

/// Says that the steps to come may use memory again: they come after those that did.
pub fn give_back(memory: &Memory) {
    OPEN.with_borrow_mut(|open| {
        let Some(arena) = open else { return };
        if let Some(own) = arena.all.iter().find(|m| m.base == memory.base) {
            arena.free.push((own.base as CUdeviceptr, own.size));
        }
    });
}
