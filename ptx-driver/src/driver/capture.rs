//! Stream capture: what is enqueued becomes a graph, and what would look at unfinished work is refused.
use super::error::{Error, Result};
use super::graph::{self, Graph, NodeKind};
use super::handle::Handle;
use super::state::{Guard, State};
use super::work::Action;
use super::{context, thread};

/// `CUstreamCaptureMode`: whom a capture keeps from calls that could disturb it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Global,
    ThreadLocal,
    Relaxed,
}

impl Mode {
    pub fn from_code(code: u32) -> Result<Mode> {
        [Mode::Global, Mode::ThreadLocal, Mode::Relaxed]
            .get(code as usize)
            .copied()
            .ok_or(Error::INVALID_VALUE)
    }
}

pub struct Capture {
    /// The stream in which it began, and must end.
    origin: Handle,
    context: Handle,
    mode: Mode,
    thread: u64,
    pub id: u64,
    pub graph: Handle,
    invalidated: bool,
    /// Node handles that `cuStreamGetCaptureInfo` points to.
    told: Vec<Handle>,
}

/// Where an event was recorded in a capture.
#[derive(Clone)]
pub struct Captured {
    pub capture: Handle,
    pub tips: Vec<usize>,
}

/// Makes a capture fail at its end.
pub fn invalidate(s: &mut State, capture: Handle) {
    if let Some(capture) = s.captures.get_mut(capture) {
        capture.invalidated = true;
    }
}

/// Refuses to go on with a capture that was invalidated.
pub fn valid(s: &State, capture: Handle) -> Result<&Capture> {
    let capture = s.captures.get(capture).ok_or(Error::ILLEGAL_STATE)?;
    if capture.invalidated {
        Err(Error::STREAM_CAPTURE_INVALIDATED)
    } else {
        Ok(capture)
    }
}

/// Refuses a call that may not be made while certain captures go on, and invalidates those.
pub fn refuse_unsafe(s: &mut State) -> Result {
    if s.captures.len() == 0 {
        return Ok(());
    }
    let (mode, me) = (thread::mode(), thread::number());
    let mut refused = false;
    for capture in s.captures.values_mut() {
        let prohibits = match mode {
            Mode::Relaxed => false,
            Mode::ThreadLocal => capture.thread == me && capture.mode != Mode::Relaxed,
            Mode::Global => {
                capture.mode == Mode::Global
                    || capture.thread == me && capture.mode != Mode::Relaxed
            }
        };
        if prohibits {
            capture.invalidated = true;
            refused = true;
        }
    }
    if refused {
        Err(Error::STREAM_CAPTURE_UNSUPPORTED)
    } else {
        Ok(())
    }
}

/// The captures in which blocking streams of a context take part.
fn blocking(s: &State, context: Handle) -> Vec<Handle> {
    if s.captures.len() == 0 {
        return Vec::new();
    }
    s.streams
        .values()
        .filter(|st| st.context == context && st.blocking)
        .filter_map(|st| st.capture)
        .collect()
}

/// Refuses the legacy stream while blocking streams of its context are captured: it would have to wait for them.
pub fn refuse_legacy(s: &mut State, context: Handle) -> Result {
    let captures = blocking(s, context);
    captures.iter().for_each(|capture| invalidate(s, *capture));
    if captures.is_empty() {
        Ok(())
    } else {
        Err(Error::STREAM_CAPTURE_IMPLICIT)
    }
}

/// Refuses to wait for, or to ask about, a stream that is captured.
pub fn refuse_for_stream(s: &mut State, stream: Handle) -> Result {
    let st = s.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    let context = st.context;
    if let Some(capture) = st.capture {
        invalidate(s, capture);
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    if st.legacy {
        refuse_legacy(s, context)
    } else {
        Ok(())
    }
}

/// Refuses to wait for a context of which a stream is captured.
pub fn refuse_for_context(s: &mut State, context: Handle) -> Result {
    let captures: Vec<Handle> = s
        .streams
        .values()
        .filter(|st| st.context == context)
        .filter_map(|st| st.capture)
        .collect();
    captures.iter().for_each(|capture| invalidate(s, *capture));
    if captures.is_empty() {
        Ok(())
    } else {
        Err(Error::STREAM_CAPTURE_UNSUPPORTED)
    }
}

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
    after: &[Handle],
) -> Result {
    let tips = graph::indices(s, graph, after)?;
    let g = s.graphs.get(graph).ok_or(Error::INVALID_VALUE)?;
    if g.capturing {
        return Err(Error::ILLEGAL_STATE);
    }
    begin_in(s, context, stream, mode, Some((graph, tips)))
}

fn begin_in(
    s: &mut State,
    context: Handle,
    stream: Handle,
    mode: u32,
    to: Option<(Handle, Vec<usize>)>,
) -> Result {
    let mode = Mode::from_code(mode)?;
    let stream = context::stream(s, context, stream)?;
    let st = s.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    if st.legacy {
        return Err(Error::STREAM_CAPTURE_UNSUPPORTED);
    }
    if st.capture.is_some() {
        return Err(Error::ILLEGAL_STATE);
    }
    let context = st.context;
    let (graph, tips) = match to {
        Some((graph, tips)) => {
            if let Some(g) = s.graphs.get_mut(graph) {
                g.capturing = true;
            }
            (graph, tips)
        }
        None => {
            let graph = Graph {
                capturing: true,
                ..Graph::default()
            };
            (s.graphs.insert(graph), Vec::new())
        }
    };
    let (id, thread) = (s.next_id(), thread::number());
    let told = Vec::new();
    let capture = Capture {
        origin: stream,
        context,
        mode,
        thread,
        id,
        graph,
        invalidated: false,
        told,
    };
    let handle = s.captures.insert(capture);
    if let Some(st) = s.streams.get_mut(stream) {
        st.capture = Some(handle);
        st.tips = tips;
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
        st.tips.clear();
    }
}

/// `cuStreamEndCapture`: the graph, unless something was done that a graph cannot hold.
pub fn end(s: &mut State, context: Handle, stream: Handle) -> Result<Handle> {
    let stream = context::stream(s, context, stream)?;
    let st = s.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    let handle = st.capture.ok_or(Error::ILLEGAL_STATE)?;
    let tips = st.tips.clone();
    let capture = s.captures.get(handle).ok_or(Error::ILLEGAL_STATE)?;
    if capture.mode != Mode::Relaxed && capture.thread != thread::number() {
        return Err(Error::STREAM_CAPTURE_WRONG_THREAD);
    }
    if capture.origin != stream {
        invalidate(s, handle);
        return Err(Error::STREAM_CAPTURE_UNMATCHED);
    }
    let (graph, invalidated) = (capture.graph, capture.invalidated);
    s.captures.remove(handle);
    release_streams(s, handle);
    let unjoined = s.graphs.get(graph).is_none_or(|g| !g.all_precede(&tips));
    if invalidated || unjoined {
        graph::discard(s, graph);
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
pub fn join(s: &mut State, stream: Handle, event: Option<Captured>) -> Result {
    let st = s.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    let (capturing, legacy) = (st.capture, st.legacy);
    let alive = event
        .as_ref()
        .is_some_and(|e| s.captures.get(e.capture).is_some());
    let Some(Captured { capture, tips }) = event.filter(|_| alive) else {
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
        for tip in tips {
            if !st.tips.contains(&tip) {
                st.tips.push(tip);
            }
        }
    }
    Ok(())
}

/// Adds a node to the capture of a stream, after what the stream captured before.
pub fn add(s: &mut State, stream: Handle, action: Action) -> Result {
    let Action::Op(op) = action else {
        return Err(Error::NOT_SUPPORTED);
    };
    add_kind(s, stream, NodeKind::Op(op))
}

/// As `add`, for any kind of node.
pub fn add_kind(s: &mut State, stream: Handle, kind: NodeKind) -> Result {
    let st = s.streams.get_mut(stream).ok_or(Error::INVALID_HANDLE)?;
    let (capture, context) = (st.capture.ok_or(Error::ILLEGAL_STATE)?, st.context);
    let graph = valid(s, capture)?.graph;
    let after = s
        .streams
        .get_mut(stream)
        .map(|st| std::mem::take(&mut st.tips))
        .unwrap_or_default();
    let (index, _) = graph::add(s, graph, context, kind, after)?;
    if let Some(st) = s.streams.get_mut(stream) {
        st.tips = vec![index];
    }
    Ok(())
}

/// What `cuStreamGetCaptureInfo` tells.
pub struct Info {
    pub status: u32,
    pub id: u64,
    pub graph: Handle,
    /// Points to the handles of the nodes that the next one will depend on, until the next call for this capture.
    pub tips: *const Handle,
    pub tip_count: usize,
}

/// `cuStreamIsCapturing` and `cuStreamGetCaptureInfo`.
pub fn info(s: &mut State, context: Handle, stream: Handle) -> Result<Info> {
    let stream = context::stream(s, context, stream)?;
    let st = s.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    if st.legacy && !blocking(s, st.context).is_empty() {
        return Err(Error::STREAM_CAPTURE_IMPLICIT);
    }
    let tips = st.tips.clone();
    let Some(capture) = st.capture.and_then(|handle| s.captures.get_mut(handle)) else {
        return Ok(Info {
            status: 0,
            id: 0,
            graph: 0,
            tips: std::ptr::null(),
            tip_count: 0,
        });
    };
    let graph = s.graphs.get(capture.graph).ok_or(Error::ILLEGAL_STATE)?;
    capture.told = tips.iter().map(|tip| graph.nodes[*tip].handle).collect();
    let status = if capture.invalidated { 2 } else { 1 };
    let Capture {
        id, graph, told, ..
    } = capture;
    Ok(Info {
        status,
        id: *id,
        graph: *graph,
        tips: told.as_ptr(),
        tip_count: told.len(),
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
    let stream = context::stream(s, context, stream)?;
    let capture = s
        .streams
        .get(stream)
        .and_then(|st| st.capture)
        .ok_or(Error::ILLEGAL_STATE)?;
    let graph = valid(s, capture)?.graph;
    let added = graph::indices(s, graph, nodes)?;
    let st = s.streams.get_mut(stream).ok_or(Error::INVALID_HANDLE)?;
    match flags {
        0 => st.tips.extend(added),
        1 => st.tips = added,
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

/// `cuThreadExchangeStreamCaptureMode`: sets the mode of this thread and returns the one before.
pub fn exchange_mode(_: &mut Guard, mode: u32) -> Result<u32> {
    Ok(thread::exchange_mode(Mode::from_code(mode)?) as u32)
}
