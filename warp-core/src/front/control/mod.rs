//! Loops and paths of control.

pub(in crate::front) mod flow;
pub(in crate::front) mod loops;
pub(in crate::front) mod range;
pub(in crate::front) mod selects;
pub(in crate::front) mod unroll;
