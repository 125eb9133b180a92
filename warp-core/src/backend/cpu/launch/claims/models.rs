//! Range locks in every order of steps.

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;

/// A launch: atomic operations and then, with an exclusive lock, non-atomic ones; or non-atomic ones alone.
fn launch((claims, memory): &(Claims, UnsafeCell<i32>), thread: usize, alone: bool) {
    let claimed = [Memory::new(&(0..4), alone)];
    let claim = claims
        .claim(thread, &claimed, None)
        .expect("nobody interrupts");
    if !alone {
        // Atomic operations, which meet each other.
        // SAFETY: loom checks that no other thread writes.
        memory.with(|n| unsafe { *n });
    }
    if alone || claim.try_alone() {
        // SAFETY: loom checks that no other thread is here.
        memory.with_mut(|n| unsafe { *n += 1 });
    }
}

#[test]
fn loom_plain_changes_meet_nobody() {
    for alone in [true, false] {
        loom::model(move || {
            let shared = Arc::new((Claims::new(), UnsafeCell::new(0)));
            let other = shared.clone();
            let thread = loom::thread::spawn(move || launch(&other, 1, alone));
            launch(&shared, 2, false);
            thread.join().expect("no panic");
        });
    }
}
