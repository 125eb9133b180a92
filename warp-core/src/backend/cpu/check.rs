//! `WARP_CHECK_CODE=1`: each launch is compared with what it should do.
//!
//! A launch runs as usual. Then the scalar body runs all threads in order, on copies of the arrays as they were before, and the interpreter
//! a few of them. What differs is an error of the launch, which names the element. Left out are launches of more than `MOST`
//! bytes, those whose arrays are reached through addresses, and what depends on the order of threads: sums of floats are
//! compared with a tolerance, and where the scalar body has another result when it runs the threads backwards, anything may be right.
//!
//! Launches then run one at a time, so that none changes what another one is compared with. `WARP_CHECK_CODE=8` checks the first eight
//! launches of each kernel and then each eighth one.

mod compare;
mod memory;
mod sample;
mod twin;

pub use twin::{Checked, Twin};

use crate::abi::{Entry, ErrorSlot, fault};
use memory::Snapshot;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{LazyLock, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};
use twin::{PATIENCE, run_on_this_thread};

/// The variable that switches it on.
const VARIABLE: &str = "WARP_CHECK_CODE";

/// Bytes of arrays that are copied for one launch.
const MOST: usize = 64 << 20;

/// Of so many launches one is checked; 0 for none.
static ONE_OF: LazyLock<u64> = LazyLock::new(|| match std::env::var(VARIABLE) {
    Err(_) => 0,
    Ok(value) if value.is_empty() => 0,
    Ok(value) => value.parse().unwrap_or(1),
});

/// Whether launches are checked.
pub fn is_on() -> bool {
    *ONE_OF > 0
}

/// Which share of what sums may differ by shows that their order matters, as where large terms cancel out: one order is a sample
/// of what orders may give.
const SHARE: f64 = 1.0 / 16.0;

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
    let number = launch.twin.launches.fetch_add(1, Relaxed);
    let one_of = (*ONE_OF).max(1);
    if number >= one_of && !number.is_multiple_of(one_of) {
        return (run(), None);
    }
    // A launch within a launch, by a print's sink or a signal's handler.
    if WITHIN.replace(true) {
        return (run(), None);
    }
    let _within = Within;
    let Some(_one) = lock_checks() else {
        return (run(), None);
    };
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

/// The lock of this launch; none if it cannot be had: where a launch waits for another one, or in a child whose parent was forked
/// within one.
fn lock_checks() -> Option<MutexGuard<'static, ()>> {
    let begun = Instant::now();
    loop {
        match ONE.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
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
    if fault == fault::CANCELLED {
        return None;
    }
    if fault != code {
        return Some(format!(
            "it ends with fault {code}, one thread at a time with {fault}"
        ));
    }
    // Which threads ran before a fault nobody knows.
    if code == fault::NONE
        && let Some(text) = compare::differ(twin, before, &now, &scalar, 1.0)
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
    compare::differ(launch.twin, before, scalar, &backwards, SHARE).is_some()
}

#[cfg(test)]
mod tests;
