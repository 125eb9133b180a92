//! Tracing: what this process did and when: compiles, launches, conversions, copies and fills, as events that
//! viewers of traces show (`WARP_TRACE`, `wp.ScopedTrace`).
//!
//! While tracing is disabled, each of these costs one load. Otherwise each thread records its own events, and
//! [`Session::finish`] writes those of all. No more than [`LIMIT`] are kept, so that memory stays bounded; the rest is
//! counted.
//!
//! The child of a fork begins without any: what its parent records is the parent's.

mod event;
mod json;

pub use event::{Event, LIMIT, Name, Summary, What};

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

static ON: AtomicBool = AtomicBool::new(false);
/// Counts forks, so that a child tells its parent's events from its own.
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// What threads share. The child of a fork makes its own: the parent's locks may belong to threads that it does not have.
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(null_mut());

#[derive(Default)]
struct Shared {
    /// How many record, and what threads keep for them.
    tracks: Mutex<(usize, Vec<Arc<Track>>)>,
    kept: AtomicUsize,
    dropped: AtomicUsize,
}

/// The events of a thread.
struct Track {
    thread: i32,
    name: String,
    events: Mutex<Vec<Event>>,
}

thread_local! {
    /// This thread's track, and the generation that it is of.
    static TRACK: RefCell<Option<(u32, Arc<Track>)>> = const { RefCell::new(None) };
}

/// Whether tracing is enabled.
#[inline(always)]
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// The same, without the compiler's knowledge of what it is: a call through it is not inlined
/// while tracing is enabled, and stays inline otherwise.
#[inline(always)]
pub fn aside<T: ?Sized>(callee: &T) -> &T {
    std::hint::black_box(callee)
}

/// When something begins, for [`end`]; 0 while tracing is disabled.
#[inline(always)]
pub fn begin() -> u64 {
    if is_on() { now() } else { 0 }
}

/// Records what [`begin`] saw the beginning of.
#[inline(always)]
pub fn end(begun: u64, what: impl FnOnce() -> (Name, What)) {
    if begun != 0 {
        noted(begun, what);
    }
}

#[cold]
#[inline(never)]
fn noted(begun: u64, what: impl FnOnce() -> (Name, What)) {
    let ended = now();
    let (name, what) = what();
    add(Event {
        begun,
        ended,
        name,
        what,
    });
}

/// Nanoseconds of the clock that never goes back, Python's `time.perf_counter_ns()`.
#[cold]
#[inline(never)]
fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is there to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn add(event: Event) {
    if !is_on() {
        return;
    }
    let shared = shared();
    if shared.kept.fetch_add(1, Relaxed) >= LIMIT {
        shared.dropped.fetch_add(1, Relaxed);
        return;
    }
    // A thread that is about to end keeps no more.
    let _ = TRACK.try_with(|track| {
        let Ok(mut track) = track.try_borrow_mut() else {
            return;
        };
        let generation = GENERATION.load(Relaxed);
        if track.as_ref().is_none_or(|(of, _)| *of != generation) {
            let new = Arc::new(Track::of_this_thread());
            lock(&shared.tracks).1.push(new.clone());
            *track = Some((generation, new));
        }
        if let Some((_, track)) = &*track {
            lock(&track.events).push(event);
        }
    });
}

impl Track {
    fn of_this_thread() -> Track {
        // The C library's own functions for these are younger than what wheels are for.
        let mut name = [0u8; 16];
        // SAFETY: names have 16 bytes at most, the end included.
        unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
        // SAFETY: it takes nothing.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) } as i32;
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        Track {
            thread,
            name: String::from_utf8_lossy(name).into_owned(),
            events: Mutex::default(),
        }
    }
}

fn shared() -> &'static Shared {
    let found = SHARED.load(Acquire);
    if !found.is_null() {
        // SAFETY: what was put there is never freed.
        return unsafe { &*found };
    }
    let made = Box::into_raw(Box::<Shared>::default());
    match SHARED.compare_exchange(null_mut(), made, AcqRel, Acquire) {
        // SAFETY: as above.
        Ok(_) => unsafe { &*made },
        Err(other) => {
            // SAFETY: nobody else has seen it.
            drop(unsafe { Box::from_raw(made) });
            // SAFETY: as above.
            unsafe { &*other }
        }
    }
}

/// In the child after `fork`: no session, and no events.
extern "C" fn forget() {
    ON.store(false, SeqCst);
    GENERATION.fetch_add(1, SeqCst);
    SHARED.store(null_mut(), SeqCst);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A time in which events are kept. Several may overlap.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    begun: u64,
    generation: u32,
    dropped: usize,
}

impl Session {
    /// Begins to keep events.
    pub fn begin() -> Session {
        static WATCHED: AtomicBool = AtomicBool::new(false);
        if !WATCHED.swap(true, SeqCst) {
            // SAFETY: the handler only stores to atomics, which is allowed after `fork`.
            unsafe { libc::pthread_atfork(None, None, Some(forget)) };
        }
        let shared = shared();
        let mut tracks = lock(&shared.tracks);
        tracks.0 += 1;
        ON.store(true, SeqCst);
        Session {
            begun: now(),
            generation: GENERATION.load(SeqCst),
            dropped: shared.dropped.load(Relaxed),
        }
    }

    /// Ends it, and writes the events that began and ended meanwhile. Must be called once. In a child that was forked
    /// meanwhile nothing is written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self, path: &Path) -> io::Result<Option<Summary>> {
        if GENERATION.load(SeqCst) != self.generation {
            return Ok(None);
        }
        let shared = shared();
        let mut tracks = lock(&shared.tracks);
        let chosen: Vec<json::Thread> = (tracks.1.iter())
            .map(|track| json::Thread {
                id: track.thread,
                name: track.name.clone(),
                events: (lock(&track.events).iter())
                    .filter(|event| event.begun >= self.begun)
                    .cloned()
                    .collect(),
            })
            .collect();
        let summary = Summary {
            written: chosen.iter().map(|thread| thread.events.len()).sum(),
            dropped: shared.dropped.load(Relaxed) - self.dropped,
        };
        tracks.0 -= 1;
        if tracks.0 == 0 {
            ON.store(false, SeqCst);
            // Threads keep their tracks, which are known again by the next session.
            for track in &tracks.1 {
                *lock(&track.events) = Vec::new();
            }
            // Those of threads that have ended are of no use any more.
            tracks.1.retain(|track| Arc::strong_count(track) > 1);
            shared.kept.store(0, Relaxed);
        }
        drop(tracks);
        write(path, chosen, summary)?;
        Ok(Some(summary))
    }
}

/// Writes a file of another name first, so that there is never half of one under its own. What is no file, such as a pipe or a device, is written
/// to as it is.
fn write(path: &Path, threads: Vec<json::Thread>, summary: Summary) -> io::Result<()> {
    let put = |file: File| {
        let mut out = BufWriter::new(file);
        json::write(&mut out, threads, summary)?;
        out.flush()
    };
    // Of a link, the file that it leads to is replaced.
    let path = match fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            return put(File::options().write(true).open(path)?);
        }
        Ok(_) => fs::canonicalize(path)?,
        Err(_) if path.is_symlink() => return put(File::create(path)?),
        Err(_) => path.to_owned(),
    };
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let count = WRITTEN.fetch_add(1, Relaxed);
    let mut part = path.clone().into_os_string();
    part.push(format!(".{}.{count}.part", std::process::id()));
    let part = PathBuf::from(part);
    let written = File::create(&part)
        .and_then(put)
        .and_then(|()| fs::rename(&part, &path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests;
