//! Background compilation, the second tier of tiered compilation: a kernel runs unoptimised code, while a background thread
//! compiles optimised code and then swaps the entry point. The cache keeps the optimised code alone.
//!
//! A thread that compiles here counts as a compile (`backend::llvm::fork`) for all its life: so a fork waits for it for a while, and
//! a process that exits waits before LLVM's globals go. A child of a fork has none of the threads; its launches restart
//! pending compiles ([`Executable::look`]).

use std::collections::VecDeque;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::executable::{Awaiting, Executable};
use super::llvm::{self, OptLevel, Tuning};
use crate::abi::Entry;
use crate::backend::llvm::fork::{GUARD, InUse};
use crate::backend::stored::Request;
use crate::cache::Cache;
use crate::error::{Bug, Error, Result};
use crate::lower::Lowered;

/// The most background threads.
const MOST: usize = 4;
/// How long a process that ends waits for what is being compiled, so that the cache gets it.
const AT_EXIT: Duration = Duration::from_millis(500);

/// What is to be compiled.
pub struct Work {
    /// Under which key the cache keeps it.
    pub request: Request,
    /// The kernel as text.
    pub lowered: Lowered,
    /// Name of the entry point.
    pub name: String,
    /// What debuggers call it.
    pub title: String,
    /// Where it is kept.
    pub cache: Cache,
}

/// Work for one executable. What is done is let go of.
struct Job {
    work: Mutex<Option<Arc<Work>>>,
    whom: Awaiting,
}

/// Jobs that wait for a thread. Every access holds an [`InUse`]: no thread forks meanwhile.
struct Queue {
    /// Whose threads they are.
    process: u32,
    threads: usize,
    jobs: VecDeque<Arc<Job>>,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue {
    process: 0,
    threads: 0,
    jobs: VecDeque::new(),
});

/// The queue of this process; what a parent had in it is the parent's.
fn queue(_: &InUse) -> MutexGuard<'static, Queue> {
    let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if queue.process != own {
        *queue = Queue {
            process: own,
            threads: 0,
            jobs: VecDeque::new(),
        };
    }
    queue
}

/// Whether that pays on this machine: with one core the program would wait for the compile all the same.
pub fn pays() -> bool {
    cores() > 1
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Compiles `work` in the background, for an executable that nothing else has yet.
pub fn compile(work: Work, executable: &Executable) {
    executable.await_faster(|whom| {
        let job = Arc::new(Job {
            work: Mutex::new(Some(Arc::new(work))),
            whom,
        });
        move || begin(&job)
    });
}

fn begin(job: &Arc<Job>) {
    let in_use = InUse::new();
    let mut queue = queue(&in_use);
    queue.jobs.push_back(job.clone());
    if queue.threads >= (cores() - 1).clamp(1, MOST) {
        return;
    }
    GUARD.begin_compile();
    if start_thread() {
        queue.threads += 1;
        return;
    }
    GUARD.end_compile();
    if queue.threads == 0 {
        queue.jobs.drain(..).for_each(|job| job.whom.put_off());
    }
}

/// Starts a thread that takes no signals: those are for the threads of the program. See `apart` for why it is a plain pthread.
fn start_thread() -> bool {
    // SAFETY: signal-set calls on locals; the thread is given nothing.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let mut thread = std::mem::zeroed();
        let null = std::ptr::null_mut();
        let failed = libc::pthread_create(&mut thread, std::ptr::null(), serve, null);
        if failed == 0 {
            libc::pthread_detach(thread);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, null.cast());
        failed == 0
    }
}

extern "C" fn serve(_: *mut c_void) -> *mut c_void {
    while let Some(job) = next() {
        // A panic is a bug; the launches of the kernel say so.
        if catch_unwind(AssertUnwindSafe(|| job.run())).is_err() {
            job.refuse("the compile panicked".into());
        }
    }
    std::ptr::null_mut()
}

/// What a thread does next; with nothing it is counted no longer.
fn next() -> Option<Arc<Job>> {
    let in_use = InUse::new();
    let mut queue = queue(&in_use);
    let job = queue.jobs.pop_front();
    if job.is_none() {
        queue.threads -= 1;
        GUARD.end_compile();
    }
    job
}

impl Job {
    /// No thread forks while the lock is held.
    fn work(&self, _: &InUse) -> MutexGuard<'_, Option<Arc<Work>>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, why: String) {
        let _in_use = InUse::new();
        self.whom.refuse(why);
    }

    fn run(&self) {
        let work = self.work(&InUse::new()).clone();
        let Some(work) = work else { return };
        // The kernel may be gone; another process may want it still.
        if !self.whom.is_wanted() && work.cache.dir().is_none() {
            return;
        }
        if let Err(error) = work.replace(&self.whom) {
            self.refuse(error.to_string());
        }
        *self.work(&InUse::new()) = None;
    }
}

impl Work {
    fn replace(&self, whom: &Awaiting) -> Result<()> {
        let (entry, _) = self.cache.get_or_make(&self.request.key, &|| false, || {
            let made = llvm::compile(&self.lowered.text, OptLevel::O2, Tuning::default())?;
            Ok::<_, Error>(self.request.write(&self.lowered, &made))
        })?;
        let Some(stored) = self.request.read(&entry) else {
            return Err(Bug("an entry of the cache is not what was written".into()).into());
        };
        if !whom.is_wanted() {
            return Ok(());
        }
        let loaded = llvm::load(stored.code, &self.name)?;
        let loaded = loaded.named(stored.code, &self.name, &self.title);
        // SAFETY: lowering gives the symbol the type of an entry.
        let entry = unsafe { std::mem::transmute::<usize, Entry>(loaded.address()) };
        // A child has all of the change or nothing.
        let _in_use = InUse::new();
        // SAFETY: the text is the one that the first function was made of, and `loaded` is the memory that the second is in.
        unsafe { whom.replace(entry, Box::new(loaded)) };
        Ok(())
    }
}

/// Waits until no background compile is pending, for so long at most. Returns whether that is so.
pub fn finish(patience: Duration) -> bool {
    let start = Instant::now();
    loop {
        if queue(&InUse::new()).threads == 0 {
            return true;
        }
        if start.elapsed() >= patience {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// As a process ends.
pub fn finish_at_exit() {
    finish(AT_EXIT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{ChangedArrays, Ctx};
    use crate::lower::Options;

    unsafe extern "C" fn slow(_: *mut Ctx, _: *const u8, _: i64, _: i64) {}

    const GOOD: &str =
        "define void @kernel(ptr %ctx, ptr %args, i64 %begin, i64 %end) {\n  ret void\n}\n";

    fn compiled(text: &str) -> Executable {
        let func = crate::ir::read("kernel k() {\n}\n").expect("it is well formed");
        let options = Options::default();
        let work = Work {
            request: Request::new(&func, &options, "cpu", "test"),
            lowered: Lowered {
                gang: 1,
                changed: ChangedArrays::default(),
                report: Vec::new(),
                text: text.into(),
                spans: Vec::new(),
                prints: Vec::new(),
                in_order: false,
                reduces: false,
                queries: false,
                dense: crate::lower::Conditions::default(),
                stacks: Vec::new(),
            },
            name: options.name,
            title: func.name.clone(),
            cache: Cache::none(),
        };
        // SAFETY: a plain function.
        let executable = unsafe { Executable::new(slow, None, ChangedArrays::default()) };
        compile(work, &executable);
        assert!(finish(Duration::from_secs(100)));
        executable
    }

    #[test]
    fn code_takes_its_place() {
        let executable = compiled(GOOD);
        assert_ne!(executable.entry() as usize, slow as Entry as usize);
        assert_eq!(executable.refusal(), None);
    }

    #[test]
    fn what_llvm_refuses_launches_say() {
        let executable = compiled("define void @kernel(");
        assert!(executable.refusal().is_some_and(|why| why.contains("LLVM")));
        let mut ctx = Ctx::new();
        // SAFETY: the entry takes no arguments.
        unsafe { executable.entry()(&mut ctx, std::ptr::null(), 0, 1) };
        assert_eq!(ctx.error.code, crate::abi::fault::REFUSED);
    }
}
