//! The stack of the calling thread: how much of it is left, and a larger one for what needs more.

use std::panic::resume_unwind;
use std::thread;

/// What passes and LLVM may need.
const ROOM: usize = 1 << 20;
/// The stack of a thread that is started where a caller's has no room. Only what is touched of it takes memory.
const LARGE: usize = 64 << 20;

/// Bytes that are left of this thread's stack. A thread finds out once how large its stack is; a program's main thread reads
/// the list of all mappings for that, half a millisecond, which is better spent while importing than at the first launch.
pub fn left() -> usize {
    stacker::remaining_stack().unwrap_or(usize::MAX)
}

/// Whether this thread's stack has room for passes and LLVM.
pub fn has_room() -> bool {
    left() >= ROOM
}

/// Calls `work` here where this thread's stack has room for passes and LLVM, else on a thread of its own, for which this one
/// waits. Nothing in it may ask for Python.
pub fn with_room<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if has_room() {
        return work();
    }
    thread::scope(|scope| {
        let started = thread::Builder::new()
            .name("warp-compile".into())
            .stack_size(LARGE)
            .spawn_scoped(scope, work);
        let thread = started.expect("the system starts a thread");
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::{LARGE, ROOM, has_room, left, with_room};
    use std::thread;

    #[test]
    fn a_thread_with_little_stack_gets_a_large_one() {
        let small = thread::Builder::new().stack_size(ROOM / 4);
        let run = small.spawn(|| {
            assert!(left() < ROOM / 4 && !has_room());
            with_room(|| (left(), thread::current().name().map(str::to_string)))
        });
        let (room, name) = run.expect("starts").join().expect("ends");
        assert!(room > LARGE / 2);
        assert_eq!(name.as_deref(), Some("warp-compile"));
    }

    #[test]
    fn a_thread_with_room_goes_on_itself() {
        let large = thread::Builder::new().stack_size(4 * ROOM);
        let run = large.spawn(|| with_room(|| thread::current().id()) == thread::current().id());
        assert!(run.expect("starts").join().expect("ends"));
    }
}
