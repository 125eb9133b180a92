//! Approximations. They are computed in f64 and rounded: more exact than a device's, so their bits are not the device's.

use super::Unary;
use super::float32::{input, output};
use super::float64;

/// A function that devices approximate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Sin,
    Cos,
    Exp2,
    Log2,
    Tanh,
    Rcp,
    Sqrt,
    Rsqrt,
}

impl Function {
    pub fn of(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Exp2 => x.exp2(),
            Function::Log2 => x.log2(),
            Function::Tanh => x.tanh(),
            Function::Rcp => 1.0 / x,
            Function::Sqrt => x.sqrt(),
            Function::Rsqrt => 1.0 / x.sqrt(),
        }
    }
}

macro_rules! of_f32 {
    ($function:ident, $flush:expr) => {
        if $flush {
            |a| output::<true, false>(Function::$function.of(input::<true>(a).into()) as f32)
        } else {
            |a| output::<false, false>(Function::$function.of(input::<false>(a).into()) as f32)
        }
    };
}

pub(crate) fn of_f32(function: Function, flush: bool) -> Unary {
    match function {
        Function::Sin => of_f32!(Sin, flush),
        Function::Cos => of_f32!(Cos, flush),
        Function::Exp2 => of_f32!(Exp2, flush),
        Function::Log2 => of_f32!(Log2, flush),
        Function::Tanh => of_f32!(Tanh, flush),
        Function::Rcp => of_f32!(Rcp, flush),
        Function::Sqrt => of_f32!(Sqrt, flush),
        Function::Rsqrt => of_f32!(Rsqrt, flush),
    }
}

/// The upper word of a reciprocal; the lower one is zero, and subnormal numbers are flushed.
pub(crate) fn rcp64(a: u64) -> u64 {
    upper(1.0 / flushed(a))
}

pub(crate) fn rsqrt64<const FLUSH: bool>(a: u64) -> u64 {
    let x = if FLUSH { flushed(a) } else { f64::from_bits(a) };
    upper(1.0 / x.sqrt())
}

fn flushed(a: u64) -> f64 {
    let x = f64::from_bits(a);
    if x.is_subnormal() {
        return 0f64.copysign(x);
    }
    x
}

fn upper(x: f64) -> u64 {
    float64::bits(if x.is_subnormal() {
        0f64.copysign(x)
    } else {
        x
    }) & !0xffff_ffff
}
