//! A module: PTX that was taken, with the addresses of its variables.
use crate::driver::base::Handle;
use crate::ptx;
use std::sync::atomic::AtomicBool;

/// A module as kernels need it; they keep it after `cuModuleUnload`.
pub struct Module {
    pub context: Handle,
    pub ptx: ptx::Module,
    /// Addresses of the variables, in the module's order.
    pub globals: Vec<u64>,
    pub unloaded: AtomicBool,
    /// Bytes of static `.const` variables, for `CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES`.
    pub const_bytes: u64,
}
