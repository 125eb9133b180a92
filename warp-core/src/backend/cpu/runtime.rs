//! The functions that generated code may call, and the table by which the linker finds them.

use crate::abi::{Ctx, ErrorSlot, fault};

/// Sets the error slot unless it is set already; see [`crate::abi::runtime::FAIL`].
///
/// # Safety
/// `ctx` is a live context.
pub unsafe extern "C" fn fail(ctx: *mut Ctx, code: i32, span: u32, a: i64, b: i64) {
    // SAFETY: the caller's promise.
    let slot = unsafe { &mut (*ctx).error };
    if slot.code == fault::NONE {
        *slot = ErrorSlot { code, span, a, b };
    }
}

/// Every name that generated code may leave undefined, with its address.
pub fn symbols() -> Vec<(&'static str, usize)> {
    vec![
        ("warp_record_grow", super::arena::grow as *const () as usize),
        ("warp_fail", fail as *const () as usize),
        ("warp_print", super::print::print as *const () as usize),
    ]
}
