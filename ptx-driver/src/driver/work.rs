//! What streams and graphs execute.
use super::copy::{Copy, Fill};
use super::exec::Program;
use super::handle::Handle;
use super::launch::Launch;
use std::ffi::c_void;
use std::sync::Arc;

/// A function of the program that is called in stream order.
#[derive(Clone, Copy)]
pub enum HostCall {
    /// Of `cuLaunchHostFunc`.
    Function {
        function: unsafe extern "C" fn(*mut c_void),
        data: usize,
    },
    /// Of `cuStreamAddCallback`.
    Callback {
        function: unsafe extern "C" fn(Handle, u32, *mut c_void),
        stream: Handle,
        data: usize,
    },
}

/// One operation: an item of a stream, or a node of a graph.
#[derive(Clone)]
pub enum Op {
    /// Only its dependencies matter.
    Nothing,
    Kernel(Arc<Launch>),
    Copy(Arc<Copy>),
    Fill(Arc<Fill>),
    Host(HostCall),
    /// An event reaches this version; without one, the version of the moment of execution (a node of a graph).
    Record {
        event: Handle,
        version: Option<u64>,
    },
    /// A node that waits for an event recorded outside its graph.
    WaitEvent {
        event: Handle,
    },
    Allocate(u64),
    Free(u64),
}

/// An item of a stream.
pub enum Action {
    Op(Op),
    Graph(Arc<Program>),
}

impl Action {
    /// Whether it calls a function of the program.
    pub fn calls_host(&self) -> bool {
        match self {
            Action::Op(op) => matches!(op, Op::Host(_)),
            Action::Graph(program) => program.calls_host(),
        }
    }
}

/// An action in its queue.
pub struct Work {
    /// Its number in its stream.
    pub number: u64,
    /// When it was enqueued, among all calls.
    pub ticket: u64,
    /// What it waits for, apart from the work before it: a stream, and a number there.
    pub after: Vec<(Handle, u64)>,
    pub action: Action,
}
