//! Nodes that allocate and free memory.
use super::build::add_node;
use super::query::find;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::device;
use crate::driver::state::memory::Origin;
use crate::driver::state::{Guard, Node, NodeKind, Op, State};

/// Reserves the address of a graph's allocation node; `add` makes the node.
pub fn reserve(
    g: &mut Guard,
    context: Handle,
    device: u32,
    bytes: u64,
    add: impl FnOnce(&mut Guard, u64) -> Result,
) -> Result<u64> {
    let base = g
        .memory
        .reserve(bytes, Origin::Context(context), context, device)?;
    if let Some(a) = g.memory.at_mut(base) {
        a.graph = true;
    }
    if let Err(error) = add(g, base) {
        g.memory.remove(base);
        return Err(error);
    }
    Ok(base)
}

/// `cuGraphAddMemAllocNode`: returns the node and its address.
pub fn add_allocation(
    g: &mut Guard,
    context: Handle,
    graph: Handle,
    dependencies: &[Handle],
    bytes: u64,
    device: i32,
) -> Result<(Handle, u64)> {
    let device = device::by_ordinal(g, device)?;
    let mut node = 0;
    let base = reserve(g, context, device, bytes, |g, base| {
        node = add_node(
            g,
            context,
            graph,
            dependencies,
            NodeKind::Op(Op::Allocate(base)),
        )?;
        Ok(())
    })?;
    Ok((node, base))
}

/// `cuGraphAddMemFreeNode`: memory of an allocation node.
pub fn add_free(
    s: &mut State,
    context: Handle,
    graph: Handle,
    dependencies: &[Handle],
    base: u64,
) -> Result<Handle> {
    if !s.memory.at(base).is_some_and(|a| a.graph) {
        return Err(Error::INVALID_VALUE);
    }
    let frees = |n: &Node| matches!(n.kind, NodeKind::Op(Op::Free(other)) if other == base);
    if find(s, graph)?.nodes.iter().any(frees) {
        return Err(Error::INVALID_VALUE);
    }
    add_node(
        s,
        context,
        graph,
        dependencies,
        NodeKind::Op(Op::Free(base)),
    )
}
