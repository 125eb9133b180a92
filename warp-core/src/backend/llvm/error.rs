//! What LLVM refuses, as a value.

use std::ffi::{CStr, CString, c_char};
use std::fmt;

use llvm_sys::core::LLVMDisposeMessage;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};

use crate::error::{Bug, Code};

/// The step of a compile whose thread cannot be started.
pub const THREAD: &str = "thread";

/// LLVM refused. Seen by a user only when lowering has a bug, or when memory or threads ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Which step: `thread`, `parse`, `optimise`, `emit`, `link`.
    pub step: &'static str,
    /// What LLVM said.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLVM ({}): {}", self.step, self.message)
    }
}

impl std::error::Error for Error {}

impl From<Error> for crate::error::Error {
    fn from(e: Error) -> Self {
        match e.step {
            THREAD => crate::error::Error::new(Code::System, e.message).hint(
                "a compile needs a thread with a stack of 8 MiB at least; see `ulimit -u` and `ulimit -v`",
            ),
            "link" if e.message.contains("Cannot allocate memory") => {
                crate::error::Error::new(Code::Memory, "no memory for the code of a kernel")
            }
            _ => Bug(e.to_string()).into(),
        }
    }
}

/// Result of this module.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// What was refused, and in which step.
    pub fn new(step: &'static str, message: impl Into<String>) -> Error {
        Error {
            step,
            message: message.into(),
        }
    }

    /// Takes ownership of `e`.
    ///
    /// # Errors
    /// What it says.
    ///
    /// # Safety
    /// `e` is null or an error that nothing else has consumed.
    pub unsafe fn check(step: &'static str, e: LLVMErrorRef) -> Result<()> {
        if e.is_null() {
            return Ok(());
        }
        // SAFETY: not null, so it is a live error; reading its message consumes it.
        unsafe {
            let message = LLVMGetErrorMessage(e);
            let error = Error::new(step, CStr::from_ptr(message).to_string_lossy());
            LLVMDisposeErrorMessage(message);
            Err(error)
        }
    }
}

/// Copies and frees a string that LLVM allocated.
///
/// # Safety
/// `s` is null or a message that LLVM handed over.
pub unsafe fn take_string(s: *mut c_char) -> String {
    if s.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let text = CStr::from_ptr(s).to_string_lossy().into_owned();
        LLVMDisposeMessage(s);
        text
    }
}

pub fn c_string(step: &'static str, s: &str) -> Result<CString> {
    CString::new(s).map_err(|_| Error::new(step, "a NUL byte in the text"))
}
