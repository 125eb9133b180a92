//! Exchanges between the lanes of a warp.
//!
//! They take place once all lanes that the mask names are at the instruction. `activemask` names none: it is answered once
//! no lane of the warp can run on, with those that are at it by then. PTX promises less, so that for seeds other than 0 one
//! answer in four tells of a part of them only.

use super::block::Block;
use super::fault::{FaultKind, Outcome};
use super::launch::Launch;
use super::thread::{State, Thread};
use crate::ptx::code::{Exchange, Op, Reduce, SINK, Shuffle, Warp};

/// What a shuffle gives that reads a lane which takes no part.
const UNDEFINED: u64 = 0xbad0_bad0;

/// Lanes that take part in an exchange, and what they bring.
struct Lanes {
    mask: u32,
    a: [u64; 32],
    b: [u64; 32],
    c: [u64; 32],
}

impl Lanes {
    fn each(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..32).filter(move |lane| mask >> lane & 1 != 0)
    }

    /// Lanes for which something holds, as a mask.
    fn which(&self, holds: impl Fn(usize) -> bool) -> u32 {
        self.each()
            .filter(|l| holds(*l))
            .fold(0, |mask, lane| mask | 1 << lane)
    }
}

impl Launch<'_> {
    fn operation(&self, thread: &Thread) -> Option<Warp> {
        let (function, pc) = thread.at();
        let function = &self.module.functions[function];
        match function.code[pc].op {
            Op::Warp(number) if thread.state == State::Warp => {
                Some(function.warps[number as usize])
            }
            _ => None,
        }
    }

    /// Lets lanes of a warp go on that need not wait any longer.
    pub fn resolve(&mut self, block: &mut Block, warp: u32) -> Outcome<()> {
        let start = warp as usize * 32;
        let end = (start + 32).min(block.threads.len());
        for index in start..end {
            let Some(warp_op) = self.operation(&block.threads[index]) else {
                continue;
            };
            if warp_op.exchange == Exchange::ActiveMask {
                continue;
            }
            let mask = block.threads[index].get(warp_op.mask) as u32;
            self.check_mask(block, index, start, mask)?;
            let at = block.threads[index].at();
            let lanes = &block.threads[start..end];
            let there = |lane: usize| {
                let thread = &lanes[lane];
                thread.state == State::Warp
                    && thread.at() == at
                    && thread.get(warp_op.mask) as u32 == mask
            };
            if (0..lanes.len()).all(|lane| mask >> lane & 1 == 0 || there(lane)) {
                self.exchange(block, start, mask, warp_op);
            }
        }
        let runnable = |t: &Thread| t.state == State::Ready;
        if !block.threads[start..end].iter().any(runnable) {
            self.tell_active(block, start, end);
        }
        Ok(())
    }

    /// The mask must name the lane itself, and none that never comes.
    fn check_mask(&self, block: &Block, index: usize, start: usize, mask: u32) -> Outcome<()> {
        let thread = &block.threads[index];
        let missing = (0..32).find(|lane| {
            let other = block.threads.get(start + lane);
            mask >> lane & 1 != 0 && other.is_none_or(|t| t.state == State::Done)
        });
        let (kind, what) = if mask >> thread.lane() & 1 == 0 {
            let what = format!(
                "mask {mask:#010x} does not name lane {} itself",
                thread.lane()
            );
            (FaultKind::IllegalInstruction, what)
        } else if let Some(lane) = missing {
            let what = format!("mask {mask:#010x} names lane {lane}, which has ended or never was");
            (FaultKind::Deadlock, what)
        } else {
            return Ok(());
        };
        Err(self.fault(kind, &what, block.number, thread, thread.at()))
    }

    fn exchange(&mut self, block: &mut Block, start: usize, mask: u32, warp: Warp) {
        let mut lanes = Lanes {
            mask,
            a: [0; 32],
            b: [0; 32],
            c: [0; 32],
        };
        let (function, pc) = block.threads[start + mask.trailing_zeros() as usize].at();
        let inst = self.module.functions[function].code[pc];
        for lane in lanes.each() {
            let thread = &block.threads[start + lane];
            lanes.a[lane] = thread.get(inst.a) ^ u64::from(warp.negated);
            lanes.b[lane] = thread.get(inst.b);
            lanes.c[lane] = thread.get(inst.c);
        }
        for lane in lanes.each() {
            let (value, holds) = result(warp, &lanes, lane);
            let thread = &mut block.threads[start + lane];
            if inst.d != SINK {
                thread.set(inst.d, value);
            }
            if warp.p != SINK {
                thread.set(warp.p, holds.into());
            }
            thread.release();
            block.waiting[start / 32] -= 1;
        }
        // Only this one orders accesses to memory.
        if let Some(races) = self
            .races
            .as_mut()
            .filter(|_| warp.exchange == Exchange::Sync)
        {
            races.warp_barrier((start / 32) as u32);
        }
    }

    /// Answers `activemask` to lanes that are at the same one.
    fn tell_active(&mut self, block: &mut Block, start: usize, end: usize) {
        for index in start..end {
            let Some(warp) = self.operation(&block.threads[index]) else {
                continue;
            };
            if warp.exchange != Exchange::ActiveMask {
                continue;
            }
            let at = block.threads[index].at();
            let together = (start..end).filter(|other| {
                let thread = &block.threads[*other];
                thread.state == State::Warp && thread.at() == at
            });
            let mut mask = together.fold(0u32, |mask, other| mask | 1 << (other - start));
            if self.settings.seed != 0 && self.random.below(4) == 0 {
                mask = mask & self.random.next() as u32 | 1 << (index - start);
            }
            let d = self.module.functions[at.0].code[at.1].d;
            for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                let thread = &mut block.threads[start + lane];
                thread.set(d, mask.into());
                thread.release();
                block.waiting[start / 32] -= 1;
            }
        }
    }
}

/// What a lane gets: a value and a predicate.
fn result(warp: Warp, lanes: &Lanes, lane: usize) -> (u64, bool) {
    let mask = u64::from(lanes.mask);
    let ones = || lanes.which(|l| lanes.a[l] & 1 != 0);
    let cut = |value: u64| value << (64 - warp.bits) >> (64 - warp.bits);
    let same = || lanes.which(|l| cut(lanes.a[l]) == cut(lanes.a[lane]));
    match warp.exchange {
        Exchange::Sync | Exchange::ActiveMask => (0, false),
        Exchange::Shuffle(mode) => shuffled(mode, lanes, lane),
        Exchange::Ballot => (ones().into(), false),
        Exchange::All => ((ones() == lanes.mask).into(), false),
        Exchange::Any => ((ones() != 0).into(), false),
        Exchange::Uniform => ((ones() == 0 || ones() == lanes.mask).into(), false),
        Exchange::MatchAny => (same().into(), false),
        Exchange::MatchAll => {
            let all = same() == lanes.mask;
            (if all { mask } else { 0 }, all)
        }
        Exchange::Reduce(reduce, signed) => (reduced(reduce, signed, lanes), false),
        Exchange::Elect => {
            let leader = lanes.mask.trailing_zeros();
            (leader.into(), leader as usize == lane)
        }
    }
}

/// Segments and clamping as the manual's pseudocode has them.
fn shuffled(mode: Shuffle, lanes: &Lanes, lane: usize) -> (u64, bool) {
    let (by, c) = (lanes.b[lane] as usize & 31, lanes.c[lane] as usize);
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    let first = lane & segment;
    let last = first | clamp & !segment;
    let (from, inside) = match mode {
        Shuffle::Up => (lane.wrapping_sub(by), lane >= by && lane - by >= last),
        Shuffle::Down => (lane + by, lane + by <= last),
        Shuffle::Butterfly => (lane ^ by, lane ^ by <= last),
        Shuffle::Index => {
            let from = first | by & !segment;
            (from, from <= last)
        }
    };
    if !inside {
        return (lanes.a[lane], false);
    }
    let takes_part = from < 32 && lanes.mask >> from & 1 != 0;
    (if takes_part { lanes.a[from] } else { UNDEFINED }, true)
}

fn reduced(reduce: Reduce, signed: bool, lanes: &Lanes) -> u64 {
    let words = lanes.each().map(|lane| lanes.a[lane] as u32);
    let word = words.reduce(|a, b| match (reduce, signed) {
        (Reduce::Add, _) => a.wrapping_add(b),
        (Reduce::Min, false) => a.min(b),
        (Reduce::Max, false) => a.max(b),
        (Reduce::Min, true) => (a as i32).min(b as i32) as u32,
        (Reduce::Max, true) => (a as i32).max(b as i32) as u32,
        (Reduce::And, _) => a & b,
        (Reduce::Or, _) => a | b,
        (Reduce::Xor, _) => a ^ b,
    });
    word.unwrap_or(0).into()
}
