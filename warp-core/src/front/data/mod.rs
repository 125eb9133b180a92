//! Elements of arrays, components, fields, and what holds them.

pub(in crate::front) mod index;
pub(in crate::front) mod indexed;
pub(in crate::front) mod local;
pub(in crate::front) mod pointer_based;
pub(in crate::front) mod slices;
pub(in crate::front) mod structs;
