//! Launches: of kernels, of graphs, and of functions of the host.

mod arguments;
mod graph;
mod host;
mod kernel;

pub use arguments::Arguments;
pub use graph::launch_graph;
pub use host::{add_callback, launch_host_function};
pub use kernel::{Dimensions, check_attribute, launch_kernel, prepare};
