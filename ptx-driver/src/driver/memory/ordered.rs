//! Stream-ordered memory: `cuMemAllocAsync` and its kin.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::memory::Origin;
use crate::driver::state::{Guard, Op};
use crate::driver::{device, execute, graph, stream};

/// `cuMemAllocAsync`, and `cuMemAllocFromPoolAsync` with a pool.
pub fn allocate_async(
    g: &mut Guard,
    context: Handle,
    bytes: u64,
    from: Option<Handle>,
    stream: Handle,
) -> Result<u64> {
    let stream = g.resolve_stream(context, stream)?;
    let st = g.stream(stream)?;
    let (owner, capturing) = (st.context, st.capture.is_some());
    let device = g.device_of(owner)?;
    if bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let pool = from.unwrap_or(g.devices[device as usize].pool);
    let place = g.pools.get(pool).ok_or(Error::INVALID_HANDLE)?.device;
    if capturing {
        return graph::memory::reserve(g, owner, place, bytes, |g, base| {
            stream::push(g, stream, Op::Allocate(base)).map(drop)
        });
    }
    if device::charge_pool(g, pool, bytes).is_err() {
        // What was freed in stream order counts as used until the streams get there.
        execute::finish_device_work(g);
        device::trim_pools(g);
        device::charge_pool(g, pool, bytes)?;
    }
    let accessible = g.pools.get(pool).map_or(0, |p| p.accessible);
    let base = g.memory.reserve(
        bytes,
        Origin::Pool {
            pool,
            device: place,
            accessible,
        },
        owner,
        place,
    )?;
    if let Err(error) = stream::push(g, stream, Op::Allocate(base)) {
        g.memory.remove(base);
        device::release_pool(g, pool, bytes);
        return Err(error);
    }
    Ok(base)
}

/// `cuMemFreeAsync`. Work that is enqueued later may not touch the memory, in whatever stream.
pub fn free_async(g: &mut Guard, context: Handle, address: u64, stream: Handle) -> Result {
    let stream = g.resolve_stream(context, stream)?;
    let a = g
        .memory
        .find(address)
        .filter(|a| a.base == address)
        .ok_or(Error::INVALID_VALUE)?;
    if a.internal || matches!(a.origin, Origin::Host { .. }) {
        return Err(Error::INVALID_VALUE);
    }
    let graph = a.graph;
    if g.is_captured(stream) {
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
