//! NVIDIA's driver: the GPUs of this machine, their streams and events.
//!
//! Everything is found when it is first needed. Where there is no driver there are no GPUs, and what asks for one gets an error
//! that says what was looked for.

mod capture;
pub mod driver;
mod error;
mod gpu;
pub mod ipc;
mod managed;
mod pool;
mod stream;
mod threshold;
mod unhindered;

pub use capture::{CaptureInfo, capture_info, capture_of, capture_on};
pub use driver::Driver;
pub use error::failed;
pub use gpu::{
    Attribute, Busy, Current, Gpu, absence, device_of_address, gpu, gpu_of, gpus, is_pinned,
    use_pools_at_first,
};
pub use managed::*;
pub use pool::*;
pub use stream::*;
pub use unhindered::Unhindered;
