//! Types of values: scalars, the small composites kernels compute with, structs, and arrays of them.

mod compound;
mod description;
mod pattern;
mod structs;
mod types;

pub use compound::{COMPOUNDS, Compound, Form};
pub use description::{DESCRIPTION, describe_array, word};
pub use pattern::{Closeness, Pattern, Scalars};
pub use structs::{MAX_LEAVES, leaves};
pub use types::{Elem, Field, Leaf, MAX_NDIM, Struct, Type};
