//! Arrays in Python's `tracemalloc`, which names the lines that made them, as it does for those of NumPy.

use super::gate;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::OnceLock;
use warp_core::backend::cpu::{Listener, listen};

/// Under which number tracemalloc keeps them: `tracemalloc.DomainFilter(True, 0x77617270)` shows them alone.
const DOMAIN: c_uint = u32::from_be_bytes(*b"warp");

/// Functions of Python's that are not in its stable interface.
struct Functions {
    track: unsafe extern "C" fn(c_uint, usize, usize) -> c_int,
    untrack: unsafe extern "C" fn(c_uint, usize) -> c_int,
}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

/// Has tracemalloc told of the memory of arrays on the CPU, where this Python has it.
pub fn install() {
    let found = |name: &CStr| {
        // SAFETY: a look-up in what the process has loaded.
        let at = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    };
    let both = found(c"PyTraceMalloc_Track").zip(found(c"PyTraceMalloc_Untrack"));
    let Some((track, untrack)) = both else {
        return;
    };
    // SAFETY: functions of these names have these types in every version of Python that has them.
    let functions = unsafe {
        Functions {
            track: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(c_uint, usize, usize) -> c_int,
            >(track),
            untrack: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_uint, usize) -> c_int>(
                untrack,
            ),
        }
    };
    if FUNCTIONS.set(functions).is_ok() {
        listen(Listener { made, freed });
    }
}

/// Both functions return at once while nothing is traced. Without Python's lock there is no line to name, and who waits for the
/// lock here might hold one that its holder waits for.
fn made(base: usize, size: usize) {
    if let Some(functions) = FUNCTIONS.get()
        && gate::has_lock()
    {
        // SAFETY: it may be called with Python's lock.
        unsafe { (functions.track)(DOMAIN, base, size) };
    }
}

fn freed(base: usize) {
    if let Some(functions) = FUNCTIONS.get() {
        // SAFETY: it may be called by any thread, for memory that it was not told of, too.
        unsafe { (functions.untrack)(DOMAIN, base) };
    }
}
