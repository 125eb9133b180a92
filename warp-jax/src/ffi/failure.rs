//! Why a call by XLA fails.

use super::sys::code;
use std::ffi::c_int;

/// One of XLA's error codes, and a message.
pub(super) struct HandlerFailure(pub c_int, pub String);

pub(super) type Outcome<T> = Result<T, HandlerFailure>;

/// The failure of a call whose arguments or attributes are wrong.
#[cold]
pub(super) fn invalid(message: String) -> HandlerFailure {
    HandlerFailure(code::INVALID_ARGUMENT, message)
}
