//! What a graph has: nodes and edges.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Graph, Node, NodeRef, State};

pub fn find(s: &State, graph: Handle) -> Result<&Graph> {
    s.graphs.get(graph).ok_or(Error::INVALID_HANDLE)
}

/// A node and the graph it belongs to.
pub fn find_node(s: &State, handle: Handle) -> Result<(NodeRef, &Node)> {
    let place = *s.nodes.get(handle).ok_or(Error::INVALID_HANDLE)?;
    let node = find(s, place.graph)?
        .nodes
        .get(place.index)
        .filter(|n| !n.removed)
        .ok_or(Error::INVALID_HANDLE)?;
    Ok((place, node))
}

/// The indices of nodes of a graph.
pub fn indices(s: &State, graph: Handle, nodes: &[Handle]) -> Result<Vec<usize>> {
    let mut indices = Vec::with_capacity(nodes.len());
    for handle in nodes {
        let (place, _) = find_node(s, *handle)?;
        if place.graph != graph || indices.contains(&place.index) {
            return Err(Error::INVALID_VALUE);
        }
        indices.push(place.index);
    }
    Ok(indices)
}

/// The handles of nodes: all, or those without dependencies.
pub fn nodes(s: &State, graph: Handle, roots: bool) -> Result<Vec<Handle>> {
    let present = find(s, graph)?.present();
    Ok(present
        .filter(|(_, node)| !roots || node.dependencies.is_empty())
        .map(|(_, node)| node.handle)
        .collect())
}

/// The edges, as handles from and to.
pub fn edges(s: &State, graph: Handle) -> Result<Vec<(Handle, Handle)>> {
    let graph = find(s, graph)?;
    Ok(graph
        .present()
        .flat_map(|(_, node)| {
            node.dependencies
                .iter()
                .map(|before| (graph.nodes[*before].handle, node.handle))
        })
        .collect())
}
