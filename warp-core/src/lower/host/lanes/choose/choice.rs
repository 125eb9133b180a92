//! Whether a kernel runs in gangs, of how many, and why not.

use crate::dtype::Scalar;
use crate::ir::{Block, Intrinsic, Kind};
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::range::Ranges;
use crate::lower::analysis::reductions::Reductions;
use crate::lower::analysis::work::count;
use crate::lower::host::lanes::analysis::shape::Shapes;
use crate::lower::host::lanes::choose::cost::{Apart, Estimate};
use crate::lower::host::lanes::choose::order_of_changes::{
    folds_floats, order_shows, order_shows_beside,
};
use crate::lower::host::lanes::choose::registers::{REGISTERS, registers, run_time_loops};
use crate::lower::host::lanes::choose::waiting::may_wait;
use crate::lower::host::vector::{Vectors, has_atomics};
use crate::lower::options::{Lanes, Options};

/// A kernel that runs in gangs.
#[derive(Debug)]
pub struct Choice {
    /// How values differ between lanes.
    pub shapes: Shapes,
    /// Lanes of a gang.
    pub width: usize,
    /// Rows of fewer threads run one thread at a time.
    pub least: usize,
    /// The last gang of each row has lanes that do not run. Otherwise threads that fill no gang run one at a time.
    pub masked: bool,
    /// There is so much arithmetic that it hardly matters how arrays lie, and no atomic operation: one body serves all strides.
    pub any_strides: bool,
    /// That body is so long that it is the only one: another one for single threads would take as long to compile.
    pub only: bool,
    /// Launches in the order of threads run them one at a time: whether there are lanes, and how many, is the processor's, and would
    /// show in the result.
    pub unordered: bool,
    /// The threads of a gang run one after the other: access in lanes costs more, and what they add up has the order of gangs.
    pub serial: bool,
    /// What speaks for gangs.
    pub why: &'static str,
}

impl Choice {
    /// Looks at a kernel, and asks how LLVM would run it without gangs; what speaks against them if anything does.
    pub fn new(
        facts: &KernelFacts<'_>,
        reductions: &Reductions<'_>,
        options: &Options,
        vectors: impl FnOnce() -> Vectors,
    ) -> Result<Choice, &'static str> {
        may_run(facts, options)?;
        let shapes = Shapes::new(facts);
        if !shapes.can_replay() {
            return Err("its lanes would replay what others of them recorded");
        }
        if facts.func.blocks().any(|block| has_objects(block, &shapes)) {
            return Err("its threads query objects of their own");
        }
        if may_wait(facts, &shapes) {
            return Err("its threads may wait for each other");
        }
        // Partial sums are the same on all machines.
        let sums = reductions.sums_floats();
        let fixed = sums || folds_floats(facts, &shapes);
        let body = &facts.func.body;
        let chooses = options.lanes == Lanes::Auto && !sums;
        if chooses && facts.forks > FORKS {
            return Err("lanes would take long to compile, with so many accesses and conditions");
        }
        let vectors = match chooses {
            true => vectors(),
            false => Vectors::None,
        };
        let shuffled = vectors == Vectors::Shuffled && options.vector == WIDEST;
        if vectors != Vectors::None && !shuffled {
            return Err("LLVM finds the vectors of straight code by itself");
        }
        let registers = match fixed {
            true => REGISTERS,
            false if shuffled => 1,
            false => registers(facts, &shapes, options.vector == WIDEST),
        };
        let width = match options.lanes {
            Lanes::Groups(width) => width.into(),
            _ if fixed => width(facts, &shapes, registers, WIDEST),
            _ => width(facts, &shapes, registers, options.vector),
        };
        if local_bytes(facts) * width > LOCAL_BYTES {
            return Err("the local arrays of all lanes would not fit the cache");
        }
        let ranges = Ranges::new(facts.func, &facts.defs, &facts.numbers, i32::MAX.into());
        let estimate = |gathers| {
            let estimate = Estimate {
                facts,
                shapes: &shapes,
                ranges: &ranges,
                width: width as f64,
                registers: registers.min(REGISTERS) as f64,
                apart: Apart::new(gathers),
                uneven: false,
            };
            estimate.block(body)
        };
        let cost = estimate(options.gathers);
        let any_strides = cost.alone >= ARITHMETIC * cost.access && !has_atomics(facts);
        let only = any_strides && !fixed && count(&body.stmts) >= LONG;
        // Up to a gang's threads that run one at a time take as long as many gangs, where each has much to do. But what lanes add
        // up in each iteration would need the mask there.
        let masked = facts.has_rows() || only || (!fixed && !run_time_loops(facts).is_empty());
        let beside = order_shows_beside(facts, &shapes, reductions);
        let serial = options.lanes == Lanes::Auto && sums && cost.in_gang > cost.alone && !beside;
        let why = match options.lanes {
            Lanes::Auto => why(serial, sums, shuffled),
            _ => "lanes were asked for",
        };
        // How many threads take as long one at a time as a gang does; at most half a gang, since the estimate is at times too high.
        // Where it decides the order of sums it is the same on all machines.
        let even = match sums && !options.gathers {
            true => estimate(true),
            false => cost,
        };
        let even = (width as f64 * even.in_gang / even.alone).ceil() as usize;
        let least = match options.lanes {
            Lanes::Auto if masked => even.max(FEWEST).min(width / 2),
            Lanes::Auto => 2 * width,
            _ if masked => 1,
            _ => width,
        };
        let choice = Choice {
            any_strides,
            only,
            shapes,
            width,
            least,
            masked,
            unordered: beside || (!fixed && order_shows(facts)),
            serial,
            why,
        };
        if chooses && cost.in_gang * GAIN > cost.alone {
            return Err("access out of order costs more than arithmetic in lanes gains");
        }
        Ok(choice)
    }
}

/// What speaks for gangs.
const fn why(serial: bool, sums: bool, shuffled: bool) -> &'static str {
    match (serial, sums, shuffled) {
        (true, ..) => "sums have one order on all machines, and access is faster so",
        (_, true, _) => "sums have one order on all machines then",
        (.., true) => "elements of several components are shuffled faster in lanes",
        _ => "its arithmetic is faster in lanes",
    }
}

/// Whether a kernel could run in gangs at all, whatever its lanes share.
fn may_run(facts: &KernelFacts<'_>, options: &Options) -> Result<(), &'static str> {
    if options.lanes == Lanes::Never {
        return Err("lanes are switched off");
    }
    if options.fast_compile && options.lanes == Lanes::Auto {
        return Err("it is compiled without optimisation");
    }
    if facts.prints {
        return Err("it prints");
    }
    if facts.pointer_based
        && facts
            .func
            .blocks()
            .any(|block| writes_pointer_based(facts, block))
    {
        return Err("it writes arrays that it reaches through addresses");
    }
    if !facts.logs.is_empty() {
        return Err("it takes writes back");
    }
    if facts.func.blocks().any(has_others) {
        return Err("it multiplies large matrices");
    }
    Ok(())
}

/// Whether arrays that addresses lead to are written, other than by atomic operations: nobody knows what else is written so.
fn writes_pointer_based(facts: &KernelFacts<'_>, block: &Block) -> bool {
    block.any(&|kind| match kind {
        Kind::Store { place, .. } => facts.func.is_pointer_based(place.array),
        _ => false,
    })
}

/// Bytes of the local arrays of a thread.
fn local_bytes(facts: &KernelFacts<'_>) -> usize {
    let bytes = |id| {
        let shape = facts.func.local(id).expect("a local array has extents");
        let count: usize = shape.iter().map(|n| *n as usize).product();
        count * facts.func.param(id).ty.elem().size()
    };
    facts.local_params().map(bytes).sum()
}

/// Bytes that the local arrays of a gang may take: part of a second-level cache, and of any thread's stack.
const LOCAL_BYTES: usize = 1 << 17;

/// Cycles for each cycle of access from which on it hardly matters that access is gathered.
const ARITHMETIC: f64 = 48.0;

/// Threads of a row for which gangs run at least: the estimate leaves out what a gang costs besides its statements.
const FEWEST: usize = 4;

/// Bytes of the largest vector registers of any processor. One that has such has 32 of them, so that a gang may fill four.
const WIDEST: usize = 64;

/// How many times faster gangs should be, by an estimate, to be worth compiling another body.
const GAIN: f64 = 1.25;

/// Accesses and conditions of a kernel that runs in lanes, at most: LLVM takes seconds for more.
const FORKS: usize = 600;

/// Statements from which on another body would take ten milliseconds and more to compile.
const LONG: usize = 400;

/// Whether gangs run an intrinsic. Kernels with another one run one thread at a time.
const fn has_lanes(op: &Intrinsic) -> bool {
    matches!(
        op,
        Intrinsic::Check(_)
            | Intrinsic::Require(_)
            | Intrinsic::Object(_)
            | Intrinsic::Read(_)
            | Intrinsic::Search(_)
            | Intrinsic::Record(_)
            | Intrinsic::Replay(_)
    )
}

/// Whether lanes may query different objects.
fn has_objects(block: &Block, shapes: &Shapes) -> bool {
    block.any(&|kind| {
        matches!(kind.intrinsic(), Some(Intrinsic::Object(_)))
            && !kind.outs().iter().all(|out| shapes.is_uniform(*out))
    })
}

fn has_others(block: &Block) -> bool {
    block.any(&|kind| kind.intrinsic().is_some_and(|op| !has_lanes(op)))
}

/// So many registers of the type that most varying values have.
fn width(facts: &KernelFacts<'_>, shapes: &Shapes, registers: usize, vector: usize) -> usize {
    let mut counts = [0usize; 2];
    count_sizes(facts, shapes, &facts.func.body, &mut counts);
    let size = if counts[1] > counts[0] { 8 } else { 4 };
    registers * vector / size
}

fn count_sizes(facts: &KernelFacts<'_>, shapes: &Shapes, block: &Block, counts: &mut [usize; 2]) {
    for stmt in &block.stmts {
        for out in stmt.kind.outs() {
            let ty = facts.func.ty(*out);
            if !shapes.is_uniform(*out) && ty != Scalar::Bool {
                counts[usize::from(ty.bits() == 64)] += 1;
            }
        }
        for inner in stmt.kind.blocks() {
            count_sizes(facts, shapes, inner, counts);
        }
    }
}
