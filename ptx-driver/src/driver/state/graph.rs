//! A graph as it is built. `exec` has what can be launched.
use super::op::Op;
use crate::driver::base::Handle;

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
                Op::Memcpy(_) => 1,
                Op::Memset(_) => 2,
                Op::Host(_) => 3,
                Op::Empty => 5,
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

/// A node of a graph.
#[derive(Clone)]
pub struct Node {
    pub handle: Handle,
    pub context: Handle,
    pub kind: NodeKind,
    /// Indices of the nodes that come before.
    pub dependencies: Vec<usize>,
    pub removed: bool,
}

/// A `CUgraph`.
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
pub struct NodeRef {
    pub graph: Handle,
    pub index: usize,
}

impl Graph {
    /// Whether every node comes before one of `ends`, or is one.
    pub fn is_joined_by(&self, ends: &[usize]) -> bool {
        let mut reached = vec![false; self.nodes.len()];
        let mut open = ends.to_vec();
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                open.extend(&self.nodes[index].dependencies);
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
        let mut missing: Vec<usize> = self
            .nodes
            .iter()
            .map(|node| node.dependencies.len())
            .collect();
        let mut next = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.present() {
            for before in &node.dependencies {
                next[*before].push(index);
            }
        }
        let mut order: Vec<usize> = self
            .present()
            .filter(|(_, n)| n.dependencies.is_empty())
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
