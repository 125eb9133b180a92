//! Commands: what devices are given to do, as values that may be done later, and who takes them.
//!
//! A [`Command`] is a launch, a fill, a copy, an algorithm on whole arrays, or what the host decides (a branch, a loop). It says what
//! it writes, holds the memory that it uses, and can be done any number of times. Code that has something to do asks
//! [`recorder::take`] first: where a recorder of the thread takes the command, it is not done now. A [`Capture`] takes commands to
//! make a [`Graph`] of them. A new kind of work is a new command, which every recorder then knows; a new recorder is an
//! implementation of [`Recorder`].
//!
//! While no thread has a recorder, all this is one load ([`recorder::active`]).

mod algorithm;
mod argument;
pub mod capture;
mod data;
mod graph;
mod launch;
mod pieces;
mod place;
pub mod recorder;
mod transfer;

pub use algorithm::{Algorithm, Views};
pub use argument::Argument;
pub use capture::Capture;
pub use data::{Command, Commands, Host, Place, Shared};
pub use graph::Graph;
pub use launch::{Launch, Owners, Runnable};
pub use recorder::{Recorder, Start};
pub use transfer::{Copy, Fill, is_short};

#[cfg(test)]
mod tests;
