//! How often frameworks have changed tensors in place: torch and Paddle count, and so report changes that are not announced.

use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};
use warp_dlpack::Counter;

/// A tensor on an array's memory, and the framework that counts its changes.
pub type Counted<'a, 'py> = (&'a Bound<'py, PyAny>, Counter);

/// What the count of a tensor was.
struct ChangeCount {
    tensor: Py<PyWeakrefReference>,
    counter: Counter,
    number: u64,
}

impl ChangeCount {
    fn clone_ref(&self, py: Python<'_>) -> ChangeCount {
        ChangeCount {
            tensor: self.tensor.clone_ref(py),
            ..*self
        }
    }
}

/// What the counts of all tensors were that are known on one memory.
#[derive(Default)]
pub struct ChangeCounts(Mutex<Vec<ChangeCount>>);

/// What counts say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// No tensor was changed.
    Same,
    /// The same, but the tensor that was asked for is not among them.
    Unknown,
    /// A tensor was changed.
    Changed,
}

/// How many counts were added last: many launches of a tape may each have a tensor of their own on one memory.
const RECENT: usize = 8;

impl ChangeCounts {
    /// Whether a tensor was changed since it was added. A tensor that is gone changes nothing any more.
    pub fn changed(&self, py: Python<'_>) -> bool {
        self.ask(py, usize::MAX, None) == Said::Changed
    }

    /// The same, of all tensors or of those that were added last, and whether `tensor` is one of them.
    pub fn said(&self, py: Python<'_>, tensor: Option<&Bound<'_, PyAny>>, all: bool) -> Said {
        self.ask(py, if all { usize::MAX } else { RECENT }, tensor)
    }

    fn ask(&self, py: Python<'_>, last: usize, tensor: Option<&Bound<'_, PyAny>>) -> Said {
        // A tensor may be of a class of the user's, whose code runs when it is asked: not while the lock is held.
        let counts: SmallVec<[ChangeCount; 1]> = {
            let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let recent = counts.iter().rev().take(last);
            recent.map(|count| count.clone_ref(py)).collect()
        };
        let mut said = match tensor {
            Some(_) => Said::Unknown,
            None => Said::Same,
        };
        for count in counts {
            let Some(own) = count.tensor.bind(py).upgrade() else {
                continue;
            };
            if (count.counter)(&own).is_some_and(|number| number != count.number) {
                return Said::Changed;
            }
            if tensor.is_some_and(|tensor| own.is(tensor)) {
                said = Said::Same;
            }
        }
        said
    }

    /// Counts a tensor's changes from now on.
    pub fn add(&self, (tensor, counter): Counted<'_, '_>) {
        let py = tensor.py();
        let Some(number) = counter(tensor) else {
            return;
        };
        let Ok(tensor) = PyWeakrefReference::new(tensor) else {
            return;
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() == counts.capacity() {
            counts.retain(|count| count.tensor.bind(py).upgrade().is_some());
        }
        counts.push(ChangeCount {
            tensor: tensor.unbind(),
            counter,
            number,
        });
    }
}
