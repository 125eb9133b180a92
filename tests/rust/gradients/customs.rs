//! Random kernels whose loads and operations are calls with replays: the derivatives that are formed of the bodies are rules as those
//! that authors write, and read arrays that the kernel goes on to write.

use crate::second::{adjoint_case, ways_agree};
use std::collections::HashMap;
use tests::differences::{Case, Outcome, check};
use tests::generate::generate;
use warp_core::adjoint::{Options, reverse};
use warp_core::ir::{Func, read};

const KERNELS: u64 = 300;

/// The numbers behind `%` in a line, with what they are replaced by.
fn renamed(line: &str, to: &HashMap<u32, u32>) -> String {
    let mut parts = line.split('%');
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        let number: u32 = part[..end].parse().expect("a value has a number");
        out += &format!("%{}{}", to.get(&number).unwrap_or(&number), &part[end..]);
    }
    out
}

fn numbers(line: &str) -> Vec<u32> {
    let parts = line.split('%').skip(1);
    let number = |p: &str| {
        p.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    parts
        .map(|p| number(p).parse().expect("a number"))
        .collect()
}

/// What a line defines by a load or an operation.
fn defined(line: &str) -> Option<u32> {
    let (out, what) = line.trim().split_once(" = ")?;
    // An intrinsic with several results, or one that has its place, stays where it is.
    let others = ["atomic", "const", "matmul", "replay", "mark"];
    let pure = !others.iter().any(|name| what.contains(name)) && out.starts_with('%');
    pure.then(|| numbers(out)[0])
}

/// The kernel with calls in the places of up to three neighbouring loads and operations.
pub fn with_calls(func: &Func) -> Func {
    let text = func.to_string();
    let mut types: HashMap<u32, String> = HashMap::new();
    for part in text.split('%').skip(1) {
        let number = part
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>();
        if let Some(ty) = part[number.len()..].strip_prefix(':') {
            let end = ty.find(|c: char| !c.is_alphanumeric()).unwrap_or(ty.len());
            types.insert(number.parse().expect("a number"), ty[..end].to_string());
        }
    }
    let mut next = types.keys().max().map_or(0, |n| n + 1);
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut at) = (String::new(), 0);
    while at < lines.len() {
        let run = lines[at..].iter().take(3);
        let run: Vec<&str> = run.take_while(|l| defined(l).is_some()).copied().collect();
        if run.is_empty() || at % 5 == 0 {
            out += &format!("{}\n", lines[at]);
            at += 1;
            continue;
        }
        let own: Vec<u32> = run.iter().filter_map(|l| defined(l)).collect();
        let mut ins: Vec<u32> = run.iter().flat_map(|l| numbers(l)).collect();
        ins.sort_unstable();
        ins.dedup();
        ins.retain(|n| !own.contains(n) && types[n].starts_with("float"));
        let mut block = |head: &dyn Fn(&HashMap<u32, u32>) -> String| {
            let fresh = ins.iter().chain(&own).map(|n| {
                next += 1;
                (*n, next - 1)
            });
            let to: HashMap<u32, u32> = fresh.collect();
            let body: String = run
                .iter()
                .map(|l| format!("{}\n", renamed(l, &to)))
                .collect();
            let results: Vec<String> = own.iter().map(|n| format!("%{}", to[n])).collect();
            format!("{}{body}yield {}\n", head(&to), results.join(", "))
        };
        let outs: Vec<String> = own.iter().map(|n| format!("%{n}:{}", types[n])).collect();
        out += &block(&|to| {
            let given = ins
                .iter()
                .map(|n| format!("%{}:{} = %{n}", to[n], types[n]));
            let given: Vec<String> = given.collect();
            format!(
                "custom with ({}) -> ({}) {{\n",
                given.join(", "),
                outs.join(", ")
            )
        });
        out += &block(&|to| {
            let given = ins.iter().map(|n| format!("%{}:{}", to[n], types[n]));
            format!("}} replay ({}) {{\n", given.collect::<Vec<_>>().join(", "))
        });
        out += "}\n";
        at += run.len();
    }
    let func = read(&out).unwrap_or_else(|e| panic!("{e}\n{out}"));
    warp_core::verify::check(&func).expect("a valid kernel");
    func
}

fn called(seed: u64) -> Case {
    let case = generate(seed);
    Case {
        func: with_calls(&case.func),
        ..case
    }
}

#[test]
fn random_calls_agree_with_differences() {
    let mut total = Outcome::default();
    let mut unwinding = 0;
    for seed in 0..KERNELS {
        let case = called(seed);
        let outcome = check(&case);
        let adjoint = reverse(&case.func, &Options::default()).expect("as just before");
        let text = adjoint.func.to_string();
        assert!(!text.contains("custom"), "{text}");
        unwinding += u32::from(text.matches("unwind").count() > 3);
        total.agreed += outcome.agreed;
        total.kinks += outcome.kinks;
    }
    assert!(unwinding > 30, "{unwinding}");
    assert!(total.agreed > 10 * KERNELS as usize, "{total:?}");
    assert!(total.kinks * 25 < total.agreed, "{total:?}");
}

#[test]
fn random_calls_twice() {
    let mut total = Outcome::default();
    let mut kept = 0;
    for seed in 0..KERNELS / 4 {
        let case = called(seed);
        ways_agree(&case);
        let second = adjoint_case(&case);
        kept += u32::from(second.func.to_string().contains("custom"));
        let outcome = check(&second);
        total.agreed += outcome.agreed;
        total.kinks += outcome.kinks;
    }
    assert!(kept > KERNELS as u32 / 16, "{kept}");
    assert!(total.kinks * 10 < total.agreed, "{total:?}");
}
