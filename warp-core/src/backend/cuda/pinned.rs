//! Pinned memory of the host: GPUs copy from and to it while the caller goes on.
//!
//! What is given back waits until all streams have done what they had in hand then, since copies may still read or write it.

use crate::backend::memory::{Content, Memory, Origin};
use crate::device::cuda::{self, EventUse, Gpu, Unhindered, gpus};
use crate::device::{Device, Stream};
use crate::error::{Code, Error, Result};
use cudarc::driver::sys::*;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// The GPU whose context the calls are made in: any will do, since all reach the memory.
fn any() -> Option<&'static Gpu> {
    let there = gpus();
    there
        .iter()
        .find(|gpu| gpu.context_handle().is_some())
        .or(there.first())
}

/// New memory of the host that is pinned; None on a machine without GPUs.
///
/// # Errors
/// [`Code::Memory`] if there is not so much.
pub fn allocate(size: usize, content: Content) -> Result<Option<Memory>> {
    let Some(gpu) = any() else { return Ok(None) };
    free_waiting();
    let current = gpu.enter()?;
    let _unhindered = Unhindered::begin();
    let mut base: *mut c_void = std::ptr::null_mut();
    let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    let room = size.max(1);
    // SAFETY: writes an address.
    unsafe { current.driver().mem_host_alloc(&raw mut base, room, flags) }?;
    let lacking = || {
        Error::new(
            Code::Memory,
            format!("there are no {size} bytes of memory to be pinned"),
        )
    };
    let data = NonNull::new(base.cast::<u8>()).ok_or_else(lacking)?;
    if content == Content::Zeros {
        // SAFETY: new memory of this size, which the host writes like any other.
        unsafe { data.write_bytes(0, room) };
    }
    let base = base as usize;
    Ok(Some(Memory {
        data,
        size,
        base,
        origin: Origin::Pinned,
    }))
}

/// Memory that nobody uses but streams, up to events of theirs. Without the events: some stream was captured, nobody knows.
struct Waiting {
    base: usize,
    events: Option<Vec<(Device, usize)>>,
}

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());

/// Gives pinned memory back once streams have done what they have in hand.
///
/// # Safety
/// [`allocate`] made it, it is given back once, and nobody uses it but what streams were given before.
pub unsafe fn release(memory: &Memory) {
    let waiting = Waiting {
        base: memory.base,
        events: events(),
    };
    let lock = || WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    lock().push(waiting);
    free_waiting();
}

/// Events behind what all streams have in hand; None while one is captured.
fn events() -> Option<Vec<(Device, usize)>> {
    let mut events = Vec::new();
    for gpu in gpus().iter().filter(|gpu| gpu.context_handle().is_some()) {
        let device = gpu.device();
        let marked = gpu.busy_streams(usize::MAX).and_then(|busy| {
            for handle in busy.streams {
                let event = cuda::create_event(device, EventUse::default())?;
                events.push((device, event));
                cuda::record_event(Stream { device, handle }, event)?;
            }
            Ok(!busy.capturing)
        });
        if !marked.unwrap_or(true) {
            destroy(events);
            return None;
        }
    }
    Some(events)
}

fn destroy(events: Vec<(Device, usize)>) {
    for (device, event) in events {
        // SAFETY: made in `events`, for nobody else.
        unsafe { cuda::destroy_event(device, event) };
    }
}

/// Frees what streams are done with.
fn free_waiting() {
    let Some(current) = any().and_then(|gpu| gpu.enter().ok()) else {
        return;
    };
    let mut all = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain_mut(|one| {
        if one.events.is_none() {
            one.events = events();
        }
        let Some(marks) = &one.events else {
            return true;
        };
        // An error is that of an earlier kernel: nothing runs any more then.
        let done = |(device, event): &(Device, usize)| {
            cuda::event_is_done(*device, *event).unwrap_or(true)
        };
        if !marks.iter().all(done) {
            return true;
        }
        destroy(one.events.take().unwrap_or_default());
        let _unhindered = Unhindered::begin();
        // SAFETY: promised by the caller of `release`, and the streams are done.
        let _ = unsafe { current.driver().mem_free_host(one.base as *mut c_void) };
        false
    });
}
