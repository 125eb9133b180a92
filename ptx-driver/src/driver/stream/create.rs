//! Creation and destruction of streams.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::capture;
use crate::driver::state::{Guard, State, Stream};

/// `cuCtxGetStreamPriorityRange`: least and greatest.
pub const PRIORITIES: (i32, i32) = (0, -5);

/// `cuStreamCreateWithPriority`. Priorities outside the range are clamped.
pub fn create(s: &mut State, context: Handle, flags: u32, priority: i32) -> Result<Handle> {
    if flags > 1 {
        return Err(Error::INVALID_VALUE);
    }
    let id = s.next_id();
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    Ok(s.streams.insert(Stream {
        priority,
        ..Stream::new(context, flags == 0, id)
    }))
}

/// `cuStreamDestroy`: the work stays and is executed when something waits for it.
pub fn destroy(g: &mut Guard, stream: Handle) -> Result {
    if stream <= 2 {
        return Err(Error::INVALID_HANDLE);
    }
    let found = g
        .streams
        .get_mut(stream)
        .filter(|s| !s.destroyed && !s.legacy)
        .ok_or(Error::INVALID_HANDLE)?;
    found.destroyed = true;
    let idle = found.queue.is_empty() && !found.running;
    if let Some(capture) = found.capture {
        capture::invalidate(g, capture);
    }
    if idle {
        g.streams.remove(stream);
    }
    Ok(())
}
