//! What LLVM needs once per process.

use std::ffi::CStr;
use std::sync::Once;

use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target::{
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};

use super::fatal::install_fatal_handler;

/// Registers the host target and sets global options, once per process. The caller holds an `InUse`.
pub(super) fn init() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without the first option LLVM assumes byte strides of 1 and multiversions loops for it.
        // The second drops a second vector loop for remainders, which costs more compile time
        // than it returns on chunks of thousands of elements. The third lets innermost loops begin at multiples of 32:
        // a short one that lies across two lines of decoded instructions takes twice as long.
        let options = [
            c"warp",
            c"-enable-mem-access-versioning=false",
            c"-enable-epilogue-vectorization=false",
            c"-x86-experimental-pref-innermost-loop-alignment=5",
        ];
        let pointers = options.map(CStr::as_ptr);
        // SAFETY: `Once` makes this the only caller; all options exist in LLVM 19, whose parser
        // would end the process on an unknown one (the tests run this very call).
        unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
            LLVMParseCommandLineOptions(pointers.len() as i32, pointers.as_ptr(), c"".as_ptr());
            install_fatal_handler();
        }
    });
}
