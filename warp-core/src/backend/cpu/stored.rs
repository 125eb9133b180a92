//! What the disk cache keeps of a kernel, and under which key.
//!
//! The key is of the kernel's IR and of the sources of this crate, not of the lowered text: a kernel that the cache has is
//! not lowered again. An entry names places in the user's text by their number in the IR, so that a comment in a kernel
//! costs no compile.

use crate::cache::Key;
use crate::ir::Func;
use crate::ir::digest::identity;
use crate::lower::{Lowered, Options};
use crate::span::Span;

/// The sources that this library was built of, `build.rs` says.
const SOURCES: &str = env!("WARP_CORE_SOURCES");

/// What an entry is kept under, and what its numbers of places mean.
pub struct Request {
    /// The key.
    pub key: Key,
    spans: Vec<Span>,
}

/// A kernel as the cache keeps it.
#[derive(Debug)]
pub struct Stored<'a> {
    /// What run-time errors name by index.
    pub spans: Vec<Span>,
    /// Whether threads are to run in index order.
    pub in_order: bool,
    /// The object file.
    pub object: &'a [u8],
}

impl Request {
    /// For a kernel on `host`, the machine and its compiler.
    pub fn new(func: &Func, options: &Options, host: &str) -> Request {
        let identity = identity(func);
        let Options {
            name,
            plain,
            check_bounds,
            check_division,
        } = options;
        let plain: Vec<u8> = plain.iter().map(|p| u8::from(*p)).collect();
        let checks = [u8::from(*check_bounds), u8::from(*check_division)];
        let key = Key::of(&[
            b"cpu",
            SOURCES.as_bytes(),
            host.as_bytes(),
            name.as_bytes(),
            &plain,
            &checks,
            &identity.bytes,
        ]);
        Request {
            key,
            spans: identity.spans,
        }
    }

    /// What is to be kept of a kernel that was lowered and compiled.
    pub fn write(&self, lowered: &Lowered, object: &[u8]) -> Vec<u8> {
        let mut entry = Vec::with_capacity(8 + 4 * lowered.spans.len() + object.len());
        entry.extend(u32::from(lowered.in_order).to_le_bytes());
        entry.extend((lowered.spans.len() as u32).to_le_bytes());
        let numbers: std::collections::HashMap<_, _> = (self.spans.iter().zip(0u32..)).collect();
        for span in &lowered.spans {
            // Lowering takes places from statements only.
            entry.extend(numbers[span].to_le_bytes());
        }
        entry.extend_from_slice(object);
        entry
    }

    /// An entry that [`Request::write`] made for the same key; None if it is something else.
    pub fn read<'a>(&self, entry: &'a [u8]) -> Option<Stored<'a>> {
        let (in_order, rest) = number(entry)?;
        let (count, rest) = number(rest)?;
        let (numbers, object) = rest.split_at_checked(4 * count as usize)?;
        let spans = (numbers.chunks_exact(4))
            .map(|n| self.spans.get(number(n)?.0 as usize).copied())
            .collect::<Option<_>>()?;
        Some(Stored {
            spans,
            in_order: in_order != 0,
            object,
        })
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (n, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*n), rest))
}
