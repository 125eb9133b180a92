//! Captures and graphs without Python.

use super::*;
use crate::array::{Array, copy};
use crate::device::{Device, Streams};
use crate::dtype::Scalar;
use crate::error::{Code, Result};
use crate::ty::Elem;
use smallvec::SmallVec;
use std::sync::Arc;

const INT: Elem = Elem::Scalar(Scalar::I32);

fn zeros(count: i64) -> Array {
    Array::zeros(INT, &[count], Device::Cpu).expect("there is memory")
}

fn numbers(array: &Array) -> Vec<i32> {
    // SAFETY: the owner keeps the memory, which nobody writes.
    let bytes = unsafe { copy::read(&array.view) }.expect("it is the host's");
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| i32::from_ne_bytes(*b))
        .collect()
}

fn fill(to: &Array, value: i32) -> Command {
    Command::Fill(Fill {
        to: to.clone(),
        element: SmallVec::from_slice(&value.to_ne_bytes()),
        name: "fill",
    })
}

fn copied(to: &Array, from: &Array) -> Command {
    let (to, from) = (to.clone(), from.clone());
    Command::Copy(Copy {
        to,
        from,
        name: "copy",
    })
}

/// Adds 1 to all of an array.
fn more(array: &Array) -> Command {
    let count = array.view.layout().len();
    let act = move |views: &Views, _| -> Result<()> {
        // SAFETY: the array is contiguous and has so many int32, which its owner keeps.
        let all = unsafe { std::slice::from_raw_parts_mut(views[0].arg.data.cast::<i32>(), count) };
        all.iter_mut().for_each(|n| *n += 1);
        Ok(())
    };
    Command::Algorithm(Algorithm::new("more", &[], &[array], act))
}

fn run(graph: &Graph) -> Result<()> {
    graph.check()?;
    graph.run(Streams::CURRENT, &|| false)
}

#[test]
fn commands_are_done_when_the_graph_runs() {
    let (a, b) = (zeros(2), zeros(2));
    assert!(!recorder::take(|| fill(&a, 1)).unwrap(), "nobody records");
    let capture = Capture::begin().expect("nothing is captured yet");
    assert!(Capture::begin().is_none(), "one at a time");
    assert!(capture::capturing() && recorder::take(|| fill(&a, 7)).unwrap());
    assert!(recorder::take(|| more(&a)).unwrap());
    assert!(recorder::take(|| copied(&b, &a)).unwrap());
    assert_eq!(
        recorder::look(&b.view, "it").unwrap_err().code,
        Code::Runtime
    );
    let graph = Graph::new(capture.end());
    assert!(!capture::capturing() && recorder::look(&b.view, "it").is_ok());
    assert_eq!(numbers(&b), [0, 0]);
    let names: Vec<String> = graph.commands().iter().map(Command::name).collect();
    assert_eq!(names, ["fill int32[2]", "more int32[2]", "copy int32[2]"]);
    let (mut written, mut read) = (0, Vec::new());
    graph.writes(&mut |_| written += 1);
    let mut read_by = |command: &Command| command.reads(&mut |from| read.push(*from));
    graph.commands().iter().for_each(&mut read_by);
    assert_eq!((written, read), (3, vec![a.view.strided()]));
    run(&graph).unwrap();
    run(&graph).unwrap();
    assert_eq!(numbers(&b), [8, 8]);
}

#[test]
fn memory_of_a_capture_begins_each_run_as_it_began() {
    let sum = zeros(1);
    let capture = Capture::begin().expect("nothing is captured yet");
    let (zeroed, counted, unused) = (zeros(1), zeros(1), zeros(1));
    // SAFETY: new memory, and an element of its type.
    unsafe { copy::fill(&counted.view, &5i32.to_ne_bytes()) }.unwrap();
    recorder::made(&zeroed, Start::Zeros);
    recorder::made(&counted, Start::Content);
    recorder::made(&unused, Start::Zeros);
    for array in [&zeroed, &counted, &sum] {
        recorder::take(|| more(array)).unwrap();
    }
    let graph = Graph::new(capture.end());
    let restored = |c: &&Command| c.name().starts_with("restore");
    assert_eq!(graph.commands().iter().filter(restored).count(), 2);
    for n in 1..3 {
        run(&graph).unwrap();
        assert_eq!((numbers(&zeroed), numbers(&counted)), (vec![1], vec![6]));
        assert_eq!(numbers(&sum), [n]);
    }
}

/// A graph within another one.
struct Within(Graph);

impl Commands for Within {
    fn commands(&self) -> Shared {
        self.0.commands()
    }
}

#[test]
fn the_host_decides_and_graphs_nest() {
    let (go_on, count) = (zeros(1), zeros(1));
    let capture = Capture::begin().expect("nothing is captured yet");
    let ((), body) = capture.body(|| {
        assert!(capture.is_in_body());
        recorder::take(|| more(&count)).unwrap();
        recorder::take(|| fill(&go_on, 0)).unwrap();
    });
    let body = body.expect("the capture goes on");
    let (condition, on_true) = (go_on.clone(), body.clone());
    let on_false: Shared = [fill(&count, 100)].into();
    recorder::take(|| {
        Command::Host(Host::If {
            condition,
            on_true,
            on_false,
        })
    })
    .unwrap();
    recorder::take(|| fill(&go_on, 1)).unwrap();
    let condition = go_on.clone();
    recorder::take(|| Command::Host(Host::While { condition, body })).unwrap();
    let inner = Graph::new(capture.end());
    let inner = Command::Host(Host::All(Box::new(Within(inner))));
    let outer = Graph::new(vec![inner, more(&count)]);
    run(&outer).unwrap();
    assert_eq!(numbers(&count), [102]);
    let mut names = Vec::new();
    outer.each(&mut |command| names.push(command.name()));
    assert_eq!(names, ["graph", "more int32[1]"]);
}

/// Counts what a thread does, and lets it.
struct Counter;

impl Recorder for Counter {
    fn defers(&self) -> bool {
        false
    }
    fn take(&self, _: Command) -> Result<()> {
        Ok(())
    }
}

#[test]
fn recorders_are_those_of_their_thread() {
    let counter = Arc::new(Counter);
    recorder::push(counter.clone());
    assert!(recorder::active() && recorder::has::<Counter>());
    assert!(recorder::deferring().is_none());
    let elsewhere = std::thread::spawn(recorder::has::<Counter>);
    assert!(!elsewhere.join().unwrap());
    let capture = Capture::begin().expect("nothing is captured yet");
    assert!(recorder::find::<Counter>().is_some() && recorder::deferring().is_some());
    // They may end in any order.
    assert!(recorder::remove(&*counter).is_some());
    assert!(recorder::remove(&*counter).is_none());
    assert!(capture::capturing() && capture.end().is_empty());
    // What a thread leaves behind is counted no more.
    std::thread::spawn(|| drop(Capture::begin()))
        .join()
        .unwrap();
    assert!(Capture::current().is_none());
}
