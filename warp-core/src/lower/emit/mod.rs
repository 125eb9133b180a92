//! LLVM text of single operations.

pub(in crate::lower) mod arith;
pub(in crate::lower) mod cast;
pub(in crate::lower) mod lane;
pub(in crate::lower) mod strip;
pub(in crate::lower) mod text;
pub(in crate::lower) mod width;
