//! Frames of functions: they begin with what the function's template says, and hand their results to the caller.

use super::launch::Launch;
use super::thread::{Frame, MULTIPROCESSORS, State, Thread, UNWRITTEN_BYTE};
use crate::ptx::code::Special;

impl Launch<'_> {
    /// Threads of a block, none of which has run.
    pub fn fresh_threads(&mut self, block: u64, count: u32) -> Vec<Thread> {
        let mut threads = std::mem::take(&mut self.pool);
        threads.resize_with(count as usize, Thread::default);
        for (index, thread) in threads.iter_mut().enumerate() {
            self.begin(thread, index as u32, block);
        }
        threads
    }

    /// Puts a thread at the kernel's start.
    pub fn begin(&self, thread: &mut Thread, index: u32, block: u64) {
        thread.registers.clear();
        thread.local.clear();
        thread.frames.clear();
        (thread.index, thread.state) = (index, State::Ready);
        self.enter(thread, self.entry().function, 0, block);
    }

    /// Begins a frame for a function.
    pub fn enter(&self, thread: &mut Thread, function: usize, call: u32, block: u64) {
        let template = &self.templates[function];
        let local = thread.local.len().next_multiple_of(16);
        let bytes = self.module.functions[function].local as usize;
        thread.local.resize(local + bytes, UNWRITTEN_BYTE);
        let base = thread.registers.len();
        thread.registers.extend_from_slice(&template.registers);
        let registers = &mut thread.registers[base..];
        for (slot, at) in &template.local {
            registers[*slot as usize] = local as u64 + at;
        }
        for (slot, special) in &template.special {
            registers[*slot as usize] = self.special(*special, thread.index, block);
        }
        thread.frames.push(Frame {
            function,
            pc: 0,
            base,
            local,
            call,
        });
    }

    /// Ends a frame, and hands its results to the caller.
    pub fn leave(&self, thread: &mut Thread) {
        let Some(done) = thread.frames.pop() else {
            return;
        };
        if let Some(caller) = thread.frames.last() {
            let call = &self.module.functions[caller.function].calls[done.call as usize];
            let results = &self.module.functions[done.function].results;
            for (to, from) in call.results.iter().zip(results) {
                let start = done.local + from.at as usize;
                let bytes = start..start + from.bytes as usize;
                thread
                    .local
                    .copy_within(bytes, caller.local + to.at as usize);
            }
        }
        // What the frame had is gone: an address that outlives it leads nowhere.
        let end = thread.frames.last().map_or(0, |caller| {
            caller.local + self.module.functions[caller.function].local as usize
        });
        thread.local.truncate(end);
        thread.registers.truncate(done.base);
    }

    fn special(&self, special: Special, index: u32, block: u64) -> u64 {
        let axis = |place: [u32; 3], axis: u8| u64::from(place[usize::from(axis)]);
        let lane = index % 32;
        let below = (1u64 << lane) - 1;
        let here = 1u64 << lane;
        match special {
            Special::Tid(a) => axis(self.place_of_thread(index), a),
            Special::Ntid(a) => axis(self.grid.block, a),
            Special::Ctaid(a) => axis(self.place_of_block(block), a),
            Special::Nctaid(a) => axis(self.grid.grid, a),
            Special::LaneId => lane.into(),
            Special::WarpId => (index / 32).into(),
            Special::WarpCount => self.threads.div_ceil(32).into(),
            Special::LaneMaskEq => here,
            Special::LaneMaskLt => below,
            Special::LaneMaskLe => below | here,
            Special::LaneMaskGt => 0xffff_ffff & !(below | here),
            Special::LaneMaskGe => 0xffff_ffff & !below,
            Special::MultiprocessorId => block % MULTIPROCESSORS,
            Special::MultiprocessorCount => MULTIPROCESSORS,
            Special::GridId => 1,
            Special::DynamicSharedSize => self.grid.dynamic_shared.into(),
            Special::TotalSharedSize => self.shared_bytes,
        }
    }
}
