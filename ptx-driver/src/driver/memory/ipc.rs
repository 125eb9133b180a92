//! Handles for other processes. They can be made, with the documented refusals; none can be opened: the process that made one may not,
//! and other processes do not share this one's memory.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::State;
use crate::driver::state::memory::Origin;
use crate::driver::stream::event::INTERPROCESS;

/// `CUipcMemHandle` and `CUipcEventHandle`.
pub type IpcHandle = [u8; 64];

const MAGIC: [u8; 8] = *b"ptxdrive";

fn pack(value: u64) -> IpcHandle {
    let mut handle = [0; 64];
    handle[..8].copy_from_slice(&MAGIC);
    handle[8..12].copy_from_slice(&std::process::id().to_le_bytes());
    handle[16..24].copy_from_slice(&value.to_le_bytes());
    handle
}

/// `cuIpcGetMemHandle`: memory of `cuMemAlloc`, by any address in it.
pub fn memory(s: &State, address: u64) -> Result<IpcHandle> {
    let a = s.memory.find(address).ok_or(Error::INVALID_VALUE)?;
    match a.origin {
        Origin::Context(_) if !a.graph && !a.internal => Ok(pack(a.base)),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// `cuIpcGetEventHandle`: an event made for it.
pub fn event(s: &State, event: Handle) -> Result<IpcHandle> {
    let found = s.events.get(event).ok_or(Error::INVALID_HANDLE)?;
    if found.flags & INTERPROCESS == 0 {
        Err(Error::INVALID_VALUE)
    } else {
        Ok(pack(event as u64))
    }
}

/// `cuIpcOpenMemHandle` and `cuIpcOpenEventHandle`.
pub fn open(handle: &IpcHandle) -> Error {
    if handle[..8] != MAGIC {
        Error::INVALID_VALUE
    } else if handle[8..12] == std::process::id().to_le_bytes() {
        // In the process that made it: documented as an invalid context.
        Error::INVALID_CONTEXT
    } else {
        Error::NOT_SUPPORTED
    }
}
