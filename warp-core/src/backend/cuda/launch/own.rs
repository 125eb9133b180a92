//! How this library runs kernels of its own on a stream: compiling and launching them, memory that one call needs, copies and fills.
//!
//! All of it is given to the stream and nothing waits, so that a stream that is being captured takes it, too.

use crate::abi::grid::GridFault;
use crate::abi::{BlockLayout, DIMS_OFFSET, ErrorSlot};
use crate::backend::code::{Code, Executable};
use crate::backend::cuda::code::make::make;
use crate::backend::cuda::diagnose::timing::{self, Kind, Watch};
use crate::backend::cuda::launch::state::State;
use crate::backend::cuda::launch::{fault, launch};
use crate::backend::cuda::memory;
use crate::backend::job::{Grid, Job};
use crate::backend::memory::{Content, Memory};
use crate::cache::Cache;
use crate::device::Stream;
use crate::device::cuda::{Gpu, gpu_of};
use crate::error::{Bug, Code as ErrorCode, Error, Result};
use crate::lower::{self, block_layout};
use crate::ty::MAX_NDIM;
use crate::verify::Verified;
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

/// A stream of a GPU.
pub struct Queue {
    gpu: &'static Gpu,
    stream: Stream,
}

/// A kernel of this library's on a GPU, whose threads form blocks.
#[derive(Clone)]
pub struct Own(Arc<Kept>);

struct Kept {
    code: Code,
    layout: BlockLayout,
    /// Threads of a block.
    threads: i32,
}

/// Memory for what a stream is given while this lives. It goes back in the order of the stream.
pub struct Scratch {
    gpu: &'static Gpu,
    stream: Stream,
    /// None while kernels are only loaded.
    memory: Option<Memory>,
}

/// Opens the cache that compiled kernels are kept in.
type OpenCache = fn() -> Cache;

static CACHE: OnceLock<OpenCache> = OnceLock::new();

/// Says how the cache is opened that kernels of this library are kept in. Only the first call counts.
pub fn keep_in(open: OpenCache) {
    let _ = CACHE.set(open);
}

/// That cache; without an answer, the one that the environment says.
fn kept() -> Cache {
    match CACHE.get() {
        Some(open) => open(),
        None => Cache::open().unwrap_or_else(|_| Cache::none()),
    }
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

    /// Compiles a kernel for the GPU, or takes what the cache has.
    ///
    /// # Errors
    /// The compiler, or what the driver says.
    pub fn load(&self, func: &Verified, options: &lower::Options) -> Result<Own> {
        let Some(threads) = func.threads else {
            return Err(Bug(format!("the threads of `{}` form no blocks", func.name)).into());
        };
        Ok(Own(Arc::new(Kept {
            code: make(self.gpu, func, options, &kept(), &|| false)?,
            layout: block_layout(func),
            threads: threads.threads as i32,
        })))
    }

    /// Launches so many blocks along each dimension. The parameters of the kernel are integers and arrays, of which what is passed
    /// is the address. No blocks are no launch.
    ///
    /// # Safety
    /// The kernel takes these arguments, and what they point to is alive until the stream is done.
    ///
    /// # Errors
    /// There are too many blocks; what the driver says.
    pub unsafe fn launch(&self, kernel: &Own, blocks: &[u64], args: &[u64]) -> Result<()> {
        let Kept {
            code,
            layout,
            threads,
        } = &*kernel.0;
        if args.len() != layout.offsets.len() {
            let (given, takes) = (args.len(), layout.offsets.len());
            let what = format!("{given} arguments for `{}`, which takes {takes}", code.name);
            return Err(Bug(what).into());
        }
        let all = blocks.iter().try_fold(1, |all: u64, n| all.checked_mul(*n));
        if all == Some(0) || ONLY_LOADS.get() {
            return Ok(());
        }
        if all.is_none_or(|all| all > i32::MAX as u64) {
            return Err(Error::new(
                ErrorCode::Runtime,
                format!(
                    "an algorithm needs {blocks:?} blocks of a GPU; there are {} at most",
                    i32::MAX
                ),
            ));
        }
        let mut dims = [1; MAX_NDIM];
        dims[..blocks.len()].copy_from_slice(&blocks.iter().map(|n| *n as i32).collect::<Vec<_>>());
        dims[blocks.len()] = *threads;
        // In words, so that everything lies at multiples of eight. What an array is besides its address is not asked.
        let mut block = vec![0u64; layout.size / 8];
        let pairs = [(0, 1), (2, 3)].map(|(a, b)| (dims[a] as u64) | (dims[b] as u64) << 32);
        block[DIMS_OFFSET / 8..][..2].copy_from_slice(&pairs);
        for (offset, arg) in layout.offsets.iter().zip(args) {
            block[offset / 8] = *arg;
        }
        let job = Job {
            code,
            stream: self.stream,
            block: block.as_ptr().cast(),
            dims,
            in_order: false,
            overlap: false,
            queries: false,
            ordered_by: None,
            grid: Grid::default(),
        };
        let Executable::Cuda(executable) = &code.executable else {
            return Err(Bug("code of another device was launched".into()).into());
        };
        // SAFETY: promised by the caller; the driver has read the block when it returns.
        unsafe { launch(self.gpu, executable, &job) }.map_err(|_| fault::refusal())
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
