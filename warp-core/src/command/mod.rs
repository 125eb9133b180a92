//! Commands: what devices are given to do, as values that may be done later, and who takes them.
//!
//! A [`Command`] is a launch, a fill, a copy, an algorithm on whole arrays, or what the host decides (a branch, a loop). It says what
//! it reads and writes, holds the memory that it uses, and can be done any number of times. Code that has something to do makes a
//! command of it and calls [`perform()`]: [`snapshot`]s are made of what it overwrites, all recorders of the thread are told, and where
//! one takes the command, it is not done now. A [`Capture`] takes commands to make a [`Graph`] of them; a
//! [`Tape`](crate::tape::Tape) looks at them, to run their derivatives. A new kind of work is a new command, which every recorder then
//! knows; a new recorder is an implementation of [`Recorder`].
//!
//! While no thread has a recorder, all this is one load ([`recorder::active`]).

mod algorithm;
mod argument;
pub mod capture;
pub mod changes;
mod data;
mod digest;
mod graph;
mod graph_segments;
mod launch;
mod perform;
mod place;
pub mod recorder;
pub mod snapshot;
mod transfer;
mod undo;
mod watch;

pub use algorithm::{Algorithm, Views};
pub use argument::Argument;
pub use capture::Capture;
pub use data::{Command, Commands, Host, Place, Shared};
pub use graph::Graph;
pub use launch::{Launch, Owners, Runnable};
pub use perform::{offer, perform};
pub use recorder::{Recorder, Start};
pub use snapshot::Snapshot;
pub use transfer::{Copy, Fill, is_short};
pub use watch::Watch;

#[cfg(test)]
mod tests;
