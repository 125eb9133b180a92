//! The one lock.
use super::memory::Allocations;
use super::tables::State;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

/// Held while device work is executed: kernels and copies run one after the other.
static EXECUTION: Mutex<()> = Mutex::new(());

/// The lock, held. `unlocked` lets go of it for a while.
pub struct Guard(Option<MutexGuard<'static, Option<Box<State>>>>);

impl Guard {
    pub fn lock() -> Guard {
        let mut inner = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        inner.get_or_insert_with(|| Box::new(State::new(Allocations::default())));
        Guard(Some(inner))
    }

    /// Runs something without the lock. What was looked up before may be gone after.
    pub fn unlocked<T>(&mut self, f: impl FnOnce() -> T) -> T {
        self.0 = None;
        let value = f();
        *self = Guard::lock();
        value
    }

    /// Runs device work without the lock; it runs alone.
    pub fn on_device<T>(&mut self, f: impl FnOnce() -> T) -> T {
        self.unlocked(|| {
            let _alone = EXECUTION.lock().unwrap_or_else(PoisonError::into_inner);
            f()
        })
    }

    /// Sleeps until another thread's work is done.
    pub fn wait(&mut self) {
        self.waiting += 1;
        if let Some(inner) = self.0.take() {
            self.0 = Some(CHANGED.wait(inner).unwrap_or_else(PoisonError::into_inner));
        }
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// Wakes those who `wait`.
    pub fn notify(&self) {
        if self.waiting > 0 {
            CHANGED.notify_all();
        }
    }

    /// Forgets all: the driver is as in a new process. Addresses and handles are not used again.
    pub fn reset(&mut self) {
        let former = std::mem::replace(&mut **self, State::new(Allocations::default()));
        self.waiting = former.waiting;
        self.memory = Allocations::renewed(former.memory);
        CHANGED.notify_all();
    }
}

impl Deref for Guard {
    type Target = State;
    fn deref(&self) -> &State {
        match self.0.as_ref().and_then(|inner| inner.as_deref()) {
            Some(state) => state,
            None => {
                unreachable!("the guard holds the lock, and the state was made when it was taken")
            }
        }
    }
}

impl DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut State {
        match self.0.as_mut().and_then(|inner| inner.as_deref_mut()) {
            Some(state) => state,
            None => {
                unreachable!("the guard holds the lock, and the state was made when it was taken")
            }
        }
    }
}
