//! When deleters of other libraries may run: with Python's lock held, and never once Python is ending.

use pyo3::ffi;
use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use warp_core::array::owner::{self, Gate, Moment};

type Asks = unsafe extern "C" fn() -> c_int;
type Gets = unsafe extern "C" fn() -> *mut ffi::PyThreadState;

/// Functions of the interpreter that are there in every version, but not in its stable interface.
struct Symbols {
    current: Option<Gets>,
    is_ending: Option<Asks>,
}

fn symbols() -> &'static Symbols {
    static SYMBOLS: OnceLock<Symbols> = OnceLock::new();
    SYMBOLS.get_or_init(|| {
        // SAFETY: looking a name up in what is loaded.
        let find = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        let first = |names: [&CStr; 2]| names.map(find).into_iter().find(|at| !at.is_null());
        let current = first([
            c"PyThreadState_GetUnchecked",
            c"_PyThreadState_UncheckedGet",
        ]);
        let is_ending = first([c"Py_IsFinalizing", c"_Py_IsFinalizing"]);
        Symbols {
            // SAFETY: both functions have this signature, under either name.
            current: current.map(|at| unsafe { std::mem::transmute::<*mut c_void, Gets>(at) }),
            // SAFETY: as above.
            is_ending: is_ending.map(|at| unsafe { std::mem::transmute::<*mut c_void, Asks>(at) }),
        }
    })
}

/// Whether this thread holds Python's lock. `PyGILState_Check` always says yes once there has been a second
/// interpreter, so this asks what that would ask: which thread runs, and which this is.
fn holds_lock(current: Gets) -> bool {
    // SAFETY: both may be called on any thread at any time.
    unsafe {
        let running = current();
        !running.is_null() && running == ffi::PyGILState_GetThisThreadState()
    }
}

/// Whether this thread may ask Python: it holds the lock, and Python is not ending.
pub fn has_lock() -> bool {
    matches!(moment(), Moment::Now)
}

fn moment() -> Moment {
    let s = symbols();
    // SAFETY: both may be called on any thread at any time.
    unsafe {
        if ffi::Py_IsInitialized() == 0 || s.is_ending.is_some_and(|f| f() != 0) {
            Moment::Never
        } else if s.current.is_some_and(holds_lock) {
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
