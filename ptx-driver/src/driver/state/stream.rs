//! A stream: a queue of work.
use super::work::Work;
use crate::driver::base::Handle;
use std::collections::VecDeque;

/// A `CUstream`.
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
    pub capture_dependencies: Vec<usize>,
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
            capture_dependencies: Vec::new(),
        }
    }
}
