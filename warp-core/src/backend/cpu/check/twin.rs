//! What a launch is held against.

use crate::abi::{BlockLayout, Ctx, Entry, flag};
use crate::backend::code::{Code, Executable};
use crate::backend::cpu::{arena, guarded};
use crate::lower;
use crate::ty::MAX_NDIM;
use crate::verify::Verified;
use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::{Duration, Instant};

/// What a kernel is held against.
#[derive(Debug)]
pub struct Twin {
    /// Its IR, for the interpreter.
    pub func: Verified,
    /// Where its arguments lie.
    pub layout: BlockLayout,
    /// One thread at a time.
    pub scalar: Code,
    /// How many there were.
    pub launches: AtomicU64,
}

impl Twin {
    /// Of a kernel, with code that has no lanes.
    pub fn new(func: &Verified, scalar: Code) -> Twin {
        Twin {
            func: func.clone(),
            layout: lower::block_layout(func),
            scalar,
            launches: AtomicU64::new(0),
        }
    }

    /// Runs one thread at a time.
    pub fn entry(&self) -> Option<Entry> {
        let Executable::Cpu(code) = &self.scalar.executable else {
            return None;
        };
        Some(code.entry())
    }
}

/// A launch that is to be checked.
#[derive(Clone, Copy)]
pub struct Checked<'a> {
    /// What it is held against.
    pub twin: &'a Twin,
    /// The argument block.
    pub args: *const u8,
    /// The launch dimensions.
    pub dims: [i32; MAX_NDIM],
    /// Bits of [`crate::abi::flag`].
    pub flags: u32,
}

impl Checked<'_> {
    /// Number of threads.
    pub fn total(&self) -> i64 {
        self.dims.iter().map(|n| i64::from(*n)).product()
    }
}

/// How long threads may run here: some wait for others, which come later or never.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// When a run is to end, and whether it is.
struct Deadline {
    at: Instant,
    over: AtomicU32,
}

/// # Safety
/// `deadline` is one.
unsafe extern "C" fn look_at_clock(deadline: *const c_void) {
    // SAFETY: the caller's promise.
    let deadline = unsafe { &*deadline.cast::<Deadline>() };
    if Instant::now() > deadline.at {
        deadline.over.store(1, Relaxed);
    }
}

unsafe extern "C" fn drop_text(_: *mut c_void, _: *const u8, _: i64) {}

/// Runs threads on this thread, without printing; the code of the fault that they end with: [`crate::abi::fault::CANCELLED`] if they take
/// too long.
///
/// # Safety
/// The block is the one that the entry expects, its arrays are alive and as large as it says.
pub unsafe fn run_on_this_thread(
    entry: Entry,
    args: *const u8,
    flags: u32,
    begin: i64,
    end: i64,
) -> i32 {
    let deadline = Deadline {
        at: Instant::now() + PATIENCE,
        over: AtomicU32::new(0),
    };
    let mut ctx = Ctx::new();
    ctx.flags = flags | flag::IN_ORDER;
    ctx.sink = Some(drop_text);
    ctx.cancel = deadline.over.as_ptr();
    ctx.ask = Some(look_at_clock);
    ctx.asker = std::ptr::from_ref(&deadline).cast();
    arena::with_stacks(&mut ctx, |ctx| {
        // SAFETY: the caller's promise.
        unsafe { guarded::call(entry, ctx, args, begin, end) };
    });
    ctx.error.code
}
