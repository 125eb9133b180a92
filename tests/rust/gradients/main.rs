//! Adjoints against central differences in float64, both through the reference interpreter.

mod differences;
mod filetests;
mod generate;
mod named;
mod random;
