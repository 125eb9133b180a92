//! Random kernels: nested loops with bounds known at run time, mutated variables, early exits, branches,
//! loads, stores and atomics on several arrays.
//!
//! Threads share only what is loaded or atomically added to, so that their order does not matter. Variables stay
//! bounded, so that differences mean something.

mod expression;
mod random;
mod region;

use crate::differences::Case;
pub use random::Random;
use warp_core::dtype::Scalar;
use warp_core::interp::{Arg, Memory};
use warp_core::ir::{AtomicOp, Builder, Op, ParamId, ParamType, Value};
use warp_core::ty::Elem;

const F64: Elem = Elem::Scalar(Scalar::F64);
const I32: Elem = Elem::Scalar(Scalar::I32);
const VEC: Elem = Elem::Vec {
    len: 3,
    scalar: Scalar::F64,
};
const THREADS: i32 = 2;
/// Extent of everything that is not indexed by thread.
const WIDE: i32 = 3;

/// The variables of a thread, as a front end would carry them through regions.
#[derive(Clone, Debug)]
struct Vars {
    floats: Vec<Value>,
    ints: Vec<Value>,
}

impl Vars {
    fn all(&self) -> Vec<Value> {
        self.floats.iter().chain(&self.ints).copied().collect()
    }
    fn set(&mut self, values: &[Value]) {
        let (floats, ints) = values.split_at(self.floats.len());
        self.floats.copy_from_slice(floats);
        let count = self.ints.len();
        self.ints.copy_from_slice(&ints[..count]);
    }
}

struct Generator {
    b: Builder,
    random: Random,
    tid: Value,
    vars: Vars,
    /// Values that loops and branches do not change.
    fixed: Vec<Value>,
    budget: usize,
}

const X: ParamId = ParamId(0);
const M: ParamId = ParamId(1);
const V: ParamId = ParamId(2);
const A: ParamId = ParamId(3);
const Y: ParamId = ParamId(4);
const N: ParamId = ParamId(5);
const Q: ParamId = ParamId(6);
const E: ParamId = ParamId(7);

/// The kernel of a seed, with arguments.
pub fn generate(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let mut b = Builder::new("k");
    let array = |elem, ndim| ParamType::Array { elem, ndim };
    b.param("x", array(F64, 1)); // only loaded
    b.param("m", array(F64, 2)); // a row of each thread's own
    b.param("v", array(VEC, 1)); // a vector of each thread's own
    b.param("a", array(F64, 1)); // atomically added to by all
    b.param("y", array(F64, 1)); // stored once
    b.param("n", array(I32, 1)); // numbers of rounds
    b.param("q", array(I32, 2)); // integers of each thread's own
    b.param("e", array(F64, 1)); // maxima
    let tid = b.let_(Scalar::I32, Op::Tid(0), &[]);
    let mut generator = Generator {
        random: random.clone(),
        tid,
        vars: Vars {
            floats: Vec::new(),
            ints: vec![tid],
        },
        fixed: Vec::new(),
        budget: 14 + random.below(14),
        b,
    };
    generator.kernel();
    let func = generator.b.finish();

    let mut memory = Memory::default();
    let mut floats = |elem: Elem, shape: &[i32], scale: f64| {
        let count = shape.iter().product::<i32>() as usize * elem.count();
        let data: Vec<f64> = (0..count).map(|_| random.float() * scale).collect();
        memory.floats(elem, shape, &data)
    };
    let mut args: Vec<Arg> = vec![
        floats(F64, &[WIDE], 1.5),
        floats(F64, &[THREADS, WIDE], 1.5),
        floats(VEC, &[THREADS], 1.5),
        floats(F64, &[WIDE], 1.0),
        floats(F64, &[THREADS], 1.0),
    ];
    let rounds: Vec<i64> = (0..WIDE).map(|_| random.below(4) as i64).collect();
    args.push(memory.ints(I32, &[WIDE], &rounds));
    let ints: Vec<i64> = (0..THREADS * WIDE)
        .map(|_| random.below(5) as i64)
        .collect();
    args.push(memory.ints(I32, &[THREADS, WIDE], &ints));
    args.push(memory.floats(F64, &[2], &[-9.0, -9.0]));
    Case {
        func,
        dims: vec![THREADS],
        args,
        memory,
    }
}

impl Generator {
    fn kernel(&mut self) {
        for _ in 0..3 {
            let value = self.fresh_float();
            self.vars.floats.push(value);
        }
        let one = self.b.i32(1);
        self.vars.ints.push(one);
        self.fixed = self.vars.floats.clone();
        while self.budget > 0 {
            self.statement(3);
        }
        let value = self.float(2);
        let place = self.at(Y, &[self.tid]);
        self.b.store(place, value);
        let value = self.float(1);
        let column = self.index();
        let place = self.at(M, &[self.tid, column]);
        self.b.store(place, value);
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        self.budget = self.budget.saturating_sub(1);
        let regions = depth > 0 && self.budget > 0;
        match self.random.below(16) {
            0..=4 => {
                let value = self.bounded(2);
                let at = self.random.below(self.vars.floats.len());
                self.vars.floats[at] = value;
            }
            5 => {
                let value = self.int();
                let at = self.random.below(self.vars.ints.len());
                self.vars.ints[at] = value;
            }
            6 | 7 => self.write(),
            8 | 9 if regions => self.branch(depth),
            10..=12 if regions => self.count(depth),
            13 if regions => self.until(depth),
            14 => {
                let value = self.float(1);
                let index = self.index();
                let place = self.at(A, &[index]);
                self.b.accumulate(place, value);
            }
            // Not in loops: equal values in two rounds would both be the maximum, a kink.
            15 if depth == 3 && self.random.chance(30) => {
                let value = self.float(1);
                let place = self.at(E, &[self.tid]);
                self.b.push(warp_core::ir::Kind::Atomic {
                    out: None,
                    op: AtomicOp::Max,
                    place,
                    value,
                    log: false,
                });
            }
            _ => self.write(),
        }
    }

    fn write(&mut self) {
        match self.random.below(6) {
            0 | 1 => {
                let value = self.bounded(2);
                let index = self.index();
                let place = self.at(M, &[self.tid, index]);
                self.b.store(place, value);
            }
            2 => {
                let value = self.float(1);
                let index = self.index();
                let place = self.at(M, &[self.tid, index]);
                let small = self.b.number(Scalar::F64, 0.3);
                let value = self.b.op(Op::Mul, &[value, small]);
                self.b.accumulate(place, value);
            }
            3 => {
                let value = self.bounded(1);
                let place = self.vector();
                self.b.store(place, value);
            }
            _ => {
                let value = self.int();
                let index = self.index();
                let place = self.at(Q, &[self.tid, index]);
                self.b.store(place, value);
            }
        }
    }
}
