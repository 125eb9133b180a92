//! Text to running code, failures as values, and forks.

use super::*;
use crate::abi::ctx::FUEL;
use crate::abi::{Ctx, Entry, FIRST_PARAM, fault};

const SUM: &str = r#"
define void @k(ptr %ctx, ptr noalias readonly %args, i64 %begin, i64 %end) {
entry:
  %pp = getelementptr i8, ptr %args, i64 16
  %p = load ptr, ptr %pp
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %n, %loop ]
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %w = fmul float %v, 2.0
  store float %w, ptr %a
  %n = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %n, %end
  br i1 %c, label %loop, label %exit
exit:
  ret void
}
"#;

fn run(entry: Entry, data: &mut [f32], ctx: &mut Ctx) {
    let mut args = [0u64; 10];
    args[FIRST_PARAM / 8] = data.as_mut_ptr() as u64;
    // SAFETY: the kernels here read a pointer at the first parameter and `data.len()` floats.
    unsafe { entry(ctx, args.as_ptr().cast(), 0, data.len() as i64) };
}

fn entry_of(loaded: &Loaded) -> Entry {
    // SAFETY: the texts of these tests define `k` with the signature of `Entry`.
    unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) }
}

#[test]
fn text_becomes_running_code() {
    let object = compile(SUM, OptLevel::O2, Tuning::default()).unwrap();
    let loaded = load(&object, "k").unwrap();
    let mut data: Vec<f32> = (0..100).map(|i| i as f32).collect();
    run(entry_of(&loaded), &mut data, &mut Ctx::new());
    assert!(data.iter().enumerate().all(|(i, v)| *v == 2.0 * i as f32));
}

#[test]
fn one_name_many_times_and_freed() {
    let objects: Vec<Vec<u8>> = (2..5)
        .map(|k| {
            let text = SUM.replace("2.0", &format!("{k}.0"));
            compile(&text, OptLevel::O0, Tuning::default()).unwrap()
        })
        .collect();
    for _ in 0..20 {
        let all: Vec<Loaded> = objects.iter().map(|o| load(o, "k").unwrap()).collect();
        for (k, loaded) in all.iter().enumerate() {
            let mut data = [1.0f32; 3];
            run(entry_of(loaded), &mut data, &mut Ctx::new());
            assert_eq!(data, [k as f32 + 2.0; 3]);
        }
    }
}

/// Doubles 16 numbers and writes what fuel there is behind them. The numbers are in registers while it asks for fuel.
const REFUELS: &str = r#"
define void @k(ptr %ctx, ptr %args, i64 %begin, i64 %end) {
  %at = getelementptr i8, ptr %args, i64 16
  %data = load ptr, ptr %at
  %numbers = load <16 x float>, ptr %data, align 4
  %twice = fadd <16 x float> %numbers, %numbers
  call void @warp_refuel(ptr %ctx) "no_caller_saved_registers"
  %fuel.in = getelementptr i8, ptr %ctx, i64 184
  %fuel = load i64, ptr %fuel.in
  store <16 x float> %twice, ptr %data, align 4
  %behind = getelementptr i8, ptr %data, i64 64
  %left = sitofp i64 %fuel to float
  store float %left, ptr %behind
  ret void
}
"#;

#[test]
fn runtime_functions_keep_registers() {
    let text = REFUELS.to_string() + crate::abi::runtime::DECLARATIONS;
    for level in [OptLevel::O0, OptLevel::O2] {
        let object = compile(&text, level, Tuning::default()).unwrap();
        let loaded = load(&object, "k").unwrap();
        for stop in [0, 1] {
            let mut ctx = Ctx::new();
            ctx.cancel = &raw const stop;
            let mut data: [f32; 17] = std::array::from_fn(|i| i as f32);
            run(entry_of(&loaded), &mut data, &mut ctx);
            let mut wanted: [f32; 17] = std::array::from_fn(|i| 2.0 * i as f32);
            wanted[16] = if stop == 1 { 0.0 } else { FUEL as f32 };
            assert_eq!(data, wanted);
            assert_eq!(ctx.error.code == fault::CANCELLED, stop == 1);
        }
    }
}

#[test]
fn failures_are_values() {
    let level = OptLevel::O2;
    let e = compile("define nonsense", level, Tuning::default()).unwrap_err();
    assert_eq!(e.step, "parse");
    assert!(e.message.contains("error"), "{e}");
    let wrong = "define i32 @k(float %x) {\n  ret float %x\n}\n";
    assert_eq!(
        compile(wrong, level, Tuning::default()).unwrap_err().step,
        "parse"
    );
    assert_eq!(load(b"not an object", "k").err().unwrap().step, "link");
    let object = compile(SUM, level, Tuning::default()).unwrap();
    let e = load(&object, "absent").err().unwrap();
    assert!(e.message.contains("absent"), "{e}");
    let missing =
        "declare void @nowhere()\ndefine void @k() {\n  call void @nowhere()\n  ret void\n}\n";
    let object = compile(missing, level, Tuning::default()).unwrap();
    assert!(
        load(&object, "k")
            .err()
            .unwrap()
            .message
            .contains("nowhere")
    );
    for cut in (0..object.len()).step_by(37) {
        assert!(load(&object[..cut], "k").is_err());
    }
}

#[test]
fn a_fatal_error_inside_llvm_is_a_value_too() {
    // No instruction of the host implements this intrinsic of another target.
    let text = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndefine i32 @k() {\n  %a = call i32 \
                @llvm.nvvm.read.ptx.sreg.tid.x()\n  ret i32 %a\n}\n";
    let e = compile(text, OptLevel::O2, Tuning::default()).unwrap_err();
    assert!(e.message.contains("select"), "{e}");
    assert!(compile(SUM, OptLevel::O2, Tuning::default()).is_ok());
}

#[test]
fn a_child_forked_during_compiles_compiles_too() {
    let done = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let work = || {
        let object = compile(SUM, OptLevel::O2, Tuning::default()).unwrap();
        let loaded = load(&object, "k").unwrap();
        let mut data = [1.0f32; 40];
        run(entry_of(&loaded), &mut data, &mut Ctx::new());
        data == [2.0; 40]
    };
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                while !done.load(relaxed) {
                    work();
                }
            });
        }
        for _ in 0..10 {
            // SAFETY: the child works and leaves without returning into the test harness.
            let status = unsafe {
                let child = libc::fork();
                if child == 0 {
                    libc::_exit(i32::from(!work()));
                }
                let mut status = -1;
                for _ in 0..2000 {
                    if libc::waitpid(child, &mut status, libc::WNOHANG) == child {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                if status == -1 {
                    libc::kill(child, libc::SIGKILL);
                }
                status
            };
            done.store(status != 0, relaxed);
            assert_eq!(status, 0, "the child failed or hung");
        }
        done.store(true, relaxed);
    });
}

#[test]
fn threads_compile_and_load_at_once() {
    std::thread::scope(|s| {
        for t in 0..4 {
            s.spawn(move || {
                for k in 0..3 {
                    let f = 2 + t * 3 + k;
                    let text = SUM.replace("2.0", &format!("{f}.0"));
                    let object = compile(&text, OptLevel::O2, Tuning::default()).unwrap();
                    let loaded = load(&object, "k").unwrap();
                    let mut data = [1.0f32; 40];
                    run(entry_of(&loaded), &mut data, &mut Ctx::new());
                    assert_eq!(data, [f as f32; 40]);
                }
            });
        }
    });
}

/// A loop of sums and differences over four arrays of 64 floats, one after the other in memory.
const SUMS: &str = r#"
define void @k(ptr %ctx, ptr noalias readonly %args, i64 %begin, i64 %end) {
entry:
  %pp = getelementptr i8, ptr %args, i64 16
  %p = load ptr, ptr %pp
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  %ap = getelementptr inbounds float, ptr %p, i64 %i
  %bp = getelementptr inbounds i8, ptr %ap, i64 256
  %op = getelementptr inbounds i8, ptr %ap, i64 512
  %qp = getelementptr inbounds i8, ptr %ap, i64 768
  %a = load float, ptr %ap
  %b = load float, ptr %bp
  %c = fadd float %a, %b
  %d = fsub float %a, %b
  %e = fadd float %c, 1.0
  %f = fsub float %d, %e
  %g = fadd float %f, %c
  %h = fsub float %b, %a
  %j = fadd float %h, %a
  store float %g, ptr %op
  store float %j, ptr %qp
  %n = add nuw nsw i64 %i, 1
  %m = icmp slt i64 %n, 64
  br i1 %m, label %loop, label %exit
exit:
  ret void
}
"#;

#[cfg(target_arch = "aarch64")]
#[test]
fn stores_of_atomic_additions_are_tried_again() {
    for (ty, op) in [("float", "fadd"), ("double", "fadd"), ("float", "fmax")] {
        let text = format!(
            "define void @k(ptr %ctx, ptr %p, i64 %begin, i64 %end) {{
               %x = load {ty}, ptr %ctx
               %old = atomicrmw {op} ptr %p, {ty} %x monotonic, align 8
               ret void
             }}"
        );
        let code = assembly(&text, OptLevel::O2, Tuning::default()).unwrap();
        // Whether a store failed is in its first register; a processor that has one instruction for all has no such store.
        let lost = |line: &&str| line.contains("xr") && line.contains("\twzr, ");
        assert!(!code.lines().any(|line| lost(&line)), "{code}");
        assert!(code.contains("\tstxr") || code.contains("\tcas"), "{code}");
    }
}

#[test]
fn sums_have_the_same_bits_wherever_they_are_computed() {
    let some = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-45,
        -3e-39,
        f32::MAX,
        f32::INFINITY,
        0.1,
        -16777217.0,
    ];
    let mut results = [OptLevel::O0, OptLevel::O2].map(|level| {
        let object = compile(SUMS, level, Tuning::default()).unwrap();
        let loaded = load(&object, "k").unwrap();
        let mut data = vec![0.0f32; 256];
        for i in 0..64 {
            data[i] = some[i % 10];
            data[64 + i] = some[(i / 10 + i) % 10];
        }
        run(entry_of(&loaded), &mut data, &mut Ctx::new());
        data.into_iter()
    });
    if host::Host::get().adds_apart() {
        let text = optimized_text(SUMS, OptLevel::O2, Tuning::default()).unwrap();
        assert!(text.contains("@llvm.fma."), "{text}");
    }
    let [slow, fast] = &mut results;
    for (a, b) in slow.zip(fast) {
        assert!(
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            "{a} {b}"
        );
    }
}

/// Passes memory on twice, each time other memory, so that both may lie at one place.
fn passing_on(kib: usize) -> String {
    let bytes = kib << 10;
    let mut text = "declare void @g(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
define void @k(ptr %ctx, ptr %args, i64 %begin, i64 %end) {
"
    .to_string();
    for name in ["a", "b"] {
        text += &format!("  %{name} = alloca [{bytes} x i8]\n");
    }
    for name in ["a", "b"] {
        for call in ["llvm.lifetime.start.p0", "g", "llvm.lifetime.end.p0"] {
            let size = if call == "g" { "" } else { "i64 -1, " };
            text += &format!("  call void @{call}({size}ptr %{name})\n");
        }
    }
    text + "  ret void\n}\n"
}

#[test]
fn code_with_large_frames_is_optimised_or_refused() {
    let bytes = |kib, level| compile(&passing_on(kib), level, Tuning::default());
    let small = bytes(500, OptLevel::O0).unwrap();
    assert_ne!(small, bytes(500, OptLevel::O2).unwrap());
    let large = bytes(600, OptLevel::O0).unwrap();
    assert_eq!(large, bytes(600, OptLevel::O2).unwrap());
    for level in [OptLevel::O0, OptLevel::O2] {
        let e = bytes(5000, level).unwrap_err();
        assert_eq!(e.step, "emit");
        assert!(e.message.starts_with("a stack frame of size (5"), "{e}");
    }
}
