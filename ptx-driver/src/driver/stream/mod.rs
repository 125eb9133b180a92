//! Streams and events: what is enqueued, and what waits for what.
//!
//! - `create`: creation and destruction. `queue`: work enters a stream, or its capture. `wait`: synchronisation and queries.
//! - `event`: events, which make streams wait for each other.

mod create;
pub mod event;
mod queue;
mod wait;

pub use create::{PRIORITIES, create, destroy};
pub use queue::{enqueue, push};
pub use wait::{query, synchronize};
