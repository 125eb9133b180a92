//! How long kernels compile.

use crate::{SAXPY, kernel, libdevice, made};
use std::fmt::Write;
use std::time::{Duration, Instant};
use warp_core::adjoint::{self, reverse};
use warp_core::front::{Reading, SourceText, StaticScope, build};
use warp_core::lower::Options;
use warp_core::verify::{Verified, verify};

/// The shortest of some compiles.
fn time(func: &Verified, times: usize) -> Duration {
    let library = libdevice();
    let each = (0..times).map(|_| {
        let start = Instant::now();
        made(func, &Options::default(), 80, library.as_ref());
        start.elapsed()
    });
    each.min().unwrap_or_default()
}

/// A kernel of so many statements, each of which needs the one before it.
fn long(statements: usize) -> Verified {
    let mut text = String::from(
        "kernel long(x: array<float32, 1>, y: array<float32, 1>) {\n  %0:int32 = tid 0\n  %1:float32 = load x[%0]\n",
    );
    for k in 2..statements + 2 {
        let last = k - 1;
        let before = (k / 2).max(1);
        let _ = match k % 25 {
            0 => writeln!(text, "  %{k}:float32 = sin %{last}"),
            n if n % 2 == 0 => writeln!(text, "  %{k}:float32 = mul %{last}, %{before}"),
            _ => writeln!(text, "  %{k}:float32 = add %{last}, %{before}"),
        };
    }
    let _ = writeln!(text, "  store y[%0], %{}\n}}", statements + 1);
    kernel(&text)
}

#[test]
fn compile_time_is_linear() {
    // What else the machine does lengthens some compiles, but not each time the longer one alone.
    let linear = (0..5).any(|_| {
        let [short, whole] = [2_500, 10_000].map(|n| time(&long(n), 1));
        println!("2500 statements: {short:?}, 10000: {whole:?}");
        whole < short * 8
    });
    assert!(linear, "10000 statements take over 8 times as long as 2500");
}

const DECOMPOSED: &str = "def decomposed(x: wp.array(dtype=wp.mat33), y: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    u, s, v = wp.svd3(x[i])
    y[i] = u * wp.diag(s) * v
";

#[test]
fn a_decomposition_compiles_in_time() {
    let text = SourceText {
        name: "decomposed".into(),
        file: "decomposed.py".into(),
        first_line: 1,
        text: DECOMPOSED.into(),
    };
    let built = build(text, &StaticScope::new(), Reading::default()).expect("builds");
    let adjoint = reverse(&built.func, &adjoint::Options::default()).expect("has a gradient");
    let forward = time(&verify(built.func).expect("valid"), 3);
    let adjoint = time(&adjoint.func, 3);
    let saxpy = time(&kernel(SAXPY), 5);
    println!("saxpy {saxpy:?}, svd3 {forward:?}, its adjoint {adjoint:?}");
    assert!(adjoint < saxpy * 100, "saxpy {saxpy:?}, {adjoint:?}");
}
