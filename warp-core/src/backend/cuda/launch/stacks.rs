//! Room for what the threads of a launch record: memory that is made for the launch, in the order of its stream.
//!
//! How much a thread records is known beforehand, or seen in earlier launches of the kernel. A thread that needs more takes it from
//! memory that all share. Only where that is used up does a launch fail.

use crate::abi::ARENAS;
use crate::abi::grid::{GridLaunch, GridStack, Overflow};
use crate::backend::cuda::memory;
use crate::backend::cuda::memory::deferred::{Deferred, give_back_unless_captured};
use crate::backend::memory::{Content, Memory};
use crate::device::Stream;
use crate::device::cuda::{Gpu, Unhindered};
use crate::error::Result;
use crate::lower::StackUse;
use cudarc::driver::sys::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a unit.
const UNIT: u64 = 8;
/// Units that each thread gets of a stack of which nothing is known.
const UNKNOWN: u64 = 32;
/// The least memory that threads share, and how much of it there is for each of them.
const LEAST_SPARE: u64 = 16 << 20;
const SPARE_EACH: u64 = 4 << 10;

/// The stacks of a kernel, and what its launches have needed of them.
#[derive(Debug)]
pub struct Stacks {
    uses: Vec<StackUse>,
    /// By arena: the most units that a thread asked for.
    seen: [AtomicU64; ARENAS],
    /// Where the driver writes what a launch noted.
    noted: *mut Overflow,
    gpu: &'static Gpu,
}

// SAFETY: what the driver writes is read word by word, and any of its states will do.
unsafe impl Send for Stacks {}
// SAFETY: as above.
unsafe impl Sync for Stacks {}

/// The memory of one launch.
pub struct Room<'a> {
    stacks: &'a Stacks,
    memory: Vec<Memory>,
    overflow: u64,
    stream: Stream,
}

impl Stacks {
    /// The stacks of a kernel; none if it has none.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(gpu: &'static Gpu, uses: Vec<StackUse>) -> Result<Option<Stacks>> {
        if uses.is_empty() {
            return Ok(None);
        }
        let current = gpu.enter()?;
        let _unhindered = Unhindered::begin();
        let mut noted: *mut c_void = std::ptr::null_mut();
        // SAFETY: writes an address of memory that is large enough.
        unsafe {
            current
                .driver()
                .mem_host_alloc(&raw mut noted, size_of::<Overflow>(), 0)?;
            noted.cast::<Overflow>().write(Overflow::default());
        }
        Ok(Some(Stacks {
            uses,
            seen: Default::default(),
            noted: noted.cast(),
            gpu,
        }))
    }

    /// Units that each thread gets of a stack.
    fn units(&self, stack: &StackUse) -> u64 {
        let arena = usize::from(stack.arena);
        // SAFETY: aligned words of memory that stays as long as this.
        let noted = unsafe { (&raw const (*self.noted).wanted[arena]).read_volatile() };
        let seen = self.seen[arena]
            .fetch_max(noted, Ordering::Relaxed)
            .max(noted);
        stack.most.unwrap_or(seen.max(UNKNOWN))
    }

    /// The most blocks of a launch, so that its stacks leave most of the memory to others.
    pub fn most_blocks(&self, threads: u32) -> u32 {
        let units: u64 = self.uses.iter().map(|s| self.units(s)).sum();
        let block = (units * UNIT * u64::from(threads)).max(1);
        (self.limit() / block).clamp(1, i32::MAX as u64) as u32
    }

    /// Bytes that the stacks of one launch may take.
    fn limit(&self) -> u64 {
        self.gpu.total_memory as u64 / 4
    }

    /// Makes room for a launch and says in `launch` where it is.
    ///
    /// # Errors
    /// There is no memory.
    pub fn prepare(
        &self,
        launch: &mut GridLaunch,
        blocks: u32,
        threads: u32,
        stream: Stream,
    ) -> Result<Room<'_>> {
        let all = u64::from(blocks) * u64::from(threads);
        let mut room = Room {
            stacks: self,
            memory: Vec::new(),
            overflow: 0,
            stream,
        };
        for stack in &self.uses {
            let units = self.units(stack);
            launch.stacks[usize::from(stack.arena)] = GridStack {
                base: room.take(units * UNIT * all, Content::Any)?,
                room: units as i64,
            };
        }
        let known = self.uses.iter().all(|s| s.most.is_some());
        launch.overflow = room
            .take(size_of::<Overflow>() as u64, Content::Zeros)?
            .cast();
        room.overflow = launch.overflow as u64;
        launch.spare_size = match known {
            true => 0,
            false => (all * SPARE_EACH)
                .max(LEAST_SPARE)
                .min(self.limit())
                .next_multiple_of(UNIT) as i64,
        };
        launch.spare = room.take(launch.spare_size as u64, Content::Any)?;
        Ok(room)
    }
}

impl Room<'_> {
    fn take(&mut self, bytes: u64, content: Content) -> Result<*mut u8> {
        let memory = memory::allocate(self.stacks.gpu, bytes as usize, content, self.stream)?;
        let at = memory.data.as_ptr();
        self.memory.push(memory);
        Ok(at)
    }

    /// Lets the stream say what the launch noted, once it is done.
    ///
    /// # Errors
    /// What the driver says.
    pub fn note(&self) -> Result<()> {
        let current = self.stacks.gpu.enter()?;
        let (to, bytes) = (self.stacks.noted.cast(), size_of::<Overflow>());
        // SAFETY: both have so many bytes; the memory on the host stays until everything on the GPU is done.
        unsafe {
            current
                .driver()
                .memcpy_d_to_h(to, self.overflow, bytes, self.stream.handle as CUstream)
        }
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        for memory in &self.memory {
            // SAFETY: made here; only what the stream was given uses it.
            unsafe { memory::release(self.stacks.gpu, memory, self.stream) };
        }
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: made here; only what streams were given writes there.
        unsafe { give_back_unless_captured(Deferred::Host(self.noted as usize)) };
    }
}
