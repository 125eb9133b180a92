//! The kernel to launch: this one, or one of the same text where its names mean something else by now.

use super::{Derivation, Kernel, names};
use crate::object::error::{Code, error};
use pyo3::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use warp_dlpack::raise_noted;

impl Kernel {
    /// Whether nothing was defined since the kernel's names were looked up. Where something was, [`Kernel::current`] says
    /// which kernel to launch.
    #[inline]
    pub fn is_current(&self) -> bool {
        self.looked.load(Ordering::Relaxed) == names::generation()
    }

    /// This kernel; or, where its names mean something else than when it was compiled, one of the same text, to be compiled with
    /// what they mean now. What was recorded with the old one keeps it.
    ///
    /// # Errors
    /// The kernel is generic; or what looking a name up raises, if it is no `Exception`.
    #[cold]
    pub fn current<'py>(this: &Bound<'py, Kernel>) -> PyResult<Bound<'py, Kernel>> {
        if let Some(generic) = &this.get().generic {
            let open = generic.params.iter().find(|(_, p)| p.exact().is_none());
            let (name, pattern) = open.expect("a generic kernel has one");
            return Err(error(
                Code::Launch,
                format!(
                    "kernel '{0}' is generic: parameter '{name}' admits {pattern}; give it types first, with \
                     wp.overload({0}, [...])",
                    this.get().title()
                ),
            ));
        }
        // Within a fast call, what is let go here would otherwise be kept for a while.
        Python::attach(|_| Kernel::looked_up_again(this))
    }

    fn looked_up_again<'py>(this: &Bound<'py, Kernel>) -> PyResult<Bound<'py, Kernel>> {
        let py = this.py();
        let generation = names::generation();
        let successor = this.get().successor().as_ref().map(|k| k.bind(py).clone());
        let latest = successor.as_ref().unwrap_or(this);
        let kernel = latest.get();
        let Some(ready) = kernel.at_hand().filter(|_| !kernel.is_current()) else {
            return Ok(latest.clone());
        };
        let same = ready.names.still_mean(&kernel.scope(py));
        raise_noted()?;
        if same {
            kernel.looked.store(generation, Ordering::Relaxed);
            return Ok(latest.clone());
        }
        let made = kernel.derived(
            py,
            kernel.params.clone(),
            kernel.arguments.clone(),
            Derivation::Text,
        )?;
        // A thread that made one at the same time launches its own.
        let old = this.get().successor().replace(made.clone().unbind());
        drop(old);
        Ok(made)
    }

    pub(super) fn successor(&self) -> MutexGuard<'_, Option<Py<Kernel>>> {
        self.successor
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
