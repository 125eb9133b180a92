//! Keys that are sorted by digits of 8 bits.

use super::text::{Text, ptx};
use crate::dtype::{Class, Scalar};

/// A key in memory: bytes, and how the order of numbers is that of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    size: usize,
    order: Class,
}

impl Key {
    /// A scalar as a key.
    pub fn of(scalar: Scalar) -> Key {
        Key {
            size: scalar.size(),
            order: order_of(scalar),
        }
    }

    /// Bytes.
    pub const fn size(self) -> usize {
        self.size
    }

    /// Writes the digit of the key `from` into `to`; the digit's first bit and its mask are `%r8` and `%r9`.
    pub fn digit(self, text: &mut Text, to: &str, from: &str) {
        let top = 1u64 << (8 * self.size - 1);
        match self.order {
            Class::Int => ptx!(text, "xor.b64 %d15, {from}, {top:#x};"),
            Class::Float => {
                ptx!(
                    text,
                    "and.b64 %d15, {from}, {top:#x}; setp.ne.u64 %p15, %d15, 0; selp.b64 %d15, -1, {top:#x}, %p15;"
                );
                ptx!(text, "xor.b64 %d15, %d15, {from};");
            }
            _ => ptx!(text, "mov.u64 %d15, {from};"),
        }
        ptx!(
            text,
            "shr.u64 %d15, %d15, %r8; cvt.u32.u64 {to}, %d15; and.b32 {to}, {to}, %r9;"
        );
    }
}

/// How the order of keys is that of their bits.
fn order_of(scalar: Scalar) -> Class {
    match scalar.class() {
        Class::Bool | Class::UInt => Class::UInt,
        Class::Int => Class::Int,
        _ => Class::Float,
    }
}
