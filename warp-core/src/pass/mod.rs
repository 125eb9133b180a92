//! Passes over the IR, one file each; this file is the list.
//!
//! - [`access`]: which arrays a function reads and writes.
//! - [`mod@ascend`]: loops whose rounds have no order run upwards.
//! - [`mod@batch`]: one launch for every item of a batch.
//! - [`cover`]: which arrays a launch writes from end to end.
//! - [`cse`]: one computation for equal expressions and loads; constants and other operations without
//!   arguments stand at the top.
//! - [`mod@cuts`]: along which launch dimensions a launch may be cut into parts.
//! - [`dce`]: drops what nothing depends on.
//! - [`expand`]: other statements in the places of intrinsics.
//! - [`fuse`]: neighbouring branches on one condition become one.
//! - [`mod@hoist`]: loads that surely run stand before the branches that load the same.
//! - [`inline`]: bodies of functions in the places of calls.
//! - [`mod@lift`]: values as arrays of one element.
//! - [`merge`]: parameters that were given the same array become one.
//! - [`order`]: whether the order of threads shows in the result.
//! - [`pipeline`]: in which order they run.
//! - [`renumber()`]: numbers values and slots in the order in which they are defined.
//! - [`slots`]: what belongs to each record.
//! - [`mod@splice`]: bodies in the places of calls that have derivatives of their own.
//! - [`mod@zeros`]: drops sums with zero.

pub mod access;
pub mod ascend;
pub mod batch;
pub mod cover;
pub mod cse;
pub mod cuts;
pub mod dce;
pub mod expand;
pub mod fuse;
pub mod hoist;
pub mod inline;
pub mod lift;
pub mod merge;
pub mod order;
pub mod pipeline;
mod renumber;
pub mod slots;
pub mod splice;
pub mod zeros;

pub use renumber::renumber;
