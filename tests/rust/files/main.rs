//! The runner of the golden files in `tests/filetests`: `cargo test -p tests --test files`. With `BLESS=1` it writes what
//! is found; `tests::files` says how a file is built.

mod run;

use std::fmt::Write;
use tests::files::{File, Test, hold, parts};
use tests::program::Program;
use warp_core::adjoint::{Adjoint, Options, reverse};
use warp_core::error::Bug;
use warp_core::front;
use warp_core::ir::{Func, read};
use warp_core::lower::{self, Lowered};
use warp_core::pass;
use warp_core::verify::{Verified, check, verify};

/// What a file holds as IR.
fn func(file: &File) -> Verified {
    let func = read(&file.source).unwrap_or_else(|e| panic!("{}: {e}", file.name));
    verify(func).unwrap_or_else(|bug| panic!("{}: {bug}", file.name))
}

/// IR as it is printed. It reads back and verifies.
fn printed(file: &File, func: &Func) -> String {
    let text = func.to_string();
    let again = read(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", file.name));
    check(&again).unwrap_or_else(|bug| panic!("{}: {bug}\n{text}", file.name));
    text
}

fn program(file: &File) -> tests::program::ProgramScope {
    Program::read(&format!("{}.py", file.stem()), &file.source).expect("constants")
}

#[test]
fn kernels_become_ir() {
    hold(Test::Front, |file| {
        let program = program(file);
        let mut found = String::new();
        for kernel in &program.0.kernels {
            match front::build(kernel.clone(), &program, front::Reading::default()) {
                Ok(built) => found += &printed(file, &built.func),
                Err(failure) => panic!("{}: {}", file.name, failure.render()),
            }
        }
        found
    });
}

#[test]
fn every_mistake_is_explained() {
    hold(Test::Error, |file| {
        let (program, name) = (program(file), &file.name);
        let kernel = program.0.kernels.last().expect("a kernel").clone();
        let failure = front::build(kernel, &program, front::Reading::default()).expect_err(name);
        assert!(failure.error.span.is_some(), "{name} has no place");
        let text = failure.render();
        assert!(
            text.contains(&format!("--> {}.py:", file.stem())),
            "{name} does not name the file:\n{text}"
        );
        format!("{:?}: {text}\n", failure.error.code)
    });
}

#[test]
fn passes_change_ir() {
    for (name, run) in [
        ("dce", pass::dce::dce as fn(&mut Func)),
        ("expand", pass::expand::expand),
        ("fuse", pass::fuse::fuse),
        ("hoist", pass::hoist::hoist),
        ("inline", pass::inline::inline_all),
        ("splice", pass::splice::splice),
        ("fold_zero_sums", pass::additive_identity::fold_zero_sums),
    ] {
        hold(Test::Pass(name), |file| {
            let mut func = func(file).into_func();
            run(&mut func);
            printed(file, &func)
        });
    }
}

/// The adjoint, and what it needs of each array.
fn reversed(file: &File, func: &Func, adjoint: &Adjoint) -> String {
    let mut found = printed(file, &adjoint.func);
    for array in &adjoint.report.arrays {
        writeln!(found, "# {}: {array:?}", func.param(array.param).name).expect("a String");
    }
    found
}

#[test]
fn kernels_have_adjoints() {
    hold(Test::Adjoint, |file| {
        let func = func(file);
        let adjoint = reverse(&func, &Options::default()).expect("has a gradient");
        reversed(file, &func, &adjoint)
    });
}

#[test]
fn adjoints_have_adjoints() {
    hold(Test::AdjointTwice, |file| {
        let func = func(file);
        let options = Options {
            again: true,
            ..Options::default()
        };
        let once = reverse(&func, &options).expect("has a gradient");
        let twice = reverse(&once.func, &Options::default()).expect("has a gradient again");
        reversed(file, &func, &once) + "\n" + &reversed(file, &once.func, &twice)
    });
}

#[test]
fn what_breaks_a_rule_is_refused() {
    hold(Test::Verify, |file| {
        let func = read(&file.source).unwrap_or_else(|e| panic!("{}: {e}", file.name));
        let bug = verify(func).expect_err(&file.name);
        bug.0 + "\n"
    });
}

#[test]
fn ir_runs_in_the_interpreter() {
    hold(Test::Run, |file| run::run_file(&file.source, &func(file)));
}

fn lowered(test: Test, lower: impl Fn(&Verified, &lower::Options) -> Result<Lowered, Bug>) {
    hold(test, |file| {
        let lowered = lower(&func(file), &lower::Options::default());
        lowered.expect("lowers").text
    });
}

#[test]
fn ir_becomes_text_for_the_cpu() {
    lowered(Test::LowerHost, lower::host::lower);
}

#[test]
fn ir_becomes_text_for_gpus() {
    lowered(Test::LowerNvptx, lower::nvptx::lower);
}

#[test]
fn a_file_says_what_it_is_for() {
    let refused = parts("@wp.kernel\n").expect_err("nothing is said");
    assert!(refused.contains("`@wp.kernel`"), "{refused}");
    assert!(parts("# test lower\n").is_err() && parts("").is_err());
    let (test, source, golden) =
        parts("# test lower host\nkernel\n----\ndefine\n----\n").expect("said");
    assert_eq!(test, Test::LowerHost);
    assert_eq!(
        (source, golden),
        ("# test lower host\nkernel\n", "define\n----\n")
    );
}
