//! One operation, as data. `execute` runs it.
use super::launch::Launch;
use super::memory::{Memcpy, Memset};
use crate::driver::base::Handle;
use std::ffi::c_void;
use std::sync::Arc;

/// A function of the program that is called in stream order.
#[derive(Clone, Copy)]
pub enum HostCall {
    /// Of `cuLaunchHostFunc`.
    Function {
        function: unsafe extern "C" fn(*mut c_void),
        data: usize,
    },
    /// Of `cuStreamAddCallback`.
    Callback {
        function: unsafe extern "C" fn(Handle, u32, *mut c_void),
        stream: Handle,
        data: usize,
    },
}

/// One operation: an item of a stream, or a node of a graph.
#[derive(Clone)]
pub enum Op {
    /// Only its dependencies matter.
    Empty,
    Kernel(Arc<Launch>),
    Memcpy(Arc<Memcpy>),
    Memset(Arc<Memset>),
    Host(HostCall),
    /// An event reaches this version; without one, the version of the moment of execution (a node of a graph).
    Record {
        event: Handle,
        version: Option<u64>,
    },
    /// A node that waits for an event recorded outside its graph.
    WaitEvent {
        event: Handle,
    },
    Allocate(u64),
    Free(u64),
}
