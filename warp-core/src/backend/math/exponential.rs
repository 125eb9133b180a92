//! Exponentials of double precision whose results are right to little more than half a unit in the last place.

use std::f64::consts::{LN_2, LOG2_E};

use super::coef::EXP_64;
use super::coef_double::SINH_64;
use super::emit::{Emit, Val};
use super::parts::scale;

/// ln 2 as a sum of two.
pub const LN2: (f64, f64) = (LN_2, 2.319_046_813_846_299_6e-17);

/// `e^(u + low)` as a sum of two for `|u| <= ln 2 / 2`; `low` is what rounding lost of `u`. The second is up to a tenth of the first.
pub fn exp_near(e: &mut Emit, u: &Val, low: &Val) -> (Val, Val) {
    let q = e.long_poly(u, EXP_64);
    let uu = e.mul(u, u);
    let low = e.fma(low, u, low);
    let rest = e.fma(&uu, &q, &low);
    let one = e.num(u.ty, 1.0);
    let (s, lost) = e.fast_sum(&one, u);
    (s, e.add(&lost, &rest))
}

/// `e^x = (high + low) 2^k`, high in sqrt(1/2) ..= sqrt(2). `x` as a sum of two, `|x| < 2^20`.
pub fn exp_pair(e: &mut Emit, x: &Val, low: Option<&Val>) -> (Val, Val, Val) {
    let (k, i) = e.round(x, LOG2_E);
    // Exact: a multiple of 2^-54 below 1/2, or x itself.
    let r = e.reduce(x, &k, &[LN2.0]);
    let u = e.reduce(&r, &k, &[LN2.1]);
    let lost = e.sub(&r, &u);
    let lost = e.reduce(&lost, &k, &[LN2.1]);
    let (u, lost) = match low {
        Some(low) => {
            let lost = e.add(&lost, low);
            e.fast_sum(&u, &lost)
        }
        None => (u, lost),
    };
    let (high, low) = exp_near(e, &u, &lost);
    let (high, low) = e.fast_sum(&high, &low);
    (high, low, i)
}

/// `2^(t + low)` for `|t| <= 1100`.
pub fn exp2_sum(e: &mut Emit, t: &Val, low: Option<&Val>) -> Val {
    let (k, i) = e.round(t, 1.0);
    let r = e.sub(t, &k);
    let (mut u, mut rest) = e.times(&r, LN2);
    if let Some(low) = low {
        let ln2 = e.num(t.ty, LN_2);
        rest = e.fma(low, &ln2, &rest);
        (u, rest) = e.fast_sum(&u, &rest);
    }
    let (high, low) = exp_near(e, &u, &rest);
    let v = e.add(&high, &low);
    scale(e, &v, &i)
}

pub fn exp2(e: &mut Emit, x: &Val) -> Val {
    let x = e.clamp(x, -1080.0, 1030.0);
    exp2_sum(e, &x, None)
}

/// Through `e^|x| / 4`, which does not overflow where the result does not; sinh below 1 by a polynomial.
pub fn sinh_cosh(e: &mut Emit, x: &Val, cosh: bool) -> Val {
    let a = e.abs(x);
    let t = e.clamp(&a, 0.0, 710.6);
    let (high, low, k) = exp_pair(e, &t, None);
    let two = e.int(k.ty, 2);
    let k = e.isub(&k, &two);
    let s = e.pow2(&k);
    let (high, low) = (e.mul(&high, &s), e.mul(&low, &s));
    let sixteenth = e.num(x.ty, 0.0625);
    let inverse = e.div(&sixteenth, &high);
    let inverse = if cosh { inverse } else { e.neg(&inverse) };
    let (r, lost) = e.fast_sum(&high, &inverse);
    let low = e.add(&lost, &low);
    let r = e.add(&r, &low);
    let far = e.add(&r, &r);
    if cosh {
        return far;
    }
    let z = e.mul(&a, &a);
    let q = e.poly(&z, SINH_64);
    let az = e.mul(&a, &z);
    let near = e.fma(&az, &q, &a);
    let one = e.num(x.ty, 1.0);
    let small = e.cmp("olt", &a, &one);
    let r = e.select(&small, &near, &far);
    e.copysign(&r, x)
}
