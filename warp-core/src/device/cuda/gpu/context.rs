//! Primary contexts, and which one is the thread's current one.

use crate::device::cuda::driver::Driver;
use crate::device::cuda::threshold::keep_some;
use crate::error::Result;
use cudarc::driver::sys::*;
use std::sync::Mutex;

/// The primary context, which all libraries in a process share, and what hangs on it.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) handle: usize,
    /// The stream of everything that names none.
    pub(super) stream: usize,
    /// Gives back memory that several streams may still use.
    pub(super) releases: usize,
    /// All other streams of this process that this library knows.
    pub(super) streams: Mutex<Vec<Known>>,
}

/// A stream that may use this library's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) handle: usize,
    /// Its owner is gone: it is destroyed once it has done what it was given.
    pub(super) ends: bool,
}

/// While this lives, a GPU's context is the thread's current one. A thread that has none keeps that of the first GPU, which is what the
/// CUDA runtime, and so torch, would give it: then one question is all that each later operation costs.
pub struct Current {
    pushed: bool,
    driver: &'static Driver,
}

impl Context {
    /// That of a device; `pooled`: bytes of its memory, if it comes from pools.
    pub(super) fn new(device: CUdevice, pooled: Option<usize>) -> Result<Context> {
        let driver = Driver::get()?;
        let mut handle: CUcontext = std::ptr::null_mut();
        // SAFETY: writes a handle; it is kept until the process ends, as torch and jax do.
        unsafe { driver.primary_retain(&raw mut handle, device) }?;
        let _current = Current::new(handle, false)?;
        if let Some(memory) = pooled {
            keep_some(driver, device, memory)?;
        }
        let make = |flags| {
            let mut stream: CUstream = std::ptr::null_mut();
            // SAFETY: writes a handle.
            unsafe { driver.stream_create(&raw mut stream, flags, 0) }.map(|()| stream as usize)
        };
        Ok(Context {
            handle: handle as usize,
            // Ordered with the default stream of CUDA, which torch and others work on.
            stream: make(CUstream_flags::CU_STREAM_DEFAULT as u32)?,
            releases: make(CUstream_flags::CU_STREAM_NON_BLOCKING as u32)?,
            streams: Mutex::new(Vec::new()),
        })
    }
}

impl Current {
    #[inline]
    pub(super) fn new(context: CUcontext, stays: bool) -> Result<Current> {
        let driver = Driver::get()?;
        let mut current: CUcontext = std::ptr::null_mut();
        // SAFETY: writes a handle; the context is retained.
        unsafe {
            driver.context_get_current(&raw mut current)?;
            let pushed = current != context && !(stays && current.is_null());
            if pushed {
                driver.context_push(context)?;
            } else if current != context {
                driver.context_set_current(context)?;
            }
            Ok(Current { pushed, driver })
        }
    }

    /// The driver, for the calls that this is for.
    #[inline]
    pub fn driver(&self) -> &'static Driver {
        self.driver
    }
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = std::ptr::null_mut();
            // SAFETY: the context on top is the one that was pushed: guards end in the opposite order.
            let _ = unsafe { self.driver.context_pop(&raw mut popped) };
        }
    }
}
