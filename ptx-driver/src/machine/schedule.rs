//! Which block of a grid runs next, and which thread of a block.

use super::block::Block;
use super::fault::{Fault, FaultKind, Outcome};
use super::launch::Launch;
use super::random::order;
use super::step::Pause;
use super::thread::{State, Thread, UNWRITTEN_BYTE};

impl Launch<'_> {
    /// Runs all blocks.
    pub fn run(&mut self) -> Outcome<()> {
        let [x, y, z] = self.grid.grid.map(u64::from);
        for number in order(x * y * z, &mut self.random) {
            self.block(number)?;
        }
        Ok(())
    }

    /// Runs all threads of a block.
    fn block(&mut self, number: u64) -> Outcome<()> {
        let mut shared = vec![UNWRITTEN_BYTE; self.shared_bytes as usize];
        let mut order: Vec<u32> = (0..self.threads).collect();
        self.random.shuffle(&mut order);
        if let Some(races) = &mut self.races {
            races.begin_block();
        }
        if self.settings.switch.is_some() || self.entry().waits {
            return self.interleave(number, &mut shared, order);
        }
        // Nobody waits for anybody: one thread's memory serves all.
        let mut thread = self.pool.pop().unwrap_or_default();
        for index in order {
            self.begin(&mut thread, index, number);
            while self.advance(number, &mut shared, &mut thread)? != Pause::Done {}
        }
        self.pool.push(thread);
        Ok(())
    }

    /// Runs threads in turns, each until it waits for others.
    fn interleave(&mut self, number: u64, shared: &mut [u8], mut order: Vec<u32>) -> Outcome<()> {
        let count = self.threads;
        let mut block = Block {
            number,
            threads: self.fresh_threads(number, count),
            barriers: Default::default(),
            waiting: vec![0; count.div_ceil(32) as usize],
        };
        loop {
            let mut progress = false;
            if self.settings.switch.is_some() {
                self.random.shuffle(&mut order);
            }
            for index in &order {
                let thread = &mut block.threads[*index as usize];
                if thread.state != State::Ready {
                    continue;
                }
                progress = true;
                let pause = self.advance(number, shared, thread)?;
                self.paused(&mut block, *index, pause)?;
            }
            if block.threads.iter().all(|t| t.state == State::Done) {
                self.pool = block.threads;
                return Ok(());
            }
            if !progress {
                return Err(self.deadlock(&block));
            }
        }
    }

    fn paused(&mut self, block: &mut Block, index: u32, pause: Pause) -> Outcome<()> {
        let thread = &mut block.threads[index as usize];
        let warp = index / 32;
        match pause {
            Pause::Switch => return Ok(()),
            Pause::Done => thread.state = State::Done,
            Pause::Barrier(number) => self.arrive(block, index, number)?,
            Pause::Warp => {
                thread.state = State::Warp;
                block.waiting[warp as usize] += 1;
            }
        }
        if block.waiting[warp as usize] > 0 {
            self.resolve(block, warp)?;
        }
        Ok(())
    }

    /// Threads wait, and nobody is left to come.
    fn deadlock(&self, block: &Block) -> Box<Fault> {
        let waits = |t: &&Thread| matches!(t.state, State::Barrier(_) | State::Warp);
        let waiting: Vec<_> = block.threads.iter().filter(waits).collect();
        let done = block.threads.len() - waiting.len();
        let first = waiting[0];
        let for_what = match first.state {
            State::Barrier(id) => format!("at barrier {id}"),
            _ => "for lanes of its warp".into(),
        };
        // Another thread that waits elsewhere tells where the ways parted.
        let elsewhere = waiting.iter().find(|t| t.at() != first.at());
        let elsewhere = elsewhere.map_or(String::new(), |other| {
            let (function, pc) = other.at();
            let line = self.module.functions[function].lines[pc];
            let place = self.place_of_thread(other.index);
            format!(", thread {place:?} waits at PTX line {line}")
        });
        let what = format!(
            "threads wait for ever: one {for_what}; {} of the block wait, {done} have ended{elsewhere}",
            waiting.len()
        );
        self.fault(FaultKind::Deadlock, &what, block.number, first, first.at())
    }
}
