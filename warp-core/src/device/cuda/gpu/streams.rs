//! The streams of a GPU that may use this library's memory.

use super::Gpu;
use super::context::{Current, Known};
use crate::device::cuda::unhindered::Unhindered;
use crate::device::stream::Stream;
use crate::error::Result;
use cudarc::driver::sys::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The streams of a GPU that have work which is not done.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// Their handles.
    pub streams: Vec<usize>,
    /// Some stream is being captured, so that it may not be queried.
    pub capturing: bool,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// The stream of everything that names none.
    ///
    /// # Errors
    /// What the driver says: the context is made for it.
    #[inline]
    pub fn stream(&self) -> Result<Stream> {
        Ok(self.known(self.context()?.stream))
    }

    /// The stream that gives back memory which several streams may still use.
    ///
    /// # Errors
    /// As [`Gpu::stream`].
    pub fn release_stream(&self) -> Result<Stream> {
        Ok(self.known(self.context()?.releases))
    }

    fn known(&self, handle: usize) -> Stream {
        Stream {
            device: self.device(),
            handle,
        }
    }

    /// Notes a stream, so that memory is given back only after what it was given.
    ///
    /// # Errors
    /// As [`Gpu::stream`].
    pub fn add_stream(&self, handle: usize) -> Result<()> {
        let mut streams = lock(&self.context()?.streams);
        streams.push(Known {
            handle,
            ends: false,
        });
        Ok(())
    }

    /// Forgets a stream that others own, once, as often as it was added.
    pub fn remove_stream(&self, handle: usize) {
        if let Ok(context) = self.context() {
            let mut streams = lock(&context.streams);
            if let Some(at) = streams.iter().position(|s| s.handle == handle && !s.ends) {
                streams.swap_remove(at);
            }
        }
    }

    /// Destroys a stream once it has done what it was given.
    ///
    /// # Safety
    /// It was created for this and added; nothing gives it anything more.
    pub unsafe fn end_stream(&self, handle: usize) {
        let Ok(context) = self.context() else { return };
        for known in lock(&context.streams).iter_mut() {
            known.ends |= known.handle == handle;
        }
        // What went wrong in the stream is said to who waits for the device.
        let _ = self.busy_streams(0);
    }

    /// The streams of this device that have work which is not done, without `but`. Those that are being captured are not asked.
    ///
    /// # Errors
    /// What the driver says.
    pub fn busy_streams(&self, but: usize) -> Result<Busy> {
        self.busy_streams_on(&self.enter()?, but)
    }

    /// [`Gpu::busy_streams`] with a current context.
    ///
    /// # Errors
    /// As there.
    pub fn busy_streams_on(&self, current: &Current, but: usize) -> Result<Busy> {
        let context = self.context()?;
        let driver = current.driver();
        let mut busy = Busy::default();
        let mut streams = lock(&context.streams);
        if context.stream == but && streams.iter().all(|known| known.handle == but) {
            return Ok(busy);
        }
        let _unhindered = Unhindered::begin();
        let mut failed = None;
        streams.retain(|known| {
            if known.handle == but {
                return true;
            }
            let stream = known.handle as CUstream;
            // SAFETY: streams are removed here before they are destroyed.
            match unsafe { driver.stream_captures(stream) } {
                Ok(false) => {}
                Ok(true) => {
                    busy.capturing = true;
                    return true;
                }
                Err(e) => {
                    failed = Some(e);
                    return true;
                }
            }
            // SAFETY: as above.
            match unsafe { driver.stream_is_done(stream) } {
                Ok(false) => busy.streams.push(known.handle),
                Ok(true) if known.ends => {
                    // SAFETY: its owner is gone, and it is removed here.
                    let _ = unsafe { driver.stream_destroy(stream) };
                    return false;
                }
                Ok(true) => {}
                Err(e) => failed = Some(e),
            }
            true
        });
        if let Some(e) = failed {
            return Err(e);
        }
        if context.stream != but {
            // SAFETY: the context's own stream stays.
            unsafe {
                if driver.stream_captures(context.stream as CUstream)? {
                    busy.capturing = true;
                } else if !driver.stream_is_done(context.stream as CUstream)? {
                    busy.streams.push(context.stream);
                }
            }
        }
        busy.streams.sort_unstable();
        busy.streams.dedup();
        Ok(busy)
    }
}
