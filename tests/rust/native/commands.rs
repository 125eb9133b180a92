//! Launches as commands of a graph, without Python.

use crate::support::{array, kernel, numbers};
use std::sync::Arc;
use warp_core::array::Array;
use warp_core::command::{Argument, Capture, Command, Graph, Launch, recorder};
use warp_core::device::{Device, Stream, Streams};
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Result};
use warp_core::launch::Dims;
use warp_core::module::Compiled;
use warp_core::ty::Elem;

const KERNEL: &str = "
def add(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] + s / x[i]
    assert y[i] < 9.0
";

fn launch(kernel: &Arc<Compiled>, args: &[Argument<'_>]) -> Result<Launch> {
    let mut dims = Dims::default();
    (dims.shape[0], dims.ndim) = (2, 1);
    Launch::of(kernel, (Stream::default_of(Device::Cpu), dims), args)
}

#[test]
fn launches_run_when_their_graph_does() {
    let kernel = kernel(("add", KERNEL));
    let (x, y) = (array(&[1.0, 2.0]), array(&[0.0, 0.0]));
    let two = 2f32.to_ne_bytes();
    let args = [
        Argument::Array(&x),
        Argument::Value(&two),
        Argument::Array(&y),
    ];
    let capture = Capture::begin().expect("nothing is captured yet");
    let made = launch(&kernel, &args).expect("the arguments fit");
    assert!(recorder::take(|| Command::Launch(made)).expect("it is taken"));
    let graph = Graph::new(capture.end());
    assert_eq!(graph.commands()[0].name(), "add[2]");
    let mut read = Vec::new();
    graph.commands()[0].reads(&mut |from| read.push(*from));
    assert_eq!(read, [x.view.strided(), y.view.strided()]);
    // The command keeps the memory.
    let kept = y.clone();
    drop((x, y));
    let run = || graph.run(Streams::CURRENT, &|| false);
    for _ in 0..4 {
        run().expect("no fault");
    }
    assert_eq!(numbers(&kept), [8.0, 4.0]);
    let fault = run().expect_err("the sum is too large");
    assert_eq!(fault.code, Code::Assertion);
    assert!(fault.message.contains("kernel 'add'") && fault.message.contains("add.py:"));
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let kernel = kernel(("add", KERNEL));
    let x = array(&[1.0, 2.0]);
    let whole = Array::zeros(Elem::Scalar(Scalar::I32), &[2], Device::Cpu).expect("memory");
    let mut fixed = x.clone();
    fixed.view.read_only = true;
    let [two, long] = [&[0u8; 4][..], &[0u8; 8]].map(Argument::Value);
    let [x, whole, fixed] = [&x, &whole, &fixed].map(Argument::Array);
    for (args, why) in [
        (&[x, two][..], "'y': it is missing"),
        (&[x, two, x, x], "too many"),
        (&[x, two, whole], "'y': an array of float32"),
        (&[x, two, fixed], "'y': the kernel writes it"),
        (&[x, long, x], "'s': float32 has 4 bytes"),
        (&[x, x, x], "'s': "),
    ] {
        let refused = launch(&kernel, args).err().expect("it does not fit");
        assert!(refused.message.contains(why), "{}", refused.message);
    }
}
