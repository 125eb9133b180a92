//! Scalars as kernels of algorithms read, add and write them; as on the CPU integers wrap, and floats are summed in float64.
//!
//! Registers whose names begin with `%l` are those of what is written here. `%a` and `%b` are where elements lie.

use super::text::{Text, ptx};
use crate::dtype::{Class, Scalar};

/// What sums are formed in. Integers of up to 32 bits wrap where they are stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wide {
    U32,
    U64,
    F64,
}

impl Wide {
    /// What sums of a scalar are formed in.
    pub const fn of(scalar: Scalar) -> Wide {
        match scalar {
            _ if scalar.is_float() => Wide::F64,
            _ if scalar.bits() == 64 => Wide::U64,
            _ => Wide::U32,
        }
    }

    /// The scalar that a partial sum in memory is.
    pub const fn scalar(self) -> Scalar {
        match self {
            Wide::U32 => Scalar::U32,
            Wide::U64 => Scalar::U64,
            Wide::F64 => Scalar::F64,
        }
    }

    /// The type of instructions.
    pub const fn ty(self) -> &'static str {
        match self {
            Wide::U32 => "u32",
            Wide::U64 => "u64",
            Wide::F64 => "f64",
        }
    }

    /// The type of registers.
    pub const fn register(self) -> &'static str {
        match self {
            Wide::U32 => "b32",
            Wide::U64 => "b64",
            Wide::F64 => "f64",
        }
    }

    /// Bytes.
    pub const fn size(self) -> usize {
        self.scalar().size()
    }

    const fn zero(self) -> &'static str {
        match self {
            Wide::U32 | Wide::U64 => "0",
            Wide::F64 => "0d0000000000000000",
        }
    }

    /// Writes `to = 0`.
    pub fn clear(self, text: &mut Text, to: &str) {
        ptx!(text, "mov.{} {to}, {};", self.ty(), self.zero());
    }

    /// Writes `to = a + b`, where a predicate such as `@%p1 ` holds; rounded by itself, and never part of an `fma`.
    pub fn add(self, text: &mut Text, holds: &str, to: &str, a: &str, b: &str) {
        let rounded = if self == Wide::F64 { ".rn" } else { "" };
        ptx!(text, "{holds}add{rounded}.{} {to}, {a}, {b};", self.ty());
    }

    fn multiply(self, text: &mut Text, to: &str, a: &str, b: &str) {
        let how = if self == Wide::F64 { ".rn" } else { ".lo" };
        ptx!(text, "mul{how}.{} {to}, {a}, {b};", self.ty());
    }
}

/// What is summed: term `i` of memory at `%a`, and at `%b` for products.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Elements.
    Elements(Scalar),
    /// Products of elements.
    Products(Scalar),
    /// 1 where an element differs from the one before it, and for the first; otherwise 0.
    Begins(Scalar),
}

impl Source {
    /// What sums of it are formed in.
    pub const fn wide(self) -> Wide {
        match self {
            Source::Elements(scalar) | Source::Products(scalar) => Wide::of(scalar),
            Source::Begins(_) => Wide::U32,
        }
    }

    const fn scalar(self) -> Scalar {
        match self {
            Source::Elements(scalar) | Source::Products(scalar) | Source::Begins(scalar) => scalar,
        }
    }

    /// Declares the registers that reading and writing need, and the sums `%w0` and so on.
    pub fn registers(self, text: &mut Text, sums: usize) {
        declare(text);
        text.registers(self.wide().register(), "w", sums);
        text.registers(Wide::of(self.scalar()).register(), "x", 2);
    }

    /// Reads term `index`, a register of 64 bits, where the predicate holds; zero where it does not.
    pub fn load(self, text: &mut Text, to: &str, index: &str, holds: &str) {
        let scalar = self.scalar();
        let (size, wide) = (scalar.size(), Wide::of(scalar));
        ptx!(text, "mad.lo.u64 %la, {index}, {size}, %a;");
        match self {
            Source::Elements(_) => load(text, scalar, to, "%la", holds),
            Source::Products(_) => {
                load(text, scalar, to, "%la", holds);
                ptx!(text, "mad.lo.u64 %la, {index}, {size}, %b;");
                load(text, scalar, "%x0", "%la", holds);
                wide.multiply(text, to, to, "%x0");
            }
            Source::Begins(_) => {
                ptx!(
                    text,
                    "setp.ne.u64 %lq, {index}, 0; and.pred %lq, %lq, {holds};"
                );
                load(text, scalar, "%x0", "%la", "%lq");
                load(text, scalar, "%x1", &format!("%la+-{size}"), "%lq");
                // NaNs differ from everything; elements that are not read are equal.
                let differ = if wide == Wide::F64 { "neu" } else { "ne" };
                ptx!(text, "setp.{differ}.{} %lr, %x0, %x1;", wide.ty());
                ptx!(
                    text,
                    "setp.eq.u64 %lq, {index}, 0; and.pred %lq, %lq, {holds}; or.pred %lr, %lr, %lq;"
                );
                ptx!(text, "selp.u32 {to}, 1, 0, %lr;");
            }
        }
    }
}

/// Declares what reading and writing need.
pub fn declare(text: &mut Text) {
    ptx!(
        text,
        ".reg .pred %lq, %lr; .reg .b16 %lh; .reg .b32 %lb, %lc, %ld; .reg .b64 %la;"
    );
    ptx!(text, ".reg .f32 %lf; .reg .f64 %le; .reg .b64 %a, %b, %c;");
}

/// Reads a scalar where a predicate holds; zero where it does not.
fn load(text: &mut Text, scalar: Scalar, to: &str, at: &str, holds: &str) {
    match (scalar.class(), scalar.bits()) {
        (Class::Bool | Class::Int | Class::UInt, bits) => {
            let wide = bits.max(32);
            ptx!(
                text,
                "mov.u{wide} {to}, 0; @{holds} ld.global.u{bits} {to}, [{at}];"
            );
        }
        (Class::Float, 64) => ptx!(
            text,
            "mov.f64 {to}, 0d0000000000000000; @{holds} ld.global.f64 {to}, [{at}];"
        ),
        (Class::Float, 32) => {
            ptx!(
                text,
                "mov.f32 %lf, 0f00000000; @{holds} ld.global.f32 %lf, [{at}]; cvt.f64.f32 {to}, %lf;"
            );
        }
        (Class::Float, _) => {
            ptx!(
                text,
                "mov.b16 %lh, 0; @{holds} ld.global.b16 %lh, [{at}]; cvt.f64.f16 {to}, %lh;"
            );
        }
        (Class::BFloat, _) => {
            ptx!(
                text,
                "mov.u32 %lb, 0; @{holds} ld.global.u16 %lb, [{at}]; shl.b32 %lb, %lb, 16;"
            );
            ptx!(text, "mov.b32 %lf, %lb; cvt.f64.f32 {to}, %lf;");
        }
    }
}

/// Writes a sum as a scalar, where a predicate holds. Changes nothing but registers of this file.
pub fn store(text: &mut Text, scalar: Scalar, at: &str, from: &str, holds: &str) {
    match (scalar.class(), scalar.bits()) {
        (Class::Bool | Class::Int | Class::UInt, bits) => {
            ptx!(text, "@{holds} st.global.u{bits} [{at}], {from};");
        }
        (Class::Float, 64) => ptx!(text, "@{holds} st.global.f64 [{at}], {from};"),
        (Class::Float, 32) => ptx!(
            text,
            "cvt.rn.f32.f64 %lf, {from}; @{holds} st.global.f32 [{at}], %lf;"
        ),
        (Class::Float, _) => ptx!(
            text,
            "cvt.rn.f16.f64 %lh, {from}; @{holds} st.global.b16 [{at}], %lh;"
        ),
        (Class::BFloat, _) => {
            // Rounded once: towards zero to a float32 whose last bit says whether that was exact, and then to the nearest.
            ptx!(
                text,
                "cvt.rz.f32.f64 %lf, {from}; cvt.f64.f32 %le, %lf; setp.neu.f64 %lq, %le, {from};"
            );
            ptx!(text, "mov.b32 %lb, %lf; @%lq or.b32 %lb, %lb, 1;");
            ptx!(
                text,
                "shr.u32 %lc, %lb, 16; and.b32 %lc, %lc, 1; add.u32 %lc, %lc, 0x7fff;"
            );
            ptx!(text, "add.u32 %lb, %lb, %lc; shr.u32 %lb, %lb, 16;");
            ptx!(
                text,
                "testp.notanumber.f64 %lq, {from}; @%lq mov.u32 %lb, 0x7fc0;"
            );
            ptx!(text, "@{holds} st.global.u16 [{at}], %lb;");
        }
    }
}
