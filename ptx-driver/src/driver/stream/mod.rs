//! Streams and events: what is enqueued, and what waits for what.
//!
//! - `create`: streams come and go. `queue`: work goes in, or into a capture. `wait`: a program waits for a stream, or asks.
//! - `event`: events, which make streams wait for each other.

mod create;
pub mod event;
mod queue;
mod wait;

pub use create::{PRIORITIES, create, destroy};
pub use queue::{enqueue, push};
pub use wait::{query, synchronize};
