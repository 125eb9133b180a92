//! loom's. It knows no total order of `SeqCst`: loads and stores of that order are made exchanges here, which all threads see in
//! one order.

use loom::cell::UnsafeCell;
use loom::sync::Condvar;
pub use loom::sync::Mutex;
pub use loom::sync::atomic::AtomicI64;
use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::Ordering::{self, AcqRel, SeqCst};
use std::time::Duration;

/// How often a thread sleeps in every order of steps. Threads that wait for each other alternately while a third one never comes
/// have no end, so later each goes on in one order, which is fair.
const SLEEPS: u32 = 3;

loom::thread_local! {
    static SLEPT: Cell<u32> = Cell::new(0);
}

/// Time does not pass in a model: another thread goes on.
pub fn sleep(_: Duration) {
    let slept = SLEPT.with(|slept| slept.replace(slept.get() + 1));
    if slept == SLEEPS {
        loom::skip_branch();
    }
    loom::thread::yield_now();
}

macro_rules! atomic {
    ($name:ident, $value:ty, $nothing:expr) => {
        #[derive(Debug, Default)]
        pub struct $name(loom::sync::atomic::$name);

        impl $name {
            pub fn new(value: $value) -> $name {
                $name(loom::sync::atomic::$name::new(value))
            }
            pub fn load(&self, order: Ordering) -> $value {
                match order {
                    SeqCst => self.0.fetch_or($nothing, AcqRel),
                    order => self.0.load(order),
                }
            }
            pub fn store(&self, value: $value, order: Ordering) {
                match order {
                    SeqCst => drop(self.0.swap(value, AcqRel)),
                    order => self.0.store(value, order),
                }
            }
        }

        impl Deref for $name {
            type Target = loom::sync::atomic::$name;
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    };
}

atomic!(AtomicU32, u32, 0);
atomic!(AtomicBool, bool, false);

/// As the system's, without spurious wakes: a wake that is missing is a deadlock.
#[derive(Debug)]
pub struct Futex {
    word: AtomicU32,
    sleeping: Mutex<()>,
    woken: Condvar,
}

impl Futex {
    pub fn new() -> Futex {
        Futex {
            word: AtomicU32::new(0),
            sleeping: Mutex::new(()),
            woken: Condvar::new(),
        }
    }

    pub fn wait(&self, value: u32, _: Option<i64>) {
        let asleep = self.sleeping.lock().expect("not poisoned");
        if self.word.load(SeqCst) == value {
            drop(self.woken.wait(asleep));
        }
    }

    pub fn wake(&self, count: i32) {
        let _all = self.sleeping.lock().expect("not poisoned");
        match count {
            1 => self.woken.notify_one(),
            _ => self.woken.notify_all(),
        }
    }
}

impl Deref for Futex {
    type Target = AtomicU32;
    fn deref(&self) -> &AtomicU32 {
        &self.word
    }
}

/// A read beside a write, without an order between them, fails the model.
#[derive(Debug)]
pub struct Guarded<T>(UnsafeCell<T>);

impl<T: Copy> Guarded<T> {
    pub fn new(value: T) -> Guarded<T> {
        Guarded(UnsafeCell::new(value))
    }
    pub unsafe fn get(&self) -> T {
        // SAFETY: loom checks what the caller promises.
        self.0.with(|at| unsafe { *at })
    }
    pub unsafe fn set(&self, value: T) {
        // SAFETY: as above.
        self.0.with_mut(|at| unsafe { *at = value });
    }
}
