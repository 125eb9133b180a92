//! Objects that kernels query: how they are built, and how they lie in memory. Their queries are in `library`.

mod hash_grid;
mod memory;

pub use hash_grid::{HashGrid, Points};
