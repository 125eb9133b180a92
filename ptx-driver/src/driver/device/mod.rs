//! Devices: what they are like, how much of their memory is in use, their pools, and who reaches whose memory.

mod accounts;
mod attribute;
mod identity;
pub mod limits;
pub mod memory;
pub mod peer;
pub mod pool;
mod start;

pub use accounts::{charge, charge_pool, release_pool, trim_pools};
pub use attribute::attribute;
pub use identity::{bus_id, by_bus_id, by_ordinal, name, uuid};
pub use start::start;
