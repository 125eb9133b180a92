//! `WARP_CHECK_CODE=1`: each launch is held against what it should do.
//!
//! A launch runs as ever. Then the scalar body runs all threads in order, on copies of the arrays as they were before, and the interpreter
//! a few of them. What differs is an error of the launch, which names the element. Left out are launches of more than [`MOST`]
//! bytes, those whose arrays are reached through addresses, and what depends on the order of threads: sums of floats are held
//! against each other with a tolerance, and where the scalar body has another result when it runs the threads backwards, anything may be right.
//!
//! Launches then run one at a time, so that none changes what another one is held against.

mod compare;
mod memory;
mod sample;
mod twin;

pub use twin::{Checked, Twin};

use crate::abi::{Entry, ErrorSlot, fault};
use memory::Snapshot;
use std::cell::Cell;
use std::sync::{LazyLock, Mutex, PoisonError};
use twin::run_on_this_thread;

/// The variable that switches it on.
const VARIABLE: &str = "WARP_CHECK_CODE";

/// Bytes of arrays that are copied for one launch.
const MOST: usize = 64 << 20;

/// Whether launches are checked.
pub fn is_on() -> bool {
    static ON: LazyLock<bool> =
        LazyLock::new(|| std::env::var(VARIABLE).is_ok_and(|value| !matches!(&*value, "" | "0")));
    *ON
}

static ONE: Mutex<()> = Mutex::new(());

thread_local! {
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// Runs a launch by `run` and checks it. The second is what differs.
///
/// # Safety
/// The argument block is the one that the kernel expects, its arrays are alive and as large as it says.
pub unsafe fn checked(
    launch: Checked<'_>,
    run: impl FnOnce() -> Result<(), ErrorSlot>,
) -> (Result<(), ErrorSlot>, Option<String>) {
    // A launch within a launch, by a print's sink or a signal's handler.
    if WITHIN.replace(true) {
        return (run(), None);
    }
    let _within = Within;
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's promise.
    let before = unsafe { Snapshot::new(launch.twin, launch.args, MOST) };
    let done = run();
    let Some(before) = before else {
        return (done, None);
    };
    let stopped = |slot: &ErrorSlot| {
        matches!(
            slot.code,
            fault::CANCELLED | fault::FORKED | fault::REFUSED | fault::RECORD_LIMIT
        )
    };
    if done.as_ref().is_err_and(stopped) {
        return (done, None);
    }
    // SAFETY: as above; the snapshot is of these arguments.
    let found = unsafe {
        differs(
            launch,
            &before,
            done.as_ref().err().map_or(0, |slot| slot.code),
        )
    };
    (done, found)
}

struct Within;

impl Drop for Within {
    fn drop(&mut self) {
        WITHIN.set(false);
    }
}

/// What differs between memory after the launch and what should be there.
///
/// # Safety
/// As [`checked`].
unsafe fn differs(launch: Checked<'_>, before: &Snapshot, code: i32) -> Option<String> {
    let twin = launch.twin;
    let (entry, n) = (twin.entry()?, launch.total());
    // SAFETY: as promised.
    let now = unsafe { Snapshot::new(twin, launch.args, MOST) }?;
    let mut scalar = before.clone();
    // SAFETY: the copies are as large as the arrays.
    let fault = unsafe { run_on_this_thread(entry, scalar.block(), launch.flags, 0, n) };
    if fault != code {
        return Some(format!(
            "it ends with fault {code}, one thread at a time with {fault}"
        ));
    }
    // Which threads ran before a fault nobody knows.
    if code == fault::NONE
        && let Some(text) = compare::differ(twin, before, &now, &scalar)
        // SAFETY: as above.
        && !unsafe { order_shows(launch, entry, before, &scalar) }
    {
        return Some(text);
    }
    // SAFETY: as above.
    unsafe { sample::differs(launch, entry, before) }
}

/// Whether the scalar body has another result when it runs the threads backwards.
///
/// # Safety
/// As [`checked`].
unsafe fn order_shows(
    launch: Checked<'_>,
    entry: Entry,
    before: &Snapshot,
    scalar: &Snapshot,
) -> bool {
    let mut backwards = before.clone();
    for i in (0..launch.total()).rev() {
        // SAFETY: the copies are as large as the arrays.
        unsafe { run_on_this_thread(entry, backwards.block(), launch.flags, i, i + 1) };
    }
    compare::differ(launch.twin, before, scalar, &backwards).is_some()
}

#[cfg(test)]
mod tests;
