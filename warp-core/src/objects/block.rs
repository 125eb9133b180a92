//! What an object lies in.

use crate::device::Device;
use std::any::Any;

/// Memory of an object. It stays where it is for as long as it lives.
pub trait Block: Send + Sync + 'static {
    /// Where it begins, in the memory of its device.
    fn address(&self) -> u64;
    /// The device whose memory it is.
    fn device(&self) -> Device {
        Device::Cpu
    }
    /// What it holds, if the host can read it.
    fn bytes(&self) -> Option<&[u8]>;
    /// The numbers of its items in the order in which threads run best, if there is one: each once.
    fn order(&self) -> &[u32] {
        &[]
    }
    /// Itself, to be looked at.
    fn as_any(&self) -> &dyn Any;
    /// Itself, to be used again.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}
