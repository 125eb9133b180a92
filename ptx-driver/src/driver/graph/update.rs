//! `cuGraphExecUpdate`.
use super::copy::{clone, delete};
use super::flatten::flatten;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{ExecNode, ExecNodeKind, Op, State};
use std::sync::Arc;

/// Why `cuGraphExecUpdate` refused, with the node.
pub struct Mismatch {
    pub result: Difference,
    pub node: Handle,
}

/// What differs, as a `CUgraphExecUpdateResult`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    Topology = 2,
    NodeType = 3,
    /// A parameter that may not change.
    Parameters = 5,
    NotSupported = 6,
    /// A kernel of another context.
    Function = 7,
}

/// What differs between two nodes that may not, if something does.
pub fn difference(old: &ExecNode, new: &ExecNode) -> Option<Difference> {
    use std::mem::discriminant;
    let (same, otherwise) = match (&old.kind, &new.kind) {
        (
            ExecNodeKind::Op(Op::Allocate(_) | Op::Free(_)),
            ExecNodeKind::Op(Op::Allocate(_) | Op::Free(_)),
        ) => (false, Difference::NotSupported),
        (ExecNodeKind::Op(Op::Kernel(a)), ExecNodeKind::Op(Op::Kernel(b))) => {
            let same = a.function.module.context == b.function.module.context;
            (same, Difference::Function)
        }
        (ExecNodeKind::Op(Op::Memcpy(a)), ExecNodeKind::Op(Op::Memcpy(b))) => {
            let same = discriminant(&a.dst) == discriminant(&b.dst)
                && discriminant(&a.src) == discriminant(&b.src)
                && old.context == new.context;
            (same, Difference::Parameters)
        }
        (ExecNodeKind::Op(Op::Memset(a)), ExecNodeKind::Op(Op::Memset(b))) => {
            let same = old.context == new.context && (a.height > 1) == (b.height > 1);
            (same, Difference::Parameters)
        }
        (ExecNodeKind::Op(a), ExecNodeKind::Op(b)) => {
            (discriminant(a) == discriminant(b), Difference::NodeType)
        }
        (
            ExecNodeKind::Conditional {
                value: a,
                repeat: r,
                bodies: x,
            },
            ExecNodeKind::Conditional {
                value: b,
                repeat: q,
                bodies: y,
            },
        ) => {
            let same = (a, r, x.len()) == (b, q, y.len());
            (same, Difference::Parameters)
        }
        _ => (false, Difference::NodeType),
    };
    (!same).then_some(otherwise)
}

/// `cuGraphExecUpdate`: takes over the parameters of a graph of the same form.
pub fn update_exec(s: &mut State, handle: Handle, graph: Handle) -> Result<Option<Mismatch>> {
    let exec = s.execs.get(handle).ok_or(Error::INVALID_HANDLE)?;
    let new = flatten(s, graph)?;
    let old = &exec.graph;
    if new.nodes.len() != old.nodes.len() {
        let result = Difference::Topology;
        return Ok(Some(Mismatch { result, node: 0 }));
    }
    for (before, after) in old.nodes.iter().zip(&new.nodes) {
        let result = if before.dependencies == after.dependencies {
            difference(before, after)
        } else {
            Some(Difference::Topology)
        };
        if let Some(result) = result {
            let node = after.node;
            return Ok(Some(Mismatch { result, node }));
        }
    }
    let source = clone(s, graph, true)?;
    let exec = s.execs.get_mut(handle).ok_or(Error::INVALID_HANDLE)?;
    // Nodes keep the handles of the graph that was instantiated.
    let handles: Vec<Handle> = exec.graph.nodes.iter().map(|node| node.node).collect();
    let mut new = new;
    for (node, handle) in new.nodes.iter_mut().zip(handles) {
        node.node = handle;
    }
    exec.graph = Arc::new(new);
    let former = std::mem::replace(&mut exec.source, source);
    delete(s, former);
    Ok(None)
}
