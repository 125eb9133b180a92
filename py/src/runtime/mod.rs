//! Level 2: what the process has: devices, settings, fast calls, what Python's collector knows, when deleters may run,
//! signals, streams of GPUs, whether tapes record and what they need, fills and copies that are captured, account of the memory of arrays.

pub mod captured;
pub mod change_count;
pub mod collector;
pub mod config;
pub mod cuda;
pub mod cuda_facts;
pub mod cuda_memory;
pub mod device;
pub mod fastcall;
pub mod gate;
pub mod keywords;
pub mod signal;
pub mod snapshot;
pub mod stream;
pub mod tapes;
pub mod timeline;
pub mod tracemalloc;
pub mod tracking;
