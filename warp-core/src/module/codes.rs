//! The code of one program for each device.

use crate::backend::Code;
use crate::device::Device;
use crate::error::{Code as ErrorCode, Error, Result};
use crate::interruptible_lock::InterruptibleLock;
use std::sync::OnceLock;

/// A list that only grows, so that reading it takes no lock: one load for the device that came first.
#[derive(Debug, Default)]
pub struct Codes {
    first: Node,
    compiling: InterruptibleLock,
}

#[derive(Debug, Default)]
struct Node {
    code: OnceLock<Code>,
    next: OnceLock<Box<Node>>,
}

impl Codes {
    /// The code for a device, if it was made.
    #[inline]
    pub fn get(&self, device: Device) -> Option<&Code> {
        let mut node = &self.first;
        loop {
            let code = node.code.get()?;
            if code.device == device {
                return Some(code);
            }
            node = node.next.get()?;
        }
    }

    /// The code for a device; `make` makes it if there is none yet.
    ///
    /// # Errors
    /// Those of `make`, and [`ErrorCode::Runtime`] if `interrupted` said so while another thread made it.
    pub fn get_or_make(
        &self,
        device: Device,
        interrupted: &dyn Fn() -> bool,
        make: impl FnOnce() -> Result<Code>,
    ) -> Result<&Code> {
        // One at a time: a second thread finds what the first one made.
        let Some(_compiling) = self.compiling.lock(interrupted) else {
            return Err(Error::new(
                ErrorCode::Runtime,
                "the compile was interrupted",
            ));
        };
        if let Some(code) = self.get(device) {
            return Ok(code);
        }
        let code = make()?;
        let mut node = &self.first;
        while node.code.get().is_some() {
            node = node.next.get_or_init(Box::default);
        }
        Ok(node.code.get_or_init(|| code))
    }
}
