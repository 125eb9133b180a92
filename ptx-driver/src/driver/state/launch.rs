//! A kernel with all that it is launched with.
use super::function::Function;
use crate::machine::Grid;
use smallvec::SmallVec;
use std::sync::Arc;

/// The bytes of the arguments. Few launches need more room than this.
pub type Params = SmallVec<[u8; 64]>;

/// A kernel with all that it is launched with.
pub struct Launch {
    pub function: Arc<Function>,
    pub grid: Grid,
    pub params: Params,
}
