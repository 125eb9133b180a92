//! Arithmetic of integers of 16, 32 and 64 bits.
//!
//! Division by zero gives all ones, and its remainder the dividend: PTX leaves both open.

use super::{Binary, Quaternary, Ternary, Unary};
use crate::ptx::types::Type;

/// An integer type of Rust that stands for one of PTX.
pub(crate) trait Int: Copy + Ord {
    const BITS: u32;
    const ZERO: Self;
    fn of(bits: u64) -> Self;
    fn raw(self) -> u64;
    fn exact(self) -> i128;
    fn div(self, by: Self) -> Self;
    fn rem(self, by: Self) -> Self;
}

macro_rules! int {
    ($($ty:ident $unsigned:ident),*) => {$(
        impl Int for $ty {
            const BITS: u32 = $ty::BITS;
            const ZERO: Self = 0;
            #[inline(always)]
            fn of(bits: u64) -> Self { bits as $ty }
            #[inline(always)]
            fn raw(self) -> u64 { u64::from(self as $unsigned) }
            #[inline(always)]
            fn exact(self) -> i128 { i128::from(self) }
            fn div(self, by: Self) -> Self {
                if by == 0 { !0 } else { self.wrapping_div(by) }
            }
            fn rem(self, by: Self) -> Self {
                if by == 0 { self } else { self.wrapping_rem(by) }
            }
        }
    )*};
}
int!(u8 u8, u16 u16, u32 u32, u64 u64, i8 u8, i16 u16, i32 u32, i64 u64);

/// An instance of a function for an integer type; untyped bits count as unsigned.
macro_rules! by_int {
    ($function:ident, $ty:expr) => {{
        use $crate::ptx::types::Type;
        match $ty {
            Type::U16 | Type::B16 => $function::<u16>,
            Type::S16 => $function::<i16>,
            Type::U32 | Type::B32 => $function::<u32>,
            Type::S32 => $function::<i32>,
            Type::S64 => $function::<i64>,
            _ => $function::<u64>,
        }
    }};
}
pub(crate) use by_int;

/// A function of one to four operands, by the name of an instruction.
pub(crate) enum Plain {
    Unary(Unary),
    Binary(Binary),
    Ternary(Ternary),
    Quaternary(Quaternary),
}

fn add<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a.wrapping_add(b)).raw()
}
fn sub<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a.wrapping_sub(b)).raw()
}
fn mul<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a.wrapping_mul(b)).raw()
}
fn div<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a).div(T::of(b)).raw()
}
fn rem<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a).rem(T::of(b)).raw()
}
fn min<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a).min(T::of(b)).raw()
}
fn max<T: Int>(a: u64, b: u64) -> u64 {
    T::of(a).max(T::of(b)).raw()
}
fn abs<T: Int>(a: u64) -> u64 {
    T::of(if T::of(a) < T::ZERO {
        a.wrapping_neg()
    } else {
        a
    })
    .raw()
}
fn neg<T: Int>(a: u64) -> u64 {
    T::of(a.wrapping_neg()).raw()
}

/// The product; 128 bits hold every one of factors of 64.
#[inline(always)]
fn product<T: Int>(a: u64, b: u64) -> u128 {
    let (a, b) = (T::of(a).exact(), T::of(b).exact());
    (a as u128).wrapping_mul(b as u128)
}
fn mul_hi<T: Int>(a: u64, b: u64) -> u64 {
    T::of((product::<T>(a, b) >> T::BITS) as u64).raw()
}
fn mul_wide<T: Int>(a: u64, b: u64) -> u64 {
    wide::<T>(product::<T>(a, b) as u64)
}
fn mad<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    T::of(a.wrapping_mul(b).wrapping_add(c)).raw()
}
fn mad_hi<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    add::<T>(mul_hi::<T>(a, b), c)
}
fn mad_wide<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    wide::<T>((product::<T>(a, b) as u64).wrapping_add(c))
}
/// Cut to twice the width of a type.
fn wide<T: Int>(bits: u64) -> u64 {
    if T::BITS == 16 {
        bits & 0xffff_ffff
    } else {
        bits
    }
}

/// Sum of absolute difference: `|a - b| + c`.
fn sad<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    let difference = T::of(a).exact() - T::of(b).exact();
    T::of((difference.unsigned_abs() as u64).wrapping_add(c)).raw()
}

fn add_sat(a: u64, b: u64) -> u64 {
    (a as i32).saturating_add(b as i32).raw()
}
fn sub_sat(a: u64, b: u64) -> u64 {
    (a as i32).saturating_sub(b as i32).raw()
}
fn mad_hi_sat(a: u64, b: u64, c: u64) -> u64 {
    add_sat(mul_hi::<i32>(a, b), c)
}

pub(crate) fn adding(ty: Type) -> Binary {
    by_int!(add, ty)
}
pub(crate) fn subtracting(ty: Type) -> Binary {
    by_int!(sub, ty)
}

/// An instruction without modifiers.
pub(crate) fn named(opcode: &str, ty: Type) -> Option<Plain> {
    Some(match opcode {
        "add" => Plain::Binary(by_int!(add, ty)),
        "sub" => Plain::Binary(by_int!(sub, ty)),
        "div" => Plain::Binary(by_int!(div, ty)),
        "rem" => Plain::Binary(by_int!(rem, ty)),
        "min" => Plain::Binary(by_int!(min, ty)),
        "max" => Plain::Binary(by_int!(max, ty)),
        "abs" => Plain::Unary(by_int!(abs, ty)),
        "neg" => Plain::Unary(by_int!(neg, ty)),
        "sad" => Plain::Ternary(by_int!(sad, ty)),
        _ => return None,
    })
}

/// The 32-bit forms that saturate.
pub(crate) fn saturating(opcode: &str) -> Option<Plain> {
    Some(match opcode {
        "add" => Plain::Binary(add_sat),
        "sub" => Plain::Binary(sub_sat),
        "mad" => Plain::Ternary(mad_hi_sat),
        _ => return None,
    })
}

/// Which part of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Low,
    High,
    Wide,
}

pub(crate) fn multiplying(part: Part, ty: Type) -> Binary {
    match part {
        Part::Low => by_int!(mul, ty),
        Part::High => by_int!(mul_hi, ty),
        Part::Wide => by_int!(mul_wide, ty),
    }
}
pub(crate) fn fusing(part: Part, ty: Type) -> Ternary {
    match part {
        Part::Low => by_int!(mad, ty),
        Part::High => by_int!(mad_hi, ty),
        Part::Wide => by_int!(mad_wide, ty),
    }
}

/// The product of 24-bit numbers: its bits 0 to 31 or 16 to 47.
pub(crate) fn multiplying24(part: Part, signed: bool) -> Binary {
    fn low(a: u64, b: u64) -> u64 {
        (a << 40 >> 40).wrapping_mul(b << 40 >> 40) & 0xffff_ffff
    }
    fn high(a: u64, b: u64) -> u64 {
        (a << 40 >> 40).wrapping_mul(b << 40 >> 40) >> 16 & 0xffff_ffff
    }
    fn signed_product(a: u64, b: u64) -> i64 {
        ((a as i64) << 40 >> 40) * ((b as i64) << 40 >> 40)
    }
    fn low_signed(a: u64, b: u64) -> u64 {
        signed_product(a, b) as u64 & 0xffff_ffff
    }
    fn high_signed(a: u64, b: u64) -> u64 {
        (signed_product(a, b) >> 16) as u64 & 0xffff_ffff
    }
    match (part, signed) {
        (Part::High, false) => high,
        (Part::High, true) => high_signed,
        (_, false) => low,
        (_, true) => low_signed,
    }
}

/// The carry of `a + b + c`, as 0 or 1.
fn carry<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    let sum = u128::from(T::of(a).raw()) + u128::from(T::of(b).raw()) + u128::from(c);
    (sum >> T::BITS) as u64
}
/// The borrow of `a - b - c`, as 0 or 1.
fn borrow<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    let (a, b) = (u128::from(T::of(a).raw()), u128::from(T::of(b).raw()));
    u64::from(a < b + u128::from(c))
}
fn add3<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    T::of(a.wrapping_add(b).wrapping_add(c)).raw()
}
fn sub3<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    T::of(a.wrapping_sub(b).wrapping_sub(c)).raw()
}

/// Sum or difference with a carry, and the carry that it leaves.
pub(crate) fn carrying(subtract: bool, ty: Type) -> (Ternary, Ternary) {
    if subtract {
        return (by_int!(sub3, ty), by_int!(borrow, ty));
    }
    (by_int!(add3, ty), by_int!(carry, ty))
}

/// Sums or extremes of two 16-bit numbers each.
pub(crate) fn packed(opcode: &str, signed: bool) -> Option<Binary> {
    fn each(a: u64, b: u64, f: Binary) -> u64 {
        f(a, b) & 0xffff | (f(a >> 16, b >> 16) & 0xffff) << 16
    }
    Some(match (opcode, signed) {
        ("add", _) => |a, b| each(a, b, add::<u16>),
        ("min", false) => |a, b| each(a, b, min::<u16>),
        ("max", false) => |a, b| each(a, b, max::<u16>),
        ("min", true) => |a, b| each(a, b, min::<i16>),
        ("max", true) => |a, b| each(a, b, max::<i16>),
        _ => return None,
    })
}

/// Dot product of four bytes each, added to `c`.
pub(crate) fn dot4(a_signed: bool, b_signed: bool) -> Ternary {
    fn dot<A: Int, B: Int>(a: u64, b: u64, c: u64) -> u64 {
        let terms = (0..4).map(|k| A::of(a >> (8 * k)).exact() * B::of(b >> (8 * k)).exact());
        (terms.sum::<i128>() as u64).wrapping_add(c) & 0xffff_ffff
    }
    match (a_signed, b_signed) {
        (false, false) => dot::<u8, u8>,
        (false, true) => dot::<u8, i8>,
        (true, false) => dot::<i8, u8>,
        (true, true) => dot::<i8, i8>,
    }
}
