//! Changes of memory that nobody announces: frameworks count how often they have changed a tensor in place.

use smallvec::SmallVec;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// What the count of changes was of something that shares memory, such as a framework's tensor.
pub trait Count: Any + Send + Sync {
    /// Whether the count is another one now. What is gone changes nothing any more.
    fn is_changed(&self) -> bool;
    /// Whether that which is counted is gone.
    fn is_gone(&self) -> bool;
}

/// Something on an array's memory whose changes are counted.
pub trait Counted {
    /// Whether a count is of this.
    fn is_of(&self, count: &dyn Count) -> bool;
    /// What the count is now; None if nobody can say.
    fn count(&self) -> Option<Arc<dyn Count>>;
}

/// What the counts were of all that is known on one memory.
#[derive(Default)]
pub struct ChangeCounts(Mutex<Vec<Arc<dyn Count>>>);

/// What counts say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// Nothing was changed.
    Same,
    /// The same, but what was asked for is not among them.
    Unknown,
    /// Something was changed.
    Changed,
}

/// How many counts were added last: many launches of a tape may each have a tensor of their own on one memory.
const RECENT: usize = 8;

impl ChangeCounts {
    /// Whether something was changed since it was added.
    pub fn changed(&self) -> bool {
        self.said(None, true) == Said::Changed
    }

    /// The same, of all or of those that were added last, and whether `counted` is one of them.
    pub fn said(&self, counted: Option<&dyn Counted>, all: bool) -> Said {
        let last = if all { usize::MAX } else { RECENT };
        // Code of others runs when it is asked: not while the lock is held.
        let counts: SmallVec<[Arc<dyn Count>; 1]> = {
            let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            counts.iter().rev().take(last).cloned().collect()
        };
        let mut said = match counted {
            Some(_) => Said::Unknown,
            None => Said::Same,
        };
        for count in counts {
            if count.is_changed() {
                return Said::Changed;
            }
            if counted.is_some_and(|counted| counted.is_of(&*count)) {
                said = Said::Same;
            }
        }
        said
    }

    /// Whether nothing is counted.
    pub fn is_empty(&self) -> bool {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.is_empty()
    }

    /// Counts changes from now on.
    pub fn add(&self, counted: &dyn Counted) {
        let Some(count) = counted.count() else {
            return;
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() == counts.capacity() {
            counts.retain(|count| !count.is_gone());
        }
        counts.push(count);
    }
}
