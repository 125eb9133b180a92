//! Access of one device to the memory of another.
use super::identity::by_ordinal;
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::State;

/// `cuDeviceCanAccessPeer`.
pub fn can_access(s: &State, from: i32, to: i32) -> Result<bool> {
    let (from, to) = (by_ordinal(s, from)?, by_ordinal(s, to)?);
    Ok(from != to && s.settings.peer)
}

/// `cuDeviceGetP2PAttribute`.
pub fn attribute(s: &State, attribute: u32, from: i32, to: i32) -> Result<i32> {
    let able = can_access(s, from, to)?;
    if from == to {
        return Err(Error::INVALID_DEVICE);
    }
    match attribute {
        1 => Ok(0),
        2 | 3 => Ok(able.into()),
        4 => Ok(0),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// `cuCtxEnablePeerAccess`: kernels of `context` may touch memory of `peer` from now on.
pub fn enable(s: &mut State, context: Handle, peer: Handle, flags: u32) -> Result {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let to = s.device_of(peer)?;
    let able = s.settings.peer;
    let from = s.contexts.get_mut(context).ok_or(Error::INVALID_CONTEXT)?;
    if peer == context {
        return Err(Error::INVALID_CONTEXT);
    }
    if !able || from.device == to {
        return Err(Error::PEER_ACCESS_UNSUPPORTED);
    }
    if from.peers.contains(&peer) {
        return Err(Error::PEER_ACCESS_ALREADY_ENABLED);
    }
    from.peers.push(peer);
    Ok(())
}

/// `cuCtxDisablePeerAccess`.
pub fn disable(s: &mut State, context: Handle, peer: Handle) -> Result {
    s.context(peer)?;
    let from = s.contexts.get_mut(context).ok_or(Error::INVALID_CONTEXT)?;
    let place = from
        .peers
        .iter()
        .position(|p| *p == peer)
        .ok_or(Error::PEER_ACCESS_NOT_ENABLED)?;
    from.peers.remove(place);
    Ok(())
}
