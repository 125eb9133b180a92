//! A context: a primary one, or one of `cuCtxCreate`.
use crate::driver::base::{Error, Handle};

/// A `CUcontext`.
pub struct Context {
    pub device: u32,
    pub flags: u32,
    pub primary: bool,
    /// A fault of a kernel: every later call returns it.
    pub error: Option<Error>,
    /// The NULL stream.
    pub legacy: Handle,
    /// `CU_STREAM_PER_THREAD`, by thread.
    pub per_thread: Vec<(u64, Handle)>,
    /// Contexts whose memory this one may touch.
    pub peers: Vec<Handle>,
    pub id: u64,
    pub limits: [usize; 7],
}
