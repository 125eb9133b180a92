//! DLPack without Python: round trips of every layout, descriptors with anything in them. Deleters have tests of their own.

mod foreign;
mod meaning;
mod mutated;
mod round_trip;
