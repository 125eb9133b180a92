//! Fatal errors of LLVM: the thread that meets one reports it and sleeps for ever, so that the process goes on.

use std::cell::RefCell;
use std::ffi::{CStr, c_char};

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

type Report = Box<dyn Fn(String)>;

thread_local! {
    /// Where a fatal error of LLVM on this thread goes.
    static FATAL: RefCell<Option<Report>> = const { RefCell::new(None) };
}

pub fn install_fatal_handler() {
    // SAFETY: the handler is a plain function that lives for ever.
    unsafe { LLVMInstallFatalErrorHandler(Some(on_fatal)) };
}

/// LLVM ends the process when this returns, and must not be unwound through. So it reports to
/// the thread that waits for this one, and sleeps for ever: a thread is lost, the process is not.
extern "C" fn on_fatal(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string.
    let reason = unsafe { CStr::from_ptr(reason) };
    FATAL.with(|f| {
        if let Ok(Some(tell)) = f.try_borrow().as_deref() {
            tell(reason.to_string_lossy().into_owned());
            loop {
                std::thread::park();
            }
        }
    });
}

/// From now on a fatal error on this thread goes to `report`.
pub fn report_to(report: impl Fn(String) + 'static) {
    FATAL.with(|f| *f.borrow_mut() = Some(Box::new(report)));
}
