//! The singular value decomposition by one-sided Jacobi rotations (M. R. Hestenes, "Inversion of Matrices by
//! Biorthogonalization and Related Results", 1958).
//!
//! Rotations of pairs of columns make the columns of `A V` orthogonal; their lengths are the singular values. Small ones come
//! out as exact as the columns are, unlike those from the eigenvalues of `Aᵀ A`.

use crate::factor::expression::Formula;
use crate::ir::{Op, Value};

/// More rounds than any matrix of numbers takes; one that holds NaN takes all of them.
const ROUNDS: i32 = 90;

impl Formula<'_> {
    /// `A V` with orthogonal columns, and V, both as columns. Each round turns the first two columns, then the columns move
    /// on by one, so that the text holds one rotation.
    fn orthogonal(&mut self, a: &[Value], n: usize) -> (Vec<Vec<Value>>, Vec<Vec<Value>>) {
        let column =
            |m: &[Value], j: usize| -> Vec<Value> { (0..n).map(|i| m[i * n + j]).collect() };
        let [zero, one] = [0.0, 1.0].map(|x| self.number(x));
        let identity: Vec<Value> = (0..n * n)
            .map(|i| if i / n == i % n { one } else { zero })
            .collect();
        let mut init: Vec<Value> = (0..n).flat_map(|j| column(a, j)).collect();
        init.extend(&identity);
        let (quiet, rounds) = (self.b.i32(0), self.b.i32(0));
        init.extend([quiet, rounds]);
        let pairs = if n == 2 { 1 } else { 3 };
        let (epsilon, tiny, ty) = (self.epsilon(), self.tiny(), self.ty);
        let last = 2 * n * n;
        let done = self.b.while_(
            init,
            |b, now| {
                let (enough, most) = (b.i32(pairs), b.i32(ROUNDS));
                let moving = b.op(Op::Lt, &[now[last], enough]);
                let more = b.op(Op::Lt, &[now[last + 1], most]);
                b.op(Op::And, &[moving, more])
            },
            |b, now| {
                let mut f = Formula { b, ty };
                let (x, y) = (&now[..n], &now[n..2 * n]);
                let (alpha, beta, gamma) = (f.dot(x, x), f.dot(y, y), f.dot(x, y));
                let (a, b) = (f.sqrt(alpha), f.sqrt(beta));
                let [epsilon, tiny] = [epsilon, tiny].map(|x| f.number(x));
                let product = f.mul(a, b);
                let bound = f.mul(epsilon, product);
                let size = f.abs(gamma);
                let small = f.le(size, bound);
                let (gone_a, gone_b) = (f.lt(a, tiny), f.lt(b, tiny));
                let gone = f.b.op(Op::Or, &[gone_a, gone_b]);
                let small = f.b.op(Op::Or, &[small, gone]);
                let (by, _) = f.jacobi([alpha, beta, gamma], small);
                let mut next = Vec::with_capacity(now.len());
                for m in [&now[..n * n], &now[n * n..2 * n * n]] {
                    let (mut x, mut y) = (Vec::new(), Vec::new());
                    for i in 0..n {
                        let [a, b] = f.turn(by, m[i], m[n + i]);
                        x.push(a);
                        y.push(b);
                    }
                    if n == 2 {
                        next.extend(x.into_iter().chain(y));
                    } else {
                        next.extend(y.into_iter().chain(m[2 * n..].iter().copied()).chain(x));
                    }
                }
                let [zero, one] = [0, 1].map(|n| f.b.i32(n));
                let quieter = f.b.op(Op::Add, &[now[last], one]);
                next.push(f.b.select(small, quieter, zero));
                next.push(f.b.op(Op::Add, &[now[last + 1], one]));
                next
            },
        );
        let columns = |m: &[Value]| m.chunks(n).map(<[Value]>::to_vec).collect();
        (columns(&done[..n * n]), columns(&done[n * n..2 * n * n]))
    }

    /// U, s, V.
    pub fn svd(&mut self, a: &[Value], n: usize) -> Vec<Value> {
        let scale = self.scale(a);
        let a: Vec<Value> = a.iter().map(|x| self.div(*x, scale)).collect();
        let (mut av, mut v) = self.orthogonal(&a, n);
        let mut squares: Vec<Value> = av.iter().map(|x| self.dot(x, x)).collect();
        // Columns by descending length. One of two that change places changes its sign, so that V stays a rotation.
        let swaps: &[(usize, usize)] = if n == 2 {
            &[(0, 1)]
        } else {
            &[(0, 1), (1, 2), (0, 1)]
        };
        for (i, j) in swaps {
            let (i, j) = (*i, *j);
            let wrong = self.lt(squares[i], squares[j]);
            let (x, y) = (squares[i], squares[j]);
            squares[i] = self.select(wrong, y, x);
            squares[j] = self.select(wrong, x, y);
            for m in [&mut av, &mut v] {
                let (x, y) = (m[i].clone(), m[j].clone());
                let minus: Vec<Value> = x.iter().map(|x| self.neg(*x)).collect();
                m[i] = self.selects(wrong, &y, &x);
                m[j] = self.selects(wrong, &minus, &y);
            }
        }
        let (u, s) = if n == 2 {
            self.left2(&av)
        } else {
            self.left3(&av)
        };
        let mut out = Vec::new();
        let rows = |columns: &[Vec<Value>], out: &mut Vec<Value>| {
            out.extend((0..n * n).map(|i| columns[i % n][i / n]));
        };
        rows(&u, &mut out);
        out.extend(s.into_iter().map(|s| self.mul(s, scale)));
        rows(&v, &mut out);
        out
    }

    fn left2(&mut self, av: &[Vec<Value>]) -> (Vec<Vec<Value>>, Vec<Value>) {
        let [zero, one] = [0.0, 1.0].map(|x| self.number(x));
        let (first, s0) = self.unit(&av[0], &[one, zero]);
        let minus = self.neg(first[1]);
        let across = vec![minus, first[0]];
        let signed = self.dot(&across, &av[1]);
        let other: Vec<Value> = across.iter().map(|x| self.neg(*x)).collect();
        let negative = self.lt(signed, zero);
        let second = self.selects(negative, &other, &across);
        let s1 = self.abs(signed);
        (vec![first, second], vec![s0, s1])
    }

    fn left3(&mut self, av: &[Vec<Value>]) -> (Vec<Vec<Value>>, Vec<Value>) {
        let [zero, one] = [0.0, 1.0].map(|x| self.number(x));
        let (first, s0) = self.unit(&av[0], &[one, zero, zero]);
        // A direction across the first: its cross product with the axis along which it is shortest.
        let sizes: Vec<Value> = first.iter().map(|x| self.abs(*x)).collect();
        let (a, b, c) = (
            self.le(sizes[0], sizes[1]),
            self.le(sizes[0], sizes[2]),
            self.le(sizes[1], sizes[2]),
        );
        let least0 = self.b.op(Op::And, &[a, b]);
        let [e0, e1, e2] = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        let axis = self.selects(c, &e1, &e2);
        let axis = self.selects(least0, &e0, &axis);
        let across = self.cross(&first, &axis);
        let (across, _) = self.unit(&across, &e1);
        // What rounding left of the first column in the second goes.
        let along = self.dot(&first, &av[1]);
        let part = self.scaled(&first, along);
        let rest: Vec<Value> = av[1]
            .iter()
            .zip(&part)
            .map(|(x, y)| self.sub(*x, *y))
            .collect();
        let (second, s1) = self.unit(&rest, &across);
        let third = self.cross(&first, &second);
        let s2 = self.dot(&third, &av[2]);
        (vec![first, second, third.to_vec()], vec![s0, s1, s2])
    }
}
