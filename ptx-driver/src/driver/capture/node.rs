//! What is enqueued in a captured stream becomes a node.
use super::refuse::valid;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::graph;
use crate::driver::state::{Action, NodeKind, State};

/// Adds a node to the capture of a stream, after what the stream captured before.
pub fn add_operation(s: &mut State, stream: Handle, action: Action) -> Result {
    let Action::Op(op) = action else {
        return Err(Error::NOT_SUPPORTED);
    };
    add_node(s, stream, NodeKind::Op(op))
}

/// As `add_operation`, for any kind of node.
pub fn add_node(s: &mut State, stream: Handle, kind: NodeKind) -> Result {
    let st = s.stream_mut(stream)?;
    let (capture, context) = (st.capture.ok_or(Error::ILLEGAL_STATE)?, st.context);
    let graph = valid(s, capture)?.graph;
    let dependencies = s
        .streams
        .get_mut(stream)
        .map(|st| std::mem::take(&mut st.capture_dependencies))
        .unwrap_or_default();
    let (index, _) = graph::push_node(s, graph, context, kind, dependencies)?;
    if let Some(st) = s.streams.get_mut(stream) {
        st.capture_dependencies = vec![index];
    }
    Ok(())
}
