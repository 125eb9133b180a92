//! Conditional nodes.
use super::build::push_node;
use super::query::{find, indices};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::device::memory;
use crate::driver::state::{Graph, NodeKind, State};

/// `cuGraphConditionalHandleCreate`.
///
/// The handle is the address of a 32-bit variable on the device: `cudaGraphSetConditional(handle, value)` in a kernel is a store of
/// `value` to it, through the memory that the kernel sees anyway.
pub fn create_handle(
    s: &mut State,
    graph: Handle,
    owner: Handle,
    default: u32,
    flags: u32,
) -> Result<u64> {
    if flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    find(s, graph)?;
    let owner = s.named_context(owner)?;
    let address = memory::allocate(s, owner, 4)?;
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
pub fn add(
    s: &mut State,
    owner: Handle,
    graph: Handle,
    dependencies: &[Handle],
    value: u64,
    kind: u32,
    size: u32,
) -> Result<(Handle, *mut Handle)> {
    let owner = s.named_context(owner)?;
    let known = find(s, graph)?
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
    let dependencies = indices(s, graph, dependencies)?;
    let inner = Graph {
        inner: true,
        ..Graph::default()
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
    let (_, node) = push_node(s, graph, owner, kind, dependencies)?;
    Ok((node, array))
}
