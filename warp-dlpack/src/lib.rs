//! Adapter: dlpack.
