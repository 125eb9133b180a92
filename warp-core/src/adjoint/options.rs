//! Which adjoint of a kernel is wanted.

use crate::ir::ParamId;
use crate::pass::inline::Limits;

/// What the launch wants of the adjoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// Arrays stored once whose gradient is set to zero after it was read, as that of a mutable
    /// array is anyway.
    pub consume: Vec<ParamId>,
    /// The adjoint is to be differentiated again: it keeps values instead of running loops again, and has no log.
    pub again: bool,
    /// Which functions stay functions.
    pub limits: Limits,
}
