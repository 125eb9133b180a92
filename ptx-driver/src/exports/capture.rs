//! Stream capture.
use super::argument::{list, out, required, set_optional};
use crate::driver::base::Error;
use crate::driver::base::thread::{self, CaptureMode};
use crate::driver::capture;
use std::ffi::c_void;

functions! {
    ctx cuStreamBeginCapture_v2(stream: usize, mode: u32) |g, c| capture::begin(g, c, stream, mode);
    ctx cuStreamBeginCaptureToGraph(
        stream: usize,
        graph: usize,
        after: *const usize,
        edges: *const c_void,
        count: usize,
        mode: u32,
    ) |g, c| {
        if !edges.is_null() { return Err(Error::NOT_SUPPORTED); }
        capture::begin_to_graph(g, c, stream, mode, graph, list(after, count)?)
    };
    ctx cuStreamEndCapture(stream: usize, graph: *mut usize) |g, c| {
        let place = out(graph)?;
        let ended = capture::end(g, c, stream);
        place.set(*ended.as_ref().unwrap_or(&0))?;
        ended.map(drop)
    };
    ctx cuStreamIsCapturing(stream: usize, status: *mut u32) |g, c| out(status)?.set(capture::info(g, c, stream)?.status);
    ctx cuStreamGetCaptureInfo_v2(
        stream: usize,
        status: *mut u32,
        id: *mut u64,
        graph: *mut usize,
        dependencies: *mut *const usize,
        count: *mut usize,
    ) |g, c| {
        let place = out(status)?;
        let info = capture::info(g, c, stream)?;
        set_optional(id, info.id);
        set_optional(graph, info.graph);
        set_optional(dependencies, info.dependencies);
        set_optional(count, info.dependency_count);
        place.set(info.status)
    };
    ctx cuStreamGetCaptureInfo_v3(
        stream: usize,
        status: *mut u32,
        id: *mut u64,
        graph: *mut usize,
        dependencies: *mut *const usize,
        edges: *mut *const c_void,
        count: *mut usize,
    ) |g, c| {
        let place = out(status)?;
        let info = capture::info(g, c, stream)?;
        set_optional(id, info.id);
        set_optional(graph, info.graph);
        set_optional(dependencies, info.dependencies);
        set_optional(edges, std::ptr::null());
        set_optional(count, info.dependency_count);
        place.set(info.status)
    };
    ctx cuStreamUpdateCaptureDependencies(stream: usize, nodes: *const usize, count: usize, flags: u32) |g, c| {
        capture::update_dependencies(g, c, stream, list(nodes, count)?, flags)
    };
    init cuThreadExchangeStreamCaptureMode(mode: *mut u32) |_g| {
        let former = thread::exchange_mode(CaptureMode::from_code(*required(mode)?)?) as u32;
        out(mode)?.set(former)
    };
}
