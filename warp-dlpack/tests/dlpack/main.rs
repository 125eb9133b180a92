//! DLPack without Python: round trips of every layout, descriptors with anything in them, deleters on any thread.

mod deleters;
mod foreign;
mod meaning;
mod mutated;
mod round_trip;
