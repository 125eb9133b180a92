//! A thousand random kernels.

use tests::differences::{Outcome, check};
use tests::generate::generate;
use warp_core::adjoint::{Options, reverse};

const KERNELS: u64 = 1_000;

#[test]
fn random_kernels_agree_with_differences() {
    let mut total = Outcome::default();
    let [mut recording, mut logging, mut nested] = [0; 3];
    for seed in 0..KERNELS {
        let case = generate(seed);
        warp_core::verify::check(&case.func).expect("a valid kernel");
        let outcome = check(&case);
        let text = reverse(&case.func, &Options::default())
            .expect("as just before")
            .func
            .to_string();
        recording += u32::from(text.contains("record"));
        logging += u32::from(text.contains("logged"));
        nested += u32::from(
            text.lines()
                .any(|l| l.starts_with("      ") && l.contains("replay")),
        );
        total.agreed += outcome.agreed;
        total.kinks += outcome.kinks;
    }
    // What is hard has to occur often enough.
    let counts = [recording, logging, nested];
    assert!(
        recording > 400 && logging > 300 && nested > 150,
        "{counts:?}"
    );
    // Conditions on floats make jumps; they must stay the exception for the test to mean anything.
    assert!(total.agreed > 15 * KERNELS as usize, "{total:?}");
    assert!(total.kinks * 50 < total.agreed, "{total:?}");
}
