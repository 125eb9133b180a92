//! What belongs to a thread: its contexts, its capture mode, and whether it is inside a host function.
use super::error::{Error, Result};
use super::handle::Handle;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

/// `CUstreamCaptureMode`: whom a capture keeps from calls that could disturb it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaptureMode {
    Global,
    ThreadLocal,
    Relaxed,
}

impl CaptureMode {
    pub fn from_code(code: u32) -> Result<CaptureMode> {
        [
            CaptureMode::Global,
            CaptureMode::ThreadLocal,
            CaptureMode::Relaxed,
        ]
        .get(code as usize)
        .copied()
        .ok_or(Error::INVALID_VALUE)
    }
}

thread_local! {
    static CURRENT: Cell<Handle> = const { Cell::new(0) };
    static PUSHED: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
    static ID: Cell<u64> = const { Cell::new(0) };
    static MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Global) };
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// The current context, or zero.
pub fn current() -> Handle {
    CURRENT.get()
}

/// Replaces the top of the stack of contexts.
pub fn set_current(context: Handle) {
    CURRENT.set(context);
}

pub fn push(context: Handle) {
    let below = CURRENT.replace(context);
    PUSHED.with_borrow_mut(|stack| stack.push(below));
}

/// Takes the current context off; what lay below is current again.
pub fn pop() -> Handle {
    let below = PUSHED.with_borrow_mut(Vec::pop).unwrap_or(0);
    CURRENT.replace(below)
}

/// A number of this thread alone.
pub fn id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    if ID.get() == 0 {
        ID.set(NEXT.fetch_add(1, Ordering::Relaxed));
    }
    ID.get()
}

pub fn mode() -> CaptureMode {
    MODE.get()
}

pub fn exchange_mode(mode: CaptureMode) -> CaptureMode {
    MODE.replace(mode)
}

pub fn in_host_function() -> bool {
    IN_HOST_FUNCTION.get()
}

/// Runs a host function; while it runs, this thread may not call most of the driver.
pub fn host_function(f: impl FnOnce()) {
    let before = IN_HOST_FUNCTION.replace(true);
    f();
    IN_HOST_FUNCTION.set(before);
}
