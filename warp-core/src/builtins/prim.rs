//! The adjoint of each primitive operation.
