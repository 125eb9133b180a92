//! What waits in streams.
use super::exec::ExecGraph;
use super::op::Op;
use crate::driver::base::Handle;
use std::sync::Arc;

/// An item of a stream.
pub enum Action {
    Op(Op),
    Graph(Arc<ExecGraph>),
}

impl Action {
    /// Whether it calls a function of the program.
    pub fn calls_host(&self) -> bool {
        match self {
            Action::Op(op) => matches!(op, Op::Host(_)),
            Action::Graph(graph) => graph.calls_host(),
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
    pub dependencies: Vec<(Handle, u64)>,
    pub action: Action,
}
