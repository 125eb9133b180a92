//! How decompositions and inverses of small matrices are computed, and their derivatives.
//!
//! Each is one statement ([`Intrinsic::Factor`](crate::ir::Intrinsic::Factor)), so that passes and adjoints see neither its
//! length nor its loops. Who runs IR, the interpreter or lowering, puts the statements of [`body()`] in its place, which are
//! plain IR, text of the same length for every use. Its derivative ([`adjoint()`]) is the closed form, in primitives, so it can
//! be differentiated again.
//!
//! Types of 16 bits are computed in float32.

mod adjoint;
mod body;
mod eig;
mod expression;
mod inverse;
mod qr;
mod svd;

pub use adjoint::adjoint;
pub use body::body;
