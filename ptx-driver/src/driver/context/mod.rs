//! Contexts: primary ones, and those of `cuCtxCreate`.

mod create;
pub mod primary;
mod query;

pub use create::{create, destroy};
pub use query::{check, check_flags, limit, synchronize};
