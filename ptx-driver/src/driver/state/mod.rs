//! What the driver keeps, as plain data behind one lock. What its functions do with that stands in the rooms above.
//!
//! - `tables`: all objects by handle. `lock`: the lock. `lookup`: objects that a call names.
//! - `device`, `pool`, `context`, `stream`, `event`, `module`, `function`, `graph`, `exec`, `capture`: one kind of object each.
//! - `op`, `launch`, `work`: operations, and what waits in streams. `memory`: allocations, and what work sees and moves of them.

mod capture;
mod context;
mod device;
mod event;
mod exec;
mod function;
mod graph;
mod launch;
mod lock;
mod lookup;
pub mod memory;
mod module;
mod op;
mod pool;
mod stream;
mod tables;
mod work;

pub use capture::{Capture, CapturePoint};
pub use context::Context;
pub use device::Device;
pub use event::Event;
pub use exec::{Exec, ExecGraph, ExecNode, ExecNodeKind};
pub use function::Function;
pub use graph::{Graph, Node, NodeKind, NodeRef};
pub use launch::{Launch, Params};
pub use lock::Guard;
pub use module::Module;
pub use op::{HostCall, Op};
pub use pool::Pool;
pub use stream::Stream;
pub use tables::State;
pub use work::{Action, Work};
