//! How functions get into kernels; `accuracy` says what they compute.

mod accuracy;
mod reference;
mod samples;

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

#[test]
fn vector_versions_are_really_used_and_inlined() {
    for f in Function::all().filter(|f| f.has_body()) {
        for w in offered() {
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
    let mut once = Emit::new(width);
    sin.body(&mut once).unwrap();
    let many = MANY_OPERATIONS / once.finish().0.lines().count();
    assert_eq!(text(many).matches(&call).count(), 0);
    assert_eq!(text(many + 1).matches(&call).count(), many + 1);
    let object = compile(&chain(sin, width, 60), OptLevel::O2, Tuning::default()).unwrap();
    let many = Compiled(load(&object, "k").unwrap(), sin);
    let once = Compiled::new(sin, width);
    let x: Vec<f64> = (0..1001).map(|i| f64::from(i as f32 * 0.37)).collect();
    let want = (0..60).fold(x.clone(), |x, _| once.run(&x, &x));
    assert_eq!(many.run(&x, &x), want);
}

#[test]
fn every_function_runs_without_optimisation() {
    for f in Function::all() {
        let object = compile(&kernel(f, 1), OptLevel::O0, Tuning::default()).unwrap();
        let k = Compiled(load(&object, "k").unwrap(), f);
        let (x, y) = ([0.25, 0.5, 0.75], [0.5, 1.5, 0.3]);
        let (x, y) = (
            x.map(|v| f64::from(v as f32)),
            y.map(|v| f64::from(v as f32)),
        );
        assert_eq!(
            k.run(&x, &y),
            Compiled::new(f, 1).run(&x, &y),
            "{}",
            f.stem()
        );
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
