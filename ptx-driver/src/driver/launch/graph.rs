//! `cuGraphLaunch`.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Action, Guard, NodeKind};
use crate::driver::{capture, graph, stream};

const AUTO_FREE_ON_LAUNCH: u64 = 1;

/// `cuGraphLaunch`.
pub fn launch_graph(g: &mut Guard, context: Handle, handle: Handle, stream: Handle) -> Result {
    let stream = g.resolve_stream(context, stream)?;
    let exec = g.execs.get(handle).ok_or(Error::INVALID_HANDLE)?;
    if g.is_captured(stream) {
        let source = exec.source;
        let child = graph::clone(g, source, true)?;
        return capture::add_node(g, stream, NodeKind::Child(child));
    }
    let graph = exec.graph.clone();
    // A graph does not run beside itself.
    let mut dependencies: Vec<_> = exec.last.into_iter().collect();
    let (made, freed) = graph.memory();
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
    // The whole graph waits for the events that some node waits for.
    dependencies.extend(
        graph
            .events()
            .filter_map(|event| g.events.get(event)?.recorded),
    );
    let number = stream::enqueue(g, stream, Action::Graph(graph), dependencies)?;
    if let Some(exec) = g.execs.get_mut(handle) {
        exec.launched = true;
        exec.last = number.map(|number| (stream, number));
    }
    Ok(())
}
