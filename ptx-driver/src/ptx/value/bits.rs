//! Shifts, fields, permutations and counts.

use super::integer::{Int, by_int};
use super::{Binary, Quaternary, Ternary, Unary};
use crate::ptx::types::Type;

pub(crate) fn and(a: u64, b: u64) -> u64 {
    a & b
}
pub(crate) fn or(a: u64, b: u64) -> u64 {
    a | b
}
pub(crate) fn xor(a: u64, b: u64) -> u64 {
    a ^ b
}
pub(crate) fn not(a: u64) -> u64 {
    !a
}
fn cnot<T: Int>(a: u64) -> u64 {
    (T::of(a) == T::ZERO).into()
}

/// Amounts of shift are unsigned 32-bit numbers, and those beyond the width count as the width.
fn shl<T: Int>(a: u64, b: u64) -> u64 {
    let by = b as u32;
    if by >= T::BITS {
        0
    } else {
        T::of(a << by).raw()
    }
}
fn shr<T: Int>(a: u64, b: u64) -> u64 {
    let by = (b as u32).min(T::BITS);
    (T::of(a).exact() >> by) as u64
}
fn popc<T: Int>(a: u64) -> u64 {
    T::of(a).raw().count_ones().into()
}
fn clz<T: Int>(a: u64) -> u64 {
    (T::of(a).raw().leading_zeros() - (64 - T::BITS)).into()
}
fn brev<T: Int>(a: u64) -> u64 {
    a.reverse_bits() >> (64 - T::BITS)
}
/// Position of the highest bit that is unlike the sign; all ones if there is none.
fn bfind<T: Int>(a: u64) -> u64 {
    let value = T::of(a);
    let bits = if value < T::ZERO {
        T::of(!a).raw()
    } else {
        value.raw()
    };
    u64::from(bits.checked_ilog2().unwrap_or(u32::MAX))
}
/// The same as the amount of shift that brings it to the top.
fn bfind_shift<T: Int>(a: u64) -> u64 {
    let position = bfind::<T>(a);
    if position == u64::from(u32::MAX) {
        return position;
    }
    u64::from(T::BITS - 1) - position
}

/// A field: position and length are taken modulo 256; beyond the top stands the sign of a signed operand.
fn bfe<T: Int>(a: u64, b: u64, c: u64) -> u64 {
    let (at, len) = (b as u32 & 255, c as u32 & 255);
    let value = T::of(a).exact();
    if len == 0 {
        return 0;
    }
    // The sign of the result is the field's top bit, or the operand's where the field reaches beyond it.
    let top = (at + len - 1).min(T::BITS - 1);
    let negative = T::of(u64::MAX) < T::ZERO && value >> top & 1 != 0;
    let field = value >> at.min(127);
    let kept = (T::BITS - at.min(T::BITS)).min(len);
    let mask = (1u128 << kept) - 1;
    let filled = if negative { !mask } else { 0 };
    T::of((field as u128 & mask | filled) as u64).raw()
}
/// `b` with a field of it replaced by the low bits of `a`.
fn bfi<T: Int>(a: u64, b: u64, c: u64, d: u64) -> u64 {
    let (at, len) = (c as u32 & 255, d as u32 & 255);
    let mask = ((1u128 << len.min(64)) - 1) << at.min(64);
    let placed = u128::from(a) << at.min(64);
    T::of((u128::from(b) & !mask | placed & mask) as u64).raw()
}

/// A table of what one function is called for each integer type.
macro_rules! by_type {
    ($($name:literal => $function:ident),*) => {
        /// An instruction on bits of one operand.
        pub(crate) fn unary(opcode: &str, ty: Type) -> Option<Unary> {
            Some(match opcode {
                "not" => not,
                $($name => by_int!($function, ty),)*
                _ => return None,
            })
        }
    };
}
by_type!("cnot" => cnot, "popc" => popc, "clz" => clz, "brev" => brev, "bfind" => bfind, "bfind.shiftamt" => bfind_shift);

/// A logical operation.
pub(crate) fn logical(opcode: &str) -> Option<Binary> {
    Some(match opcode {
        "and" => and,
        "or" => or,
        "xor" => xor,
        _ => return None,
    })
}
pub(crate) fn shifting(left: bool, ty: Type) -> Binary {
    if left {
        return by_int!(shl, ty);
    }
    by_int!(shr, ty)
}
pub(crate) fn extracting(ty: Type) -> Ternary {
    by_int!(bfe, ty)
}
pub(crate) fn inserting(ty: Type) -> Quaternary {
    by_int!(bfi, ty)
}

/// Shifts of 64 bits from two words: `b` is the high one.
pub(crate) fn funnel(left: bool, wrap: bool) -> Ternary {
    fn words(a: u64, b: u64) -> u64 {
        b << 32 | a & 0xffff_ffff
    }
    fn left_by(a: u64, b: u64, by: u32) -> u64 {
        ((u128::from(words(a, b)) << by) >> 32) as u64 & 0xffff_ffff
    }
    fn right_by(a: u64, b: u64, by: u32) -> u64 {
        words(a, b) >> by & 0xffff_ffff
    }
    match (left, wrap) {
        (true, true) => |a, b, c| left_by(a, b, c as u32 & 31),
        (true, false) => |a, b, c| left_by(a, b, (c as u32).min(32)),
        (false, true) => |a, b, c| right_by(a, b, c as u32 & 31),
        (false, false) => |a, b, c| right_by(a, b, (c as u32).min(32)),
    }
}

/// Byte `index` of eight, as a permutation takes it.
fn byte(a: u64, b: u64, index: u64) -> u64 {
    (b << 32 | a & 0xffff_ffff) >> (8 * (index & 7)) & 255
}
fn bytes(a: u64, b: u64, indices: [u64; 4]) -> u64 {
    let word = indices.iter().rev();
    word.fold(0, |word, index| word << 8 | byte(a, b, *index))
}

/// A permutation of bytes, by its mode.
pub(crate) fn permuting(mode: Option<&str>) -> Option<Ternary> {
    Some(match mode {
        None => |a, b, c| {
            let chosen = (0..4).map(|k| {
                let selector = c >> (4 * k) & 15;
                let byte = byte(a, b, selector);
                // The top bit of a selector spreads the byte's sign.
                let spread = if byte & 128 != 0 { 255 } else { 0 };
                (if selector & 8 != 0 { spread } else { byte }) << (8 * k)
            });
            chosen.sum()
        },
        Some("f4e") => |a, b, c| bytes(a, b, [0, 1, 2, 3].map(|k| (c & 3) + k)),
        Some("b4e") => |a, b, c| bytes(a, b, [0, 7, 6, 5].map(|k| (c & 3) + k)),
        Some("rc8") => |a, b, c| bytes(a, b, [c & 3; 4]),
        Some("ecl") => |a, b, c| bytes(a, b, [0, 1, 2, 3].map(|k| (c & 3).max(k))),
        Some("ecr") => |a, b, c| bytes(a, b, [0, 1, 2, 3].map(|k| (c & 3).min(k))),
        Some("rc16") => |a, b, c| bytes(a, b, [0, 1, 0, 1].map(|k| 2 * (c & 1) + k)),
        Some(_) => return None,
    })
}

/// Any logical function of three operands, given by its truth table.
pub(crate) fn lop3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    (0..8).fold(0, |word, row| {
        let side = |value: u64, bit: u64| if row & bit != 0 { value } else { !value };
        let chosen = side(a, 4) & side(b, 2) & side(c, 1);
        word | if table >> row & 1 != 0 { chosen } else { 0 }
    })
}

/// A mask of `b` bits from bit `a` on.
pub(crate) fn bmsk(wrap: bool) -> Binary {
    fn mask(a: u64, b: u64) -> u64 {
        let field = (1u64 << b.min(32)) - 1;
        if a >= 32 { 0 } else { field << a & 0xffff_ffff }
    }
    if wrap {
        return |a, b| mask(a & 31, b & 31);
    }
    |a, b| mask(a & 0xffff_ffff, b & 0xffff_ffff)
}

/// Extends a field of `b` bits by zeros or by its sign.
pub(crate) fn szext(wrap: bool, signed: bool) -> Binary {
    fn extend(a: u64, b: u64, signed: bool) -> u64 {
        let gap = 64 - b.min(32) as u32;
        let word = match (b, signed) {
            (0, _) => 0,
            (_, true) => ((a << gap) as i64 >> gap) as u64,
            (_, false) => a << gap >> gap,
        };
        word & 0xffff_ffff
    }
    match (wrap, signed) {
        (true, true) => |a, b| extend(a, b & 31, true),
        (true, false) => |a, b| extend(a, b & 31, false),
        (false, true) => |a, b| extend(a, b & 0xffff_ffff, true),
        (false, false) => |a, b| extend(a, b & 0xffff_ffff, false),
    }
}
