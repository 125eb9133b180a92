//! Tests of the machine: instructions, threads together, faults, and text of LLVM.

mod device;
mod faults;
mod forms;
mod llvm;
mod spaces;
mod speed;
mod together;
