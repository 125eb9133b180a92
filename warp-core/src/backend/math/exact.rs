//! Numbers as sums of two, the second of them what rounding lost of the first (T. J. Dekker, "A floating-point technique for
//! extending the available precision", 1971; D. E. Knuth, The Art of Computer Programming 2, section 4.2.2).

use super::emit::{Emit, Val};

impl Emit {
    /// `a + b` and what rounding lost, where the exponent of `a` is not below that of `b`, or `a` is 0.
    pub fn fast_sum(&mut self, a: &Val, b: &Val) -> (Val, Val) {
        let s = self.add(a, b);
        let t = self.sub(&s, a);
        let lost = self.sub(b, &t);
        (s, lost)
    }

    /// `a + b` and what rounding lost.
    pub fn sum(&mut self, a: &Val, b: &Val) -> (Val, Val) {
        let s = self.add(a, b);
        let t = self.sub(&s, a);
        let u = self.sub(&s, &t);
        let (x, y) = (self.sub(a, &u), self.sub(b, &t));
        let lost = self.add(&x, &y);
        (s, lost)
    }

    /// `a * b` and what rounding lost.
    pub fn product(&mut self, a: &Val, b: &Val) -> (Val, Val) {
        let p = self.mul(a, b);
        let minus = self.neg(&p);
        let lost = self.fma(a, b, &minus);
        (p, lost)
    }

    /// `a * (c.0 + c.1)` and what rounding lost, for a constant given as a sum of two.
    pub fn times(&mut self, a: &Val, c: (f64, f64)) -> (Val, Val) {
        let (high, low) = (self.num(a.ty, c.0), self.num(a.ty, c.1));
        let (p, lost) = self.product(a, &high);
        let lost = self.fma(a, &low, &lost);
        (p, lost)
    }

    /// [`poly`](Emit::poly) of many coefficients: even and odd powers apart, so that less waits for what comes before it.
    pub fn long_poly(&mut self, x: &Val, c: &[f64]) -> Val {
        let even: Vec<f64> = c.iter().copied().step_by(2).collect();
        let odd: Vec<f64> = c.iter().copied().skip(1).step_by(2).collect();
        let xx = self.mul(x, x);
        let (even, odd) = (self.poly(&xx, &even), self.poly(&xx, &odd));
        self.fma(&odd, x, &even)
    }
}
