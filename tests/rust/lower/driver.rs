//! The whole way: source text, native code, cache, adjoint.

use warp_core::abi::{ArrayArg, fault};
use warp_core::cache::{Cache, Source};
use warp_core::device::{Device, Stream};
use warp_core::front::{SourceText, StaticScope};
use warp_core::launch::{Block, Buffers, Job, Policy, run};
use warp_core::module::{Compiled, Options, Program, Reverse, compile};

const TEXT: &str = "\
@wp.kernel
def shift(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i + 1] * x[i + 1]
";

pub fn text(name: &str, text: &str) -> SourceText {
    SourceText {
        name: name.into(),
        file: format!("{name}.py"),
        first_line: 10,
        text: text.into(),
    }
}

fn build(cache: &Cache, check_bounds: bool) -> Compiled {
    let options = Options {
        cache: cache.clone(),
        check_bounds,
        debug: false,
        fast_compile: false,
        tiered: false,
        fuse_fp: false,
        lanes: warp_core::lower::Lanes::Auto,
        fast_math: false,
        deterministic: false,
        max_unroll: 16,
        block_dim: 256,
        line_info: false,
    };
    compile(text("shift", TEXT), &StaticScope::new(), &options).expect("compiles")
}

pub fn arg(data: &mut [f32]) -> ArrayArg {
    ArrayArg {
        data: data.as_mut_ptr().cast(),
        shape: [data.len() as i32, 1, 1, 1],
        strides: [4, 0, 0, 0],
    }
}

pub fn launch(program: &Program, n: i32, arrays: &[ArrayArg]) -> Result<(), (i32, u32)> {
    let dims = [n, 1, 1, 1];
    let mut block = Block::new(program.layout.size, dims);
    for (array, offset) in arrays.iter().zip(&program.layout.offsets) {
        block.write_array(*offset, array);
    }
    let policy = Policy {
        deterministic: false,
        buffers: Buffers::Apart,
    };
    let stream = Stream::default_of(Device::Cpu);
    let code = program.code(stream.device).expect("compiles");
    let job = Job::new(program, code, stream, block.as_ptr(), dims.into(), policy);
    // SAFETY: the block was packed for the program, its arrays are alive.
    unsafe { run(&job, None) }.map_err(|e| (e.code, e.span))
}

fn origin(kernel: &Compiled) -> Source {
    kernel.program.code(Device::Cpu).expect("compiles").origin
}

#[test]
fn text_runs_forward_and_back() {
    let kernel = build(&Cache::none(), false);
    let (mut x, mut y) = ([1.0f32, 2.0, 3.0, 4.0], [0.0f32; 3]);
    launch(&kernel.program, 3, &[arg(&mut x), arg(&mut y)]).expect("no fault");
    assert_eq!(y, [4.0, 9.0, 16.0]);

    let reversed = kernel.reverse(&Reverse::default()).expect("has a gradient");
    let adjoint = kernel.adjoint(reversed);
    let (mut adj_x, mut adj_y) = ([0.0f32; 4], [1.0f32, 10.0, 100.0]);
    let all = [arg(&mut x), arg(&mut y), arg(&mut adj_x), arg(&mut adj_y)];
    launch(&adjoint, 3, &all).expect("no fault");
    assert_eq!(adj_x, [0.0, 4.0, 60.0, 800.0]);
    assert_eq!(adj_y, [1.0, 10.0, 100.0], "the seed is read only");
    launch(&adjoint, 3, &[all[0], all[1], ArrayArg::MISSING, all[3]]).expect("no fault");
}

#[test]
fn a_fault_names_the_user_s_line() {
    let kernel = build(&Cache::none(), true);
    let (mut x, mut y) = ([1.0f32; 3], [0.0f32; 3]);
    let (code, span) =
        launch(&kernel.program, 3, &[arg(&mut x), arg(&mut y)]).expect_err("x[3] is out of range");
    assert_eq!(code, fault::INDEX);
    let code = kernel.program.code(Device::Cpu).expect("compiles");
    let span = code.spans[span as usize];
    let source = &kernel.sources[span.source as usize];
    assert_eq!(source.position(span.start).line, 13);
}

#[test]
fn the_second_compilation_comes_from_the_disk() {
    let folder = std::env::temp_dir().join(format!("warp-driver-test-{}", std::process::id()));
    let cache = Cache::named(&folder).expect("a folder of ours");
    assert_eq!(origin(&build(&cache, false)), Source::Made);
    assert_eq!(origin(&build(&cache, false)), Source::Disk);
    // Another option is another kernel.
    assert_eq!(origin(&build(&cache, true)), Source::Made);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn code_is_made_once_for_each_device_there_is() {
    let kernel = build(&Cache::none(), false);
    assert!(
        kernel.program.compiled(Device::Cpu).is_none(),
        "nobody has launched it"
    );
    let code = kernel.program.code(Device::Cpu).expect("compiles");
    assert!(std::ptr::eq(
        code,
        kernel.program.code(Device::Cpu).expect("is there")
    ));
    let error = kernel
        .program
        .code(Device::cuda(3))
        .expect_err("there is none");
    assert!(error.to_string().contains("cuda:3"), "{error}");
}
