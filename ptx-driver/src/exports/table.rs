//! All exported functions of the driver API, but those that look one up (`symbol`).

use super::{
    capture, context, copy, device, event, graph, graph_node, kernel, memory, module, pool, stream,
};

/// Names and addresses.
pub(super) fn symbols() -> Vec<(&'static str, usize)> {
    let files = [
        capture::symbols,
        context::symbols,
        copy::symbols,
        device::symbols,
        event::symbols,
        graph::symbols,
        graph_node::symbols,
        kernel::symbols,
        memory::symbols,
        module::symbols,
        pool::symbols,
        stream::symbols,
    ];
    files.iter().flat_map(|symbols| symbols()).collect()
}
