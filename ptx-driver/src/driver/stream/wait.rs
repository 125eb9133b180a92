//! Synchronisation with streams, and queries.
use crate::driver::base::{Error, Handle, Result};
use crate::driver::state::Guard;
use crate::driver::{capture, device, execute};

/// `cuStreamSynchronize`. The legacy default stream is waited for like any other: what blocking streams have left is not.
pub fn synchronize(g: &mut Guard, context: Handle, stream: Handle) -> Result {
    let stream = g.resolve_stream(context, stream)?;
    capture::refuse_for_stream(g, stream)?;
    let Some(st) = g.streams.get(stream) else {
        return Ok(());
    };
    let (owner, last) = (st.context, st.last);
    execute::finish(g, stream, last);
    device::trim_pools(g);
    g.check_sticky_error(owner)
}

/// `cuStreamQuery`: one step of progress at a time, so that a program that polls sees both answers.
pub fn query(g: &mut Guard, context: Handle, stream: Handle) -> Result {
    let stream = g.resolve_stream(context, stream)?;
    capture::refuse_for_stream(g, stream)?;
    let Some(st) = g.streams.get(stream) else {
        return Ok(());
    };
    let (owner, last) = (st.context, st.last);
    if st.done >= last {
        return g.check_sticky_error(owner);
    }
    execute::step(g, stream, last);
    g.check_sticky_error(owner)?;
    Err(Error::NOT_READY)
}
