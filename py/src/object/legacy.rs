//! Whether numbers that are computed are given to Python as its own, of whatever type they are.

use std::sync::atomic::{AtomicBool, Ordering};

static SCALARS: AtomicBool = AtomicBool::new(false);

/// `wp.config.legacy_scalar_return_types`.
pub fn scalars() -> bool {
    SCALARS.load(Ordering::Relaxed)
}

/// Sets it.
pub fn set_scalars(legacy: bool) {
    SCALARS.store(legacy, Ordering::Relaxed);
}
