//! Range locks in every order of steps.

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;

/// A launch: atomic operations and then, with an exclusive lock, non-atomic ones; or non-atomic ones alone.
fn launch((locks, memory): &(RangeLocks, UnsafeCell<i32>), thread: usize, alone: bool) {
    let locked = [Memory::new(&(0..4), alone)];
    let lock = locks
        .lock(thread, &locked, None)
        .expect("nobody interrupts");
    if !alone {
        // Atomic operations, which meet each other.
        // SAFETY: loom checks that no other thread writes.
        memory.with(|n| unsafe { *n });
    }
    if alone || lock.try_alone() {
        // SAFETY: loom checks that no other thread is here.
        memory.with_mut(|n| unsafe { *n += 1 });
    }
}

#[test]
fn loom_plain_changes_meet_nobody() {
    for alone in [true, false] {
        loom::model(move || {
            let shared = Arc::new((RangeLocks::new(), UnsafeCell::new(0)));
            let other = shared.clone();
            let thread = loom::thread::spawn(move || launch(&other, 1, alone));
            launch(&shared, 2, false);
            thread.join().expect("no panic");
        });
    }
}
