//! Mathematics that backends share: which functions lowered text calls, and bodies of them as LLVM text for any vector width,
//! 1 included.

mod bodies;
mod coef;
mod coef_double;
mod emit;
mod error;
mod exact;
mod exponential;
mod function;
mod parts;
mod power;
mod trig;
mod trig_double;

pub use emit::{Emit, Ty, Val};
pub use function::{Function, PURE, called};
