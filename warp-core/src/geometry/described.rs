//! Objects that kernels read by a description alone: words that say where arrays lie and what is in them.

use super::memory::Memory;
use crate::error::Result;
use crate::ir::ObjectKind;
use crate::objects::{Keeper, Registered};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// An object of words of 64 bits.
#[derive(Debug)]
pub struct Described {
    object: Registered,
}

impl Described {
    /// An object of these words, which keeps what they have addresses of.
    ///
    /// # Errors
    /// [`Code::Memory`](crate::error::Code::Memory) if there are too many objects.
    pub fn new(
        kind: ObjectKind,
        words: &[u64],
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<Described>> {
        let made = Arc::new(Described {
            object: Registered::new(kind, Box::new(laid_out(words, owner)))?,
        });
        let keeper: Arc<Keeper> = made.clone();
        made.object.is_kept_by(&keeper);
        Ok(made)
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.object.id()
    }

    /// Changes a word; kernels that run meanwhile read the one or the other.
    pub fn set(&self, n: usize, word: u64) {
        set_word(&self.object, n, word);
    }
}

/// Memory of these words, which keeps what they have addresses of.
pub fn laid_out(words: &[u64], owner: Box<dyn Any + Send + Sync>) -> Memory {
    let mut memory = Memory::zeros(2 * words.len());
    let halves = words
        .iter()
        .flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    for (to, half) in memory.words().iter_mut().zip(halves) {
        *to = half;
    }
    memory.keeps = Some(owner);
    memory
}

/// Changes a word of an object's memory.
pub fn set_word(object: &Registered, n: usize, word: u64) {
    object.with(|block| {
        let words = block.bytes().map_or(0, <[u8]>::len) / 8;
        if n < words {
            let at = (block.address() as *const AtomicU64).wrapping_add(n);
            // SAFETY: so many words lie there, at a multiple of 64 bytes; launches may read them meanwhile, nobody writes.
            unsafe { (*at).store(word, Relaxed) };
        }
    });
}
