//! What lowering gives for kernels of everyday shapes: nanoseconds per thread on one core in both bodies, time to
//! compile, and whether LLVM vectorised. `cargo run --release --example lowered -p warp-core [FILTER]`
//!
//! `WARP_DUMP=1` prints the optimised text, `WARP_DUMP=ptx` what NVIDIA GPUs get instead, for `WARP_SM` (80 if that is not set).

use std::hint::black_box;
use std::time::Instant;
use warp_core::abi::{ArrayArg, Ctx, Entry};
use warp_core::adjoint;
use warp_core::backend::cpu::arena::with_stacks;
use warp_core::backend::cpu::llvm::{self, OptLevel, Tuning};
use warp_core::backend::cuda::{How, Level, Search, parameters, ptx};
use warp_core::dtype::Scalar;
use warp_core::front::{External, Reading, SourceText, StaticScope, build};
use warp_core::ir::{Func, ParamType};
use warp_core::lower::{self, Options};
use warp_core::ty::{Elem, Struct, Type};
use warp_core::verify::{Verified, verify};

const KERNELS: &[(&str, &str)] = &[
    (
        "saxpy",
        "def saxpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]
",
    ),
    (
        "jacobi",
        "def jacobi(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    if i > 0 and i < x.shape[0] - 1 and j > 0 and j < x.shape[1] - 1:
        y[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])
",
    ),
    (
        "sum",
        "def sum(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    wp.atomic_add(y, 0, x[wp.tid()])
",
    ),
    (
        "rosenbrock",
        "def rosenbrock(x: wp.array(dtype=wp.vec2), y: wp.array(dtype=float)):
    i = wp.tid()
    p = x[i]
    a = 1.0 - p[0]
    b = p[1] - p[0] * p[0]
    wp.atomic_add(y, 0, a * a + 100.0 * b * b)
",
    ),
    (
        "quat",
        "def quat(q: wp.array(dtype=wp.quat), v: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    y[i] = wp.quat_rotate(q[i], v[i])
",
    ),
    (
        "inverse",
        "def inverse(x: wp.array(dtype=wp.mat44), y: wp.array(dtype=wp.mat44)):
    i = wp.tid()
    y[i] = wp.inverse(x[i])
",
    ),
    (
        "chain",
        "def chain(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.cos(wp.exp(wp.sin(x[i])) * x[i])
",
    ),
    (
        "nbody",
        "def nbody(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    p = x[i]
    f = wp.vec3(0.0, 0.0, 0.0)
    for j in range(256):
        d = x[j] - p
        r = wp.dot(d, d) + 0.01
        f += d / (r * wp.sqrt(r))
    y[i] = f
",
    ),
    (
        "mandelbrot",
        "def mandelbrot(y: wp.array2d(dtype=int)):
    i, j = wp.tid()
    cx = float(j) / 128.0 * 3.0 - 2.0
    cy = float(i) / 128.0 * 2.0 - 1.0
    a = float(0.0)
    b = float(0.0)
    n = int(0)
    while n < 100 and a * a + b * b < 4.0:
        t = a * a - b * b + cx
        b = 2.0 * a * b + cy
        a = t
        n += 1
    y[i, j] = n
",
    ),
    (
        "loop",
        "def loop(x: wp.array(dtype=float), y: wp.array(dtype=float), n: int):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        s += x[(i + k) % n]
    y[i] += s
",
    ),
    (
        "particles",
        "def particles(ps: wp.array(dtype=Particle), dt: float):
    i = wp.tid()
    p = ps[i]
    p.vel = p.vel - p.pos * wp.exp(-p.mass * wp.sin(p.pos[0])) * dt
    ps[i].pos = p.pos + p.vel * dt
    ps[i].vel = p.vel
",
    ),
    (
        "structs",
        "def structs(ps: wp.array(dtype=Particle), y: wp.array(dtype=float)):
    i = wp.tid()
    p = ps[i]
    y[i] = p.mass * wp.length_sq(p.pos)
",
    ),
];

/// Names that kernels above use.
fn scope() -> StaticScope {
    let scalar = Scalar::F32;
    let vec3 = Type::Elem(Elem::Vec { len: 3, scalar });
    let fields = [
        ("pos", vec3.clone()),
        ("vel", vec3),
        ("mass", Type::scalar(scalar)),
    ];
    let fields = fields.map(|(name, ty)| (name.to_string(), ty));
    let particle = Struct::new("lowered", "Particle", fields.to_vec()).expect("fields are right");
    StaticScope::new().with("Particle", External::Type(Type::Struct(particle)))
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!(
        "kernel              lower us  LLVM ms  dense ns  strided ns  vectors (full, inner, any)"
    );
    for (name, text) in KERNELS {
        if !name.contains(&filter) {
            continue;
        }
        let source = SourceText {
            name: (*name).into(),
            file: format!("{name}.py"),
            first_line: 1,
            text: (*text).into(),
        };
        let built = build(source, &scope(), Reading::default()).unwrap_or_else(|e| panic!("{e}"));
        let func = verify(built.func).expect("verifies");
        let non_atomic = vec![false; func.params.len()];
        measure(&func, &func.name, non_atomic);
        let reversed =
            adjoint::reverse(&func, &adjoint::Options::default()).expect("has a gradient");
        let mut non_atomic = vec![false; reversed.func.params.len()];
        for array in &reversed.report.arrays {
            if let Some(grad) = array.grad {
                non_atomic[grad.0 as usize] = array.non_atomic != 0;
            }
        }
        measure(
            &reversed.func,
            &format!("{} adjoint", func.name),
            non_atomic,
        );
    }
}

fn measure(func: &Verified, name: &str, non_atomic: Vec<bool>) {
    let options = Options {
        non_atomic,
        ..Options::default()
    };
    if std::env::var("WARP_DUMP").is_ok_and(|what| what == "ptx") {
        return print_ptx(func, name, &options);
    }
    let mut times = Vec::new();
    let lowered = lower::host::lower(func, &options).expect("lowers");
    for _ in 0..5 {
        let start = Instant::now();
        black_box(lower::host::lower(func, &options).expect("lowers"));
        let lowering = start.elapsed();
        let start = Instant::now();
        black_box(llvm::compile(&lowered.text, OptLevel::O2, Tuning::default()).expect("compiles"));
        times.push((start.elapsed(), lowering));
    }
    let (compiling, lowering) = *times.iter().min().expect("five");
    let optimised =
        llvm::optimized_text(&lowered.text, OptLevel::O2, Tuning::default()).expect("compiles");
    if std::env::var_os("WARP_DUMP").is_some() {
        println!("{func}\n{}\n{optimised}", lowered.text);
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

/// Prints what NVIDIA GPUs get, and how long that takes.
fn print_ptx(func: &Verified, name: &str, options: &Options) {
    let sm = std::env::var("WARP_SM").ok();
    let sm = sm.and_then(|sm| sm.parse().ok()).unwrap_or(80);
    let library = Search::of_environment().find();
    let lowered = lower::nvptx::lower(func, options).expect("lowers");
    let start = Instant::now();
    let how = How {
        sm,
        parameters: parameters(func),
        libdevice: library.as_ref(),
        level: Level::Full,
        approximate: options.approximate,
    };
    let made = ptx(&lowered.text, &options.name, &how, &|| false);
    let made = made.expect("compiles").expect("nobody interrupts");
    let time = start.elapsed().as_secs_f64() * 1e3;
    println!("// {name}: {time:.1} ms, stacks {:?}", lowered.stacks);
    println!("{}", String::from_utf8_lossy(&made));
}

/// Nanoseconds per thread over arrays that fit the second-level cache, elements `stride` apart.
fn run(func: &Func, entry: Entry, stride: i64) -> f64 {
    let side = 128i32;
    let square = |p: &warp_core::ir::Param| matches!(p.ty, ParamType::Array { ndim: 2, .. });
    let dims = match func.params.iter().any(square) {
        true => [side, side, 1, 1],
        false => [side * side, 1, 1, 1],
    };
    let layout = lower::block_layout(func);
    let mut block = vec![0u64; layout.size / 8];
    let mut memory = Vec::new();
    let bytes = block.as_mut_ptr().cast::<u8>();
    for (param, at) in func.params.iter().zip(layout.offsets) {
        if param.ty == ParamType::Elem(Elem::Scalar(Scalar::I32)) {
            // SAFETY: the layout of the block has room for the number here.
            unsafe { bytes.add(at).cast::<i32>().write_unaligned(64) };
        }
        if let ParamType::Array { ndim, .. } = param.ty {
            let size = param.step() as i64 * stride;
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
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..4 {
            with_stacks(&mut ctx, |ctx| {
                // SAFETY: the block was laid out for the kernel, its arrays are alive.
                unsafe { entry(ctx, block.as_ptr().cast(), 0, n) };
            });
        }
        best = best.min(start.elapsed().as_secs_f64() * 0.25e9 / n as f64);
    }
    best
}
