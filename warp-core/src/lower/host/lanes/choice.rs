//! Whether a kernel runs in groups of threads, of how many, and why not.

use super::cost::{Cost, Estimate};
use super::shape::Shapes;
use super::waiting::may_wait;
use crate::dtype::Scalar;
use crate::ir::{AtomicOp, Block, Kind};
use crate::lower::collect::Collected;
use crate::lower::facts::KernelFacts;
use crate::lower::options::{Lanes, Options};
use crate::lower::range::Ranges;

/// A kernel that runs in groups.
#[derive(Debug)]
pub struct Choice {
    /// How values differ between lanes.
    pub shapes: Shapes,
    /// Lanes of a group.
    pub width: usize,
    /// Rows of fewer threads run one thread at a time.
    pub least: usize,
    /// There is so much arithmetic that it hardly matters how arrays lie: one body serves all strides.
    pub any_strides: bool,
    /// What speaks for groups.
    pub why: &'static str,
}

impl Choice {
    /// Looks at a kernel, and asks whether LLVM would run it in vectors without that; what speaks against groups if anything does.
    pub fn new(
        facts: &KernelFacts<'_>,
        collected: &Collected<'_>,
        options: &Options,
        vectorised: impl FnOnce() -> bool,
    ) -> Result<Choice, &'static str> {
        if options.lanes == Lanes::Never {
            return Err("lanes are switched off");
        }
        if options.fast_compile && options.lanes == Lanes::Auto {
            return Err("it is compiled without optimisation");
        }
        if facts.prints {
            return Err("it prints");
        }
        if facts.locals {
            return Err("each thread has arrays of its own");
        }
        if facts.addressed {
            return Err("it reaches arrays through addresses");
        }
        if !facts.logs.is_empty() {
            return Err("it takes writes back");
        }
        if has_large(&facts.func.body) {
            return Err("it multiplies large matrices");
        }
        let shapes = Shapes::new(facts);
        if !shapes.can_replay() {
            return Err("its lanes would replay what others of them recorded");
        }
        if may_wait(facts, &shapes) {
            return Err("its threads may wait for each other");
        }
        // Partial sums are the same on all machines.
        let sums = collected.sums_floats();
        let width = match options.lanes {
            Lanes::Groups(width) => width.into(),
            _ if sums || folds_floats(facts, &shapes) => width(facts, &shapes, WIDEST),
            _ => width(facts, &shapes, options.vector),
        };
        let why = match options.lanes {
            Lanes::Auto if sums => "sums have one order on all machines then",
            Lanes::Auto => "its arithmetic is faster in lanes",
            _ => "lanes were asked for",
        };
        // The last group of each row is as long as the others; a launch of one row leaves its last threads to scalars.
        let least = match options.lanes {
            Lanes::Auto if facts.dims == 1 => 2 * width,
            Lanes::Auto => width / 2,
            _ if facts.dims == 1 => width,
            _ => 1,
        };
        let ranges = Ranges::new(facts.func, &facts.defs, i32::MAX.into());
        let cost = Estimate {
            facts,
            shapes: &shapes,
            ranges: &ranges,
            width: width as f64,
        }
        .block(&facts.func.body);
        let choice = Choice {
            any_strides: cost.alone >= ARITHMETIC * cost.access,
            shapes,
            width,
            least,
            why,
        };
        if options.lanes == Lanes::Auto && !sums {
            pays(cost, vectorised())?;
        }
        Ok(choice)
    }
}

/// Whether groups are worth it. `vectorised`: LLVM would find vectors by itself.
fn pays(cost: Cost, vectorised: bool) -> Result<(), &'static str> {
    if vectorised {
        return Err("LLVM finds the vectors of straight code by itself");
    }
    if cost.grouped * GAIN > cost.alone {
        return Err("access out of order costs more than arithmetic in lanes gains");
    }
    Ok(())
}

/// Cycles for each cycle of access from which on it hardly matters that access is gathered.
const ARITHMETIC: f64 = 48.0;

/// Bytes of the largest vector registers of any machine.
const WIDEST: usize = 64;

/// How many times faster groups should be, by an estimate, to be worth compiling another body.
const GAIN: f64 = 1.25;

/// Whether what lanes add to one element comes together first.
fn folds_floats(facts: &KernelFacts<'_>, shapes: &Shapes) -> bool {
    facts.accesses.values().flatten().any(|kind| match kind {
        Kind::Atomic { op, place, .. } => {
            let mut same = *op == AtomicOp::Add;
            place.uses(|v| same &= shapes.is_uniform(v));
            same && facts.func.param(place.array).ty.elem().scalar().is_float()
        }
        _ => false,
    })
}

fn has_large(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Matmul { .. } | Kind::Unwind { .. } | Kind::Mark { .. } => true,
        kind => kind.blocks().into_iter().any(has_large),
    })
}

/// Two registers of the type that most varying values have.
fn width(facts: &KernelFacts<'_>, shapes: &Shapes, vector: usize) -> usize {
    let mut counts = [0usize; 2];
    count(facts, shapes, &facts.func.body, &mut counts);
    let size = if counts[1] > counts[0] { 8 } else { 4 };
    2 * vector / size
}

fn count(facts: &KernelFacts<'_>, shapes: &Shapes, block: &Block, counts: &mut [usize; 2]) {
    for stmt in &block.stmts {
        for out in stmt.kind.outs() {
            let ty = facts.func.ty(*out);
            if !shapes.is_uniform(*out) && ty != Scalar::Bool {
                counts[usize::from(ty.bits() == 64)] += 1;
            }
        }
        for inner in stmt.kind.blocks() {
            count(facts, shapes, inner, counts);
        }
    }
}
