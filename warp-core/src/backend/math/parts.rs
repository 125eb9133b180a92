//! What several functions begin or end with.

use std::f64::consts::{LN_2, LOG2_E};

use super::coef::*;
use super::emit::{Emit, Ty, Val};

/// `e^x = (1 + p) 2^k`
pub fn exp_parts(e: &mut Emit, x: &Val) -> (Val, Val) {
    let (k, i) = e.round(x, LOG2_E);
    (exp_rest(e, x, &k), i)
}

/// `e^x = (1 + p) a b`, with `a` and `b` as [`halves`] gives them.
pub fn exp_halves(e: &mut Emit, x: &Val) -> (Val, Val, Val) {
    let (k, i) = e.round_low(x, LOG2_E, twice_bias(x.ty));
    let (a, b) = halves(e, &i);
    (exp_rest(e, x, &k), a, b)
}

/// `e^(x - k ln 2) - 1`
fn exp_rest(e: &mut Emit, x: &Val, k: &Val) -> Val {
    let (parts, c): (&[f64], _) = match x.ty {
        Ty::F32 => (
            &[0.693_147_182_464_599_6, -1.904_654_299_957_768e-9],
            EXP_32,
        ),
        _ => (&[LN_2, 2.319_046_813_846_299_6e-17], EXP_64),
    };
    let r = e.reduce(x, k, parts);
    let q = e.long_poly(&r, c);
    let rr = e.mul(&r, &r);
    e.fma(&rr, &q, &r)
}

/// What is added to `k` for [`halves`].
fn twice_bias(ty: Ty) -> i64 {
    if ty == Ty::F32 { 254 } else { 2046 }
}

/// `2^k` as a product of two normal numbers, from `k` with [`twice_bias`] in the low bits: what is multiplied by one and then
/// the other is rounded once, also where it ends denormal or infinite.
fn halves(e: &mut Emit, k: &Val) -> (Val, Val) {
    let shift = if k.ty == Ty::I32 { 23 } else { 52 };
    let half = e.ashr(k, 1);
    let rest = e.isub(k, &half);
    let (half, rest) = (e.shl(&half, shift), e.shl(&rest, shift));
    (e.float(&half), e.float(&rest))
}

/// `v 2^k` with one rounding.
pub fn scale(e: &mut Emit, v: &Val, k: &Val) -> Val {
    let bias = e.int(k.ty, twice_bias(v.ty));
    let k = e.iadd(k, &bias);
    let (a, b) = halves(e, &k);
    let v = e.mul(v, &a);
    e.mul(&v, &b)
}

/// Lanes that are not positive normal numbers.
pub fn not_normal(e: &mut Emit, x: &Val) -> Val {
    let (least, span) = match x.ty {
        Ty::F32 => (0x0080_0000, 0x7f00_0000),
        _ => (0x0010_0000_0000_0000, 0x7fe0_0000_0000_0000),
    };
    let b = e.bits(x);
    let (least, span) = (e.int(b.ty, least), e.int(b.ty, span));
    let b = e.isub(&b, &least);
    e.cmp("uge", &b, &span)
}

/// A logarithm `r` of `x` put right where `x` is 0, infinite, negative or no number, and the lanes where it is subnormal. Guards such
/// as `x > 0` leave zeros in lanes that nothing reads: these must cost no call.
pub fn log_edges(e: &mut Emit, x: &Val, r: &Val) -> (Val, Option<Val>) {
    let least = if x.ty == Ty::F32 {
        0x007f_ffff
    } else {
        0x000f_ffff_ffff_ffff
    };
    let b = e.bits(x);
    let (one, least) = (e.int(b.ty, 1), e.int(b.ty, least));
    let b = e.isub(&b, &one);
    let special = e.cmp("ult", &b, &least);
    let (zero, inf, nan) = (
        e.num(x.ty, 0.0),
        e.num(x.ty, f64::INFINITY),
        e.num(x.ty, f64::NAN),
    );
    let endless = e.cmp("oeq", x, &inf);
    let r = e.select(&endless, &inf, r);
    let (none, refused) = (e.cmp("oeq", x, &zero), e.cmp("ult", x, &zero));
    let minus = e.neg(&inf);
    let r = e.select(&none, &minus, &r);
    (e.select(&refused, &nan, &r), Some(special))
}

/// `x = 2^k (1 + f)` with `1 + f` in sqrt(1/2) ..= sqrt(2).
pub fn split(e: &mut Emit, x: &Val) -> (Val, Val) {
    let (root, shift) = match x.ty {
        Ty::F32 => (0x3f35_04f3, 23),
        _ => (0x3fe6_a09e_667f_3bcd, 52),
    };
    let b = e.bits(x);
    let root = e.int(b.ty, root);
    let above = e.isub(&b, &root);
    let k = e.ashr(&above, shift);
    let exponent = e.shl(&k, shift);
    let m = e.isub(&b, &exponent);
    let (m, one) = (e.float(&m), e.num(x.ty, 1.0));
    (e.sub(&m, &one), e.value(&k))
}

/// `s = f / (2 + f)`, and `(log(1 + f) - 2 s) / (2 s)` from the series of atanh.
pub fn atanh_parts(e: &mut Emit, f: &Val, c: &[f64]) -> (Val, Val) {
    let two = e.num(f.ty, 2.0);
    let d = e.add(f, &two);
    let s = e.div(f, &d);
    let z = e.mul(&s, &s);
    let q = e.poly(&z, c);
    (s, e.mul(&z, &q))
}

/// log2 of a positive double precision value, to single precision and ten bits more.
pub fn log2_wide(e: &mut Emit, x: &Val) -> Val {
    let (f, k) = split(e, x);
    let (s, q) = atanh_parts(e, &f, ATANH_32);
    let c = e.num(x.ty, 2.0 * LOG2_E);
    let s = e.mul(&s, &c);
    let l = e.fma(&s, &q, &s);
    e.add(&k, &l)
}

/// `2^t = (1 + p) 2^k` in double precision, to single precision and ten bits more.
pub fn exp2_wide(e: &mut Emit, t: &Val) -> (Val, Val) {
    let (k, i) = e.round(t, 1.0);
    let r = e.sub(t, &k);
    let p = e.poly(&r, EXP2_32);
    (e.mul(&p, &r), i)
}

/// `a = m 2^(3 k)` with m in 1 .. 8, for a positive normal number of double precision.
pub fn thirds(e: &mut Emit, a: &Val) -> (Val, Val) {
    let b = e.bits(a);
    let exponent = e.ashr(&b, 52);
    let bias = e.int(b.ty, 1023);
    let exponent = e.isub(&exponent, &bias);
    let exponent = e.value(&exponent);
    // k = floor(exponent / 3): the nearest integer to (exponent - 1) / 3.
    let one = e.num(a.ty, 1.0);
    let below = e.sub(&exponent, &one);
    let (_, k) = e.round(&below, 1.0 / 3.0);
    let k3 = e.iadd(&k, &k);
    let k3 = e.iadd(&k3, &k);
    let k3 = e.shl(&k3, 52);
    let m = e.isub(&b, &k3);
    (e.float(&m), k)
}
