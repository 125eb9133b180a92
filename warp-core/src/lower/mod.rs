//! IR to LLVM IR text. Needs no LLVM: what comes out is a string.
//!
//! The files of this folder write what all devices share: operations, conversions, addresses, control flow, atomic
//! operations in memory or in registers, what the entry point asks about its arguments. A folder per kind of device writes the
//! rest: [`host`] and [`nvptx`] the entry point, the loop over threads, recording and printing. What the shared files ask
//! of a device is `body::Target`.
//!
//! What must hold: the text means what [`crate::interp`] says, bit for bit where no transcendental
//! function is involved. No instruction has undefined behaviour for any input of a kernel, except
//! access out of range without [`Options::check_bounds`].
//!
//! Mathematics is called as `@wm.NAME.f32` or `.f64`; the backend declares and supplies those.

mod analysis;
mod body;
mod emit;
mod guards;
pub mod host;
mod lines;
pub mod nvptx;
mod options;
mod report;

pub use analysis::block::block_layout;
pub use guards::conditions::Conditions;
pub use options::{Lanes, Lowered, Options, Printed, StackUse};
pub use report::{BodyReport, Costly, Splits};
