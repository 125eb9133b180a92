//! Stream capture: what is enqueued becomes a graph, and what would look at unfinished work is refused.
//!
//! - `refuse`: calls that are prohibited. `sequence`: beginning, end, and streams that join. `node`: what is enqueued.
//! - `query`: the state of a capture, and dependencies that the program sets.

mod node;
mod query;
mod refuse;
mod sequence;

pub use node::{add_node, add_operation};
pub use query::{info, update_dependencies};
pub use refuse::{
    invalidate, refuse_for_context, refuse_for_stream, refuse_legacy, refuse_unsafe, valid,
};
pub use sequence::{abandon, begin, begin_to_graph, end, join};
