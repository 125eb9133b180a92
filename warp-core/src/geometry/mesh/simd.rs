//! Eight float32 at once: with AVX2 where the processor has it, else one by one.
//!
//! Both give the same numbers but for NaN and the sign of zero in [`Lanes::min`] and [`Lanes::max`], which are those of x86: the
//! second operand unless the first is less, or greater.

use super::layout::WIDE;
use std::ops::{Add, Div, Mul, Sub};

/// Eight numbers.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// For each number whether something holds.
    type Mask: Copy;
    /// One number eight times.
    fn all(x: f32) -> Self;
    /// Numbers in memory.
    fn load(from: &[f32; WIDE]) -> Self;
    /// The numbers.
    fn numbers(self) -> [f32; WIDE];
    /// The lesser ones.
    fn min(self, o: Self) -> Self;
    /// The greater ones.
    fn max(self, o: Self) -> Self;
    /// Without signs.
    fn abs(self) -> Self;
    /// Whether numbers are less or equal; not where one is NaN.
    fn at_most(self, o: Self) -> Self::Mask;
    /// Whether one holds.
    fn or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The first numbers where something holds, else the second ones.
    fn select(of: Self::Mask, a: Self, b: Self) -> Self;
    /// A bit for each number.
    fn bits(of: Self::Mask) -> u32;
}

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

#[cfg(target_arch = "x86_64")]
pub use avx::Avx;

#[cfg(target_arch = "x86_64")]
mod avx {
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
}

/// Vectors of three coordinates.
pub type Vec3<L> = [L; 3];

/// The difference of vectors.
#[inline(always)]
pub fn minus<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The inner product.
#[inline(always)]
pub fn dot<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The outer product.
#[inline(always)]
pub fn cross<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> Vec3<L> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
