//! When deleters of other libraries may run: with Python's lock held, and never once Python is ending.

use pyo3::ffi;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use warp_core::array::owner::{self, Gate, Moment};

type Asks = unsafe extern "C" fn() -> c_int;

/// Functions of the interpreter that are there in every version, but not in its stable interface.
struct Symbols {
    holds_lock: Option<Asks>,
    is_ending: Option<Asks>,
}

fn symbols() -> &'static Symbols {
    static SYMBOLS: OnceLock<Symbols> = OnceLock::new();
    SYMBOLS.get_or_init(|| {
        let find = |name: &std::ffi::CStr| {
            // SAFETY: looking a name up in what is loaded; both functions have this signature.
            unsafe {
                let at = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
                std::mem::transmute::<*mut c_void, Option<Asks>>(at)
            }
        };
        Symbols {
            holds_lock: find(c"PyGILState_Check"),
            is_ending: find(c"Py_IsFinalizing").or_else(|| find(c"_Py_IsFinalizing")),
        }
    })
}

fn moment() -> Moment {
    let s = symbols();
    // SAFETY: all three may be called on any thread at any time.
    unsafe {
        if ffi::Py_IsInitialized() == 0 || s.is_ending.is_some_and(|f| f() != 0) {
            Moment::Never
        } else if s.holds_lock.is_some_and(|f| f() != 0) {
            Moment::Now
        } else {
            Moment::Later
        }
    }
}

fn wake() {
    // SAFETY: may be called on any thread. A full queue is no loss: what fills it drains ours as well, or the
    // next release asks again.
    unsafe { ffi::Py_AddPendingCall(Some(drain), std::ptr::null_mut()) };
}

extern "C" fn drain(_: *mut c_void) -> c_int {
    owner::drain();
    0
}

/// Tells the core when deleters may run.
pub fn install() {
    owner::install_gate(Gate { moment, wake });
}
