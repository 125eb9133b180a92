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

/// Copies of the arrays that an object of these bytes has addresses of, for the interpreter: points, velocities and indices of a
/// mesh, the grid of a volume.
///
/// # Safety
/// The arrays are there, and nothing writes them meanwhile.
pub unsafe fn named(kind: ObjectKind, bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let word = |n: usize| {
        let bytes = bytes.get(8 * n..8 * n + 8);
        bytes.map_or(0, |b| u64::from_le_bytes(b.try_into().expect("eight")))
    };
    let arrays = match kind {
        ObjectKind::Mesh => [(2, 4, 12), (5, 7, 12), (8, 9, 4)]
            .map(|(at, count, size)| (word(at), word(count) as usize * size))
            .to_vec(),
        _ if ObjectKind::Volume.admits(kind as u8) && word(0) != 0 => {
            // SAFETY: the size of a grid stands in its header.
            vec![(word(0), unsafe { *((word(0) + 32) as *const u64) } as usize)]
        }
        _ => Vec::new(),
    };
    let there = arrays
        .into_iter()
        .filter(|(at, size)| *at != 0 && *size != 0);
    // SAFETY: the caller's promise.
    let copy = |(at, size)| unsafe { std::slice::from_raw_parts(at as *const u8, size) }.to_vec();
    there.map(|(at, size)| (at, copy((at, size)))).collect()
}
