//! What threads share: the standard library's, or with the feature `loom` what loom offers instead, which tries every order of the
//! steps that threads take (`make loom`).

#[cfg(feature = "loom")]
mod modelled;
#[cfg(not(feature = "loom"))]
mod system;

#[cfg(feature = "loom")]
pub use modelled::*;
#[cfg(not(feature = "loom"))]
pub use system::*;
