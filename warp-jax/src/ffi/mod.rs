//! Compiled kernels as calls of XLA's foreign function interface.
//!
//! XLA knows one function, [`handler::launch`]. A call says in its attributes which kernel it means, by a key that
//! depends on nothing but what the kernel does ([`registry`]), and how its parameters are filled (`plan.rs`): compiled
//! programs are kept by jax between processes, so that an address or a number would mean something else there.

mod call;
pub mod callback;
mod environment;
pub mod handler;
mod plan;
pub mod registry;
mod site;
mod sys;
