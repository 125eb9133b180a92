//! Trigonometric functions and their inverses.

use std::f64::consts::{FRAC_PI_2, PI};

use super::coef::*;
use super::emit::{Emit, Ty, Val};

/// pi/2 in three parts. The first subtraction is exact, since all of x, k and the part are
/// multiples of one small power of two; so the remainder is right to a rounding or two.
const PIO2_32: &[f64] = &[
    1.570_796_370_506_286_6,
    -4.371_138_828_673_793e-8,
    -1.715_124_510_005_881_9e-15,
];
pub const PIO2_64: &[f64] = &[
    FRAC_PI_2,
    6.123_233_995_736_766e-17,
    -1.497_384_904_859_169_8e-33,
];

/// sin, or cos with `quarter` 1. The sign of `x` is left out at first: sums would lose that of -0.
pub fn sin_cos(e: &mut Emit, x: &Val, quarter: i64) -> (Val, Option<Val>) {
    let single = x.ty == Ty::F32;
    let (parts, sin, cos, limit) = match single {
        true => (PIO2_32, SIN_32, COS_32, 3e4),
        false => (PIO2_64, SIN_64, COS_64, 1e9),
    };
    let a = e.abs(x);
    let (k, q) = e.round(&a, 2.0 / PI);
    let r = e.reduce(&a, &k, parts);
    let z = e.mul(&r, &r);
    let s = e.poly(&z, sin);
    let zr = e.mul(&z, &r);
    let s = e.fma(&zr, &s, &r);
    let c = cos_near(e, &z, cos);
    let quarter_turns = e.int(q.ty, quarter);
    let q = e.iadd(&q, &quarter_turns);
    let (one, zero) = (e.int(q.ty, 1), e.int(q.ty, 0));
    let odd = e.and(&q, &one);
    let even = e.cmp("eq", &odd, &zero);
    let m = e.select(&even, &s, &c);
    // Bit 1 of the quarter turns is the sign.
    let (last, top) = match single {
        true => (30, i64::from(i32::MIN)),
        false => (62, i64::MIN),
    };
    let mut sign = e.shl(&q, last);
    if quarter == 0 {
        let x = e.bits(x);
        sign = e.xor(&sign, &x);
    }
    let top = e.int(q.ty, top);
    let sign = e.and(&sign, &top);
    let m = e.bits(&m);
    let m = e.xor(&m, &sign);
    let m = e.float(&m);
    let limit = e.num(x.ty, limit);
    (m, Some(e.cmp("ogt", &a, &limit)))
}

/// cos for `|r| <= pi / 4` from `z = r^2`, and the coefficients of what follows `1 - z / 2`.
fn cos_near(e: &mut Emit, z: &Val, coefficients: &[f64]) -> Val {
    let c = e.poly(z, coefficients);
    let (half, one) = (e.num(z.ty, -0.5), e.num(z.ty, 1.0));
    if z.ty == Ty::F32 {
        let c = e.fma(&c, z, &half);
        return e.fma(&c, z, &one);
    }
    // The rounding of `near` counts: add what it lost.
    let near = e.fma(z, &half, &one);
    let lost = e.sub(&one, &near);
    let lost = e.fma(z, &half, &lost);
    let zz = e.mul(z, z);
    let c = e.fma(&zz, &c, &lost);
    e.add(&near, &c)
}

pub fn tan(e: &mut Emit, x: &Val) -> (Val, Option<Val>) {
    let (a, limit) = (e.abs(x), e.num(x.ty, 1e9));
    let special = e.cmp("ogt", &a, &limit);
    let x = e.widen(x);
    let (k, q) = e.round(&x, 2.0 / PI);
    let r = e.reduce(&x, &k, &PIO2_64[..2]);
    let z = e.mul(&r, &r);
    let t = e.poly(&z, TAN_32);
    let zr = e.mul(&z, &r);
    let t = e.fma(&zr, &t, &r);
    let (minus, one, zero) = (e.num(x.ty, -1.0), e.int(q.ty, 1), e.int(q.ty, 0));
    let inverse = e.div(&minus, &t);
    let odd = e.and(&q, &one);
    let even = e.cmp("eq", &odd, &zero);
    let t = e.select(&even, &t, &inverse);
    (e.narrow(&t), Some(special))
}

pub fn asin_acos(e: &mut Emit, x: &Val, acos: bool) -> Val {
    let x = e.widen(x);
    let (half, one) = (e.num(x.ty, 0.5), e.num(x.ty, 1.0));
    let a = e.abs(&x);
    let big = e.cmp("ogt", &a, &half);
    // Above 1/2 by way of sqrt((1 - x) / 2).
    let d = e.sub(&one, &a);
    let d = e.mul(&d, &half);
    let square = e.mul(&a, &a);
    let z = e.select(&big, &d, &square);
    let root = e.sqrt(&d);
    let u = e.select(&big, &root, &a);
    let q = e.poly(&z, ASIN_32);
    let uz = e.mul(&u, &z);
    let s = e.fma(&uz, &q, &u);
    let twice = e.add(&s, &s);
    let (right, pi) = (e.num(x.ty, FRAC_PI_2), e.num(x.ty, PI));
    let r = if acos {
        let zero = e.num(x.ty, 0.0);
        let negative = e.cmp("olt", &x, &zero);
        let far = e.sub(&pi, &twice);
        let far = e.select(&negative, &far, &twice);
        let s = e.copysign(&s, &x);
        let near = e.sub(&right, &s);
        e.select(&big, &far, &near)
    } else {
        let far = e.sub(&right, &twice);
        let r = e.select(&big, &far, &s);
        e.copysign(&r, &x)
    };
    e.narrow(&r)
}

/// atan of `u` in 0 ..= 1, in double precision.
fn atan_near(e: &mut Emit, u: &Val) -> Val {
    let z = e.mul(u, u);
    let q = e.poly(&z, ATAN_32);
    let uz = e.mul(u, &z);
    e.fma(&uz, &q, u)
}

pub fn atan(e: &mut Emit, x: &Val) -> Val {
    let x = e.widen(x);
    let (one, right) = (e.num(x.ty, 1.0), e.num(x.ty, FRAC_PI_2));
    let a = e.abs(&x);
    let big = e.cmp("ogt", &a, &one);
    let inverse = e.div(&one, &a);
    let u = e.select(&big, &inverse, &a);
    let r = atan_near(e, &u);
    let far = e.sub(&right, &r);
    let r = e.select(&big, &far, &r);
    let r = e.copysign(&r, &x);
    e.narrow(&r)
}

pub fn atan2(e: &mut Emit, y: &Val, x: &Val) -> (Val, Option<Val>) {
    let (y, x) = (e.widen(y), e.widen(x));
    let (ax, ay) = (e.abs(&x), e.abs(&y));
    let steep = e.cmp("ogt", &ay, &ax);
    let (top, bottom) = (e.select(&steep, &ax, &ay), e.select(&steep, &ay, &ax));
    // At the origin the angle is that of (1, 0) or (-1, 0).
    let (zero, one, inf) = (
        e.num(x.ty, 0.0),
        e.num(x.ty, 1.0),
        e.num(x.ty, f64::INFINITY),
    );
    let none = e.cmp("oeq", &bottom, &zero);
    let bottom = e.select(&none, &one, &bottom);
    let special = e.cmp("uge", &bottom, &inf);
    let u = e.div(&top, &bottom);
    let r = atan_near(e, &u);
    let (right, pi) = (e.num(x.ty, FRAC_PI_2), e.num(x.ty, PI));
    let far = e.sub(&right, &r);
    let r = e.select(&steep, &far, &r);
    let back = e.sub(&pi, &r);
    let b = e.bits(&x);
    let nothing = e.int(b.ty, 0);
    let left = e.cmp("slt", &b, &nothing);
    let r = e.select(&left, &back, &r);
    let r = e.copysign(&r, &y);
    (e.narrow(&r), Some(special))
}
