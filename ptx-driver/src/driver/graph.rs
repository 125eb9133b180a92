//! Graphs as they are built. `exec` has what can be launched.
use super::error::{Error, Result};
use super::handle::Handle;
use super::state::State;
use super::work::Op;

/// What a node is.
#[derive(Clone)]
pub enum NodeKind {
    Op(Op),
    /// A graph of its own, cloned when the node was made.
    Child(Handle),
    /// Runs a body if, or while, a value is not zero. An `if` may have a second body.
    Conditional {
        value: u64,
        repeat: bool,
        bodies: Vec<Handle>,
    },
}

impl NodeKind {
    /// `CUgraphNodeType`.
    pub fn code(&self) -> u32 {
        match self {
            NodeKind::Op(op) => match op {
                Op::Kernel(_) => 0,
                Op::Copy(_) => 1,
                Op::Fill(_) => 2,
                Op::Host(_) => 3,
                Op::Nothing => 5,
                Op::WaitEvent { .. } => 6,
                Op::Record { .. } => 7,
                Op::Allocate(_) => 10,
                Op::Free(_) => 11,
            },
            NodeKind::Child(_) => 4,
            NodeKind::Conditional { .. } => 13,
        }
    }
}

#[derive(Clone)]
pub struct Node {
    pub handle: Handle,
    pub context: Handle,
    pub kind: NodeKind,
    /// Indices of the nodes that come before.
    pub after: Vec<usize>,
    pub removed: bool,
}

#[derive(Clone, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    /// Addresses of the values of conditional nodes, with what each launch sets them to.
    pub values: Vec<(u64, Option<u32>)>,
    /// A capture goes on.
    pub capturing: bool,
    /// Part of another graph: it lives as long as that.
    pub inner: bool,
}

/// The node that a handle names.
#[derive(Clone, Copy)]
pub struct NodePlace {
    pub graph: Handle,
    pub index: usize,
}

impl Graph {
    /// Whether every node comes before one of `tips`, or is one.
    pub fn all_precede(&self, tips: &[usize]) -> bool {
        let mut reached = vec![false; self.nodes.len()];
        let mut open = tips.to_vec();
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                open.extend(&self.nodes[index].after);
            }
        }
        !reached.contains(&false)
    }

    /// Nodes that were not removed, with their indices.
    pub fn present(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| !node.removed)
    }

    /// An order in which each node comes after those it depends on; none if they depend on each other in a circle.
    pub fn sorted(&self) -> Option<Vec<usize>> {
        let mut missing: Vec<usize> = self.nodes.iter().map(|node| node.after.len()).collect();
        let mut next = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.present() {
            for before in &node.after {
                next[*before].push(index);
            }
        }
        let mut order: Vec<usize> = self
            .present()
            .filter(|(_, n)| n.after.is_empty())
            .map(|(index, _)| index)
            .collect();
        let mut at = 0;
        while at < order.len() {
            for follower in &next[order[at]] {
                missing[*follower] -= 1;
                if missing[*follower] == 0 {
                    order.push(*follower);
                }
            }
            at += 1;
        }
        (order.len() == self.present().count()).then_some(order)
    }
}

pub fn find(s: &State, graph: Handle) -> Result<&Graph> {
    s.graphs.get(graph).ok_or(Error::INVALID_HANDLE)
}

/// A node and the graph it belongs to.
pub fn node(s: &State, handle: Handle) -> Result<(NodePlace, &Node)> {
    let place = *s.nodes.get(handle).ok_or(Error::INVALID_HANDLE)?;
    let node = find(s, place.graph)?
        .nodes
        .get(place.index)
        .filter(|n| !n.removed)
        .ok_or(Error::INVALID_HANDLE)?;
    Ok((place, node))
}

/// `cuGraphCreate`.
pub fn create(s: &mut State, flags: u32) -> Result<Handle> {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    Ok(s.graphs.insert(Graph::default()))
}

/// Adds a node; returns its index and its handle.
pub fn add(
    s: &mut State,
    graph: Handle,
    context: Handle,
    kind: NodeKind,
    after: Vec<usize>,
) -> Result<(usize, Handle)> {
    let index = find(s, graph)?.nodes.len();
    let handle = s.nodes.insert(NodePlace { graph, index });
    let found = s.graphs.get_mut(graph).ok_or(Error::INVALID_HANDLE)?;
    found.nodes.push(Node {
        handle,
        context,
        kind,
        after,
        removed: false,
    });
    Ok((index, handle))
}

/// The indices of nodes of a graph.
pub fn indices(s: &State, graph: Handle, nodes: &[Handle]) -> Result<Vec<usize>> {
    let mut indices = Vec::with_capacity(nodes.len());
    for handle in nodes {
        let (place, _) = node(s, *handle)?;
        if place.graph != graph || indices.contains(&place.index) {
            return Err(Error::INVALID_VALUE);
        }
        indices.push(place.index);
    }
    Ok(indices)
}

/// Adds a node for one of the functions `cuGraphAdd...Node`.
pub fn add_after(
    s: &mut State,
    context: Handle,
    graph: Handle,
    after: &[Handle],
    kind: NodeKind,
) -> Result<Handle> {
    let after = indices(s, graph, after)?;
    Ok(add(s, graph, context, kind, after)?.1)
}

/// `cuGraphAddDependencies` and, with `remove`, `cuGraphRemoveDependencies`.
pub fn depend(
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
        let after = &mut s.graphs.get_mut(graph).ok_or(Error::INVALID_HANDLE)?.nodes[ends[1]].after;
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
pub fn remove(s: &mut State, handle: Handle) -> Result {
    let (place, _) = node(s, handle)?;
    s.nodes.remove(handle);
    let graph = s.graphs.get_mut(place.graph).ok_or(Error::INVALID_HANDLE)?;
    for node in &mut graph.nodes {
        node.after.retain(|index| *index != place.index);
    }
    let node = &mut graph.nodes[place.index];
    (node.removed, node.after, node.kind) = (true, Vec::new(), NodeKind::Op(Op::Nothing));
    Ok(())
}

/// Clones a graph with the graphs inside it, as a graph inside another or as one of its own.
pub fn clone(s: &mut State, graph: Handle, inner: bool) -> Result<Handle> {
    let mut copy = find(s, graph)?.clone();
    copy.inner = inner;
    copy.capturing = false;
    let handle = s.graphs.insert(Graph::default());
    for (index, node) in copy.nodes.iter_mut().enumerate() {
        node.handle = s.nodes.insert(NodePlace {
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
pub fn discard(s: &mut State, graph: Handle) {
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
    discard(s, graph);
    Ok(())
}

/// The handles of nodes: all, or those without dependencies.
pub fn nodes(s: &State, graph: Handle, roots: bool) -> Result<Vec<Handle>> {
    let present = find(s, graph)?.present();
    Ok(present
        .filter(|(_, node)| !roots || node.after.is_empty())
        .map(|(_, node)| node.handle)
        .collect())
}

/// The edges, as handles from and to.
pub fn edges(s: &State, graph: Handle) -> Result<Vec<(Handle, Handle)>> {
    let graph = find(s, graph)?;
    Ok(graph
        .present()
        .flat_map(|(_, node)| {
            node.after
                .iter()
                .map(|before| (graph.nodes[*before].handle, node.handle))
        })
        .collect())
}
