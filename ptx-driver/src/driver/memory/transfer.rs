//! Enqueues copies and fills.
use crate::driver::base::{Handle, Result};
use crate::driver::state::memory::{Location, Memcpy, Memset};
use crate::driver::state::{Guard, Op};
use crate::driver::{capture, execute, stream};
use std::sync::Arc;

/// Whether a call returns before its work is done.
#[derive(Clone, Copy)]
pub enum When {
    /// The call waits: in the legacy default stream.
    Blocking,
    /// In the legacy default stream, without waiting: copies inside devices, and fills.
    Enqueued,
    /// In a stream of the caller's.
    Async(Handle),
}

fn enqueue(g: &mut Guard, context: Handle, when: When, op: Op) -> Result {
    let stream = match when {
        When::Async(stream) => g.resolve_stream(context, stream)?,
        When::Blocking | When::Enqueued => {
            let legacy = g.resolve_stream(context, 0)?;
            capture::refuse_legacy(g, context)?;
            capture::refuse_unsafe(g)?;
            legacy
        }
    };
    // The memory may be gone after the call if the program relies on the documented wait.
    let waits = g.settings.pageable_waits
        && matches!(&op, Op::Memcpy(copy) if matches!(copy.dst, Location::Host(_)));
    let number = stream::push(g, stream, op)?;
    if let (true, Some(number)) = (waits || matches!(when, When::Blocking), number) {
        execute::finish(g, stream, number);
    }
    Ok(())
}

/// A copy. Pageable memory is read before the call returns, pinned memory when the copy is executed.
pub fn memcpy(g: &mut Guard, context: Handle, mut copy: Memcpy, when: When) -> Result {
    copy.check(&g.memory)?;
    if copy.bytes() == 0 {
        return Ok(());
    }
    if let When::Async(stream) = when {
        let stream = g.resolve_stream(context, stream)?;
        let capturing = g.is_captured(stream);
        // A graph reads its source at each launch.
        if !capturing {
            copy.stage(&g.memory);
        }
    }
    enqueue(g, context, when, Op::Memcpy(Arc::new(copy)))
}

/// A fill.
pub fn memset(g: &mut Guard, context: Handle, fill: Memset, when: When) -> Result {
    fill.check(&g.memory)?;
    if fill.bytes() == 0 {
        return Ok(());
    }
    enqueue(g, context, when, Op::Memset(Arc::new(fill)))
}
