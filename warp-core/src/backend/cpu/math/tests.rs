//! Every function, at every width, against the C library in higher precision.

use super::*;
use crate::abi::{Ctx, Entry};
use crate::backend::cpu::llvm::{Loaded, OptLevel, Tuning, compile, load, optimized_text};

/// A kernel that applies a function to one or two arrays, vectorised by `width`.
fn kernel(f: Function, width: usize) -> String {
    let (ty, size) = (f.ty.name(), if f.ty == Ty::F32 { 4 } else { 8 });
    let args = if f.arity == 1 {
        format!("{ty} %a")
    } else {
        format!("{ty} %a, {ty} %b")
    };
    format!(
        "define void @k(ptr %ctx, ptr %args, i64 %begin, i64 %end) {{
entry:
  %xs = load ptr, ptr %args
  %ya = getelementptr i8, ptr %args, i64 8
  %ys = load ptr, ptr %ya
  %ra = getelementptr i8, ptr %args, i64 16
  %rs = load ptr, ptr %ra
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %n, %loop ]
  %xp = getelementptr inbounds {ty}, ptr %xs, i64 %i
  %yp = getelementptr inbounds {ty}, ptr %ys, i64 %i
  %rp = getelementptr inbounds {ty}, ptr %rs, i64 %i
  %a = load {ty}, ptr %xp, align {size}, !llvm.access.group !0
  %b = load {ty}, ptr %yp, align {size}, !llvm.access.group !0
  %r = call {ty} @{}({args})
  store {ty} %r, ptr %rp, align {size}, !llvm.access.group !0
  %n = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %n, %end
  br i1 %c, label %loop, label %exit, !llvm.loop !1
exit:
  ret void
}}
!0 = distinct !{{}}
!1 = distinct !{{!1, !2, !3}}
!2 = !{{!\"llvm.loop.parallel_accesses\", !0}}
!3 = !{{!\"llvm.loop.vectorize.width\", i32 {width}}}
",
        f.symbol(1)
    )
}

struct Compiled(Loaded, Function);

impl Compiled {
    fn new(f: Function, width: usize) -> Compiled {
        let object = compile(&kernel(f, width), OptLevel::O2, Tuning::default()).unwrap();
        Compiled(load(&object, "k").unwrap(), f)
    }

    /// Applies the function; values of a single precision function are exact in f64.
    fn run(&self, x: &[f64], y: &[f64]) -> Vec<f64> {
        match self.1.ty {
            Ty::F32 => {
                let x: Vec<f32> = x.iter().map(|v| *v as f32).collect();
                let y: Vec<f32> = y.iter().map(|v| *v as f32).collect();
                let mut r = vec![0f32; x.len()];
                self.call(
                    x.as_ptr().cast(),
                    y.as_ptr().cast(),
                    r.as_mut_ptr().cast(),
                    x.len(),
                );
                r.into_iter().map(f64::from).collect()
            }
            _ => {
                let mut r = vec![0f64; x.len()];
                self.call(
                    x.as_ptr().cast(),
                    y.as_ptr().cast(),
                    r.as_mut_ptr().cast(),
                    x.len(),
                );
                r
            }
        }
    }

    fn call(&self, x: *const u8, y: *const u8, r: *mut u8, n: usize) {
        let args = [x, y, r.cast_const()];
        // SAFETY: `kernel` defines `k` with this signature, reading three pointers to `n` values.
        unsafe {
            let entry = std::mem::transmute::<usize, Entry>(self.0.address());
            entry(&mut Ctx::new(), args.as_ptr().cast(), 0, n as i64);
        }
    }
}

/// The C library's function of that name in double precision.
fn reference(name: &str) -> extern "C" fn(f64, f64) -> f64 {
    let address = symbols()
        .into_iter()
        .find(|(n, _)| *n == format!("wl.{name}.f64"))
        .unwrap()
        .1;
    // SAFETY: a function of doubles; a second argument in a register does a unary one no harm.
    unsafe { std::mem::transmute::<usize, extern "C" fn(f64, f64) -> f64>(address) }
}

/// Distance of `got` from `want` in units of the last place of `want` at precision `ty`.
fn ulps(got: f64, want: f64, ty: Ty) -> f64 {
    let (digits, least, most) = if ty == Ty::F32 {
        (23, -149, f64::from(f32::MAX))
    } else {
        (52, -1074, f64::MAX)
    };
    let want = if want.abs() > most {
        want.signum() * f64::INFINITY
    } else {
        want
    };
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == want {
        return 0.0;
    }
    if got.is_infinite() || want.is_infinite() {
        // One step past the largest number counts as one step.
        let finite = if got.is_infinite() { want } else { got };
        let near = finite.abs() >= most && got.signum() == want.signum();
        return if near { 1.0 } else { f64::INFINITY };
    }
    let exponent = (want.abs().to_bits() >> 52) as i32 - 1023;
    let ulp = 2f64.powi((exponent - digits).max(least).max(-1022));
    let ulp = if ty == Ty::F64 && exponent - digits < -1022 {
        f64::from_bits(1)
    } else {
        ulp
    };
    (got - want).abs() / ulp
}

const SPECIAL: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    1e-40,
    -1e-40,
    1e-45,
    1.17e-38,
    3.4e38,
    -3.4e38,
    1e10,
    -1e10,
    88.8,
    -103.9,
    1e-20,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Arguments: special ones, all magnitudes and signs, and the everyday range densely.
fn arguments(f: Function) -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for a in SPECIAL {
        for b in SPECIAL {
            x.push(a);
            y.push(b);
        }
    }
    let n = if cfg!(debug_assertions) {
        60_000
    } else {
        1_000_000
    };
    let mut state = 0x853c_49e6_748f_ea9bu64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for i in 0..n {
        let unit = |r: u64| (r >> 11) as f64 / (1u64 << 53) as f64;
        let (a, b) = match i % 4 {
            0 => (
                f64::from(f32::from_bits(random() as u32)),
                f64::from(f32::from_bits(random() as u32)),
            ),
            1 => (unit(random()) * 2.2 - 1.1, unit(random()) * 2.2 - 1.1),
            2 => (unit(random()) * 200.0 - 100.0, unit(random()) * 20.0 - 10.0),
            _ => {
                // Near 1 and near multiples of pi/2, where cancellation happens.
                let k = (random() % 2000) as f64;
                let near = if random() & 1 == 0 {
                    1.0
                } else {
                    k * std::f64::consts::FRAC_PI_2
                };
                (
                    near + (unit(random()) - 0.5) * 1e-3 * near,
                    unit(random()) * 60.0,
                )
            }
        };
        x.push(a);
        y.push(b);
    }
    if f.ty == Ty::F32 {
        for v in x.iter_mut().chain(y.iter_mut()) {
            *v = f64::from(*v as f32);
        }
    }
    (x, y)
}

#[test]
fn accurate_and_equal_at_every_width() {
    let mut report = String::new();
    let mut bad = String::new();
    for f in Function::all().filter(|f| f.has_body()) {
        let (x, y) = arguments(f);
        let of = reference(f.name);
        let scalar = Compiled::new(f, 1).run(&x, &y);
        let (mut worst, mut at) = (0.0, 0);
        for i in 0..x.len() {
            let u = ulps(scalar[i], of(x[i], y[i]), f.ty);
            // NaN cannot be here; infinity means a special value that is wrong.
            if u > worst {
                (worst, at) = (u, i);
            }
            let want = of(x[i], y[i]);
            if want == 0.0
                && scalar[i] == 0.0
                && want.is_sign_negative() != scalar[i].is_sign_negative()
            {
                let _ = writeln!(bad, "{}({}, {}) has the wrong zero", f.stem(), x[i], y[i]);
            }
        }
        let _ = writeln!(
            report,
            "{:10} {worst:.2} ulp at ({}, {})",
            f.stem(),
            x[at],
            y[at]
        );
        if worst > 2.0 {
            let want = of(x[at], y[at]);
            let _ = writeln!(
                bad,
                "{}({}, {}) = {} not {want}: {worst} ulp",
                f.stem(),
                x[at],
                y[at],
                scalar[at]
            );
        }
        for w in WIDTHS {
            let vector = Compiled::new(f, w).run(&x, &y);
            let differs = (0..x.len())
                .find(|i| vector[*i].to_bits() != scalar[*i].to_bits() && !scalar[*i].is_nan());
            if let Some(i) = differs {
                let _ = writeln!(
                    bad,
                    "{} at width {w}: ({}, {}) is {} not {}",
                    f.stem(),
                    x[i],
                    y[i],
                    vector[i],
                    scalar[i]
                );
            }
        }
    }
    println!("{report}");
    assert!(bad.is_empty(), "{bad}\n{report}");
}

#[test]
fn vector_versions_are_really_used_and_inlined() {
    for f in Function::all().filter(|f| f.has_body()) {
        for w in WIDTHS {
            let text = optimized_text(&kernel(f, w), OptLevel::O2, Tuning::default()).unwrap();
            let body = f.ty.at(w);
            assert!(
                text.contains(&format!("store {body}")),
                "{} at {w}:\n{text}",
                f.stem()
            );
            assert!(
                !text.contains(&format!("call {body} @{}(", f.symbol(w))),
                "{text}"
            );
            assert!(!text.contains("llvm.compiler.used"));
            // Other widths leave nothing behind.
            for other in WIDTHS.into_iter().filter(|o| *o != w) {
                assert!(
                    !text.contains(&format!("@wm.v{other}.")),
                    "{} at {w}:\n{text}",
                    f.stem()
                );
            }
        }
    }
}

/// [`kernel`] of a function of one argument that is applied `times` times.
fn chain(f: Function, width: usize, times: usize) -> String {
    let (ty, symbol) = (f.ty.name(), f.symbol(1));
    let once = format!("  %r = call {ty} @{symbol}({ty} %a)\n");
    let mut calls = format!("  %r1 = call {ty} @{symbol}({ty} %a)\n");
    for i in 2..=times {
        let _ = writeln!(calls, "  %r{i} = call {ty} @{symbol}({ty} %r{})", i - 1);
    }
    let text = kernel(f, width).replace(&once, &calls);
    text.replace(
        &format!("store {ty} %r,"),
        &format!("store {ty} %r{times},"),
    )
}

#[test]
fn many_calls_stay_calls_and_give_the_same_bits() {
    let sin = Function::all().find(|f| f.name == "sin" && f.ty == Ty::F32);
    let (sin, width) = (sin.unwrap(), 8);
    let call = format!("call {} @{}(", sin.ty.at(width), sin.symbol(width));
    let text = |times| {
        let text = chain(sin, width, times);
        optimized_text(&text, OptLevel::O2, Tuning::default()).unwrap()
    };
    assert_eq!(text(MANY_CALLS).matches(&call).count(), 0);
    assert_eq!(text(MANY_CALLS + 1).matches(&call).count(), MANY_CALLS + 1);
    let object = compile(&chain(sin, width, 60), OptLevel::O2, Tuning::default()).unwrap();
    let many = Compiled(load(&object, "k").unwrap(), sin);
    let once = Compiled::new(sin, width);
    let x: Vec<f64> = (0..1001).map(|i| f64::from(i as f32 * 0.37)).collect();
    let want = (0..60).fold(x.clone(), |x, _| once.run(&x, &x));
    assert_eq!(many.run(&x, &x), want);
}

#[test]
fn every_function_runs_without_optimisation_and_the_c_library_fills_in() {
    for f in Function::all() {
        let object = compile(&kernel(f, 1), OptLevel::O0, Tuning::default()).unwrap();
        let k = Compiled(load(&object, "k").unwrap(), f);
        let of = reference(f.name);
        let (x, y) = ([0.25, 0.5, 0.75], [0.5, 1.5, 0.3]);
        let (x, y) = (
            x.map(|v| f64::from(v as f32)),
            y.map(|v| f64::from(v as f32)),
        );
        for (i, r) in k.run(&x, &y).into_iter().enumerate() {
            assert!(ulps(r, of(x[i], y[i]), f.ty) <= 2.0, "{} {i} {r}", f.stem());
        }
    }
}

#[test]
fn only_what_is_called_is_declared() {
    let text = attach("  %r = call float @wm.sin.f32(float %x)\n");
    assert!(text.contains("declare float @wm.sin.f32(float)"));
    assert!(text.contains("declare <8 x float> @wm.v8.sin.f32(<8 x float>)"));
    assert!(!text.contains("@wm.sin.f64") && !text.contains("cos"));
    assert_eq!(attach("ret void\n"), "ret void\n\n");
    assert_eq!(define(|_| 0), "");
}
