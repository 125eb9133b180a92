//! Runs the instructions of one thread.

use super::access::NearMemory;
use super::fault::{Attempt, Cause, FaultKind, Outcome, cause};
use super::launch::Launch;
use super::memory::{Registers, ThreadMemory};
use super::thread::{State, Thread};
use crate::ptx::code::{Clock, Function, Op};

/// Instructions after which another thread gets its turn, where threads may wait for each other in loops.
const TURN: u64 = 1 << 16;

/// Why a thread stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pause {
    Done,
    /// Another one's turn.
    Switch,
    /// At a barrier of the block, by its number in the function.
    Barrier(u32),
    /// At an operation of its warp.
    Warp,
}

impl<'a> Launch<'a> {
    /// Runs a thread until it stops.
    pub fn advance(
        &mut self,
        block: u64,
        shared: &mut [u8],
        thread: &mut Thread,
    ) -> Outcome<Pause> {
        let module = self.module;
        loop {
            let Some(frame) = thread.frames.last().copied() else {
                thread.state = State::Done;
                return Ok(Pause::Done);
            };
            let function = &module.functions[frame.function];
            let mut pc = frame.pc;
            let end = self.frame(block, shared, thread, function, &mut pc);
            if let Some(frame) = thread.frames.last_mut() {
                frame.pc = pc;
            }
            let done = match end {
                Ok(End::Call(number)) => self.call(block, shared, thread, function, number),
                Ok(End::Return) => {
                    self.leave(thread);
                    Ok(())
                }
                Ok(End::Pause(Pause::Done)) => {
                    thread.frames.clear();
                    Ok(())
                }
                Ok(End::Pause(pause)) => return Ok(pause),
                Err(cause) => Err(cause),
            };
            if let Err(cause) = done {
                let Cause { kind, what } = *cause;
                return Err(self.fault(kind, &what, block, thread, (frame.function, pc)));
            }
        }
    }

    /// Runs a frame until it calls, ends or stops. `pc` is then behind the instruction that ended it, or at the one that waits or failed.
    fn frame(
        &mut self,
        block: u64,
        shared: &mut [u8],
        thread: &mut Thread,
        function: &Function,
        pc: &mut usize,
    ) -> Attempt<End> {
        let until = self.end_of_turn();
        let Some(frame) = thread.frames.last() else {
            return Ok(End::Return);
        };
        let mut registers = Registers::new(&mut thread.registers[frame.base..], function);
        let r = &mut registers;
        let (index, local) = (thread.index, &mut thread.local[..]);
        let code = &function.code[..];
        // Instructions are counted where a thread jumps or stops: `from` is the first one that is not counted yet.
        let (mut at, mut from) = (*pc, *pc);
        macro_rules! stop {
            ($end:expr, $at:expr) => {{
                self.executed += (at - from) as u64;
                *pc = $at;
                return $end;
            }};
        }
        macro_rules! jump {
            ($target:expr) => {{
                self.executed += (at - from) as u64;
                at = $target as usize;
                from = at;
                if self.executed >= until {
                    *pc = at;
                    return self.turn_over();
                }
            }};
        }
        loop {
            let inst = &code[at];
            at += 1;
            if !inst.guard.always() && !inst.guard.passes(r.get(inst.guard.slot())) {
                continue;
            }
            match inst.op {
                Op::Binary(f) => r.set(inst.d, f(r.get(inst.a), r.get(inst.b))),
                Op::Unary(f) => r.set(inst.d, f(r.get(inst.a))),
                Op::Ternary(f) => r.set(inst.d, f(r.get(inst.a), r.get(inst.b), r.get(inst.c))),
                Op::Move => r.set(inst.d, r.get(inst.a)),
                Op::Select => r.set(inst.d, r.get(inst.selected(r.get(inst.c)))),
                Op::Branch(target) => jump!(target),
                Op::Load(_)
                | Op::Store(_)
                | Op::LoadVector(_)
                | Op::StoreVector(_)
                | Op::Atomic(_) => {
                    let line = function.lines[at - 1];
                    let mut memory = self.memory(local, shared, block, index);
                    match memory.execute(function, inst, line, r) {
                        Ok(true) if self.switches() => stop!(Ok(End::Pause(Pause::Switch)), at),
                        Ok(_) => {}
                        Err(cause) => stop!(Err(cause), at - 1),
                    }
                }
                Op::Quaternary(f) => {
                    let (a, b) = (r.get(inst.a), r.get(inst.b));
                    r.set(inst.d, f(a, b, r.get(inst.c), r.get(inst.e)));
                }
                Op::Half(operation) => {
                    let (a, b, c) = (r.get(inst.a), r.get(inst.b), r.get(inst.c));
                    r.set(inst.d, operation.run(a, b, c));
                }
                Op::Convert(conversion) => {
                    r.set(inst.d, conversion.run(r.get(inst.a), r.get(inst.b)));
                }
                Op::BranchIndexed(table) => match target(function, table, r.get(inst.a)) {
                    Ok(target) => jump!(target),
                    Err(cause) => stop!(Err(cause), at - 1),
                },
                Op::Call(number) => stop!(Ok(End::Call(number)), at),
                Op::Return => stop!(Ok(End::Return), at),
                Op::Exit => stop!(Ok(End::Pause(Pause::Done)), at),
                Op::Trap => stop!(Err(launch_failed("trap")), at - 1),
                Op::Breakpoint => {
                    stop!(Err(launch_failed("breakpoint without a debugger")), at - 1)
                }
                Op::Barrier(number) => stop!(Ok(End::Pause(Pause::Barrier(number))), at - 1),
                Op::Warp(_) => stop!(Ok(End::Pause(Pause::Warp)), at - 1),
                Op::Fence => self.fence(block),
                Op::Yield => stop!(Ok(End::Pause(Pause::Switch)), at),
                Op::Clock(clock) => {
                    let now = self.executed + (at - from) as u64;
                    r.set(inst.d, clock_value(clock, now));
                }
                Op::Nop => {}
            }
        }
    }

    /// All memory that a thread sees.
    #[inline(always)]
    fn memory<'s>(
        &'s mut self,
        local: &'s mut [u8],
        shared: &'s mut [u8],
        block: u64,
        thread: u32,
    ) -> ThreadMemory<'s, 'a> {
        ThreadMemory {
            near: NearMemory {
                local,
                shared,
                params: &self.params,
            },
            tlb: &mut self.tlb,
            races: self.races.as_mut(),
            block,
            thread,
        }
    }

    /// Whether another thread gets its turn behind an access, by chance.
    #[inline(always)]
    fn switches(&mut self) -> bool {
        match self.settings.switch {
            Some(switch) => self.random.below(u64::from(switch).max(1)) == 0,
            None => false,
        }
    }

    /// A thread of a block makes its accesses visible.
    fn fence(&mut self, block: u64) {
        if let Some(races) = &mut self.races {
            races.fence(block);
        }
    }

    /// How many instructions may have been executed when a thread that begins now has to stop.
    fn end_of_turn(&self) -> u64 {
        if self.settings.switch.is_some() || self.entry().waits {
            self.limit.min(self.executed.saturating_add(TURN))
        } else {
            self.limit
        }
    }

    /// As many instructions were executed as a turn has, or as the settings allow.
    #[cold]
    fn turn_over(&self) -> Attempt<End> {
        if self.executed < self.limit {
            return Ok(End::Pause(Pause::Switch));
        }
        let what = format!("more than {} instructions", self.limit);
        Err(cause(FaultKind::Limit, what))
    }
}

fn launch_failed(what: &str) -> Box<Cause> {
    cause(FaultKind::LaunchFailed, what)
}

/// Where a branch by a table leads.
fn target(function: &Function, table: u32, index: u64) -> Attempt<u32> {
    let index = index as u32 as usize;
    let target = function.tables[table as usize].get(index);
    target.copied().ok_or_else(|| {
        let what = format!("branch to target {index}, which is not there");
        cause(FaultKind::IllegalInstruction, what)
    })
}

/// Why a frame stopped.
enum End {
    Call(u32),
    Return,
    Pause(Pause),
}

/// One instruction counts as a nanosecond and as a cycle, so that the same seed gives the same values.
fn clock_value(clock: Clock, now: u64) -> u64 {
    match clock {
        Clock::Cycles | Clock::NanosecondsLow => now & 0xffff_ffff,
        Clock::Cycles64 | Clock::Nanoseconds => now,
        Clock::CyclesHigh | Clock::NanosecondsHigh => now >> 32,
    }
}
