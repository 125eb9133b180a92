//! What the driver's functions do. `exports` gives them their C names.
//!
//! All state lies behind one lock, as plain data (`state`). Work waits in streams until `execute` runs it, on the thread that waits,
//! with the lock released: a kernel or a callback holds nobody up. Each room needs only rooms above it in this list:
//!
//! - `base`: result codes, handles, settings, what belongs to a thread.
//! - `state`: all objects and the memory, as data.
//! - `device`: devices, their pools, accounts of their memory.
//! - `execute`: runs what is queued. `graph`: builds graphs and instantiates them.
//! - `capture`: what is enqueued becomes a graph. `stream`: streams and events.
//! - `memory`, `context`, `module`, `launch`: the functions of these names.
//! - `call`: what every call begins with. `inspect`: what tests ask for.

pub mod base;
pub mod call;
pub mod capture;
pub mod context;
pub mod device;
pub mod execute;
pub mod graph;
pub mod inspect;
pub mod launch;
pub mod memory;
pub mod module;
pub mod state;
pub mod stream;
