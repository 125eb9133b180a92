//! Eight float32 at once: with AVX2 where the processor has it, with NEON on Arm, else one by one.
//!
//! All give the same numbers but for NaN and the sign of zero in [`Lanes::min`] and [`Lanes::max`], which are those of x86: the
//! second operand unless the first is less, or greater.

use super::layout::WIDE;
use std::ops::{Add, Div, Mul, Sub};

#[cfg(target_arch = "x86_64")]
pub mod avx;
#[cfg(target_arch = "aarch64")]
pub mod neon;
#[cfg(any(test, not(target_arch = "aarch64")))]
pub mod plain;

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
