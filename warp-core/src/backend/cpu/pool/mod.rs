//! The thread pool: one task at a time, cut into chunks that threads take from a shared counter.
//!
//! The caller takes part. Workers spin briefly after a task, then sleep on a futex. A caller that finds
//! the pool busy (another Python thread, or a launch from within a launch) runs the whole range
//! alone, so no thread waits for another one. After `fork` the child has no workers; it forgets the pool
//! and makes a new one when it first needs it. A child forked within a task, by a signal's handler that `idle` or `work` ran,
//! does not wait for workers, and says that chunks which they had taken are missing.
//!
//! A pool is one small allocation that is never freed: a thread may hold its address while another
//! one retires it (a changed thread count, a fork), and there are as many pools as such changes.

use crate::floating_point::Standard;
use crate::sync::{AtomicBool, AtomicI64, AtomicU32, Futex, Guarded};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicPtr, AtomicUsize};
use std::sync::{Mutex, PoisonError};

/// What a task does with one chunk: `(worker, begin, end)`, worker 0 being the caller.
pub type Work<'a> = dyn Fn(usize, i64, i64) + Sync + 'a;

/// Looks for a new task before a worker sleeps: about 20 us.
const SPIN: u32 = if cfg!(feature = "loom") { 0 } else { 500 };
/// How often a caller that waits for workers calls its `idle`.
const IDLE_MS: i64 = 20;

/// Set in `gate` while workers may join; the low bits count those inside.
const OPEN: u32 = 1 << 31;
/// Set in `gate` while the caller sleeps until the count is zero.
const WAITING: u32 = 1 << 30;
const INSIDE: u32 = WAITING - 1;

/// Keeps counters that different threads write on different cache lines.
#[repr(align(128))]
struct Line<T>(T);

struct Pool {
    /// Counts jobs; workers sleep on it.
    epoch: Line<Futex>,
    /// Lets workers into the task and tells the caller when the last one left.
    gate: Line<Futex>,
    /// The first element that no thread has taken.
    next: Line<AtomicI64>,
    sleepers: AtomicU32,
    workers: AtomicUsize,
    /// Whose threads the workers are.
    process: u32,
    /// Held by the thread whose task this is.
    owned: AtomicBool,
    /// No longer the current pool: its owner sends the workers home.
    retired: AtomicBool,
    quit: AtomicBool,
    task: Guarded<PoolTask>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

#[derive(Clone, Copy)]
struct PoolTask {
    /// Valid while the gate is open or someone is inside.
    work: Option<*const Work<'static>>,
    n: i64,
    chunk: i64,
}

// SAFETY: `task` is written only by the owner while nobody is inside the gate, and read only inside.
unsafe impl Sync for Pool {}
// SAFETY: as above; the raw pointer in `task` is to a `Sync` closure.
unsafe impl Send for Pool {}

static CURRENT: AtomicPtr<Pool> = AtomicPtr::new(null_mut());
/// 0: not decided yet.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// How many threads a task may use, the caller included: what [`set_threads`] said, else
/// `WARP_NUM_THREADS`, else what the system lets this process have.
pub fn threads() -> usize {
    match THREADS.load(Relaxed) {
        0 => {
            let named = std::env::var("WARP_NUM_THREADS").ok();
            let named = named.and_then(|v| v.trim().parse().ok()).filter(|n| *n > 0);
            let n = named.unwrap_or_else(available).min(MOST);
            match THREADS.compare_exchange(0, n, Relaxed, Relaxed) {
                Ok(_) => n,
                Err(set) => set,
            }
        }
        n => n,
    }
}

const MOST: usize = 1024;

fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Sets the thread count; 0 asks for the default, as before the first call. Running jobs finish as they began.
pub fn set_threads(n: usize) {
    THREADS.store(n.min(MOST), Relaxed);
    let old = CURRENT.swap(null_mut(), AcqRel);
    // SAFETY: pools are never freed.
    if let Some(old) = unsafe { old.as_ref() } {
        old.retire();
    }
}

/// Runs `work` over `0..n` in chunks of `chunk`, on the pool if it is free. While the caller waits
/// for workers it calls `idle` every few milliseconds. A panic in `work` surfaces here, after
/// every thread has left the task. False: this is a child that `idle` or `work` forked, and its parent's workers have some of
/// the chunks.
pub fn run(n: i64, chunk: i64, idle: &dyn Fn(), work: &Work<'_>) -> bool {
    if n <= 0 {
        return true;
    }
    let _standard = Standard::enter();
    let chunk = chunk.clamp(1, n);
    let chunks = (n - 1) / chunk + 1;
    if chunks > 1
        && threads() > 1
        && let Some(pool) = Pool::acquire()
    {
        pool.run(n, chunk, chunks, idle, work)
    } else {
        let mut begin = 0;
        while begin < n {
            let end = begin.saturating_add(chunk).min(n);
            work(0, begin, end);
            begin = end;
        }
        true
    }
}

impl Pool {
    /// The current pool, owned by this thread until it is released; none if it is at work.
    fn acquire() -> Option<&'static Pool> {
        loop {
            let mut current = CURRENT.load(Acquire);
            if current.is_null() {
                current = Pool::make();
            }
            // SAFETY: pools are never freed.
            let pool = unsafe { &*current };
            if pool.owned.swap(true, SeqCst) {
                return None;
            }
            if !pool.retired.load(SeqCst) {
                return Some(pool);
            }
            pool.dismiss();
            pool.owned.store(false, SeqCst);
        }
    }

    /// Sends the workers home, now or when its owner releases it.
    fn retire(&self) {
        self.retired.store(true, SeqCst);
        if !self.owned.swap(true, SeqCst) {
            self.dismiss();
            self.owned.store(false, SeqCst);
        }
    }

    fn release(&self) {
        self.owned.store(false, SeqCst);
        if self.retired.load(SeqCst) && !self.owned.swap(true, SeqCst) {
            self.dismiss();
            self.owned.store(false, SeqCst);
        }
    }

    /// Makes a pool current, unless another thread is quicker.
    fn make() -> *mut Pool {
        // Not a `Once`: a child would wait for ever for one that was under way in its parent.
        static WATCHED: AtomicUsize = AtomicUsize::new(0);
        if WATCHED.swap(1, SeqCst) == 0 {
            // SAFETY: the handler only stores to an atomic, which is allowed after `fork`.
            unsafe { libc::pthread_atfork(None, None, Some(forget)) };
        }
        let made = Box::into_raw(Box::new(Pool::new()));
        match CURRENT.compare_exchange(null_mut(), made, AcqRel, Acquire) {
            Ok(_) => {
                // SAFETY: just made, and never freed from now on.
                unsafe { &*made }.hire(threads() - 1);
                made
            }
            Err(other) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(made) });
                other
            }
        }
    }

    fn new() -> Pool {
        Pool {
            epoch: Line(Futex::new()),
            gate: Line(Futex::new()),
            next: Line(AtomicI64::new(0)),
            sleepers: AtomicU32::new(0),
            workers: AtomicUsize::new(0),
            process: std::process::id(),
            owned: AtomicBool::new(false),
            retired: AtomicBool::new(false),
            quit: AtomicBool::new(false),
            task: Guarded::new(PoolTask {
                work: None,
                n: 0,
                chunk: 1,
            }),
            panic: Mutex::new(None),
        }
    }

    /// Starts workers, as many as the system grants. They take no signals: those are for the
    /// threads of the program, Python's main thread above all.
    fn hire(&'static self, count: usize) {
        // SAFETY: plain signal-set calls on locals.
        let before = unsafe {
            let mut all = std::mem::zeroed();
            let mut before = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            before
        };
        for number in 1..=count {
            let thread = std::thread::Builder::new().name(format!("warp-{number}"));
            if thread
                .stack_size(8 << 20)
                .spawn(move || self.serve(number))
                .is_err()
            {
                break;
            }
            self.workers.store(number, Relaxed);
        }
        // SAFETY: restores what was saved above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut()) };
    }

    fn dismiss(&self) {
        self.quit.store(true, SeqCst);
        self.epoch.0.fetch_add(1, SeqCst);
        self.epoch.0.wake(i32::MAX);
    }

    /// A worker's life.
    fn serve(&self, number: usize) {
        // A new thread has the environment of the one that made it.
        Standard::stay();
        let mut seen = 0;
        loop {
            seen = self.await_job(seen);
            if self.quit.load(Acquire) {
                return;
            }
            let before = self.gate.0.fetch_add(1, AcqRel);
            if before & OPEN != 0 {
                // SAFETY: inside the gate the owner does not write the task, and `work` is alive.
                let task = unsafe { self.task.get() };
                if let Some(work) = task.work {
                    // SAFETY: as above.
                    let work = unsafe { &*work };
                    if let Err(e) =
                        catch_unwind(AssertUnwindSafe(|| self.drain(number, task, work)))
                    {
                        self.next.0.store(task.n, Relaxed);
                        *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                    }
                }
            }
            let before = self.gate.0.fetch_sub(1, AcqRel);
            if before & WAITING != 0 && before & INSIDE == 1 {
                self.gate.0.wake(1);
            }
        }
    }

    fn await_job(&self, seen: u32) -> u32 {
        for _ in 0..SPIN {
            let now = self.epoch.0.load(Acquire);
            if now != seen {
                return now;
            }
            std::hint::spin_loop();
        }
        loop {
            self.sleepers.fetch_add(1, SeqCst);
            if self.epoch.0.load(SeqCst) == seen {
                self.epoch.0.wait(seen, None);
            }
            self.sleepers.fetch_sub(1, SeqCst);
            let now = self.epoch.0.load(Acquire);
            if now != seen {
                return now;
            }
        }
    }

    fn drain(&self, worker: usize, task: PoolTask, work: &Work<'_>) {
        loop {
            let begin = self.next.0.fetch_add(task.chunk, Relaxed);
            if begin >= task.n {
                return;
            }
            work(worker, begin, begin.saturating_add(task.chunk).min(task.n));
        }
    }

    /// Runs one task; the calling thread owns the pool.
    fn run(&self, n: i64, chunk: i64, chunks: i64, idle: &dyn Fn(), work: &Work<'_>) -> bool {
        // SAFETY: the lifetime is dropped, not the value: `close` below returns only when no
        // worker is inside, and none reads the pointer from outside.
        let erased = unsafe {
            std::mem::transmute::<*const Work<'_>, *const Work<'static>>(std::ptr::from_ref(work))
        };
        let task = PoolTask {
            work: Some(erased),
            n,
            chunk,
        };
        // SAFETY: the gate is closed and empty, so nobody reads.
        unsafe { self.task.set(task) };
        self.next.0.store(0, Relaxed);
        self.gate.0.fetch_or(OPEN, Release);
        self.epoch.0.fetch_add(1, SeqCst);
        let sleepers = self.sleepers.load(SeqCst);
        if sleepers > 0 {
            self.epoch
                .0
                .wake((chunks - 1).min(i64::from(sleepers)) as i32);
        }
        let mine = catch_unwind(AssertUnwindSafe(|| self.drain(0, task, work)));
        if mine.is_err() {
            self.next.0.store(n, Relaxed);
        }
        // A panic in `idle` must not leave workers inside a closure that is gone.
        let (complete, waited) = self.close(idle);
        let theirs = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.release();
        if let Some(e) = mine.err().or(theirs).or(waited) {
            resume_unwind(e);
        }
        complete
    }

    /// Waits until every worker has left the task, false if those inside are another process's; and what `idle` panicked with,
    /// if it did.
    fn close(&self, idle: &dyn Fn()) -> (bool, Option<Box<dyn Any + Send>>) {
        let gate = &self.gate.0;
        let mut panic = None;
        gate.fetch_and(!OPEN, AcqRel);
        let mut spins = 0;
        while gate.load(Acquire) & INSIDE != 0 {
            spins += 1;
            if spins < 2 * SPIN {
                std::hint::spin_loop();
                continue;
            }
            let now = gate.fetch_or(WAITING, AcqRel) | WAITING;
            if now & INSIDE != 0 {
                gate.wait(now, Some(IDLE_MS));
                if panic.is_none() {
                    panic = catch_unwind(AssertUnwindSafe(idle)).err();
                }
                if self.process != std::process::id() {
                    return (false, panic);
                }
            }
        }
        gate.fetch_and(!WAITING, Relaxed);
        (true, panic)
    }
}

/// In the child after `fork`: its copy of the pool has no workers.
extern "C" fn forget() {
    CURRENT.store(null_mut(), Release);
}

#[cfg(all(test, feature = "loom"))]
mod models;
#[cfg(all(test, not(feature = "loom")))]
mod tests;
