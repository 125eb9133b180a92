//! Passes over the IR, one file each; this file is the list.

pub mod access;
pub mod merge;
