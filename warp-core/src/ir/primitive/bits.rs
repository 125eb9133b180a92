//! Bits of integers, and logic of truth values.

use super::row::{Builtin, Code, OnInts};
use crate::dtype::Scalar;

family! { $ bits;
    /// Bits that are set in both, as `a & b`.
    And: "and", Bits2 {
        commutes: true,
        ints: OnInts::Binary(|a, b, _| a & b),
        int_code: Code::Instruction("and"),
        builtin: Some(Builtin::of_ints("bit_and", "(a: E(I), b: E(I)) -> E", |x| x[0] & x[1])),
    }

    /// Bits that are set in either, as `a | b`.
    Or: "or", Bits2 {
        commutes: true,
        ints: OnInts::Binary(|a, b, _| a | b),
        int_code: Code::Instruction("or"),
        builtin: Some(Builtin::of_ints("bit_or", "(a: E(I), b: E(I)) -> E", |x| x[0] | x[1])),
    }

    /// Bits that are set in one of the two, as `a ^ b`.
    Xor: "xor", Bits2 {
        commutes: true,
        ints: OnInts::Binary(|a, b, _| a ^ b),
        int_code: Code::Instruction("xor"),
        builtin: Some(Builtin::of_ints("bit_xor", "(a: E(I), b: E(I)) -> E", |x| x[0] ^ x[1])),
    }

    /// a with its bits moved up by b, as `a << b`; 0 if b is negative or not below the width.
    Shl: "shl", Int2 {
        ints: OnInts::Binary(|a, b, ty| if inside(b, ty) { a << b } else { 0 }),
        int_code: Code::Several,
        builtin: Some(Builtin::of_ints("lshift", "(a: E(I), b: E(I)) -> E", |x| match x[1] {
            0..32 => x[0] << x[1],
            _ => 0,
        })),
    }

    /// a with its bits moved down by b, keeping the sign, as `a >> b`.
    Shr: "shr", Int2 {
        // Amounts that are not in range shift everything out.
        ints: OnInts::Binary(|a, b, ty| a >> if inside(b, ty) { b } else { 127 }),
        int_code: Code::Several,
        builtin: Some(Builtin::of_ints("rshift", "(a: E(I), b: E(I)) -> E", |x| match x[1] {
            0..32 => x[0] >> x[1],
            _ => x[0] >> 31,
        })),
    }

    /// Every bit turned over, as `~a`.
    Not: "not", Bits1 {
        ints: OnInts::Unary(|x, ty| match ty {
            Scalar::Bool => i128::from(x == 0),
            _ => !x,
        }),
        int_code: Code::Several,
        builtin: Some(Builtin::of_ints("invert", "(a: E(I)) -> E", |x| !x[0])),
    }

    /// Number of bits that are set.
    BitCount: "bitcount", Bits1 {
        ints: OnInts::Unary(|x, ty| i128::from((x & ((1 << ty.bits()) - 1)).count_ones())),
        int_code: Code::Several,
    }
}

/// Whether a shift by `amount` leaves bits.
fn inside(amount: i128, ty: Scalar) -> bool {
    (0..i128::from(ty.bits())).contains(&amount)
}
