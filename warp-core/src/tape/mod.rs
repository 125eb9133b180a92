//! Tapes: what a thread did, to run its derivatives last to first.
//!
//! A [`Recording`] is a list of entries ([`Entry`]): launches with their arguments, fills, and functions to be called. What the
//! gradient of a launch reads of an array is saved as a snapshot ([`Saved`]), which becomes a copy when something overwrites the array.
//! A [`Pass`] runs the adjoints: [`plan()`] decides from memory ranges alone which gradients are consumed and which are cleared, and
//! [`adjoint`] packs the arguments.
//!
//! Whose arrays and kernels these are, and where an array's gradient is, a [`Host`] says: the extension's are objects of Python. Those
//! of Rust programs are in [`Tape`], which is a recorder: it is told of commands as all recorders are.

pub mod adjoint;
mod backward;
mod copying;
mod entry;
mod gradients;
mod host;
mod launch;
mod native;
mod own;
mod pass;
mod plan;
mod recording;
mod restored;
mod saved;

pub use backward::{Args, Backward};
pub use entry::Entry;
pub use host::{Differentiable, Host};
pub use launch::TapedLaunch;
pub use native::Function;
pub use own::Tape;
pub use pass::Pass;
pub use plan::{BackwardPlan, Use, plan};
pub use recording::{Forgotten, Mark, Recording, State};
pub use saved::{Saved, SavedArray};
