//! Tangent and inverse circular functions in double precision.
//!
//! Remainders and quotients are sums of two numbers, whose second part is added to the small terms of the series (W. J. Cody and
//! W. Waite, "Software Manual for the Elementary Functions", 1980, for the reductions).

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use super::coef_double::{ASIN_64, ATAN_64, TAN_64};
use super::emit::{Emit, Val};
use super::trig::PIO2_64;

/// What rounding lost of pi/2; of pi it is twice that, of pi/4 half.
const PIO2_LOW: f64 = 6.123_233_995_736_766e-17;

/// tan of the remainder by pi/2, or minus its inverse.
pub fn tan(e: &mut Emit, x: &Val) -> (Val, Option<Val>) {
    let (a, limit) = (e.abs(x), e.num(x.ty, 1e9));
    let special = e.cmp("ogt", &a, &limit);
    let (k, q) = e.round(x, 2.0 / PI);
    // Exact; then both parts of the second product are taken off.
    let r = e.reduce(x, &k, &PIO2_64[..1]);
    let second = e.num(x.ty, PIO2_64[1]);
    let (w, w_low) = e.product(&k, &second);
    let minus = e.neg(&w);
    let (r, low) = e.sum(&r, &minus);
    let low = e.sub(&low, &w_low);
    let low = e.reduce(&low, &k, &PIO2_64[2..]);
    let z = e.mul(&r, &r);
    let p = e.long_poly(&z, TAN_64);
    let rz = e.mul(&r, &z);
    let c = e.mul(&rz, &p);
    // The slope of tan is 1 + tan^2.
    let t = e.add(&r, &c);
    let tt = e.mul(&t, &t);
    let low = e.fma(&low, &tt, &low);
    let c = e.add(&c, &low);
    let (t, t_low) = e.fast_sum(&r, &c);
    let (minus, one) = (e.num(x.ty, -1.0), e.num(x.ty, 1.0));
    let inverse = e.div(&minus, &t);
    let lost = e.fma(&inverse, &t, &one);
    let lost = e.fma(&inverse, &t_low, &lost);
    let inverse = e.fma(&inverse, &lost, &inverse);
    let (one, zero) = (e.int(q.ty, 1), e.int(q.ty, 0));
    let odd = e.and(&q, &one);
    let even = e.cmp("eq", &odd, &zero);
    let t = e.select(&even, &t, &inverse);
    // Such sums lose the sign of -0.
    let nothing = e.num(x.ty, 0.0);
    let zero = e.cmp("oeq", x, &nothing);
    (e.select(&zero, x, &t), Some(special))
}

/// A series up to 1/2, above through sqrt((1 - x) / 2) as a sum of two.
pub fn asin_acos(e: &mut Emit, x: &Val, acos: bool) -> Val {
    let (half, one) = (e.num(x.ty, 0.5), e.num(x.ty, 1.0));
    let a = e.abs(x);
    let big = e.cmp("ogt", &a, &half);
    let d = e.sub(&one, &a);
    let d = e.mul(&d, &half);
    let square = e.mul(&a, &a);
    let z = e.select(&big, &d, &square);
    let root = e.sqrt(&d);
    let u = e.select(&big, &root, &a);
    let p = e.long_poly(&z, ASIN_64);
    let uz = e.mul(&u, &z);
    let w = e.mul(&uz, &p);
    // What the root lost. It may be 0, the divisor not.
    let (minus, two, least) = (e.neg(&root), e.num(x.ty, 2.0), e.num(x.ty, 1e-300));
    let lost = e.fma(&minus, &root, &d);
    let twice = e.fma(&root, &two, &least);
    let lost = e.div(&lost, &twice);
    let w2 = e.add(&w, &lost);
    let w2 = e.add(&w2, &w2);
    let root2 = e.add(&root, &root);
    if acos {
        let short = e.add(&root2, &w2);
        let long = from_angle(e, PI, &root2, &w2);
        let zero = e.num(x.ty, 0.0);
        let negative = e.cmp("olt", x, &zero);
        let far = e.select(&negative, &long, &short);
        let w = e.copysign(&w, x);
        let near = from_angle(e, FRAC_PI_2, x, &w);
        return e.select(&big, &far, &near);
    }
    let far = from_angle(e, FRAC_PI_2, &root2, &w2);
    let near = e.add(&a, &w);
    let r = e.select(&big, &far, &near);
    e.copysign(&r, x)
}

/// `angle - a - b`, b small; the angle is pi or pi/2 and more than a.
fn from_angle(e: &mut Emit, angle: f64, a: &Val, b: &Val) -> Val {
    let (angle, low) = (
        e.num(a.ty, angle),
        e.num(a.ty, PIO2_LOW * (angle / FRAC_PI_2)),
    );
    let minus = e.neg(a);
    let (s, lost) = e.fast_sum(&angle, &minus);
    let rest = e.sub(&low, b);
    let rest = e.add(&lost, &rest);
    e.add(&s, &rest)
}

pub fn atan(e: &mut Emit, x: &Val) -> Val {
    let one = e.num(x.ty, 1.0);
    let a = e.abs(x);
    // No quotient of it is subnormal; the angle of anything greater is the same.
    let a = e.clamp(&a, 0.0, 1e300);
    let r = angle(e, &a, &one, None);
    e.copysign(&r, x)
}

pub fn atan2(e: &mut Emit, y: &Val, x: &Val) -> (Val, Option<Val>) {
    let (ay, ax) = (e.abs(y), e.abs(x));
    let steep = e.cmp("ogt", &ay, &ax);
    let most = e.select(&steep, &ay, &ax);
    let (zero, one) = (e.num(x.ty, 0.0), e.num(x.ty, 1.0));
    let (least, limit) = (e.num(x.ty, 1e-290), e.num(x.ty, 1e290));
    let small = e.cmp("olt", &most, &least);
    let some = e.cmp("une", &most, &zero);
    let small = e.and(&small, &some);
    let large = e.cmp("uge", &most, &limit);
    let special = e.or(&small, &large);
    // At the origin the angle is that of (1, 0) or (-1, 0).
    let ax = e.select(&some, &ax, &one);
    let b = e.bits(x);
    let nothing = e.int(b.ty, 0);
    let left = e.cmp("slt", &b, &nothing);
    let r = angle(e, &ay, &ax, Some(&left));
    (e.copysign(&r, y), Some(special))
}

/// The angle of the point (x, y) with neither negative, or of (-x, y) where it lies `left`: a quotient below tan(pi / 8), by turning
/// the point through pi/4 where it is greater, and a multiple of pi/4.
fn angle(e: &mut Emit, y: &Val, x: &Val, left: Option<&Val>) -> Val {
    let ty = x.ty;
    let steep = e.cmp("ogt", y, x);
    let (top, bottom) = (e.select(&steep, x, y), e.select(&steep, y, x));
    let (zero, one, eighth) = (e.num(ty, 0.0), e.num(ty, 1.0), e.num(ty, 0.414_213_562));
    let edge = e.mul(&bottom, &eighth);
    let turn = e.cmp("ogt", &top, &edge);
    let off = e.select(&turn, &bottom, &zero);
    let minus = e.neg(&off);
    let (n, n_low) = e.fast_sum(&minus, &top);
    let more = e.select(&turn, &top, &zero);
    let (d, d_low) = e.fast_sum(&bottom, &more);
    let over = e.div(&one, &d);
    let u = e.mul(&n, &over);
    let minus = e.neg(&u);
    let lost = e.fma(&minus, &d, &n);
    let lost = e.fma(&minus, &d_low, &lost);
    let lost = e.add(&lost, &n_low);
    let low = e.mul(&lost, &over);
    let z = e.mul(&u, &u);
    let p = e.long_poly(&z, ATAN_64);
    // The slope of atan is about 1 - z.
    let minus = e.neg(&low);
    let low = e.fma(&minus, &z, &low);
    let uz = e.mul(&u, &z);
    let w = e.fma(&uz, &p, &low);
    // The angle is k pi/4 + u + w, or minus these.
    let (two, four) = (e.num(ty, 2.0), e.num(ty, 4.0));
    let k = e.select(&turn, &one, &zero);
    let back = e.sub(&two, &k);
    let mut k = e.select(&steep, &back, &k);
    let mut flip = steep;
    if let Some(left) = left {
        let back = e.sub(&four, &k);
        k = e.select(left, &back, &k);
        flip = e.xor(&flip, left);
    }
    let (minus_u, minus_w) = (e.neg(&u), e.neg(&w));
    let (u, w) = (e.select(&flip, &minus_u, &u), e.select(&flip, &minus_w, &w));
    let (base, base_low) = e.times(&k, (FRAC_PI_4, PIO2_LOW / 2.0));
    let (r, lost) = e.fast_sum(&base, &u);
    let rest = e.add(&w, &base_low);
    let rest = e.add(&rest, &lost);
    e.add(&r, &rest)
}
