//! Running a compiled kernel over a launch range.
//!
//! A launch that is expected to take less than [`INLINE`] runs on the caller. What a kernel costs is observed
//! by timing it: the first launch runs pieces of growing size, later ones are timed now and then. How a long one is cut is
//! [`schedule`]'s.

mod private_copies;
mod range_locks;
mod schedule;
mod sum;

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(feature = "llvm")]
use super::check::{self, Checked, Twin};
use super::cost::{CLOCK, FEW_ENOUGH, INLINE};
use super::executable::Executable;
use super::profile::Found;
use super::{arena, guarded, pool, refusal};
use crate::abi::{Ctx, Entry, ErrorSlot, fault, flag};
use crate::backend::code::Executable as Any;
use crate::backend::job::Job;
use crate::floating_point::Standard;
use private_copies::PrivateCopies;
use range_locks::RangeLock;
use schedule::{Schedule, WorkerState};

/// Elements that show whether a launch costs what earlier ones did: a gang of the narrowest type.
const FEW: i64 = 16;
/// Nanoseconds of launches in which expensive parts are looked for.
const SHAPED: f64 = 2e5;
/// How many times as long a launch may be that adds in place, before others help: they need copies.
const IN_PLACE: f64 = 4.0;
/// How often the caller asks whether to go on.
const POLL: Duration = Duration::from_millis(20);

/// One launch.
struct Launch<'a> {
    /// The kernel, and what it costs.
    code: &'a Executable,
    /// Its argument block.
    args: *const u8,
    /// How many elements there are.
    n: i64,
    /// Chunks are multiples of this many elements where possible: the innermost dimension, or 1.
    grain: i64,
    /// Run elements in index order on this thread.
    in_order: bool,
    /// Sets [`flag::OVERLAP`].
    overlap: bool,
    /// The order of threads, for bodies that know of one.
    order: *const u32,
    /// Asked by the caller every few milliseconds; true stops the launch (Ctrl-C).
    interrupted: Option<&'a dyn Fn() -> bool>,
}

impl Launch<'_> {
    /// The bits of a context's flags that are the same for all chunks.
    fn flags(&self) -> u32 {
        let order = if self.in_order { flag::IN_ORDER } else { 0 };
        order | if self.overlap { flag::OVERLAP } else { 0 }
    }

    /// Takes account of `n` elements that took `time`, if it is still the function that took it, which was `entry` before.
    fn observe(&self, entry: Entry, n: i64, time: Duration) {
        if self.code.entry() as usize == entry as usize {
            self.code.cost().observe(n, time);
        }
    }
}

/// The part of a launch that workers share.
struct Shared<'a> {
    code: &'a Executable,
    args: *const u8,
    flags: u32,
    order: *const u32,
    /// Non-zero: take no further chunk. Long loops of kernels look at it too.
    stop: AtomicU32,
    /// The fault of the lowest chunk that failed, with that chunk's first element.
    fault: Mutex<Option<(i64, ErrorSlot)>>,
    /// Whether to go on, as the caller knows.
    interrupted: Option<&'a dyn Fn() -> bool>,
    /// When the caller was asked last.
    asked: Cell<Option<Instant>>,
}

// SAFETY: the argument block is only read during a launch; `interrupted` and `asked` are for worker 0 alone, which is the
// thread that made the value.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    /// Runs one chunk on the caller, with further flags. False: the launch is to stop.
    fn chunk(&self, flags: u32, begin: i64, end: i64) -> bool {
        self.chunk_of(self.args, flags, 0, begin, end)
    }

    /// Runs one chunk with an argument block of its own and further flags.
    #[inline]
    fn chunk_of(&self, args: *const u8, flags: u32, worker: usize, begin: i64, end: i64) -> bool {
        if self.stop.load(Relaxed) != 0 {
            return false;
        }
        let mut ctx = Ctx::new();
        ctx.cancel = self.stop.as_ptr();
        ctx.flags = self.flags | flags;
        ctx.worker = worker as u32;
        ctx.order = self.order;
        if worker == 0 {
            ctx.ask = Some(ask);
            ctx.asker = std::ptr::from_ref(self).cast();
        }
        arena::with_stacks(&mut ctx, |ctx| {
            // A faster function may have come since the last chunk.
            let entry = self.code.entry();
            // SAFETY: the promise of `run`: entry and arguments belong together.
            unsafe {
                match self.code.is_watched() {
                    true => guarded::call(entry, ctx, args, begin, end),
                    false => entry(ctx, args, begin, end),
                }
            }
        });
        match ctx.error.code {
            fault::NONE => return true,
            // Whoever stopped the launch has said why.
            fault::CANCELLED => return false,
            _ => self.stop.store(1, Relaxed),
        }
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none_or(|(at, _)| begin < at) {
            *first = Some((begin, ctx.error));
        }
        false
    }

    /// Ends the launch, for a reason that is no thread's.
    fn stop_with(&self, code: i32) {
        self.stop.store(1, Relaxed);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = ErrorSlot {
            code,
            ..ErrorSlot::default()
        };
        first.get_or_insert((i64::MAX, slot));
    }

    /// Asks the caller whether to go on, if that was not done just now. Only worker 0 may do this.
    fn ask(&self, now: Instant) {
        let Some(interrupted) = self.interrupted else {
            return;
        };
        let last = self.asked.get().unwrap_or_else(|| {
            self.asked.set(Some(now));
            now
        });
        if now - last >= POLL {
            self.asked.set(Some(now));
            if interrupted() {
                self.stop_with(fault::CANCELLED);
            }
        }
    }
}

/// [`Shared::ask`] for kernels.
///
/// # Safety
/// `shared` is the launch of the chunk that runs on this thread, which is worker 0.
unsafe extern "C" fn ask(shared: *const c_void) {
    // SAFETY: the caller's promise.
    unsafe { (*shared.cast::<Shared<'_>>()).ask(Instant::now()) };
}

/// Runs a job; the first fault if there was one.
///
/// # Safety
/// The argument block is the one that the job's code expects, its arrays are alive and as large as it says.
///
/// # Errors
/// The fault of the lowest chunk that failed.
pub unsafe fn launch(
    job: &Job<'_>,
    interrupted: Option<&dyn Fn() -> bool>,
) -> Result<(), ErrorSlot> {
    let Any::Cpu(code) = &job.code.executable else {
        unreachable!("the job's code is for its device");
    };
    let l = Launch {
        code,
        args: job.block,
        n: job.total(),
        grain: schedule::grain(&job.dims),
        in_order: job.in_order,
        overlap: job.overlap,
        order: job.order(),
        interrupted,
    };
    let _standard = Standard::enter();
    #[cfg(feature = "llvm")]
    if let Some(twin) = code.twin().and_then(|twin| twin.downcast_ref()) {
        // SAFETY: the caller's promise.
        return unsafe { checked(&l, job, twin) };
    }
    // SAFETY: the caller's promise.
    let done = unsafe { run(&l) };
    if done.is_err_and(|fault| fault.code == fault::REFUSED) {
        refusal::note(code);
    }
    done
}

/// A launch that is compared with what it should do.
///
/// # Safety
/// As [`launch`].
#[cfg(feature = "llvm")]
#[cold]
unsafe fn checked(l: &Launch<'_>, job: &Job<'_>, twin: &Twin) -> Result<(), ErrorSlot> {
    let launch = Checked {
        twin,
        args: l.args,
        dims: job.dims,
        flags: l.flags(),
    };
    // SAFETY: the caller's promise.
    let (done, how) = unsafe { check::checked(launch, || run(l)) };
    if done.is_err_and(|fault| fault.code == fault::REFUSED) {
        refusal::note(l.code);
    }
    match how {
        None => done,
        Some(how) => {
            refusal::note_difference(how);
            Err(ErrorSlot {
                code: fault::DIFFERS,
                ..ErrorSlot::default()
            })
        }
    }
}

/// # Safety
/// `args` is the argument block that `entry` expects, its arrays are alive and large enough for `n` elements.
#[inline]
unsafe fn run(l: &Launch<'_>) -> Result<(), ErrorSlot> {
    // SAFETY: the caller's promise.
    unsafe {
        match l.code.changed().arrays.is_empty() {
            true => run_locked(l, None),
            false => lock_and_run(l),
        }
    }
}

/// [`run`] with range locks against other launches.
///
/// # Safety
/// As [`run`].
#[inline(never)]
unsafe fn lock_and_run(l: &Launch<'_>) -> Result<(), ErrorSlot> {
    // SAFETY: the caller's promise.
    match unsafe { range_locks::lock(l.code.changed(), l.args, l.interrupted) } {
        // SAFETY: as above.
        Some(lock) => unsafe { run_locked(l, Some(&lock)) },
        None => Err(ErrorSlot {
            code: fault::CANCELLED,
            ..ErrorSlot::default()
        }),
    }
}

/// Runs a launch that has its range locks.
///
/// # Safety
/// As [`run`].
#[inline]
unsafe fn run_locked(l: &Launch<'_>, lock: Option<&RangeLock<'_>>) -> Result<(), ErrorSlot> {
    if l.n <= 0 {
        return Ok(());
    }
    let shared = Shared {
        code: l.code,
        args: l.args,
        flags: l.flags(),
        order: l.order,
        stop: AtomicU32::new(0),
        fault: Mutex::new(None),
        interrupted: l.interrupted,
        asked: Cell::new(None),
    };
    let sampled = l.code.cost().is_sampled();
    if !l.in_order && l.code.cost().is_short(l.n) && !sampled {
        if shared.chunk(by_itself(l, lock), 0, l.n) {
            return Ok(());
        }
    } else {
        long(l, &shared, lock);
    }
    match shared
        .fault
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        Some((_, fault)) => Err(fault),
        None => Ok(()),
    }
}

/// The flags of chunks that run while no other thread runs any of the launch. Longer launches leave what they add to to others, too.
#[inline]
fn by_itself(l: &Launch<'_>, lock: Option<&RangeLock<'_>>) -> u32 {
    match lock {
        // SAFETY: the promise of `run`, and no other launch changes what is locked exclusively.
        Some(lock) if l.n <= FEW_ENOUGH => unsafe {
            private_copies::in_place(l.code.changed(), l.args, || lock.try_alone())
        },
        _ => 0,
    }
}

/// Runs all elements of a launch that is not known to be short.
#[inline(never)]
fn long(l: &Launch<'_>, shared: &Shared<'_>, lock: Option<&RangeLock<'_>>) {
    l.code.look();
    match l.in_order {
        true => in_order(l, shared),
        false => measured(l, shared, lock),
    }
}

/// Elements per piece of a launch in order. Always the same: sums that are reduced per piece
/// then come out bit-equal, however fast the machine and however many threads it has.
const IN_ORDER_CHUNK: i64 = 1 << 16;

/// Runs all elements in index order on this thread.
fn in_order(l: &Launch<'_>, shared: &Shared<'_>) {
    let mut begin = 0;
    while begin < l.n && shared.chunk(0, begin, (begin + IN_ORDER_CHUNK).min(l.n)) {
        begin += IN_ORDER_CHUNK;
        shared.ask(Instant::now());
    }
}

/// Runs a launch of unknown or considerable length.
fn measured(l: &Launch<'_>, shared: &Shared<'_>, lock: Option<&RangeLock<'_>>) {
    let entry = l.code.entry();
    let start = Instant::now();
    let flags = by_itself(l, lock);
    let mut begin = 0;
    let expected = l.code.cost().ns_per_element().map(|ns| ns * l.n as f64);
    let times = if flags == 0 { 1.0 } else { IN_PLACE };
    if l.n <= FEW_ENOUGH && expected.is_some_and(|ns| ns < times * INLINE.as_nanos() as f64) {
        if shared.chunk(flags, 0, l.n) {
            l.observe(entry, l.n, start.elapsed());
        }
        return;
    }
    if expected.is_none() {
        let mut piece = FEW.max(l.code.gang());
        while begin < l.n && start.elapsed() < INLINE {
            let end = begin.saturating_add(piece).min(l.n);
            if !shared.chunk(flags, begin, end) {
                return;
            }
            begin = end;
            piece *= 4;
        }
        let time = start.elapsed();
        l.observe(entry, begin, time);
        if begin == l.n {
            return;
        }
        let ns = time.as_nanos() as f64 / begin as f64;
        spread(l, shared, lock, begin, ns);
    } else if let Some((done, ns)) = try_few(l, shared, flags) {
        if done == l.n {
            // A first launch that waited for pages or another process makes a kernel look expensive: where all
            // launches are as small as this one, nothing else would ever tell.
            l.observe(entry, done, start.elapsed());
        }
        spread(l, shared, lock, done, ns);
    }
}

/// Runs the first few elements of a launch whose kernel has been timed before, since what an element costs
/// can follow from the arguments: chunks of a million cheap elements would be hours of expensive ones,
/// in which the caller cannot ask whether to stop. How many elements are done, and what one is
/// expected to cost; none if the launch is to stop.
fn try_few(l: &Launch<'_>, shared: &Shared<'_>, flags: u32) -> Option<(i64, f64)> {
    let few = FEW.max(l.code.gang()).min(l.n);
    let start = Instant::now();
    if !shared.chunk(flags, 0, few) {
        return None;
    }
    let time = start.elapsed();
    let observed = time.as_nanos() as f64 / few as f64;
    let known = l.code.cost().ns_per_element().unwrap_or(1.0);
    if time > CLOCK && observed > 2.0 * known {
        return Some((few, observed));
    }
    // Chunks are whole rows: go on to the end of this one where that is quick.
    let row = l.grain.min(l.n);
    if row <= few || row as f64 * known > INLINE.as_nanos() as f64 {
        return Some((few, known));
    }
    shared.chunk(flags, few, row).then_some((row, known))
}

/// Runs the elements from `begin` on, the first of which take about `ns` nanoseconds each, in chunks on all threads.
fn spread(l: &Launch<'_>, shared: &Shared<'_>, lock: Option<&RangeLock<'_>>, begin: i64, ns: f64) {
    if begin >= l.n {
        return;
    }
    let (n, cost) = (l.n - begin, l.code.cost());
    let average = cost.ns_per_element().unwrap_or(ns);
    let first = WorkerState::new(ns, average);
    // The pool hands out tasks. Each takes chunks until there are none; one that begins late finds nothing left.
    let tasks = schedule::tasks(n, ns, l.code.gang(), pool::threads());
    let mut schedule = Schedule::new(begin, l.n, tasks as usize, l.grain)
        .in_gangs(l.code.gang())
        .divided(ns.max(average));
    let mut found = None;
    if average * l.n as f64 > SHAPED {
        schedule = schedule.shaped(cost.profile().shape());
        found = Some(Found::new(l.n));
    }
    let entry = l.code.entry();
    // No lock: a child that is forked meanwhile could not take it.
    let (elements, nanoseconds) = (AtomicI64::new(0), AtomicU64::new(0));
    let alone = || lock.is_some_and(RangeLock::try_alone);
    // SAFETY: the promise of `run`, and no other launch changes what is locked exclusively.
    let copies = unsafe { PrivateCopies::new(l.code.changed(), shared.args, n, tasks, alone) };
    let task = |worker: usize, number: i64, _: i64| {
        let _stop = StopOnPanic(&shared.stop);
        let mut state = first.of(worker);
        let (mut start, mut sum) = (Instant::now(), (0, Duration::ZERO));
        while let Some((begin, end)) = schedule.take(&mut state) {
            let own = copies.as_ref().map(|all| all.of(number, worker));
            let (args, flags) = own.unwrap_or((shared.args, 0));
            if !shared.chunk_of(args, flags, worker, begin, end) {
                return;
            }
            let now = Instant::now();
            let time = now - start;
            state.observe(end - begin, time);
            sum = (sum.0 + end - begin, sum.1 + time);
            if let Some(found) = &found {
                found.note(begin, end, time);
            }
            start = now;
            if worker == 0 {
                // Worker 0 is the thread that called `pool::run`.
                shared.ask(now);
            }
        }
        elements.fetch_add(sum.0, Relaxed);
        nanoseconds.fetch_add(sum.1.as_nanos() as u64, Relaxed);
    };
    if !pool::run(tasks, 1, &|| shared.ask(Instant::now()), &task) {
        shared.stop_with(fault::FORKED);
    }
    if let Some(copies) = &copies
        && shared.stop.load(Relaxed) == 0
    {
        // SAFETY: no other launch changes what is locked exclusively.
        if !unsafe { copies.add_up(alone()) } {
            shared.stop_with(fault::FORKED);
        }
    }
    if shared.stop.load(Relaxed) == 0 {
        let time = Duration::from_nanos(nanoseconds.into_inner());
        l.observe(entry, elements.into_inner(), time);
        if let Some(found) = &found
            && l.code.entry() as usize == entry as usize
        {
            cost.profile().learn(found);
        }
    }
}

/// Ends a launch whose caller panicked while it was asked whether to go on.
struct StopOnPanic<'a>(&'a AtomicU32);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
