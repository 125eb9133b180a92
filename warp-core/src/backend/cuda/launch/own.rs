//! How this library runs kernels of its own on a stream: texts that it loads, memory that one call needs, copies and fills.
//!
//! All of it is given to the stream and nothing waits, so that a stream that is being captured takes it, too.

use crate::abi::ErrorSlot;
use crate::abi::grid::GridFault;
use crate::backend::cuda::code::loaded::Loaded;
use crate::backend::cuda::diagnose::timing::{self, Kind, Watch};
use crate::backend::cuda::launch::fault;
use crate::backend::cuda::launch::state::State;
use crate::backend::cuda::memory;
use crate::backend::memory::{Content, Memory};
use crate::device::Stream;
use crate::device::cuda::{Gpu, gpu_of};
use crate::error::{Bug, Code, Error, Result};
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use std::cell::Cell;
use std::ffi::CString;
use std::sync::Arc;

/// Threads of a block of every kernel that is launched here.
pub const BLOCK: u32 = 256;

/// A stream of a GPU.
pub struct Queue {
    gpu: &'static Gpu,
    stream: Stream,
}

/// A kernel of this library's on a GPU.
#[derive(Clone)]
pub struct Own(Arc<Loaded>);

/// Memory for what a stream is given while this lives. It goes back in the order of the stream.
pub struct Scratch {
    gpu: &'static Gpu,
    stream: Stream,
    /// None while kernels are only loaded.
    memory: Option<Memory>,
}

thread_local! {
    static ONLY_LOADS: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function that gives work to queues, but has them load its kernels alone. Recording the work in a graph needs
/// this first, since loading may wait for the device.
///
/// # Errors
/// What the function says.
pub fn only_loading(what: impl FnOnce() -> Result<()>) -> Result<()> {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            ONLY_LOADS.set(self.0);
        }
    }
    let _reset = Reset(ONLY_LOADS.replace(true));
    what()
}

impl Queue {
    /// The stream as a queue.
    ///
    /// # Errors
    /// There is no such GPU.
    pub fn new(stream: Stream) -> Result<Queue> {
        let gpu = gpu_of(stream.device)?;
        Ok(Queue { gpu, stream })
    }

    /// The number of the GPU.
    pub fn ordinal(&self) -> u16 {
        self.gpu.ordinal.get()
    }

    /// Times the work of the stream until the result is dropped, while timing is enabled.
    pub fn watch(&self, name: &'static str) -> Watch {
        timing::watch(Kind::Builtin, self.stream, || name.into())
    }

    /// Loads a kernel.
    ///
    /// # Errors
    /// What the driver says.
    pub fn load(&self, text: String, symbol: &str) -> Result<Own> {
        let text = CString::new(text).map_err(|e| Bug(e.to_string()))?;
        Ok(Own(Arc::new(Loaded::new(self.gpu, &text, symbol)?)))
    }

    /// Launches a kernel whose parameters are all of 8 bytes. No blocks are no launch.
    ///
    /// # Safety
    /// The kernel takes so many parameters, and what they point to is alive until the stream is done.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn launch(&self, kernel: &Own, blocks: u64, params: &[u64]) -> Result<()> {
        if blocks == 0 || ONLY_LOADS.get() {
            return Ok(());
        }
        let Some(blocks) = u32::try_from(blocks).ok().filter(|n| *n <= i32::MAX as u32) else {
            return Err(Error::new(
                Code::Runtime,
                format!(
                    "an algorithm needs {blocks} blocks of a GPU; there are {} at most",
                    i32::MAX
                ),
            ));
        };
        let mut values = params.to_vec();
        let mut addresses: Vec<_> = values
            .iter_mut()
            .map(|value| (value as *mut u64).cast())
            .collect();
        let stream = self.stream.handle as CUstream;
        // SAFETY: promised by the caller.
        unsafe { kernel.0.launch(blocks, BLOCK, stream, &mut addresses) }
    }

    /// Memory for what the stream is given next.
    ///
    /// # Errors
    /// There is not so much.
    pub fn scratch(&self, bytes: usize) -> Result<Scratch> {
        let memory = match ONLY_LOADS.get() {
            true => None,
            false => Some(memory::allocate(
                self.gpu,
                bytes,
                Content::Any,
                self.stream,
            )?),
        };
        let (gpu, stream) = (self.gpu, self.stream);
        Ok(Scratch {
            gpu,
            stream,
            memory,
        })
    }

    /// Copies bytes within the GPU.
    ///
    /// # Safety
    /// Both are memory of the GPU that does not overlap, and alive until the stream is done.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()> {
        if bytes == 0 || ONLY_LOADS.get() {
            return Ok(());
        }
        let current = self.gpu.enter()?;
        let stream = self.stream.handle as CUstream;
        // SAFETY: promised by the caller.
        unsafe {
            current
                .driver()
                .memcpy_d_to_d(to as CUdeviceptr, from as CUdeviceptr, bytes, stream)
        }
    }

    /// Writes zeros.
    ///
    /// # Safety
    /// It is memory of the GPU, alive until the stream is done.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn clear(&self, at: u64, bytes: usize) -> Result<()> {
        if bytes == 0 || ONLY_LOADS.get() {
            return Ok(());
        }
        let current = self.gpu.enter()?;
        let stream = self.stream.handle as CUstream;
        // SAFETY: promised by the caller.
        unsafe {
            current
                .driver()
                .memset_8(at as CUdeviceptr, 0, bytes, stream)
        }
    }

    /// Where kernels on this GPU note their first fault.
    ///
    /// # Errors
    /// What the driver says.
    pub fn board(&self) -> Result<*mut GridFault> {
        Ok(State::of(self.gpu)?.board.address())
    }
}

impl Scratch {
    /// The first byte.
    pub fn address(&self) -> u64 {
        self.memory
            .as_ref()
            .map_or(0, |memory| memory.data.as_ptr() as u64)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(memory) = &self.memory {
            // SAFETY: made here; only what the stream was given uses it.
            unsafe { memory::release(self.gpu, memory, self.stream) };
        }
    }
}

/// A number for faults of kernels of this library's, and how they read.
pub fn explained(how: impl Fn(&ErrorSlot) -> Error + Send + Sync + 'static) -> u32 {
    let number = fault::number();
    fault::explain(number, Box::new(how));
    number
}
