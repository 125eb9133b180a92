//! Inverses by cofactors (Cramer's rule): no branches, so that threads stay in step.

use crate::factor::expression::Formula;
use crate::ir::{Op, Value};

impl Formula<'_> {
    /// The inverse of an `n x n` matrix of up to 4 rows; all 0 where the determinant is 0.
    pub fn inverse(&mut self, a: &[Value], n: usize) -> Vec<Value> {
        let cofactors = match n {
            2 => self.cofactors2(a),
            3 => self.cofactors3(a),
            _ => self.cofactors4(a),
        };
        let det = self.dot(&a[..n], &cofactors[..n]);
        let [zero, one] = [0.0, 1.0].map(|x| self.number(x));
        let regular = self.b.op(Op::Ne, &[det, zero]);
        let safe = self.select(regular, det, one);
        let reciprocal = self.div(one, safe);
        let scale = self.select(regular, reciprocal, zero);
        (0..n * n)
            .map(|k| self.mul(cofactors[k % n * n + k / n], scale))
            .collect()
    }

    /// `p q - r s`.
    fn minor(&mut self, [p, q, r, s]: [Value; 4]) -> Value {
        let (first, second) = (self.mul(p, q), self.mul(r, s));
        self.sub(first, second)
    }

    fn cofactors2(&mut self, a: &[Value]) -> Vec<Value> {
        let [b, c] = [a[1], a[2]].map(|x| self.neg(x));
        vec![a[3], c, b, a[0]]
    }

    /// Rows and columns in cyclic order: their signs are all positive.
    fn cofactors3(&mut self, a: &[Value]) -> Vec<Value> {
        let at = |row: usize, col: usize| a[row % 3 * 3 + col % 3];
        (0..9)
            .map(|k| {
                let (i, j) = (k / 3, k % 3);
                let (near, far) = (at(i + 1, j + 1), at(i + 2, j + 2));
                self.minor([near, far, at(i + 1, j + 2), at(i + 2, j + 1)])
            })
            .collect()
    }

    /// By the determinants of pairs of rows (Laplace's expansion): each is used four times.
    fn cofactors4(&mut self, a: &[Value]) -> Vec<Value> {
        // At `4 * i + j` the determinant of columns i < j of rows `row` and `row + 1`.
        let [upper, lower] = [0, 2].map(|row| {
            let at = |down: usize, col: usize| a[4 * (row + down) + col];
            let mut pairs = [None; 16];
            for i in 0..4 {
                for j in i + 1..4 {
                    let minor = self.minor([at(0, i), at(1, j), at(0, j), at(1, i)]);
                    pairs[4 * i + j] = Some(minor);
                }
            }
            pairs
        });
        let mut cofactors = Vec::with_capacity(16);
        for (row, col) in (0..16).map(|k| (k / 4, k % 4)) {
            let pairs = if row < 2 { &lower } else { &upper };
            let cols: [usize; 3] = std::array::from_fn(|k| k + usize::from(k >= col));
            // The other row of the pair, by the pairs of the others' columns.
            let [first, second, third] = [[0, 1, 2], [1, 0, 2], [2, 0, 1]].map(|[k, i, j]| {
                let pair = pairs[4 * cols[i] + cols[j]].expect("columns ascend");
                self.mul(a[4 * (row ^ 1) + cols[k]], pair)
            });
            let sum = self.sub(first, second);
            let minor = self.add(sum, third);
            let odd = (row + col) % 2 == 1;
            cofactors.push(if odd { self.neg(minor) } else { minor });
        }
        cofactors
    }
}
