//! Adjoints against central differences in float64, both through the reference interpreter.

mod compiled;
mod customs;
mod functions;
mod named;
mod random;
mod second;
