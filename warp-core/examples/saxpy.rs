//! A kernel from source text to running code on Rust slices: `cargo run --release --example saxpy -p warp-core`

use std::time::Instant;
use warp_core::abi::ArrayArg;
use warp_core::cache::Cache;
use warp_core::device::{Device, Stream};
use warp_core::error::Error;
use warp_core::front::{SourceText, StaticScope};
use warp_core::launch::{Block, Buffers, Job, Policy, run};
use warp_core::module::{Compiled, Options, compile};

const KERNEL: &str = "\
@wp.kernel
def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]
";

fn build(cache: Cache) -> Result<Compiled, String> {
    let text = SourceText {
        name: "saxpy".into(),
        file: file!().into(),
        first_line: 1,
        text: KERNEL.into(),
    };
    let options = Options {
        cache,
        check_bounds: true,
        debug: false,
        fast_compile: false,
        tiered: false,
        fuse_fp: true,
        lanes: warp_core::lower::Lanes::Auto,
        fast_math: false,
        deterministic: false,
        max_unroll: 16,
        block_dim: 256,
        line_info: false,
    };
    let kernel = compile(text, &StaticScope::new(), &options).map_err(|f| f.render())?;
    kernel
        .program
        .code(Device::Cpu)
        .map_err(|e| e.to_string())?;
    Ok(kernel)
}

/// An array argument for a slice.
fn slice(data: &mut [f32]) -> ArrayArg {
    ArrayArg {
        data: data.as_mut_ptr().cast(),
        shape: [data.len() as i32, 1, 1, 1],
        strides: [size_of::<f32>() as i64, 0, 0, 0],
    }
}

fn main() -> Result<(), String> {
    let timed = |what: &str, start: Instant| {
        println!("{what:34} {:9.3} ms", start.elapsed().as_secs_f64() * 1e3);
    };
    let start = Instant::now();
    build(Cache::none())?;
    timed("first kernel, LLVM started", start);
    let start = Instant::now();
    let kernel = build(Cache::none())?;
    timed("compiled cold", start);

    let folder = std::env::temp_dir().join(format!("warp-saxpy-{}", std::process::id()));
    let cache = Cache::named(&folder).map_err(|e: Error| e.to_string())?;
    build(cache.clone())?;
    let start = Instant::now();
    build(cache)?;
    timed("loaded from the disk cache", start);
    // The folder is ours; nothing is lost if it stays.
    let _ = std::fs::remove_dir_all(&folder);

    let n = 1_000_000;
    let mut x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![1.0f32; n];
    let layout = &kernel.program.layout;
    let dims = [n as i32, 1, 1, 1];
    let mut block = Block::new(layout.size, dims);
    block.write(layout.offsets[0], &2.0f32.to_ne_bytes());
    block.write_array(layout.offsets[1], &slice(&mut x));
    block.write_array(layout.offsets[2], &slice(&mut y));
    let policy = Policy {
        deterministic: false,
        buffers: Buffers::Apart,
    };
    let stream = Stream::default_of(Device::Cpu);
    let code = (kernel.program.code(stream.device)).map_err(|e| e.to_string())?;
    let job = Job::new(
        &kernel.program,
        code,
        stream,
        block.as_ptr(),
        dims.into(),
        policy,
    );
    let mut best = f64::MAX;
    let launches = 50;
    for _ in 0..launches {
        let start = Instant::now();
        // SAFETY: the block was packed for this kernel, `x` and `y` have `n` elements.
        unsafe { run(&job, None) }.map_err(|fault| format!("{fault:?}"))?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{:34} {:9.3} ms, {:.3} ns an element",
        format!("{n} elements"),
        best * 1e3,
        best * 1e9 / n as f64
    );
    for (i, value) in y.iter().enumerate() {
        // The same steps in the same order give the same bits.
        let mut wanted = 1.0f32;
        for _ in 0..launches {
            wanted += 2.0 * i as f32;
        }
        if value.to_bits() != wanted.to_bits() {
            return Err(format!("element {i} is {value}, not {wanted}"));
        }
    }
    println!("y = 2 x + y holds for every element after {launches} launches");
    Ok(())
}
