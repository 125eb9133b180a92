//! What a tape must know that only looks at memory: which gradients its backward pass consumes and clears
//! ([`plan()`]), and whose memory a write is about to change ([`Watch`]).
//!
//! The tape itself (who holds the arrays, whose gradient is whose, what is kept) lives where array objects live.

mod plan;
mod watch;

pub use plan::{BackwardPlan, Use, plan};
pub use watch::Watch;
