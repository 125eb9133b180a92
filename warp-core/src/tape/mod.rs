//! What a tape must know that only looks at memory: which gradients its backward pass consumes and clears
//! ([`plan()`]), and whose memory a write is about to change ([`Watch`]).
//!
//! The tape itself (which arrays it holds, which gradient belongs to which, what is saved) lives where array objects live.

mod plan;
mod watch;

pub use plan::{BackwardPlan, Use, plan};
pub use watch::Watch;
