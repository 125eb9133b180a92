//! A thousand random kernels.

use crate::differences::{Outcome, check};
use crate::generate::generate;

const KERNELS: u64 = 1_000;

#[test]
fn random_kernels_agree_with_differences() {
    let mut total = Outcome::default();
    for seed in 0..KERNELS {
        let case = generate(seed);
        warp_core::verify::check(&case.func).expect("a valid kernel");
        let outcome = check(&case);
        total.agreed += outcome.agreed;
        total.kinks += outcome.kinks;
    }
    // Conditions on floats make jumps; they must stay the exception for the test to mean anything.
    assert!(total.agreed > 15 * KERNELS as usize, "{total:?}");
    assert!(total.kinks * 50 < total.agreed, "{total:?}");
}
