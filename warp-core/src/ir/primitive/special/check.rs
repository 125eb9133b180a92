//! What tests compare with: slow, simple and independent of how others do it.

/// Error function by its power series, which converges for every argument.
pub(super) fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// Inverse error function by bisection.
pub(super) fn erfinv(y: f64) -> f64 {
    let (mut low, mut high) = (-6.0, 6.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        match erf(middle) < y {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}
