//! The memory of a context's stacks.
//!
//! Each stack is one reserved range of addresses of which a growing front part is usable, so it
//! grows without moving. A thread keeps its stacks for the next launch.

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::{ARENAS, Ctx, ErrorSlot, Stack, fault};

/// What is made usable at first; doubled from then on.
const FIRST: usize = 64 << 10;
/// What a stack keeps between launches; the rest goes back to the system.
const KEEP: usize = 4 << 20;
const PAGE: usize = 4096;

static LIMIT: AtomicUsize = AtomicUsize::new(4 << 30);

/// The most bytes one stack of one worker may hold. Reaching it is an error of the launch.
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// Sets [`limit`] for stacks that have not been used yet and those that are reset from now on.
pub fn set_limit(bytes: usize) {
    LIMIT.store(bytes.max(PAGE), Ordering::Relaxed);
}

/// One reserved range. `usable <= reserved`, both multiples of the page size, or all zero.
struct Region {
    base: *mut u8,
    usable: usize,
    reserved: usize,
}

impl Region {
    const EMPTY: Region = Region {
        base: null_mut(),
        usable: 0,
        reserved: 0,
    };

    /// Makes at least `bytes` usable in all. False: over the limit or out of memory.
    fn ensure(&mut self, bytes: usize) -> bool {
        if bytes > limit() {
            return false;
        }
        if self.base.is_null() && !self.reserve() {
            return false;
        }
        if bytes > self.reserved {
            return false;
        }
        if bytes > self.usable {
            let want = bytes.max(self.usable * 2).max(FIRST).next_multiple_of(PAGE);
            let want = want.min(self.reserved);
            // SAFETY: the range lies within the reservation that this region owns.
            let ok = unsafe {
                libc::mprotect(self.base.cast(), want, libc::PROT_READ | libc::PROT_WRITE)
            };
            if ok != 0 {
                return false;
            }
            self.usable = want;
        }
        true
    }

    /// Reserves addresses, fewer where the process may not have so many.
    fn reserve(&mut self) -> bool {
        let mut size = limit().next_multiple_of(PAGE);
        while size >= FIRST.min(limit().next_multiple_of(PAGE)) {
            // SAFETY: a fresh anonymous mapping that nothing else refers to.
            let p = unsafe {
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
                libc::mmap(null_mut(), size, libc::PROT_NONE, flags, -1, 0)
            };
            if p != libc::MAP_FAILED {
                (self.base, self.usable, self.reserved) = (p.cast(), 0, size);
                return true;
            }
            size /= 2;
        }
        false
    }

    /// Gives memory beyond [`KEEP`] back, and everything if the limit has changed.
    fn trim(&mut self) {
        if self.base.is_null() {
            return;
        }
        if limit().next_multiple_of(PAGE) > self.reserved && self.reserved < limit() / 2 {
            // A larger limit was asked for: reserve anew at the next use.
            self.release();
        } else if self.usable > KEEP {
            // SAFETY: our own pages above KEEP, whose content no launch needs any more.
            unsafe {
                let p = self.base.add(KEEP).cast();
                libc::madvise(p, self.usable - KEEP, libc::MADV_DONTNEED);
                libc::mprotect(p, self.usable - KEEP, libc::PROT_NONE);
            }
            self.usable = KEEP;
        }
    }

    fn release(&mut self) {
        if !self.base.is_null() {
            // SAFETY: the mapping is ours and no context refers to it between launches.
            unsafe { libc::munmap(self.base.cast(), self.reserved) };
            (self.base, self.usable, self.reserved) = (null_mut(), 0, 0);
        }
    }

    fn stack(&self) -> Stack {
        // SAFETY: `usable` bytes from `base` are one mapping (zero bytes from null are allowed).
        let end = unsafe { self.base.add(self.usable) };
        Stack {
            cur: self.base,
            end,
            base: self.base,
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        self.release();
    }
}

/// The stacks of one thread, as the context numbers them.
pub struct Arenas {
    regions: [Region; ARENAS],
    busy: bool,
}

impl Default for Arenas {
    fn default() -> Self {
        Arenas::new()
    }
}

impl Arenas {
    /// Stacks without memory.
    pub const fn new() -> Arenas {
        Arenas {
            regions: [Region::EMPTY; ARENAS],
            busy: false,
        }
    }

    /// Lets `ctx` grow its stacks here: they stay empty until it does, so that a launch that needs none pays for
    /// none. `self` must outlive the use of `ctx`.
    fn lend(&mut self, ctx: &mut Ctx) {
        ctx.arenas = (self as *mut Arenas).cast();
    }
}

thread_local! {
    static MINE: UnsafeCell<Arenas> = const { UnsafeCell::new(Arenas::new()) };
}

/// Calls `f` with `ctx` holding the stacks of this thread, all empty.
///
/// A launch within a launch on one thread (a print sink that launches) gets stacks of its own.
pub fn with_stacks<R>(ctx: &mut Ctx, f: impl FnOnce(&mut Ctx) -> R) -> R {
    MINE.with(|mine| {
        let mine = mine.get();
        // SAFETY: only this thread reaches MINE; `busy` keeps it from being lent twice, and no
        // reference into it is held while `f` runs.
        unsafe {
            if (*mine).busy {
                let mut own = Arenas::new();
                own.lend(ctx);
                let r = f(ctx);
                clear(ctx);
                return r;
            }
            let release = Release(mine);
            (*mine).busy = true;
            (*mine).lend(ctx);
            let r = f(ctx);
            clear(ctx);
            drop(release);
            r
        }
    })
}

fn clear(ctx: &mut Ctx) {
    (ctx.stacks, ctx.arenas) = ([Stack::EMPTY; ARENAS], null_mut());
}

/// Takes the stacks back, also when `f` unwinds.
struct Release(*mut Arenas);

impl Drop for Release {
    fn drop(&mut self) {
        // SAFETY: made in `with_stacks` from this thread's MINE, which is alive while it is lent.
        unsafe {
            (*self.0).busy = false;
            for region in &mut (*self.0).regions {
                region.trim();
            }
        }
    }
}

/// Makes room for `bytes` more on stack `number`; see [`crate::abi::runtime::RECORD_GROW`].
///
/// # Safety
/// `ctx` is a live context whose `arenas` is null or was set by [`with_stacks`].
pub unsafe extern "C" fn grow(ctx: *mut Ctx, number: i32, bytes: i64) -> *mut u8 {
    // SAFETY: the caller's promise; generated code holds no reference to the context.
    let ctx = unsafe { &mut *ctx };
    let arenas = ctx.arenas.cast::<Arenas>();
    let number = number as usize;
    let stack = &mut ctx.stacks[number];
    let used = stack.cur as usize - stack.base as usize;
    let wanted = usize::try_from(bytes)
        .ok()
        .and_then(|b| used.checked_add(b));
    let region = if arenas.is_null() {
        None
    } else {
        // SAFETY: as above; the arenas outlive the launch.
        Some(unsafe { &mut (*arenas).regions[number] })
    };
    if let (Some(region), Some(wanted)) = (region, wanted)
        && region.ensure(wanted)
    {
        *stack = region.stack();
        // SAFETY: `used <= wanted <= usable`.
        stack.cur = unsafe { stack.base.add(used) };
        return stack.cur;
    }
    let total = wanted.map_or(i64::MAX, |w| i64::try_from(w).unwrap_or(i64::MAX));
    if ctx.error.code == fault::NONE {
        ctx.error = ErrorSlot {
            code: fault::RECORD_LIMIT,
            span: 0,
            a: total,
            b: limit() as i64,
        };
    }
    null_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(ctx: &mut Ctx, number: i32, bytes: usize) -> *mut u8 {
        let stack = &ctx.stacks[number as usize];
        let mut at = stack.cur;
        if stack.end as usize - at as usize <= bytes {
            // SAFETY: lent by `with_stacks`.
            at = unsafe { grow(ctx, number, bytes as i64) };
        }
        if !at.is_null() {
            // SAFETY: room was made above.
            ctx.stacks[number as usize].cur = unsafe { at.add(bytes) };
        }
        at
    }

    #[test]
    fn a_stack_grows_without_moving_and_they_are_apart() {
        let mut ctx = Ctx::new();
        with_stacks(&mut ctx, |ctx| {
            let first = push(ctx, 0, 8);
            let undo = push(ctx, 1, 8);
            for i in 1..100_000u64 {
                let p = push(ctx, 0, 8).cast::<u64>();
                // SAFETY: eight bytes were made for it.
                unsafe { p.write(i) };
            }
            assert_eq!(first, ctx.stacks[0].base);
            assert_ne!(first, undo);
            for i in 1..100_000u64 {
                // SAFETY: written above.
                assert_eq!(unsafe { first.cast::<u64>().add(i as usize).read() }, i);
            }
        });
        assert!(ctx.stacks[0].base.is_null());
    }

    #[test]
    fn the_limit_is_an_error_not_a_crash() {
        let mut ctx = Ctx::new();
        with_stacks(&mut ctx, |ctx| {
            assert!(push(ctx, 0, 100 << 30).is_null());
            assert_eq!(ctx.error.code, fault::RECORD_LIMIT);
            assert_eq!(ctx.error.a, 100 << 30);
        });
        let mut ctx = Ctx::new();
        // SAFETY: a context without arenas.
        assert!(unsafe { grow(&mut ctx, 0, -1) }.is_null());
        assert_eq!(ctx.error.code, fault::RECORD_LIMIT);
    }

    #[test]
    fn a_large_stack_is_given_back() {
        let mut ctx = Ctx::new();
        with_stacks(&mut ctx, |ctx| {
            assert!(!push(ctx, 0, 64 << 20).is_null());
        });
        with_stacks(&mut ctx, |ctx| {
            assert!(!push(ctx, 0, 8).is_null());
            assert_eq!(
                ctx.stacks[0].end as usize - ctx.stacks[0].base as usize,
                KEEP
            );
            // Growing again after the give-back works and the memory is writable.
            let p = push(ctx, 0, 32 << 20);
            // SAFETY: within the 32 MiB just made.
            unsafe { p.add((32 << 20) - 1).write(1) };
        });
    }

    #[test]
    fn a_launch_within_a_launch_has_its_own_stacks() {
        let (mut outer, mut inner) = (Ctx::new(), Ctx::new());
        with_stacks(&mut outer, |outer| {
            let a = push(outer, 0, 8);
            with_stacks(&mut inner, |inner| assert_ne!(push(inner, 0, 8), a));
            assert_ne!(push(outer, 0, 8), a);
        });
    }
}
