//! Memory: `cuMem...`.
//!
//! - `allocate`: device memory. `ordered`: stream-ordered. `host`: pinned memory. `pointer`, `ipc`: what is known of an address.
//! - `transfer`: copies and fills. `region`: a box in two or three dimensions.

mod allocate;
pub mod host;
pub mod ipc;
mod ordered;
pub mod pointer;
pub mod region;
pub mod transfer;

pub use allocate::{address_range, allocate, free, info};
pub use ordered::{allocate_async, free_async};
