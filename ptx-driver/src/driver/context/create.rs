//! Creation and destruction of contexts.
use super::query::check_flags;
use crate::driver::base::{Error, Handle, Result, thread};
use crate::driver::state::memory::Origin;
use crate::driver::state::{Context, Guard, State, Stream};
use crate::driver::{capture, execute};

/// Makes a context with its legacy default stream.
pub fn make(s: &mut State, device: u32, flags: u32, primary: bool) -> Handle {
    let id = s.next_id();
    let limits = [1024, 1 << 20, 8 << 20, 2, 2048, 128, 0];
    let (peers, per_thread) = (Vec::new(), Vec::new());
    let context = Context {
        device,
        flags,
        primary,
        error: None,
        legacy: 0,
        per_thread,
        peers,
        id,
        limits,
    };
    let handle = s.contexts.insert(context);
    let legacy = Stream {
        legacy: true,
        ..Stream::new(handle, true, s.next_id())
    };
    let legacy = s.streams.insert(legacy);
    if let Some(context) = s.contexts.get_mut(handle) {
        context.legacy = legacy;
    }
    handle
}

/// `cuCtxCreate`: the context is pushed.
pub fn create(s: &mut State, flags: u32, device: u32) -> Result<Handle> {
    check_flags(flags)?;
    let handle = make(s, device, flags, false);
    thread::push(handle);
    Ok(handle)
}

/// `cuCtxDestroy`: not for primary contexts.
pub fn destroy(g: &mut Guard, context: Handle) -> Result {
    let c = g.context(context)?;
    if c.primary {
        return Err(Error::INVALID_CONTEXT);
    }
    tear_down(g, context);
    if thread::current() == context {
        thread::pop();
    }
    Ok(())
}

/// Finishes a context's work and frees what belongs to it.
pub fn tear_down(g: &mut Guard, context: Handle) {
    capture::abandon(g, context);
    execute::finish_context(g, context);
    let s = &mut **g;
    s.contexts.remove(context);
    s.streams.retain(|stream| stream.context != context);
    s.events.retain(|event| event.context != context);
    s.functions
        .retain(|function| function.module.context != context);
    s.modules.retain(|module| module.context != context);
    let devices = &mut s.devices;
    s.memory.retain(|a| {
        let gone = match a.origin {
            Origin::Context(owner) => owner == context,
            Origin::Host { .. } => a.context == context,
            Origin::Pool { .. } => false,
        };
        if gone
            && !matches!(a.origin, Origin::Host { .. })
            && a.backing.is_some()
            && let Some(device) = devices.get_mut(a.device as usize)
        {
            device.release(a.bytes);
        }
        !gone
    });
    for other in s.contexts.values_mut() {
        other.peers.retain(|peer| *peer != context);
    }
    g.notify();
}
