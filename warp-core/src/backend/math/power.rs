//! Logarithms of double precision, powers, cube roots and remainders.

use std::f64::consts::{LOG2_E, LOG10_E};

use super::coef::ATANH_64;
use super::coef_double::{LOG_REST_64, ROOT_64};
use super::emit::{Emit, Ty, Val};
use super::exponential::exp2_sum;
use super::parts::{atanh_parts, exp2_wide, log_edges, log2_wide, not_normal, split, thirds};

/// A base of logarithms.
pub struct Base {
    /// Its logarithm of e, as a sum of two.
    e: (f64, f64),
    /// Its logarithm of 2, as a sum of two, the first short enough for exact products with exponents.
    two: (f64, f64),
}

pub const BINARY: Base = Base {
    e: (LOG2_E, 2.035_527_374_093_103_3e-17),
    two: (1.0, 0.0),
};
pub const DECIMAL: Base = Base {
    e: (LOG10_E, 1.098_319_650_216_765e-17),
    two: (0.301_029_995_663_839_14, 1.420_502_322_726_61e-13),
};

/// The logarithm of double precision: `f`, the exact part of log(1 + f), is multiplied as a sum of two.
pub fn log_base(e: &mut Emit, x: &Val, base: &Base) -> (Val, Option<Val>) {
    let (f, k) = split(e, x);
    let (s, q) = atanh_parts(e, &f, ATANH_64);
    // log(1 + f) = f - (h - s (h + 2 q)) with h = f^2 / 2.
    let (half, two) = (e.num(x.ty, 0.5), e.num(x.ty, 2.0));
    let h = e.mul(&f, &f);
    let h = e.mul(&h, &half);
    let t = e.fma(&q, &two, &h);
    let st = e.mul(&s, &t);
    let rest = e.sub(&st, &h);
    let (p, lost) = e.times(&f, base.e);
    let factor = e.num(x.ty, base.e.0);
    let mut rest = e.fma(&rest, &factor, &lost);
    let (high, low) = (e.num(x.ty, base.two.0), e.num(x.ty, base.two.1));
    if base.two.1 != 0.0 {
        rest = e.fma(&k, &low, &rest);
    }
    let k = e.mul(&k, &high);
    let (r, lost) = e.fast_sum(&k, &p);
    let rest = e.add(&lost, &rest);
    let r = e.add(&r, &rest);
    log_edges(e, x, &r)
}

/// log2 of a positive normal number as a sum of two, with about 65 bits: 2 atanh(s) with s and the first terms of its series as
/// sums of two.
fn log2_pair(e: &mut Emit, x: &Val) -> (Val, Val) {
    let (f, k) = split(e, x);
    let (one, two) = (e.num(x.ty, 1.0), e.num(x.ty, 2.0));
    let (d, d_low) = e.fast_sum(&two, &f);
    let over = e.div(&one, &d);
    let s = e.mul(&f, &over);
    let minus = e.neg(&s);
    let rest = e.fma(&minus, &d, &f);
    let rest = e.fma(&minus, &d_low, &rest);
    let s_low = e.mul(&rest, &over);
    let (z, z_low) = e.product(&s, &s);
    let s2 = e.add(&s, &s);
    let z_low = e.fma(&s2, &s_low, &z_low);
    let q = e.poly(&z, LOG_REST_64);
    let zq = e.mul(&z, &q);
    let (third, third_low) = (
        e.num(x.ty, 1.0 / 3.0),
        e.num(x.ty, 1.850_371_707_708_594e-17),
    );
    let (c, c_low) = e.fast_sum(&third, &zq);
    let c_low = e.add(&c_low, &third_low);
    let (p, p_low) = times_pair(e, (&z, &z_low), (&c, &c_low));
    let (q, q_low) = times_pair(e, (&s, &s_low), (&p, &p_low));
    let (g, g_low) = e.fast_sum(&s, &q);
    let q_low = e.add(&q_low, &s_low);
    let g_low = e.add(&g_low, &q_low);
    // 2 log2(e)
    let (h, h_low) = e.times(&g, (2.0 * LOG2_E, 4.071_054_748_186_206_6e-17));
    let factor = e.num(x.ty, 2.0 * LOG2_E);
    let h_low = e.fma(&g_low, &factor, &h_low);
    let (r, r_low) = e.fast_sum(&k, &h);
    (r, e.add(&r_low, &h_low))
}

/// The product of two sums of two, as one.
fn times_pair(e: &mut Emit, a: (&Val, &Val), b: (&Val, &Val)) -> (Val, Val) {
    let (p, low) = e.product(a.0, b.0);
    let low = e.fma(a.0, b.1, &low);
    (p, e.fma(a.1, b.0, &low))
}

/// `x^y`: `2^(y log2 |x|)` with the sign and the exceptions that `x <= 0` brings.
pub fn pow(e: &mut Emit, x: &Val, y: &Val) -> (Val, Option<Val>) {
    let (zero, one, half) = (e.num(x.ty, 0.0), e.num(x.ty, 1.0), e.num(x.ty, 0.5));
    let base = e.abs(x);
    let odd_base = not_normal(e, &base);
    let some = e.cmp("une", x, &zero);
    let odd_base = e.and(&odd_base, &some);
    let (a, limit) = (e.abs(y), e.num(y.ty, 1e30));
    let odd_exponent = e.cmp("ugt", &a, &limit);
    let special = e.or(&odd_base, &odd_exponent);
    let v = match x.ty {
        Ty::F32 => single_power(e, &base, y),
        _ => double_power(e, &base, y),
    };
    // 0 to the power of anything.
    let (inf, nan) = (e.num(x.ty, f64::INFINITY), e.num(x.ty, f64::NAN));
    let (below, is_none) = (e.cmp("olt", y, &zero), e.cmp("oeq", y, &zero));
    let of_zero = e.select(&is_none, &one, &zero);
    let of_zero = e.select(&below, &inf, &of_zero);
    let v = e.select(&some, &v, &of_zero);
    // Below 0 only whole exponents have powers; the odd ones keep the sign.
    let whole = e.trunc(y);
    let is_whole = e.cmp("oeq", &whole, y);
    let y2 = e.mul(y, &half);
    let whole = e.trunc(&y2);
    let is_half = e.cmp("une", &whole, &y2);
    let is_odd = e.and(&is_whole, &is_half);
    let signed = e.copysign(&v, x);
    let v = e.select(&is_odd, &signed, &v);
    let negative = e.cmp("olt", x, &zero);
    let refused = e.select(&negative, &nan, &v);
    (e.select(&is_whole, &v, &refused), Some(special))
}

/// `x^y` of single precision for positive normal `x`.
fn single_power(e: &mut Emit, x: &Val, y: &Val) -> Val {
    let (x, y) = (e.widen(x), e.widen(y));
    let l = log2_wide(e, &x);
    let t = e.mul(&l, &y);
    let t = e.clamp(&t, -200.0, 200.0);
    let (p, k) = exp2_wide(e, &t);
    let s = e.pow2(&k);
    let v = e.fma(&p, &s, &s);
    e.narrow(&v)
}

fn double_power(e: &mut Emit, x: &Val, y: &Val) -> Val {
    let (l, l_low) = log2_pair(e, x);
    let (t, low) = e.product(y, &l);
    let low = e.fma(y, &l_low, &low);
    // What is out of range has no use for the second part, which may be a NaN.
    let (a, limit, zero) = (e.abs(&t), e.num(t.ty, 1090.0), e.num(t.ty, 0.0));
    let inside = e.cmp("olt", &a, &limit);
    let low = e.select(&inside, &low, &zero);
    let t = e.clamp(&t, -1090.0, 1090.0);
    exp2_sum(e, &t, Some(&low))
}

/// `1 / cbrt(m)` by a polynomial and one step of the binomial series, then one of Newton's steps on the cube root, whose
/// residual is exact to twice the precision.
pub fn cbrt(e: &mut Emit, x: &Val) -> (Val, Option<Val>) {
    let a = e.abs(x);
    let special = not_normal(e, &a);
    let zero = e.num(x.ty, 0.0);
    let some = e.cmp("une", x, &zero);
    let special = e.and(&special, &some);
    let (m, k) = thirds(e, &a);
    let r = e.poly(&m, ROOT_64);
    let rr = e.mul(&r, &r);
    let mr = e.mul(&m, &r);
    let (minus, one) = (e.neg(&mr), e.num(x.ty, 1.0));
    // h = 1 - m r^3; r (1 - h)^(-1/3)
    let h = e.fma(&minus, &rr, &one);
    let series = e.poly(&h, &[1.0 / 3.0, 2.0 / 9.0, 14.0 / 81.0]);
    let rh = e.mul(&r, &h);
    let r = e.fma(&rh, &series, &r);
    let rr = e.mul(&r, &r);
    let y = e.mul(&m, &rr);
    let (yy, yy_low) = e.product(&y, &y);
    let (y3, y3_low) = e.product(&yy, &y);
    let y3_low = e.fma(&yy_low, &y, &y3_low);
    let d = e.sub(&m, &y3);
    let d = e.sub(&d, &y3_low);
    let third = e.num(x.ty, 1.0 / 3.0);
    let slope = e.mul(&rr, &third);
    let y = e.fma(&d, &slope, &y);
    let up = e.pow2(&k);
    let y = e.mul(&y, &up);
    let y = e.select(&some, &y, &a);
    (e.copysign(&y, x), Some(special))
}

/// The remainder of truncated division. Exact while the quotient is: what rounding up makes too much of it is given back.
pub fn fmod(e: &mut Emit, x: &Val, y: &Val) -> (Val, Option<Val>) {
    let single = x.ty == Ty::F32;
    let (x, y) = match single {
        true => (e.widen(x), e.widen(y)),
        false => (x.clone(), y.clone()),
    };
    let (a, b) = (e.abs(&x), e.abs(&y));
    let ratio = e.div(&a, &b);
    let (limit, zero) = (e.num(x.ty, 2_251_799_813_685_248.0), e.num(x.ty, 0.0));
    // By 0 the rest gives NaN, as it should.
    let (long, some) = (e.cmp("uge", &ratio, &limit), e.cmp("une", &b, &zero));
    let special = e.and(&long, &some);
    let q = e.trunc(&ratio);
    let q = e.neg(&q);
    let r = e.fma(&q, &b, &a);
    let over = e.cmp("olt", &r, &zero);
    let fixed = e.add(&r, &b);
    let r = e.select(&over, &fixed, &r);
    // Also where b is infinite.
    let whole = e.cmp("olt", &a, &b);
    let r = e.select(&whole, &a, &r);
    let r = e.copysign(&r, &x);
    (if single { e.narrow(&r) } else { r }, Some(special))
}
