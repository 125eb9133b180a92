//! What the interpreter computes: the C library's error function, and inverses by Halley's method.

use std::f64::consts::{PI, SQRT_2};

mod c {
    unsafe extern "C" {
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
    }
}

/// Error function, from the C library.
pub fn erf(x: f64) -> f64 {
    c::erf(x)
}

/// Complementary error function, from the C library.
pub fn erfc(x: f64) -> f64 {
    c::erfc(x)
}

/// Inverse of `erf`; infinite at -1 and 1, NaN outside.
pub fn erfinv(y: f64) -> f64 {
    if y.is_nan() || y.abs() > 1.0 {
        return f64::NAN;
    }
    // erfc keeps its precision in the tails; near 0 erf does.
    if y.abs() > 0.5 {
        erfcinv(1.0 - y.abs()).copysign(y)
    } else {
        refine(start(y), |x| erf(x) - y)
    }
}

/// Inverse of `erfc`; infinite at 0 and 2, NaN outside.
pub fn erfcinv(y: f64) -> f64 {
    if y.is_nan() || !(0.0..=2.0).contains(&y) {
        f64::NAN
    } else if y == 0.0 {
        f64::INFINITY
    } else if y > 1.0 {
        -erfcinv(2.0 - y)
    } else if y > 0.5 {
        refine(start(1.0 - y), |x| y - erfc(x))
    } else {
        // The tail expansion of the normal quantile (Abramowitz and Stegun 26.2.23).
        let t = (-2.0 * (y / 2.0).ln()).sqrt();
        let p = (2.515517 + t * (0.802853 + t * 0.010328))
            / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
        refine((t - p) / SQRT_2, |x| y - erfc(x))
    }
}

/// Winitzki's approximation of erfinv, good to 2e-3.
fn start(y: f64) -> f64 {
    let a = 0.147;
    let l = (1.0 - y * y).ln();
    let b = 2.0 / (PI * a) + l / 2.0;
    ((b * b - l / a).sqrt() - b).sqrt().copysign(y)
}

/// Halley's iteration on `f` = erf(x) - y, however the caller computes it.
fn refine(mut x: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..6 {
        let slope = 2.0 / PI.sqrt() * (-x * x).exp();
        if slope == 0.0 {
            break;
        }
        let newton = f(x) / slope;
        let step = newton / (1.0 + x * newton);
        x -= step;
        if step.abs() <= 1e-17 * x.abs() {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_invert() {
        for i in -999..1000 {
            let y = f64::from(i) / 1000.0;
            assert!((erf(erfinv(y)) - y).abs() < 4e-16, "erfinv {y}");
            let z = 1.0 + y;
            assert!(
                (erfc(erfcinv(z)) - z).abs() < 6e-16 * z.max(0.1),
                "erfcinv {z}"
            );
        }
        for exponent in 1..300 {
            let y = 10f64.powi(-exponent);
            assert!((erfc(erfcinv(y)) / y - 1.0).abs() < 1e-11, "erfcinv {y}");
        }
        assert_eq!(erfinv(1.0), f64::INFINITY);
        assert_eq!(erfinv(-1.0), f64::NEG_INFINITY);
        assert!(erfinv(1.5).is_nan());
    }
}
