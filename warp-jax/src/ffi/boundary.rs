//! Where XLA enters: what every handler does before and after its own work.
//!
//! Whatever goes wrong becomes an error of XLA's, a panic too: none may cross into XLA.

use super::failure::{HandlerFailure, Outcome};
use super::sys::{self, Frame, code};
use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

/// The version of the interface that the handlers speak: the first one, which every jax accepts that has the interface.
const VERSION: (c_int, c_int) = (0, 1);

/// What XLA is told of a handler.
#[derive(Clone, Copy)]
pub(super) struct Role {
    /// What it says about its calls.
    pub traits: u32,
    /// The first stage in which it has something to do.
    pub first: c_int,
}

impl Role {
    /// Handlers that only work in the call itself, of which nothing is promised.
    pub const PLAIN: Role = Role {
        traits: 0,
        first: sys::EXECUTE,
    };
}

/// Runs a handler's work for a call; XLA's error if it fails, else null. XLA's question about the handler is answered, and
/// stages in which it has nothing to do are passed over.
///
/// # Safety
/// `frame` is a call frame of XLA's.
#[inline]
pub(super) unsafe fn enter(
    frame: *mut Frame,
    role: Role,
    work: impl FnOnce(&Frame) -> Outcome<()>,
) -> *mut sys::Error {
    // SAFETY: promised by the caller.
    let frame = unsafe { &*frame };
    // SAFETY: extensions of a frame are a list that ends in null.
    if unsafe { answered(frame.extensions, role) } || frame.stage < role.first {
        return null_mut();
    }
    let HandlerFailure(code, message) = match catch_unwind(AssertUnwindSafe(|| work(frame))) {
        Ok(Ok(())) => return null_mut(),
        Ok(Err(failure)) => failure,
        Err(panic) => HandlerFailure(code::INTERNAL, text_of(&*panic)),
    };
    // SAFETY: the interface belongs to the frame.
    unsafe { fail(frame, code, &message) }
}

/// Answers the question what this handler is, if it was asked.
///
/// # Safety
/// The extension is null or one of XLA's.
unsafe fn answered(extension: *mut sys::Extension, role: Role) -> bool {
    // SAFETY: promised by the caller.
    let Some(base) = (unsafe { extension.as_ref() }) else {
        return false;
    };
    if base.kind != sys::METADATA {
        return false;
    }
    // SAFETY: that kind of extension has metadata to fill in.
    unsafe {
        let metadata = &mut *(*extension.cast::<sys::MetadataExtension>()).metadata;
        (metadata.api_version.major, metadata.api_version.minor) = VERSION;
        metadata.traits = role.traits;
    }
    true
}

#[cold]
fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "warp: compiler bug, please report: panic: {}",
        text.unwrap_or("?")
    )
}

/// # Safety
/// The frame is one of XLA's.
#[cold]
unsafe fn fail(frame: &Frame, code: c_int, message: &str) -> *mut sys::Error {
    let text = CString::new(message.replace('\0', " ")).expect("no zeros are left");
    let mut request = sys::ErrorCreate {
        struct_size: size_of::<sys::ErrorCreate>() - size_of::<c_int>(),
        extensions: null_mut(),
        message: text.as_ptr(),
        code,
    };
    // SAFETY: XLA copies the message.
    unsafe { ((*frame.api).error_create)(&raw mut request) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_what_it_is_is_answered() {
        let mut metadata = sys::Metadata {
            struct_size: size_of::<sys::Metadata>(),
            api_version: sys::ApiVersion {
                struct_size: 0,
                extensions: null_mut(),
                major: 9,
                minor: 9,
            },
            traits: 9,
        };
        let mut extension = sys::MetadataExtension {
            base: sys::Extension {
                struct_size: size_of::<sys::Extension>(),
                kind: sys::METADATA,
                next: null_mut(),
            },
            metadata: &raw mut metadata,
        };
        let role = Role {
            traits: sys::COMMAND_BUFFER_COMPATIBLE,
            first: sys::INITIALIZE,
        };
        // SAFETY: an extension as XLA makes it.
        assert!(unsafe { answered((&raw mut extension).cast(), role) });
        assert_eq!(
            (metadata.api_version.major, metadata.api_version.minor),
            VERSION
        );
        assert_eq!(metadata.traits, 1);
    }
}
