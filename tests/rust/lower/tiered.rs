//! Kernels that run before they are optimised.

use super::driver::{arg, launch, text};
use std::path::Path;
use std::time::Duration;
use warp_core::cache::{Cache, Source};
use warp_core::device::Device;
use warp_core::front::StaticScope;
use warp_core::module::{Compiled, Options, compile, finish_compiles};

/// Sines, so that the two codes are made differently, and several chunks.
const TEXT: &str = "\
@wp.kernel
def wave(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    for k in range(20):
        v = wp.sin(v) + 0.5 * v
    y[i] = v
";

fn build(cache: &Cache, tiered: bool) -> Compiled {
    let options = Options {
        cache: cache.clone(),
        check_bounds: true,
        debug: false,
        fast_compile: false,
        tiered,
        lanes: warp_core::lower::Lanes::Auto,
        fuse_fp: false,
        fast_math: false,
        deterministic: false,
        max_unroll: 16,
        block_dim: 256,
        line_info: false,
    };
    compile(text("wave", TEXT), &StaticScope::new(), &options).expect("compiles")
}

fn bits(kernel: &Compiled) -> Vec<u32> {
    let mut x: Vec<f32> = (0..5000u16).map(|i| f32::from(i) / 100.0).collect();
    let mut y = vec![0.0f32; x.len()];
    launch(&kernel.program, 5000, &[arg(&mut x), arg(&mut y)]).expect("no fault");
    y.iter().map(|y| y.to_bits()).collect()
}

fn entries(folder: &Path) -> Vec<Vec<u8>> {
    let folders = std::fs::read_dir(folder).expect("it is there").flatten();
    let files = folders.filter_map(|f| std::fs::read_dir(f.path()).ok());
    let files = files.flatten().flatten().map(|f| f.path());
    let files = files.filter(|f| f.extension().is_some_and(|e| e == "wk"));
    files.map(|f| std::fs::read(f).expect("it reads")).collect()
}

#[test]
fn both_codes_give_the_same_bits_and_the_cache_keeps_the_optimised_one() {
    let folder =
        |name| std::env::temp_dir().join(format!("warp-tiered-{name}-{}", std::process::id()));
    let (tiered, at_once) = (folder("tiered"), folder("at-once"));
    let cache = Cache::named(&tiered).expect("a folder of ours");
    let kernel = build(&cache, true);
    let first = bits(&kernel);
    let code = kernel.program.code(Device::Cpu).expect("compiled");
    assert_eq!(code.origin, Source::Made);
    assert!(finish_compiles(Duration::from_secs(100)));
    assert_eq!(bits(&kernel), first);
    // The second kernel finds it.
    let second = build(&cache, true);
    assert_eq!(bits(&second), first);
    let code = second.program.code(Device::Cpu).expect("compiled");
    assert_eq!(code.origin, Source::Disk);
    // The same entry as of a kernel that waits for it.
    let other = build(&Cache::named(&at_once).expect("a folder of ours"), false);
    assert_eq!(bits(&other), first);
    assert_eq!(entries(&tiered), entries(&at_once));
    assert_eq!(entries(&tiered).len(), 1);
    for folder in [tiered, at_once] {
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}

#[test]
fn kernels_may_go_while_they_are_optimised() {
    let all: Vec<_> = (0..8).map(|_| build(&Cache::none(), true)).collect();
    let bits: Vec<_> = all.iter().map(bits).collect();
    drop(all);
    assert!(bits.iter().all(|b| *b == bits[0]));
    assert!(finish_compiles(Duration::from_secs(100)));
}

#[test]
fn what_is_compiled_ahead_is_optimised() {
    let kernel = build(&Cache::none(), true);
    let ahead = kernel.program.code_ahead(Device::Cpu, &|| false);
    let ahead = ahead.expect("compiles");
    assert!(std::ptr::eq(
        ahead,
        kernel.program.code(Device::Cpu).expect("is there")
    ));
}
