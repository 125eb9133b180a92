//! Runs the instructions of one thread.

use super::access::Near;
use super::fault::{Attempt, FaultKind, Outcome, Trouble, trouble};
use super::launch::Launch;
use super::memory::{Memories, Registers};
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

impl Launch<'_> {
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
            let next = match end {
                Ok(End::Call(number)) => self.call(block, shared, thread, function, number),
                Ok(end) => Ok(end),
                Err(trouble) => Err(trouble),
            };
            match next {
                Ok(End::Call(_)) => {}
                Ok(End::Return) => self.leave(thread),
                Ok(End::Pause(Pause::Done)) => thread.frames.clear(),
                Ok(End::Pause(pause)) => return Ok(pause),
                Err(trouble) => {
                    let Trouble { kind, what } = *trouble;
                    return Err(self.fault(kind, &what, block, thread, (frame.function, pc)));
                }
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
        let waits = self.settings.switch.is_some() || self.entry().waits;
        let until = if waits {
            self.limit.min(self.executed.saturating_add(TURN))
        } else {
            self.limit
        };
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
                    if self.executed >= self.limit {
                        *pc = at;
                        let what = format!("more than {} instructions", self.limit);
                        return Err(trouble(FaultKind::Limit, what));
                    }
                    *pc = at;
                    return Ok(End::Pause(Pause::Switch));
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
                Op::Select => {
                    let chosen = if r.get(inst.c) & 1 != 0 {
                        inst.a
                    } else {
                        inst.b
                    };
                    r.set(inst.d, r.get(chosen));
                }
                Op::Branch(target) => jump!(target),
                Op::Load(_)
                | Op::Store(_)
                | Op::LoadVector(_)
                | Op::StoreVector(_)
                | Op::Atomic(_) => {
                    let line = function.lines[at - 1];
                    let near = Near {
                        local,
                        shared,
                        params: &self.params,
                    };
                    // The parameters are lent beside the rest of the launch.
                    let mut memory = Memories {
                        near,
                        lines: &mut self.lines,
                        races: self.races.as_mut(),
                        block,
                        thread: index,
                    };
                    let done = memory.execute(function, inst, line, r);
                    let shares = match done {
                        Ok(shares) => shares,
                        Err(trouble) => stop!(Err(trouble), at - 1),
                    };
                    if shares
                        && let Some(switch) = self.settings.switch
                        && self.random.below(u64::from(switch).max(1)) == 0
                    {
                        stop!(Ok(End::Pause(Pause::Switch)), at);
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
                Op::BranchIndexed(table) => {
                    let index = r.get(inst.a) as u32 as usize;
                    let Some(target) = function.tables[table as usize].get(index) else {
                        let what = format!("branch to target {index}, which is not there");
                        stop!(Err(trouble(FaultKind::IllegalInstruction, what)), at - 1);
                    };
                    jump!(*target)
                }
                Op::Call(number) => stop!(Ok(End::Call(number)), at),
                Op::Return => stop!(Ok(End::Return), at),
                Op::Exit => stop!(Ok(End::Pause(Pause::Done)), at),
                Op::Trap => stop!(Err(trouble(FaultKind::LaunchFailed, "trap")), at - 1),
                Op::Breakpoint => {
                    let what = "breakpoint without a debugger";
                    stop!(Err(trouble(FaultKind::LaunchFailed, what)), at - 1)
                }
                Op::Barrier(number) => stop!(Ok(End::Pause(Pause::Barrier(number))), at - 1),
                Op::Warp(_) => stop!(Ok(End::Pause(Pause::Warp)), at - 1),
                Op::Fence => {
                    if let Some(races) = &mut self.races {
                        races.fence(block);
                    }
                }
                Op::Yield => stop!(Ok(End::Pause(Pause::Switch)), at),
                Op::Clock(clock) => {
                    let now = self.executed + (at - from) as u64;
                    r.set(inst.d, clock_value(clock, now));
                }
                Op::Nop => {}
            }
        }
    }
}

/// Why a frame stopped.
pub(super) enum End {
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
