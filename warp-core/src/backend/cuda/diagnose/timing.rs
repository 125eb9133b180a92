//! How long what runs on GPUs takes, while that is recorded: events before and after it.

use crate::device::cuda::{self, EventUse};
use crate::device::{Device, Stream};
use crate::error::Result;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is timed. The numbers are those of `wp.TIMING_KERNEL` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A kernel of the user's.
    Kernel = 1,
    /// A kernel of this library's.
    Builtin = 2,
    /// A copy.
    Copy = 4,
    /// A fill.
    Fill = 8,
    /// A whole graph.
    Graph = 16,
}

/// How long one thing took.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Where it ran.
    pub device: Device,
    /// What it was.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// How long.
    pub milliseconds: f32,
}

struct Span {
    stream: Stream,
    name: String,
    kind: Kind,
    start: usize,
    end: usize,
}

/// The kinds that are timed.
static FILTER: AtomicU32 = AtomicU32::new(0);
static SPANS: Mutex<Vec<Span>> = Mutex::new(Vec::new());

fn spans() -> MutexGuard<'static, Vec<Span>> {
    SPANS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Times these kinds from now on; 0 times nothing.
pub fn set_filter(filter: u32) {
    FILTER.store(filter, Ordering::Relaxed);
}

/// What was timed since this was asked last. Waits for it.
///
/// # Errors
/// What the driver says.
pub fn take() -> Result<Vec<Timed>> {
    let all: Vec<Span> = std::mem::take(&mut *spans());
    let mut timed = Vec::with_capacity(all.len());
    let mut outcome = Ok(());
    for span in all {
        let device = span.stream.device;
        let asked = cuda::synchronize_event(device, span.end);
        match asked.and_then(|()| cuda::elapsed_time(device, span.start, span.end)) {
            Ok(milliseconds) => timed.push(Timed {
                device,
                name: span.name,
                kind: span.kind,
                milliseconds,
            }),
            Err(e) => outcome = Err(e),
        }
        for event in [span.start, span.end] {
            // SAFETY: made in `watch`, for nobody else.
            unsafe { cuda::destroy_event(device, event) };
        }
    }
    outcome.map(|()| timed)
}

/// Times what the stream is given until this is dropped.
pub struct Watch(Option<Span>);

/// Begins to time what a stream is given, if it is recorded of that kind.
#[inline]
pub fn watch(kind: Kind, stream: Stream, name: impl FnOnce() -> String) -> Watch {
    match FILTER.load(Ordering::Relaxed) & kind as u32 {
        0 => Watch(None),
        _ => begin(kind, stream, name()),
    }
}

#[cold]
fn begin(kind: Kind, stream: Stream, name: String) -> Watch {
    // What a graph does is no work of its own. An error is told by the work itself.
    if !matches!(cuda::capture_of(stream), Ok(None)) {
        return Watch(None);
    }
    let wanted = EventUse {
        timing: true,
        interprocess: false,
    };
    let make = || cuda::create_event(stream.device, wanted);
    let (Ok(start), Ok(end)) = (make(), make()) else {
        return Watch(None);
    };
    // Times are no reason for a launch to fail.
    let _ = cuda::record_event(stream, start);
    Watch(Some(Span {
        stream,
        name,
        kind,
        start,
        end,
    }))
}

impl Drop for Watch {
    #[inline]
    fn drop(&mut self) {
        if let Some(span) = self.0.take() {
            let _ = cuda::record_event(span.stream, span.end);
            spans().push(span);
        }
    }
}
