//! Calls that captures do not hinder, and that do not disturb captures.

use super::driver::Driver;
use cudarc::driver::sys::*;

/// While this lives, captures do not keep this thread from calls that could disturb them: allocations from the driver itself, and
/// loading code. None of ours does.
#[must_use = "it ends with the value"]
pub struct Unhindered {
    before: CUstreamCaptureMode,
    driver: &'static Driver,
}

impl Unhindered {
    /// Begins; None where the driver has no such thing, so that it does not hinder either.
    pub fn begin() -> Option<Unhindered> {
        let driver = Driver::get().ok()?;
        let mut before = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: reads a mode and writes the one before.
        unsafe { driver.thread_exchange_capture_mode(&raw mut before) }.ok()?;
        Some(Unhindered { before, driver })
    }
}

impl Drop for Unhindered {
    fn drop(&mut self) {
        let mut mode = self.before;
        // SAFETY: as above.
        let _ = unsafe { self.driver.thread_exchange_capture_mode(&raw mut mode) };
    }
}
