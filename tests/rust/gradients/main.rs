//! Adjoints against central differences in float64, both through the reference interpreter.

mod compiled;
mod customs;
mod differences;
mod filetests;
mod generate;
mod named;
#[allow(dead_code, reason = "shared with the tests of lowering")]
#[path = "../../../warp-core/tests/lower/native.rs"]
mod native;
mod random;
mod second;
