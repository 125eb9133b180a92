//! An executable graph: a graph with the graphs inside it, spread out and checked.
use super::op::Op;
use crate::driver::base::Handle;
use std::sync::Arc;

/// What a launch runs.
#[derive(Clone, Default)]
pub struct ExecGraph {
    pub nodes: Vec<ExecNode>,
    /// Values of conditional nodes that each launch sets.
    pub values: Vec<(u64, u32)>,
}

/// One operation, or a body that runs by a value.
#[derive(Clone)]
pub struct ExecNode {
    /// The node that it was made of.
    pub node: Handle,
    pub context: Handle,
    pub kind: ExecNodeKind,
    /// Indices of the nodes that come before.
    pub dependencies: Vec<usize>,
    /// Indices of the nodes that wait for it.
    pub dependents: Vec<usize>,
}

/// What such a node does.
#[derive(Clone)]
pub enum ExecNodeKind {
    Op(Op),
    Conditional {
        value: u64,
        repeat: bool,
        bodies: Vec<Arc<ExecGraph>>,
    },
}

impl ExecGraph {
    pub fn calls_host(&self) -> bool {
        self.nodes.iter().any(|node| match &node.kind {
            ExecNodeKind::Op(op) => matches!(op, Op::Host(_)),
            ExecNodeKind::Conditional { bodies, .. } => bodies.iter().any(|body| body.calls_host()),
        })
    }

    /// Adds a node behind others; returns its index.
    pub fn push(
        &mut self,
        node: Handle,
        context: Handle,
        kind: ExecNodeKind,
        dependencies: Vec<usize>,
    ) -> usize {
        let index = self.nodes.len();
        for before in &dependencies {
            self.nodes[*before].dependents.push(index);
        }
        self.nodes.push(ExecNode {
            node,
            context,
            kind,
            dependencies,
            dependents: Vec::new(),
        });
        index
    }

    /// Events recorded outside that nodes wait for.
    pub fn events(&self) -> impl Iterator<Item = Handle> {
        self.nodes.iter().filter_map(|node| match node.kind {
            ExecNodeKind::Op(Op::WaitEvent { event }) => Some(event),
            _ => None,
        })
    }

    /// Addresses that the graph allocates, and those that it frees.
    pub fn memory(&self) -> (Vec<u64>, Vec<u64>) {
        let (mut made, mut freed) = (Vec::new(), Vec::new());
        for node in &self.nodes {
            match node.kind {
                ExecNodeKind::Op(Op::Allocate(base)) => made.push(base),
                ExecNodeKind::Op(Op::Free(base)) => freed.push(base),
                _ => {}
            }
        }
        (made, freed)
    }
}

/// A `CUgraphExec`.
pub struct Exec {
    pub graph: Arc<ExecGraph>,
    pub flags: u64,
    pub launched: bool,
    /// The last launch: a graph does not run beside itself.
    pub last: Option<(Handle, u64)>,
    /// The graph it was made of, cloned: a launch in a capture becomes a child of it.
    pub source: Handle,
}
