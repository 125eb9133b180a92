//! Nodes that are graphs themselves.
use super::build::add_node;
use super::copy::clone;
use super::query::find;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{NodeKind, Op, State};

/// `cuGraphAddChildGraphNode`: the child is cloned.
pub fn add(
    s: &mut State,
    context: Handle,
    graph: Handle,
    dependencies: &[Handle],
    child: Handle,
) -> Result<Handle> {
    let found = find(s, child)?;
    if child == graph
        || found
            .nodes
            .iter()
            .any(|n| matches!(n.kind, NodeKind::Op(Op::Allocate(_) | Op::Free(_))))
    {
        return Err(Error::INVALID_VALUE);
    }
    let child = clone(s, child, true)?;
    add_node(s, context, graph, dependencies, NodeKind::Child(child))
}
