//! Level 4: arguments of launches: as lists, as leaves, as arrays, in argument blocks; what a launch
//! overwrites; and running or capturing what was packed.

pub mod args;
pub mod captured;
pub mod convert;
pub mod dims;
pub mod infer;
pub mod lending;
pub mod overwrite;
pub mod pack;
mod peers;
pub mod prepared;
pub mod reached;
pub mod run;
pub mod spread;
pub mod written;
