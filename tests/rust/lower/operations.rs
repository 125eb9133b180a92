//! Every operation on every type it takes, at values where implementations differ.

use std::fmt::Write;
use tests::native::agree;
use warp_core::dtype::{Scalar, TABLE};
use warp_core::interp::{Memory, Num};
use warp_core::ir::PRIMITIVES;
use warp_core::ty::Elem;

/// Values at which implementations differ.
fn special(ty: Scalar) -> Vec<Num> {
    if ty == Scalar::Bool {
        return vec![Num::Int(0), Num::Int(1)];
    }
    if ty.is_int() {
        let bits = ty.bits();
        let (low, high) = match ty.is_signed() {
            true => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
            false => (0, (u64::MAX >> (64 - bits)) as i64),
        };
        let mut all = vec![0, 1, 2, 3, 5, 7, 31, 100, low, low + 1, high, high - 1];
        if ty.is_signed() {
            all.extend([-1, -2, -3, -7, -31]);
        }
        return all.into_iter().map(Num::Int).collect();
    }
    let tiny = match ty {
        Scalar::F16 => 6e-8,
        Scalar::BF16 => 1e-40,
        Scalar::F32 => 1e-45,
        _ => 5e-324,
    };
    let big = match ty {
        Scalar::F16 => 65504.0,
        Scalar::BF16 => 3.3895e38,
        Scalar::F32 => 3.4028234e38,
        _ => f64::MAX,
    };
    let mut all = vec![
        0.0,
        0.5,
        1.0,
        1.5,
        2.5,
        3.0,
        0.1,
        7.0,
        100.3,
        3.7,
        1e4,
        2147483648.0,
        9.3e18,
        0.49999997,
        tiny,
        big,
        f64::INFINITY,
    ];
    all.extend(all.clone().iter().map(|x| -x));
    all.push(f64::NAN);
    all.into_iter().map(|x| Num::Float(ty.round(x))).collect()
}

/// Runs `lines`, which compute %9 from %1 (a) and %2 (b), on all pairs of special values.
fn pairs(from: Scalar, to: Scalar, lines: &str) {
    let values = special(from);
    let n = values.len();
    let mut text = format!(
        "kernel k(a: array<{from}, 1>, b: array<{from}, 1>, y: array<{to}, 1>) {{
  %0:int32 = tid 0
  %1:{from} = load a[%0]
  %2:{from} = load b[%0]
"
    );
    let _ = writeln!(text, "{lines}\n  store y[%0], %9\n}}");
    let mut memory = Memory::default();
    let a = (0..n * n).map(|i| values[i / n]).collect();
    let b = (0..n * n).map(|i| values[i % n]).collect();
    let zero = if to.is_float() {
        Num::Float(0.0)
    } else {
        Num::Int(0)
    };
    let shape = [(n * n) as i32];
    let args = [
        memory.push(Elem::Scalar(from), &shape, a),
        memory.push(Elem::Scalar(from), &shape, b),
        memory.push(Elem::Scalar(to), &shape, vec![zero; n * n]),
    ];
    agree(&text, &shape, &args, &memory);
}

fn types() -> impl Iterator<Item = Scalar> {
    TABLE.iter().map(|row| row.scalar)
}

#[test]
fn named_operations_are_the_interpreter_s() {
    // The C library's functions and the interpreter's need not agree to the last bit.
    for row in PRIMITIVES.iter().filter(|row| row.library().is_none()) {
        let (name, rule) = (row.name, row.rule);
        for from in types() {
            let args = vec![from; rule.arity()];
            if let Some(to) = rule.result(&args) {
                let operands = if args.len() == 1 { "%1" } else { "%1, %2" };
                pairs(from, to, &format!("  %9:{to} = {name} {operands}"));
            }
        }
    }
}

#[test]
fn casts_are_the_interpreter_s() {
    for from in types() {
        for to in types() {
            pairs(from, to, &format!("  %9:{to} = cast %1"));
        }
    }
}

#[test]
fn bits_are_the_interpreter_s() {
    let all = || types().filter(|ty| *ty != Scalar::Bool);
    for from in all() {
        for to in all().filter(|to| to.bits() == from.bits()) {
            pairs(from, to, &format!("  %9:{to} = bits %1"));
        }
    }
}

#[test]
fn select_and_constants() {
    for ty in types() {
        let constant = match ty {
            Scalar::Bool => "true",
            t if t.is_float() => "-2.5",
            _ => "100",
        };
        pairs(
            ty,
            ty,
            &format!(
                "  %3:bool = eq %1, %2
  %4:{ty} = const {constant}
  %9:{ty} = select %3, %1, %4"
            ),
        );
    }
}

#[test]
fn range_lengths() {
    for ty in types().filter(|t| t.is_int()) {
        for step in ["1", "2", "3", "100", "0"] {
            pairs(
                ty,
                ty,
                &format!("  %3:{ty} = const {step}\n  %9:{ty} = rangelen %1, %2, %3"),
            );
        }
        pairs(
            ty,
            ty,
            "  %9:{ty} = rangelen %1, %2, %2"
                .replace("{ty}", ty.name())
                .as_str(),
        );
        if ty.is_signed() {
            for step in ["-1", "-2"] {
                pairs(
                    ty,
                    ty,
                    &format!("  %3:{ty} = const {step}\n  %9:{ty} = rangelen %1, %2, %3"),
                );
            }
        }
    }
}

#[test]
fn division_by_what_is_known() {
    for ty in types().filter(|t| t.is_int()) {
        let divisors: &[i64] = if ty.is_signed() {
            &[0, 1, -1, 3, -4, 8]
        } else {
            &[0, 1, 3, 8]
        };
        for d in divisors {
            for op in ["div", "floordiv", "mod"] {
                pairs(
                    ty,
                    ty,
                    &format!("  %3:{ty} = const {d}\n  %9:{ty} = {op} %1, %3"),
                );
            }
        }
        let positive = format!("  %3:{ty} = const 1\n  %4:{ty} = max %2, %3\n");
        for op in ["div", "floordiv", "mod"] {
            pairs(ty, ty, &format!("{positive}  %9:{ty} = {op} %1, %4"));
        }
    }
}

#[test]
fn transcendental_functions_are_close() {
    for row in PRIMITIVES.iter().filter(|row| row.library().is_some()) {
        let (name, rule) = (row.name, row.rule);
        for ty in types().filter(|t| t.is_float()) {
            let binary = rule.arity() == 2;
            let operands = if binary { "%1, %2" } else { "%1" };
            let text = format!(
                "kernel k(a: array<{ty}, 1>, b: array<{ty}, 1>, y: array<{ty}, 1>) {{
  %0:int32 = tid 0
  %1:{ty} = load a[%0]
  %2:{ty} = load b[%0]
  %9:{ty} = {name} {operands}
  store y[%0], %9
}}"
            );
            let a: Vec<f64> = (1..80).map(|i| ty.round(f64::from(i) * 0.0123)).collect();
            let b: Vec<f64> = a.iter().rev().copied().collect();
            let mut memory = Memory::default();
            let n = [a.len() as i32];
            let elem = Elem::Scalar(ty);
            let args = [
                memory.floats(elem, &n, &a),
                memory.floats(elem, &n, &b),
                memory.floats(elem, &n, &vec![0.0; a.len()]),
            ];
            let kernel = tests::native::Kernel::new(&text);
            let mut wanted = memory.clone();
            warp_core::interp::run(&kernel.func, &n, &args, &mut wanted).expect("runs");
            kernel
                .run(&n, &args, &mut memory, tests::native::Layout::Dense, &[])
                .expect("no fault");
            let epsilon = match ty {
                Scalar::F16 => 1e-3,
                Scalar::BF16 => 8e-3,
                Scalar::F32 => 1e-6,
                _ => 1e-14,
            };
            for (i, (w, f)) in wanted
                .read(&args[2])
                .iter()
                .zip(memory.read(&args[2]))
                .enumerate()
            {
                let near = (w - f).abs() <= epsilon * w.abs().max(epsilon);
                assert!(near, "{name} of {ty} at {}, {}: {w} and {f}", a[i], b[i]);
            }
        }
    }
}
