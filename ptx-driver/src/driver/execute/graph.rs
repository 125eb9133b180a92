//! Runs a launched graph: node by node, in an order drawn by chance among those that its edges allow.
use super::operation;
use crate::driver::base::Handle;
use crate::driver::base::settings::Order;
use crate::driver::state::{ExecGraph, ExecNodeKind, Guard, State};
use std::sync::Arc;

/// A graph on its way, or a body of one.
struct Frame {
    graph: Arc<ExecGraph>,
    /// How many dependencies of each node are open.
    open: Vec<usize>,
    ready: Vec<usize>,
    /// For a body: the node that runs it, and the address of the value if it runs again while that is not zero.
    owner: usize,
    repeat: Option<u64>,
}

impl Frame {
    fn new(graph: Arc<ExecGraph>, owner: usize, repeat: Option<u64>) -> Frame {
        let open: Vec<usize> = graph
            .nodes
            .iter()
            .map(|node| node.dependencies.len())
            .collect();
        let ready = (0..open.len()).filter(|index| open[*index] == 0).collect();
        Frame {
            graph,
            open,
            ready,
            owner,
            repeat,
        }
    }

    fn finish(&mut self, node: usize) {
        for next in &self.graph.nodes[node].dependents {
            self.open[*next] -= 1;
            if self.open[*next] == 0 {
                self.ready.push(*next);
            }
        }
    }
}

/// The address's allocation is the driver's own, so the host reads it where it lies.
fn value(s: &State, address: u64) -> Option<std::ptr::NonNull<u32>> {
    s.memory
        .at(address)
        .and_then(|a| a.backing.as_ref())
        .map(|b| b.start().cast())
}

fn is_set(s: &State, address: u64) -> bool {
    // SAFETY: four bytes, aligned; kernels that write it do not run now, as this stream is the one that runs them.
    value(s, address).is_some_and(|p| unsafe { p.as_ptr().read_volatile() } != 0)
}

/// Runs a graph to its end, or to a fault of its context.
pub fn run(g: &mut Guard, context: Handle, ticket: u64, graph: Arc<ExecGraph>) {
    for (address, default) in &graph.values {
        if let Some(p) = value(g, *address) {
            // SAFETY: as in `is_set`.
            unsafe { p.as_ptr().write_volatile(*default) };
        }
    }
    let mut frames = vec![Frame::new(graph, 0, None)];
    while let Some(frame) = frames.last_mut() {
        if frame.ready.is_empty() {
            let Frame {
                owner,
                repeat,
                graph,
                ..
            } = match frames.pop() {
                Some(frame) => frame,
                None => return,
            };
            if repeat.is_some_and(|address| is_set(g, address)) {
                frames.push(Frame::new(graph, owner, repeat));
            } else if let Some(outer) = frames.last_mut() {
                outer.finish(owner);
            }
            continue;
        }
        let k = match g.settings.order {
            Order::Eager => (0..frame.ready.len())
                .min_by_key(|k| frame.ready[*k])
                .unwrap_or(0),
            Order::Lazy | Order::Random => g.random.index(frame.ready.len()),
        };
        let index = frame.ready.swap_remove(k);
        let graph = frame.graph.clone();
        let node = &graph.nodes[index];
        match &node.kind {
            ExecNodeKind::Op(op) => {
                operation::run(g, node.context, ticket, op);
                let broken = |handle| g.contexts.get(handle).is_none_or(|c| c.error.is_some());
                if broken(context) || broken(node.context) {
                    return;
                }
                frame.finish(index);
            }
            ExecNodeKind::Conditional {
                value,
                repeat,
                bodies,
            } => {
                let chosen = if is_set(g, *value) {
                    bodies.first()
                } else {
                    bodies.get(1)
                };
                match chosen {
                    Some(body) => {
                        frames.push(Frame::new(body.clone(), index, repeat.then_some(*value)))
                    }
                    None => frame.finish(index),
                }
            }
        }
    }
}
