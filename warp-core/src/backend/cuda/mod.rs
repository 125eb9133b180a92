//! NVIDIA GPUs: kernels as PTX that the driver compiles, memory from the driver's pools, everything in the order of streams.
//!
//! All calls are asynchronous except copies to pageable host memory and [`Backend::synchronize`]. A fault in a kernel is reported
//! at the next synchronisation.
//!
//! [`compile()`] needs no GPU and no driver. It uses libdevice, NVIDIA's mathematics, where the caller says where that may be
//! found, and functions of our own otherwise.

mod code;
mod diagnose;
pub mod graph;
mod launch;
#[cfg(feature = "llvm")]
mod math;
mod memory;

#[cfg(feature = "llvm")]
pub use code::compile::{Compiled, compile, parameters};
pub use code::executable::Executable;
#[cfg(feature = "llvm")]
pub use code::libdevice::{Libdevice, Search};
pub use code::make::look_for_libdevice;
#[cfg(feature = "llvm")]
pub use code::ptx::{How, Level, ptx};
pub use code::wanted::{KNOWN, compiled_for, supported, want_arch};
pub use diagnose::facts::ThreadCost;
pub use diagnose::timing;
pub use launch::fault::{Explain, refusal};
pub(crate) use launch::own;
pub use launch::served::serve as serve_objects;
pub use memory::lender::{Lender, set_lender};
pub use memory::{deferred, pinned};

use super::code::{Code, Executable as Any};
use super::interface::{Backend, Located};
use super::job::Job;
use super::memory::{Content, Memory};
use crate::abi::{ErrorSlot, Strided};
use crate::cache::Cache;
use crate::device::cuda::gpu_of;
use crate::device::{Device, Stream};
use crate::error::{Bug, Result};
use crate::lower;
use crate::verify::Verified;
use timing::{Kind, watch};

/// The backend of NVIDIA GPUs.
#[derive(Debug)]
pub struct Cuda;

/// Waits until what came before an event of a GPU is done.
///
/// # Errors
/// The first fault of a kernel on this device since the last synchronisation, or what the driver says.
pub fn synchronize_event(device: Device, event: usize) -> Result<()> {
    launch::wait::event(gpu_of(device)?, event)
}

/// Whether it is known by now that something went wrong in a kernel of a GPU since its last synchronisation. Does not wait.
///
/// # Errors
/// There is no such GPU, or what the driver says.
#[inline]
pub fn has_fault(device: Device) -> Result<bool> {
    Ok(launch::state::State::of(gpu_of(device)?)?.board.is_used())
}

impl Backend for Cuda {
    fn allocate(&self, size: usize, content: Content, stream: Stream) -> Result<Memory> {
        memory::allocate(gpu_of(stream.device)?, size, content, stream)
    }

    unsafe fn release(&self, memory: &Memory, stream: Stream) {
        if let Ok(gpu) = gpu_of(stream.device) {
            // SAFETY: promised by the caller.
            unsafe { memory::release(gpu, memory, stream) };
        }
    }

    unsafe fn copy(&self, to: &Located, from: &Located, stream: Stream) -> Result<()> {
        let _timed = watch(Kind::Copy, stream, || {
            let (to, from) = (to.device, from.device);
            format!("memcpy from {from} to {to}")
        });
        // SAFETY: promised by the caller.
        unsafe { memory::copy::copy(to, from, stream) }
    }

    unsafe fn fill(&self, to: &Strided, element: &[u8], stream: Stream) -> Result<()> {
        let _timed = watch(Kind::Fill, stream, || "memset".into());
        // SAFETY: promised by the caller.
        unsafe { memory::copy::fill(gpu_of(stream.device)?, to, element, stream) }
    }

    fn compile(
        &self,
        func: &Verified,
        options: &lower::Options,
        cache: &Cache,
        device: Device,
        _: bool,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Code> {
        code::make::make(gpu_of(device)?, func, options, cache, interrupted)
    }

    unsafe fn launch(
        &self,
        job: &Job<'_>,
        _: Option<&dyn Fn() -> bool>,
    ) -> std::result::Result<(), ErrorSlot> {
        let gpu = gpu_of(job.stream.device).map_err(launch::fault::refused)?;
        match &job.code.executable {
            // SAFETY: promised by the caller.
            Any::Cuda(executable) => unsafe {
                let _timed = watch(Kind::Kernel, job.stream, || {
                    format!("kernel {}", executable.title)
                });
                launch::launch(gpu, executable, job)
            },
            _ => Err(launch::fault::refused(
                Bug("code of another device was launched".into()).into(),
            )),
        }
    }

    fn synchronize(&self, stream: Stream, interrupted: &dyn Fn() -> bool) -> Result<()> {
        launch::wait::stream_unless(gpu_of(stream.device)?, stream, interrupted)
    }

    fn synchronize_device(&self, device: Device, interrupted: &dyn Fn() -> bool) -> Result<()> {
        launch::wait::device_unless(gpu_of(device)?, interrupted)
    }
}
