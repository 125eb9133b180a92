//! Functions for torch to call, one per operator.

use super::call::call;
use super::implementation::TorchOperator;
use crate::stable::{BoxedKernel, OperatorFailure, stable};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

// torch calls an implementation without saying for which operator: each needs a function of its own.

const ROW: usize = 32;
static OPERATORS: [AtomicPtr<TorchOperator>; ROW * ROW] =
    [const { AtomicPtr::new(null_mut()) }; ROW * ROW];
static USED: Mutex<usize> = Mutex::new(0);

/// # Safety
/// torch calls it for the operator that it was registered for.
unsafe extern "C-unwind" fn entry<const A: usize, const B: usize>(stack: *mut u64, _: u64, _: u64) {
    // SAFETY: the caller's promise.
    if let Err(failure) = unsafe { enter(A * ROW + B, stack) } {
        let stable = stable().expect("it has registered this");
        // SAFETY: nothing here has to be dropped.
        unsafe { stable.throw(failure) }
    }
}

/// # Safety
/// As for `entry`.
unsafe fn enter(index: usize, stack: *mut u64) -> Result<(), OperatorFailure> {
    // SAFETY: the operator was stored before torch knew the function, and stays for good.
    let operator = unsafe { &*OPERATORS[index].load(Ordering::Acquire) };
    let stable = stable().expect("it has registered this");
    // SAFETY: the caller's promise.
    let call = AssertUnwindSafe(|| unsafe { call(operator, stable, stack) });
    catch_unwind(call).unwrap_or_else(|_| Err(operator.bug("a panic, printed above")))
}

macro_rules! row {
    ($($b:literal)*) => {
        const fn row<const A: usize>() -> [BoxedKernel; ROW] {
            [$(entry::<A, $b>),*]
        }
        static ENTRIES: [[BoxedKernel; ROW]; ROW] = [$(row::<$b>()),*];
    };
}
row!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);

/// Makes a kernel the CPU implementation of the operator `namespace::name`, which torch knows already.
///
/// False if that is not possible: torch is too old, or 1024 operators are registered.
///
/// # Errors
/// What torch says.
pub fn implement(namespace: &str, name: &str, operator: TorchOperator) -> Result<bool, String> {
    let Some(stable) = stable() else {
        return Ok(false);
    };
    let mut used = USED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if *used == ROW * ROW {
        return Ok(false);
    }
    let index = *used;
    OPERATORS[index].store(Box::into_raw(Box::new(operator)), Ordering::Release);
    let function = ENTRIES[index / ROW][index % ROW];
    *used += 1;
    match stable.implement(namespace, name, function) {
        Ok(()) => Ok(true),
        Err(failure) => Err(failure.into_text()),
    }
}
