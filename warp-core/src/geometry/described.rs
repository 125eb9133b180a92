//! Objects that kernels read by a description alone: words that say where arrays lie and what is in them.

use super::memory::Memory;
use super::storage::Storage;
use crate::device::Device;
use crate::error::Result;
use crate::ir::ObjectKind;
use crate::objects::Keeper;
use std::any::Any;
use std::sync::Arc;

/// An object of words of 64 bits.
#[derive(Debug)]
pub struct Described {
    storage: Storage,
}

impl Described {
    /// An object of these words, which keeps what they have addresses of.
    ///
    /// # Errors
    /// [`Code::Memory`](crate::error::Code::Memory) if there are too many objects; what the device says.
    pub fn new(
        kind: ObjectKind,
        words: &[u64],
        owner: Box<dyn Any + Send + Sync>,
        device: Device,
    ) -> Result<Arc<Described>> {
        let made = Arc::new(Described {
            storage: Storage::new(kind, laid_out(words, owner), device)?,
        });
        let keeper: Arc<Keeper> = made.clone();
        made.storage.is_kept_by(&keeper);
        Ok(made)
    }

    /// The number that kernels know it by.
    pub fn id(&self) -> u64 {
        self.storage.id()
    }

    /// What it is.
    pub fn kind(&self) -> ObjectKind {
        self.storage.kind()
    }

    /// Changes a word; kernels that run meanwhile read the one or the other.
    ///
    /// # Errors
    /// What the device says.
    pub fn set(&self, n: usize, word: u64) -> Result<()> {
        self.storage.set_word(n, word)
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
