//! How often frameworks have changed tensors in place: torch and Paddle count, and so report changes that are not announced.

use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use std::any::Any;
use std::sync::Arc;
use warp_core::command::changes;
use warp_dlpack::Counter;

/// A tensor on an array's memory, and the framework that counts its changes.
pub struct Counted<'a, 'py> {
    /// The tensor.
    pub tensor: &'a Bound<'py, PyAny>,
    /// Its count.
    pub counter: Counter,
}

/// What the count of a tensor was.
struct Count {
    tensor: Py<PyWeakrefReference>,
    counter: Counter,
    number: u64,
}

impl changes::Count for Count {
    fn is_changed(&self) -> bool {
        Python::attach(|py| {
            let own = self.tensor.bind(py).upgrade();
            let now = own.and_then(|own| (self.counter)(&own));
            now.is_some_and(|number| number != self.number)
        })
    }
    fn is_gone(&self) -> bool {
        Python::attach(|py| self.tensor.bind(py).upgrade().is_none())
    }
}

impl changes::Counted for Counted<'_, '_> {
    fn is_of(&self, count: &dyn changes::Count) -> bool {
        let count: &dyn Any = count;
        count.downcast_ref::<Count>().is_some_and(|count| {
            let own = count.tensor.bind(self.tensor.py()).upgrade();
            own.is_some_and(|own| own.is(self.tensor))
        })
    }
    fn count(&self) -> Option<Arc<dyn changes::Count>> {
        let number = (self.counter)(self.tensor)?;
        let tensor = PyWeakrefReference::new(self.tensor).ok()?.unbind();
        Some(Arc::new(Count {
            tensor,
            counter: self.counter,
            number,
        }))
    }
}
