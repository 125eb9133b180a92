//! The whole way: source text, native code, cache, adjoint.

use warp_core::abi::{ArrayArg, fault};
use warp_core::cache::{Cache, Source};
use warp_core::front::{SourceText, StaticScope};
use warp_core::launch::{Job, run};
use warp_core::module::{Compiled, Native, Options, Reverse, compile};

const TEXT: &str = "\
@wp.kernel
def shift(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i + 1] * x[i + 1]
";

fn build(cache: &Cache, check_bounds: bool) -> Compiled {
    let text = SourceText {
        name: "shift".into(),
        file: "shift.py".into(),
        first_line: 10,
        text: TEXT.into(),
    };
    let options = Options {
        cache: cache.clone(),
        check_bounds,
    };
    compile(text, &StaticScope::new(), &options).expect("compiles")
}

fn arg(data: &mut [f32]) -> ArrayArg {
    ArrayArg {
        data: data.as_mut_ptr().cast(),
        shape: [data.len() as i32, 1, 1, 1],
        strides: [4, 0, 0, 0],
    }
}

fn launch(code: &Native, n: i32, arrays: &[ArrayArg]) -> Result<(), (i32, u32)> {
    let mut block = vec![0u64; code.layout.size / 8];
    let at = block.as_mut_ptr().cast::<u8>();
    // SAFETY: the layout gives the dimensions and each array room at its offset.
    unsafe {
        at.cast::<[i32; 4]>().write_unaligned([n, 1, 1, 1]);
        for (array, offset) in arrays.iter().zip(&code.layout.offsets) {
            at.add(*offset).cast::<ArrayArg>().write_unaligned(*array);
        }
    }
    let job = Job {
        entry: code.entry,
        block: block.as_ptr().cast(),
        dims: [n, 1, 1, 1],
        cost: &code.cost,
        in_order: code.in_order,
        overlap: false,
    };
    // SAFETY: the block was packed for the code, its arrays are alive.
    unsafe { run(&job, None) }.map_err(|e| (e.code, e.span))
}

#[test]
fn text_runs_forward_and_back() {
    let kernel = build(&Cache::none(), false);
    let (mut x, mut y) = ([1.0f32, 2.0, 3.0, 4.0], [0.0f32; 3]);
    launch(&kernel.code, 3, &[arg(&mut x), arg(&mut y)]).expect("no fault");
    assert_eq!(y, [4.0, 9.0, 16.0]);

    let reversed = kernel.reverse(&Reverse::default()).expect("has a gradient");
    let adjoint = kernel.adjoint(reversed).expect("compiles");
    let (mut adj_x, mut adj_y) = ([0.0f32; 4], [1.0f32, 10.0, 100.0]);
    let all = [arg(&mut x), arg(&mut y), arg(&mut adj_x), arg(&mut adj_y)];
    launch(&adjoint.code, 3, &all).expect("no fault");
    assert_eq!(adj_x, [0.0, 4.0, 60.0, 800.0]);
    assert_eq!(adj_y, [1.0, 10.0, 100.0], "the seed is read only");
    launch(
        &adjoint.code,
        3,
        &[all[0], all[1], ArrayArg::MISSING, all[3]],
    )
    .expect("no fault");
}

#[test]
fn a_fault_names_the_user_s_line() {
    let kernel = build(&Cache::none(), true);
    let (mut x, mut y) = ([1.0f32; 3], [0.0f32; 3]);
    let (code, span) =
        launch(&kernel.code, 3, &[arg(&mut x), arg(&mut y)]).expect_err("x[3] is out of range");
    assert_eq!(code, fault::INDEX);
    let span = kernel.code.spans[span as usize];
    let source = &kernel.sources[span.source as usize];
    assert_eq!(source.position(span.start).line, 13);
}

#[test]
fn the_second_compilation_comes_from_the_disk() {
    let folder = std::env::temp_dir().join(format!("warp-driver-test-{}", std::process::id()));
    let cache = Cache::named(&folder).expect("a folder of ours");
    assert_eq!(build(&cache, false).code.origin, Source::Made);
    assert_eq!(build(&cache, false).code.origin, Source::Disk);
    // Another option is another kernel.
    assert_eq!(build(&cache, true).code.origin, Source::Made);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}
