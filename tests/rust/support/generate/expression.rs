//! Random expressions of bounded size and slope, and places in memory.

use super::{Generator, M, N, Q, V, WIDE, X};
use warp_core::dtype::Scalar;
use warp_core::ir::{Comp, Op, ParamId, Place, Value};

impl Generator {
    pub(super) fn at(&self, array: ParamId, index: &[Value]) -> Place {
        Place {
            array,
            index: index.iter().copied().collect(),
            comp: Comp::Fixed(0),
        }
    }

    /// An index below [`WIDE`], sometimes counted from the end.
    pub(super) fn index(&mut self) -> Value {
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

    pub(super) fn vector(&mut self) -> Place {
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

    pub(super) fn fresh_float(&mut self) -> Value {
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
    pub(super) fn float(&mut self, depth: usize) -> Value {
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
    pub(super) fn product(&mut self, a: Value) -> Value {
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

    pub(super) fn bounded(&mut self, depth: usize) -> Value {
        let value = self.float(depth);
        let op = self.random.pick(&[Op::Sin, Op::Tanh, Op::Atan]);
        self.b.op(op, &[value])
    }

    pub(super) fn int(&mut self) -> Value {
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

    pub(super) fn cond(&mut self) -> Value {
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
    pub(super) fn rounds(&mut self) -> Value {
        let index = self.index();
        let place = self.at(N, &[index]);
        self.b.load(place)
    }
}
