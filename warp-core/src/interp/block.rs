//! Blocks of threads. The threads of a block run one after the other up to each statement that they do together, and all of them from
//! there.

use super::fault::Fault;
use super::memory::{Arg, Memory};
use super::thread::Thread;
use crate::ir::num::wrap;
use crate::ir::thread_block::WARP;
use crate::ir::{
    Block, Exchange, Func, Intrinsic, Kind, Num, Op, STACKS, Slot, Stmt, ThreadScope, Value,
    evaluate,
};
use std::mem::take;

/// What a thread keeps while others run.
pub(super) struct Waiting {
    pub args: Vec<Arg>,
    pub tid: [i32; 4],
    values: Vec<Num>,
    records: [Vec<(Slot, Vec<Num>)>; STACKS as usize],
    log: Vec<(usize, usize, Num)>,
}

impl Waiting {
    /// A thread that has not begun.
    pub fn new(func: &Func, args: Vec<Arg>, tid: [i32; 4]) -> Waiting {
        Waiting {
            args,
            tid,
            values: vec![Num::Int(0); func.values.len()],
            records: Default::default(),
            log: Vec::new(),
        }
    }
}

/// The threads of a block.
pub(super) struct Threads<'a> {
    pub func: &'a Func,
    pub all: Vec<Waiting>,
    pub memory: &'a mut Memory,
    pub printed: &'a mut String,
    pub fuel: &'a mut u64,
}

impl Threads<'_> {
    /// Runs the kernel.
    pub fn run(mut self) -> Result<(), Fault> {
        let everyone: Vec<usize> = (0..self.all.len()).collect();
        self.block(&everyone, &self.func.body)?;
        match self.all.iter().all(|t| t.records.iter().all(Vec::is_empty)) {
            true => Ok(()),
            false => Err(Fault("a record was never replayed".into())),
        }
    }

    /// Lets a thread go on.
    fn with<R>(&mut self, n: usize, act: impl FnOnce(&mut Thread<'_>) -> R) -> R {
        let waiting = &mut self.all[n];
        let mut thread = Thread {
            func: self.func,
            args: &waiting.args,
            memory: self.memory,
            tid: waiting.tid,
            values: take(&mut waiting.values),
            records: take(&mut waiting.records),
            log: take(&mut waiting.log),
            printed: self.printed,
            fuel: self.fuel,
        };
        let result = act(&mut thread);
        (waiting.values, waiting.records, waiting.log) =
            (thread.values, thread.records, thread.log);
        result
    }

    fn get(&self, n: usize, value: Value) -> Num {
        self.all[n].values[value.0 as usize]
    }

    fn set(&mut self, n: usize, value: Value, num: Num) {
        self.all[n].values[value.0 as usize] = num;
    }

    /// Gives each of these threads, for some values, those of others.
    fn assign(&mut self, active: &[usize], to: &[Value], from: &[Value]) {
        for n in active {
            let nums: Vec<Num> = from.iter().map(|v| self.get(*n, *v)).collect();
            for (value, num) in to.iter().zip(nums) {
                self.set(*n, *value, num);
            }
        }
    }

    fn block(&mut self, active: &[usize], block: &Block) -> Result<(), Fault> {
        let mut rest = &block.stmts[..];
        while !active.is_empty() && !rest.is_empty() {
            let alone = rest.iter().take_while(|stmt| !is_together(stmt)).count();
            for n in active {
                self.with(*n, |thread| thread.stmts(&rest[..alone]))?;
            }
            rest = &rest[alone..];
            if let Some((stmt, others)) = rest.split_first() {
                self.together(active, &stmt.kind)?;
                rest = others;
            }
        }
        Ok(())
    }

    /// Runs a statement in which threads come together.
    fn together(&mut self, active: &[usize], kind: &Kind) -> Result<(), Fault> {
        match kind {
            Kind::Intrinsic { op, args, outs } => match op {
                Intrinsic::Barrier(ThreadScope::Block) if active.len() != self.all.len() => Err(
                    Fault("not all threads of a block come to a `barrier`".into()),
                ),
                Intrinsic::Barrier(ThreadScope::Block) => Ok(()),
                Intrinsic::Barrier(ThreadScope::Warp) => self.warps(active).map(|_| ()),
                Intrinsic::Exchange(exchange) => self.exchange(active, *exchange, args, outs[0]),
                op => Err(Fault(format!(
                    "threads do not come together in `{}`",
                    op.name()
                ))),
            },
            Kind::If {
                cond,
                then,
                els,
                outs,
            } => {
                let holds = |n: &&usize| self.get(**n, *cond).truth();
                let (yes, no): (Vec<&usize>, Vec<&usize>) = active.iter().partition(holds);
                for (part, block) in [(yes, then), (no, els)] {
                    let part: Vec<usize> = part.into_iter().copied().collect();
                    self.block(&part, block)?;
                    self.assign(&part, outs, &block.results);
                }
                Ok(())
            }
            Kind::For { .. } => self.for_(active, kind),
            Kind::While {
                init,
                cond,
                body,
                outs,
            } => {
                self.assign(active, outs, init);
                let mut left = active.to_vec();
                while !left.is_empty() {
                    self.assign(&left, &cond.params, outs);
                    self.block(&left, cond)?;
                    left.retain(|n| self.get(*n, cond.results[0]).truth());
                    self.assign(&left, &body.params, outs);
                    self.block(&left, body)?;
                    self.assign(&left, outs, &body.results);
                }
                Ok(())
            }
            Kind::Call {
                callee, args, outs, ..
            } => {
                let block = &self.func.callee(*callee).block;
                self.assign(active, &block.params, args);
                self.block(active, block)?;
                self.assign(active, outs, &block.results);
                Ok(())
            }
            _ => Err(Fault("threads cannot come together here".into())),
        }
    }

    fn for_(&mut self, active: &[usize], kind: &Kind) -> Result<(), Fault> {
        let Kind::For {
            start,
            stop,
            step,
            init,
            body,
            outs,
        } = kind
        else {
            return Ok(());
        };
        let ty = self.func.ty(*start);
        let range = |this: &Self, n: usize| [*start, *stop, *step].map(|v| this.get(n, v));
        self.assign(active, outs, init);
        let mut left = active.to_vec();
        for k in 0.. {
            let mut going = Vec::new();
            for n in left {
                let range = range(self, n);
                if k < evaluate(Op::RangeLen, ty, ty, &range)?.wide(ty) {
                    let iv = wrap(range[0].wide(ty) + k * range[2].wide(ty), ty);
                    self.set(n, body.params[0], Num::Int(iv));
                    going.push(n);
                }
            }
            if going.is_empty() {
                break;
            }
            self.assign(&going, &body.params[1..], outs);
            self.block(&going, body)?;
            self.assign(&going, outs, &body.results);
            left = going;
        }
        Ok(())
    }

    /// The warps of these threads, each whole.
    fn warps<'g>(&self, active: &'g [usize]) -> Result<Vec<&'g [usize]>, Fault> {
        let size = WARP as usize;
        let warps: Vec<&[usize]> = active.chunk_by(|a, b| a / size == b / size).collect();
        match warps.iter().all(|warp| warp.len() == size) {
            true => Ok(warps),
            false => Err(Fault("not all threads of a warp come together".into())),
        }
    }

    fn exchange(
        &mut self,
        active: &[usize],
        exchange: Exchange,
        args: &[Value],
        out: Value,
    ) -> Result<(), Fault> {
        for warp in self.warps(active)? {
            let given = |n: &usize| args.iter().map(|arg| self.get(*n, *arg)).collect();
            let gets = exchange.among(&warp.iter().map(given).collect::<Vec<_>>());
            for (n, num) in warp.iter().zip(gets) {
                self.set(*n, out, num);
            }
        }
        Ok(())
    }
}

/// Whether threads come together in a statement or within it.
fn is_together(stmt: &Stmt) -> bool {
    let inner = stmt.kind.blocks_run().into_iter();
    stmt.kind.effects().convergent || inner.flat_map(|b| &b.stmts).any(is_together)
}

/// The indices of a thread.
pub(super) fn indices(linear: i64, dims: &[i32]) -> [i32; 4] {
    let mut tid = [0; 4];
    let mut rest = linear;
    for d in (0..dims.len()).rev() {
        tid[d] = (rest % i64::from(dims[d])) as i32;
        rest /= i64::from(dims[d]);
    }
    tid
}
