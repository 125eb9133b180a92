//! Running kernels on a stream of a GPU.

use super::kernel::{BLOCK, Kernel};
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
}

impl Run {
    /// On a stream of a GPU.
    ///
    /// # Errors
    /// There is no such GPU, or its driver refuses.
    pub fn on(stream: Stream) -> Result<Run> {
        let queue = Queue::new(stream)?;
        Ok(Run { queue })
    }

    /// Launches so many blocks of a kernel along each dimension. Of arrays the addresses are passed.
    ///
    /// # Safety
    /// The kernel takes these arguments, and what they point to is alive until the stream is done.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn launch(&self, kernel: Kernel, blocks: &[u64], args: &[u64]) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { self.queue.launch(&self.loaded(kernel)?, blocks, args) }
    }

    /// Launches a kernel with a thread for each of `n`.
    ///
    /// # Errors
    /// As [`Run::launch`].
    ///
    /// # Safety
    /// As [`Run::launch`].
    pub unsafe fn each(&self, kernel: Kernel, n: u64, args: &[u64]) -> Result<()> {
        // SAFETY: promised by the caller.
        unsafe { self.launch(kernel, &[n.div_ceil(BLOCK as u64)], args) }
    }

    fn loaded(&self, kernel: Kernel) -> Result<Own> {
        let key = (self.queue.ordinal(), kernel);
        let lock = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = lock().get_or_insert_default().get(&key) {
            return Ok(own.clone());
        }
        // Outside the lock: this takes long.
        let own = kernel.own();
        let own = self.queue.load(&own.build()?, &own.lowering())?;
        Ok(lock()
            .get_or_insert_default()
            .entry(key)
            .or_insert(own)
            .clone())
    }
}
