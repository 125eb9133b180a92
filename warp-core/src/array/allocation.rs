//! Memory of our own.

use crate::backend::{self, Content, Memory};
use crate::device::Stream;
use crate::error::Result;

/// Memory that goes back to its device when this is dropped, on whatever thread.
#[derive(Debug)]
pub struct Allocation {
    memory: Memory,
    stream: Stream,
}

// SAFETY: the allocation is only an address range; who reads and writes it is the business of
// those who hold the pointer, as with every array shared with another library.
unsafe impl Send for Allocation {}
// SAFETY: as above; no method writes through a shared reference.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// New memory on the stream's device. It is given back in the order of the stream.
    ///
    /// # Errors
    /// [`crate::error::Code::Memory`] if there is not so much, [`crate::error::Code::Value`] if there is no such device.
    pub fn new(size: usize, content: Content, stream: Stream) -> Result<Allocation> {
        let memory = backend::of(stream.device)?.allocate(size, content, stream)?;
        Ok(Allocation { memory, stream })
    }
    /// The first byte.
    pub const fn data(&self) -> *mut u8 {
        self.memory.data.as_ptr()
    }
    /// Bytes that may be used.
    pub const fn size(&self) -> usize {
        self.memory.size
    }
    /// The stream in whose order the memory is given back.
    pub const fn stream(&self) -> Stream {
        self.stream
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // The device was there when the memory was made.
        if let Ok(backend) = backend::of(self.stream.device) {
            // SAFETY: this backend made the memory, and it is given back once, here.
            unsafe { backend.release(&self.memory, self.stream) }
        }
    }
}
