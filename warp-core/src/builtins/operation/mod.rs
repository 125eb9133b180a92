//! What syntax means for values: operators, conversions, constructors, components, array indices.

pub mod arrays;
pub mod cast;
pub mod component;
pub mod composite;
pub mod compound;
pub mod operators;
