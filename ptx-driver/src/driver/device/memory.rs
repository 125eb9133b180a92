//! Memory of the driver's own on a device, such as a module's variables.
use crate::driver::base::{Handle, Result};
use crate::driver::state::State;
use crate::driver::state::memory::Origin;

/// Allocates: the memory exists at once.
pub fn allocate(s: &mut State, context: Handle, bytes: u64) -> Result<u64> {
    let device = s.device_of(context)?;
    s.devices[device as usize].charge(bytes)?;
    let base = s
        .memory
        .reserve(bytes, Origin::Context(context), context, device)?;
    s.memory.map(base)?;
    if let Some(a) = s.memory.at_mut(base) {
        a.internal = true;
    }
    Ok(base)
}

/// Frees memory of `allocate`.
pub fn free(s: &mut State, base: u64) {
    if let Some(a) = s.memory.remove(base) {
        s.devices[a.device as usize].release(a.bytes);
    }
}
