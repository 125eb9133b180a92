//! The front on texts that no person wrote, and what its kernels compute. Golden files are in `files`.

use proptest::prelude::*;
use std::fmt::Write;
use tests::files::{Test, all, named};
use tests::program::Program;
use warp_core::dtype::Scalar;
use warp_core::front::{self, Scope};
use warp_core::interp;
use warp_core::ty::Elem;

/// Texts of the golden files, as material for mutations.
fn corpus() -> Vec<String> {
    let files = all().iter();
    let texts = files.filter(|file| matches!(file.test, Test::Front | Test::Error));
    texts.map(|file| file.source.clone()).collect()
}

/// Builds whatever a text defines: it may be refused, and what is accepted must verify.
fn survive(text: &str) {
    // Constants of a mutated program may have no value.
    let Ok(program) = Program::read("fuzz.py", text) else {
        return;
    };
    for kernel in &program.0.kernels {
        match front::build(kernel.clone(), &program, front::Reading::default()) {
            Ok(built) => warp_core::verify::check(&built.func).unwrap_or_else(|bug| {
                panic!("{bug}\n{}\n{}", kernel.text, built.func);
            }),
            Err(failure) => drop(failure.render()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_kernels_never_panic(
        pick in any::<prop::sample::Index>(),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..12, any::<prop::sample::Index>(), any::<prop::sample::Index>()),
            1..5,
        ),
    ) {
        let corpus = corpus();
        let mut text = corpus[pick.index(corpus.len())].clone();
        for (at, length, kind, from) in edits {
            let snippets = [
                "return", "break", "continue", "x", "i", "0", "-1", "1.5", "(", ")", "[", "]", "[i]", ".x", ":", "\n", "\n    ",
                "if i:\n        ", "for i in range(3):\n        ", "while True:\n        ", "else:\n        ", " = ",
                " += ", "wp.", "wp.sin(", "wp.vec3(", "@", ", ", "*", "**", "not ", " and ", " if i else ", "lambda: ",
                "\"", "#", "\\", "\u{e9}", "\u{1f600}", "\t", "def k(", "wp.static(", "x, y = ", "tid()", "True", "None",
            ];
            let clamp = |n: usize| (0..=n.min(text.len())).rev().find(|n| text.is_char_boundary(*n)).unwrap_or(0);
            let start = clamp(at.index(text.len() + 1));
            let end = clamp(start + length).max(start);
            let new = match kind.index(4) {
                0 => String::new(),
                1 => snippets[from.index(snippets.len())].to_string(),
                2 => {
                    let other = &corpus[from.index(corpus.len())];
                    other.lines().nth(from.index(20)).unwrap_or("").to_string() + "\n"
                }
                _ => text.lines().nth(from.index(text.lines().count().max(1))).unwrap_or("").to_string() + "\n",
            };
            text.replace_range(start..end, &new);
        }
        survive(&text);
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        survive(&format!("@wp.kernel\ndef k(n: int):\n    {text}\n"));
        let scope = front::StaticScope::new();
        let _ = scope.annotation(&text);
        let _ = scope.eval_static(&text, &[]);
    }
}

#[test]
fn deep_and_long_texts_are_refused_on_a_small_stack() {
    let deep = |open: &str, close: &str, n: usize| {
        format!(
            "@wp.kernel\ndef k(x: float):\n    y = {}x{}\n",
            open.repeat(n),
            close.repeat(n)
        )
    };
    let nested_if = |n: usize| {
        let mut text = "@wp.kernel\ndef k(x: int):\n".to_string();
        for level in 1..=n {
            let _ = writeln!(text, "{}if x > {level}:", " ".repeat(level));
        }
        let _ = writeln!(text, "{}return", " ".repeat(n + 1));
        text
    };
    let chain = |line: &str, n: usize| {
        format!(
            "@wp.kernel\ndef k(x: int):\n    if x:\n        pass\n{}",
            line.repeat(n)
        )
    };
    let texts = vec![
        deep("(", ")", 100_000),
        deep("-", "", 100_000),
        deep("-", "", 3000),
        deep("wp.sin(", ")", 150),
        deep("wp.sin(", ")", 1900),
        deep("x + ", "", 2900),
        deep("x + ", "", 100_000),
        deep("x if x > 0.0 else ", "", 700),
        deep("x < ", "", 2000),
        deep("not ", "", 5000),
        deep("", ".x", 2500),
        deep("", "[0]", 1500),
        nested_if(90),
        nested_if(5000),
        chain("    elif x > 3:\n        return\n", 100),
        chain("    elif x > 3:\n        return\n", 20_000),
        chain("    if x > 3:\n        return\n", 150),
        chain("    if x > 3:\n        return\n", 5000),
        chain("    x += 1\n", 20_000),
    ];
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let handle = small.spawn(move || texts.iter().for_each(|text| survive(text)));
    handle.expect("a thread").join().expect("no panic");
}

#[test]
fn a_forty_line_kernel_is_built_quickly() {
    let program = Program::read("everyday.py", &named("front/everyday").source).expect("constants");
    let kernel = program.0.kernels[0].clone();
    let rounds = 50;
    let best = (0..rounds)
        .map(|_| {
            let start = std::time::Instant::now();
            front::build(kernel.clone(), &program, front::Reading::default()).expect("builds");
            start.elapsed()
        })
        .min()
        .expect("rounds");
    println!("front: {best:?}");
    // Ten times what is usual without optimisation: catches a change of order, not noise.
    assert!(best.as_millis() < 20, "{best:?}");
}

/// Runs the kernel of a golden file on `x` with one thread; gives the content of `out`.
fn run_jumps(name: &str, x: &[i64], out: usize) -> Vec<f64> {
    let program = Program::read("jumps.py", &named("front/jumps").source).expect("constants");
    let kernel = program
        .0
        .kernels
        .iter()
        .find(|k| k.name == name)
        .expect("the kernel");
    let built = front::build(kernel.clone(), &program, front::Reading::default()).expect("builds");
    let func = warp_core::verify::verify(built.func).expect("verifies");
    let mut memory = interp::Memory::default();
    let int = Elem::Scalar(Scalar::I32);
    let n = interp::Arg::Elem(vec![interp::Num::Int(x.len() as i64)]);
    let args = [
        n,
        memory.ints(int, &[x.len() as i32], x),
        memory.ints(int, &[out as i32], &vec![0; out]),
    ];
    interp::run(&func, &[1], &args, &mut memory).expect("runs");
    memory.read(&args[2])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn jumps_go_where_python_goes(x in prop::collection::vec(-9_i64..10, 0..12), hundred in 0_usize..20) {
        let mut x = x;
        if let Some(at) = x.get_mut(hundred) {
            *at = 100;
        }
        let (mut s, mut t) = (0, 0);
        for v in &x {
            match *v {
                v if v < 0 => continue,
                100 => break,
                v => s += v,
            }
        }
        prop_assert_eq!(run_jumps("jumps", &x, 1), vec![s as f64]);
        for v in x.iter().step_by(3) {
            if *v > 0 {
                if *v > 5 {
                    continue;
                }
                t += 1;
            } else {
                if *v < -5 {
                    break;
                }
                t += 2;
            }
            t += 10;
        }
        prop_assert_eq!(run_jumps("both_may_go_on", &x, 1), vec![f64::from(t)]);
        let mut out = vec![0.0; x.len().max(1)];
        let returned = 'outer: {
            for (j, v) in x.iter().enumerate() {
                let mut k = 0;
                loop {
                    if k > *v {
                        break;
                    }
                    if k == 7 {
                        break 'outer true;
                    }
                    k += 1;
                }
                out[j] = k as f64;
            }
            false
        };
        if !returned {
            out[0] = -1.0;
        }
        prop_assert_eq!(run_jumps("return_in_loop", &x, x.len().max(1)), out);
    }
}

/// How many functions there are for one that is called with the integers from 0 to 9. `use_` is what it does with `k`.
fn functions_for_ten_integers(use_: &str) -> usize {
    let mut text = format!("@wp.func\ndef f(x: float, k: int):\n    n = k * 3 - 1\n{use_}");
    for _ in 0..32 {
        text += "    x = x * 0.5 + float(n % 7)\n    n += 2\n";
    }
    text +=
        "    return x\n\n@wp.kernel\ndef kernel(o: wp.array(dtype=float)):\n    x = float(0.0)\n";
    for k in 0..10 {
        let _ = writeln!(text, "    x += f(x, {k})");
    }
    text += "    o[0] = x\n";
    let program = Program::read("integers.py", &text).unwrap();
    let kernel = program.0.kernels[0].clone();
    let built = front::build(kernel, &program, front::Reading::default())
        .unwrap_or_else(|failure| panic!("{}", failure.render()));
    warp_core::verify::check(&built.func).unwrap();
    built.func.callees.len()
}

#[test]
fn long_functions_are_made_for_integers_that_they_need_to_know() {
    // Three are made before it shows that one is enough. Then the kernel is walked anew.
    assert_eq!(functions_for_ten_integers(""), 1);
    // One more shows that it is not.
    for needs in [
        "    for j in range(k % 3):\n        x += float(j)\n",
        "    if k == 2:\n        x += 1.0\n",
        "    x = x ** float(k)\n",
        "    v = wp.vec3(1.0, 2.0, 3.0)\n    x += v[n % 3]\n",
        "    x += (x, 2.0 * x, x)[k // 5]\n",
    ] {
        assert_eq!(functions_for_ten_integers(needs), 11, "{needs}");
    }
}
