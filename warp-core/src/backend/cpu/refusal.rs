//! Why a launch was refused, for the error that reports it.

use super::executable::Executable;
use std::cell::RefCell;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A launch of this code was refused on this thread.
pub fn note(code: &Executable) {
    let why = code.refusal().unwrap_or_default().to_string();
    LAST.with_borrow_mut(|last| *last = why);
}

/// A launch on this thread differs from what it should do, and how.
#[cfg(feature = "llvm")]
pub fn note_difference(how: String) {
    LAST.set(how);
}

/// Why the last launch that was refused on this thread was ([`crate::abi::fault::REFUSED`]), or how one differs ([`crate::abi::fault::DIFFERS`]).
pub fn refusal() -> String {
    LAST.with_borrow(Clone::clone)
}
