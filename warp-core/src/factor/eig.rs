//! Eigenvalues and eigenvectors of symmetric matrices by the Jacobi eigenvalue method (C. G. J. Jacobi, 1846): plane
//! rotations, each of which makes one component off the diagonal zero.

use crate::factor::expression::Formula;
use crate::ir::{Op, Value};

/// As for singular values.
const ROUNDS: i32 = 90;

impl Formula<'_> {
    /// Q, d of the symmetric part. Each round turns the first two axes, then the axes move on by one; after a number of
    /// rounds that three divides they stand where they began.
    pub fn eig3(&mut self, a: &[Value]) -> Vec<Value> {
        let scale = self.scale(a);
        let a: Vec<Value> = a.iter().map(|x| self.div(*x, scale)).collect();
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|x| self.number(x));
        let mut off = |i: usize, j: usize| {
            let sum = self.add(a[3 * i + j], a[3 * j + i]);
            self.mul(half, sum)
        };
        let (a01, a02, a12) = (off(0, 1), off(0, 2), off(1, 2));
        let most = self.largest(&[a[0], a[4], a[8], a01, a02, a12]);
        // d0 d1 d2, a01 a02 a12, the columns of Q.
        let mut init = vec![a[0], a[4], a[8], a01, a02, a12];
        init.extend([one, zero, zero, zero, one, zero, zero, zero, one]);
        let none = self.b.i32(0);
        init.extend([none; 3]);
        let (epsilon, ty) = (self.epsilon(), self.ty);
        let done = self.b.while_(
            init,
            |b, now| {
                let (none, three, rounds) = (b.i32(0), b.i32(3), b.i32(ROUNDS));
                let moving = b.op(Op::Lt, &[now[15], three]);
                let within = b.op(Op::Ne, &[now[16], none]);
                let on = b.op(Op::Or, &[moving, within]);
                let more = b.op(Op::Lt, &[now[17], rounds]);
                b.op(Op::And, &[on, more])
            },
            |b, now| {
                let mut f = Formula { b, ty };
                let [d0, d1, d2, a01, a02, a12] = [0, 1, 2, 3, 4, 5].map(|i| now[i]);
                let (r0, r1) = (f.abs(d0), f.abs(d1));
                let (r0, r1) = (f.sqrt(r0), f.sqrt(r1));
                let product = f.mul(r0, r1);
                let [relative, absolute] = [0.25 * epsilon, epsilon * epsilon].map(|x| f.number(x));
                let near = f.mul(relative, product);
                let least = f.mul(absolute, most);
                let bound = f.max(near, least);
                let size = f.abs(a01);
                let small = f.le(size, bound);
                let (by, t) = f.jacobi([d0, d1, a01], small);
                let moved = f.mul(t, a01);
                let (d0, d1) = (f.sub(d0, moved), f.add(d1, moved));
                let zero = f.number(0.0);
                let a01 = f.select(small, a01, zero);
                let [a02, a12] = f.turn(by, a02, a12);
                let q = &now[6..15];
                let turned: Vec<[Value; 2]> = (0..3).map(|i| f.turn(by, q[i], q[3 + i])).collect();
                // The new axes 0, 1, 2 are 1, 2, 0.
                let mut next = vec![d1, d2, d0, a12, a01, a02];
                next.extend(turned.iter().map(|t| t[1]));
                next.extend(&q[6..]);
                next.extend(turned.iter().map(|t| t[0]));
                let [zero, one, two] = [0, 1, 2].map(|n| f.b.i32(n));
                let quieter = f.b.op(Op::Add, &[now[15], one]);
                next.push(f.b.select(small, quieter, zero));
                let end = f.b.op(Op::Eq, &[now[16], two]);
                let phase = f.b.op(Op::Add, &[now[16], one]);
                next.push(f.b.select(end, zero, phase));
                next.push(f.b.op(Op::Add, &[now[17], one]));
                next
            },
        );
        let mut out: Vec<Value> = (0..9).map(|i| done[6 + i % 3 * 3 + i / 3]).collect();
        out.extend(done[..3].iter().map(|d| self.mul(*d, scale)));
        out
    }
}
