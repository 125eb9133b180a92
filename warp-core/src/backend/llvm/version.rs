//! Which LLVM this is.

use llvm_sys::core::LLVMGetVersion;

/// The compiler's name and version: a part of every cache key.
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: writes three integers.
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("llvm {major}.{minor}.{patch}")
}
