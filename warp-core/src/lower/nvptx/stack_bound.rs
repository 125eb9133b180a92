//! How much of its stacks a thread uses at most, so that the launch can make room for it.

use super::stacks::{UNIT, entry_bytes, packed};
use crate::abi;
use crate::ir::{Block, CalleeId, Intrinsic, Kind, Slot, Value};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::work;
use crate::lower::options::StackUse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The stacks that a kernel uses.
pub fn stacks(facts: &KernelFacts<'_>) -> Vec<StackUse> {
    let mut count = Count {
        facts,
        path: Vec::new(),
        recorded: HashMap::new(),
        called: HashSet::new(),
        most: BTreeMap::new(),
    };
    for stack in &facts.records {
        count.most.insert(*stack, Some(0));
    }
    if !facts.logs.is_empty() {
        count.most.insert(abi::UNDO as u8, Some(0));
    }
    count.block(&facts.func.body, Some(1));
    let uses = count.most.into_iter();
    uses.map(|(arena, most)| StackUse { arena, most }).collect()
}

/// A block that is being looked at.
struct Level {
    /// Which block.
    block: usize,
    /// How often it runs when the one around it runs once; None if nobody knows.
    times: Option<u64>,
    /// Whether it takes back later what is logged at the statement at hand.
    unwinds: bool,
}

/// The units of a record, and the blocks around it with how often each runs.
type Recorded = (usize, Vec<(usize, Option<u64>)>);

struct Count<'a> {
    facts: &'a KernelFacts<'a>,
    /// The blocks around the statement at hand, outermost first.
    path: Vec<Level>,
    /// What was recorded and not yet replayed.
    recorded: HashMap<Slot, Recorded>,
    /// The functions that have been looked at.
    called: HashSet<CalleeId>,
    most: BTreeMap<u8, Option<u64>>,
}

impl Count<'_> {
    fn block(&mut self, block: &Block, times: Option<u64>) {
        self.path.push(Level {
            block: std::ptr::from_ref(block).addr(),
            times,
            unwinds: false,
        });
        let taken_back = taken_back(block);
        for (k, stmt) in block.stmts.iter().enumerate() {
            if let Some(level) = self.path.last_mut() {
                level.unwinds = taken_back
                    .iter()
                    .any(|(from, to)| (*from..*to).contains(&k));
            }
            self.stmt(&stmt.kind);
        }
        self.path.pop();
    }

    fn stmt(&mut self, kind: &Kind) {
        match kind {
            Kind::Intrinsic {
                op: Intrinsic::Record(slot),
                args,
                ..
            } => {
                let units = self.units(args);
                let path = self.path.iter().map(|l| (l.block, l.times)).collect();
                self.recorded.insert(*slot, (units, path));
            }
            Kind::Intrinsic {
                op: Intrinsic::Replay(slot),
                ..
            } => {
                // What is pushed in one run of the smallest block around both is popped in that run.
                let Some((units, path)) = self.recorded.remove(slot) else {
                    return;
                };
                let here = self.path.iter().map(|l| l.block);
                let common = path.iter().zip(here).take_while(|(a, b)| a.0 == *b);
                let times = path[common.count()..].iter().map(|(_, times)| *times);
                self.add(slot.stack, units, times.collect());
            }
            Kind::Store { log: true, .. } | Kind::Atomic { log: true, .. } => {
                let units = entry_bytes(self.facts) / UNIT;
                let inside = self.path.iter().rev().take_while(|level| !level.unwinds);
                let times = inside.map(|level| level.times).collect();
                self.add(abi::UNDO as u8, units, times);
            }
            Kind::For { body, .. } => {
                let iterations = work::constant_iterations(kind, &self.facts.defs);
                self.block(body, iterations);
            }
            Kind::While { cond, body, .. } => {
                self.block(cond, None);
                self.block(body, None);
            }
            // What it pushes it pops before it ends, so that one call of many is enough.
            Kind::Call { callee, .. } if self.called.insert(*callee) => {
                self.block(&self.facts.func.callee(*callee).block, Some(1));
            }
            _ => kind
                .blocks()
                .into_iter()
                .for_each(|b| self.block(b, Some(1))),
        }
    }

    /// Units of values packed one after the other.
    fn units(&self, values: &[Value]) -> usize {
        let sizes = values.iter().map(|v| self.facts.func.ty(*v).size());
        packed(sizes).1 / UNIT
    }

    /// Notes that so many units are pushed, for each time of these blocks.
    fn add(&mut self, stack: u8, units: usize, times: Vec<Option<u64>>) {
        if units == 0 {
            return;
        }
        let mut times = times.into_iter();
        let all = times.try_fold(units as u64, |all, times| all.checked_mul(times?));
        let before = self.most.entry(stack).or_insert(Some(0));
        *before = before.zip(all).and_then(|(a, b)| a.checked_add(b));
    }
}

/// The statements of a block between a mark and the last unwind that goes back to it.
fn taken_back(block: &Block) -> Vec<(usize, usize)> {
    let mut marks: HashMap<Value, usize> = HashMap::new();
    let mut found = Vec::new();
    for (k, stmt) in block.stmts.iter().enumerate() {
        let Kind::Intrinsic { op, args, outs } = &stmt.kind else {
            continue;
        };
        match op {
            Intrinsic::Mark => {
                marks.insert(outs[0], k);
            }
            Intrinsic::Unwind => found.extend(marks.get(&args[0]).map(|from| (*from, k))),
            _ => {}
        }
    }
    found
}
