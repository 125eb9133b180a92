//! Random kernels: nested loops with bounds known at run time, mutated variables, early exits, branches,
//! loads, stores and atomics on several arrays.
//!
//! Threads share only what is loaded or atomically added to, so that their order does not matter. Variables stay
//! bounded, so that differences mean something.

use crate::differences::Case;
use warp_core::dtype::Scalar;
use warp_core::interp::{Arg, Memory};
use warp_core::ir::{AtomicOp, Builder, Comp, Op, ParamId, ParamType, Place, Value};
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

/// xorshift64*: good enough to choose statements with, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Numbers that a seed stands for.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    fn float(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

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

    fn at(&self, array: ParamId, index: &[Value]) -> Place {
        Place {
            array,
            index: index.iter().copied().collect(),
            comp: Comp::Fixed(0),
        }
    }

    /// An index below [`WIDE`], sometimes counted from the end.
    fn index(&mut self) -> Value {
        let wide = self.b.i32(WIDE);
        let int = self.random.pick(&self.vars.ints);
        let index = self.b.op(Op::Mod, &[int, wide]);
        let index = self.b.op(Op::Abs, &[index]);
        if self.random.chance(25) {
            self.b.op(Op::Sub, &[index, wide])
        } else {
            index
        }
    }

    fn vector(&mut self) -> Place {
        let comp = if self.random.chance(50) {
            Comp::Fixed(self.random.below(3) as u32)
        } else {
            let wide = self.b.i32(3);
            let int = self.random.pick(&self.vars.ints);
            let index = self.b.op(Op::Mod, &[int, wide]);
            Comp::At(self.b.op(Op::Abs, &[index]))
        };
        Place {
            comp,
            ..self.at(V, &[self.tid])
        }
    }

    fn fresh_float(&mut self) -> Value {
        let place = match self.random.below(6) {
            0 | 1 => {
                let index = self.index();
                self.at(X, &[index])
            }
            2 | 3 => {
                let index = self.index();
                self.at(M, &[self.tid, index])
            }
            4 => self.vector(),
            _ => {
                let value = self.random.float();
                return self.b.number(Scalar::F64, value);
            }
        };
        self.b.load(place)
    }

    /// An expression of bounded size and slope.
    fn float(&mut self, depth: usize) -> Value {
        if depth == 0 || self.random.chance(20) {
            return match self.random.below(8) {
                0 | 1 => self.fresh_float(),
                2 => {
                    let int = self.random.pick(&self.vars.ints);
                    let float = self.b.cast(int, Scalar::F64);
                    let small = self.b.number(Scalar::F64, 0.2);
                    self.b.op(Op::Mul, &[float, small])
                }
                3 => self.random.pick(&self.fixed),
                _ => self.random.pick(&self.vars.floats),
            };
        }
        let a = self.float(depth - 1);
        match self.random.below(12) {
            0 => self.b.op(Op::Sin, &[a]),
            1 => self.b.op(Op::Tanh, &[a]),
            2 => {
                let sin = self.b.op(Op::Sin, &[a]);
                self.b.op(Op::Exp, &[sin])
            }
            3 => {
                let square = self.b.op(Op::Mul, &[a, a]);
                let one = self.b.number(Scalar::F64, 1.0);
                let sum = self.b.op(Op::Add, &[square, one]);
                self.b.op(Op::Sqrt, &[sum])
            }
            4 => {
                let b = self.float(depth - 1);
                let square = self.b.op(Op::Mul, &[b, b]);
                let one = self.b.number(Scalar::F64, 1.0);
                let sum = self.b.op(Op::Add, &[square, one]);
                self.b.op(Op::Div, &[a, sum])
            }
            5 => {
                let b = self.float(depth - 1);
                let cond = self.cond();
                self.b.select(cond, a, b)
            }
            6 | 7 => {
                let b = self.float(depth - 1);
                self.b.op(Op::Mul, &[a, b])
            }
            8 => {
                let b = self.float(depth - 1);
                self.b.op(Op::Sub, &[a, b])
            }
            9 => {
                let b = self.float(depth - 1);
                self.b.op(Op::Max, &[a, b])
            }
            10 => self.product(a),
            _ => {
                let b = self.float(depth - 1);
                self.b.op(Op::Add, &[a, b])
            }
        }
    }

    /// One component of a product of small matrices of which `a` is one component.
    fn product(&mut self, a: Value) -> Value {
        let dims = [(); 3].map(|()| 1 + self.random.below(2) as u32);
        let [m, k, n] = dims;
        let [left, right] = [m * k, k * n]
            .map(|count| -> Vec<Value> { (0..count).map(|_| self.float(0)).collect() });
        let left: Vec<Value> = std::iter::once(a)
            .chain(left)
            .take((m * k) as usize)
            .collect();
        let outs = self.b.matmul(&left, &right, dims);
        self.random.pick(&outs)
    }

    fn bounded(&mut self, depth: usize) -> Value {
        let value = self.float(depth);
        let op = self.random.pick(&[Op::Sin, Op::Tanh, Op::Atan]);
        self.b.op(op, &[value])
    }

    fn int(&mut self) -> Value {
        let a = self.random.pick(&self.vars.ints);
        match self.random.below(5) {
            0 => {
                let index = self.index();
                let place = self.at(Q, &[self.tid, index]);
                self.b.load(place)
            }
            1 => {
                let b = self.random.pick(&self.vars.ints);
                self.b.op(Op::Sub, &[a, b])
            }
            2 => {
                let float = self.random.pick(&self.vars.floats);
                let four = self.b.number(Scalar::F64, 4.0);
                let scaled = self.b.op(Op::Mul, &[float, four]);
                self.b.cast(scaled, Scalar::I32)
            }
            _ => {
                let three = self.b.i32(3);
                let product = self.b.op(Op::Mul, &[a, three]);
                let one = self.b.i32(1);
                let sum = self.b.op(Op::Add, &[product, one]);
                let five = self.b.i32(5);
                self.b.op(Op::Mod, &[sum, five])
            }
        }
    }

    fn cond(&mut self) -> Value {
        if self.random.chance(30) {
            let a = self.random.pick(&self.vars.floats);
            let b = self.random.float();
            let b = self.b.number(Scalar::F64, b);
            return self.b.op(Op::Gt, &[a, b]);
        }
        let a = self.random.pick(&self.vars.ints);
        let two = self.b.i32(2);
        let rest = self.b.op(Op::Mod, &[a, two]);
        let zero = self.b.i32(0);
        let op = self.random.pick(&[Op::Eq, Op::Ne, Op::Gt]);
        self.b.op(op, &[rest, zero])
    }

    /// A number of rounds from 0 to 3.
    fn rounds(&mut self) -> Value {
        let index = self.index();
        let place = self.at(N, &[index]);
        self.b.load(place)
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

    fn branch(&mut self, depth: usize) {
        let cond = self.cond();
        let before = self.vars.clone();
        self.b.open(Vec::new());
        self.statements(depth - 1);
        let then = self.b.close(self.vars.all());
        self.vars = before;
        self.b.open(Vec::new());
        if self.random.chance(60) {
            self.statements(depth - 1);
        }
        let els = self.b.close(self.vars.all());
        let outs = self.b.fresh_like(&then.results);
        self.vars.set(&outs);
        self.b.push(warp_core::ir::Kind::If {
            cond,
            then,
            els,
            outs,
        });
    }

    /// A `for`, upward or downward, over a number of rounds known at run time.
    fn count(&mut self, depth: usize) {
        let rounds = self.rounds();
        let [zero, one] = [0, 1].map(|k| self.b.i32(k));
        let range = match self.random.below(3) {
            0 => [rounds, zero, self.b.i32(-1)],
            1 => {
                let two = self.b.i32(2);
                let end = self.b.op(Op::Mul, &[rounds, two]);
                [one, end, two]
            }
            _ => [zero, rounds, one],
        };
        // Upward ranges of any integer type, downward ones of those that have a -1.
        let types = [
            Scalar::I32,
            Scalar::I64,
            Scalar::I8,
            Scalar::U8,
            Scalar::U32,
            Scalar::U64,
        ];
        let last = if range[1] == zero { 3 } else { 6 };
        let ty = types[self.random.below(last)];
        let range = range.map(|v| self.b.cast(v, ty));
        let init = self.vars.all();
        let iv = self.b.fresh(ty);
        let carried = self.b.fresh_like(&init);
        self.vars.set(&carried);
        let params = [iv].into_iter().chain(carried).collect();
        self.b.open(params);
        if self.random.chance(70) {
            let at = self.random.below(self.vars.ints.len());
            self.vars.ints[at] = self.b.cast(iv, Scalar::I32);
        }
        self.statements(depth - 1);
        let body = self.b.close(self.vars.all());
        let outs = self.b.fresh_like(&init);
        self.vars.set(&outs);
        let [start, stop, step] = range;
        self.b.push(warp_core::ir::Kind::For {
            start,
            stop,
            step,
            init,
            body,
            outs,
        });
    }

    /// A loop that counts and may end early, as `break` makes it.
    fn until(&mut self, depth: usize) {
        let rounds = self.rounds();
        let extra = [self.b.i32(0), self.b.bool(false)];
        let init: Vec<Value> = self.vars.all().into_iter().chain(extra).collect();
        let count = init.len() - 2;

        let params = self.b.fresh_like(&init);
        self.b.open(params.clone());
        let [k, done] = [params[count], params[count + 1]];
        if self.random.chance(25) {
            self.vars.set(&params[..count]);
            self.write();
        }
        let more = self.b.op(Op::Lt, &[k, rounds]);
        let going = self.b.op(Op::Not, &[done]);
        let test = self.b.op(Op::And, &[more, going]);
        let cond = self.b.close(vec![test]);

        let params = self.b.fresh_like(&init);
        self.b.open(params.clone());
        self.vars.set(&params[..count]);
        let [k, done] = [params[count], params[count + 1]];
        self.statements(depth - 1);
        let stop = self.cond();
        // The rest of the body runs only where the loop was not left.
        let before = self.vars.clone();
        self.b.open(Vec::new());
        let mut results = self.vars.all();
        results.push(stop);
        let then = self.b.close(results);
        self.b.open(Vec::new());
        self.statements(depth - 1);
        let mut results = self.vars.all();
        results.push(done);
        let els = self.b.close(results);
        self.vars = before;
        let outs = self.b.fresh_like(&els.results);
        self.vars.set(&outs[..count]);
        self.b.push(warp_core::ir::Kind::If {
            cond: stop,
            then,
            els,
            outs: outs.clone(),
        });
        let one = self.b.i32(1);
        let next = self.b.op(Op::Add, &[k, one]);
        let mut results = self.vars.all();
        results.extend([next, outs[count]]);
        let body = self.b.close(results);
        let outs = self.b.fresh_like(&init);
        self.vars.set(&outs[..count]);
        self.b.push(warp_core::ir::Kind::While {
            init,
            cond,
            body,
            outs,
        });
    }
}
