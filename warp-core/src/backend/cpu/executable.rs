//! A kernel as a function of this process.

use super::cost::Cost;
use crate::abi::Entry;
use std::any::Any;

/// A compiled function, and what its launches have cost.
#[derive(Debug)]
pub struct Executable {
    /// The entry point; valid as long as this value.
    pub entry: Entry,
    /// What launches have been observed to cost.
    pub cost: Cost,
    /// What the entry point is in.
    _image: Option<Box<dyn Any + Send + Sync>>,
}

impl Executable {
    /// A function that is there as long as `image` is.
    ///
    /// # Safety
    /// `entry` does what the launch ABI says, and `image` keeps it.
    pub unsafe fn new(entry: Entry, image: Option<Box<dyn Any + Send + Sync>>) -> Executable {
        Executable {
            entry,
            cost: Cost::new(),
            _image: image,
        }
    }
}
