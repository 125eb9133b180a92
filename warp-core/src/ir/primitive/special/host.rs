//! What the host computes where the C library has nothing: inverses by methods other than the interpreter's.

mod c {
    // SAFETY: functions of the C library, which every process has, with these arguments and results.
    unsafe extern "C" {
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
    }
}

use c::{erf, erfc};

/// `x` with `erf(x) = p`, to double precision: a start from the asymptotic form, then Halley's
/// method on erf or, near the ends where erf loses digits, on erfc.
pub(super) extern "C" fn erfinv(p: f64) -> f64 {
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

pub(super) extern "C" fn erfcinv(q: f64) -> f64 {
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
            // Numbers below the normal range have few digits: log(erfc) by its series for large x.
            let t = 0.5 / (x * x);
            let series = 1.0 - t * (1.0 - t * (3.0 - t * (15.0 - t * (105.0 - t * 945.0))));
            let log = -x * x - (x * std::f64::consts::PI.sqrt() / series).ln();
            x += (log + l) * series / (2.0 * x);
        } else {
            let slope = -std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() / c;
            x -= ((c / q).ln()) / slope;
        }
    }
    x
}

pub(super) extern "C" fn erfinvf(p: f32) -> f32 {
    erfinv(f64::from(p)) as f32
}
pub(super) extern "C" fn erfcinvf(q: f32) -> f32 {
    erfcinv(f64::from(q)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_erfc_is_exact_below_the_normal_range() {
        // By mpmath, with 40 digits.
        for (q, x) in [
            (1.416034466407118e-308, 26.55176414480565),
            (5e-324, 27.21329321081295),
            (1e-310, 26.644806559364763),
            (2.3e-308, 26.542635020108012),
        ] {
            assert!(
                (erfcinv(q) - x).abs() <= 2.0 * (x * f64::EPSILON),
                "{q:e} {:e}",
                erfcinv(q)
            );
        }
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
