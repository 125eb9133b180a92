//! Streams.
use super::argument::out;
use crate::driver::base::Error;
use crate::driver::launch;
use crate::driver::stream::{self, event};
use std::ffi::c_void;

functions! {
    ctx cuStreamCreate(handle: *mut usize, flags: u32) |g, c| {
        let place = out(handle)?;
        place.set(stream::create(g, c, flags, 0)?)
    };
    ctx cuStreamCreateWithPriority(handle: *mut usize, flags: u32, priority: i32) |g, c| {
        let place = out(handle)?;
        place.set(stream::create(g, c, flags, priority)?)
    };
    ctx cuStreamDestroy_v2(handle: usize) |g, _c| stream::destroy(g, handle);
    ctx cuStreamQuery(handle: usize) |g, c| stream::query(g, c, handle);
    ctx cuStreamSynchronize(handle: usize) |g, c| stream::synchronize(g, c, handle);
    ctx cuStreamWaitEvent(handle: usize, event: usize, flags: u32) |g, c| event::stream_wait(g, c, handle, event, flags);
    ctx cuStreamGetCtx(handle: usize, owner: *mut usize) |g, c| {
        let stream = g.resolve_stream(c, handle)?;
        let found = g.stream(stream)?;
        out(owner)?.set(found.context)
    };
    ctx cuStreamGetFlags(handle: usize, flags: *mut u32) |g, c| {
        let stream = g.resolve_stream(c, handle)?;
        let found = g.stream(stream)?;
        out(flags)?.set(found.flags)
    };
    ctx cuStreamGetPriority(handle: usize, priority: *mut i32) |g, c| {
        let stream = g.resolve_stream(c, handle)?;
        let found = g.stream(stream)?;
        out(priority)?.set(found.priority)
    };
    ctx cuStreamGetId(handle: usize, id: *mut u64) |g, c| {
        let stream = g.resolve_stream(c, handle)?;
        let found = g.stream(stream)?;
        out(id)?.set(found.id)
    };
    ctx cuLaunchHostFunc(handle: usize, function: Option<unsafe extern "C" fn(*mut c_void)>, data: usize) |g, c| {
        launch::launch_host_function(g, c, handle, function, data)
    };
    ctx cuStreamAddCallback(
        handle: usize,
        function: Option<unsafe extern "C" fn(usize, u32, *mut c_void)>,
        data: usize,
        flags: u32,
    ) |g, c| launch::add_callback(g, c, handle, function, data, flags);
    ctx cuStreamAttachMemAsync(handle: usize, address: u64, bytes: usize, flags: u32) |_g, _c| {
        let _ = (handle, address, bytes, flags);
        Err(Error::NOT_SUPPORTED)
    };
    ctx cuStreamWriteValue32_v2(handle: usize, address: u64, value: u32, flags: u32) |_g, _c| {
        let _ = (handle, address, value, flags);
        Err(Error::NOT_SUPPORTED)
    };
    ctx cuStreamWaitValue32_v2(handle: usize, address: u64, value: u32, flags: u32) |_g, _c| {
        let _ = (handle, address, value, flags);
        Err(Error::NOT_SUPPORTED)
    };
}
