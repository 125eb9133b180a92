//! Barriers of a block.

use super::block::{BARRIERS, Barrier, Block};
use super::fault::{FaultKind, Outcome};
use super::launch::Launch;
use super::thread::State;
use crate::ptx::code::{self, Op, Reduction};

impl Launch<'_> {
    fn described(&self, at: (usize, usize)) -> Option<(&code::Barrier, u32)> {
        let function = &self.module.functions[at.0];
        let inst = &function.code[at.1];
        match inst.op {
            Op::Barrier(number) => Some((&function.barriers[number as usize], inst.d)),
            _ => None,
        }
    }

    /// A thread comes to a barrier.
    pub fn arrive(&mut self, block: &mut Block, index: u32, number: u32) -> Outcome<()> {
        let module = self.module;
        let thread = &mut block.threads[index as usize];
        let at = thread.at();
        let barrier = &module.functions[at.0].barriers[number as usize];
        let id = thread.get(barrier.id) as u32;
        let threads = barrier
            .threads
            .map_or(self.threads, |slot| thread.get(slot) as u32);
        let predicate = (thread.get(barrier.predicate) & 1 != 0) != barrier.negated;
        let wrong = |what: &str| {
            let what = format!("barrier {id} for {threads} threads: {what}");
            let thread = &block.threads[index as usize];
            Err(self.fault(
                FaultKind::IllegalInstruction,
                &what,
                block.number,
                thread,
                at,
            ))
        };
        if id as usize >= BARRIERS {
            return wrong("a block has 16 barriers");
        }
        if barrier.threads.is_some() && !threads.is_multiple_of(32) {
            return wrong("not a multiple of a warp");
        }
        let state = &mut block.barriers[id as usize];
        if state.arrived > 0 && state.expected != threads {
            return wrong("others came to it with another number");
        }
        state.expected = threads;
        state.arrived += 1;
        state.count += u32::from(predicate);
        let thread = &mut block.threads[index as usize];
        if barrier.arrive {
            thread.release();
        } else {
            thread.state = State::Barrier(id);
            state.waiting.push(index);
        }
        if state.arrived < state.expected {
            return Ok(());
        }
        let done = std::mem::take(state);
        self.check_alignment(block, &done)?;
        for index in done.waiting {
            let thread = &mut block.threads[index as usize];
            if let Some((barrier, d)) = self.described(thread.at()) {
                let value = match barrier.reduction {
                    Reduction::None => None,
                    Reduction::Count => Some(done.count),
                    Reduction::All => Some(u32::from(done.count == done.expected)),
                    Reduction::Any => Some(u32::from(done.count > 0)),
                };
                if let Some(value) = value {
                    thread.set(d, value.into());
                }
            }
            thread.release();
        }
        if let Some(races) = &mut self.races {
            races.block_barrier();
        }
        Ok(())
    }

    /// All lanes of a warp must have come to the same instruction, where one of them is aligned.
    fn check_alignment(&self, block: &Block, done: &Barrier) -> Outcome<()> {
        let mut first: Vec<Option<u32>> = vec![None; block.waiting.len()];
        for index in &done.waiting {
            let thread = &block.threads[*index as usize];
            let other = *first[*index as usize / 32].get_or_insert(*index);
            let (at, there) = (thread.at(), block.threads[other as usize].at());
            let aligned = [at, there].map(|a| self.described(a).is_some_and(|b| b.0.aligned));
            if at != there && aligned.contains(&true) {
                let line = self.module.functions[there.0].lines[there.1];
                let place = self.place_of_thread(other);
                let what = format!(
                    "barrier divergence: thread {place:?} of the same warp came to the barrier of PTX line {line}"
                );
                let kind = FaultKind::Deadlock;
                return Err(self.fault(kind, &what, block.number, thread, at));
            }
        }
        Ok(())
    }
}
