//! The table in which kernels on a GPU look up objects by their ids.

use crate::abi::object::{ENTRY_SIZE, GridObject, SLOT_BITS};
use crate::device::cuda::{Gpu, Unhindered};
use crate::error::Result;
use cudarc::driver::sys::*;
use std::ffi::c_void;

/// The table of a GPU: an entry for each slot, in its memory, until the process ends. Kernels that were recorded in graphs know where
/// it lies.
#[derive(Debug)]
pub struct Objects {
    at: CUdeviceptr,
    /// The stream on which it is written, and no kernel runs.
    stream: usize,
}

impl Objects {
    /// A table without objects.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(gpu: &Gpu) -> Result<Objects> {
        let current = gpu.enter()?;
        let _unhindered = Unhindered::begin();
        let (mut at, mut stream): (CUdeviceptr, CUstream) = (0, std::ptr::null_mut());
        let size = ENTRY_SIZE << SLOT_BITS;
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let driver = current.driver();
        // SAFETY: each writes what its pointer is to; the memory has this size, and nothing else uses it.
        unsafe {
            driver.stream_create(&raw mut stream, flags, 0)?;
            driver.mem_alloc(&raw mut at, size)?;
            driver.memset_8(at, 0, size, stream)?;
            driver.stream_synchronize(stream)?;
        }
        let stream = stream as usize;
        Ok(Objects { at, stream })
    }

    /// Where it lies.
    pub const fn address(&self) -> *const GridObject {
        self.at as *const GridObject
    }

    /// Writes an entry, and waits until it is written.
    ///
    /// # Errors
    /// What the driver says.
    pub fn write(&self, gpu: &Gpu, slot: usize, entry: GridObject) -> Result<()> {
        let current = gpu.enter()?;
        let _unhindered = Unhindered::begin();
        let (driver, stream) = (current.driver(), self.stream as CUstream);
        let to = self.at + (slot * ENTRY_SIZE) as CUdeviceptr;
        let from = (&raw const entry).cast::<c_void>();
        // SAFETY: an entry of the table, which no kernel asks for now, and one of ours, which stays until it has been read.
        unsafe {
            driver.memcpy_h_to_d(to, from, ENTRY_SIZE, stream)?;
            driver.stream_synchronize(stream)
        }
    }
}
