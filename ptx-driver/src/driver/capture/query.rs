//! The state of a capture, and the dependencies that the program sets.
use super::refuse::{blocking, valid};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::graph;
use crate::driver::state::{Capture, State};

/// What `cuStreamGetCaptureInfo` tells.
pub struct Info {
    pub status: u32,
    pub id: u64,
    pub graph: Handle,
    /// Points to the handles of the nodes that the next one will depend on, until the next call for this capture.
    pub dependencies: *const Handle,
    pub dependency_count: usize,
}

/// `cuStreamIsCapturing` and `cuStreamGetCaptureInfo`.
pub fn info(s: &mut State, context: Handle, stream: Handle) -> Result<Info> {
    let stream = s.resolve_stream(context, stream)?;
    let st = s.stream(stream)?;
    if st.legacy && !blocking(s, st.context).is_empty() {
        return Err(Error::STREAM_CAPTURE_IMPLICIT);
    }
    let dependencies = st.capture_dependencies.clone();
    let Some(capture) = st.capture.and_then(|handle| s.captures.get_mut(handle)) else {
        return Ok(Info {
            status: 0,
            id: 0,
            graph: 0,
            dependencies: std::ptr::null(),
            dependency_count: 0,
        });
    };
    let graph = s.graphs.get(capture.graph).ok_or(Error::ILLEGAL_STATE)?;
    capture.reported = dependencies
        .iter()
        .map(|index| graph.nodes[*index].handle)
        .collect();
    let status = if capture.invalidated { 2 } else { 1 };
    let Capture {
        id,
        graph,
        reported,
        ..
    } = capture;
    Ok(Info {
        status,
        id: *id,
        graph: *graph,
        dependencies: reported.as_ptr(),
        dependency_count: reported.len(),
    })
}

/// `cuStreamUpdateCaptureDependencies`: flag 0 adds nodes to what the next one depends on, 1 replaces them.
pub fn update_dependencies(
    s: &mut State,
    context: Handle,
    stream: Handle,
    nodes: &[Handle],
    flags: u32,
) -> Result {
    let stream = s.resolve_stream(context, stream)?;
    let capture = s
        .streams
        .get(stream)
        .and_then(|st| st.capture)
        .ok_or(Error::ILLEGAL_STATE)?;
    let graph = valid(s, capture)?.graph;
    let added = graph::indices(s, graph, nodes)?;
    let st = s.stream_mut(stream)?;
    match flags {
        0 => st.capture_dependencies.extend(added),
        1 => st.capture_dependencies = added,
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}
