//! Types of values: scalars, the small composites kernels compute with, structs, and arrays of them.

mod array_descriptor;
mod compound;
mod pattern;
mod structs;
mod types;

pub use array_descriptor::{ARRAY_DESCRIPTOR, describe_array, word};
pub use compound::{COMPOUNDS, Compound, Form};
pub use pattern::{Closeness, Pattern, Scalars};
pub use structs::{MAX_LEAVES, leaves};
pub use types::{Elem, Field, Leaf, MAX_NDIM, Struct, Type};
