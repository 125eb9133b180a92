//! Copies and fills, in any layout, within a GPU, between GPUs, and between a GPU and the host.

use crate::abi::Strided;
use crate::backend::cpu;
use crate::backend::cuda::launch::state::State;
use crate::backend::cuda::launch::wait;
use crate::backend::cuda::memory;
use crate::backend::interface::{Backend, Located};
use crate::backend::memory::{Content, Memory};
use crate::device::cuda::{self, Driver, Gpu, gpu};
use crate::device::{Device, Stream};
use crate::error::{Code, Error, Result};
use cudarc::driver::sys::*;
use std::ffi::c_uint;

/// Memory for the time of a copy, given back in the order of its stream.
struct Scratch {
    gpu: &'static Gpu,
    memory: Memory,
    stream: Stream,
}

impl Scratch {
    /// Dense room for the elements of `like`.
    fn new(gpu: &'static Gpu, like: &Strided, stream: Stream) -> Result<Scratch> {
        let memory = memory::allocate(gpu, like.len() * like.size, Content::Any, stream)?;
        Ok(Scratch {
            gpu,
            memory,
            stream,
        })
    }

    fn as_dense(&self, like: &Strided) -> Strided {
        dense(like, self.memory.data.as_ptr())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: made here, given back once; only what the stream was given uses it.
        unsafe { memory::release(self.gpu, &self.memory, self.stream) };
    }
}

/// The elements of `like`, without gaps, at `data`.
fn dense(like: &Strided, data: *mut u8) -> Strided {
    let mut out = *like;
    out.array.data = data;
    let mut stride = like.size as i64;
    for d in (0..like.ndim).rev() {
        out.array.strides[d] = stride;
        stride *= i64::from(like.array.shape[d]);
    }
    out
}

/// Copies elements in index order of the shape, as [`Backend::copy`] says.
///
/// # Safety
/// As [`Backend::copy`].
///
/// # Errors
/// What the driver says, and faults of kernels that it waited for.
pub unsafe fn copy(to: &Located, from: &Located, stream: Stream) -> Result<()> {
    let (elements, source) = (&to.elements, &from.elements);
    if elements.is_empty() || elements.size == 0 {
        return Ok(());
    }
    // What is on none of these GPUs is in the host's memory, as the trait says.
    let host = Stream::default_of(Device::Cpu);
    // SAFETY: promised by the caller.
    unsafe {
        match (to.device.as_cuda(), from.device.as_cuda()) {
            (None, None) => cpu::Cpu.copy(to, from, host),
            (Some(n), None) => upload(gpu(n)?, elements, source, stream),
            (None, Some(n)) => download(gpu(n)?, elements, source, stream),
            (Some(n), Some(m)) if n == m => within(gpu(n)?, elements, source, stream),
            (Some(n), Some(m)) => between(gpu(n)?, elements, gpu(m)?, source, stream),
        }
    }
}

/// # Safety
/// As [`Backend::copy`].
unsafe fn upload(gpu: &'static Gpu, to: &Strided, from: &Strided, stream: Stream) -> Result<()> {
    let mut gathered = Vec::new();
    let mut source = *from;
    if !from.is_contiguous() {
        gathered = vec![0u8; from.len() * from.size];
        source = dense(from, gathered.as_mut_ptr());
        // SAFETY: new memory of the same shape; the source is alive.
        unsafe { cpu::copy(&source, from) };
    }
    let bytes = from.len() * from.size;
    let current = gpu.enter()?;
    if !cuda::is_pinned(source.array.data as usize) {
        check_not_captured(stream)?;
    }
    let send = |to: *mut u8| {
        // SAFETY: both are alive and have so many bytes. The driver has read pageable memory when it returns.
        unsafe {
            current.driver().memcpy_h_to_d(
                to as CUdeviceptr,
                source.array.data.cast(),
                bytes,
                stream.handle as CUstream,
            )
        }
    };
    if to.is_contiguous() {
        return send(to.array.data);
    }
    let scratch = Scratch::new(gpu, to, stream)?;
    send(scratch.memory.data.as_ptr())?;
    drop(gathered);
    // SAFETY: the scratch is alive until the stream is done, and apart from everything.
    unsafe {
        State::of(gpu)?
            .copier(gpu)?
            .copy(to, &scratch.as_dense(to), stream)
    }
}

/// # Safety
/// As [`Backend::copy`].
unsafe fn download(gpu: &'static Gpu, to: &Strided, from: &Strided, stream: Stream) -> Result<()> {
    let current = gpu.enter()?;
    let bytes = from.len() * from.size;
    let goes_on = to.is_contiguous() && cuda::is_pinned(to.array.data as usize);
    if !goes_on {
        check_not_captured(stream)?;
    }
    let scratch = match from.is_contiguous() {
        true => None,
        false => {
            let scratch = Scratch::new(gpu, from, stream)?;
            // SAFETY: the scratch is apart from everything and lives until the stream is done.
            unsafe {
                State::of(gpu)?
                    .copier(gpu)?
                    .copy(&scratch.as_dense(from), from, stream)
            }?;
            Some(scratch)
        }
    };
    let source = scratch
        .as_ref()
        .map_or(from.array.data, |s| s.memory.data.as_ptr());
    let fetch = |to: *mut u8| {
        // SAFETY: both are alive and have so many bytes.
        unsafe {
            current.driver().memcpy_d_to_h(
                to.cast(),
                source as CUdeviceptr,
                bytes,
                stream.handle as CUstream,
            )
        }
    };
    if to.is_contiguous() {
        fetch(to.array.data)?;
        // Who asked for pinned memory wants to go on meanwhile.
        return match goes_on {
            true => Ok(()),
            false => wait::stream(gpu, stream),
        };
    }
    let mut gathered = vec![0u8; bytes];
    let fetched = fetch(gathered.as_mut_ptr());
    // Waited for whatever came of it: the driver may still write there.
    let waited = wait::stream(gpu, stream);
    fetched.and(waited)?;
    // SAFETY: private memory of the right size.
    unsafe { cpu::copy(to, &dense(to, gathered.as_mut_ptr())) };
    Ok(())
}

/// Refuses a copy that a graph could not repeat: between a GPU and memory of the host that may be gone by then, and whose
/// time of access is unknown.
fn check_not_captured(stream: Stream) -> Result<()> {
    if cuda::capture_of(stream)?.is_none() {
        return Ok(());
    }
    let text = "a copy between a GPU and memory of the host that is not pinned cannot be captured";
    let hint = "copy before the capture, or have the host's array made with pinned=True";
    Err(Error::new(Code::Runtime, text).hint(hint))
}

/// Writes bytes to memory of a GPU without reading memory of the host later.
///
/// # Safety
/// There is room for them at `at`, an aligned address.
unsafe fn write_words(
    driver: &Driver,
    at: CUdeviceptr,
    bytes: &[u8],
    stream: CUstream,
) -> Result<()> {
    let mut address = at;
    let words = bytes.chunks_exact(4);
    let rest = words.remainder();
    // SAFETY: promised by the caller.
    unsafe {
        for word in words {
            let word = c_uint::from_le_bytes([word[0], word[1], word[2], word[3]]);
            driver.memset_32(address, word, 1, stream)?;
            address += 4;
        }
        for byte in rest {
            driver.memset_8(address, *byte, 1, stream)?;
            address += 1;
        }
    }
    Ok(())
}

/// # Safety
/// As [`Backend::copy`].
unsafe fn within(gpu: &'static Gpu, to: &Strided, from: &Strided, stream: Stream) -> Result<()> {
    let (a, b) = (to.bytes(), from.bytes());
    if a.start < b.end && b.start < a.end {
        // The elements are read before any is written.
        let scratch = Scratch::new(gpu, from, stream)?;
        let middle = scratch.as_dense(from);
        // SAFETY: the scratch is apart from both.
        return unsafe {
            apart(gpu, &middle, from, stream)?;
            apart(gpu, to, &middle, stream)
        };
    }
    // SAFETY: as just seen.
    unsafe { apart(gpu, to, from, stream) }
}

/// # Safety
/// As [`Backend::copy`], and the two do not overlap.
unsafe fn apart(gpu: &'static Gpu, to: &Strided, from: &Strided, stream: Stream) -> Result<()> {
    if !(to.is_contiguous() && from.is_contiguous()) {
        // SAFETY: promised by the caller.
        return unsafe { State::of(gpu)?.copier(gpu)?.copy(to, from, stream) };
    }
    let current = gpu.enter()?;
    let (to, bytes) = (to.array.data as CUdeviceptr, from.len() * from.size);
    // SAFETY: promised by the caller.
    unsafe {
        current.driver().memcpy_d_to_d(
            to,
            from.array.data as CUdeviceptr,
            bytes,
            stream.handle as CUstream,
        )
    }
}

/// # Safety
/// As [`Backend::copy`]; the stream is one of `gpu`.
unsafe fn between(
    gpu: &'static Gpu,
    to: &Strided,
    other: &'static Gpu,
    from: &Strided,
    stream: Stream,
) -> Result<()> {
    let bytes = from.len() * from.size;
    let theirs = crate::device::current_stream(other.device())?;
    // Gathered where it is, sent, and scattered where it arrives.
    let gathered = match from.is_contiguous() {
        true => None,
        false => {
            let scratch = Scratch::new(other, from, theirs)?;
            // SAFETY: the scratch is apart from everything.
            unsafe { apart(other, &scratch.as_dense(from), from, theirs) }?;
            Some(scratch)
        }
    };
    cuda::join(stream, theirs)?;
    let arrived = match to.is_contiguous() {
        true => None,
        false => Some(Scratch::new(gpu, to, stream)?),
    };
    let source = gathered
        .as_ref()
        .map_or(from.array.data, |s| s.memory.data.as_ptr());
    let target = arrived
        .as_ref()
        .map_or(to.array.data, |s| s.memory.data.as_ptr());
    let contexts = [gpu, other].map(|g| g.context_handle().unwrap_or(0) as CUcontext);
    let current = gpu.enter()?;
    // SAFETY: promised by the caller; both contexts exist, since streams of them do.
    unsafe {
        current.driver().memcpy_peer(
            target as CUdeviceptr,
            contexts[0],
            source as CUdeviceptr,
            contexts[1],
            bytes,
            stream.handle as CUstream,
        )
    }?;
    if let Some(scratch) = &arrived {
        // SAFETY: the scratch is apart from everything.
        unsafe { apart(gpu, to, &scratch.as_dense(to), stream) }?;
    }
    // What was sent may be overwritten or given back only after that.
    cuda::join(theirs, stream)
}

/// Writes the bytes of one element to all of them, as [`Backend::fill`] says.
///
/// # Safety
/// As [`Backend::fill`].
///
/// # Errors
/// What the driver says.
pub unsafe fn fill(gpu: &'static Gpu, to: &Strided, element: &[u8], stream: Stream) -> Result<()> {
    if to.is_empty() || element.is_empty() {
        return Ok(());
    }
    if to.is_contiguous()
        && let Some(word) = Word::of(element)
    {
        // SAFETY: promised by the caller.
        return unsafe { word.fill(gpu, to, element.len(), stream) };
    }
    let one = Strided {
        array: crate::abi::ArrayArg::MISSING,
        ndim: 1,
        size: element.len(),
    };
    let scratch = Scratch::new(gpu, &one, stream)?;
    let at = scratch.memory.data.as_ptr();
    let current = gpu.enter()?;
    let captured = cuda::capture_of(stream)?.is_some();
    let mut repeated = *to;
    repeated.array.data = at;
    repeated.array.strides = [0; _];
    // SAFETY: the scratch has room for the element, which the driver has read when it returns; the copier reads it again and
    // again.
    unsafe {
        let handle = stream.handle as CUstream;
        match captured {
            false => current.driver().memcpy_h_to_d(
                at as CUdeviceptr,
                element.as_ptr().cast(),
                element.len(),
                handle,
            )?,
            // The graph would read the host's memory whenever it runs.
            true => write_words(current.driver(), at as CUdeviceptr, element, handle)?,
        }
        State::of(gpu)?.copier(gpu)?.copy(to, &repeated, stream)
    }
}

/// The smallest word of which an element consists.
enum Word {
    Byte(u8),
    Half(u16),
    Whole(c_uint),
}

impl Word {
    fn of(element: &[u8]) -> Option<Word> {
        let repeats = |n: usize| {
            element.len().is_multiple_of(n) && element.chunks(n).all(|c| c == &element[..n])
        };
        if repeats(1) {
            Some(Word::Byte(element[0]))
        } else if repeats(2) {
            Some(Word::Half(u16::from_le_bytes([element[0], element[1]])))
        } else if repeats(4) {
            Some(Word::Whole(c_uint::from_le_bytes([
                element[0], element[1], element[2], element[3],
            ])))
        } else {
            None
        }
    }

    /// # Safety
    /// As [`fill`]; `to` is contiguous.
    unsafe fn fill(self, gpu: &Gpu, to: &Strided, size: usize, stream: Stream) -> Result<()> {
        let current = gpu.enter()?;
        let (at, bytes) = (to.array.data as CUdeviceptr, to.len() * size);
        let (driver, stream) = (current.driver(), stream.handle as CUstream);
        // SAFETY: promised by the caller. Words are aligned: elements are, to their components.
        unsafe {
            match self {
                Word::Byte(b) => driver.memset_8(at, b, bytes, stream),
                Word::Half(h) => driver.memset_16(at, h, bytes / 2, stream),
                Word::Whole(w) => driver.memset_32(at, w, bytes / 4, stream),
            }
        }
    }
}
