//! `cuMemAlloc`, `cuMemAllocAsync` and their kin.
use super::error::{Error, Result};
use super::handle::Handle;
use super::memory::Home;
use super::state::{Guard, State};
use super::work::Op;
use super::{capture, context, execute, fault, pool, stream};

/// `cuMemAlloc`.
pub fn allocate(g: &mut Guard, context: Handle, bytes: u64) -> Result<u64> {
    capture::refuse_unsafe(g)?;
    let device = g
        .contexts
        .get(context)
        .ok_or(Error::INVALID_CONTEXT)?
        .device;
    if bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    charge(g, device, bytes)?;
    let made = g.memory.add(bytes, Home::Context(context), context, device);
    let base = made.and_then(|base| g.memory.revive(base).map(|()| base));
    if base.is_err() {
        g.devices[device as usize].release(bytes);
    }
    base
}

/// Memory of the driver's own on a device, such as a module's variables: it exists at once.
pub fn internal(s: &mut State, context: Handle, bytes: u64) -> Result<u64> {
    let device = s
        .contexts
        .get(context)
        .ok_or(Error::INVALID_CONTEXT)?
        .device;
    s.devices[device as usize].take(bytes)?;
    let base = s
        .memory
        .add(bytes, Home::Context(context), context, device)?;
    s.memory.revive(base)?;
    if let Some(a) = s.memory.at_mut(base) {
        a.internal = true;
    }
    Ok(base)
}

/// Counts bytes against the device's memory. Pools give back what they do not use before it is refused.
fn charge(g: &mut Guard, device: u32, bytes: u64) -> Result {
    if g.devices[device as usize].take(bytes).is_ok() {
        return Ok(());
    }
    pool::trim_device(g, device);
    g.devices[device as usize].take(bytes)
}

/// `cuMemFree`: waits for all work of the context first, as the hardware's driver does.
pub fn free(g: &mut Guard, address: u64) -> Result {
    capture::refuse_unsafe(g)?;
    let a = g
        .memory
        .find(address)
        .filter(|a| a.base == address)
        .ok_or(Error::INVALID_VALUE)?;
    if a.internal || matches!(a.home, Home::Host { .. }) {
        return Err(Error::INVALID_VALUE);
    }
    let owner = a.context;
    execute::finish_context(g, owner);
    stream::healthy(g, owner)?;
    // Another thread may have freed it while the work was executed.
    let ticket = g.next_ticket();
    match g.memory.at_mut(address) {
        Some(a) if a.freed.is_none() => a.freed = Some(ticket),
        _ => return Err(Error::INVALID_VALUE),
    }
    free_reached(g, address);
    Ok(())
}

/// `cuMemAllocAsync`, and `cuMemAllocFromPoolAsync` with a pool.
pub fn allocate_async(
    g: &mut Guard,
    context: Handle,
    bytes: u64,
    from: Option<Handle>,
    stream: Handle,
) -> Result<u64> {
    let stream = context::stream(g, context, stream)?;
    let st = g.streams.get(stream).ok_or(Error::INVALID_HANDLE)?;
    let (owner, capturing) = (st.context, st.capture.is_some());
    let device = g.contexts.get(owner).ok_or(Error::INVALID_CONTEXT)?.device;
    if bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let pool = from.unwrap_or(g.devices[device as usize].pool);
    let place = g.pools.get(pool).ok_or(Error::INVALID_HANDLE)?.device;
    if capturing {
        return for_graph(g, owner, place, bytes, |g, base| {
            stream::push(g, stream, Op::Allocate(base)).map(drop)
        });
    }
    if pool::take(g, pool, bytes).is_err() {
        // What was freed in stream order counts as used until the streams get there.
        execute::finish_device_work(g);
        pool::release_all(g);
        pool::take(g, pool, bytes)?;
    }
    let admitted = g.pools.get(pool).map_or(0, |p| p.admitted);
    let base = g.memory.add(
        bytes,
        Home::Pool {
            pool,
            device: place,
            admitted,
        },
        owner,
        place,
    )?;
    if let Err(error) = stream::push(g, stream, Op::Allocate(base)) {
        g.memory.remove(base);
        pool::give(g, pool, bytes);
        return Err(error);
    }
    Ok(base)
}

/// Reserves the address of a graph's allocation node; `add` makes the node.
pub fn for_graph(
    g: &mut Guard,
    context: Handle,
    device: u32,
    bytes: u64,
    add: impl FnOnce(&mut Guard, u64) -> Result,
) -> Result<u64> {
    let base = g
        .memory
        .add(bytes, Home::Context(context), context, device)?;
    if let Some(a) = g.memory.at_mut(base) {
        a.graph = true;
    }
    if let Err(error) = add(g, base) {
        g.memory.remove(base);
        return Err(error);
    }
    Ok(base)
}

/// `cuMemFreeAsync`. Work that is enqueued later may not touch the memory, in whatever stream.
pub fn free_async(g: &mut Guard, context: Handle, address: u64, stream: Handle) -> Result {
    let stream = context::stream(g, context, stream)?;
    let a = g
        .memory
        .find(address)
        .filter(|a| a.base == address)
        .ok_or(Error::INVALID_VALUE)?;
    if a.internal || matches!(a.home, Home::Host { .. }) {
        return Err(Error::INVALID_VALUE);
    }
    let graph = a.graph;
    if g.streams.get(stream).is_some_and(|st| st.capture.is_some()) {
        // Only memory that the same graph allocates can be known to be there.
        if !graph {
            return Err(Error::INVALID_VALUE);
        }
        return stream::push(g, stream, Op::Free(address)).map(drop);
    }
    let ticket = g.next_ticket();
    if let Some(a) = g.memory.at_mut(address) {
        a.freed = Some(ticket);
    }
    if let Err(error) = stream::push(g, stream, Op::Free(address)) {
        if let Some(a) = g.memory.at_mut(address) {
            a.freed = None;
        }
        return Err(error);
    }
    Ok(())
}

/// A stream or a graph has come to an allocation.
pub fn reached(g: &mut Guard, context: Handle, base: u64) {
    let Some(a) = g.memory.at(base) else { return };
    let (graph, fresh, bytes, device) = (a.graph, a.backing.is_none(), a.bytes, a.device);
    if g.memory.revive(base).is_err() {
        let sentence =
            format!("this machine has no {bytes} bytes for an allocation in stream order");
        fault::raise(g, context, Error::OUT_OF_MEMORY, sentence);
        return;
    }
    if graph && fresh {
        g.devices[device as usize].used += bytes;
    }
}

/// A stream or a graph has come to a free.
pub fn free_reached(g: &mut Guard, base: u64) {
    let Some(a) = g.memory.at(base) else { return };
    let (home, bytes, device, live) = (a.home, a.bytes, a.device, a.backing.is_some());
    g.memory.bury(base);
    match home {
        Home::Pool { pool, .. } => pool::give(g, pool, bytes),
        Home::Context(_) if live => g.devices[device as usize].release(bytes),
        _ => {}
    }
}

/// `cuMemGetInfo`: free and total bytes of the context's device.
pub fn info(s: &State, context: Handle) -> Result<(usize, usize)> {
    let device = s
        .contexts
        .get(context)
        .ok_or(Error::INVALID_CONTEXT)?
        .device;
    let total = s.settings.memory;
    Ok((
        total.saturating_sub(s.devices[device as usize].used) as usize,
        total as usize,
    ))
}

/// `cuMemGetAddressRange`.
pub fn address_range(s: &State, address: u64) -> Result<(u64, usize)> {
    let a = s.memory.find(address).ok_or(Error::NOT_FOUND)?;
    Ok((a.base, a.bytes as usize))
}

/// Frees memory of `internal`.
pub fn free_internal(s: &mut State, base: u64) {
    if let Some(a) = s.memory.remove(base) {
        s.devices[a.device as usize].release(a.bytes);
    }
}
