//! One operation of a stream or a graph.
use super::{fault, host, kernel, memory};
use crate::driver::base::Handle;
use crate::driver::state::{Guard, Op};

/// Executes one operation. Whatever goes wrong becomes the context's sticky error.
pub fn run(g: &mut Guard, context: Handle, ticket: u64, op: &Op) {
    g.clock += 100;
    match op {
        Op::Empty => {}
        Op::Kernel(kernel) => kernel::run(g, context, ticket, kernel),
        Op::Memcpy(copy) => {
            g.clock += 1000 + copy.bytes() / 16;
            let view = g.memory.view(ticket, 0, Vec::new());
            if let Err(sentence) = g.on_device(|| copy.run(&view)) {
                fault::illegal_address(g, context, sentence);
            }
        }
        Op::Memset(fill) => {
            g.clock += 1000 + fill.bytes() / 16;
            let view = g.memory.view(ticket, 0, Vec::new());
            if let Err(sentence) = g.on_device(|| fill.run(&view)) {
                fault::illegal_address(g, context, sentence);
            }
        }
        Op::Host(call) => host::call(g, context, *call),
        Op::Record { event, version } => {
            let now = g.clock;
            if let Some(event) = g.events.get_mut(*event) {
                let version = version.unwrap_or_else(|| {
                    (event.version, event.recorded) = (event.version + 1, None);
                    event.version
                });
                if version > event.completed {
                    (event.completed, event.time) = (version, now);
                }
            }
        }
        // The launch of the graph made its stream wait for the event.
        Op::WaitEvent { .. } => {}
        Op::Allocate(base) => memory::allocate(g, context, *base),
        Op::Free(base) => memory::free(g, *base),
    }
}
