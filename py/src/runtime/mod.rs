//! Level 2: what the process has: devices, settings, fast calls, when deleters may run, signals, whether tapes record.

pub mod config;
pub mod device;
pub mod fastcall;
pub mod gate;
pub mod signal;
pub mod stream;
pub mod tapes;
