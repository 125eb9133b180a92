//! Mathematical constants by name: `wp.PI` in kernels and in Python.

use std::f64::consts;

/// Name and value; each is there in lower case too.
pub const CONSTANTS: &[(&str, f64)] = &[
    ("PI", consts::PI),
    ("HALF_PI", consts::FRAC_PI_2),
    ("TAU", consts::TAU),
    ("E", consts::E),
    // The golden ratio.
    ("PHI", 1.618_033_988_749_895),
    ("LN2", consts::LN_2),
    ("LN10", consts::LN_10),
    ("LOG2E", consts::LOG2_E),
    ("LOG10E", consts::LOG10_E),
    ("INF", f64::INFINITY),
    ("NAN", f64::NAN),
];

/// The constant after `wp.`, in either case.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS
        .iter()
        .find(|(known, _)| *known == name || known.to_ascii_lowercase() == name)
        .map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::constant;

    #[test]
    fn both_cases_and_no_mixture() {
        assert_eq!(constant("HALF_PI"), Some(std::f64::consts::FRAC_PI_2));
        assert_eq!(constant("half_pi"), constant("HALF_PI"));
        assert_eq!(constant("Half_pi"), None);
        assert_eq!(constant("phi"), Some((1.0 + 5f64.sqrt()) / 2.0));
    }
}
