//! Eight float32 in a register of AVX.

use super::{Lanes, WIDE};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};

/// A vector register. Only code that has asked the processor for AVX2 makes one.
#[derive(Clone, Copy)]
pub struct Avx(__m256);

macro_rules! ops {
    ($($op:ident $name:ident $call:ident;)+) => {$(
        impl $op for Avx {
            type Output = Avx;
            #[inline(always)]
            fn $name(self, o: Avx) -> Avx {
                // SAFETY: there is a register, so the processor has AVX.
                Avx(unsafe { $call(self.0, o.0) })
            }
        }
    )+};
}

ops! {
    Add add _mm256_add_ps;
    Sub sub _mm256_sub_ps;
    Mul mul _mm256_mul_ps;
    Div div _mm256_div_ps;
}

impl Lanes for Avx {
    type Mask = __m256;
    #[inline(always)]
    fn all(x: f32) -> Avx {
        // SAFETY: who uses this type has asked for AVX.
        Avx(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(from: &[f32; WIDE]) -> Avx {
        // SAFETY: as above; these are eight numbers.
        Avx(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn numbers(self) -> [f32; WIDE] {
        let mut out = [0.0; WIDE];
        // SAFETY: as above; there is room for eight numbers.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) };
        out
    }
    #[inline(always)]
    fn min(self, o: Avx) -> Avx {
        // SAFETY: as above.
        Avx(unsafe { _mm256_min_ps(self.0, o.0) })
    }
    #[inline(always)]
    fn max(self, o: Avx) -> Avx {
        // SAFETY: as above.
        Avx(unsafe { _mm256_max_ps(self.0, o.0) })
    }
    #[inline(always)]
    fn abs(self) -> Avx {
        // SAFETY: as above.
        Avx(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn at_most(self, o: Avx) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, o.0) }
    }
    #[inline(always)]
    fn or(a: __m256, b: __m256) -> __m256 {
        // SAFETY: as above.
        unsafe { _mm256_or_ps(a, b) }
    }
    #[inline(always)]
    fn select(of: __m256, a: Avx, b: Avx) -> Avx {
        // SAFETY: as above.
        Avx(unsafe { _mm256_blendv_ps(b.0, a.0, of) })
    }
    #[inline(always)]
    fn bits(of: __m256) -> u32 {
        // SAFETY: as above.
        (unsafe { _mm256_movemask_ps(of) }) as u32
    }
}
