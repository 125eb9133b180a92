//! The text form of IR: whatever the text, no panic; what verifies prints and reads back as the same text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(func) = warp_core::ir::read(text) else {
        return;
    };
    // Printing is for people who look for a mistake, so it takes any IR.
    let printed = func.to_string();
    if warp_core::verify::check(&func).is_err() {
        return;
    }
    let again = warp_core::ir::read(&printed).expect("what is printed reads back");
    assert_eq!(again.to_string(), printed);
    assert_eq!(warp_core::verify::check(&again), Ok(()));
});
