//! The functions that generated code may call, and the table by which the linker finds them.

use crate::abi::ctx::FUEL;
use crate::abi::{Ctx, ErrorSlot, fault};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Sets the error slot unless it is set already.
///
/// # Safety
/// `ctx` is a live context.
pub unsafe fn fail(ctx: *mut Ctx, code: i32, span: u32, a: i64, b: i64) {
    // SAFETY: the caller's promise.
    let slot = unsafe { &mut (*ctx).error };
    if slot.code == fault::NONE {
        *slot = ErrorSlot { code, span, a, b };
    }
}

/// Asks whether to go on; see [`crate::abi::runtime::REFUEL`].
///
/// # Safety
/// `ctx` is a live context; its cancel flag and its asker are alive.
pub unsafe extern "C" fn refuel(ctx: *mut Ctx) -> i64 {
    // SAFETY: the caller's promise. The context is only looked at by this thread, and `ask` does not have it.
    unsafe {
        if let Some(ask) = (*ctx).ask {
            ask((*ctx).asker);
        }
        let cancel = (*ctx).cancel.cast::<AtomicU32>();
        if cancel.as_ref().is_none_or(|flag| flag.load(Relaxed) == 0) {
            return FUEL;
        }
        (*ctx).fuel = 0;
        fail(ctx, fault::CANCELLED, 0, 0, 0);
        0
    }
}

/// Every name that generated code may leave undefined, with its address.
pub fn symbols() -> Vec<(&'static str, usize)> {
    vec![
        ("warp_record_grow", super::arena::grow as *const () as usize),
        ("warp_refuel", refuel as *const () as usize),
        ("warp_print", super::print::print as *const () as usize),
    ]
}
