//! Events.
use super::argument::out;
use crate::driver::stream::event;

functions! {
    ctx cuEventCreate(handle: *mut usize, flags: u32) |g, c| {
        let place = out(handle)?;
        place.set(event::create(g, c, flags)?)
    };
    ctx cuEventRecord(handle: usize, stream: usize) |g, c| event::record(g, c, handle, stream, 0);
    ctx cuEventRecordWithFlags(handle: usize, stream: usize, flags: u32) |g, c| event::record(g, c, handle, stream, flags);
    ctx cuEventQuery(handle: usize) |g, _c| event::query(g, handle);
    ctx cuEventSynchronize(handle: usize) |g, _c| event::synchronize(g, handle);
    ctx cuEventElapsedTime(milliseconds: *mut f32, start: usize, end: usize) |g, _c| {
        out(milliseconds)?.set(event::elapsed(g, start, end)?)
    };
    ctx cuEventDestroy_v2(handle: usize) |g, _c| event::destroy(g, handle);
}
