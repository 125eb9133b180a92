//! Graphs with the graphs inside them: clones, and what goes with a graph.
use super::query::find;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Graph, NodeKind, NodeRef, State};

/// Clones a graph with the graphs inside it, as a graph inside another or as one of its own.
pub fn clone(s: &mut State, graph: Handle, inner: bool) -> Result<Handle> {
    let mut copy = find(s, graph)?.clone();
    copy.inner = inner;
    copy.capturing = false;
    let handle = s.graphs.insert(Graph::default());
    for (index, node) in copy.nodes.iter_mut().enumerate() {
        node.handle = s.nodes.insert(NodeRef {
            graph: handle,
            index,
        });
        match &mut node.kind {
            NodeKind::Child(child) => *child = clone(s, *child, true)?,
            NodeKind::Conditional { bodies, .. } => {
                for body in bodies {
                    *body = clone(s, *body, true)?;
                }
            }
            NodeKind::Op(_) => {}
        }
    }
    if let Some(place) = s.graphs.get_mut(handle) {
        *place = copy;
    }
    Ok(handle)
}

/// Forgets a graph with its nodes and the graphs inside it.
pub fn delete(s: &mut State, graph: Handle) {
    let mut open = vec![graph];
    while let Some(graph) = open.pop() {
        let Some(graph) = s.graphs.remove(graph) else {
            continue;
        };
        for node in graph.nodes {
            s.nodes.remove(node.handle);
            match node.kind {
                NodeKind::Child(child) => open.push(child),
                NodeKind::Conditional { bodies, .. } => open.extend(bodies),
                NodeKind::Op(_) => {}
            }
        }
    }
}

/// `cuGraphDestroy`: executable graphs made of it stay.
pub fn destroy(s: &mut State, graph: Handle) -> Result {
    let found = find(s, graph)?;
    if found.inner || found.capturing {
        return Err(Error::INVALID_VALUE);
    }
    delete(s, graph);
    Ok(())
}
