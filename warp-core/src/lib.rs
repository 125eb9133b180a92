//! Kernels, arrays, launch and tape, without Python and without any framework.
//!
//! A kernel's source text becomes structured SSA ([`ir`]), is differentiated there, lowered to LLVM IR text and
//! compiled. Nothing in this crate knows Python objects: `py` and the adapter crates translate.
//!
//! Invariants: modules import only in the direction that `tests/rust/arrows/tables.rs` lists; every pass
//! leaves IR that the verifier accepts; errors of the user's are [`error::Error`], broken invariants
//! [`error::Bug`].

pub mod abi;
pub mod adjoint;
pub mod algorithm;
pub mod array;
pub mod backend;
pub mod builtins;
pub mod cache;
pub mod command;
pub mod device;
pub mod dtype;
pub mod error;
pub mod factor;
pub mod floating_point;
pub mod front;
pub mod geometry;
pub mod interop;
pub mod interp;
pub mod interruptible_lock;
pub mod intrinsic;
pub mod ir;
pub mod launch;
pub mod library;
pub mod lower;
pub mod module;
pub mod objects;
pub mod operator;
pub mod pass;
pub mod span;
pub mod stack;
mod sync;
pub mod tape;
pub mod timeline;
pub mod ty;
pub mod verify;
