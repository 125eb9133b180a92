//! Nodes that `cuGraphAddNode` and its kin make, apart from what is common to all.
use super::error::{Error, Result};
use super::graph::{self, NodeKind};
use super::handle::Handle;
use super::state::{Guard, State};
use super::work::Op;
use super::{alloc, context};

/// `cuGraphAddChildGraphNode`: the child is cloned.
pub fn child(
    s: &mut State,
    context: Handle,
    graph: Handle,
    after: &[Handle],
    child: Handle,
) -> Result<Handle> {
    let found = graph::find(s, child)?;
    if child == graph
        || found
            .nodes
            .iter()
            .any(|n| matches!(n.kind, NodeKind::Op(Op::Allocate(_) | Op::Free(_))))
    {
        return Err(Error::INVALID_VALUE);
    }
    let child = graph::clone(s, child, true)?;
    graph::add_after(s, context, graph, after, NodeKind::Child(child))
}

/// `cuGraphAddMemAllocNode`: returns the node and its address.
pub fn allocate(
    g: &mut Guard,
    context: Handle,
    graph: Handle,
    after: &[Handle],
    bytes: u64,
    device: i32,
) -> Result<(Handle, u64)> {
    let device = super::device::check(g, device)?;
    let mut node = 0;
    let base = alloc::for_graph(g, context, device, bytes, |g, base| {
        node = graph::add_after(g, context, graph, after, NodeKind::Op(Op::Allocate(base)))?;
        Ok(())
    })?;
    Ok((node, base))
}

/// `cuGraphAddMemFreeNode`: memory of an allocation node.
pub fn free(
    s: &mut State,
    context: Handle,
    graph: Handle,
    after: &[Handle],
    base: u64,
) -> Result<Handle> {
    if !s.memory.at(base).is_some_and(|a| a.graph) {
        return Err(Error::INVALID_VALUE);
    }
    let frees = |n: &graph::Node| matches!(n.kind, NodeKind::Op(Op::Free(other)) if other == base);
    if graph::find(s, graph)?.nodes.iter().any(frees) {
        return Err(Error::INVALID_VALUE);
    }
    graph::add_after(s, context, graph, after, NodeKind::Op(Op::Free(base)))
}

/// `cuGraphConditionalHandleCreate`.
///
/// The handle is the address of a 32-bit variable on the device: `cudaGraphSetConditional(handle, value)` in a kernel is a store of
/// `value` to it, through the memory that the kernel sees anyway.
pub fn conditional_handle(
    s: &mut State,
    graph: Handle,
    owner: Handle,
    default: u32,
    flags: u32,
) -> Result<u64> {
    if flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    graph::find(s, graph)?;
    let owner = context::named(s, owner)?;
    let address = alloc::internal(s, owner, 4)?;
    if let Some(backing) = s.memory.at(address).and_then(|a| a.backing.as_ref()) {
        // SAFETY: four bytes that no kernel knows yet.
        unsafe { backing.start().cast::<u32>().write(default) };
    }
    if let Some(graph) = s.graphs.get_mut(graph) {
        graph
            .values
            .push((address, (flags == 1).then_some(default)));
    }
    Ok(address)
}

/// A conditional node: returns it and the array of its bodies, which are empty graphs to fill. The array lives as long as the node.
pub fn conditional(
    s: &mut State,
    owner: Handle,
    graph: Handle,
    after: &[Handle],
    value: u64,
    kind: u32,
    size: u32,
) -> Result<(Handle, *mut Handle)> {
    let owner = context::named(s, owner)?;
    let known = graph::find(s, graph)?
        .values
        .iter()
        .any(|(address, _)| *address == value);
    let used = s.graphs.values().any(|g| {
        g.nodes
            .iter()
            .any(|n| matches!(n.kind, NodeKind::Conditional { value: other, .. } if other == value))
            && !g.inner
    });
    // An `if` may have a body for zero, too; a `while` has one; a `switch` is newer than this driver.
    if !known || used || size == 0 || kind > 1 || size > 2 - kind {
        return Err(Error::INVALID_VALUE);
    }
    let after = graph::indices(s, graph, after)?;
    let inner = graph::Graph {
        inner: true,
        ..graph::Graph::default()
    };
    let bodies: Vec<Handle> = (0..size).map(|_| s.graphs.insert(inner.clone())).collect();
    let mut bodies = bodies;
    // Moving the vector into the node does not move the array.
    let array = bodies.as_mut_ptr();
    let kind = NodeKind::Conditional {
        value,
        repeat: kind == 1,
        bodies,
    };
    let (_, node) = graph::add(s, graph, owner, kind, after)?;
    Ok((node, array))
}
