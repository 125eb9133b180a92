//! The functions of the CUDA driver API, by their C names.
//!
//! Handles are integers here: a `CUstream` is an address to C, but nothing lies there.
//!
//! - `function`, `argument`: what all files here are made of. `abi`: structures. `table`, `symbol`: functions by name.
//! - `extra`: functions that no CUDA driver has. The others have the functions of their names.
#![allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]

#[macro_use]
mod function;

pub mod abi;
mod argument;
pub mod capture;
pub mod context;
pub mod copy;
pub mod device;
pub mod event;
pub mod extra;
pub mod graph;
pub mod graph_node;
pub mod kernel;
pub mod memory;
pub mod module;
pub mod pool;
pub mod stream;
pub mod symbol;
mod table;
