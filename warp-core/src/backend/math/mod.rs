//! Mathematics that backends share: which functions lowered text calls, and bodies of them as LLVM text for any vector width,
//! 1 included.

mod bodies;
mod coef;
mod emit;
mod function;
mod trig;

pub use emit::{Emit, Ty, Val};
pub use function::{Function, PURE, called};
