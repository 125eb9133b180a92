//! What the driver's functions do. `exports` gives them their C names.
//!
//! All state lies behind one lock (`state`). Work waits in streams (`stream`) until `execute` runs it, on the thread that waits, with
//! the lock released: a kernel or a callback holds nobody up.

pub mod alloc;
pub mod arena;
pub mod call;
pub mod capture;
pub mod context;
pub mod copy;
pub mod device;
pub mod dot;
pub mod error;
pub mod event;
pub mod exec;
pub mod execute;
pub mod fault;
pub mod function;
pub mod graph;
pub mod graph_run;
pub mod handle;
pub mod host;
pub mod inspect;
pub mod ipc;
pub mod launch;
pub mod memory;
pub mod module;
pub mod node;
pub mod peer;
pub mod pointer;
pub mod pool;
pub mod random;
pub mod settings;
pub mod state;
pub mod stream;
pub mod thread;
pub mod transfer;
pub mod view;
pub mod work;
