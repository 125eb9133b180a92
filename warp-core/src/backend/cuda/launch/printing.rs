//! What kernels on GPUs print: they write records into memory of the host, and the stream prints them when the kernel is done.

use crate::abi::grid::PrintHeader;
use crate::backend::cpu::print;
use crate::device::cuda::{Gpu, Unhindered};
use crate::error::Result;
use crate::lower::Printed;
use cudarc::driver::sys::*;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes for the records of a launch. What does not fit is counted.
const ROOM: usize = 1 << 20;

/// Memory of the host that kernels write records to.
#[derive(Debug)]
struct Buffer(*mut PrintHeader);

// SAFETY: whoever has the value has the memory: a launch, and then who prints what came of it.
unsafe impl Send for Buffer {}

/// Buffers that no launch has. They are never given back: the driver cannot be called where launches end.
static SPARE: Mutex<Vec<Buffer>> = Mutex::new(Vec::new());

impl Buffer {
    fn take(gpu: &Gpu) -> Result<Buffer> {
        if let Some(buffer) = spare().pop() {
            return Ok(buffer);
        }
        let current = gpu.enter()?;
        let _unhindered = Unhindered::begin();
        let mut memory: *mut c_void = std::ptr::null_mut();
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: writes an address.
        unsafe {
            current
                .driver()
                .mem_host_alloc(&raw mut memory, ROOM, flags)
        }?;
        let buffer = Buffer(memory.cast());
        buffer.clear();
        Ok(buffer)
    }

    fn clear(&self) {
        let header = PrintHeader {
            wanted: 0,
            size: (ROOM - size_of::<PrintHeader>()) as u64,
        };
        // SAFETY: the memory is large enough, aligned to pages, and no kernel writes it now.
        unsafe { self.0.write_volatile(header) };
    }

    /// The text of all records.
    fn text(&self, prints: &[Printed]) -> String {
        // SAFETY: the kernel is done.
        let header = unsafe { self.0.read_volatile() };
        let end = header.wanted.min(header.size) as usize / 8;
        // SAFETY: as above; words behind the header, inside the memory.
        let words = unsafe { std::slice::from_raw_parts(self.0.add(1).cast::<u64>(), end) };
        let (mut text, mut at) = (String::new(), 0);
        while let Some(printed) = words
            .get(at)
            .and_then(|number| prints.get(*number as usize))
        {
            let tags = printed.tags.as_bytes();
            let Some(slots) = words.get(at + 1..at + 1 + tags.len()) else {
                break;
            };
            // SAFETY: lowering writes no strings as values.
            text += &print::format(&printed.format, &unsafe { print::values(tags, slots) });
            at += 1 + tags.len();
        }
        if header.wanted > header.size {
            text += &format!(
                "(a kernel printed {} bytes of values; there is room for {})\n",
                header.wanted, header.size
            );
        }
        text
    }
}

fn spare() -> MutexGuard<'static, Vec<Buffer>> {
    SPARE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one launch prints.
pub struct Printing {
    buffer: Option<Buffer>,
    prints: Arc<[Printed]>,
    /// Whether the launch is part of a graph, so that it comes again.
    again: bool,
}

impl Printing {
    /// Room for what a launch prints. With `again` it prints whenever a graph runs, and its memory stays.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(gpu: &Gpu, prints: &Arc<[Printed]>, again: bool) -> Result<Box<Printing>> {
        Ok(Box::new(Printing {
            buffer: Some(Buffer::take(gpu)?),
            prints: prints.clone(),
            again,
        }))
    }

    /// What the kernel is given.
    pub fn address(&self) -> *mut PrintHeader {
        self.buffer.as_ref().map_or(std::ptr::null_mut(), |b| b.0)
    }

    /// Lets a stream print after what it was given.
    ///
    /// # Safety
    /// The launch that writes the buffer was the last that the stream was given.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn enqueue(self: Box<Printing>, gpu: &Gpu, stream: CUstream) -> Result<()> {
        let current = gpu.enter()?;
        let data = Box::into_raw(self).cast();
        // SAFETY: the box is the function's, which the stream calls once, or whenever its graph runs.
        unsafe {
            current
                .driver()
                .launch_host_function(stream, print_records, data)
        }
    }
}

/// Prints the records of a launch.
///
/// # Safety
/// `data` is a [`Printing`] that [`Printing::enqueue`] handed over.
unsafe extern "C" fn print_records(data: *mut c_void) {
    let printing = data.cast::<Printing>();
    // SAFETY: promised by the caller; the stream calls one function at a time.
    let this = unsafe { &mut *printing };
    if let Some(buffer) = &this.buffer {
        print::write_stdout(buffer.text(&this.prints).as_bytes());
        buffer.clear();
    }
    if !this.again {
        spare().extend(this.buffer.take());
        // SAFETY: this was the only call.
        drop(unsafe { Box::from_raw(printing) });
    }
}
