//! Arguments that functions are tried on.

use crate::backend::math::{Function, Ty};

/// How many arguments a block has.
pub const BLOCK: usize = 4096;

/// Numbers that have rules of their own, and neighbours of them.
pub const SPECIAL: [f64; 40] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1.5,
    -1.5,
    1e-40,
    -1e-40,
    1e-45,
    1.17e-38,
    3.4e38,
    -3.4e38,
    1e-310,
    -1e-310,
    5e-324,
    2.3e-308,
    1.7e308,
    -1.7e308,
    1e10,
    -1e10,
    88.8,
    -103.9,
    709.5,
    -745.2,
    1e-20,
    27.3,
    1e300,
    -1e300,
    4_503_599_627_370_497.0,
    -4_503_599_627_370_497.0,
    9_007_199_254_740_993.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..8 {
            random.bits();
        }
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One of `0 .. n`.
    fn below(&mut self, n: u64) -> u64 {
        (self.bits() >> 33) % n
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number whose magnitude is 10 to a power between these.
    fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    fn sign(&mut self) -> f64 {
        if self.bits() & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// Any number of a type, infinities and NaN among them.
    fn any(&mut self, ty: Ty) -> f64 {
        match ty {
            Ty::F32 => f64::from(f32::from_bits(self.bits() as u32)),
            _ => f64::from_bits(self.bits()),
        }
    }

    /// All magnitudes and signs, the everyday range densely, and where cancellation happens.
    fn one(&mut self, f: Function) -> f64 {
        match self.below(9) {
            0 => self.any(f.ty),
            1 => self.between(-1.1, 1.1),
            2 => self.between(-30.0, 30.0),
            3 => self.sign() * self.magnitude(-18.0, 12.0),
            4 => {
                let quarters = self.below(3000) as f64 * std::f64::consts::FRAC_PI_2;
                let middle = if self.bits() & 1 == 0 { 1.0 } else { quarters };
                middle * (1.0 + self.sign() * self.magnitude(-12.0, -1.0))
            }
            5 => self.between(-750.0, 750.0),
            6 => self.sign() * (1.0 - self.magnitude(-16.0, 0.0)),
            7 if f.name == "erfcinv" => self.magnitude(-323.0, 0.0),
            7 => self.sign() * self.between(-5.0, 5.0).exp2(),
            _ => self.sign() * self.between(0.0, 1e5),
        }
    }

    fn two(&mut self, f: Function) -> (f64, f64) {
        let kind = self.below(6);
        if kind == 0 {
            return (self.any(f.ty), self.any(f.ty));
        }
        let (exponents, powers) = match f.ty {
            Ty::F32 => (127.0, 155.0),
            _ => (1023.0, 1100.0),
        };
        match (f.name, kind) {
            // Powers over the whole range of results.
            ("pow", 1) => {
                let x = self.between(-20.0, 20.0).exp2();
                (x, self.between(-powers, powers) / x.log2())
            }
            ("pow", 2) => {
                let x = 1.0 + self.sign() * self.magnitude(-15.0, -1.0);
                (x, self.between(-powers, powers) / x.log2())
            }
            ("pow", 3) => (self.between(0.0, 3.0), self.between(-10.0, 10.0)),
            ("pow", 4) => (self.between(-10.0, 10.0), self.between(-20.0, 20.0).trunc()),
            ("pow", _) => (
                self.between(-exponents, exponents).exp2(),
                self.between(-2.0, 2.0),
            ),
            (_, 1) => (self.between(-1.0, 1.0), self.between(-1.0, 1.0)),
            (_, 2) => {
                let x = self.sign() * self.magnitude(-20.0, 20.0);
                (x, self.sign() * self.magnitude(-20.0, 20.0))
            }
            (_, 3) => {
                let y = self.between(-1.0, 1.0);
                (y * self.between(0.0, 1e6).trunc(), y)
            }
            _ => {
                let x = self.sign() * self.magnitude(-5.0, 5.0);
                (x, x * self.between(-2.0, 2.0))
            }
        }
    }
}

/// The arguments of the block `n`: special ones in the first, pairs of them for functions of two.
pub fn block(f: Function, n: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(n);
    let (mut x, mut y) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
    if n == 0 {
        for a in SPECIAL {
            for b in SPECIAL {
                x.push(a);
                y.push(b);
            }
        }
    }
    while x.len() < BLOCK {
        let (a, b) = match f.arity {
            1 => (random.one(f), 0.0),
            _ => random.two(f),
        };
        x.push(a);
        y.push(b);
    }
    if f.ty == Ty::F32 {
        for v in x.iter_mut().chain(y.iter_mut()) {
            *v = f64::from(*v as f32);
        }
    }
    (x, y)
}

/// The block `n` of all numbers of single precision.
pub fn every(n: u64) -> (Vec<f64>, Vec<f64>) {
    let first = n as usize * BLOCK;
    let numbers = (first..first + BLOCK).map(|b| f64::from(f32::from_bits(b as u32)));
    (numbers.collect(), vec![0.0; BLOCK])
}
