//! Executable graphs: a graph with the graphs inside it, spread out and checked.
use super::error::{Error, Result};
use super::graph::{self, NodeKind};
use super::handle::Handle;
use super::state::{Guard, State};
use super::work::{Action, Op};
use super::{capture, context, stream};
use std::collections::HashMap;
use std::sync::Arc;

/// What a launch runs.
#[derive(Clone, Default)]
pub struct Program {
    pub leaves: Vec<Leaf>,
    /// Values of conditional nodes that each launch sets.
    pub values: Vec<(u64, u32)>,
}

/// One operation, or a body that runs by a value.
#[derive(Clone)]
pub struct Leaf {
    /// The node that it was made of.
    pub node: Handle,
    pub context: Handle,
    pub kind: LeafKind,
    pub after: Vec<usize>,
    pub next: Vec<usize>,
}

#[derive(Clone)]
pub enum LeafKind {
    Op(Op),
    Conditional {
        value: u64,
        repeat: bool,
        bodies: Vec<Arc<Program>>,
    },
}

impl Program {
    pub fn calls_host(&self) -> bool {
        self.leaves.iter().any(|leaf| match &leaf.kind {
            LeafKind::Op(op) => matches!(op, Op::Host(_)),
            LeafKind::Conditional { bodies, .. } => bodies.iter().any(|body| body.calls_host()),
        })
    }

    fn push(&mut self, node: Handle, context: Handle, op: LeafKind, after: Vec<usize>) -> usize {
        let index = self.leaves.len();
        for before in &after {
            self.leaves[*before].next.push(index);
        }
        self.leaves.push(Leaf {
            node,
            context,
            kind: op,
            after,
            next: Vec::new(),
        });
        index
    }

    /// Adds a graph after certain leaves; returns the leaves that end it.
    fn spread(&mut self, s: &State, graph: Handle, start: &[usize]) -> Result<Vec<usize>> {
        let graph = graph::find(s, graph)?;
        self.values.extend(
            graph
                .values
                .iter()
                .filter_map(|(address, value)| Some((*address, (*value)?))),
        );
        let mut ends: HashMap<usize, usize> = HashMap::new();
        let mut has_next = vec![false; graph.nodes.len()];
        for index in graph.sorted().ok_or(Error::INVALID_VALUE)? {
            let node = &graph.nodes[index];
            let mut after: Vec<usize> = node.after.iter().map(|before| ends[before]).collect();
            for before in &node.after {
                has_next[*before] = true;
            }
            if after.is_empty() {
                after.extend(start);
            }
            let (handle, context) = (node.handle, node.context);
            let end = match &node.kind {
                NodeKind::Op(op) => self.push(handle, context, LeafKind::Op(op.clone()), after),
                NodeKind::Child(child) => {
                    let begin = self.push(handle, context, LeafKind::Op(Op::Nothing), after);
                    let inner = self.spread(s, *child, &[begin])?;
                    let after = if inner.is_empty() { vec![begin] } else { inner };
                    self.push(handle, context, LeafKind::Op(Op::Nothing), after)
                }
                NodeKind::Conditional {
                    value,
                    repeat,
                    bodies,
                } => {
                    let bodies = bodies
                        .iter()
                        .map(|body| program(s, *body).map(Arc::new))
                        .collect::<Result<_>>()?;
                    let (value, repeat) = (*value, *repeat);
                    self.push(
                        handle,
                        context,
                        LeafKind::Conditional {
                            value,
                            repeat,
                            bodies,
                        },
                        after,
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

    /// Events recorded outside that nodes wait for.
    fn events(&self) -> impl Iterator<Item = Handle> {
        self.leaves.iter().filter_map(|leaf| match leaf.kind {
            LeafKind::Op(Op::WaitEvent { event }) => Some(event),
            _ => None,
        })
    }

    /// Addresses that the program allocates, and those that it frees.
    fn memory(&self) -> (Vec<u64>, Vec<u64>) {
        let (mut made, mut freed) = (Vec::new(), Vec::new());
        for leaf in &self.leaves {
            match leaf.kind {
                LeafKind::Op(Op::Allocate(base)) => made.push(base),
                LeafKind::Op(Op::Free(base)) => freed.push(base),
                _ => {}
            }
        }
        (made, freed)
    }
}

fn program(s: &State, graph: Handle) -> Result<Program> {
    let mut program = Program::default();
    program.spread(s, graph, &[])?;
    // The ends of a child come out of a table: edges are kept in order, so that runs repeat.
    for leaf in &mut program.leaves {
        leaf.after.sort_unstable();
        leaf.next.sort_unstable();
    }
    Ok(program)
}

pub struct Exec {
    pub program: Arc<Program>,
    pub flags: u64,
    launched: bool,
    /// The last launch: a graph does not run beside itself.
    last: Option<(Handle, u64)>,
    /// The graph it was made of, cloned: a launch in a capture becomes a child of it.
    source: Handle,
}

const AUTO_FREE_ON_LAUNCH: u64 = 1;

/// `cuGraphInstantiate`: flags for freeing at launch, upload, launch from the device (refused) and priorities of nodes.
pub fn instantiate(s: &mut State, graph: Handle, flags: u64) -> Result<Handle> {
    if flags & !0xB != 0 {
        return Err(if flags & 4 != 0 {
            Error::NOT_SUPPORTED
        } else {
            Error::INVALID_VALUE
        });
    }
    if graph::find(s, graph)?.capturing {
        return Err(Error::INVALID_VALUE);
    }
    let program = Arc::new(program(s, graph)?);
    let source = graph::clone(s, graph, true)?;
    Ok(s.execs.insert(Exec {
        program,
        flags,
        launched: false,
        last: None,
        source,
    }))
}

/// `cuGraphExecDestroy`: launches that wait in streams stay.
pub fn destroy(s: &mut State, exec: Handle) -> Result {
    let exec = s.execs.remove(exec).ok_or(Error::INVALID_HANDLE)?;
    graph::discard(s, exec.source);
    Ok(())
}

/// `cuGraphLaunch`.
pub fn launch(g: &mut Guard, context: Handle, handle: Handle, stream: Handle) -> Result {
    let stream = context::stream(g, context, stream)?;
    let exec = g.execs.get(handle).ok_or(Error::INVALID_HANDLE)?;
    if g.streams.get(stream).is_some_and(|st| st.capture.is_some()) {
        let source = exec.source;
        let child = graph::clone(g, source, true)?;
        return capture::add_kind(g, stream, NodeKind::Child(child));
    }
    let program = exec.program.clone();
    let (made, freed) = program.memory();
    let relaunch = exec.launched && exec.flags & AUTO_FREE_ON_LAUNCH == 0;
    let left =
        |base: &u64| !freed.contains(base) && g.memory.at(*base).is_some_and(|a| a.freed.is_none());
    if relaunch && made.iter().any(left) {
        // What the last launch allocated was not freed.
        return Err(Error::INVALID_VALUE);
    }
    for base in made {
        if let Some(a) = g.memory.at_mut(base) {
            a.freed = None;
        }
    }
    let mut after = exec_after(g, handle);
    // The whole graph waits for the events that some node waits for.
    after.extend(
        program
            .events()
            .filter_map(|event| g.events.get(event)?.recorded),
    );
    let number = stream::enqueue(g, stream, Action::Graph(program), after)?;
    if let Some(exec) = g.execs.get_mut(handle) {
        exec.launched = true;
        exec.last = number.map(|number| (stream, number));
    }
    Ok(())
}

fn exec_after(s: &State, exec: Handle) -> Vec<(Handle, u64)> {
    s.execs
        .get(exec)
        .and_then(|exec| exec.last)
        .into_iter()
        .collect()
}

/// Why `cuGraphExecUpdate` refused, with the node: `CUgraphExecUpdateResult`.
pub struct Mismatch {
    pub result: u32,
    pub node: Handle,
}

/// The kinds of two leaves: 3 the type of the node changed, 5 a parameter that may not, 6 not supported, 7 a function that may not.
fn compare(old: &Leaf, new: &Leaf) -> u32 {
    use std::mem::discriminant;
    match (&old.kind, &new.kind) {
        (
            LeafKind::Op(Op::Allocate(_) | Op::Free(_)),
            LeafKind::Op(Op::Allocate(_) | Op::Free(_)),
        ) => 6,
        (LeafKind::Op(Op::Kernel(a)), LeafKind::Op(Op::Kernel(b))) => {
            if a.function.module.context == b.function.module.context {
                0
            } else {
                7
            }
        }
        (LeafKind::Op(Op::Copy(a)), LeafKind::Op(Op::Copy(b))) => {
            let same = discriminant(&a.dst) == discriminant(&b.dst)
                && discriminant(&a.src) == discriminant(&b.src);
            if same && old.context == new.context {
                0
            } else {
                5
            }
        }
        (LeafKind::Op(Op::Fill(a)), LeafKind::Op(Op::Fill(b))) => {
            if old.context == new.context && (a.height > 1) == (b.height > 1) {
                0
            } else {
                5
            }
        }
        (LeafKind::Op(a), LeafKind::Op(b)) if discriminant(a) == discriminant(b) => 0,
        (
            LeafKind::Conditional {
                value: a,
                repeat: r,
                bodies: x,
            },
            LeafKind::Conditional {
                value: b,
                repeat: q,
                bodies: y,
            },
        ) => {
            if (a, r, x.len()) == (b, q, y.len()) {
                0
            } else {
                5
            }
        }
        _ => 3,
    }
}

/// `cuGraphExecUpdate`: takes over the parameters of a graph of the same form.
pub fn update(s: &mut State, handle: Handle, graph: Handle) -> Result<Option<Mismatch>> {
    let exec = s.execs.get(handle).ok_or(Error::INVALID_HANDLE)?;
    let new = program(s, graph)?;
    let old = &exec.program;
    if new.leaves.len() != old.leaves.len() {
        return Ok(Some(Mismatch { result: 2, node: 0 }));
    }
    for (before, after) in old.leaves.iter().zip(&new.leaves) {
        let result = if before.after == after.after {
            compare(before, after)
        } else {
            2
        };
        if result != 0 {
            return Ok(Some(Mismatch {
                result,
                node: after.node,
            }));
        }
    }
    let source = graph::clone(s, graph, true)?;
    let exec = s.execs.get_mut(handle).ok_or(Error::INVALID_HANDLE)?;
    // Nodes keep the handles of the graph that was instantiated.
    let nodes: Vec<Handle> = exec.program.leaves.iter().map(|leaf| leaf.node).collect();
    let mut new = new;
    for (leaf, node) in new.leaves.iter_mut().zip(nodes) {
        leaf.node = node;
    }
    exec.program = Arc::new(new);
    let former = std::mem::replace(&mut exec.source, source);
    graph::discard(s, former);
    Ok(None)
}

/// `cuGraphExec...NodeSetParams`: replaces the operation of one node, of the same type.
pub fn set_op(s: &mut State, handle: Handle, node: Handle, op: Op) -> Result {
    let exec = s.execs.get_mut(handle).ok_or(Error::INVALID_HANDLE)?;
    let place = exec
        .program
        .leaves
        .iter()
        .position(|leaf| leaf.node == node)
        .ok_or(Error::INVALID_VALUE)?;
    let old = &exec.program.leaves[place];
    let new = Leaf {
        kind: LeafKind::Op(op),
        ..old.clone()
    };
    if compare(old, &new) != 0 {
        return Err(Error::INVALID_VALUE);
    }
    Arc::make_mut(&mut exec.program).leaves[place] = new;
    Ok(())
}
