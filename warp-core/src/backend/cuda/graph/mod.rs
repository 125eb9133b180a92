//! CUDA graphs of our own: work that is recorded once, on a stream that nothing else has, and launched as a whole.
//!
//! A recording makes the ordinary calls, with the captured stream. Memory
//! that the work allocates is the graph's (`crate::backend::cuda::memory::arena`).

pub(in crate::backend::cuda) mod conditions;

use crate::backend::cuda::diagnose::timing::{self, Kind};
use crate::backend::cuda::launch::state::State;
use crate::backend::cuda::memory;
use crate::backend::cuda::memory::arena;
use crate::backend::memory::Memory;
use crate::device::cuda::{Current, Gpu, Unhindered, capture_info, gpu_of};
use crate::device::{Device, Stream};
use crate::error::{Bug, Result};
use cudarc::driver::sys::*;
use std::ffi::{c_int, c_uint};

/// Work that a GPU does as a whole.
#[derive(Debug)]
pub struct Graph {
    gpu: &'static Gpu,
    exec: usize,
    /// What the work made for itself.
    kept: Vec<Memory>,
}

// SAFETY: an executable graph may be launched and destroyed by any thread; the driver orders its launches.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

/// A stream that is recorded.
pub struct Recording {
    gpu: &'static Gpu,
    stream: CUstream,
}

/// What a node of a graph is given for a branch or a loop: `CUgraphNodeParams` of 12.3 and later.
#[repr(C)]
struct ConditionalNode {
    kind: c_int,
    reserved: [c_int; 3],
    handle: u64,
    conditional: c_int,
    size: c_uint,
    bodies: *mut CUgraph,
    context: CUcontext,
    rest: [u64; 25],
    last: u64,
}

const _: () = assert!(size_of::<ConditionalNode>() == 256);

/// `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
const CONDITIONAL: c_int = 13;
/// `CU_STREAM_SET_CAPTURE_DEPENDENCIES`.
const SET: c_uint = 1;

/// What a conditional node does.
#[derive(Clone, Copy)]
enum Conditional {
    If = 0,
    While = 1,
}

/// Whether graphs of a GPU can have branches and loops.
pub fn has_conditions(device: Device) -> bool {
    let gpu = gpu_of(device);
    gpu.and_then(|gpu| State::of(gpu)?.conditions(gpu).map(drop))
        .is_ok()
}

/// Ends what [`arena::open`] began, however the recording ends.
struct Kept(&'static Gpu);

impl Kept {
    fn close(self) -> Result<Vec<Memory>> {
        let gpu = self.0;
        std::mem::forget(self);
        arena::close(gpu)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let lost = arena::close(self.0).unwrap_or_default();
        give_back(self.0, &lost);
    }
}

fn give_back(gpu: &'static Gpu, kept: &[Memory]) {
    if let Ok(stream) = gpu.stream() {
        for memory in kept {
            // SAFETY: it was made for the graph, which is gone or never was.
            unsafe { memory::release(gpu, memory, stream) };
        }
    }
}

/// A stream for a recording, destroyed with this.
struct Private<'a> {
    current: &'a Current,
    stream: CUstream,
}

impl<'a> Private<'a> {
    fn new(current: &'a Current) -> Result<Private<'a>> {
        let mut stream: CUstream = std::ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: writes a handle.
        unsafe { current.driver().stream_create(&raw mut stream, flags, 0) }?;
        Ok(Private { current, stream })
    }
}

impl Drop for Private<'_> {
    fn drop(&mut self) {
        // SAFETY: made here, and nothing runs on it.
        let _ = unsafe { self.current.driver().stream_destroy(self.stream) };
    }
}

/// Records what a function gives to the stream of a recording.
///
/// # Errors
/// What the function or the driver says. Nothing stays then.
pub fn record(device: Device, what: impl FnOnce(&Recording) -> Result<()>) -> Result<Graph> {
    let gpu = gpu_of(device)?;
    // Loaded before: loading waits for the device.
    State::of(gpu)?.copier(gpu)?;
    let current = gpu.enter()?;
    let private = Private::new(&current)?;
    if !arena::open(gpu)? {
        return Err(Bug("a graph is recorded within another one".into()).into());
    }
    let kept = Kept(gpu);
    let _records = gpu.record();
    let driver = current.driver();
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: the stream is private.
    unsafe { driver.stream_begin_capture(private.stream, mode) }?;
    let mut graph: CUgraph = std::ptr::null_mut();
    let outcome = during(gpu, private.stream, what);
    // SAFETY: writes a handle; the capture ends on the thread and stream on which it began.
    let ended = unsafe { driver.stream_end_capture(private.stream, &raw mut graph) };
    let made = outcome.and_then(|()| {
        ended?;
        let mut exec: CUgraphExec = std::ptr::null_mut();
        // SAFETY: writes a handle; the graph was just made.
        unsafe { driver.graph_instantiate(&raw mut exec, graph, 0) }?;
        Ok(exec)
    });
    if !graph.is_null() {
        // SAFETY: what is instantiated does not need it.
        let _ = unsafe { driver.graph_destroy(graph) };
    }
    let exec = made? as usize;
    Ok(Graph {
        gpu,
        exec,
        kept: kept.close()?,
    })
}

fn during(
    gpu: &'static Gpu,
    stream: CUstream,
    what: impl FnOnce(&Recording) -> Result<()>,
) -> Result<()> {
    let _unhindered = Unhindered::begin();
    what(&Recording { gpu, stream })
}

impl Recording {
    /// The stream: what it is given is recorded.
    pub fn stream(&self) -> Stream {
        Stream {
            device: self.gpu.device(),
            handle: self.stream as usize,
        }
    }

    /// Records a branch: one of the two, by an int32 on the GPU.
    ///
    /// # Errors
    /// What the functions or the driver say.
    pub fn branch(
        &self,
        condition: *mut u8,
        on_true: impl FnOnce(&Recording) -> Result<()>,
        on_false: impl FnOnce(&Recording) -> Result<()>,
    ) -> Result<()> {
        let (yes, no) = (self.handle()?, self.handle()?);
        self.ask(condition, yes, no)?;
        self.body(self.node(yes, Conditional::If)?, on_true)?;
        self.body(self.node(no, Conditional::If)?, on_false)
    }

    /// Records a loop: it runs while an int32 on the GPU is not zero.
    ///
    /// # Errors
    /// What the function or the driver says.
    pub fn repeat(
        &self,
        condition: *mut u8,
        body: impl FnOnce(&Recording) -> Result<()>,
    ) -> Result<()> {
        let again = self.handle()?;
        self.ask(condition, again, 0)?;
        self.body(self.node(again, Conditional::While)?, |inner| {
            body(inner)?;
            inner.ask(condition, again, 0)
        })
    }

    /// What a kernel tells a node of this graph through.
    fn handle(&self) -> Result<u64> {
        let current = self.gpu.enter()?;
        let info = capture_info(current.driver(), self.stream as usize)?;
        let context = self.gpu.context_handle().unwrap_or(0) as CUcontext;
        let mut handle = 0;
        // SAFETY: writes a handle; the graph is being captured.
        unsafe {
            current
                .driver()
                .graph_conditional_handle(&raw mut handle, info.graph, context, 0, 0)
        }?;
        Ok(handle)
    }

    /// Records the launch that tells nodes what a condition says; a handle of 0 is none.
    fn ask(&self, condition: *mut u8, mut yes: u64, mut no: u64) -> Result<()> {
        let mut condition = condition as u64;
        let mut params = [
            (&raw mut condition).cast(),
            (&raw mut yes).cast(),
            (&raw mut no).cast(),
        ];
        let kernel = State::of(self.gpu)?.conditions(self.gpu)?;
        // SAFETY: the kernel takes these three; the condition is an int32 that the graph's owner keeps.
        unsafe { kernel.launch(1, 1, self.stream, &mut params) }
    }

    /// Adds a node after what was recorded: its body, an empty graph.
    fn node(&self, handle: u64, what: Conditional) -> Result<CUgraph> {
        let current = self.gpu.enter()?;
        let driver = current.driver();
        let info = capture_info(driver, self.stream as usize)?;
        let mut params = ConditionalNode {
            kind: CONDITIONAL,
            reserved: [0; 3],
            handle,
            conditional: what as c_int,
            size: 1,
            bodies: std::ptr::null_mut(),
            context: self.gpu.context_handle().unwrap_or(0) as CUcontext,
            rest: [0; 25],
            last: 0,
        };
        let mut node: CUgraphNode = std::ptr::null_mut();
        // SAFETY: the parameters are laid out as the driver has them; it writes a node, and an array of one body, which lives as
        // long as the node.
        unsafe {
            let edges = std::ptr::null();
            let place = (&raw mut params).cast();
            driver.graph_add_node(
                &raw mut node,
                info.graph,
                info.after,
                edges,
                info.count,
                place,
            )?;
            driver.stream_update_capture(self.stream, &raw mut node, 1, SET)?;
            match params.bodies.is_null() {
                true => Err(Bug("a conditional node has no body".into()).into()),
                false => Ok(*params.bodies),
            }
        }
    }

    /// Records into a body.
    fn body(&self, body: CUgraph, what: impl FnOnce(&Recording) -> Result<()>) -> Result<()> {
        let current = self.gpu.enter()?;
        let driver = current.driver();
        let private = Private::new(&current)?;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is private, and the body empty.
        unsafe {
            driver.stream_begin_capture_to_graph(
                private.stream,
                body,
                std::ptr::null(),
                std::ptr::null(),
                0,
                mode,
            )
        }?;
        let outcome = during(self.gpu, private.stream, what);
        let mut same: CUgraph = std::ptr::null_mut();
        // SAFETY: writes the body's handle again.
        let ended = unsafe { driver.stream_end_capture(private.stream, &raw mut same) };
        outcome?;
        ended
    }
}

impl Graph {
    /// Gives a stream the work.
    ///
    /// # Safety
    /// What the work uses is alive until the stream has done it.
    ///
    /// # Errors
    /// What the driver says.
    pub unsafe fn launch(&self, stream: Stream) -> Result<()> {
        let current = self.gpu.enter()?;
        let _timed = timing::watch(Kind::Graph, stream, || "graph".into());
        // SAFETY: promised by the caller.
        unsafe {
            current
                .driver()
                .graph_launch(self.exec as CUgraphExec, stream.handle as CUstream)
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if let Ok(current) = self.gpu.enter() {
            // SAFETY: it is ours, and nobody launches it any more; the driver lets it end first.
            let _ = unsafe {
                current
                    .driver()
                    .graph_exec_destroy(self.exec as CUgraphExec)
            };
        }
        give_back(self.gpu, &self.kept);
    }
}
