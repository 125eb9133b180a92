//! Events: `cuEvent...`, and streams that wait for them.
use super::queue::{enqueue, push};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Action, CapturePoint, Event, Guard, Op, State};
use crate::driver::{capture, device, execute};

const DISABLE_TIMING: u32 = 2;
pub const INTERPROCESS: u32 = 4;

/// `cuEventCreate`.
pub fn create(s: &mut State, context: Handle, flags: u32) -> Result<Handle> {
    if flags > 7 || flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let (recorded, captured) = (None, None);
    Ok(s.events.insert(Event {
        context,
        flags,
        recorded,
        version: 0,
        completed: 0,
        time: 0,
        captured,
    }))
}

fn find(s: &State, event: Handle) -> Result<&Event> {
    s.events.get(event).ok_or(Error::INVALID_HANDLE)
}

/// `cuEventRecordWithFlags`. In a capture, flag 1 makes a node that records when the graph runs.
pub fn record(g: &mut Guard, context: Handle, event: Handle, stream: Handle, flags: u32) -> Result {
    let stream = g.resolve_stream(context, stream)?;
    let owner = find(g, event)?.context;
    let st = g.stream(stream)?;
    if flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    if st.context != owner {
        return Err(Error::INVALID_HANDLE);
    }
    if let Some(capture) = st.capture {
        if flags == 1 {
            return push(
                g,
                stream,
                Op::Record {
                    event,
                    version: None,
                },
            )
            .map(drop);
        }
        capture::valid(g, capture)?;
        let dependencies = g
            .streams
            .get(stream)
            .map(|st| st.capture_dependencies.clone())
            .unwrap_or_default();
        let found = g.events.get_mut(event).ok_or(Error::INVALID_HANDLE)?;
        found.captured = Some(CapturePoint {
            capture,
            dependencies,
        });
        return Ok(());
    }
    let version = find(g, event)?.version + 1;
    let op = Action::Op(Op::Record {
        event,
        version: Some(version),
    });
    // The number is known before the item is added: eager execution may be over when `enqueue` returns.
    let number = st.last + 1;
    let before = g.events.get_mut(event).ok_or(Error::INVALID_HANDLE)?;
    let former = (before.recorded, before.version, before.captured.take());
    (before.recorded, before.version) = (Some((stream, number)), version);
    if let Err(error) = enqueue(g, stream, op, Vec::new()) {
        if let Some(found) = g.events.get_mut(event) {
            (found.recorded, found.version, found.captured) = former;
        }
        return Err(error);
    }
    Ok(())
}

/// `cuStreamWaitEvent`. An event that was never recorded makes nobody wait.
pub fn stream_wait(
    g: &mut Guard,
    context: Handle,
    stream: Handle,
    event: Handle,
    flags: u32,
) -> Result {
    let stream = g.resolve_stream(context, stream)?;
    let found = find(g, event)?;
    if flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    let (recorded, captured) = (found.recorded, found.captured.clone());
    let capturing = g.streams.get(stream).and_then(|st| st.capture);
    if flags == 1 && capturing.is_some() {
        return push(g, stream, Op::WaitEvent { event }).map(drop);
    }
    if captured.is_some() || capturing.is_some() {
        return capture::join(g, stream, captured);
    }
    let Some((source, number)) = recorded else {
        return Ok(());
    };
    if g.streams.get(source).is_none_or(|st| st.done >= number) {
        return Ok(());
    }
    enqueue(g, stream, Action::Op(Op::Empty), vec![(source, number)]).map(drop)
}

/// The place to wait for, none if the event has happened.
fn pending(g: &mut Guard, event: Handle) -> Result<Option<(Handle, u64)>> {
    let found = find(g, event)?;
    if let Some(captured) = &found.captured {
        let capture = captured.capture;
        capture::invalidate(g, capture);
        return Err(Error::CAPTURED_EVENT);
    }
    Ok(found.recorded.filter(|_| found.completed < found.version))
}

/// `cuEventQuery`: one step of progress at a time.
pub fn query(g: &mut Guard, event: Handle) -> Result {
    capture::refuse_unsafe(g)?;
    let owner = find(g, event)?.context;
    let Some((stream, number)) = pending(g, event)? else {
        return g.check_sticky_error(owner);
    };
    if g.streams.get(stream).is_none_or(|st| st.done >= number) {
        return g.check_sticky_error(owner);
    }
    execute::step(g, stream, number);
    g.check_sticky_error(owner)?;
    Err(Error::NOT_READY)
}

/// `cuEventSynchronize`.
pub fn synchronize(g: &mut Guard, event: Handle) -> Result {
    let owner = find(g, event)?.context;
    if let Some((stream, number)) = pending(g, event)? {
        execute::finish(g, stream, number);
        device::trim_pools(g);
    }
    g.check_sticky_error(owner)
}

/// `cuEventElapsedTime`, in milliseconds of the invented clock.
pub fn elapsed(s: &State, start: Handle, end: Handle) -> Result<f32> {
    let (start, end) = (find(s, start)?, find(s, end)?);
    let untimed = |e: &Event| e.flags & DISABLE_TIMING != 0 || e.version == 0;
    if untimed(start) || untimed(end) || start.context != end.context {
        return Err(Error::INVALID_HANDLE);
    }
    if start.captured.is_some() || end.captured.is_some() {
        return Err(Error::CAPTURED_EVENT);
    }
    if start.completed < start.version || end.completed < end.version {
        return Err(Error::NOT_READY);
    }
    Ok((end.time as f64 - start.time as f64) as f32 / 1e6)
}

/// `cuEventDestroy`: work that records it stays.
pub fn destroy(s: &mut State, event: Handle) -> Result {
    s.events
        .remove(event)
        .map(drop)
        .ok_or(Error::INVALID_HANDLE)
}
