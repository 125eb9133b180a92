//! Graphs, nodes and edges.
use super::query::{find, find_node, indices};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Graph, Node, NodeKind, NodeRef, Op, State};

/// `cuGraphCreate`.
pub fn create(s: &mut State, flags: u32) -> Result<Handle> {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    Ok(s.graphs.insert(Graph::default()))
}

/// Adds a node; returns its index and its handle.
pub fn push_node(
    s: &mut State,
    graph: Handle,
    context: Handle,
    kind: NodeKind,
    dependencies: Vec<usize>,
) -> Result<(usize, Handle)> {
    let index = find(s, graph)?.nodes.len();
    let handle = s.nodes.insert(NodeRef { graph, index });
    let found = s.graphs.get_mut(graph).ok_or(Error::INVALID_HANDLE)?;
    found.nodes.push(Node {
        handle,
        context,
        kind,
        dependencies,
        removed: false,
    });
    Ok((index, handle))
}

/// Adds a node for one of the functions `cuGraphAdd...Node`.
pub fn add_node(
    s: &mut State,
    context: Handle,
    graph: Handle,
    dependencies: &[Handle],
    kind: NodeKind,
) -> Result<Handle> {
    let dependencies = indices(s, graph, dependencies)?;
    Ok(push_node(s, graph, context, kind, dependencies)?.1)
}

/// `cuGraphAddDependencies` and, with `remove`, `cuGraphRemoveDependencies`.
pub fn set_dependencies(
    s: &mut State,
    graph: Handle,
    from: &[Handle],
    to: &[Handle],
    remove: bool,
) -> Result {
    for (from, to) in from.iter().zip(to) {
        let pair = [*from, *to];
        let ends = if from == to {
            return Err(Error::INVALID_VALUE);
        } else {
            indices(s, graph, &pair)?
        };
        let after =
            &mut s.graphs.get_mut(graph).ok_or(Error::INVALID_HANDLE)?.nodes[ends[1]].dependencies;
        let there = after.contains(&ends[0]);
        match (remove, there) {
            (true, true) => after.retain(|index| *index != ends[0]),
            (false, false) => after.push(ends[0]),
            _ => return Err(Error::INVALID_VALUE),
        }
    }
    Ok(())
}

/// `cuGraphDestroyNode`: its dependencies go with it.
pub fn remove_node(s: &mut State, handle: Handle) -> Result {
    let (place, _) = find_node(s, handle)?;
    s.nodes.remove(handle);
    let graph = s.graphs.get_mut(place.graph).ok_or(Error::INVALID_HANDLE)?;
    for node in &mut graph.nodes {
        node.dependencies.retain(|index| *index != place.index);
    }
    let node = &mut graph.nodes[place.index];
    (node.removed, node.dependencies, node.kind) = (true, Vec::new(), NodeKind::Op(Op::Empty));
    Ok(())
}
