//! Launches: what they are given, what they note, and waiting for them.

pub(in crate::backend::cuda) mod fault;
pub(in crate::backend::cuda) mod objects;
pub(crate) mod own;
pub(in crate::backend::cuda) mod printing;
mod run;
pub(in crate::backend::cuda) mod served;
pub(in crate::backend::cuda) mod stacks;
pub(in crate::backend::cuda) mod state;
pub(in crate::backend::cuda) mod wait;

pub(in crate::backend::cuda) use run::launch;
