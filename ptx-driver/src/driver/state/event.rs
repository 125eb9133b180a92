//! An event.
use super::capture::CapturePoint;
use crate::driver::base::Handle;

/// A `CUevent`.
pub struct Event {
    pub context: Handle,
    pub flags: u32,
    /// Where it was recorded last: a stream, and a number there.
    pub recorded: Option<(Handle, u64)>,
    /// Counts the calls that record it.
    pub version: u64,
    /// The newest version that was executed.
    pub completed: u64,
    /// When that was.
    pub time: u64,
    /// The capture in which it was recorded last.
    pub captured: Option<CapturePoint>,
}
