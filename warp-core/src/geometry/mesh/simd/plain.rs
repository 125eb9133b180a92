//! Eight float32 one by one.

use super::{Lanes, WIDE};
use std::ops::{Add, Div, Mul, Sub};

/// An array.
#[derive(Clone, Copy)]
pub struct Plain([f32; WIDE]);

macro_rules! plain {
    ($($op:ident $name:ident $sign:tt;)+) => {$(
        impl $op for Plain {
            type Output = Plain;
            #[inline(always)]
            fn $name(self, o: Plain) -> Plain {
                Plain::of(self, o, |a, b| a $sign b)
            }
        }
    )+};
}

plain! {
    Add add +;
    Sub sub -;
    Mul mul *;
    Div div /;
}

impl Plain {
    #[inline(always)]
    fn of(a: Plain, b: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        let mut out = a.0;
        for (x, y) in out.iter_mut().zip(b.0) {
            *x = f(*x, y);
        }
        Plain(out)
    }
}

impl Lanes for Plain {
    type Mask = u32;
    #[inline(always)]
    fn all(x: f32) -> Plain {
        Plain([x; WIDE])
    }
    #[inline(always)]
    fn load(from: &[f32; WIDE]) -> Plain {
        Plain(*from)
    }
    #[inline(always)]
    fn numbers(self) -> [f32; WIDE] {
        self.0
    }
    #[inline(always)]
    fn min(self, o: Plain) -> Plain {
        Plain::of(self, o, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, o: Plain) -> Plain {
        Plain::of(self, o, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self) -> Plain {
        Plain(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn at_most(self, o: Plain) -> u32 {
        let each = self.0.iter().zip(o.0).enumerate();
        each.fold(0, |bits, (k, (a, b))| bits | (u32::from(*a <= b) << k))
    }
    #[inline(always)]
    fn or(a: u32, b: u32) -> u32 {
        a | b
    }
    #[inline(always)]
    fn select(of: u32, a: Plain, b: Plain) -> Plain {
        let mut out = b.0;
        for (k, (x, a)) in out.iter_mut().zip(a.0).enumerate() {
            *x = if of >> k & 1 == 1 { a } else { *x };
        }
        Plain(out)
    }
    #[inline(always)]
    fn bits(of: u32) -> u32 {
        of
    }
}
