//! The driver: the only module that knows the whole pipeline from source text to code.

mod adjoints;
mod codes;
mod compiled;
mod derive;
mod non_atomic;
mod options;
pub mod own;
#[cfg(feature = "llvm")]
mod prepare;
mod program;
pub mod searches;

pub use adjoints::{CachedAdjoint, Needed, Reverse};
pub use compiled::{Compiled, compile};
pub use non_atomic::NonAtomicAdds;
pub use options::Options;
#[cfg(feature = "llvm")]
pub use prepare::{finish_compiles, finish_preparing, prepare};
pub use program::{Form, Program};
