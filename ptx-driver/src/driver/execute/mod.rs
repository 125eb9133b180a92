//! Executes queued work, on the thread that waits for it.
//!
//! - `schedule`: in which order, over streams. `graph`: over the nodes of a graph.
//! - `operation`: one operation. `kernel`, `memory`, `host`: what each does. `fault`: what goes wrong.

mod fault;
mod graph;
mod host;
mod kernel;
pub mod memory;
mod operation;
mod schedule;

pub use schedule::{after_enqueue, finish, finish_context, finish_device_work, step};
