//! What a kernel costs per thread, one at a time and in gangs: rough cycles, by which the two are compared.
//!
//! The numbers come from measurements on processors with vectors of 32 and 64 bytes. What matters is what gangs do badly:
//! access that is scattered costs a gang as much as its threads, and a loop runs as long as its slowest lane.

use crate::intrinsic::row;
use crate::ir::primitive::DIVISION;
use crate::ir::{AtomicOp, Block, Comp, Intrinsic, Kind, Op, Place, Value};
use crate::lower::analysis::defs::Def;
use crate::lower::analysis::facts::KernelFacts;
use crate::lower::analysis::range::Ranges;
use crate::lower::analysis::work;
use crate::lower::host::lanes::analysis::neighbours::neighbour;
use crate::lower::host::lanes::analysis::shape::{Shape, Shapes};
use std::collections::HashSet;

/// Iterations of a loop that nobody knows.
const ROUNDS: f64 = 8.0;
/// A jump that goes both ways, with its wrong guesses: by thread indices, mostly a guard, and by what memory holds.
const JUMP: f64 = 5.0;
const JUMP_BY_DATA: f64 = 10.0;
/// Operations behind a condition that are looked at for what it depends on.
const DEPTH: usize = 4;
/// The end of a loop that threads leave after different numbers of iterations: a wrong guess for each.
const EXIT: f64 = 15.0;
/// How many more iterations a gang runs than its threads on average, where these differ: so much of them for each time that lanes double.
/// Loops in such a loop even out; counted for each of three, the neighbours of particles in a hash grid were estimated at 0.4 of
/// what lanes gain.
const UNEVEN: f64 = 0.15;
/// A number that is read or written in order.
const ACCESS: f64 = 1.0;
/// A simple operation of a thread by itself: processors run several at a time.
const SIMPLE: f64 = 0.4;
/// A call, with what it loads of the argument block.
const CALL: f64 = 20.0;
/// Asking for an object: a call, and the registers that are saved around it.
const OBJECT: f64 = 40.0;
/// What of the time of a search is left where searches take turns.
const TURNS: f64 = 0.7;
/// An atomic operation in memory.
const ATOMIC: f64 = 20.0;
/// An add to a copy.
const COPY: f64 = 5.0;
/// The second of two numbers side by side that are added at once.
const SECOND: f64 = 2.0;
/// What the lanes of a gang have for one element becomes one number.
const FOLD: f64 = 16.0;
/// How often objects have gradients that an adjoint adds to: mostly those of the places are wanted.
const GRADIENTS: f64 = 0.1;
/// A remainder that is expected to bring an index back by at most one period: no division.
const WRAP: f64 = 4.0;

/// Cycles that a gang takes for each lane where lanes access memory apart.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// A number that is gathered; writing it costs more.
    gather: f64,
    scatter: f64,
    /// Two numbers side by side, read as one for each lane.
    pair: f64,
    /// A number of an object, which stays in the caches.
    object: f64,
    /// What of that is left where lanes access elements of several numbers in order: few lines of the cache.
    near: f64,
    /// What a further index that differs between lanes adds to a gather: products of 64 bits for each lane.
    index: f64,
    /// Taking one lane's value and address out of vectors.
    extract: f64,
}

impl Apart {
    /// `gathers`: the host gathers in less time than one load for each lane takes. Measured on Emerald Rapids, as time one thread at a
    /// time over that in lanes: sparse rows 2.6, lattice Boltzmann with elements of nine numbers 2.9, velocities of 27 cells for a point
    /// 2.8, inverses of 4 x 4 matrices 2.5, constraints that write two elements 1.0, additions to 27 cells for a point 0.85.
    pub const fn new(gathers: bool) -> Apart {
        match gathers {
            true => Apart {
                gather: 1.0,
                scatter: 2.5,
                pair: 0.8,
                object: 1.0,
                near: 1.0,
                index: 0.5,
                extract: 3.0,
            },
            false => Apart {
                gather: 2.0,
                scatter: 4.0,
                pair: 2.0,
                object: 2.5,
                near: 0.6,
                index: 1.5,
                extract: 2.0,
            },
        }
    }
}

/// Cycles of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// By itself.
    pub alone: f64,
    /// In a gang.
    pub in_gang: f64,
    /// What of the first is access to memory.
    pub access: f64,
}

impl Cost {
    fn new(alone: f64, in_gang: f64) -> Cost {
        Cost {
            alone,
            in_gang,
            access: 0.0,
        }
    }

    fn times(self, iterations: f64) -> Cost {
        Cost {
            alone: self.alone * iterations,
            in_gang: self.in_gang * iterations,
            access: self.access * iterations,
        }
    }

    fn access(self) -> Cost {
        Cost {
            access: self.alone,
            ..self
        }
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            alone: self.alone + other.alone,
            in_gang: self.in_gang + other.in_gang,
            access: self.access + other.access,
        }
    }
}

/// What is known of a kernel that is estimated.
pub struct Estimate<'a> {
    /// Facts about the kernel.
    pub facts: &'a KernelFacts<'a>,
    /// How values differ between lanes.
    pub shapes: &'a Shapes,
    /// Which values are the same.
    pub ranges: &'a Ranges<'a>,
    /// Lanes of a gang.
    pub width: f64,
    /// Vector registers that these take at a time: two of four wait for the other two.
    pub registers: f64,
    /// What access apart costs a gang.
    pub apart: Apart,
    /// Within a loop that runs as long as its slowest lane.
    pub uneven: bool,
}

impl Estimate<'_> {
    /// The cost of a block.
    pub fn block(&self, block: &Block) -> Cost {
        let mut all = Cost::default();
        let mut seconds = HashSet::new();
        for (k, stmt) in block.stmts.iter().enumerate() {
            let mut cost = self.statement(&stmt.kind);
            let known = (self.facts, self.shapes, self.ranges);
            let taken = |kind: &Kind| seconds.contains(&kind.key());
            if taken(&stmt.kind) {
                cost.in_gang = match stmt.kind {
                    Kind::Atomic { .. } => SECOND,
                    _ => 0.0,
                };
            } else if let Some(at) = neighbour(known, &block.stmts[k..], taken) {
                if let Kind::Load { place, .. } = &stmt.kind {
                    cost.in_gang = self.access(place, self.apart.pair).in_gang;
                }
                seconds.insert(block.stmts[k + at].kind.key());
            }
            all = all + cost;
        }
        all
    }

    /// Something that a gang does once.
    fn shared(&self, cycles: f64) -> Cost {
        Cost::new(cycles, cycles / self.width)
    }

    /// Something that a gang does with each register.
    fn lanes(&self, cycles: f64) -> Cost {
        Cost::new(cycles, self.registers * cycles / self.width)
    }

    fn statement(&self, kind: &Kind) -> Cost {
        match kind {
            Kind::Let { out, op, args } => self.operation(*out, *op, args),
            Kind::Load { place, .. } => self.access(place, self.apart.gather),
            Kind::Store { place, .. } => self.access(place, self.apart.scatter),
            Kind::Atomic { op, place, .. } => {
                let local = self.facts.func.local(place.array).is_some();
                if (local || self.facts.is_non_atomic(place.array)) && !op.replaces() {
                    let Apart {
                        gather, scatter, ..
                    } = self.apart;
                    return self.access(place, gather) + self.access(place, scatter);
                }
                self.atomic(place, *op)
            }
            Kind::If {
                cond, then, els, ..
            } => {
                let (a, b) = (self.block(then), self.block(els));
                if self.asks_for_gradient(*cond, then) {
                    return a.times(GRADIENTS) + self.lanes(1.0);
                }
                if self.shapes.is_uniform(*cond) {
                    return (a + b).times(0.5) + self.shared(1.0);
                }
                let both = a + b;
                let jump = match self.is_data(*cond, DEPTH) {
                    true => JUMP_BY_DATA,
                    false => JUMP,
                };
                Cost {
                    alone: jump.min(both.alone) + 0.5 * both.alone,
                    in_gang: both.in_gang + 4.0 / self.width,
                    access: both.access,
                }
            }
            Kind::For { body, .. } => {
                let known = work::constant_iterations(kind, &self.facts.defs);
                let iteration = self.within(kind).block(body);
                self.iterations(kind, known.map_or(ROUNDS, |n| n as f64), iteration)
            }
            Kind::While { cond, body, .. } => {
                let within = self.within(kind);
                self.iterations(kind, ROUNDS, within.block(cond) + within.block(body))
            }
            Kind::Call { callee, .. } => {
                self.block(&self.facts.func.callee(*callee).block) + self.shared(CALL)
            }
            Kind::Intrinsic { op, .. } if op.slot().is_some() => self.lanes(4.0),
            Kind::Intrinsic {
                op: Intrinsic::Read(_),
                outs,
                ..
            } => match outs.iter().all(|out| self.shapes.is_uniform(*out)) {
                true => self.shared(ACCESS).access(),
                false => Cost::new(ACCESS, self.apart.object).access(),
            },
            Kind::Intrinsic {
                op: Intrinsic::Object(_),
                ..
            } => self.shared(OBJECT),
            Kind::Intrinsic {
                op: op @ Intrinsic::Search(search),
                ..
            } => {
                let cost = (row(op).cost)(op) as f64;
                match search.takes_turns() {
                    true => Cost::new(cost, TURNS * cost),
                    false => Cost::new(cost, cost),
                }
            }
            _ => self.lanes(1.0),
        }
    }

    /// Whether a condition says that memory which an address leads to has a gradient, to which a block adds.
    fn asks_for_gradient(&self, cond: Value, then: &Block) -> bool {
        let Def::Let(Op::Ne, [gradient, _]) = self.facts.defs[cond.0 as usize] else {
            return false;
        };
        then.stmts.iter().any(|stmt| match &stmt.kind {
            Kind::Atomic { place, .. } => {
                self.facts.func.is_pointer_based(place.array) && place.index[0] == *gradient
            }
            _ => false,
        })
    }

    /// The same within a loop.
    fn within(&self, kind: &Kind) -> Self {
        Estimate {
            uneven: self.uneven || self.shapes.is_divergent(kind),
            ..*self
        }
    }

    fn iterations(&self, kind: &Kind, iterations: f64, iteration: Cost) -> Cost {
        let iteration = iteration + self.shared(2.0);
        if !self.shapes.is_divergent(kind) {
            return iteration.times(iterations);
        }
        let iteration = iteration + Cost::new(0.0, 4.0 / self.width);
        let all = iteration.times(iterations);
        let more = match self.uneven {
            true => 0.0,
            false => UNEVEN * self.width.log2(),
        };
        Cost {
            alone: all.alone + EXIT,
            in_gang: all.in_gang * (1.0 + more),
            access: all.access,
        }
    }

    fn operation(&self, out: Value, op: Op, args: &[Value]) -> Cost {
        let cycles = work::of_op(op) as f64;
        let ints = args.iter().all(|a| self.facts.func.ty(*a).is_int());
        let divides = ints && cycles >= DIVISION as f64;
        let by = args.last().map(|by| self.facts.defs[by.0 as usize]);
        // By a constant it is a product and shifts.
        let multiplies = divides && matches!(by, Some(Def::Let(Op::Const(_), _)));
        if self.shapes.of(out) != Shape::Varying {
            return self.shared(if multiplies { 2.0 } else { cycles });
        }
        if multiplies {
            return self.lanes(2.0);
        }
        if op == Op::Mod && self.facts.wraps(args) {
            return self.lanes(WRAP);
        }
        if divides {
            return Cost::new(2.0 * cycles, 8.0 * cycles / self.width);
        }
        match cycles <= 2.0 {
            true => Cost::new(SIMPLE * cycles, self.registers * cycles / self.width),
            false => self.lanes(cycles),
        }
    }

    /// An operation on an element that may be anybody's. Where the launch may copy the array, it is expected to do so.
    fn atomic(&self, place: &Place, op: AtomicOp) -> Cost {
        let copied = self.facts.summed.contains_key(&place.array);
        let each = if copied { COPY } else { ATOMIC };
        let in_gang = match self.shapes.is_same(place) && !op.replaces() {
            true => (each + FOLD) / self.width,
            false if copied && self.is_row(place) => 4.0 * ACCESS / self.width,
            false => each + self.apart.extract,
        };
        Cost::new(each, in_gang).access()
    }

    /// Whether lanes access neighbouring elements.
    fn is_row(&self, place: &Place) -> bool {
        if self.facts.func.local(place.array).is_some() {
            return self.is_local_row(place);
        }
        let (last, outer) = place.index.split_last().expect("arrays have dimensions");
        matches!(self.shapes.of(*last), Shape::Steps(-1..=1))
            && outer.iter().all(|v| self.shapes.is_uniform(*v))
            && matches!(place.comp, Comp::Fixed(_))
            && self.facts.func.param(place.array).ty.elem().count() <= 4
            && !self.facts.func.is_pointer_based(place.array)
    }

    /// Whether lanes access one element of their local arrays, which lie side by side.
    fn is_local_row(&self, place: &Place) -> bool {
        let mut same = true;
        place.uses(|v| same &= self.shapes.is_uniform(v));
        same
    }

    fn access(&self, place: &Place, apart: f64) -> Cost {
        if self.shapes.is_same(place) {
            return self.shared(ACCESS).access();
        }
        let differ = place.index.iter().filter(|v| !self.shapes.is_uniform(**v));
        let differ = differ.count();
        let near = match differ == 1 && place.index.last().is_some_and(|v| self.follows(*v)) {
            true => self.apart.near,
            false => 1.0,
        };
        let apart = near * apart + self.apart.index * differ.saturating_sub(1) as f64;
        let param = self.facts.func.param(place.array);
        let cost = match self.is_row(place) {
            true => self.lanes(ACCESS),
            // The components of an element lie together.
            false if param.ty.elem().count() > 1 => Cost::new(0.5 * ACCESS, apart),
            false => Cost::new(ACCESS, apart),
        };
        cost.access()
    }

    /// Whether an index goes up or down with the lanes, perhaps around the end of a row.
    fn follows(&self, index: Value) -> bool {
        match (self.shapes.of(index), self.facts.defs[index.0 as usize]) {
            (Shape::Steps(_), _) => true,
            (_, Def::Let(Op::Mod, args)) => self.facts.wraps(args),
            _ => false,
        }
    }

    /// Whether a value depends on what memory or the iterations of a loop hold, as far as one looks.
    fn is_data(&self, value: Value, depth: usize) -> bool {
        if self.shapes.is_uniform(value) {
            return false;
        }
        match self.facts.defs[value.0 as usize] {
            Def::Let(_, args) => depth > 0 && args.iter().any(|v| self.is_data(*v, depth - 1)),
            Def::Index(_) => false,
            _ => true,
        }
    }
}
