//! Keeps `fork` away from threads that must not be in the middle of something when it comes: those that use LLVM, always; those
//! that compile, for a while.
//!
//! Three counts. A user counts itself first and then asks whether a fork is under way; a fork counts itself first and then asks
//! whether there are users: so one of two sees the other. A compile is counted by a thread that is a user, and runs on after that: so
//! a fork checks the compiles last. Written with atomics alone, since the child could not unlock a lock that belongs to a
//! thread which it does not have.

use crate::sync::{AtomicU32, sleep};
use std::cell::Cell;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// How long a thread that waits sleeps before it looks again.
const PAUSE: Duration = Duration::from_micros(100);
/// How long a fork waits for users: longer than anything takes that holds locks. Then it takes its chance.
pub const FOR_USERS: Duration = Duration::from_secs(20);
/// How long a fork waits for compiles. Most end in this time.
pub const FOR_COMPILES: Duration = Duration::from_millis(80);

/// The counts of a process.
#[derive(Debug)]
pub struct ForkGuard {
    users: AtomicU32,
    compiles: AtomicU32,
    forks: AtomicU32,
}

/// What one thread has of the counts. A child of `fork` has this thread alone.
#[derive(Clone, Debug)]
pub struct Own {
    /// With one it never waits for a fork, which waits for it.
    users: Cell<u32>,
    /// Several where the handler of a signal forks on a thread that waits to fork.
    forks: Cell<u32>,
}

impl Own {
    /// Nothing.
    pub const fn new() -> Own {
        Own {
            users: Cell::new(0),
            forks: Cell::new(0),
        }
    }
}

impl ForkGuard {
    /// All counts zero.
    #[cfg(not(feature = "loom"))]
    pub const fn new() -> ForkGuard {
        ForkGuard {
            users: AtomicU32::new(0),
            compiles: AtomicU32::new(0),
            forks: AtomicU32::new(0),
        }
    }

    /// From now on, until `leave`, no other thread forks. Waits while one does.
    pub fn enter(&self, own: &Own) {
        loop {
            self.users.fetch_add(1, SeqCst);
            if self.forks.load(SeqCst) == own.forks.get() || own.users.get() > 0 {
                own.users.set(own.users.get() + 1);
                return;
            }
            self.users.fetch_sub(1, SeqCst);
            sleep(PAUSE);
        }
    }

    /// Ends what `enter` began.
    pub fn leave(&self, own: &Own) {
        own.users.set(own.users.get() - 1);
        self.users.fetch_sub(1, SeqCst);
    }

    /// A compile begins. The caller has entered.
    pub fn begin_compile(&self) {
        self.compiles.fetch_add(1, SeqCst);
    }

    /// It has ended, or its thread sleeps for ever.
    pub fn end_compile(&self) {
        self.compiles.fetch_sub(1, SeqCst);
    }

    /// Whether any runs.
    pub fn compiles(&self) -> bool {
        self.compiles.load(SeqCst) != 0
    }

    /// Before `fork`: waits for the other threads. `passed` says whether so much time has passed since.
    pub fn begin_fork(&self, own: &Own, passed: impl Fn(Duration) -> bool) {
        own.forks.set(own.forks.get() + 1);
        self.forks.fetch_add(1, SeqCst);
        // The handler of a signal may fork on a thread that uses LLVM itself.
        while self.users.load(SeqCst) > own.users.get() && !passed(FOR_USERS)
            || self.compiles() && !passed(FOR_COMPILES)
        {
            sleep(PAUSE);
        }
    }

    /// After `fork`, in the parent.
    pub fn end_fork(&self, own: &Own) {
        self.forks.fetch_sub(1, SeqCst);
        own.forks.set(own.forks.get() - 1);
    }

    /// After `fork`, in the child: other threads that counted themselves are not here, and none compiles.
    pub fn end_fork_in_child(&self, own: &Own) {
        own.forks.set(own.forks.get() - 1);
        self.users.store(own.users.get(), SeqCst);
        self.compiles.store(0, SeqCst);
        self.forks.store(own.forks.get(), SeqCst);
    }
}

#[cfg(all(test, not(feature = "loom")))]
mod tests {
    use super::*;

    fn counts(guard: &ForkGuard) -> [u32; 3] {
        [&guard.users, &guard.compiles, &guard.forks].map(|count| count.load(SeqCst))
    }

    #[test]
    fn a_fork_waits_so_long_and_no_longer() {
        let (guard, own, other) = (ForkGuard::new(), Own::new(), Own::new());
        let waits = || {
            let asked = Cell::new(Duration::ZERO);
            guard.begin_fork(&own, |time| {
                asked.set(asked.get().max(time));
                true
            });
            guard.end_fork(&own);
            asked.get()
        };
        assert_eq!(waits(), Duration::ZERO);
        guard.begin_compile();
        assert_eq!(waits(), FOR_COMPILES);
        guard.enter(&other);
        assert_eq!(waits(), FOR_USERS);
        guard.leave(&other);
        guard.end_compile();
        assert_eq!(waits(), Duration::ZERO);
        assert_eq!(counts(&guard), [0, 0, 0]);
    }

    #[test]
    fn a_child_has_its_own_counts() {
        let (guard, own, other) = (ForkGuard::new(), Own::new(), Own::new());
        guard.enter(&own);
        guard.enter(&other);
        guard.begin_compile();
        guard.begin_fork(&own, |_| true);
        guard.begin_fork(&other, |_| true);
        guard.end_fork_in_child(&own);
        assert_eq!(counts(&guard), [1, 0, 0]);
        guard.leave(&own);
        assert_eq!(counts(&guard), [0, 0, 0]);
    }

    /// The handler of a signal forks on a thread that waits to fork, and both go on in its child.
    #[test]
    fn forks_within_a_fork_end_in_the_child() {
        let (guard, own, other) = (ForkGuard::new(), Own::new(), Own::new());
        guard.enter(&other);
        let inner = Cell::new(false);
        guard.begin_fork(&own, |_| {
            if !inner.replace(true) {
                guard.begin_fork(&own, |_| true);
                guard.end_fork_in_child(&own);
                assert_eq!(counts(&guard), [0, 0, 1]);
            }
            false
        });
        guard.end_fork(&own);
        assert_eq!(counts(&guard), [0, 0, 0]);
        // Else it would wait for ever.
        guard.enter(&own);
    }
}

/// In every order of steps, up to a bound on how often a thread is interrupted.
#[cfg(all(test, feature = "loom"))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread::{self, JoinHandle};

    /// A process: its counts, and what the locks of LLVM's guard. loom fails a model where a fork copies that while another
    /// thread changes it.
    struct Process {
        guard: ForkGuard,
        used: UnsafeCell<u32>,
        compiled: UnsafeCell<u32>,
        /// What time it is.
        now: AtomicU32,
    }

    impl Process {
        fn new() -> Arc<Process> {
            Arc::new(Process {
                guard: ForkGuard {
                    users: AtomicU32::new(0),
                    compiles: AtomicU32::new(0),
                    forks: AtomicU32::new(0),
                },
                used: UnsafeCell::new(0),
                compiled: UnsafeCell::new(0),
                now: AtomicU32::new(0),
            })
        }

        fn passed(&self, time: Duration) -> bool {
            u128::from(self.now.load(SeqCst)) >= time.as_millis()
        }

        fn counts(&self) -> [u32; 3] {
            let guard = &self.guard;
            [&guard.users, &guard.compiles, &guard.forks].map(|count| count.load(SeqCst))
        }

        /// The thread uses LLVM, and while it does so calls what does the same.
        fn uses(&self, own: &Own) {
            self.guard.enter(own);
            self.guard.enter(own);
            change(&self.used);
            self.guard.leave(own);
            self.guard.leave(own);
        }

        /// Forks, and says whether no thread compiled meanwhile.
        fn fork(&self, own: &Own) -> bool {
            self.guard.begin_fork(own, |time| self.passed(time));
            let compiles = self.guard.compiles();
            assert!(!compiles || self.passed(FOR_COMPILES), "did not wait");
            if !self.passed(FOR_USERS) {
                read(&self.used);
            }
            if !compiles {
                read(&self.compiled);
            }
            self.child(own);
            self.guard.end_fork(own);
            !compiles
        }

        /// The child, as it finds the counts.
        fn child(&self, own: &Own) {
            let [users, compiles, forks] = self.counts().map(AtomicU32::new);
            let guard = ForkGuard {
                users,
                compiles,
                forks,
            };
            let child = Process {
                guard,
                used: UnsafeCell::new(0),
                compiled: UnsafeCell::new(0),
                now: AtomicU32::new(0),
            };
            let own = own.clone();
            child.guard.end_fork_in_child(&own);
            assert_eq!(child.counts(), [own.users.get(), 0, 0]);
            // Nothing here waits: there is no other thread.
            child.uses(&own);
            child.guard.begin_fork(&own, |_| unreachable!("waits"));
            child.guard.end_fork(&own);
            assert_eq!(child.counts(), [own.users.get(), 0, 0]);
        }
    }

    /// Begins a compile on a thread of its own.
    fn compile(process: &Arc<Process>, own: &Own) -> JoinHandle<()> {
        process.guard.enter(own);
        process.guard.begin_compile();
        let compile = start(process, |process, _| {
            change(&process.compiled);
            process.guard.end_compile();
        });
        process.guard.leave(own);
        compile
    }

    fn change(cell: &UnsafeCell<u32>) {
        // SAFETY: loom checks that no other thread is here.
        cell.with_mut(|n| unsafe { *n += 1 });
    }

    fn read(cell: &UnsafeCell<u32>) {
        // SAFETY: loom checks that no other thread writes.
        cell.with(|n| unsafe { *n });
    }

    /// Runs `work` on a thread that has nothing of the counts yet.
    fn start(
        process: &Arc<Process>,
        work: impl Fn(&Arc<Process>, &Own) + 'static,
    ) -> JoinHandle<()> {
        let process = process.clone();
        thread::spawn(move || work(&process, &Own::new()))
    }

    fn join(threads: impl IntoIterator<Item = JoinHandle<()>>) {
        threads
            .into_iter()
            .for_each(|t| t.join().expect("no panic"));
    }

    fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(preemptions);
        builder.check(f);
    }

    #[test]
    fn loom_two_forks_beside_a_user() {
        model(3, || {
            let process = Process::new();
            let user = start(&process, |process, own| process.uses(own));
            let forker = start(&process, |process, own| assert!(process.fork(own)));
            assert!(process.fork(&Own::new()));
            join([user, forker]);
            assert_eq!(process.counts(), [0, 0, 0]);
        });
    }

    #[test]
    fn loom_a_fork_beside_a_compile() {
        model(3, || {
            let process = Process::new();
            let forker = start(&process, |process, own| assert!(process.fork(own)));
            join([compile(&process, &Own::new()), forker]);
            assert_eq!(process.counts(), [0, 0, 0]);
        });
    }

    #[test]
    fn loom_two_forks_beside_a_compile() {
        model(2, || {
            let process = Process::new();
            let forker = start(&process, |process, own| assert!(process.fork(own)));
            let starter = start(&process, |process, own| join([compile(process, own)]));
            assert!(process.fork(&Own::new()));
            join([starter, forker]);
            assert_eq!(process.counts(), [0, 0, 0]);
        });
    }

    /// The compile ends only after the fork.
    #[test]
    fn loom_a_fork_does_not_wait_longer_for_a_compile() {
        model(3, || {
            let process = Process::new();
            let clock = start(&process, |process, _| {
                process.now.store(FOR_COMPILES.as_millis() as u32, SeqCst);
            });
            let user = start(&process, |process, own| process.uses(own));
            let own = Own::new();
            process.guard.enter(&own);
            process.guard.begin_compile();
            process.guard.leave(&own);
            assert!(!process.fork(&own));
            process.guard.end_compile();
            join([clock, user]);
            assert_eq!(process.counts(), [0, 0, 0]);
        });
    }

    /// As the handler of a signal does.
    #[test]
    fn loom_a_fork_of_a_user() {
        model(3, || {
            let process = Process::new();
            let forker = start(&process, |process, own| assert!(process.fork(own)));
            let own = Own::new();
            process.guard.enter(&own);
            change(&process.used);
            assert!(process.fork(&own));
            change(&process.used);
            process.guard.leave(&own);
            join([forker]);
            assert_eq!(process.counts(), [0, 0, 0]);
        });
    }
}
