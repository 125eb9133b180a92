//! The memory of an object on the host.

use crate::objects::Block;
use std::any::Any;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes at a multiple of 64.
#[derive(Debug, Default)]
pub struct Memory {
    lines: Vec<Line>,
    size: usize,
    /// The words that are the order of its items.
    pub order: Range<usize>,
    /// What is the same in all memories of the same number: all that a fit leaves as it is. 0 is that of no other memory.
    pub plan: u64,
    /// What it has addresses of, which lives as long as it does.
    pub keeps: Option<Box<dyn Any + Send + Sync>>,
}

/// A cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u32; 16]);

impl Memory {
    /// So many words of 32 bits, zeros.
    pub fn zeros(words: usize) -> Memory {
        Memory {
            lines: vec![Line([0; 16]); words.div_ceil(16)],
            size: 4 * words,
            order: 0..0,
            plan: 0,
            keeps: None,
        }
    }

    /// The same memory for so many words, zeros, if there is enough.
    pub fn again(mut self, words: usize) -> Memory {
        let lines = words.div_ceil(16);
        if lines > self.lines.len() {
            return Memory::zeros(words);
        }
        self.lines[..lines].fill(Line([0; 16]));
        self.size = 4 * words;
        self.order = 0..0;
        self.plan = 0;
        self.keeps = None;
        self
    }

    /// Gives it a plan of its own.
    pub fn plan_anew(&mut self) {
        static LAST: AtomicU64 = AtomicU64::new(0);
        self.plan = 1 + LAST.fetch_add(1, Relaxed);
    }

    /// Whether a fit needs to write only what a fit changes, to be a fit of another one.
    pub fn fits(&self, other: &Memory) -> bool {
        other.plan != 0 && other.plan == self.plan
    }

    /// A copy of what it holds, of the same plan.
    pub fn copied(&self) -> Memory {
        Memory {
            lines: self.lines.clone(),
            size: self.size,
            order: self.order.clone(),
            plan: self.plan,
            keeps: None,
        }
    }

    /// A word of 64 bits, which kernels may read meanwhile.
    pub fn word(&self, n: usize) -> Option<&AtomicU64> {
        if n >= self.size / 8 {
            return None;
        }
        let at = (self.lines.as_ptr().cast::<AtomicU64>()).wrapping_add(n);
        // SAFETY: so many words lie there, at a multiple of 64 bytes; whoever changes them meanwhile does it like this.
        Some(unsafe { &*at })
    }

    /// The words.
    pub fn words(&mut self) -> &mut [u32] {
        let count = self.size / 4;
        // SAFETY: lines are words, and there are at least so many.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), count) }
    }
}

impl Block for Memory {
    fn address(&self) -> u64 {
        self.lines.as_ptr() as u64
    }
    fn bytes(&self) -> Option<&[u8]> {
        // SAFETY: lines are bytes, and there are at least so many.
        Some(unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.size) })
    }
    fn order(&self) -> &[u32] {
        let count = self.size / 4;
        // SAFETY: as in `words`.
        let words = unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), count) };
        words.get(self.order.clone()).unwrap_or(&[])
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Asks for the memory of a value before it is read, cache line by cache line. The address may be any.
#[inline(always)]
pub fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<T>()).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, so that no address is wrong.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast::<i8>().wrapping_add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
