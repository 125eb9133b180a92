//! A graph with the graphs inside it, as what a launch runs.
use super::query::find;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{ExecGraph, ExecNodeKind, NodeKind, Op, State};
use std::collections::HashMap;
use std::sync::Arc;

/// What a launch of a graph runs.
pub fn flatten(s: &State, graph: Handle) -> Result<ExecGraph> {
    let mut flat = ExecGraph::default();
    add_graph(&mut flat, s, graph, &[])?;
    // The ends of a child come out of a table: edges are kept in order, so that runs repeat.
    for node in &mut flat.nodes {
        node.dependencies.sort_unstable();
        node.dependents.sort_unstable();
    }
    Ok(flat)
}

/// Adds a graph after certain nodes; returns the nodes that end it.
fn add_graph(
    flat: &mut ExecGraph,
    s: &State,
    graph: Handle,
    start: &[usize],
) -> Result<Vec<usize>> {
    let graph = find(s, graph)?;
    flat.values.extend(
        graph
            .values
            .iter()
            .filter_map(|(address, value)| Some((*address, (*value)?))),
    );
    let mut ends: HashMap<usize, usize> = HashMap::new();
    let mut has_next = vec![false; graph.nodes.len()];
    for index in graph.sorted().ok_or(Error::INVALID_VALUE)? {
        let node = &graph.nodes[index];
        let mut dependencies: Vec<usize> = node
            .dependencies
            .iter()
            .map(|before| ends[before])
            .collect();
        for before in &node.dependencies {
            has_next[*before] = true;
        }
        if dependencies.is_empty() {
            dependencies.extend(start);
        }
        let (handle, context) = (node.handle, node.context);
        let end = match &node.kind {
            NodeKind::Op(op) => {
                flat.push(handle, context, ExecNodeKind::Op(op.clone()), dependencies)
            }
            NodeKind::Child(child) => {
                let begin = flat.push(handle, context, ExecNodeKind::Op(Op::Empty), dependencies);
                let inner = add_graph(flat, s, *child, &[begin])?;
                let dependencies = if inner.is_empty() { vec![begin] } else { inner };
                flat.push(handle, context, ExecNodeKind::Op(Op::Empty), dependencies)
            }
            NodeKind::Conditional {
                value,
                repeat,
                bodies,
            } => {
                let bodies = bodies
                    .iter()
                    .map(|body| flatten(s, *body).map(Arc::new))
                    .collect::<Result<_>>()?;
                let (value, repeat) = (*value, *repeat);
                flat.push(
                    handle,
                    context,
                    ExecNodeKind::Conditional {
                        value,
                        repeat,
                        bodies,
                    },
                    dependencies,
                )
            }
        };
        ends.insert(index, end);
    }
    Ok(ends
        .into_iter()
        .filter(|(index, _)| !has_next[*index])
        .map(|(_, end)| end)
        .collect())
}
