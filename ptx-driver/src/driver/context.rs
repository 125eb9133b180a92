//! Contexts: primary ones, and those of `cuCtxCreate`.
use super::error::{Error, Result};
use super::execute;
use super::handle::Handle;
use super::memory::Home;
use super::state::{Guard, State};
use super::stream::{self, Stream};
use super::{capture, thread};

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

/// The flags that `cuCtxCreate` and `cuDevicePrimaryCtxSetFlags` know, with those for core dumps and memory operations.
const FLAGS: u32 = 0xFF;

/// `CU_CTX_SCHED_*` takes one of its bits at a time.
pub fn check_flags(flags: u32) -> Result {
    if flags & !FLAGS != 0 || !matches!(flags & 7, 0 | 1 | 2 | 4) {
        Err(Error::INVALID_VALUE)
    } else {
        Ok(())
    }
}

fn make(s: &mut State, device: u32, flags: u32, primary: bool) -> Handle {
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
    let c = g.contexts.get(context).ok_or(Error::INVALID_CONTEXT)?;
    if c.primary {
        return Err(Error::INVALID_CONTEXT);
    }
    dismantle(g, context);
    if thread::current() == context {
        thread::pop();
    }
    Ok(())
}

/// Finishes a context's work and frees what belongs to it.
pub fn dismantle(g: &mut Guard, context: Handle) {
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
        let gone = match a.home {
            Home::Context(owner) => owner == context,
            Home::Host { .. } => a.context == context,
            Home::Pool { .. } => false,
        };
        if gone
            && !matches!(a.home, Home::Host { .. })
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

/// `cuDevicePrimaryCtxRetain`.
pub fn retain_primary(s: &mut State, device: u32) -> Result<Handle> {
    let d = s
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    d.primary_uses += 1;
    if let Some(handle) = d.primary {
        return Ok(handle);
    }
    let flags = d.primary_flags;
    let handle = make(s, device, flags, true);
    s.devices[device as usize].primary = Some(handle);
    Ok(handle)
}

/// `cuDevicePrimaryCtxRelease`: the last release frees all.
pub fn release_primary(g: &mut Guard, device: u32) -> Result {
    let d = g
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    if d.primary_uses == 0 {
        return Err(Error::INVALID_CONTEXT);
    }
    d.primary_uses -= 1;
    if d.primary_uses == 0
        && let Some(handle) = d.primary.take()
    {
        dismantle(g, handle);
    }
    Ok(())
}

/// `cuDevicePrimaryCtxReset`: frees all and forgets a sticky error; the context is made anew with the same uses.
pub fn reset_primary(g: &mut Guard, device: u32) -> Result {
    let d = g
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    d.primary_uses = 0;
    if let Some(handle) = d.primary.take() {
        dismantle(g, handle);
    }
    Ok(())
}

/// `cuDevicePrimaryCtxSetFlags`.
pub fn set_primary_flags(s: &mut State, device: u32, flags: u32) -> Result {
    check_flags(flags)?;
    let d = s
        .devices
        .get_mut(device as usize)
        .ok_or(Error::INVALID_DEVICE)?;
    d.primary_flags = flags;
    let primary = d.primary;
    if let Some(context) = primary.and_then(|handle| s.contexts.get_mut(handle)) {
        context.flags = flags;
    }
    Ok(())
}

/// A context that may be made current: zero means none.
pub fn check(s: &State, context: Handle) -> Result {
    if context == 0 || s.contexts.get(context).is_some() {
        Ok(())
    } else {
        Err(Error::INVALID_CONTEXT)
    }
}

/// The context that a call names, or the current one for zero.
pub fn named(s: &State, context: Handle) -> Result<Handle> {
    let handle = if context == 0 {
        thread::current()
    } else {
        context
    };
    s.contexts
        .get(handle)
        .map(|_| handle)
        .ok_or(Error::INVALID_CONTEXT)
}

/// `cuCtxSynchronize`.
pub fn synchronize(g: &mut Guard, context: Handle) -> Result {
    capture::refuse_for_context(g, context)?;
    execute::finish_context(g, context);
    super::pool::release_all(g);
    Ok(())
}

/// `cuCtxGetLimit` and `cuCtxSetLimit`.
pub fn limit(s: &mut State, context: Handle, limit: u32) -> Result<&mut usize> {
    if limit > 6 {
        return Err(Error::INVALID_VALUE);
    }
    let context = s.contexts.get_mut(context).ok_or(Error::INVALID_CONTEXT)?;
    context
        .limits
        .get_mut(limit as usize)
        .ok_or(Error::UNSUPPORTED_LIMIT)
}

/// The stream that a handle means in a context: 0 and 1 the legacy default stream, 2 the thread's own.
pub fn stream(s: &mut State, context: Handle, stream: Handle) -> Result<Handle> {
    match stream {
        0 | 1 => s
            .contexts
            .get(context)
            .map(|c| c.legacy)
            .ok_or(Error::INVALID_CONTEXT),
        2 => {
            let thread = thread::number();
            let c = s.contexts.get(context).ok_or(Error::INVALID_CONTEXT)?;
            if let Some((_, handle)) = c.per_thread.iter().find(|(t, _)| *t == thread) {
                return Ok(*handle);
            }
            let handle = stream::create(s, context, 0, 0)?;
            if let Some(c) = s.contexts.get_mut(context) {
                c.per_thread.push((thread, handle));
            }
            Ok(handle)
        }
        _ => match s.streams.get(stream) {
            Some(found) if !found.destroyed && !found.legacy => Ok(stream),
            _ => Err(Error::INVALID_HANDLE),
        },
    }
}
