//! Contexts.
use super::argument::{out, set_optional};
use crate::driver::base::{Error, thread};
use crate::driver::device::{self, peer};
use crate::driver::{context, stream};

functions! {
    init cuCtxCreate_v2(handle: *mut usize, flags: u32, device: i32) |g| {
        let place = out(handle)?;
        let device = device::by_ordinal(g, device)?;
        place.set(context::create(g, flags, device)?)
    };
    init cuCtxDestroy_v2(handle: usize) |g| context::destroy(g, handle);
    init cuCtxPushCurrent_v2(handle: usize) |g| {
        context::check(g, handle)?;
        if handle == 0 { return Err(Error::INVALID_CONTEXT); }
        thread::push(handle);
        Ok(())
    };
    init cuCtxPopCurrent_v2(handle: *mut usize) |_g| {
        if thread::current() == 0 { return Err(Error::INVALID_CONTEXT); }
        let popped = thread::pop();
        set_optional(handle, popped);
        Ok(())
    };
    init cuCtxSetCurrent(handle: usize) |g| {
        context::check(g, handle)?;
        thread::set_current(handle);
        Ok(())
    };
    init cuCtxGetCurrent(handle: *mut usize) |_g| out(handle)?.set(thread::current());
    init cuCtxGetDevice(device: *mut i32) |g| {
        let current = g.context(g.named_context(0)?)?;
        out(device)?.set(current.device as i32)
    };
    init cuCtxGetFlags(flags: *mut u32) |g| {
        let current = g.context(g.named_context(0)?)?;
        out(flags)?.set(current.flags)
    };
    init cuCtxSetFlags(flags: u32) |g| {
        context::check_flags(flags)?;
        let current = g.named_context(0)?;
        g.contexts.get_mut(current).ok_or(Error::INVALID_CONTEXT)?.flags = flags;
        Ok(())
    };
    init cuCtxGetId(handle: usize, id: *mut u64) |g| {
        let found = g.context(g.named_context(handle)?)?;
        out(id)?.set(found.id)
    };
    init cuCtxGetApiVersion(handle: usize, version: *mut u32) |g| {
        g.named_context(handle)?;
        out(version)?.set(3020)
    };
    ctx cuCtxSynchronize() |g, c| context::synchronize(g, c);
    ctx cuCtxGetLimit(value: *mut usize, limit: u32) |g, c| {
        let place = out(value)?;
        let found = *context::limit(g, c, limit)?;
        place.set(found)
    };
    ctx cuCtxSetLimit(limit: u32, value: usize) |g, c| {
        *context::limit(g, c, limit)? = value;
        Ok(())
    };
    ctx cuCtxGetCacheConfig(config: *mut u32) |_g, _c| out(config)?.set(0);
    ctx cuCtxSetCacheConfig(config: u32) |_g, _c| if config > 3 { Err(Error::INVALID_VALUE) } else { Ok(()) };
    ctx cuCtxGetSharedMemConfig(config: *mut u32) |_g, _c| out(config)?.set(1);
    ctx cuCtxSetSharedMemConfig(config: u32) |_g, _c| if config > 2 { Err(Error::INVALID_VALUE) } else { Ok(()) };
    ctx cuCtxResetPersistingL2Cache() |_g, _c| Ok(());
    ctx cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) |_g, _c| {
        set_optional(least, stream::PRIORITIES.0);
        set_optional(greatest, stream::PRIORITIES.1);
        Ok(())
    };
    ctx cuCtxEnablePeerAccess(peer: usize, flags: u32) |g, c| peer::enable(g, c, peer, flags);
    ctx cuCtxDisablePeerAccess(peer: usize) |g, c| peer::disable(g, c, peer);
}
