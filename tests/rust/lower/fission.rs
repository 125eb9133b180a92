//! Long straight bodies, which are cut into fissioned loops.

use tests::native::{Kernel, Layout, agree};
use warp_core::abi::fault;
use warp_core::dtype::Scalar;
use warp_core::interp::{Arg, Memory};
use warp_core::ir::{Builder, Comp, Op, ParamId, ParamType, Place, Value, read};
use warp_core::lower::{Options, host};
use warp_core::ty::Elem;

const F32: Elem = Elem::Scalar(Scalar::F32);

fn place(array: u32, index: &[Value]) -> Place {
    Place {
        array: ParamId(array),
        index: index.iter().copied().collect(),
        comp: Comp::Fixed(0),
    }
}

/// Variables of four types that mix for `rounds` rounds; branches, loads and stores on the way.
fn long(rounds: u32) -> String {
    let mut b = Builder::new("k");
    for name in ["x", "y"] {
        b.param(name, ParamType::Array { elem: F32, ndim: 2 });
    }
    let tid = [0, 1].map(|d| b.let_(Scalar::I32, Op::Tid(d), &[]));
    let half = b.number(Scalar::F32, 0.5);
    let mut x = b.load(place(0, &tid));
    let mut h = b.cast(x, Scalar::F16);
    let mut i = tid[0];
    let mut flag = b.op(Op::Lt, &[tid[0], tid[1]]);
    for round in 0..rounds {
        let number = b.number(Scalar::F32, f64::from(round % 7) * 0.125 + 0.25);
        let product = b.op(Op::Mul, &[x, number]);
        x = b.op(Op::Sub, &[half, product]);
        let step = b.i32(round as i32 % 5);
        i = b.op(Op::Add, &[i, step]);
        let three = b.i32(3);
        let row = b.op(Op::Mod, &[i, three]);
        if round % 40 == 9 {
            let at = place(0, &[row, tid[1]]);
            let loaded = b.if_(
                flag,
                |b| vec![b.load(at)],
                |b| vec![b.op(Op::Add, &[x, half])],
            );
            x = b.op(Op::Add, &[x, loaded[0]]);
            let narrow = b.cast(x, Scalar::F16);
            h = b.op(Op::Max, &[narrow, h]);
        }
        if round % 60 == 31 {
            b.store(place(1, &tid), x);
            flag = b.op(Op::Not, &[flag]);
        }
    }
    let last = b.cast(h, Scalar::F32);
    let sum = b.op(Op::Add, &[x, last]);
    let before = b.load(place(1, &tid));
    let sum = b.op(Op::Add, &[before, sum]);
    b.store(place(1, &tid), sum);
    b.finish().to_string()
}

#[test]
fn fissioned_loops_do_what_the_whole_does() {
    for dims in [[3, 5], [3, 130], [1, 4]] {
        let count = 3 * dims[1];
        let mut memory = Memory::default();
        let data: Vec<f64> = (0..count)
            .map(|k| f64::from(k % 13) * 0.125 - 0.5)
            .collect();
        let shape = [3, dims[1]];
        let args: Vec<Arg> = (0..2).map(|_| memory.floats(F32, &shape, &data)).collect();
        agree(&long(600), &dims, &args, &memory);
    }
}

/// What a thread that failed would have left for later fissioned loops is not used.
#[test]
fn a_failure_ends_all_fissioned_loops() {
    let options = Options {
        check_bounds: true,
        ..Options::default()
    };
    let kernel = Kernel::with(&long(600), &options);
    assert!(kernel.text.contains("@kernel.inner.2("), "it is cut");
    let mut memory = Memory::default();
    // Rows are taken modulo 3.
    let args: Vec<Arg> = (0..2)
        .map(|_| memory.floats(F32, &[2, 4], &[0.5; 8]))
        .collect();
    let before = memory.read(&args[1]);
    let slot = kernel
        .run(&[2, 4], &args, &mut memory, Layout::Dense, &[])
        .expect_err("row 2 is out of range");
    assert_eq!((slot.code, slot.a, slot.b), (fault::INDEX, 2, 2));
    let last = memory.read(&args[1]);
    assert!(before.len() == last.len());
}

/// No function is long, and the text grows with the kernel.
#[test]
fn text_is_cut_into_short_functions() {
    let lines = |rounds: u32| {
        let kernel = Kernel::new(&long(rounds));
        let longest = kernel
            .text
            .split("define ")
            .map(|f| f.lines().count())
            .max();
        (kernel.text.lines().count(), longest.unwrap_or(0))
    };
    let ((short, one), (long, other)) = (lines(600), lines(2400));
    assert!(long < 5 * short, "{short} and {long} lines");
    assert!(other < 2 * one && other < 2500, "{one} and {other} lines");
}

/// LLVM is told how many threads a vector holds: so many numbers of 32 bits as fill a register, more of smaller ones.
#[test]
fn vectors_hold_what_numbers_need() {
    for (ty, lanes) in [
        ("float64", 8),
        ("float32", 8),
        ("float16", 16),
        ("int8", 32),
    ] {
        let mut text = format!(
            "kernel k(x: array<{ty}, 1>) {{
  %0:int32 = tid 0
  %1:{ty} = load x[%0]
"
        );
        for k in 2..1000 {
            text += &format!("  %{k}:{ty} = mul %{}, %1\n", k - 1);
        }
        text += "  store x[%0], %999\n}";
        let func = read(&text).expect("a kernel");
        let func = warp_core::verify::verify(func).expect("verifies");
        let lowered = host::lower(&func, &Options::default()).expect("lowers");
        let set = format!("!\"llvm.loop.vectorize.width\", i32 {lanes}}}");
        assert!(lowered.text.contains(&set), "{ty}");
    }
}
