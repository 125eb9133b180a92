//! Bodies that run a gang at once, one thread in each lane of vectors (single program, multiple data, as in ispc:
//! Pharr and Mark, 2012).
//!
//! `shape.rs` says which values lanes share: these stay numbers, and what grows by a constant from lane to lane is the number of
//! the first lane. The others are vectors. Where lanes take different ways, a mask says which of them run: an `if` runs
//! each side that any lane takes, a loop runs while any lane does. What lanes that do not run would write, read from memory or
//! fail at never happens; what they compute goes nowhere.
//!
//! Arithmetic is written by the same functions as for scalars, at another width, so that the bits are the same. The last gang of a row
//! has lanes that do not run. Only in a launch of one row whose threads are quick, or whose sums come together gang by gang, do those
//! that fill no gang run through the scalar body.

mod analysis;
mod body;
mod choose;
mod control;
mod fault;
mod gang;
mod memory;
mod reduce;
mod statements;
mod value;

pub use choose::choice::Choice;
pub use gang::GangBody;
