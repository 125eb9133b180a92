//! What a piece of work may touch: a snapshot of the allocations, so that the lock is free while it runs.
use super::allocation::Origin;
use super::backing::Backing;
use crate::driver::base::Handle;
use crate::machine::Memory;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An allocation as a view sees it.
pub struct Range {
    base: u64,
    bytes: u64,
    origin: Origin,
    /// Work with a later ticket may not touch it.
    freed: u64,
    backing: Arc<Backing>,
}

impl Range {
    pub fn new(
        base: u64,
        bytes: u64,
        origin: Origin,
        freed: Option<u64>,
        backing: Arc<Backing>,
    ) -> Range {
        Range {
            base,
            bytes,
            origin,
            freed: freed.unwrap_or(u64::MAX),
            backing,
        }
    }
}

/// The allocations that a piece of work may touch.
pub struct View {
    ranges: Arc<Vec<Range>>,
    ticket: u64,
    device: u32,
    contexts: Vec<Handle>,
    /// The range of the last access: most accesses of a kernel go to few allocations.
    last: AtomicUsize,
}

impl View {
    pub fn new(ranges: Arc<Vec<Range>>, ticket: u64, device: u32, contexts: Vec<Handle>) -> View {
        View {
            ranges,
            ticket,
            device,
            contexts,
            last: AtomicUsize::new(0),
        }
    }

    fn has_access(&self, range: &Range) -> bool {
        if range.freed < self.ticket {
            return false;
        }
        match range.origin {
            _ if self.contexts.is_empty() => true,
            Origin::Host { .. } => true,
            Origin::Context(context) => self.contexts.contains(&context),
            Origin::Pool { accessible, .. } => accessible >> self.device & 1 == 1,
        }
    }

    /// Why `at` gave nothing, for the sentence of a fault.
    pub fn reason(&self, address: u64, bytes: u64) -> String {
        let after = self.ranges.partition_point(|r| r.base <= address);
        let near = after.checked_sub(1).map(|i| &self.ranges[i]);
        match near {
            Some(r) if address - r.base < r.bytes && r.freed < self.ticket => {
                format!(
                    "{bytes} bytes at {address:#x}: the memory was freed before this work was enqueued"
                )
            }
            Some(r) if address - r.base < r.bytes && !self.has_access(r) => {
                format!(
                    "{bytes} bytes at {address:#x}: memory of another device or context, without access to it"
                )
            }
            Some(r) if address - r.base < r.bytes + 4096 => {
                format!(
                    "{bytes} bytes at {address:#x}: outside the {} bytes at {:#x}",
                    r.bytes, r.base
                )
            }
            _ => {
                format!("{bytes} bytes at {address:#x}: no memory there, or not yet, or no longer")
            }
        }
    }
}

impl Memory for View {
    fn at(&self, address: u64, bytes: u64) -> Option<NonNull<u8>> {
        let holds = |r: &Range| address >= r.base && address - r.base < r.bytes;
        let last = self.last.load(Ordering::Relaxed);
        let range = match self.ranges.get(last) {
            Some(range) if holds(range) => range,
            _ => {
                let index = self
                    .ranges
                    .partition_point(|r| r.base <= address)
                    .checked_sub(1)?;
                self.last.store(index, Ordering::Relaxed);
                self.ranges.get(index).filter(|r| holds(r))?
            }
        };
        let offset = address - range.base;
        if bytes > range.bytes - offset || !self.has_access(range) {
            return None;
        }
        // SAFETY: inside the range's bytes, which live as long as this view.
        Some(unsafe { range.backing.start().add(offset as usize) })
    }
}
