//! How many vector registers a gang fills.
//!
//! Where operations wait for each other's results, two registers take as long as one: two are the rule. Where one keeps the processor
//! busy by itself, two need more registers than there are, and gangs overlap less with the next ones.

use crate::intrinsic::row;
use crate::ir::{Block, Intrinsic, Kind, Op, Value};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::work;
use crate::lower::host::lanes::analysis::shape::{Shape, Shapes};

/// What a gang fills as a rule.
pub const REGISTERS: usize = 2;

/// Cycles of an iteration whose operations mostly wait for each other. The Mandelbrot set (12) takes 1.07 of the time with four registers.
const SHORT_ROUND: u64 = 8;
/// Cycles of a kernel whose code may become twice as long for that.
const SHORT: u64 = 256;

/// How many registers a gang fills where it may choose. `largest`: they are of the largest size, of which there are 32.
pub fn registers(facts: &KernelFacts<'_>, shapes: &Shapes, largest: bool) -> usize {
    let body = &facts.func.body;
    let loops = run_time_loops(facts);
    if loops.is_empty() {
        return match largest && keeps_busy(facts, shapes) {
            true => 1,
            false => REGISTERS,
        };
    }
    let waits = loops.iter().all(|kind| waits_in_rounds(shapes, kind));
    match largest && waits && work::of_block(body, &facts.defs) <= SHORT {
        true => 2 * REGISTERS,
        false => REGISTERS,
    }
}

/// The loops of run-time length of a kernel that are in no other one.
pub fn run_time_loops<'a>(facts: &KernelFacts<'a>) -> Vec<&'a Kind> {
    let mut found = Vec::new();
    for block in facts.func.blocks() {
        outermost(facts, block, &mut found);
    }
    found
}

/// A loop whose iterations nobody knows.
fn is_loop(facts: &KernelFacts<'_>, kind: &Kind) -> bool {
    match kind {
        Kind::For { .. } => work::constant_iterations(kind, &facts.defs).is_none(),
        Kind::While { .. } => true,
        _ => false,
    }
}

fn outermost<'a>(facts: &KernelFacts<'_>, block: &'a Block, found: &mut Vec<&'a Kind>) {
    for stmt in &block.stmts {
        match is_loop(facts, &stmt.kind) {
            true => found.push(&stmt.kind),
            false => {
                for inner in stmt.kind.blocks() {
                    outermost(facts, inner, found);
                }
            }
        }
    }
}

/// Whether iterations of a loop mostly wait for the last ones' results: they are short, and nothing in them is read or written that
/// differs between lanes. Four registers take about as long as two then.
fn waits_in_rounds(shapes: &Shapes, kind: &Kind) -> bool {
    let blocks = kind.blocks().into_iter();
    let cycles: Option<u64> = blocks.map(|inner| arithmetic(shapes, inner)).sum();
    cycles.is_some_and(|cycles| cycles <= SHORT_ROUND)
}

/// Cycles of what differs between lanes; None if a statement is more than arithmetic.
fn arithmetic(shapes: &Shapes, block: &Block) -> Option<u64> {
    let each = block.stmts.iter().map(|stmt| match &stmt.kind {
        Kind::Let { out, .. } if shapes.is_uniform(*out) => Some(0),
        Kind::Let { op, .. } => Some(work::of_op(*op)),
        Kind::Load { out, .. } => shapes.is_uniform(*out).then_some(0),
        Kind::Intrinsic {
            op: Intrinsic::Check(_),
            args,
            ..
        } => shapes.is_uniform(args[0]).then_some(0),
        kind @ (Kind::If { .. } | Kind::For { .. } | Kind::While { .. }) => {
            let blocks = kind.blocks().into_iter();
            blocks.map(|inner| arithmetic(shapes, inner)).sum()
        }
        _ => None,
    });
    each.sum()
}

/// How long operations of one register may keep the processor busy, against the longest chain of those that wait for each other, so
/// that two are still faster: the processor also works on the next gang meanwhile. Measured on Cascade Lake, with the time of one
/// register over that of two: a gradient with eight quotients (0.78) 0.80, that of sin exp sqrt log (0.99) 0.90; springs (0.65) 1.06,
/// two rotations in turn (0.52) 1.29, polynomials (0.12 to 0.3) 1.2 to 1.3.
const BUSY: f64 = 0.75;

/// Whether one register keeps the processor busy in a kernel without loops.
fn keeps_busy(facts: &KernelFacts<'_>, shapes: &Shapes) -> bool {
    let mut chain = Chain {
        facts,
        shapes,
        known: vec![0.0; facts.func.values.len()],
        busy: 0.0,
        longest: 0.0,
    };
    chain.block(&facts.func.body, 0.0, 1.0);
    chain.busy >= BUSY * chain.longest
}

/// Cycles until a result is there, and cycles for which an operation keeps others from starting; of one register of the largest
/// size. Smaller ones are divided and multiplied in half the time, and one of them is not enough.
#[derive(Clone, Copy)]
struct Timing {
    latency: f64,
    busy: f64,
}

const NOTHING: Timing = Timing::new(0.0, 0.0);
const SIMPLE: Timing = Timing::new(4.0, 0.5);
const DIVISION: Timing = Timing::new(20.0, 10.0);
const FUNCTION: Timing = Timing::new(60.0, 20.0);
/// A number in memory.
const ACCESS: Timing = Timing::new(10.0, 1.0);

impl Timing {
    const fn new(latency: f64, busy: f64) -> Timing {
        Timing { latency, busy }
    }

    fn of(op: Op) -> Timing {
        use crate::ir::primitive::{DIVISION as QUOTIENT, FUNCTION as TRANSCENDENTAL};
        match work::of_op(op) as usize {
            0 => NOTHING,
            cost if cost >= TRANSCENDENTAL => FUNCTION,
            cost if cost >= QUOTIENT => DIVISION,
            _ => SIMPLE,
        }
    }
}

/// Follows what waits for what.
struct Chain<'a> {
    facts: &'a KernelFacts<'a>,
    shapes: &'a Shapes,
    /// When each value is known.
    known: Vec<f64>,
    busy: f64,
    longest: f64,
}

impl Chain<'_> {
    /// A block that starts at `from` and runs so many times.
    fn block(&mut self, block: &Block, from: f64, times: f64) {
        for value in &block.params {
            self.known[value.0 as usize] = from;
        }
        for stmt in &block.stmts {
            self.statement(&stmt.kind, from, times);
        }
    }

    fn statement(&mut self, kind: &Kind, from: f64, times: f64) {
        let mut start = from;
        kind.uses(|value| start = start.max(self.known[value.0 as usize]));
        let end = match kind {
            Kind::If { .. } | Kind::For { .. } | Kind::Custom { .. } => {
                let iterations =
                    work::constant_iterations(kind, &self.facts.defs).unwrap_or(1) as f64;
                let mut end = start;
                for inner in kind.blocks_run() {
                    self.block(inner, start, times * iterations);
                    let results = inner.results.iter().map(|v| self.known[v.0 as usize]);
                    end = results.fold(end, f64::max);
                }
                start + iterations * (end - start)
            }
            _ => {
                let timing = self.timing(kind);
                self.busy += times * timing.busy;
                start + timing.latency
            }
        };
        self.longest = self.longest.max(end);
        for out in kind.outs() {
            self.known[out.0 as usize] = end;
        }
    }

    fn timing(&self, kind: &Kind) -> Timing {
        match kind {
            Kind::Let { out, op, .. } if self.varies(*out) => Timing::of(*op),
            Kind::Load { place, .. } | Kind::Store { place, .. } | Kind::Atomic { place, .. }
                if !self.shapes.is_same(place) =>
            {
                ACCESS
            }
            Kind::Intrinsic { op, .. } => match op {
                Intrinsic::Matmul(_) => Timing {
                    busy: SIMPLE.busy * (row(op).cost)(op) as f64,
                    ..SIMPLE
                },
                Intrinsic::Record(_) | Intrinsic::Replay(_) => ACCESS,
                Intrinsic::Read(_) if kind.outs().iter().any(|out| self.varies(*out)) => ACCESS,
                _ => NOTHING,
            },
            _ => NOTHING,
        }
    }

    fn varies(&self, value: Value) -> bool {
        self.shapes.of(value) == Shape::Varying
    }
}
