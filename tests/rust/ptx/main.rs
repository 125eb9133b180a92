//! Kernels as PTX: what the text says, and that NVIDIA's assemblers take it.

mod algorithms;
mod kernels;
mod times;

use kernels::{Named, all};
use tests::assemble::{assemble, libdevice, on_two_threads, ptxas};
use warp_core::backend::cuda::{Compiled, Libdevice, compile};
use warp_core::cache::{Cache, Source};
use warp_core::ir::read;
use warp_core::lower::nvptx::lower;
use warp_core::lower::{Options, StackUse};
use warp_core::verify::{Verified, verify};

fn checked() -> Options {
    Options {
        check_bounds: true,
        ..Options::default()
    }
}

fn made(func: &Verified, options: &Options, sm: u32, libdevice: Option<&Libdevice>) -> Compiled {
    compile(func, options, &Cache::none(), sm, libdevice, &|| false)
        .unwrap_or_else(|e| panic!("{e}\n{}", **func))
}

fn kernel(text: &str) -> Verified {
    verify(read(text).expect("it is well formed")).expect("it is valid")
}

fn text(func: &Verified, options: &Options) -> String {
    let made = made(func, options, 80, None);
    made.ptx.into_string().expect("PTX is ASCII")
}

const SAXPY: &str = "\
kernel saxpy(a: float32, x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = param a 0
  %2:float32 = load x[%0]
  %3:float32 = load y[%0]
  %4:float32 = mul %1, %2
  %5:float32 = add %4, %3
  store y[%0], %5
}
";

/// Copies each element of arrays of `count` floats, in as many dimensions.
fn copies(count: u32, ndim: u32) -> String {
    let index: String = (0..ndim)
        .map(|d| format!("{}%{d}", if d == 0 { "" } else { ", " }))
        .collect();
    let mut text = format!(
        "kernel copies(x: array<vec<{count}, float32>, {ndim}>, y: array<vec<{count}, float32>, {ndim}>) {{\n"
    );
    for d in 0..ndim {
        text += &format!("  %{d}:int32 = tid {d}\n");
    }
    for c in 0..count {
        text += &format!("  %{}:float32 = load x[{index}].{c}\n", ndim + c);
    }
    for c in 0..count {
        text += &format!("  store y[{index}].{c}, %{}\n", ndim + c);
    }
    text + "}\n"
}

#[test]
fn components_that_lie_together_are_read_and_written_together() {
    for (count, ndim, together) in [
        (2, 1, "v2"),
        (4, 1, "v4"),
        (4, 2, "v4"),
        (8, 3, "v4"),
        (6, 1, "v2"),
    ] {
        for options in [Options::default(), checked()] {
            let text = text(&kernel(&copies(count, ndim)), &options);
            for access in ["ld.global", "st.global"] {
                let form = format!("{access}.{together}.f32");
                let each = count / together[1..].parse::<u32>().expect("a digit");
                assert_eq!(
                    text.matches(&form).count() as u32,
                    each,
                    "{count}, {ndim}: {form}\n{text}"
                );
            }
        }
    }
    let three = text(&kernel(&copies(3, 1)), &Options::default());
    assert!(!three.contains(".global.v"), "{three}");
}

#[test]
fn arrays_are_global_memory() {
    for options in [Options::default(), checked()] {
        let text = text(&kernel(SAXPY), &options);
        for line in text.lines().map(str::trim) {
            let opcode = line.split_whitespace().find(|w| !w.starts_with('@'));
            let opcode = opcode.unwrap_or_default();
            for generic in [
                "ld.f", "ld.u", "ld.b", "st.f", "st.u", "st.b", "atom.cas", "atom.add",
            ] {
                assert!(!opcode.starts_with(generic), "{line}\n{text}");
            }
        }
        assert!(
            text.contains("ld.global.f32") && text.contains("st.global.f32"),
            "{text}"
        );
    }
}

#[test]
fn sums_are_contracted_only_if_asked() {
    let plain = text(&kernel(SAXPY), &Options::default());
    assert!(
        plain.contains("mul.rn.f32") && plain.contains("add.rn.f32") && !plain.contains("fma"),
        "{plain}"
    );
    let options = Options {
        contract: true,
        ..Options::default()
    };
    let contracted = text(&kernel(SAXPY), &options);
    assert!(contracted.contains("fma.rn.f32"), "{contracted}");
}

const DISTANCE: &str = "\
kernel distance(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = sqrt %1
  %3:float32 = asin %1
  %4:float32 = div %2, %3
  store y[%0], %4
}
";

#[test]
fn roots_and_quotients_are_rounded_correctly() {
    let library = libdevice();
    for library in [None, library.as_ref()] {
        let made = made(&kernel(DISTANCE), &Options::default(), 80, library);
        let text = made.ptx.into_string().expect("PTX is ASCII");
        assert!(
            text.contains("sqrt.rn.f32") && text.contains("div.rn.f32"),
            "{text}"
        );
        // A reciprocal root may begin as an approximation, which libdevice then makes exact.
        for bad in ["\tsqrt.approx", "div.approx", "div.full", "nvvm_reflect"] {
            assert!(!text.contains(bad), "{bad}: {text}");
        }
        // Only what is needed is there, and nobody calls it.
        assert!(!text.contains(".func"), "{text}");
    }
}

#[test]
fn float32_is_approximated_only_if_asked() {
    let options = Options {
        approximate: true,
        ..Options::default()
    };
    let made = made(&kernel(DISTANCE), &options, 80, libdevice().as_ref());
    let fast = made.ptx.into_string().expect("PTX is ASCII");
    assert!(
        fast.contains("sqrt.approx.ftz.f32") && fast.contains("div.approx.ftz.f32"),
        "{fast}"
    );
    let fast = text(&kernel(APPROXIMATED), &options);
    for word in [
        "sin.approx.ftz.f32",
        "ex2.approx.ftz.f32",
        "lg2.approx.ftz.f32",
    ] {
        assert!(fast.contains(word), "{word}: {fast}");
    }
    let exact = text(&kernel(APPROXIMATED), &Options::default());
    assert!(!exact.contains("sin.approx"), "{exact}");
}

const APPROXIMATED: &str = "\
kernel approximated(x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:float32 = load x[%0]
  %2:float32 = sin %1
  %3:float32 = log %2
  %4:float32 = exp %3
  store y[%0], %4
}
";

const RECORDS: &str = "\
kernel records(n: int32, x: array<float32, 1>, y: array<float32, 1>) {
  %0:int32 = tid 0
  %1:int32 = const 7
  %2:int32 = const 0
  %3:int32 = const 1
  %4:float32 = load x[%0]
  %5:int64 = mark
  for %6:int32 in range(%2, %1, %3) with (%7:float32 = %4) -> (%8:float32) {
    record 0:0 %7
    %9:float32 = sin %7
    logged store x[%0], %9
    yield %9
  }
  for %10:int32 in range(%2, %1, %3) with (%11:float32 = %8) -> (%12:float32) {
    %13:float32 = replay 0:0
    %14:float32 = mul %11, %13
    yield %14
  }
  unwind %5
  store y[%0], %12
}
";

#[test]
fn stacks_are_bounded_where_loops_are() {
    let known = made(&kernel(RECORDS), &Options::default(), 75, None);
    let wanted = [(0, Some(7)), (4, Some(14))];
    let wanted = wanted.map(|(arena, most)| StackUse { arena, most });
    assert_eq!(known.stacks, wanted);
    let open = RECORDS.replace("%1:int32 = const 7", "%1:int32 = param n 0");
    let open = made(&kernel(&open), &Options::default(), 75, None);
    assert!(
        open.stacks.iter().all(|s| s.most.is_none()),
        "{:?}",
        open.stacks
    );
    assert_eq!(open.stacks.len(), 2);
    assert!(
        made(&kernel(SAXPY), &Options::default(), 75, None)
            .stacks
            .is_empty()
    );
}

#[test]
fn stacks_are_global_memory_and_grow_out_of_line() {
    let records = RECORDS.replace("sin %7", "mul %7, %7");
    let text = text(&kernel(&records), &Options::default());
    // Declared and defined.
    assert_eq!(text.matches(".func").count(), 2, "{text}");
    assert!(
        text.contains("atom.global.add.u64") && text.contains("atom.global.max.u64"),
        "{text}"
    );
    for line in text.lines().map(str::trim) {
        assert!(
            !line.starts_with("ld.f32") && !line.starts_with("st.f32"),
            "{line}\n{text}"
        );
    }
}

#[test]
fn the_cache_keeps_what_launches_need() {
    let folder = std::env::temp_dir().join(format!("warp-ptx-cache-{}", std::process::id()));
    let cache = Cache::named(&folder).expect("a folder of ours");
    let func = kernel(RECORDS);
    let options = checked();
    let compile = |sm| compile(&func, &options, &cache, sm, None, &|| false).expect("compiles");
    let (first, second) = (compile(80), compile(80));
    assert_eq!((first.origin, second.origin), (Source::Made, Source::Disk));
    assert_eq!(
        Compiled {
            origin: Source::Disk,
            ..first
        },
        second
    );
    assert_eq!(compile(90).origin, Source::Made);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn an_interrupted_compile_is_an_error() {
    let failed = compile(
        &kernel(SAXPY),
        &Options::default(),
        &Cache::none(),
        80,
        None,
        &|| true,
    );
    assert!(
        failed
            .expect_err("interrupted")
            .to_string()
            .contains("interrupted")
    );
}

/// The devices that assemblers know, and what they are given: text for the last one that LLVM knows.
const LATER: [(u32, u32); 4] = [(100, 90), (103, 90), (120, 90), (121, 90)];

#[test]
fn every_kernel_assembles() {
    let (old, new, library) = (ptxas(11), ptxas(12), libdevice());
    let kernels = all();
    assert!(kernels.len() > 60, "{}", kernels.len());
    let numbered: Vec<(usize, &Named)> = kernels.iter().enumerate().collect();
    let check = |text: &[u8], name: &str, ptxas: &Option<std::path::PathBuf>, sm: u32| {
        if let Some(ptxas) = ptxas
            && let Err(said) = assemble(ptxas, text, sm)
        {
            panic!(
                "{name} for sm_{sm}: {said}\n{}",
                String::from_utf8_lossy(text)
            );
        }
    };
    on_two_threads(&numbered, |(k, named)| {
        let Named { name, func } = named;
        let with = made(func, &checked(), 75, library.as_ref()).ptx;
        check(with.as_bytes(), name, &old, 75);
        let computes = lower(func, &checked())
            .expect("lowers")
            .text
            .contains("@wm.");
        let without = computes.then(|| made(func, &checked(), 75, None).ptx);
        // Each device, and what is made without libdevice, gets a fixed part of them.
        match k % 8 {
            0 => check(
                made(func, &Options::default(), 80, library.as_ref())
                    .ptx
                    .as_bytes(),
                name,
                &old,
                80,
            ),
            1 => check(
                made(func, &Options::default(), 90, library.as_ref())
                    .ptx
                    .as_bytes(),
                name,
                &old,
                90,
            ),
            2 => check(with.as_bytes(), name, &new, 75),
            3 => {
                let (sm, from) = LATER[k / 8 % LATER.len()];
                check(
                    made(func, &checked(), from, None).ptx.as_bytes(),
                    name,
                    &new,
                    sm,
                );
            }
            4 | 5 => without
                .iter()
                .for_each(|text| check(text.as_bytes(), name, &old, 75)),
            _ => {}
        }
    });
}
