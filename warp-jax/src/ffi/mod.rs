//! Compiled kernels as calls of XLA's foreign function interface.
//!
//! XLA knows one function, [`handler::launch`], and two for GPUs. A call says in its attributes which kernel it means, by a key that
//! depends on nothing but what the kernel does ([`registry`]): compiled programs are kept by jax between processes, so that an
//! address or a number would mean something else there. It also says how the kernel's parameters are filled
//! ([`launch_plan`]); [`lowered_call`] makes that of the core's rules.

mod attribute;
mod boundary;
mod call;
mod call_site;
pub mod callback;
pub mod dtype;
mod execution;
mod failure;
mod float_environment;
pub mod handler;
pub mod launch_plan;
pub mod lowered_call;
mod place;
pub mod registry;
mod sys;
