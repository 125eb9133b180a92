//! The launch ABI: what a compiled kernel is given and what it may call.
//!
//! This is the only place that knows byte offsets. `lower` writes them into LLVM text, `backend` and
//! `launch` fill the memory at them; both take them from here. Nothing here needs LLVM.
//!
//! A kernel is an [`Entry`]. It runs the elements `begin..end` of the flattened launch range and
//! returns early, quietly, once `ctx.error.code` is set.
//!
//! The argument block begins with the launch dimensions (`[i32; 4]`, unused ones are 1). Each
//! parameter follows at the next multiple of 8: an array as [`ArrayArg`], anything else as its
//! scalar components in row-major order, packed at their natural alignment (a bool is one byte).
//! The gradient of an array is an [`ArrayArg`] of its own; `data` null says that there is none.
//!
//! The adjoint of a kernel takes the kernel's parameters and then one array `adj_NAME` for each array of floats, in order.
//! A gradient is a separate parameter because torch gives gradients strides of their own, and because the adjoint then is
//! plain IR, which can be differentiated again.

pub mod array;
mod block;
mod changed;
pub mod ctx;
pub mod grid;
pub mod object;
pub mod runtime;

pub use array::{ArrayArg, Strided};
pub use block::{BlockLayout, BlockParam, DIMS_OFFSET, FIRST_PARAM, pack};
pub use changed::{Change, ChangedArrays, Passed, Summed};
pub use ctx::{ARENAS, Ctx, Entry, ErrorSlot, Sink, Stack, UNDO, fault, flag};

/// Changes whenever anything in this file changes meaning. It is part of every cache key.
pub const ABI_VERSION: u32 = 5;
