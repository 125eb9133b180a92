//! Modules: PTX that was taken, its kernels and its variables.
//!
//! - `image`: text, as far as it must be read before it is parsed. `options`: of the JIT. `load`: loading and unloading.
//! - `symbol`: kernels and variables by name. `function`: kernels by handle. `occupancy`: how many blocks of them fit.

pub mod function;
mod image;
mod load;
pub mod occupancy;
mod options;
mod symbol;

pub use load::{load, unload};
pub use options::Options;
pub use symbol::{find_function, find_global};
