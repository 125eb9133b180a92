//! A capture from its beginning to its end, and the streams that join it.
use super::refuse::{invalidate, valid};
use crate::driver::base::thread::{self, CaptureMode};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::graph;
use crate::driver::state::{Capture, CapturePoint, Graph, State};

/// Ends the captures of a context that is taken down.
pub fn abandon(s: &mut State, context: Handle) {
    let gone: Vec<Handle> = s
        .captures
        .iter()
        .filter(|(_, c)| c.context == context)
        .map(|(handle, _)| handle)
        .collect();
    for handle in gone {
        if let Some(capture) = s.captures.remove(handle) {
            release_streams(s, handle);
            s.graphs.remove(capture.graph);
        }
    }
}

/// `cuStreamBeginCapture`.
pub fn begin(s: &mut State, context: Handle, stream: Handle, mode: u32) -> Result {
    begin_in(s, context, stream, mode, None)
}

/// `cuStreamBeginCaptureToGraph`: nodes are added to a graph that there is, after some of its nodes.
pub fn begin_to_graph(
    s: &mut State,
    context: Handle,
    stream: Handle,
    mode: u32,
    graph: Handle,
    dependencies: &[Handle],
) -> Result {
    let dependencies = graph::indices(s, graph, dependencies)?;
    let g = s.graphs.get(graph).ok_or(Error::INVALID_VALUE)?;
    if g.capturing {
        return Err(Error::ILLEGAL_STATE);
    }
    begin_in(s, context, stream, mode, Some((graph, dependencies)))
}

fn begin_in(
    s: &mut State,
    context: Handle,
    stream: Handle,
    mode: u32,
    to: Option<(Handle, Vec<usize>)>,
) -> Result {
    let mode = CaptureMode::from_code(mode)?;
    let stream = s.resolve_stream(context, stream)?;
    let st = s.stream(stream)?;
    if st.legacy {
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    if st.capture.is_some() {
        return Err(Error::ILLEGAL_STATE);
    }
    let context = st.context;
    let (graph, dependencies) = match to {
        Some((graph, dependencies)) => {
            if let Some(g) = s.graphs.get_mut(graph) {
                g.capturing = true;
            }
            (graph, dependencies)
        }
        None => {
            let graph = Graph {
                capturing: true,
                ..Graph::default()
            };
            (s.graphs.insert(graph), Vec::new())
        }
    };
    let (id, thread) = (s.next_id(), thread::id());
    let reported = Vec::new();
    let capture = Capture {
        origin: stream,
        context,
        mode,
        thread,
        id,
        graph,
        invalidated: false,
        reported,
    };
    let handle = s.captures.insert(capture);
    if let Some(st) = s.streams.get_mut(stream) {
        st.capture = Some(handle);
        st.capture_dependencies = dependencies;
    }
    Ok(())
}

fn release_streams(s: &mut State, capture: Handle) {
    for st in s
        .streams
        .values_mut()
        .filter(|st| st.capture == Some(capture))
    {
        st.capture = None;
        st.capture_dependencies.clear();
    }
}

/// `cuStreamEndCapture`: the graph, unless something was done that a graph cannot hold.
pub fn end(s: &mut State, context: Handle, stream: Handle) -> Result<Handle> {
    let stream = s.resolve_stream(context, stream)?;
    let st = s.stream(stream)?;
    let handle = st.capture.ok_or(Error::ILLEGAL_STATE)?;
    let dependencies = st.capture_dependencies.clone();
    let capture = s.captures.get(handle).ok_or(Error::ILLEGAL_STATE)?;
    if capture.mode != CaptureMode::Relaxed && capture.thread != thread::id() {
        return Err(Error::STREAM_CAPTURE_WRONG_THREAD);
    }
    if capture.origin != stream {
        invalidate(s, handle);
        return Err(Error::STREAM_CAPTURE_UNMATCHED);
    }
    let (graph, invalidated) = (capture.graph, capture.invalidated);
    s.captures.remove(handle);
    release_streams(s, handle);
    let unjoined = s
        .graphs
        .get(graph)
        .is_none_or(|g| !g.is_joined_by(&dependencies));
    if invalidated || unjoined {
        graph::delete(s, graph);
        return Err(if invalidated {
            Error::STREAM_CAPTURE_INVALIDATED
        } else {
            Error::STREAM_CAPTURE_UNJOINED
        });
    }
    if let Some(graph) = s.graphs.get_mut(graph) {
        graph.capturing = false;
    }
    Ok(graph)
}

/// A stream meets an event while one of both belongs to a capture: the stream joins it, or the call is refused.
pub fn join(s: &mut State, stream: Handle, event: Option<CapturePoint>) -> Result {
    let st = s.stream(stream)?;
    let (capturing, legacy) = (st.capture, st.legacy);
    let alive = event
        .as_ref()
        .is_some_and(|e| s.captures.get(e.capture).is_some());
    let Some(CapturePoint {
        capture,
        dependencies,
    }) = event.filter(|_| alive)
    else {
        return match capturing {
            Some(own) => {
                invalidate(s, own);
                Err(Error::STREAM_CAPTURE_ISOLATION)
            }
            None => Err(Error::CAPTURED_EVENT),
        };
    };
    valid(s, capture)?;
    if legacy {
        invalidate(s, capture);
        return Err(Error::STREAM_CAPTURE_IMPLICIT);
    }
    if let Some(own) = capturing.filter(|own| *own != capture) {
        invalidate(s, own);
        invalidate(s, capture);
        return Err(Error::STREAM_CAPTURE_MERGE);
    }
    if let Some(st) = s.streams.get_mut(stream) {
        st.capture = Some(capture);
        for index in dependencies {
            if !st.capture_dependencies.contains(&index) {
                st.capture_dependencies.push(index);
            }
        }
    }
    Ok(())
}
