//! A kernel as a function of this process, which a faster one may replace.

use super::cost::Cost;
use crate::abi::{ChangedArrays, Ctx, Entry, fault};
use std::any::Any;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};
use std::sync::{Arc, OnceLock, Weak};

/// What an entry point is in; it stays as long as this value.
pub type Image = Box<dyn Any + Send + Sync>;

/// No process compiles a faster one.
const NOBODY: u32 = 0;
/// No process does yet. No process has this number.
const NOT_YET: u32 = u32::MAX;

/// A compiled function, and what its launches have cost.
#[derive(Debug)]
pub struct Executable(Arc<Body>);

/// The executable that a faster function is compiled for, as a weak reference.
#[derive(Clone, Debug)]
pub struct Awaiting(Weak<Body>);

struct Body {
    /// The entry point: what launches take, chunk by chunk.
    entry: AtomicPtr<()>,
    /// What launches of that have been observed to cost.
    cost: Cost,
    /// How many threads it runs at once.
    gang: AtomicU32,
    /// Which arrays are changed by atomic operations.
    changed: ChangedArrays,
    /// The process that compiles a faster one. A thread of another process is not here.
    compiles: AtomicU32,
    /// Has a thread compile it.
    begin: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// What the first entry point is in. Launches may be in it after it was replaced.
    _first: Option<Image>,
    /// What replaced it: a box, or null.
    second: AtomicPtr<Image>,
    /// Why nothing did: a box, or null.
    refusal: AtomicPtr<String>,
    /// What launches are compared with, if they are checked.
    twin: OnceLock<Image>,
}

impl Executable {
    /// A function that is there as long as `image` is, and what it changes by atomic operations.
    ///
    /// # Safety
    /// `entry` does what the launch ABI says, and `image` keeps it.
    pub unsafe fn new(entry: Entry, image: Option<Image>, changed: ChangedArrays) -> Executable {
        Executable(Arc::new(Body {
            entry: AtomicPtr::new(entry as *mut ()),
            cost: Cost::new(),
            gang: AtomicU32::new(1),
            changed,
            compiles: AtomicU32::new(NOBODY),
            begin: OnceLock::new(),
            _first: image,
            second: AtomicPtr::new(null_mut()),
            refusal: AtomicPtr::new(null_mut()),
            twin: OnceLock::new(),
        }))
    }

    /// The entry point; valid as long as this value.
    #[inline]
    pub fn entry(&self) -> Entry {
        let entry = self.0.entry.load(Acquire);
        // SAFETY: only entries are stored there.
        unsafe { std::mem::transmute::<*mut (), Entry>(entry) }
    }

    /// The same, for a function that runs gangs of so many threads.
    pub fn in_gangs(self, gang: u32) -> Executable {
        self.0.gang.store(gang.max(1), Relaxed);
        self
    }

    /// Whether calls are watched: in debug builds, and where launches are checked.
    #[inline]
    pub fn is_watched(&self) -> bool {
        cfg!(debug_assertions) || self.twin().is_some()
    }

    /// Launches are compared with this from now on.
    pub fn check_against(&self, twin: Image) {
        self.0.twin.get_or_init(|| twin);
    }

    /// What launches are compared with.
    #[inline]
    pub fn twin(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.0.twin.get().map(|twin| &**twin)
    }

    /// How many threads run at once: pieces of fewer take as long.
    pub fn gang(&self) -> i64 {
        self.0.gang.load(Relaxed).into()
    }

    /// Which arrays are changed by atomic operations.
    pub fn changed(&self) -> &ChangedArrays {
        &self.0.changed
    }

    /// What launches of this entry point have been observed to cost.
    #[inline]
    pub fn cost(&self) -> &Cost {
        &self.0.cost
    }

    /// Why there is no faster function, where the compiler refused to make it. Launches then fail.
    pub fn refusal(&self) -> Option<&str> {
        // SAFETY: a box that stays as long as this value.
        unsafe { self.0.refusal.load(Acquire).as_ref() }.map(String::as_str)
    }

    /// A faster function is to come: `begin` has a thread compile it, for what it is given. Said once, before others see this.
    pub fn await_faster<F: Fn() + Send + Sync + 'static>(&self, begin: impl FnOnce(Awaiting) -> F) {
        let begin = Box::new(begin(Awaiting(Arc::downgrade(&self.0))));
        if self.0.begin.set(begin).is_ok() {
            self.0.compiles.store(NOT_YET, Release);
            self.look();
        }
    }

    /// Has a faster function compiled, if one is to come and no thread of this process is at it: the one that was may be the
    /// parent's. Not for short launches.
    #[inline]
    pub fn look(&self) {
        if self.0.compiles.load(Relaxed) != NOBODY {
            self.0.look();
        }
    }
}

impl Body {
    #[cold]
    fn look(&self) {
        let (by, own) = (self.compiles.load(Acquire), std::process::id());
        if by != NOBODY
            && by != own
            && (self.compiles.compare_exchange(by, own, AcqRel, Relaxed)).is_ok()
            && let Some(begin) = self.begin.get()
        {
            begin();
        }
    }
}

impl Awaiting {
    /// Whether the function that is to be replaced is still in use.
    pub fn is_wanted(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Launches take this function from now on.
    ///
    /// # Safety
    /// As for [`Executable::new`]. It does the same as the one that it replaces.
    pub unsafe fn replace(&self, entry: Entry, image: Image) {
        let Some(body) = self.0.upgrade() else { return };
        let image = Box::into_raw(Box::new(image));
        let null = null_mut();
        if (body.second.compare_exchange(null, image, AcqRel, Relaxed)).is_err() {
            // SAFETY: nobody else has it.
            drop(unsafe { Box::from_raw(image) });
            return;
        }
        body.entry.store(entry as *mut (), Release);
        // What was observed was another function's.
        body.cost.forget();
        body.compiles.store(NOBODY, Release);
    }

    /// There will be none: launches fail from now on and say why.
    pub fn refuse(&self, why: String) {
        let Some(body) = self.0.upgrade() else { return };
        let why = Box::into_raw(Box::new(why));
        let null = null_mut();
        if (body.refusal.compare_exchange(null, why, AcqRel, Relaxed)).is_err() {
            // SAFETY: nobody else has it.
            drop(unsafe { Box::from_raw(why) });
            return;
        }
        body.entry.store(refused as *mut (), Release);
        body.compiles.store(NOBODY, Release);
    }

    /// No thread could be had: a later launch tries again.
    pub fn put_off(&self) {
        if let Some(body) = self.0.upgrade() {
            body.compiles.store(NOT_YET, Release);
        }
    }
}

/// The entry of what could not be compiled.
unsafe extern "C" fn refused(ctx: *mut Ctx, _: *const u8, _: i64, _: i64) {
    // SAFETY: launches pass a context of theirs.
    unsafe { (*ctx).error.code = fault::REFUSED };
}

impl Drop for Body {
    fn drop(&mut self) {
        let (second, refusal) = (*self.second.get_mut(), *self.refusal.get_mut());
        // SAFETY: boxes of this value's, which nobody else has any more.
        unsafe {
            if !second.is_null() {
                drop(Box::from_raw(second));
            }
            if !refusal.is_null() {
                drop(Box::from_raw(refusal));
            }
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entry = self.entry.load(Relaxed);
        (f.debug_struct("Body").field("entry", &entry))
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    unsafe extern "C" fn slow(_: *mut Ctx, _: *const u8, _: i64, _: i64) {}
    unsafe extern "C" fn fast(ctx: *mut Ctx, _: *const u8, _: i64, _: i64) {
        // SAFETY: tests pass contexts.
        unsafe { (*ctx).worker = 7 };
    }

    fn run(code: &Executable) -> Ctx {
        let mut ctx = Ctx::new();
        // SAFETY: these entries take no arguments.
        unsafe { code.entry()(&mut ctx, std::ptr::null(), 0, 1) };
        ctx
    }

    /// A slow function, and the executable that a fast one is compiled for: how often that was begun.
    fn awaiting() -> (Executable, Awaiting, Arc<AtomicUsize>) {
        // SAFETY: a plain function.
        let code = unsafe { Executable::new(slow, None, ChangedArrays::default()) };
        let (begun, mut whom) = (Arc::new(AtomicUsize::new(0)), None);
        code.await_faster(|awaiting| {
            whom = Some(awaiting);
            let begun = begun.clone();
            move || {
                begun.fetch_add(1, Relaxed);
            }
        });
        (code, whom.expect("just said"), begun)
    }

    #[test]
    fn launches_take_the_faster_function_and_forget_what_the_other_cost() {
        let (code, whom, begun) = awaiting();
        code.look();
        assert_eq!((begun.load(Relaxed), run(&code).worker), (1, 0));
        code.cost().observe(10, std::time::Duration::from_millis(1));
        let image = Arc::new(());
        // SAFETY: a plain function.
        unsafe { whom.replace(fast, Box::new(image.clone())) };
        assert_eq!(run(&code).worker, 7);
        assert_eq!(code.cost().ns_per_element(), None);
        code.look();
        assert_eq!((begun.load(Relaxed), Arc::strong_count(&image)), (1, 2));
        drop(code);
        assert!(!whom.is_wanted() && Arc::strong_count(&image) == 1);
    }

    #[test]
    fn a_child_begins_anew() {
        let (code, _, begun) = awaiting();
        code.0.compiles.store(std::process::id() + 1, Relaxed);
        code.look();
        code.look();
        assert_eq!(begun.load(Relaxed), 2);
    }

    #[test]
    fn launches_of_what_was_refused_fail() {
        let (code, whom, _) = awaiting();
        assert_eq!(code.refusal(), None);
        whom.refuse("no".into());
        assert_eq!(run(&code).error.code, fault::REFUSED);
        assert_eq!(code.refusal(), Some("no"));
    }
}
