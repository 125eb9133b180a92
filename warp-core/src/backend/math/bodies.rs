//! The functions that have bodies of ours, as arithmetic on [`Emit`].
//!
//! Each returns its result and, where the arithmetic does not cover every argument, the mask of
//! lanes that have to be computed otherwise: on the CPU by the C library. Accuracy is at most 2 ulp (the tests measure it).
//! Functions of single precision that are not written in it are computed in double precision.

use std::f64::consts::LOG2_E;

use super::coef::*;
use super::emit::{Emit, Ty, Val};
use super::parts::*;
use super::{error, exponential, power, trig, trig_double};

/// Result, and lanes that it does not cover.
pub type Body = fn(&mut Emit, &[Val]) -> (Val, Option<Val>);

/// The body of `name` at `ty`, if there is one.
pub fn body(name: &str, ty: Ty) -> Option<Body> {
    let body: Body = match (name, ty) {
        ("sin", _) => |e, x| trig::sin_cos(e, &x[0], 0),
        ("cos", _) => |e, x| trig::sin_cos(e, &x[0], 1),
        ("exp", _) => |e, x| (exp(e, &x[0]), None),
        ("tanh", _) => |e, x| (tanh(e, &x[0]), None),
        ("pow", _) => |e, x| power::pow(e, &x[0], &x[1]),
        ("fmod", _) => |e, x| power::fmod(e, &x[0], &x[1]),
        ("erfinv", _) => |e, x| (error::erfinv(e, &x[0]), None),
        ("erfcinv", _) => |e, x| (error::erfcinv(e, &x[0]), None),
        (_, Ty::F32) => return single(name),
        _ => return double(name),
    };
    Some(body)
}

fn single(name: &str) -> Option<Body> {
    let body: Body = match name {
        "tan" => |e, x| trig::tan(e, &x[0]),
        "exp2" => |e, x| (exp2(e, &x[0]), None),
        "log" => |e, x| log_single(e, &x[0]),
        "log2" => |e, x| log_base(e, &x[0], 1.0),
        "log10" => |e, x| log_base(e, &x[0], std::f64::consts::LOG10_2),
        "asin" => |e, x| (trig::asin_acos(e, &x[0], false), None),
        "acos" => |e, x| (trig::asin_acos(e, &x[0], true), None),
        "atan" => |e, x| (trig::atan(e, &x[0]), None),
        "atan2" => |e, x| trig::atan2(e, &x[0], &x[1]),
        "sinh" => |e, x| (sinh_cosh(e, &x[0], false), None),
        "cosh" => |e, x| (sinh_cosh(e, &x[0], true), None),
        "cbrt" => |e, x| (cbrt(e, &x[0]), None),
        "erf" => |e, x| (erf_erfc(e, &x[0], false), None),
        "erfc" => |e, x| (erf_erfc(e, &x[0], true), None),
        _ => return None,
    };
    Some(body)
}

fn double(name: &str) -> Option<Body> {
    let body: Body = match name {
        "tan" => |e, x| trig_double::tan(e, &x[0]),
        "exp2" => |e, x| (exponential::exp2(e, &x[0]), None),
        "log" => |e, x| log_double(e, &x[0]),
        "log2" => |e, x| power::log_base(e, &x[0], &power::BINARY),
        "log10" => |e, x| power::log_base(e, &x[0], &power::DECIMAL),
        "asin" => |e, x| (trig_double::asin_acos(e, &x[0], false), None),
        "acos" => |e, x| (trig_double::asin_acos(e, &x[0], true), None),
        "atan" => |e, x| (trig_double::atan(e, &x[0]), None),
        "atan2" => |e, x| trig_double::atan2(e, &x[0], &x[1]),
        "sinh" => |e, x| (exponential::sinh_cosh(e, &x[0], false), None),
        "cosh" => |e, x| (exponential::sinh_cosh(e, &x[0], true), None),
        "cbrt" => |e, x| power::cbrt(e, &x[0]),
        "erf" => |e, x| (error::erf(e, &x[0]), None),
        "erfc" => |e, x| (error::erfc(e, &x[0]), None),
        _ => return None,
    };
    Some(body)
}

fn exp(e: &mut Emit, x: &Val) -> Val {
    let (low, high) = if x.ty == Ty::F32 {
        (-104.0, 89.0)
    } else {
        (-746.0, 710.0)
    };
    let x = e.clamp(x, low, high);
    let (p, a, b) = exp_halves(e, &x);
    let v = e.fma(&p, &a, &a);
    e.mul(&v, &b)
}

fn exp2(e: &mut Emit, x: &Val) -> Val {
    let x = e.clamp(x, -151.0, 129.0);
    let (k, i) = e.round(&x, 1.0);
    let r = e.sub(&x, &k);
    let p = e.poly(&r, EXP2_32);
    let one = e.num(x.ty, 1.0);
    let v = e.fma(&p, &r, &one);
    scale(e, &v, &i)
}

/// A polynomial for small arguments, `1 - 2 g / (1 + g)` with `g = e^(-2|x|)` for others.
fn tanh(e: &mut Emit, x: &Val) -> Val {
    let single = x.ty == Ty::F32;
    let a = e.abs(x);
    let minus = e.num(x.ty, -2.0);
    let t = e.mul(&a, &minus);
    let t = e.clamp(&t, if single { -20.0 } else { -40.0 }, 0.0);
    let (p, k) = exp_parts(e, &t);
    let s = e.pow2(&k);
    let (one, limit) = (e.num(x.ty, 1.0), e.num(x.ty, 0.55));
    let g = e.fma(&p, &s, &s);
    let (below, top) = (e.add(&g, &one), e.add(&g, &g));
    let q = e.div(&top, &below);
    let far = e.sub(&one, &q);
    let z = e.mul(&a, &a);
    let q = e.poly(&z, if single { TANH_32 } else { TANH_64 });
    let az = e.mul(&a, &z);
    let near = e.fma(&az, &q, &a);
    let small = e.cmp("olt", &a, &limit);
    let r = e.select(&small, &near, &far);
    e.copysign(&r, x)
}

fn log_single(e: &mut Emit, x: &Val) -> (Val, Option<Val>) {
    let (f, k) = split(e, x);
    let q = e.poly(&f, LOG_32);
    let ff = e.mul(&f, &f);
    let fff = e.mul(&ff, &f);
    let y = e.mul(&fff, &q);
    // ln 2 in two parts, the first short enough for exact products with k.
    let (high, low) = (
        e.num(x.ty, 0.693_359_375),
        e.num(x.ty, -0.000_212_194_440_054_690_57),
    );
    let y = e.fma(&k, &low, &y);
    let half = e.num(x.ty, -0.5);
    let y = e.fma(&ff, &half, &y);
    let r = e.add(&f, &y);
    let r = e.fma(&k, &high, &r);
    log_edges(e, x, &r)
}

fn log_double(e: &mut Emit, x: &Val) -> (Val, Option<Val>) {
    let (f, k) = split(e, x);
    let (s, q) = atanh_parts(e, &f, ATANH_64);
    // log(1 + f) = f - (h - s (h + 2 q)) with h = f^2 / 2: f, the exact part, comes last.
    let (half, two) = (e.num(x.ty, 0.5), e.num(x.ty, 2.0));
    let h = e.mul(&f, &f);
    let h = e.mul(&h, &half);
    let t = e.fma(&q, &two, &h);
    let (high, low) = (
        e.num(x.ty, 0.693_147_180_559_890_3),
        e.num(x.ty, 5.497_923_018_708_371e-14),
    );
    let kl = e.mul(&k, &low);
    let t = e.fma(&s, &t, &kl);
    let t = e.sub(&h, &t);
    let t = e.sub(&t, &f);
    let minus = e.neg(&t);
    let r = e.fma(&k, &high, &minus);
    log_edges(e, x, &r)
}

fn log_base(e: &mut Emit, x: &Val, factor: f64) -> (Val, Option<Val>) {
    let wide = e.widen(x);
    let l = log2_wide(e, &wide);
    let factor = e.num(wide.ty, factor);
    let l = e.mul(&l, &factor);
    let r = e.narrow(&l);
    log_edges(e, x, &r)
}

fn sinh_cosh(e: &mut Emit, x: &Val, cosh: bool) -> Val {
    let wide = e.widen(x);
    let a = e.abs(&wide);
    let a = e.clamp(&a, 0.0, 100.0);
    let log2e = e.num(a.ty, LOG2_E);
    let t = e.mul(&a, &log2e);
    let (p, k) = exp2_wide(e, &t);
    let s = e.pow2(&k);
    let (one, half) = (e.num(a.ty, 1.0), e.num(a.ty, 0.5));
    let s1 = e.sub(&s, &one);
    // m = e^|x| - 1; sinh = (m + m / (m + 1)) / 2 keeps small arguments exact.
    let m = e.fma(&p, &s, &s1);
    let m1 = e.add(&m, &one);
    let top = if cosh { one } else { m.clone() };
    let q = e.div(&top, &m1);
    let r = e.add(if cosh { &m1 } else { &m }, &q);
    let r = e.mul(&r, &half);
    let r = if cosh { r } else { e.copysign(&r, &wide) };
    e.narrow(&r)
}

fn cbrt(e: &mut Emit, x: &Val) -> Val {
    // Every single precision number is normal in double precision, except 0, inf and NaN.
    let x = e.widen(x);
    let a = e.abs(&x);
    let (m, k) = thirds(e, &a);
    // A polynomial to 0.2 %, then one step of Halley's method cubes the error.
    let y = e.poly(&m, CBRT_32);
    let yy = e.mul(&y, &y);
    let y3 = e.mul(&yy, &y);
    let m2 = e.add(&m, &m);
    let top = e.add(&y3, &m2);
    let y32 = e.add(&y3, &y3);
    let bottom = e.add(&y32, &m);
    let q = e.div(&top, &bottom);
    let y = e.mul(&y, &q);
    let up = e.pow2(&k);
    let y = e.mul(&y, &up);
    let y = e.copysign(&y, &x);
    let (zero, inf) = (e.num(x.ty, 0.0), e.num(x.ty, f64::INFINITY));
    let (some, finite) = (e.cmp("ogt", &a, &zero), e.cmp("olt", &a, &inf));
    let usual = e.and(&some, &finite);
    let y = e.select(&usual, &y, &x);
    e.narrow(&y)
}

fn erf_erfc(e: &mut Emit, x: &Val, complement: bool) -> Val {
    let x = e.widen(x);
    let (one, two, half) = (e.num(x.ty, 1.0), e.num(x.ty, 2.0), e.num(x.ty, 0.5));
    let a = e.abs(&x);
    let a = e.clamp(&a, 0.0, 10.2);
    let z = e.mul(&a, &a);
    let near = e.poly(&z, ERF_NEAR);
    let near = e.mul(&near, &a);
    let d = e.fma(&a, &half, &one);
    let t = e.div(&one, &d);
    let q = e.poly(&t, ERFC_FAR);
    let minus = e.num(x.ty, -LOG2_E);
    let power = e.mul(&z, &minus);
    let (p, k) = exp2_wide(e, &power);
    let s = e.pow2(&k);
    let g = e.fma(&p, &s, &s);
    let far = e.mul(&q, &g);
    let small = e.cmp("olt", &a, &one);
    let r = if complement {
        let near = e.sub(&one, &near);
        let r = e.select(&small, &near, &far);
        let zero = e.num(x.ty, 0.0);
        let negative = e.cmp("olt", &x, &zero);
        let back = e.sub(&two, &r);
        e.select(&negative, &back, &r)
    } else {
        let far = e.sub(&one, &far);
        let r = e.select(&small, &near, &far);
        e.copysign(&r, &x)
    };
    e.narrow(&r)
}
