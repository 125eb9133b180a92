//! `A = Q R` by Givens rotations (W. Givens, 1958): each makes one component below the diagonal zero, so that Q is a rotation
//! whatever the rank of A.

use crate::factor::expression::Formula;
use crate::ir::Value;

impl Formula<'_> {
    /// Q, R.
    pub fn qr3(&mut self, a: &[Value]) -> Vec<Value> {
        let [zero, one] = [0.0, 1.0].map(|x| self.number(x));
        let mut r = a.to_vec();
        // Rows of the transpose of Q.
        let mut q = vec![one, zero, zero, zero, one, zero, zero, zero, one];
        for (top, row, col) in [(0, 1, 0), (0, 2, 0), (1, 2, 1)] {
            let pair = [r[3 * top + col], r[3 * row + col]];
            let (by, length) = self.unit(&pair, &[one, zero]);
            let minus = self.neg(by[1]);
            for m in [&mut r, &mut q] {
                for k in 0..3 {
                    let turned = self.turn([by[0], minus], m[3 * top + k], m[3 * row + k]);
                    [m[3 * top + k], m[3 * row + k]] = turned;
                }
            }
            (r[3 * top + col], r[3 * row + col]) = (length, zero);
        }
        let mut out: Vec<Value> = (0..9).map(|i| q[i % 3 * 3 + i / 3]).collect();
        out.extend(r);
        out
    }
}
