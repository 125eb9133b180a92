//! What is known of a kernel before the first line of text is written.

pub(in crate::lower) mod alignment;
pub(in crate::lower) mod block;
pub(in crate::lower) mod busy_wait;
pub(in crate::lower) mod changed;
pub(in crate::lower) mod defs;
pub(in crate::lower) mod facts;
pub(in crate::lower) mod range;
pub(in crate::lower) mod reductions;
pub(in crate::lower) mod split;
pub(in crate::lower) mod variant;
pub(in crate::lower) mod work;
