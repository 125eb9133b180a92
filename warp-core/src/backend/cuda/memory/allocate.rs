//! Memory of GPUs: from the driver's pools, in stream order, or without them from the driver at once, or from an allocator of the
//! user's.
//!
//! While streams are captured they may not be queried. Memory that is freed meanwhile waits until the capture is over.

use crate::backend::cuda::diagnose::timing::{self, Kind};
use crate::backend::cuda::memory::arena;
use crate::backend::cuda::memory::deferred::{self, Deferred};
use crate::backend::cuda::memory::fresh;
use crate::backend::cuda::memory::lender;
use crate::backend::memory::{Content, Memory, Origin};
use crate::device::Stream;
use crate::device::cuda::{self, Busy, Current, Gpu};
use crate::error::{Code, Error, Result};
use cudarc::driver::sys::*;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// New memory, to be used by what the stream is given from now on.
///
/// # Errors
/// [`Code::Memory`] if there is not so much.
pub fn allocate(gpu: &Gpu, size: usize, content: Content, stream: Stream) -> Result<Memory> {
    give_back_waiting(gpu);
    let current = gpu.enter()?;
    // An empty array has an address too, and atomics of 8 and 16 bits change the whole word around them.
    let room = size.max(1).next_multiple_of(4);
    deferred::settle();
    let mut taken = take(gpu, &current, room, stream);
    if matches!(&taken, Err(e) if e.code == Code::Memory)
        && deferred::any_waits()
        && gpu.try_synchronize()
    {
        deferred::settle();
        taken = take(gpu, &current, room, stream);
    }
    let (address, origin) = taken.map_err(|e| match e.code {
        Code::Memory => too_large(gpu, size),
        _ => e,
    })?;
    let memory = Memory {
        data: NonNull::new(address as *mut u8).ok_or_else(|| too_large(gpu, size))?,
        size,
        base: address as usize,
        origin,
    };
    if content == Content::Zeros {
        let _timed = timing::watch(Kind::Fill, stream, || "memset".into());
        // SAFETY: the memory was just made.
        let cleared = unsafe {
            current
                .driver()
                .memset_8(address, 0, room, stream.handle as CUstream)
        };
        if let Err(e) = cleared {
            // SAFETY: nobody else knows it.
            unsafe { release(gpu, &memory, stream) };
            return Err(e);
        }
    }
    Ok(memory)
}

fn take(
    gpu: &Gpu,
    current: &Current,
    room: usize,
    stream: Stream,
) -> Result<(CUdeviceptr, Origin)> {
    if let Some(address) = arena::take(gpu, room)? {
        return Ok((address, Origin::Kept));
    }
    if let Some((number, address)) = lender::lend(gpu, room)? {
        return Ok((address as CUdeviceptr, Origin::Lent(number)));
    }
    let capture = cuda::capture_on(current, stream)?;
    let (address, direct) = fresh::take(gpu, current, room, stream)?;
    let origin = match direct {
        true => Origin::Direct,
        false => capture.map_or(Origin::Usual, Origin::Node),
    };
    Ok((address, origin))
}

/// Frees memory after the work of the stream, and after the queued work of other streams: they may use it too.
///
/// # Safety
/// [`allocate`] made it for this GPU, it is given back once, and nothing uses it but what streams were given before.
pub unsafe fn release(gpu: &Gpu, memory: &Memory, stream: Stream) {
    give_back_waiting(gpu);
    // An error is that of an earlier kernel, or of a driver that has ended with the process. There is nobody to tell here.
    let _ = try_release(gpu, memory, stream);
}

fn try_release(gpu: &Gpu, memory: &Memory, stream: Stream) -> Result<()> {
    match memory.origin {
        Origin::Kept => {
            arena::give_back(memory);
            return Ok(());
        }
        Origin::Direct => {
            let gpu = cuda::gpu(gpu.ordinal)?;
            // SAFETY: promised by the caller of `release`.
            unsafe { deferred::give_back(Deferred::Memory(gpu, memory.base as CUdeviceptr)) };
            return Ok(());
        }
        Origin::Node(capture) if cuda::capture_of(stream)? == Some(capture) => {
            let current = gpu.enter()?;
            // SAFETY: promised by the caller of `release`; this is a node of the graph, too.
            return unsafe {
                current
                    .driver()
                    .mem_free_async(memory.base as CUdeviceptr, stream.handle as CUstream)
            };
        }
        _ => {}
    }
    if !arena::is_open() {
        let current = gpu.enter()?;
        let busy = gpu.busy_streams_on(&current, stream.handle)?;
        if !busy.capturing && cuda::capture_on(&current, stream)?.is_none() {
            return give_back(gpu, &current, memory, stream, busy);
        }
    }
    waiting().push(Waiting {
        gpu: gpu.ordinal.get(),
        memory: memory.clone(),
        stream,
    });
    SOME_WAIT.store(true, Ordering::Release);
    Ok(())
}

fn give_back(
    gpu: &Gpu,
    current: &Current,
    memory: &Memory,
    stream: Stream,
    busy: Busy,
) -> Result<()> {
    let driver = current.driver();
    let address = memory.base as CUdeviceptr;
    if let Origin::Lent(number) = memory.origin {
        for handle in busy.streams.into_iter().chain([stream.handle]) {
            // SAFETY: streams that are known are alive.
            unsafe { driver.stream_synchronize(handle as CUstream) }?;
        }
        lender::give_back(number, memory);
        return Ok(());
    }
    let last = match busy.streams.is_empty() {
        true => stream,
        // A stream of its own waits for all: the memory's stream is not to wait for others.
        false => {
            let releases = gpu.release_stream()?;
            for handle in busy.streams.into_iter().chain([stream.handle]) {
                cuda::join(releases, Stream { handle, ..stream })?;
            }
            releases
        }
    };
    // SAFETY: promised by the caller of `release`.
    unsafe { driver.mem_free_async(address, last.handle as CUstream) }
}

/// Memory that was given back while a stream was captured.
struct Waiting {
    gpu: u16,
    memory: Memory,
    stream: Stream,
}

// SAFETY: an address that nobody reads or writes through any more.
unsafe impl Send for Waiting {}

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
/// Whether there may be any.
static SOME_WAIT: AtomicBool = AtomicBool::new(false);

fn waiting() -> MutexGuard<'static, Vec<Waiting>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives back what waits, unless streams are captured still.
#[inline]
fn give_back_waiting(gpu: &Gpu) {
    if SOME_WAIT.load(Ordering::Acquire) {
        try_waiting(gpu);
    }
}

#[cold]
fn try_waiting(gpu: &Gpu) {
    let Ok(current) = gpu.enter() else {
        return;
    };
    let over = |stream: Stream| {
        let busy = gpu.busy_streams_on(&current, stream.handle);
        busy.ok().filter(|busy| {
            !busy.capturing && matches!(cuda::capture_on(&current, stream), Ok(None))
        })
    };
    if arena::is_open() {
        return;
    }
    let own = gpu.ordinal.get();
    let due: Vec<Waiting> = {
        let mut all = waiting();
        let due = all.extract_if(.., |w| w.gpu == own).collect();
        SOME_WAIT.store(!all.is_empty(), Ordering::Release);
        due
    };
    for one in due {
        match over(one.stream) {
            // An error has nobody to be told to, as in `release`.
            Some(busy) => drop(give_back(gpu, &current, &one.memory, one.stream, busy)),
            None => {
                waiting().push(one);
                SOME_WAIT.store(true, Ordering::Release);
            }
        }
    }
}

#[cold]
fn too_large(gpu: &Gpu, size: usize) -> Error {
    let message = format!(
        "there is no memory for an array of {size} bytes on {}",
        gpu.device()
    );
    let (mut free, mut total) = (0, 0);
    let asked = gpu.enter().and_then(|current| {
        // SAFETY: writes two integers.
        unsafe { current.driver().mem_get_info(&raw mut free, &raw mut total) }
    });
    let error = Error::new(Code::Memory, message);
    match asked {
        Ok(()) => error.hint(format!("{free} of its {total} bytes are free")),
        Err(_) => error,
    }
}
