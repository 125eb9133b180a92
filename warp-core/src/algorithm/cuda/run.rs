//! Running kernels on a stream of a GPU.

use super::kernel::Kernel;
use crate::backend::cuda::own::{Own, Queue};
use crate::device::Stream;
use crate::error::Result;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Kernels that have been loaded, by GPU.
static LOADED: Mutex<Option<HashMap<(u16, Kernel), Own>>> = Mutex::new(None);

/// Where the algorithms of one call run.
pub struct Run {
    /// The stream.
    pub queue: Queue,
    /// What writes texts.
    text: fn(Kernel) -> String,
}

impl Run {
    /// On a stream of a GPU.
    ///
    /// # Errors
    /// There is no such GPU, or its driver refuses.
    pub fn on(stream: Stream, text: fn(Kernel) -> String) -> Result<Run> {
        let queue = Queue::new(stream)?;
        Ok(Run { queue, text })
    }

    /// Launches a kernel in blocks of 256 threads.
    ///
    /// # Safety
    /// The kernel takes so many parameters, and what they point to is alive until the stream is done.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn launch(&self, kernel: Kernel, blocks: u64, params: &[u64]) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { self.queue.launch(&self.loaded(kernel)?, blocks, params) }
    }

    fn loaded(&self, kernel: Kernel) -> Result<Own> {
        let key = (self.queue.ordinal(), kernel);
        let lock = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = lock().get_or_insert_default().get(&key) {
            return Ok(own.clone());
        }
        // Outside the lock: the driver compiles.
        let own = self.queue.load((self.text)(kernel), &kernel.name())?;
        Ok(lock()
            .get_or_insert_default()
            .entry(key)
            .or_insert(own)
            .clone())
    }
}
