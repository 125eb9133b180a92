//! What a program asks of a context, and waits for.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::{Guard, State};
use crate::driver::{capture, device, execute};

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

/// A context that may be made current: zero means none.
pub fn check(s: &State, context: Handle) -> Result {
    if context == 0 || s.contexts.get(context).is_some() {
        Ok(())
    } else {
        Err(Error::INVALID_CONTEXT)
    }
}

/// `cuCtxSynchronize`.
pub fn synchronize(g: &mut Guard, context: Handle) -> Result {
    capture::refuse_for_context(g, context)?;
    execute::finish_context(g, context);
    device::trim_pools(g);
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
