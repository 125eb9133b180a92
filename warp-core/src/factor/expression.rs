//! Arithmetic on values of one float type, as formulas are written.

use crate::dtype::Scalar;
use crate::ir::{Builder, Op, Value};

/// Where formulas are written to, and the type of their values.
pub(super) struct Formula<'a> {
    pub b: &'a mut Builder,
    pub ty: Scalar,
}

/// A vector of three.
pub(super) type Vec3 = [Value; 3];

impl Formula<'_> {
    pub fn number(&mut self, x: f64) -> Value {
        self.b.number(self.ty, x)
    }
    pub fn add(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Add, &[x, y])
    }
    pub fn sub(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Sub, &[x, y])
    }
    pub fn mul(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Mul, &[x, y])
    }
    pub fn div(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Div, &[x, y])
    }
    pub fn neg(&mut self, x: Value) -> Value {
        self.b.op(Op::Neg, &[x])
    }
    pub fn abs(&mut self, x: Value) -> Value {
        self.b.op(Op::Abs, &[x])
    }
    pub fn sqrt(&mut self, x: Value) -> Value {
        self.b.op(Op::Sqrt, &[x])
    }
    pub fn max(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Max, &[x, y])
    }
    pub fn lt(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Lt, &[x, y])
    }
    pub fn le(&mut self, x: Value, y: Value) -> Value {
        self.b.op(Op::Le, &[x, y])
    }
    pub fn select(&mut self, cond: Value, x: Value, y: Value) -> Value {
        self.b.select(cond, x, y)
    }
    pub fn selects(&mut self, cond: Value, x: &[Value], y: &[Value]) -> Vec<Value> {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| self.select(cond, *x, *y)).collect()
    }
    pub fn dot(&mut self, x: &[Value], y: &[Value]) -> Value {
        let mut sum = self.mul(x[0], y[0]);
        for (x, y) in x.iter().zip(y).skip(1) {
            let product = self.mul(*x, *y);
            sum = self.add(sum, product);
        }
        sum
    }
    pub fn scaled(&mut self, x: &[Value], by: Value) -> Vec<Value> {
        x.iter().map(|x| self.mul(*x, by)).collect()
    }
    pub fn cross(&mut self, x: &[Value], y: &[Value]) -> Vec3 {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
            let (a, c) = (self.mul(x[i], y[j]), self.mul(x[j], y[i]));
            self.sub(a, c)
        })
    }
    /// The largest absolute value.
    pub fn largest(&mut self, x: &[Value]) -> Value {
        let mut most = self.abs(x[0]);
        for x in &x[1..] {
            let x = self.abs(*x);
            most = self.max(most, x);
        }
        most
    }
    /// `(c x - s y, s x + c y)`: a plane rotation.
    pub fn turn(&mut self, [c, s]: [Value; 2], x: Value, y: Value) -> [Value; 2] {
        let (cx, sy, sx, cy) = (
            self.mul(c, x),
            self.mul(s, y),
            self.mul(s, x),
            self.mul(c, y),
        );
        [self.sub(cx, sy), self.add(sx, cy)]
    }
    /// The distance of 1 from the next larger number.
    pub fn epsilon(&self) -> f64 {
        match self.ty {
            Scalar::F64 => f64::EPSILON,
            _ => f32::EPSILON.into(),
        }
    }
    /// Squares of numbers above this are normal.
    pub fn tiny(&self) -> f64 {
        match self.ty {
            Scalar::F64 => 1e-150,
            _ => 1e-18,
        }
    }

    /// What a matrix is divided by so that squares of its components neither overflow nor vanish: 1 for most.
    pub fn scale(&mut self, a: &[Value]) -> Value {
        let most = self.largest(a);
        let (low, high) = match self.ty {
            Scalar::F64 => (1e-100, 1e100),
            _ => (1e-10, 1e10),
        };
        let [zero, one, low, high] = [0.0, 1.0, low, high].map(|x| self.number(x));
        let (small, large) = (self.lt(most, low), self.lt(high, most));
        let outside = self.b.op(Op::Or, &[small, large]);
        let some = self.lt(zero, most);
        let outside = self.b.op(Op::And, &[outside, some]);
        self.select(outside, most, one)
    }

    /// A vector of length 1 in the direction of `x`, and the length of `x`; `otherwise` and 0 where that is 0.
    pub fn unit(&mut self, x: &[Value], otherwise: &[Value]) -> (Vec<Value>, Value) {
        let [zero, one] = [0.0, 1.0].map(|x| self.number(x));
        let most = self.largest(x);
        let some = self.lt(zero, most);
        let by = self.select(some, most, one);
        let near: Vec<Value> = x.iter().map(|x| self.div(*x, by)).collect();
        let square = self.dot(&near, &near);
        let square = self.select(some, square, one);
        let length = self.sqrt(square);
        let unit: Vec<Value> = near.iter().map(|x| self.div(*x, length)).collect();
        let unit = self.selects(some, &unit, otherwise);
        (unit, self.mul(most, length))
    }

    /// The rotation by which one of Jacobi's methods makes the off-diagonal `g` of the symmetric matrix `[[a, g], [g, b]]`
    /// zero: `[c, s]` and the tangent. Nothing where `small`.
    pub fn jacobi(&mut self, [a, b, g]: [Value; 3], small: Value) -> ([Value; 2], Value) {
        let [zero, one, two, far] = [0.0, 1.0, 2.0, 1.0 / self.epsilon()].map(|x| self.number(x));
        let g = self.select(small, one, g);
        let (gap, twice) = (self.sub(b, a), self.mul(two, g));
        let z = self.div(gap, twice);
        let size = self.abs(z);
        let square = self.mul(z, z);
        let sum = self.add(one, square);
        let root = self.sqrt(sum);
        // Beyond this the square would at last overflow, and 1 is lost in it long before.
        let beyond = self.lt(far, size);
        let root = self.select(beyond, size, root);
        let below = self.add(size, root);
        let t = self.div(one, below);
        let minus = self.neg(t);
        let negative = self.lt(z, zero);
        let t = self.select(negative, minus, t);
        let t = self.select(small, zero, t);
        let square = self.mul(t, t);
        let sum = self.add(one, square);
        let root = self.sqrt(sum);
        let c = self.div(one, root);
        let s = self.mul(c, t);
        ([c, s], t)
    }
}
