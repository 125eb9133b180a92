//! Graphs: built node by node, instantiated, updated.
//!
//! - `build`: graphs, nodes and edges. `copy`: clones, and what goes with a graph. `query`: what a graph has. `dot`: a picture.
//! - `child`, `conditional`, `memory`: nodes of these types.
//! - `flatten`: a graph as what a launch runs. `exec`, `update`: executable graphs.

mod build;
pub mod child;
pub mod conditional;
mod copy;
mod dot;
pub mod exec;
mod flatten;
pub mod memory;
mod query;
mod update;

pub use build::{add_node, create, push_node, remove_node, set_dependencies};
pub use copy::{clone, delete, destroy};
pub use dot::print;
pub use query::{edges, find, find_node, indices, nodes};
pub use update::update_exec;
