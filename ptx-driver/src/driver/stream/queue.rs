//! Work enters a stream, or its capture.
use crate::driver::base::settings::Order;
use crate::driver::base::{Handle, Result};
use crate::driver::state::{Action, Guard, Op, Work};
use crate::driver::{capture, execute};

/// Adds an item to a stream, or a node to its capture. Returns the item's number, none if it was captured.
pub fn enqueue(
    g: &mut Guard,
    stream: Handle,
    action: Action,
    mut dependencies: Vec<(Handle, u64)>,
) -> Result<Option<u64>> {
    let s = &mut **g;
    let st = s.stream(stream)?;
    if st.capture.is_some() {
        capture::add_operation(s, stream, action)?;
        return Ok(None);
    }
    if st.legacy {
        let context = st.context;
        capture::refuse_legacy(s, context)?;
        dependencies.extend(
            s.streams
                .iter()
                .filter(|(_, o)| o.blocking && !o.legacy && o.context == context && o.last > o.done)
                .map(|(handle, o)| (handle, o.last)),
        );
    } else if st.blocking
        && let Some(context) = s.contexts.get(st.context)
        && let Some(legacy) = s.streams.get(context.legacy)
        && legacy.last > legacy.done
    {
        dependencies.push((context.legacy, legacy.last));
    }
    let ticket = s.next_ticket();
    let st = s.stream_mut(stream)?;
    st.last += 1;
    let number = st.last;
    st.queue.push_back(Work {
        number,
        ticket,
        dependencies,
        action,
    });
    if s.settings.order != Order::Lazy {
        execute::after_enqueue(g, stream, number);
    }
    Ok(Some(number))
}

/// Adds an operation that waits for nothing but what its stream makes it wait for.
pub fn push(g: &mut Guard, stream: Handle, op: Op) -> Result<Option<u64>> {
    enqueue(g, stream, Action::Op(op), Vec::new())
}
