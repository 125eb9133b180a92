//! The functions that generated code may call, and the table by which the linker finds them.

use super::arena;
use super::preserve::{Registers, preserving};
use crate::abi::ctx::FUEL;
use crate::abi::runtime::{OBJECT, RARE, RARE_OF_TWO, RECORD_GROW, REFUEL, SEARCH};
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

/// Asks whether to go on; see [`REFUEL`].
///
/// # Safety
/// `ctx` is a live context; its cancel flag and its asker are alive.
unsafe extern "C" fn refuel(ctx: *mut Ctx) {
    // SAFETY: the caller's promise. The context is only looked at by this thread, and `ask` does not have it.
    unsafe {
        if let Some(ask) = (*ctx).ask {
            ask((*ctx).asker);
        }
        let cancel = (*ctx).cancel.cast::<AtomicU32>();
        (*ctx).fuel = FUEL;
        if cancel.as_ref().is_some_and(|flag| flag.load(Relaxed) != 0) {
            (*ctx).fuel = 0;
            fail(ctx, fault::CANCELLED, 0, 0, 0);
        }
    }
}

/// Makes room on a stack; see [`RECORD_GROW`].
///
/// # Safety
/// `ctx` is a live context whose `arenas` is null or was set by [`arena::with_stacks`].
unsafe extern "C" fn record_grow(ctx: *mut Ctx, arena: i32, bytes: i64) {
    // SAFETY: the caller's promise; the compiler numbers the stacks.
    unsafe {
        let cur = arena::grow(ctx, arena, bytes);
        (*ctx).stacks[arena as usize].cur = cur;
    }
}

/// Defines what calls a function of one number, and of two, for some lanes; see [`RARE`].
macro_rules! rare {
    ($($ty:ident: $one:ident $two:ident;)*) => {$(
        /// # Safety
        /// `numbers` are twice `width` numbers, and each bit of `lanes` is one of `width`.
        unsafe extern "C" fn $one(numbers: *mut $ty, lanes: u64, width: usize, f: extern "C" fn($ty) -> $ty) {
            for i in bits(lanes) {
                // SAFETY: the caller's promise.
                unsafe { *numbers.add(width + i) = f(*numbers.add(i)) };
            }
        }
        /// # Safety
        /// `numbers` are three times `width` numbers, and each bit of `lanes` is one of `width`.
        unsafe extern "C" fn $two(numbers: *mut $ty, lanes: u64, width: usize, f: extern "C" fn($ty, $ty) -> $ty) {
            for i in bits(lanes) {
                // SAFETY: the caller's promise.
                unsafe { *numbers.add(2 * width + i) = f(*numbers.add(i), *numbers.add(width + i)) };
            }
        }
    )*};
}

rare! {
    f32: rare_f32_1 rare_f32_2;
    f64: rare_f64_1 rare_f64_2;
}

/// The numbers of the bits that are set, lowest first.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        lowest
    })
}

/// Every name that generated code may leave undefined, with its address. `registers` are those that it uses.
pub fn symbols(registers: Registers) -> Vec<(&'static str, usize)> {
    let print = super::print::print as *const () as usize;
    vec![
        ("warp_print", print),
        (OBJECT, crate::objects::address as *const () as usize),
        (SEARCH, crate::objects::search as *const () as usize),
        (REFUEL, preserving!(registers, refuel)),
        (RECORD_GROW, preserving!(registers, record_grow)),
        (RARE[0], preserving!(registers, rare_f32_1)),
        (RARE[1], preserving!(registers, rare_f64_1)),
        (RARE_OF_TWO[0], preserving!(registers, rare_f32_2)),
        (RARE_OF_TWO[1], preserving!(registers, rare_f64_2)),
    ]
}
