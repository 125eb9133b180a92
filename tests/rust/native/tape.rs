//! The tape of Rust programs, without Python.

use crate::support::{array, launched, numbers};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use warp_core::array::Array;
use warp_core::command::{Argument, Capture, Command, Copy, Fill, Graph, Launch, perform};
use warp_core::device::{Device, Stream, Streams};
use warp_core::error::Code;
use warp_core::launch::Dims;
use warp_core::module::Compiled;
use warp_core::tape::Tape;

/// y = s * x * x.
const SQUARE: &str = "
def square(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = s * x[i] * x[i]
";

/// total += x.
const SUM: &str = "
def add_up(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i])
";

/// x = x * x, which loses what its gradient needs.
const IN_PLACE: &str = "
def in_place(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * x[i]
";

/// Two numbers are read, and the next two written.
const NEXT: &str = "
def next_row(x: wp.array(dtype=float), k: int):
    i = wp.tid()
    x[2 * k + 2 + i] = x[2 * k + i] * x[2 * k + i]
";

/// A number is read, which the array says itself, and another one is written.
const PICK: &str = "
def pick(x: wp.array(dtype=float), k: int):
    x[k] = x[int(x[0])] * x[int(x[0])]
";

fn kernels() -> [Arc<Compiled>; 3] {
    [("square", SQUARE), ("add_up", SUM), ("in_place", IN_PLACE)].map(crate::support::kernel)
}

fn run(kernel: &Arc<Compiled>, arrays: &[&Array], value: Option<f32>) {
    perform(launched(kernel, arrays, value)).expect("it runs");
}

fn filled(to: &Array, value: f32) -> Command {
    Command::Fill(Fill {
        to: to.clone(),
        element: value.to_ne_bytes().as_slice().into(),
        name: "fill",
    })
}

fn copied(to: &Array, from: &Array) -> Command {
    let (to, from, name) = (to.clone(), from.clone(), "copy");
    Command::Copy(Copy { to, from, name })
}

#[test]
fn gradients_are_those_of_what_was_recorded() {
    let [square, sum, in_place] = kernels();
    let [x, y, z] = [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]].map(|n| array(&n));
    let total = array(&[0.0]);
    let tape = Tape::begin().expect("no tape records");
    assert!(Tape::begin().is_none(), "one at a time");
    for array in [&x, &y, &z, &total] {
        tape.require(array).expect("they hold floats");
    }
    run(&square, &[&x, &y], Some(3.0));
    run(&in_place, &[&y], None);
    perform(copied(&z, &y)).expect("same shape");
    run(&sum, &[&z, &total], None);
    assert!(tape.end() && !tape.end());
    assert_eq!((tape.len(), numbers(&total)[0]), (4, 9.0 + 144.0));
    // x is needed, and overwritten: by a fill, which nobody records any more.
    let before = tape.kept_bytes();
    perform(filled(&x, 7.0)).expect("it may be written");
    assert_eq!(tape.kept_bytes(), before + 8);
    tape.backward(Some(&total)).expect("there is a gradient");
    // total = sum (3 x^2)^2, so 36 x^3.
    let gradient = tape.gradient(&x).expect("it was asked for");
    assert_eq!(numbers(&gradient), [36.0, 288.0]);
    // The copy is a copy: its gradient stays at what it read.
    tape.zero().expect("no device refuses");
    assert_eq!(numbers(&gradient), [0.0, 0.0]);
    tape.backward(Some(&total)).expect("as before");
    // Of what was overwritten outside, the present content counts.
    assert_eq!(
        numbers(&gradient),
        [3.0 * 14.0 * 2.0 * 3.0, 3.0 * 14.0 * 2.0 * 12.0]
    );
    tape.reset().expect("no device refuses");
    assert!(tape.is_empty());
}

#[test]
fn fills_end_gradients_and_parts_have_parts_of_them() {
    let [square, sum, _] = kernels();
    let [x, y] = [[1.0, 2.0], [0.0, 0.0]].map(|n| array(&n));
    let total = array(&[0.0]);
    let tape = Tape::begin().expect("no tape records");
    let gradient = tape.require(&x).expect("it holds floats");
    tape.require(&y).expect("it holds floats");
    tape.require(&total).expect("it holds floats");
    run(&square, &[&x, &y], Some(1.0));
    // The second half, whose gradient ends here.
    let half = {
        let mut view = y.view;
        view.arg.data = view.arg.data.wrapping_add(4);
        view.arg.shape[0] = 1;
        y.with_view(view)
    };
    perform(filled(&half, 5.0)).expect("it may be written");
    run(&sum, &[&y, &total], None);
    let called = Arc::new(AtomicUsize::new(0));
    let counter = called.clone();
    let count = move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    tape.record_call(Box::new(count), vec![x.clone()]);
    tape.end();
    tape.backward(Some(&total)).expect("there is a gradient");
    assert_eq!(numbers(&gradient), [2.0, 0.0]);
    assert_eq!(called.load(Ordering::Relaxed), 1);
    let refused = tape.backward(Some(&x)).expect_err("two elements");
    assert_eq!(refused.code, Code::ArrayValue);
    let other = array(&[1.0]);
    let refused = tape.backward(Some(&other)).expect_err("no gradient");
    assert!(refused.message.contains("Tape::require"), "{refused}");
    let refused = tape.set_gradient(&x, &other).expect_err("another shape");
    assert!(refused.message.contains("float32[1]"), "{refused}");
}

#[test]
fn a_training_step_is_one_graph() {
    let [square, sum, _] = kernels();
    let [x, y] = [[1.0, 2.0], [0.0, 0.0]].map(|n| array(&n));
    let total = array(&[0.0]);
    let gradient = array(&[0.0, 0.0]);
    let capture = Capture::begin().expect("nothing is captured yet");
    let tape = Tape::begin().expect("no tape records");
    tape.set_gradient(&x, &gradient).expect("of its shape");
    // Made here, they begin each run at zero.
    tape.require(&y).expect("it holds floats");
    tape.require(&total).expect("it holds floats");
    perform(filled(&total, 0.0)).expect("it is taken");
    run(&square, &[&x, &y], Some(1.0));
    run(&sum, &[&y, &total], None);
    tape.end();
    tape.backward(Some(&total)).expect("it is taken");
    let graph = Graph::new(capture.end());
    assert_eq!(numbers(&gradient), [0.0, 0.0], "nothing has run");
    for n in 1..3 {
        graph.run(Streams::CURRENT, &|| false).expect("no fault");
        let n = n as f32;
        assert_eq!(numbers(&gradient), [2.0 * n, 4.0 * n]);
    }
    assert_eq!(numbers(&total), [5.0]);
}

/// A launch with an array and an integer.
fn step(kernel: &Arc<Compiled>, x: &Array, k: i32, threads: i32) {
    let mut dims = Dims::default();
    (dims.shape[0], dims.ndim) = (threads, 1);
    let extent = (Stream::default_of(Device::Cpu), dims);
    let k = k.to_ne_bytes();
    let args = [Argument::Array(x), Argument::Value(&k)];
    let launch = Launch::of(kernel, extent, &args).expect("the arguments fit");
    perform(Command::Launch(launch)).expect("it runs");
}

#[test]
fn nothing_is_kept_of_numbers_that_stay() {
    let (next, sum) = (
        crate::support::kernel(("next_row", NEXT)),
        crate::support::kernel(("add_up", SUM)),
    );
    let (x, total) = (array(&[1.5, 0.5, 0.0, 0.0, 0.0, 0.0]), array(&[0.0]));
    let tape = Tape::begin().expect("no tape records");
    for array in [&x, &total] {
        tape.require(array).expect("they hold floats");
    }
    for k in 0..2 {
        step(&next, &x, k, 2);
    }
    run(&sum, &[&x, &total], None);
    assert_eq!(tape.kept_bytes(), 0);
    // The second two numbers go.
    let part = {
        let mut view = x.view;
        view.arg.data = view.arg.data.wrapping_add(8);
        view.arg.shape[0] = 2;
        x.with_view(view)
    };
    perform(filled(&part, 9.0)).expect("it may be written");
    assert_eq!(tape.kept_bytes(), 8);
    assert!(tape.end());
    for _ in 0..2 {
        tape.zero().expect("no device refuses");
        tape.backward(Some(&total)).expect("there is a gradient");
        let gradient = numbers(&tape.gradient(&x).expect("it was asked for"));
        // Nobody has read what the fill writes: total = x + x^2 + x^4.
        let slope = |x: f32| 1.0 + 2.0 * x + 4.0 * x * x * x;
        assert_eq!(gradient[..2], [slope(1.5), slope(0.5)]);
    }
}

#[test]
fn little_is_kept_where_little_is_overwritten() {
    let (pick, sum) = (
        crate::support::kernel(("pick", PICK)),
        crate::support::kernel(("add_up", SUM)),
    );
    let (x, total) = (
        array(&[1.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        array(&[0.0]),
    );
    let tape = Tape::begin().expect("no tape records");
    for array in [&x, &total] {
        tape.require(array).expect("they hold floats");
    }
    // What is read is overwritten in the end.
    for k in [2, 3, 4, 1] {
        step(&pick, &x, k, 1);
    }
    assert_eq!(tape.kept_bytes(), 4 * 4);
    run(&sum, &[&x, &total], None);
    assert!(tape.end());
    tape.backward(Some(&total)).expect("there is a gradient");
    let gradient = numbers(&tape.gradient(&x).expect("it was asked for"));
    // Four squares of 3.
    assert_eq!(gradient[1], 4.0 * 2.0 * 3.0);
}
