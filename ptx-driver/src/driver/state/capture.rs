//! A capture of streams into a graph.
use crate::driver::base::Handle;
use crate::driver::base::thread::CaptureMode;

/// Streams that are being captured into one graph.
pub struct Capture {
    /// The stream in which it began, and must end.
    pub origin: Handle,
    pub context: Handle,
    pub mode: CaptureMode,
    pub thread: u64,
    pub id: u64,
    pub graph: Handle,
    pub invalidated: bool,
    /// Node handles that `cuStreamGetCaptureInfo` points to.
    pub reported: Vec<Handle>,
}

/// Where an event was recorded in a capture.
#[derive(Clone)]
pub struct CapturePoint {
    pub capture: Handle,
    pub dependencies: Vec<usize>,
}
