//! Compiled kernels as calls of XLA's foreign function interface.
//!
//! XLA knows one function, [`handler::launch`]. A call says in its attributes which kernel it means, by a key that
//! depends on nothing but what the kernel does ([`registry`]), and how its parameters are filled (`launch_plan.rs`, by [`lowered_call`]): compiled
//! programs are kept by jax between processes, so that an address or a number would mean something else there.

mod attribute;
mod boundary;
mod call;
mod call_site;
pub mod callback;
pub mod dtype;
mod failure;
mod float_environment;
pub mod handler;
pub mod launch_plan;
pub mod lowered_call;
pub mod registry;
mod sys;
