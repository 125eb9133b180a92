//! Derivatives of decompositions and inverses in closed form.
//!
//! With `dU = U X` and `dV = V Y`, X and Y skew, `Uᵀ dA V = X S - Y S + dS` and the like say what X and Y are: each component is
//! one of `Uᵀ dA V` divided by a difference or a sum of singular values (of eigenvalues, of components of R). Where that is zero up to
//! rounding, the factors have no derivative, and the quotient counts as 0. For what does not depend on how equal values are told
//! apart, as `U Vᵀ` and sums over singular values, that is right: the dividend is zero, too, whatever the difference is. For a function
//! of the matrix that goes through the factors, as `U diag(s²) Vᵀ`, the limit of the quotient is lost: it is not in the adjoints.
//!
//! The inverse `B` of `A` has `dB = -B dA B`; where there is none, B is 0, and so is the adjoint.

use crate::factor::body::computed_in;
use crate::factor::expression::Formula;
use crate::ir::{Builder, Factorization, Value};

/// Two singular values or eigenvalues count as equal if they differ by less than this many times the rounding of the largest.
const ROUNDINGS: f64 = 64.0;

/// The adjoint of the matrix. `outs` are the results, `ds` their adjoints.
pub fn adjoint(b: &mut Builder, of: Factorization, outs: &[Value], ds: &[Value]) -> Vec<Value> {
    let scalar = b.ty(outs[0]);
    let ty = computed_in(scalar);
    let [outs, ds] = [outs, ds].map(|list| list.iter().map(|x| b.cast(*x, ty)).collect::<Vec<_>>());
    let mut f = Formula { b, ty };
    let parts = match of {
        Factorization::Svd2 | Factorization::Svd3 => f.svd_adjoint(&outs, &ds, of.size()),
        Factorization::Qr3 => f.qr3_adjoint(&outs, &ds),
        Factorization::Eig3 => f.eig3_adjoint(&outs, &ds),
        Factorization::Inverse2 | Factorization::Inverse3 | Factorization::Inverse4 => {
            f.inverse_adjoint(&outs, &ds, of.size())
        }
    };
    parts.into_iter().map(|x| b.cast(x, scalar)).collect()
}

impl Formula<'_> {
    /// `1 / x`, and 0 where x is 0 up to rounding of `size`.
    fn reciprocal(&mut self, x: Value, size: Value) -> Value {
        let [zero, one, rounding] = [0.0, 1.0, ROUNDINGS * self.epsilon()].map(|x| self.number(x));
        let (distance, size) = (self.abs(x), self.abs(size));
        let bound = self.mul(rounding, size);
        let apart = self.lt(bound, distance);
        let safe = self.select(apart, x, one);
        let quotient = self.div(one, safe);
        self.select(apart, quotient, zero)
    }

    /// `x y` of square matrices, either transposed.
    fn product(
        &mut self,
        (x, tx): (&[Value], bool),
        (y, ty): (&[Value], bool),
        n: usize,
    ) -> Vec<Value> {
        let at =
            |m: &[Value], t: bool, i: usize, j: usize| if t { m[j * n + i] } else { m[i * n + j] };
        (0..n * n)
            .map(|k| {
                let row: Vec<Value> = (0..n).map(|l| at(x, tx, k / n, l)).collect();
                let col: Vec<Value> = (0..n).map(|l| at(y, ty, l, k % n)).collect();
                self.dot(&row, &col)
            })
            .collect()
    }

    /// `m[i, j] - m[j, i]`.
    fn skew(&mut self, m: &[Value], n: usize, i: usize, j: usize) -> Value {
        self.sub(m[i * n + j], m[j * n + i])
    }

    fn svd_adjoint(&mut self, outs: &[Value], ds: &[Value], n: usize) -> Vec<Value> {
        let (u, s, v) = (&outs[..n * n], &outs[n * n..n * n + n], &outs[n * n + n..]);
        let (du, d, dv) = (&ds[..n * n], &ds[n * n..n * n + n], &ds[n * n + n..]);
        let left = self.product((u, true), (du, false), n);
        let right = self.product((v, true), (dv, false), n);
        let half = self.number(0.5);
        let mut p: Vec<Value> = (0..n * n).map(|k| d[k / n]).collect();
        for i in 0..n {
            for j in i + 1..n {
                let (x, y) = (self.skew(&left, n, i, j), self.skew(&right, n, i, j));
                let (gap, sum) = (self.sub(s[j], s[i]), self.add(s[j], s[i]));
                let (gap, sum) = (self.reciprocal(gap, s[0]), self.reciprocal(sum, s[0]));
                let (both, one) = (self.add(x, y), self.sub(x, y));
                let (both, one) = (self.mul(half, both), self.mul(half, one));
                let (both, one) = (self.mul(both, gap), self.mul(one, sum));
                p[i * n + j] = self.add(both, one);
                p[j * n + i] = self.sub(both, one);
            }
        }
        let p = self.product((u, false), (&p, false), n);
        self.product((&p, false), (v, true), n)
    }

    fn eig3_adjoint(&mut self, outs: &[Value], ds: &[Value]) -> Vec<Value> {
        let (q, d) = (&outs[..9], &outs[9..]);
        let turned = self.product((q, true), (&ds[..9], false), 3);
        let most = self.largest(d);
        let half = self.number(0.5);
        let mut p: Vec<Value> = (0..9).map(|k| ds[9 + k / 3]).collect();
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let x = self.skew(&turned, 3, i, j);
            let gap = self.sub(d[j], d[i]);
            let gap = self.reciprocal(gap, most);
            let x = self.mul(half, x);
            let x = self.mul(x, gap);
            (p[3 * i + j], p[3 * j + i]) = (x, x);
        }
        let p = self.product((q, false), (&p, false), 3);
        self.product((&p, false), (q, true), 3)
    }

    /// The components of R below the diagonal are constants: their adjoints count for nothing. The last column of Q follows
    /// from the others, so only the first two columns of A must be independent.
    fn qr3_adjoint(&mut self, outs: &[Value], ds: &[Value]) -> Vec<Value> {
        let (q, r) = (&outs[..9], &outs[9..]);
        let zero = self.number(0.0);
        let upper: Vec<Value> = (0..9)
            .map(|k| if k % 3 < k / 3 { zero } else { ds[9 + k] })
            .collect();
        let turned = self.product((q, true), (&ds[..9], false), 3);
        let taken = self.product((&upper, false), (r, true), 3);
        // What each component of X below the diagonal counts for.
        let mut below = |i: usize, j: usize| {
            let (given, taken) = (self.skew(&turned, 3, i, j), self.skew(&taken, 3, i, j));
            self.sub(given, taken)
        };
        let (x10, x20, x21) = (below(1, 0), below(2, 0), below(2, 1));
        let first = self.reciprocal(r[0], zero);
        let size = self.largest(&[r[1], r[4]]);
        let second = self.reciprocal(r[4], size);
        let mut p = upper;
        p[3] = self.mul(x10, first);
        p[7] = self.mul(x21, second);
        let part = self.mul(p[7], r[1]);
        let x20 = self.sub(x20, part);
        p[6] = self.mul(x20, first);
        self.product((q, false), (&p, false), 3)
    }

    fn inverse_adjoint(&mut self, outs: &[Value], ds: &[Value], n: usize) -> Vec<Value> {
        let left = self.product((outs, true), (ds, false), n);
        let all = self.product((&left, false), (outs, true), n);
        all.into_iter().map(|x| self.neg(x)).collect()
    }
}
