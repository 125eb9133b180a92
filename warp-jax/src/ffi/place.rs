//! Where the buffers of a call are and its kernel runs: what differs between the host and a GPU.

use super::call_site::{CallSite, ClearedResult};
use super::failure::{HandlerFailure, Outcome};
use super::float_environment::DefaultFloatEnvironment;
use super::sys::code;
use smallvec::SmallVec;
use warp_core::abi::{ArrayArg, Strided};
use warp_core::backend::{self, Located};
use warp_core::device::{Device, Stream, on_stream};
use warp_core::error::Error;
use warp_core::launch;
use warp_core::ty::MAX_NDIM;

/// Where the buffers of a call are and its kernel runs.
pub(super) trait Place {
    /// Whether a value in a buffer can be read while the call is prepared.
    const READS_VALUES: bool;

    /// Sets a result to zero.
    ///
    /// # Safety
    /// The view is that of the result's buffer, which may be written.
    unsafe fn clear(&self, view: &ArrayArg, result: &ClearedResult) -> Outcome<()>;

    /// Copies a buffer to another one.
    ///
    /// # Safety
    /// Both are dense, of one shape and element, and apart from each other.
    unsafe fn copy(&self, to: &Strided, from: &Strided) -> Outcome<()>;

    /// Launches the kernel.
    ///
    /// # Safety
    /// The block at `base` was filled for the kernel and these dimensions; its arrays stay until the launch is done.
    unsafe fn launch(&self, site: &CallSite, base: *mut u8, dims: [i32; MAX_NDIM]) -> Outcome<()>;
}

/// The host: everything is done when a call returns.
pub(super) struct Host;

impl Place for Host {
    const READS_VALUES: bool = true;

    #[inline]
    unsafe fn clear(&self, view: &ArrayArg, result: &ClearedResult) -> Outcome<()> {
        let extents = &view.shape[..result.ndim];
        let bytes = extents.iter().fold(result.size, |n, d| n * *d as usize);
        // SAFETY: promised by the caller.
        unsafe { view.data.write_bytes(0, bytes) };
        Ok(())
    }

    #[inline]
    unsafe fn copy(&self, to: &Strided, from: &Strided) -> Outcome<()> {
        // SAFETY: promised by the caller.
        unsafe {
            to.array
                .data
                .copy_from(from.array.data, from.len() * from.size)
        };
        Ok(())
    }

    #[inline]
    unsafe fn launch(&self, site: &CallSite, base: *mut u8, dims: [i32; MAX_NDIM]) -> Outcome<()> {
        let code = &*site.program.code;
        let stream = Stream::default_of(Device::Cpu);
        let job = code.job(base, dims, stream);
        let _environment = DefaultFloatEnvironment::enter();
        // SAFETY: promised by the caller.
        unsafe { launch::run(&job, None) }.map_err(|fault| {
            HandlerFailure(
                code::FAILED_PRECONDITION,
                code.explain(&fault, stream.device),
            )
        })
    }
}

/// A stream of a GPU: everything is given to it, and nothing waited for.
pub(super) struct OnStream(pub Stream);

impl Place for OnStream {
    // It lies on the GPU. Lowering passes such values as arrays.
    const READS_VALUES: bool = false;

    unsafe fn clear(&self, view: &ArrayArg, result: &ClearedResult) -> Outcome<()> {
        let all = Strided {
            array: *view,
            ndim: result.ndim,
            size: result.size,
        };
        let zeros: SmallVec<[u8; 64]> = SmallVec::from_elem(0, result.size);
        // SAFETY: promised by the caller.
        let done = backend::of(self.0.device)
            .and_then(|backend| unsafe { backend.fill(&all, &zeros, self.0) });
        done.map_err(|e| failed(&e))
    }

    unsafe fn copy(&self, to: &Strided, from: &Strided) -> Outcome<()> {
        let device = self.0.device;
        let located = |elements: &Strided| Located {
            device,
            elements: *elements,
        };
        // SAFETY: promised by the caller.
        let done = backend::of(device)
            .and_then(|backend| unsafe { backend.copy(&located(to), &located(from), self.0) });
        done.map_err(|e| failed(&e))
    }

    unsafe fn launch(&self, site: &CallSite, base: *mut u8, dims: [i32; MAX_NDIM]) -> Outcome<()> {
        let code = &*site.program.code;
        let mut job = code.job(base, dims, self.0);
        if site.block_dim != 0 {
            job.grid.block_dim = site.block_dim;
        }
        // What the launch needs besides comes from whatever allocator the user has set, which may ask for the stream.
        let _on = on_stream(self.0);
        // SAFETY: promised by the caller.
        unsafe { launch::run(&job, None) }.map_err(|fault| {
            HandlerFailure(
                code::FAILED_PRECONDITION,
                code.explain(&fault, self.0.device),
            )
        })
    }
}

/// What the device says.
#[cold]
pub(super) fn failed(error: &Error) -> HandlerFailure {
    HandlerFailure(code::INTERNAL, format!("warp: {error}"))
}
