//! What the disk cache keeps of a kernel, and under which key.
//!
//! The key is of the kernel's IR and of the sources of this crate, not of the lowered text: a kernel that the cache has is
//! not lowered again. An entry names places in the user's text by their number in the IR, so that a comment in a kernel
//! costs no compile.

use crate::abi::{Change, ChangedArrays, Passed, Summed};
use crate::cache::Key;
use crate::dtype::TABLE;
use crate::ir::Func;
use crate::ir::digest::identity;
use crate::lower::{Conditions, Lowered, Options, Printed, StackUse};
use crate::span::{Source, Span};

/// The sources that this library was built of, `build.rs` says.
const SOURCES: &str = env!("WARP_CORE_SOURCES");

/// How an array is changed, as an entry spells it.
const NO_CHANGE: u32 = 0;
const NON_ATOMIC: u32 = 1;
const IN_MEMORY: u32 = 2;
const SUMMED: u32 = 3;

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
    /// Whether threads of a GPU reduce sums in registers.
    pub reduces: bool,
    /// Whether threads of a GPU ask for objects.
    pub queries: bool,
    /// What a launch on a GPU asks for the body for dense arrays.
    pub dense: Conditions,
    /// The number of threads in a gang.
    pub gang: u32,
    /// Which arrays are changed by atomic operations.
    pub changed: ChangedArrays,
    /// What each `print` prints, where the program that launches does it.
    pub prints: Vec<Printed>,
    /// The stacks that a launch makes room for.
    pub stacks: Vec<StackUse>,
    /// What the compiler made.
    pub code: &'a [u8],
}

/// What code says of lines besides: those of all places, and the kernel's name.
fn located(func: &Func, sources: &[Source], spans: &[Span]) -> String {
    format!("{} {sources:?} {spans:?}", func.name)
}

impl Request {
    /// For a kernel on a kind of device; `target` is the machine and its compiler.
    pub fn new(func: &Func, options: &Options, kind: &str, target: &str) -> Request {
        let identity = identity(func);
        let Options {
            name,
            non_atomic,
            check_bounds,
            own,
            check_division,
            fast_compile,
            contract,
            approximate,
            lanes,
            vector,
            gathers,
            lines,
        } = options;
        let non_atomic: Vec<u8> = non_atomic.iter().map(|p| u8::from(*p)).collect();
        let flags = [
            check_bounds,
            own,
            check_division,
            fast_compile,
            contract,
            approximate,
            gathers,
        ];
        let lines = lines
            .as_deref()
            .map(|sources| located(func, sources, &identity.spans));
        let key = Key::of(&[
            kind.as_bytes(),
            SOURCES.as_bytes(),
            target.as_bytes(),
            name.as_bytes(),
            &non_atomic,
            &flags.map(|flag| u8::from(*flag)),
            &[lanes.tag(), *vector as u8],
            &identity.bytes,
            lines.unwrap_or_default().as_bytes(),
        ]);
        Request {
            key,
            spans: identity.spans,
        }
    }

    /// What is to be kept of a kernel that was lowered and compiled.
    pub fn write(&self, lowered: &Lowered, code: &[u8]) -> Vec<u8> {
        let mut entry = Vec::with_capacity(16 + 4 * lowered.spans.len() + code.len());
        let number = |entry: &mut Vec<u8>, n: usize| entry.extend((n as u32).to_le_bytes());
        // All in one number.
        let flags = [lowered.in_order, lowered.reduces, lowered.queries];
        let flags =
            (flags.iter().zip(0..)).fold(0, |all, (flag, bit)| all | u32::from(*flag) << bit);
        entry.extend((flags | lowered.gang << 3).to_le_bytes());
        number(&mut entry, lowered.spans.len());
        let numbers: std::collections::HashMap<_, _> = (self.spans.iter().zip(0u32..)).collect();
        for span in &lowered.spans {
            // Lowering takes places from statements only.
            entry.extend(numbers[span].to_le_bytes());
        }
        number(&mut entry, lowered.changed.block as usize);
        number(&mut entry, lowered.changed.arrays.len());
        for array in &lowered.changed.arrays {
            // How it is changed, the bit, the type's place in the table, and the number of dimensions.
            let [how, bit, ty, adds] = match array.change {
                None => [NO_CHANGE, 0, 0, 0],
                Some(Change::NonAtomic) => [NON_ATOMIC, 0, 0, 0],
                Some(Change::InMemory) => [IN_MEMORY, 0, 0, 0],
                Some(Change::Summed(s)) => [SUMMED, s.bit.into(), s.scalar as u32, s.adds],
            };
            entry.extend([how as u8, bit as u8, ty as u8, array.ndim]);
            for n in [array.offset, array.size, adds] {
                entry.extend(n.to_le_bytes());
            }
        }
        number(&mut entry, lowered.prints.len());
        for text in lowered.prints.iter().flat_map(|p| [&p.format, &p.tags]) {
            number(&mut entry, text.len());
            entry.extend_from_slice(text.as_bytes());
        }
        number(&mut entry, lowered.stacks.len());
        for stack in &lowered.stacks {
            number(&mut entry, stack.arena.into());
            // No stack has so many units.
            entry.extend(stack.most.unwrap_or(u64::MAX).to_le_bytes());
        }
        lowered.dense.encode(&mut entry);
        entry.extend_from_slice(code);
        entry
    }

    /// An entry that [`Request::write`] made for the same key; None if it is something else.
    pub fn read<'a>(&self, entry: &'a [u8]) -> Option<Stored<'a>> {
        let mut rest = Reader(entry);
        let first = rest.number()?;
        let [in_order, reduces, queries] = [1, 2, 4].map(|flag| first & flag != 0);
        let spans = (0..rest.number()?)
            .map(|_| self.spans.get(rest.number()? as usize).copied())
            .collect::<Option<_>>()?;
        let changed = ChangedArrays {
            block: rest.number()?,
            arrays: (0..rest.number()?)
                .map(|_| rest.passed())
                .collect::<Option<_>>()?,
        };
        let prints = (0..rest.number()?)
            .map(|_| {
                Some(Printed {
                    format: rest.text()?,
                    tags: rest.text()?,
                })
            })
            .collect::<Option<_>>()?;
        let stacks = (0..rest.number()?)
            .map(|_| {
                let arena = u8::try_from(rest.number()?).ok()?;
                let most = u64::from_le_bytes(rest.take(8)?.try_into().ok()?);
                let most = (most != u64::MAX).then_some(most);
                Some(StackUse { arena, most })
            })
            .collect::<Option<_>>()?;
        let dense = Conditions::decode(&mut rest.0)?;
        Some(Stored {
            spans,
            in_order,
            reduces,
            queries,
            dense,
            gang: first >> 3,
            changed,
            prints,
            stacks,
            code: rest.0,
        })
    }
}

/// What is left of an entry.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
    fn passed(&mut self) -> Option<Passed> {
        let head = self.number()?.to_le_bytes();
        let (offset, size, adds) = (self.number()?, self.number()?, self.number()?);
        let change = match head[0].into() {
            NO_CHANGE => None,
            NON_ATOMIC => Some(Change::NonAtomic),
            IN_MEMORY => Some(Change::InMemory),
            SUMMED => Some(Change::Summed(Summed {
                bit: head[1],
                scalar: TABLE.get(usize::from(head[2]))?.scalar,
                adds,
            })),
            _ => return None,
        };
        Some(Passed {
            offset,
            ndim: head[3],
            size,
            change,
        })
    }
    fn text(&mut self) -> Option<String> {
        let length = self.number()? as usize;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Scalar;

    #[test]
    fn an_entry_reads_as_it_was_written() {
        let func = crate::ir::read("kernel k() {\n}\n").expect("it is well formed");
        let request = Request::new(&func, &Options::default(), "cuda", "sm_80");
        let passed = |change| Passed {
            offset: 72,
            ndim: 1,
            size: 8,
            change,
        };
        let lowered = Lowered {
            gang: 8,
            changed: ChangedArrays {
                block: 128,
                arrays: vec![
                    Passed {
                        offset: 16,
                        ndim: 2,
                        size: 12,
                        change: Some(Change::Summed(Summed {
                            bit: 0,
                            scalar: Scalar::F32,
                            adds: 9,
                        })),
                    },
                    passed(None),
                    passed(Some(Change::NonAtomic)),
                    passed(Some(Change::InMemory)),
                ],
            },
            report: Vec::new(),
            text: String::new(),
            spans: Vec::new(),
            prints: vec![Printed {
                format: "%d é\n".into(),
                tags: "i".into(),
            }],
            in_order: true,
            reduces: true,
            queries: true,
            dense: Conditions::default(),
            stacks: vec![
                StackUse {
                    arena: 0,
                    most: Some(7),
                },
                StackUse {
                    arena: 4,
                    most: None,
                },
            ],
        };
        let entry = request.write(&lowered, b"code");
        let read = request.read(&entry).expect("it is what was written");
        assert!(read.in_order && read.gang == 8 && read.code == b"code");
        assert!(read.reduces && read.queries);
        assert_eq!((read.prints, read.stacks), (lowered.prints, lowered.stacks));
        assert_eq!(read.changed, lowered.changed);
        let short = (0..entry.len() - 4).filter(|n| request.read(&entry[..*n]).is_some());
        assert_eq!(short.count(), 0);
        let other = Request::new(&func, &Options::default(), "cuda", "sm_90");
        assert_ne!(request.key, other.key);
    }
}
