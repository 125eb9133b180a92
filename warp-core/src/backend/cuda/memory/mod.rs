//! Memory: where it comes from, how it goes back, and what is copied and filled in it.

mod allocate;
pub(in crate::backend::cuda) mod arena;
pub(in crate::backend::cuda) mod copy;
pub mod deferred;
pub(in crate::backend::cuda) mod fresh;
pub(in crate::backend::cuda) mod lender;
pub mod pinned;
pub(in crate::backend::cuda) mod strided;

pub(in crate::backend::cuda) use allocate::{allocate, release};
