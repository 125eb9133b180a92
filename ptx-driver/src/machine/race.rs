//! Who touched what: races between threads of a grid.
//!
//! Two accesses are ordered by a barrier of their block between them, or by one of their warp. Where a kernel has fences, two accesses
//! also count as ordered if the first one's block fenced afterwards and the second one's block then looked at an atomic:
//! that may be luck, so races in such kernels can be missed. None is reported that is not one.

use crate::ptx::Space;
use std::collections::HashMap;

use super::access::Use;

/// Bytes that are kept together.
const PAGE: u64 = 256;

/// One access to a byte.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Touch {
    /// Number in the grid, from 1; 0 is nobody.
    thread: u64,
    /// How many barriers its block and its warp had passed.
    block_epoch: u32,
    warp_epoch: u32,
    line: u32,
    time: u32,
    /// Atomic, volatile, or with an order.
    strong: bool,
    pub writes: bool,
}

/// The last two writers and readers of a byte; the two of each are different threads.
#[derive(Clone, Copy, Default)]
struct Byte {
    writes: [Touch; 2],
    reads: [Touch; 2],
}

/// Who accesses, and where the access stands.
pub(super) struct Actor {
    pub block: u64,
    /// Number in the block.
    pub thread: u32,
    pub line: u32,
    pub how: Use,
    pub strong: bool,
}

/// The other side of a race.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub block: u64,
    pub thread: u32,
    pub line: usize,
    pub writes: bool,
    pub address: u64,
}

type Pages = HashMap<u64, Box<[Byte; PAGE as usize]>>;

/// What was touched in a grid.
pub(super) struct Races {
    global: Pages,
    shared: Pages,
    threads: u64,
    fences: bool,
    time: u32,
    block_epoch: u32,
    warp_epochs: Vec<u32>,
    /// Of each block: when it fenced last, and when it last looked at an atomic.
    fenced: HashMap<u64, u32>,
    looked: HashMap<u64, u32>,
}

impl Races {
    pub fn new(threads: u32, fences: bool) -> Races {
        Races {
            global: Pages::new(),
            shared: Pages::new(),
            threads: threads.into(),
            fences,
            time: 0,
            block_epoch: 0,
            warp_epochs: vec![0; threads.div_ceil(32) as usize],
            fenced: HashMap::new(),
            looked: HashMap::new(),
        }
    }

    pub fn begin_block(&mut self) {
        self.shared.clear();
    }
    pub fn block_barrier(&mut self) {
        self.block_epoch += 1;
    }
    pub fn warp_barrier(&mut self, warp: u32) {
        self.warp_epochs[warp as usize] += 1;
    }
    pub fn fence(&mut self, block: u64) {
        self.time += 1;
        self.fenced.insert(block, self.time);
        self.looked.insert(block, self.time);
    }

    /// Notes an access; gives the one that it races with.
    pub fn touch(&mut self, actor: &Actor, space: Space, at: u64, bytes: u64) -> Option<Other> {
        self.time = self.time.saturating_add(1);
        let now = Touch {
            thread: actor.block * self.threads + u64::from(actor.thread) + 1,
            block_epoch: self.block_epoch,
            warp_epoch: self.warp_epochs[actor.thread as usize / 32],
            line: actor.line,
            time: self.time,
            strong: actor.strong,
            writes: actor.how != Use::Read,
        };
        if self.fences && actor.strong {
            self.looked.insert(actor.block, self.time);
        }
        for address in at..at + bytes {
            let pages = if space == Space::Shared {
                &mut self.shared
            } else {
                &mut self.global
            };
            let page = pages.entry(address / PAGE);
            let page = page.or_insert_with(|| Box::new([Byte::default(); PAGE as usize]));
            let byte = &mut page[(address % PAGE) as usize];
            let before = *byte;
            let kept = if now.writes {
                &mut byte.writes
            } else {
                &mut byte.reads
            };
            if kept[0].thread != now.thread {
                kept[1] = kept[0];
            }
            kept[0] = now;
            let reads = if now.writes {
                before.reads
            } else {
                Default::default()
            };
            let mut others = before.writes.iter().chain(&reads);
            if let Some(other) = others.find(|o| self.conflict(o, &now)) {
                let number = other.thread - 1;
                return Some(Other {
                    block: number / self.threads,
                    thread: (number % self.threads) as u32,
                    line: other.line as usize,
                    writes: other.writes,
                    address,
                });
            }
        }
        None
    }

    fn conflict(&self, before: &Touch, now: &Touch) -> bool {
        if before.thread == 0 || before.thread == now.thread || before.strong && now.strong {
            return false;
        }
        let [a, b] = [before, now].map(|t| t.thread - 1);
        let (block, here) = (a / self.threads, b / self.threads);
        let warp = |number: u64| number % self.threads / 32;
        if block == here {
            let same_warp = warp(a) == warp(b);
            if before.block_epoch < now.block_epoch
                || same_warp && before.warp_epoch < now.warp_epoch
            {
                return false;
            }
        }
        let since = |times: &HashMap<u64, u32>, block: u64| {
            times.get(&block).is_some_and(|time| *time >= before.time)
        };
        !(self.fences && since(&self.fenced, block) && since(&self.looked, here))
    }
}
