//! What everything else in the driver names: result codes, handles, settings, and what belongs to a thread.

pub mod error;
pub mod handle;
pub mod settings;
pub mod thread;

pub use error::{Error, Result};
pub use handle::Handle;
