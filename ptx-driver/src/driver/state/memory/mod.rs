//! Memory: addresses, the bytes behind them, allocations, and what a piece of work sees and moves of them.
//!
//! - `arena`: ranges of addresses. `backing`: bytes. `allocation`, `allocations`: who may touch which, and since when it is freed.
//! - `view`: what one piece of work may touch. `memcpy`, `memset`: what it does with that.

mod allocation;
mod allocations;
mod arena;
mod backing;
mod memcpy;
mod memset;
mod view;

pub use allocation::{Allocation, Origin};
pub use allocations::Allocations;
pub use memcpy::{Location, Memcpy, Shape};
pub use memset::Memset;
