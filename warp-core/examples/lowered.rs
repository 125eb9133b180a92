//! What lowering gives for kernels of everyday shapes: nanoseconds per thread on one core in both bodies, time to
//! compile, and whether LLVM vectorised. `cargo run --release --example lowered -p warp-core [FILTER]`
//!
//! `WARP_DUMP=1` prints the optimised text.

use std::hint::black_box;
use std::time::Instant;
use warp_core::abi::{ArrayArg, Ctx, Entry};
use warp_core::adjoint;
use warp_core::ir::{Func, ParamType, read};
use warp_core::lower::{self, Options};
use warp_core::target::cpu::arena::with_stacks;
use warp_core::target::cpu::llvm::{self, OptLevel, Tuning};

const SAXPY: &str = include_str!("../../tests/filetests/lower/saxpy.txt");
const JACOBI: &str = include_str!("../../tests/filetests/lower/jacobi.txt");
const SUM: &str = "kernel sum(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:int32 = const 0
  atomic add y[%2], %1
}";
const ROSENBROCK: &str = "kernel rosenbrock(x: array<vec<2, float32>, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0].0
  %2:float32 = load x[%0].1
  %3:float32 = const 1.0
  %4:float32 = sub %3, %1
  %5:float32 = mul %4, %4
  %6:float32 = mul %1, %1
  %7:float32 = sub %2, %6
  %8:float32 = mul %7, %7
  %9:float32 = const 100.0
  %10:float32 = mul %9, %8
  %11:float32 = add %5, %10
  %12:int32 = const 0
  atomic add y[%12], %11
}";
const QUAT: &str = "kernel quat(q: array<quat<float32>, 1>, v: array<vec<3, float32>, 1>, y: array<vec<3, float32>, 1>) {
  %0:int32 = tid 0
  %1:float32 = load q[%0].0
  %2:float32 = load q[%0].1
  %3:float32 = load q[%0].2
  %4:float32 = load q[%0].3
  %5:float32 = load v[%0].0
  %6:float32 = load v[%0].1
  %7:float32 = load v[%0].2
  %8:float32 = const 2.0
  %9:float32 = mul %4, %4
  %10:float32 = mul %8, %9
  %11:float32 = const 1.0
  %12:float32 = sub %10, %11
  %13:float32 = mul %1, %5
  %14:float32 = mul %2, %6
  %15:float32 = add %13, %14
  %16:float32 = mul %3, %7
  %17:float32 = add %15, %16
  %18:float32 = mul %17, %8
  %19:float32 = mul %2, %7
  %20:float32 = mul %3, %6
  %21:float32 = sub %19, %20
  %22:float32 = mul %3, %5
  %23:float32 = mul %1, %7
  %24:float32 = sub %22, %23
  %25:float32 = mul %1, %6
  %26:float32 = mul %2, %5
  %27:float32 = sub %25, %26
  %28:float32 = mul %8, %4
  %29:float32 = mul %5, %12
  %30:float32 = mul %1, %18
  %31:float32 = add %29, %30
  %32:float32 = mul %21, %28
  %33:float32 = add %31, %32
  store y[%0].0, %33
  %34:float32 = mul %6, %12
  %35:float32 = mul %2, %18
  %36:float32 = add %34, %35
  %37:float32 = mul %24, %28
  %38:float32 = add %36, %37
  store y[%0].1, %38
  %39:float32 = mul %7, %12
  %40:float32 = mul %3, %18
  %41:float32 = add %39, %40
  %42:float32 = mul %27, %28
  %43:float32 = add %41, %42
  store y[%0].2, %43
}";
const CHAIN: &str = "kernel chain(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = sin %1
  %3:float32 = exp %2
  %4:float32 = mul %3, %1
  %5:float32 = cos %4
  store y[%0], %5
}";

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!(
        "kernel              lower us  LLVM ms  dense ns  strided ns  vectors (full, inner, any)"
    );
    for text in [SAXPY, JACOBI, SUM, ROSENBROCK, QUAT, CHAIN] {
        let ir = text.split("\n====").next().expect("a text");
        let func = read(ir).expect("reads");
        if !func.name.contains(&filter) {
            continue;
        }
        let plain = vec![false; func.params.len()];
        measure(&func, &func.name, plain);
        let reversed =
            adjoint::reverse(&func, &adjoint::Options::default()).expect("has a gradient");
        let mut plain = vec![false; reversed.func.params.len()];
        for array in &reversed.report.arrays {
            if let Some(grad) = array.grad {
                plain[grad.0 as usize] = array.plain != 0;
            }
        }
        measure(&reversed.func, &format!("{} adjoint", func.name), plain);
    }
}

fn measure(func: &Func, name: &str, plain: Vec<bool>) {
    let options = Options {
        plain,
        ..Options::default()
    };
    let mut times = Vec::new();
    let lowered = lower::cpu(func, &options);
    for _ in 0..5 {
        let start = Instant::now();
        black_box(lower::cpu(func, &options));
        let lowering = start.elapsed();
        let start = Instant::now();
        black_box(llvm::compile(&lowered.text, OptLevel::O2, Tuning::default()).expect("compiles"));
        times.push((start.elapsed(), lowering));
    }
    let (compiling, lowering) = *times.iter().min().expect("five");
    let optimised =
        llvm::optimized_text(&lowered.text, OptLevel::O2, Tuning::default()).expect("compiles");
    if std::env::var_os("WARP_DUMP").is_some() {
        println!("{}\n{optimised}", lowered.text);
    }
    let vectors: Vec<bool> = ["full(", "inner(", "any("]
        .iter()
        .map(|which| {
            let mut functions = optimised.split("\ndefine ");
            let header = format!("internal fastcc void @kernel.{which}");
            functions
                .find(|f| f.starts_with(&header))
                .is_some_and(|f| f.contains("vector.body"))
        })
        .collect();
    let object = llvm::compile(&lowered.text, OptLevel::O2, Tuning::default()).expect("compiles");
    let loaded = llvm::load(&object, &options.name).expect("links");
    // SAFETY: lowering gives the entry point this type.
    let entry = unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) };
    let ns = [1, 2].map(|stride| run(func, entry, stride));
    println!(
        "{name:20} {:7.0} {:8.2} {:9.3} {:11.3}  {vectors:?}",
        lowering.as_secs_f64() * 1e6,
        compiling.as_secs_f64() * 1e3,
        ns[0],
        ns[1]
    );
}

/// Nanoseconds per thread over arrays that fit the second-level cache, elements `stride` apart.
fn run(func: &Func, entry: Entry, stride: i64) -> f64 {
    let side = 128i32;
    let square = |p: &warp_core::ir::Param| matches!(p.ty, ParamType::Array { ndim: 2, .. });
    let dims = match func.params.iter().any(square) {
        true => [side, side, 1, 1],
        false => [side * side, 1, 1, 1],
    };
    let layout = lower::layout(func);
    let mut block = vec![0u64; layout.size / 8];
    let mut memory = Vec::new();
    let bytes = block.as_mut_ptr().cast::<u8>();
    for (param, at) in func.params.iter().zip(layout.offsets) {
        if let ParamType::Array { elem, ndim } = param.ty {
            let size = elem.size() as i64 * stride;
            let mut data = vec![0.001f32; (i64::from(side * side) * size / 4) as usize];
            let arg = ArrayArg {
                data: data.as_mut_ptr().cast(),
                shape: dims,
                strides: match ndim {
                    2 => [size * i64::from(side), size, 0, 0],
                    _ => [size, 0, 0, 0],
                },
            };
            memory.push(data);
            // SAFETY: the layout of the block has room for an array argument here.
            unsafe { bytes.add(at).cast::<ArrayArg>().write_unaligned(arg) };
        }
    }
    block[0] = dims[0] as u64 | (dims[1] as u64) << 32;
    block[1] = 1 | 1 << 32;
    let n = i64::from(side * side);
    let mut ctx = Ctx::new();
    let mut best = f64::MAX;
    for _ in 0..30 {
        let start = Instant::now();
        for _ in 0..10 {
            with_stacks(&mut ctx, |ctx| {
                // SAFETY: the block was laid out for the kernel, its arrays are alive.
                unsafe { entry(ctx, block.as_ptr().cast(), 0, n) };
            });
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e8 / n as f64);
    }
    best
}
