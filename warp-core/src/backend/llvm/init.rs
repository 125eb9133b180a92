//! What LLVM needs once per process, whatever it compiles for.

use std::ffi::CStr;
use std::sync::Once;

use llvm_sys::support::LLVMParseCommandLineOptions;

use super::fatal::install_fatal_handler;
use super::fork::InUse;

/// Sets global options, once per process. No thread forks meanwhile.
pub fn init(_: &InUse) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without the first option LLVM assumes byte strides of 1 and multiversions loops for it.
        // The second drops a second vector loop for remainders, which costs more compile time
        // than it returns on chunks of thousands of elements. The third lets the register allocator look at fewer of the blocks
        // that a value lives through, which takes it quadratic time. The fourth, of x86, lets innermost loops begin at multiples of 32:
        // a short one that lies across two lines of decoded instructions takes twice as long.
        let options = [
            c"warp",
            c"-enable-mem-access-versioning=false",
            c"-enable-epilogue-vectorization=false",
            c"-grow-region-complexity-budget=300",
            #[cfg(target_arch = "x86_64")]
            c"-x86-experimental-pref-innermost-loop-alignment=5",
        ];
        let pointers = options.map(CStr::as_ptr);
        // SAFETY: `Once` makes this the only caller; all options exist in LLVM 19, whose parser
        // would end the process on an unknown one (the tests run this very call).
        unsafe {
            LLVMParseCommandLineOptions(pointers.len() as i32, pointers.as_ptr(), c"".as_ptr());
            install_fatal_handler();
        }
    });
}
