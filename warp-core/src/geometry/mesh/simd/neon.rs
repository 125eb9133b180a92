//! Eight float32 in two registers of NEON, which every Arm processor of 64 bits has.

use super::{Lanes, WIDE};
use std::arch::aarch64::*;
use std::ops::{Add, Div, Mul, Sub};

/// Two vector registers.
#[derive(Clone, Copy)]
pub struct Neon([float32x4_t; 2]);

impl Neon {
    /// An operation on both registers of two.
    #[inline(always)]
    fn of(a: Neon, b: Neon, f: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Neon {
        Neon([f(a.0[0], b.0[0]), f(a.0[1], b.0[1])])
    }
}

macro_rules! ops {
    ($($op:ident $name:ident $call:ident;)+) => {$(
        impl $op for Neon {
            type Output = Neon;
            #[inline(always)]
            fn $name(self, o: Neon) -> Neon {
                // SAFETY: the processor has NEON.
                Neon::of(self, o, |a, b| unsafe { $call(a, b) })
            }
        }
    )+};
}

ops! {
    Add add vaddq_f32;
    Sub sub vsubq_f32;
    Mul mul vmulq_f32;
    Div div vdivq_f32;
}

impl Lanes for Neon {
    type Mask = [uint32x4_t; 2];
    #[inline(always)]
    fn all(x: f32) -> Neon {
        // SAFETY: the processor has NEON, here and below.
        Neon([unsafe { vdupq_n_f32(x) }; 2])
    }
    #[inline(always)]
    fn load(from: &[f32; WIDE]) -> Neon {
        // SAFETY: these are eight numbers.
        unsafe { Neon([0, 4].map(|k| vld1q_f32(from.as_ptr().add(k)))) }
    }
    #[inline(always)]
    fn numbers(self) -> [f32; WIDE] {
        let mut out = [0.0; WIDE];
        // SAFETY: there is room for eight numbers.
        unsafe {
            vst1q_f32(out.as_mut_ptr(), self.0[0]);
            vst1q_f32(out.as_mut_ptr().add(4), self.0[1]);
        }
        out
    }
    #[inline(always)]
    fn min(self, o: Neon) -> Neon {
        // SAFETY: as above.
        Neon::of(self, o, |a, b| unsafe { vbslq_f32(vcltq_f32(a, b), a, b) })
    }
    #[inline(always)]
    fn max(self, o: Neon) -> Neon {
        // SAFETY: as above.
        Neon::of(self, o, |a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) })
    }
    #[inline(always)]
    fn abs(self) -> Neon {
        // SAFETY: as above.
        Neon(self.0.map(|a| unsafe { vabsq_f32(a) }))
    }
    #[inline(always)]
    fn at_most(self, o: Neon) -> Self::Mask {
        // SAFETY: as above.
        [0, 1].map(|k| unsafe { vcleq_f32(self.0[k], o.0[k]) })
    }
    #[inline(always)]
    fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        // SAFETY: as above.
        [0, 1].map(|k| unsafe { vorrq_u32(a[k], b[k]) })
    }
    #[inline(always)]
    fn select(of: Self::Mask, a: Neon, b: Neon) -> Neon {
        // SAFETY: as above.
        Neon([0, 1].map(|k| unsafe { vbslq_f32(of[k], a.0[k], b.0[k]) }))
    }
    #[inline(always)]
    fn bits(of: Self::Mask) -> u32 {
        // SAFETY: as above; these are four numbers each.
        let part = |k: usize, bits: [u32; 4]| unsafe {
            vaddvq_u32(vandq_u32(of[k], vld1q_u32(bits.as_ptr())))
        };
        part(0, [1, 2, 4, 8]) | part(1, [16, 32, 64, 128])
    }
}
