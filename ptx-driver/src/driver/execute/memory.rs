//! Stream-ordered memory: its bytes are mapped and unmapped when a stream or a graph gets there.
use super::fault;
use crate::driver::base::{Error, Handle};
use crate::driver::device;
use crate::driver::state::Guard;
use crate::driver::state::memory::Origin;

/// A stream or a graph has come to an allocation.
pub fn allocate(g: &mut Guard, context: Handle, base: u64) {
    let Some(a) = g.memory.at(base) else { return };
    let (graph, unmapped, bytes, device) = (a.graph, a.backing.is_none(), a.bytes, a.device);
    if g.memory.map(base).is_err() {
        let sentence =
            format!("this machine has no {bytes} bytes for an allocation in stream order");
        fault::raise(g, context, Error::OUT_OF_MEMORY, sentence);
        return;
    }
    if graph && unmapped {
        g.devices[device as usize].used += bytes;
    }
}

/// A stream or a graph has come to a free.
pub fn free(g: &mut Guard, base: u64) {
    let Some(a) = g.memory.at(base) else { return };
    let (origin, bytes, device, live) = (a.origin, a.bytes, a.device, a.backing.is_some());
    g.memory.unmap(base);
    match origin {
        Origin::Pool { pool, .. } => device::release_pool(g, pool, bytes),
        Origin::Context(_) if live => g.devices[device as usize].release(bytes),
        _ => {}
    }
}
