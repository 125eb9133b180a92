//! The error functions of double precision, and the inverse ones.
//!
//! Below 0.8 erf is a polynomial. Above, erfc is e^(-x^2) / (x + 0.6) by a polynomial in 1 / (x + 3.75), as M. M. Shepherd and J. G. Laframboise
//! ("Chebyshev approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity", 1981) have it for all arguments at once. Inverses
//! start from a quotient of polynomials in sqrt(-log(1 - x^2)), a variable of M. Giles ("Approximating the erfinv function", 2010).

use std::f64::consts::LN_2;

use super::coef_double::*;
use super::emit::{Emit, Ty, Val};
use super::exponential::exp_pair;
use super::parts::{log2_wide, scale};

/// From here on erfc has the other form.
const FAR: f64 = 0.8;

/// `erf(a) / a - 1`, right below [`FAR`].
fn near(e: &mut Emit, a: &Val) -> Val {
    let z = e.mul(a, a);
    e.long_poly(&z, ERF_64)
}

/// erfc from [`FAR`] to 27.4: `(high * v + low) 2^k`.
struct Tail {
    high: Val,
    v: Val,
    low: Val,
    k: Val,
    /// `e^(-a^2) 2^-k`
    gauss: Val,
}

fn tail(e: &mut Emit, a: &Val) -> Tail {
    let (square, lost) = e.product(a, a);
    let (square, lost) = (e.neg(&square), e.neg(&lost));
    let (gauss, gauss_low, k) = exp_pair(e, &square, Some(&lost));
    let (one, shift, flat) = (e.num(a.ty, 1.0), e.num(a.ty, 3.75), e.num(a.ty, 0.6));
    // One division for both quotients, of which v is corrected.
    let (d, d_low) = e.fast_sum(a, &flat);
    let far = e.add(a, &shift);
    let both = e.mul(&d, &far);
    let both = e.div(&one, &both);
    let (u, v) = (e.mul(&d, &both), e.mul(&far, &both));
    let minus = e.neg(&v);
    let rest = e.fma(&minus, &d, &one);
    let rest = e.fma(&minus, &d_low, &rest);
    let v_low = e.mul(&v, &rest);
    let (start, slope) = (e.num(a.ty, ERFC_SCALE.0), e.num(a.ty, -ERFC_SCALE.1));
    let y = e.fma(&u, &slope, &start);
    let q = e.long_poly(&y, &ERFC_64[1..]);
    let yq = e.mul(&q, &y);
    let first = e.num(a.ty, ERFC_64[0]);
    let (h, h_low) = e.fast_sum(&first, &yq);
    let first_low = e.num(a.ty, ERFC_FIRST_LOW);
    let h_low = e.add(&h_low, &first_low);
    let (high, low) = e.product(&gauss, &h);
    let low = e.fma(&gauss, &h_low, &low);
    let low = e.fma(&gauss_low, &h, &low);
    let v_part = e.mul(&high, &v_low);
    let low = e.fma(&low, &v, &v_part);
    Tail {
        high,
        v,
        low,
        k,
        gauss,
    }
}

pub fn erf(e: &mut Emit, x: &Val) -> Val {
    let a = e.abs(x);
    let q = near(e, &a);
    let close = e.fma(&a, &q, &a);
    let t = e.clamp(&a, FAR, 6.5);
    let t = tail(e, &t);
    let c = e.fma(&t.high, &t.v, &t.low);
    let s = e.pow2(&t.k);
    let (minus, one, limit) = (e.neg(&s), e.num(x.ty, 1.0), e.num(x.ty, FAR));
    let far = e.fma(&c, &minus, &one);
    let small = e.cmp("olt", &a, &limit);
    let r = e.select(&small, &close, &far);
    e.copysign(&r, x)
}

pub fn erfc(e: &mut Emit, x: &Val) -> Val {
    let (zero, one, two, limit) = (
        e.num(x.ty, 0.0),
        e.num(x.ty, 1.0),
        e.num(x.ty, 2.0),
        e.num(x.ty, FAR),
    );
    let a = e.abs(x);
    let q = near(e, &a);
    let minus = e.neg(&a);
    // 1 - a - a q, where a q is small.
    let (s, lost) = e.fast_sum(&one, &minus);
    let rest = e.fma(&minus, &q, &lost);
    let close = e.add(&s, &rest);
    let t = e.clamp(&a, FAR, 27.4);
    let t = tail(e, &t);
    let c = e.fma(&t.high, &t.v, &t.low);
    let far = scale(e, &c, &t.k);
    let small = e.cmp("olt", &a, &limit);
    let r = e.select(&small, &close, &far);
    let back = e.sub(&two, &r);
    let negative = e.cmp("olt", x, &zero);
    e.select(&negative, &back, &r)
}

/// `sqrt(-log(m))` for `m = 1 - x^2`, where `down` times ln 2 was added to the logarithm.
fn variable(e: &mut Emit, m: &Val, down: Option<&Val>) -> Val {
    let l = log2_wide(e, m);
    let l = match down {
        Some(down) => e.sub(&l, down),
        None => l,
    };
    let factor = e.num(l.ty, -LN_2);
    let w = e.mul(&l, &factor);
    let w = e.clamp(&w, 0.0, 1e4);
    e.sqrt(&w)
}

fn quotient(e: &mut Emit, s: &Val, top: &[f64], bottom: &[f64]) -> Val {
    let (top, bottom) = (e.poly(s, top), e.poly(s, bottom));
    e.div(&top, &bottom)
}

/// The inverse `r` put right where its argument is at the end, `c` 0, or beyond.
fn ends(e: &mut Emit, c: &Val, r: &Val) -> Val {
    let (zero, inf, nan) = (
        e.num(c.ty, 0.0),
        e.num(c.ty, f64::INFINITY),
        e.num(c.ty, f64::NAN),
    );
    let (end, beyond) = (e.cmp("oeq", c, &zero), e.cmp("ult", c, &zero));
    let r = e.select(&end, &inf, r);
    e.select(&beyond, &nan, &r)
}

pub fn erfinv(e: &mut Emit, p: &Val) -> Val {
    let a = e.abs(p);
    let single = p.ty == Ty::F32;
    let a = if single { e.widen(&a) } else { a };
    let (minus, one) = (e.neg(&a), e.num(a.ty, 1.0));
    let c = e.sub(&one, &a);
    let m = e.fma(&minus, &a, &one);
    let s = variable(e, &m, None);
    let r = if single {
        let q = quotient(e, &s, ERFINV_32_TOP, ERFINV_32_BOTTOM);
        e.mul(&a, &q)
    } else {
        let q = quotient(e, &s, ERFINV_64_TOP, ERFINV_64_BOTTOM);
        let start = e.mul(&a, &q);
        let none = e.num(a.ty, 0.0);
        improve(e, &start, &a, &none, &c)
    };
    let r = ends(e, &c, &r);
    let r = if single { e.narrow(&r) } else { r };
    e.copysign(&r, p)
}

pub fn erfcinv(e: &mut Emit, q: &Val) -> Val {
    let single = q.ty == Ty::F32;
    let q = if single { e.widen(q) } else { q.clone() };
    let (one, two, zero) = (e.num(q.ty, 1.0), e.num(q.ty, 2.0), e.num(q.ty, 0.0));
    let upper = e.cmp("ogt", &q, &one);
    let other = e.sub(&two, &q);
    let c = e.select(&upper, &other, &q);
    let minus = e.neg(&c);
    let (p, p_low) = e.fast_sum(&one, &minus);
    let rest = e.add(&p, &one);
    let r = if single {
        let m = e.mul(&c, &rest);
        let s = variable(e, &m, None);
        let f = quotient(e, &s, ERFCINV_32_TOP, ERFCINV_32_BOTTOM);
        e.mul(&p, &f)
    } else {
        // The logarithm takes no subnormal numbers.
        let (least, up) = (e.num(q.ty, 1e-290), e.num(q.ty, 2f64.powi(60)));
        let tiny = e.cmp("olt", &c, &least);
        let (sixty, large) = (e.num(q.ty, 60.0), e.mul(&c, &up));
        let down = e.select(&tiny, &sixty, &zero);
        let m = e.select(&tiny, &large, &c);
        let m = e.mul(&m, &rest);
        let s = variable(e, &m, Some(&down));
        let f = quotient(e, &s, ERFINV_64_TOP, ERFINV_64_BOTTOM);
        let start = e.mul(&p, &f);
        improve(e, &start, &p, &p_low, &c)
    };
    let r = ends(e, &c, &r);
    let minus = e.neg(&r);
    let r = e.select(&upper, &minus, &r);
    if single { e.narrow(&r) } else { r }
}

/// The argument of erf that gives `p + p_low`, and of erfc that gives `c`, from one that is right to seven digits: the inverse's
/// Taylor series to the third order, whose derivatives follow from erf'' = -2 x erf'.
fn improve(e: &mut Emit, x: &Val, p: &Val, p_low: &Val, c: &Val) -> Val {
    let (one, limit) = (e.num(x.ty, 1.0), e.num(x.ty, FAR));
    let q = near(e, x);
    let close = e.sub(p, x);
    let close = e.add(&close, p_low);
    let minus = e.neg(x);
    let close = e.fma(&minus, &q, &close);
    let held = e.clamp(x, 0.0, 27.4);
    let t = tail(e, &held);
    // Both residuals times 2^-k, so that neither is too small.
    let none = e.int(t.k.ty, 0);
    let up = e.isub(&none, &t.k);
    let goal = scale(e, c, &up);
    let goal = e.neg(&goal);
    let far = e.fma(&t.high, &t.v, &goal);
    let far = e.add(&far, &t.low);
    let factor = e.pow2(&up);
    let close = e.mul(&close, &factor);
    let small = e.cmp("olt", x, &limit);
    let residual = e.select(&small, &close, &far);
    let half_root_pi = e.num(x.ty, 0.886_226_925_452_758);
    let d = e.div(&residual, &t.gauss);
    let d = e.mul(&d, &half_root_pi);
    let xd = e.mul(x, &d);
    let third = e.num(x.ty, 4.0 / 3.0);
    let more = e.fma(&xd, &third, &one);
    let more = e.mul(&more, &xd);
    let d = e.fma(&d, &more, &d);
    e.add(x, &d)
}
