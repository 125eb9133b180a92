//! Where arrays live and kernels run, and the order in which a device works.

mod all;
pub mod cuda;
mod current;
mod kind;
mod named;
mod stream;

pub use all::{all, missing, parse};
pub use current::{On, Streams, current_stream, on_stream, set_current_stream};
pub use kind::{Device, Ordinal};
pub use named::{given_name, name_device, unname_device};
pub use stream::Stream;
