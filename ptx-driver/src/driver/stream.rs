//! Streams: queues of work, and what their items wait for.
use super::error::{Error, Result};
use super::handle::Handle;
use super::settings::Order;
use super::state::{Guard, State};
use super::work::{Action, HostCall, Op, Work};
use super::{capture, context, execute, pool};
use std::collections::VecDeque;
use std::ffi::c_void;

pub struct Stream {
    pub context: Handle,
    /// Waits for the legacy default stream and is waited for by it.
    pub blocking: bool,
    pub legacy: bool,
    pub flags: u32,
    pub priority: i32,
    pub id: u64,
    pub queue: VecDeque<Work>,
    /// Number of the last item that was enqueued.
    pub last: u64,
    /// Number of the last item that was executed.
    pub done: u64,
    /// An item is being executed, on some thread.
    pub running: bool,
    /// The handle is gone; the work stays.
    pub destroyed: bool,
    pub capture: Option<Handle>,
    /// The nodes on which the next captured one depends.
    pub tips: Vec<usize>,
}

impl Stream {
    pub fn new(context: Handle, blocking: bool, id: u64) -> Stream {
        Stream {
            context,
            blocking,
            legacy: false,
            flags: u32::from(!blocking),
            priority: 0,
            id,
            queue: VecDeque::new(),
            last: 0,
            done: 0,
            running: false,
            destroyed: false,
            capture: None,
            tips: Vec::new(),
        }
    }
}

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

/// Adds an item to a stream, or a node to its capture. Returns the item's number, none if it was captured.
pub fn enqueue(
    g: &mut Guard,
    stream: Handle,
    action: Action,
    mut after: Vec<(Handle, u64)>,
) -> Result<Option<u64>> {
    let s = &mut **g;
    let st = s.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    if st.capture.is_some() {
        capture::add(s, stream, action)?;
        return Ok(None);
    }
    if st.legacy {
        let context = st.context;
        capture::refuse_legacy(s, context)?;
        after.extend(
            s.streams
                .iter()
                .filter(|(_, o)| o.blocking && !o.legacy && o.context == context && o.last > o.done)
                .map(|(handle, o)| (handle, o.last)),
        );
    } else if st.blocking
        && let Some(context) = s.contexts.get(st.context)
        && let Some(legacy) = s.streams.get(context.legacy)
        && legacy.last > legacy.done
    {
        after.push((context.legacy, legacy.last));
    }
    let ticket = s.next_ticket();
    let st = s.streams.get_mut(stream).ok_or(Error::INVALID_HANDLE)?;
    st.last += 1;
    let number = st.last;
    st.queue.push_back(Work {
        number,
        ticket,
        after,
        action,
    });
    if s.settings.order != Order::Lazy {
        execute::after_enqueue(g, stream, number);
    }
    Ok(Some(number))
}

/// Adds an operation that waits for nothing but what its stream makes it wait for.
pub fn push(g: &mut Guard, stream: Handle, op: Op) -> Result<Option<u64>> {
    enqueue(g, stream, Action::Op(op), Vec::new())
}

/// `cuStreamSynchronize`. The legacy default stream is waited for like any other: what blocking streams have left is not.
pub fn synchronize(g: &mut Guard, context: Handle, stream: Handle) -> Result {
    let stream = context::stream(g, context, stream)?;
    capture::refuse_for_stream(g, stream)?;
    let Some(st) = g.streams.get(stream) else {
        return Ok(());
    };
    let (owner, last) = (st.context, st.last);
    execute::finish(g, stream, last);
    pool::release_all(g);
    healthy(g, owner)
}

/// `cuStreamQuery`: one step of progress at a time, so that a program that polls sees both answers.
pub fn query(g: &mut Guard, context: Handle, stream: Handle) -> Result {
    let stream = context::stream(g, context, stream)?;
    capture::refuse_for_stream(g, stream)?;
    let Some(st) = g.streams.get(stream) else {
        return Ok(());
    };
    let (owner, last) = (st.context, st.last);
    if st.done >= last {
        return healthy(g, owner);
    }
    execute::step(g, stream, last);
    healthy(g, owner)?;
    Err(Error::NOT_READY)
}

/// The sticky error of a context, if it has one.
pub fn healthy(s: &State, context: Handle) -> Result {
    match s.contexts.get(context).and_then(|c| c.error) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// `cuLaunchHostFunc`.
pub fn launch_host(
    g: &mut Guard,
    context: Handle,
    stream: Handle,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: usize,
) -> Result {
    let function = function.ok_or(Error::INVALID_VALUE)?;
    let stream = context::stream(g, context, stream)?;
    push(g, stream, Op::Host(HostCall::Function { function, data })).map(drop)
}

/// `cuStreamAddCallback`: not into a capture.
pub fn add_callback(
    g: &mut Guard,
    context: Handle,
    given: Handle,
    function: Option<unsafe extern "C" fn(Handle, u32, *mut c_void)>,
    data: usize,
    flags: u32,
) -> Result {
    let function = function
        .filter(|_| flags == 0)
        .ok_or(Error::INVALID_VALUE)?;
    let stream = context::stream(g, context, given)?;
    capture::refuse_for_stream(g, stream)?;
    push(
        g,
        stream,
        Op::Host(HostCall::Callback {
            function,
            stream: given,
            data,
        }),
    )
    .map(drop)
}
