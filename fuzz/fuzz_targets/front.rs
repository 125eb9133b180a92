//! Source text to IR: whatever the text, no panic; what is refused has a place, what is accepted verifies and reads back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tests::program::Program;

fuzz_target!(|text: &str| {
    // Constants of such a program may have no value.
    let Ok(program) = Program::read("fuzz.py", text) else {
        return;
    };
    for kernel in &program.0.kernels {
        match warp_core::front::build(kernel.clone(), &program, warp_core::front::Reading::default()) {
            Ok(built) => {
                if let Err(bug) = warp_core::verify::check(&built.func) {
                    panic!("{bug}\n{}", built.func);
                }
                let printed = built.func.to_string();
                let again = warp_core::ir::read(&printed).expect("what is printed reads back");
                assert_eq!(again.to_string(), printed);
            }
            Err(failure) => {
                assert!(!failure.render().is_empty());
                assert!(failure.error.span.is_some(), "no place: {failure}");
            }
        }
    }
});
