//! Memory of our own.

use super::placement::Placement;
use super::tracking;
use crate::backend::{self, Content, Memory, Origin, cuda};
use crate::device::{Device, Stream};
use crate::error::Result;
use std::any::Any;
use std::sync::OnceLock;

/// Something that goes when the memory does, made when it is first needed.
pub(super) type Attached = OnceLock<Box<dyn Any + Send + Sync>>;

/// Memory that goes back to its device when this is dropped, on whatever thread.
#[derive(Debug)]
pub struct Allocation {
    memory: Memory,
    stream: Stream,
    /// Whether this is recorded.
    tracked: bool,
    attached: Attached,
}

// SAFETY: the allocation is only an address range; who reads and writes it is the business of
// those who hold the pointer, as with every array shared with another library.
unsafe impl Send for Allocation {}
// SAFETY: as above; no method writes through a shared reference.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// New memory. It is given back in the order of its stream.
    ///
    /// # Errors
    /// [`crate::error::Code::Memory`] if there is not so much, [`crate::error::Code::Value`] if there is no such device.
    pub fn new(size: usize, content: Content, at: impl Into<Placement>) -> Result<Allocation> {
        let at = at.into();
        let stream = at.stream()?;
        let pinned = match at.device == Device::Cpu && at.pinned {
            true => cuda::pinned::allocate(size, content)?,
            false => None,
        };
        let memory = match pinned {
            Some(memory) => memory,
            None => backend::of(stream.device)?.allocate(size, content, stream)?,
        };
        let tracked = tracking::active() && size > 0;
        if tracked {
            tracking::made(memory.data.as_ptr() as usize, size, stream.device);
        }
        Ok(Allocation {
            memory,
            stream,
            tracked,
            attached: Attached::new(),
        })
    }
    /// What lives as long as the memory does.
    pub(super) const fn attached(&self) -> &Attached {
        &self.attached
    }
    /// The first byte.
    pub const fn data(&self) -> *mut u8 {
        self.memory.data.as_ptr()
    }
    /// Bytes that may be used.
    pub const fn size(&self) -> usize {
        self.memory.size
    }
    /// The allocator of its device that the memory came from.
    pub const fn origin(&self) -> Origin {
        self.memory.origin
    }
    /// Says what the memory is for, while memory is tracked.
    #[inline]
    pub fn describe(&self, what: impl FnOnce() -> String) {
        if self.tracked {
            tracking::describe(self.data() as usize, what());
        }
    }
    /// The stream in whose order the memory is given back.
    pub const fn stream(&self) -> Stream {
        self.stream
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.tracked {
            tracking::gone(self.data() as usize);
        }
        if self.memory.origin == Origin::Pinned {
            // SAFETY: made by it, and given back once, here.
            return unsafe { cuda::pinned::release(&self.memory) };
        }
        // The device was there when the memory was made.
        if let Ok(backend) = backend::of(self.stream.device) {
            // SAFETY: this backend made the memory, and it is given back once, here.
            unsafe { backend.release(&self.memory, self.stream) }
        }
    }
}
