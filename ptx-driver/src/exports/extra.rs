//! Functions that no CUDA driver has, for tests.
use super::argument::{out, string, write_string};
use crate::driver::base::{Error, settings};
use crate::driver::call;
use crate::driver::inspect::{self, Counts};
use crate::driver::state::Guard;
use std::ffi::c_char;

/// The sentence of the last fault, empty if there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_driver_last_fault(buffer: *mut c_char, room: usize) -> u32 {
    call::free("ptx_driver_last_fault", |g| {
        // SAFETY: the caller passes a buffer of this size.
        unsafe {
            write_string(
                &g.last_fault,
                buffer,
                i32::try_from(room).unwrap_or(i32::MAX),
            )
        }
    })
}

/// Forgets all, also settings of `ptx_driver_configure`: the driver is as in a new process. No other call may be under way.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_driver_reset() -> u32 {
    call::free("ptx_driver_reset", |g: &mut Guard| {
        g.reset();
        settings::forget();
        Ok(())
    })
}

/// Counts what was executed and what is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_driver_counts(counts: *mut Counts) -> u32 {
    call::free("ptx_driver_counts", |g| {
        // SAFETY: the caller passes a place for the counts.
        unsafe { out(counts) }?.set(inspect::counts(g))
    })
}

/// Changes a setting: a name without `PTX_DRIVER_`, and a value as in the environment. All but DEVICES and MEMORY hold at once; those
/// hold from the next `cuInit` after `ptx_driver_reset`, which must come before this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_driver_configure(name: *const c_char, value: *const c_char) -> u32 {
    call::free("ptx_driver_configure", |g| {
        // SAFETY: the caller passes two texts.
        let (name, value) = unsafe { (string(name)?, string(value)?) };
        settings::configure(name, value)
            .and_then(|()| inspect::apply(g))
            .map_err(|sentence| {
                eprintln!("ptx-driver: {sentence}");
                Error::INVALID_VALUE
            })
    })
}
