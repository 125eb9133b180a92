//! Memory that returns to the driver once streams have finished their queued work: pinned memory, memory of no pool, loaded kernels.
//!
//! Nothing here waits, and nothing disturbs a capture, be it another library's: events are asked, and what is due is freed,
//! `Unhindered`.

use crate::device::cuda::{self, EventUse, Gpu, Unhindered, gpus};
use crate::device::{Device, Stream};
use cudarc::driver::sys::*;
use std::any::Any;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What goes back.
pub enum Deferred {
    /// Pinned memory of the host, by its address.
    Host(usize),
    /// Memory of a GPU that came from no pool, by its address.
    Memory(&'static Gpu, CUdeviceptr),
    /// A module, by the driver's handle.
    Module(&'static Gpu, usize),
    /// What keeps memory of another GPU.
    Owner(Box<dyn Any + Send>),
}

struct Waiting {
    what: Deferred,
    /// Events after the queued work of streams. Without them: some stream was captured and could not be queried.
    events: Option<Vec<(Device, usize)>>,
}

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
/// Whether there may be any.
static SOME_WAIT: AtomicBool = AtomicBool::new(false);

fn waiting() -> MutexGuard<'static, Vec<Waiting>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees something once streams have finished their queued work.
///
/// # Safety
/// It came from the driver, it is given back once, and nothing uses it but what streams were given before.
pub unsafe fn give_back(what: Deferred) {
    let _unhindered = Unhindered::begin();
    wait_for(what, events());
}

/// As [`give_back`], of what a graph that is being captured may use: then it stays until the process ends.
///
/// # Safety
/// As there.
pub unsafe fn give_back_unless_captured(what: Deferred) {
    let _unhindered = Unhindered::begin();
    if let Some(events) = events() {
        wait_for(what, Some(events));
    }
}

fn wait_for(what: Deferred, events: Option<Vec<(Device, usize)>>) {
    waiting().push(Waiting { what, events });
    SOME_WAIT.store(true, Ordering::Release);
    settle();
}

/// Whether something waits to go back.
pub fn any_waits() -> bool {
    SOME_WAIT.load(Ordering::Acquire)
}

/// Gives back what streams are done with.
#[inline]
pub fn settle() {
    if any_waits() {
        try_all();
    }
}

#[cold]
fn try_all() {
    let _unhindered = Unhindered::begin();
    let due: Vec<Waiting> = {
        let mut all = waiting();
        let due = all.extract_if(.., Waiting::is_due).collect();
        SOME_WAIT.store(!all.is_empty(), Ordering::Release);
        due
    };
    // Outside the lock: what an owner lets go of may come here, too.
    for one in due {
        destroy(one.events.unwrap_or_default());
        free(one.what);
    }
}

impl Waiting {
    fn is_due(&mut self) -> bool {
        if self.events.is_none() {
            self.events = events();
        }
        // An error is that of an earlier kernel: nothing runs any more then.
        let done = |(device, event): &(Device, usize)| {
            cuda::event_is_done(*device, *event).unwrap_or(true)
        };
        let marks = self.events.as_ref();
        marks.is_some_and(|marks| marks.iter().all(done))
    }
}

/// Keeps owners of memory of other GPUs until a stream has finished its queued work. A graph that captures the stream keeps it itself,
/// or its maker does.
pub fn keep(owners: Box<dyn Any + Send>, stream: Stream) {
    if !matches!(cuda::capture_of(stream), Ok(None)) {
        return;
    }
    let device = stream.device;
    let Ok(event) = cuda::create_event(device, EventUse::default()) else {
        return;
    };
    // An error is that of an earlier kernel: nothing runs any more then.
    let _ = cuda::record_event(stream, event);
    wait_for(Deferred::Owner(owners), Some(vec![(device, event)]));
}

/// Events after the queued work of all streams; None while one is captured.
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

/// Frees what nothing uses. An error is that of an earlier kernel, or of a driver that has ended with the process.
fn free(what: Deferred) {
    let gpu = match &what {
        Deferred::Host(_) => any(),
        Deferred::Memory(gpu, _) | Deferred::Module(gpu, _) => Some(*gpu),
        Deferred::Owner(_) => None,
    };
    let Some(current) = gpu.and_then(|gpu| gpu.enter().ok()) else {
        return;
    };
    let driver = current.driver();
    // SAFETY: promised by the caller of `give_back`, and the streams are done.
    let _ = unsafe {
        match what {
            Deferred::Host(base) => driver.mem_free_host(base as *mut c_void),
            Deferred::Memory(_, address) => driver.mem_free(address),
            Deferred::Module(_, module) => driver.module_unload(module as CUmodule),
            Deferred::Owner(_) => Ok(()),
        }
    };
}

/// The GPU in whose context calls are made that have to do with memory of the host: any will do, since all reach it.
pub fn any() -> Option<&'static Gpu> {
    let there = gpus();
    there
        .iter()
        .find(|gpu| gpu.context_handle().is_some())
        .or(there.first())
}
