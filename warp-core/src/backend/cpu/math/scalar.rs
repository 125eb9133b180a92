//! Scalar mathematics: the C library's, and what it lacks.
//!
//! The vector functions of the parent module fall back on these for arguments out of their range.

use std::ffi::c_void;

use half::{bf16, f16};

/// Declares functions of the C library and lists them by name.
macro_rules! libm {
    ($($name32:ident $name64:ident: $($arg:ident)+;)*) => {
        unsafe extern "C" {
            $(safe fn $name32($($arg: f32),+) -> f32;
            safe fn $name64($($arg: f64),+) -> f64;)*
        }
        /// Names of the C library with their addresses.
        fn libm() -> Vec<(&'static str, usize)> {
            vec![$(
                (stringify!($name32), $name32 as *const () as usize),
                (stringify!($name64), $name64 as *const () as usize),
            )*]
        }
    };
}

libm! {
    sinf sin: x;
    cosf cos: x;
    tanf tan: x;
    asinf asin: x;
    acosf acos: x;
    atanf atan: x;
    sinhf sinh: x;
    coshf cosh: x;
    tanhf tanh: x;
    expf exp: x;
    exp2f exp2: x;
    logf log: x;
    log2f log2: x;
    log10f log10: x;
    cbrtf cbrt: x;
    erff erf: x;
    erfcf erfc: x;
    expm1f expm1: x;
    log1pf log1p: x;
    floorf floor: x;
    ceilf ceil: x;
    truncf trunc: x;
    rintf rint: x;
    nearbyintf nearbyint: x;
    roundf round: x;
    roundevenf roundeven: x;
    atan2f atan2: x y;
    powf pow: x y;
    fmodf fmod: x y;
    fminf fmin: x y;
    fmaxf fmax: x y;
    fmaf fma: x y z;
}

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, n: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: i32, n: usize) -> *mut c_void;
}

// Conversions that LLVM calls where the CPU has no instruction. A 16-bit float travels in the low
// half of a vector register, where an f32 of the same bits puts it.
extern "C" fn f16_to_f32(x: f32) -> f32 {
    f16::from_bits(x.to_bits() as u16).to_f32()
}
extern "C" fn f32_to_f16(x: f32) -> f32 {
    f32::from_bits(u32::from(f16::from_f32(x).to_bits()))
}
extern "C" fn f64_to_f16(x: f64) -> f32 {
    f32::from_bits(u32::from(f16::from_f64(x).to_bits()))
}
extern "C" fn f32_to_bf16(x: f32) -> f32 {
    f32::from_bits(u32::from(bf16::from_f32(x).to_bits()))
}
extern "C" fn f64_to_bf16(x: f64) -> f32 {
    f32::from_bits(u32::from(bf16::from_f64(x).to_bits()))
}

/// `x` with `erf(x) = p`, to double precision: a start from the asymptotic form, then Halley's
/// method on erf or, near the ends where erf loses digits, on erfc.
extern "C" fn erfinv(p: f64) -> f64 {
    if p.is_nan() || p.abs() > 1.0 {
        return f64::NAN;
    }
    if p.abs() > 0.5 {
        return erfcinv_of(1.0 - p.abs()).copysign(p);
    }
    // Winitzki's approximation, good to about 1e-3.
    let l = (-p * p).ln_1p();
    let b = 2.0 / (std::f64::consts::PI * 0.147) + 0.5 * l;
    let mut x = ((b * b - l / 0.147).sqrt() - b).max(0.0).sqrt().copysign(p);
    for _ in 0..3 {
        let f = erf(x) - p;
        let u = f / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
        x -= u / (1.0 + x * u);
    }
    if p.abs() < 1e-9 {
        p * (1.0 / std::f64::consts::FRAC_2_SQRT_PI)
    } else {
        x
    }
}

extern "C" fn erfcinv(q: f64) -> f64 {
    if q.is_nan() || !(0.0..=2.0).contains(&q) {
        f64::NAN
    } else if q > 0.5 {
        if q < 1.5 {
            erfinv(1.0 - q)
        } else {
            -erfcinv_of(2.0 - q)
        }
    } else {
        erfcinv_of(q)
    }
}

/// `x >= 0` with `erfc(x) = q` for q in 0 ..= 0.5.
fn erfcinv_of(q: f64) -> f64 {
    if q == 0.0 {
        return f64::INFINITY;
    }
    // erfc(x) ~ exp(-x^2) / (x sqrt(pi)), solved by repetition, then Newton on log(erfc), which is
    // nearly a parabola and so converges from any start above the root's neighbourhood.
    let l = -q.ln();
    let mut x = l.sqrt().max(0.4);
    for _ in 0..3 {
        x = (l - (x * std::f64::consts::PI.sqrt()).ln())
            .max(0.16)
            .sqrt();
    }
    for _ in 0..6 {
        let c = erfc(x);
        if c < f64::MIN_POSITIVE {
            break;
        }
        let slope = -std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() / c;
        x -= ((c / q).ln()) / slope;
    }
    x
}

extern "C" fn erfinvf(p: f32) -> f32 {
    erfinv(f64::from(p)) as f32
}
extern "C" fn erfcinvf(q: f32) -> f32 {
    erfcinv(f64::from(q)) as f32
}

/// Everything generated code may leave undefined for mathematics: `wm.*`, the C library's names
/// (LLVM's intrinsics become calls of them), memory functions and 16-bit conversions.
pub fn symbols() -> Vec<(String, usize)> {
    let own: [(&str, usize); 12] = [
        ("erfinvf", erfinvf as *const () as usize),
        ("erfinv", erfinv as *const () as usize),
        ("erfcinvf", erfcinvf as *const () as usize),
        ("erfcinv", erfcinv as *const () as usize),
        ("memcpy", memcpy as *const () as usize),
        ("memmove", memmove as *const () as usize),
        ("memset", memset as *const () as usize),
        ("__extendhfsf2", f16_to_f32 as *const () as usize),
        ("__truncsfhf2", f32_to_f16 as *const () as usize),
        ("__truncdfhf2", f64_to_f16 as *const () as usize),
        ("__truncsfbf2", f32_to_bf16 as *const () as usize),
        ("__truncdfbf2", f64_to_bf16 as *const () as usize),
    ];
    let plain: Vec<(&str, usize)> = libm().into_iter().chain(own).collect();
    let address = |name: &str| plain.iter().find(|(n, _)| *n == name).map(|(_, a)| *a);
    // `wm` is what lowering calls, `wl` what our own bodies fall back on.
    let ours = super::FUNCTIONS.iter().flat_map(|(name, _)| {
        let both = [
            (address(&format!("{name}f")), "f32"),
            (address(name), "f64"),
        ];
        both.into_iter().flat_map(move |(a, ty)| {
            let named = |prefix| a.map(|a| (format!("{prefix}.{name}.{ty}"), a));
            [named("wm"), named("wl")].into_iter().flatten()
        })
    });
    plain
        .iter()
        .map(|(n, a)| (n.to_string(), *a))
        .chain(ours)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_both_symbols() {
        let all = symbols();
        for (name, _) in super::super::FUNCTIONS {
            for width in ["f32", "f64"] {
                let symbol = format!("wm.{name}.{width}");
                assert!(all.iter().any(|(n, _)| *n == symbol), "{symbol}");
            }
        }
        let mut names: Vec<&String> = all.iter().map(|(n, _)| n).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len(), "a symbol is defined twice");
    }

    #[test]
    fn inverse_error_functions_invert() {
        for i in -999..1000 {
            let p = f64::from(i) / 1000.0;
            let x = erfinv(p);
            let (back, slope) = (erf(x), std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
            // The error of x, not of p, is what counts.
            assert!(
                (back - p).abs() / slope <= 4e-16 * x.abs().max(1e-3) + 2e-16 / slope,
                "{p}"
            );
        }
        for e in 1..1000 {
            let q = 10f64.powf(f64::from(-e) * 0.3);
            let back = erfc(erfcinv(q));
            let x = erfcinv(q);
            assert!(
                ((back - q) / q).abs() <= 1e-15 * (2.0 + 2.0 * x * x),
                "{q:e} {back:e}"
            );
        }
        assert_eq!(erfinv(1.0), f64::INFINITY);
        assert_eq!(erfinv(-1.0), f64::NEG_INFINITY);
        assert_eq!(erfcinv(2.0), f64::NEG_INFINITY);
        assert!(erfinv(1.5).is_nan() && erfcinv(-0.1).is_nan() && erfinv(f64::NAN).is_nan());
        assert_eq!(erfinv(0.0).to_bits(), 0);
        assert_eq!(erfinv(-0.0).to_bits(), (-0.0f64).to_bits());
    }
}
