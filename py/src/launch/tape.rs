//! `wp.Tape`: records launches and runs their adjoints backwards.
//!
//! The tapes in force are a stack per thread; a launch is recorded by all of them. A tape holds its arrays, and what
//! somebody overwrote where the gradient needs it (`taped.rs`).
//!
//! A gradient is that of what was recorded, whatever happens to the arrays before the backward pass. After the pass, or
//! `zero()`, the tape watches no more: the next pass is taken at what arrays hold then, as training loops need it that
//! record once. What a recorded launch has overwritten is kept until `reset()`.

use super::backward::Pass;
use super::entry::Entry;
use super::gradient::rebind_gradient;
use super::taped::TapedLaunch;
use crate::argument::spread::Root;
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::runtime::snapshot::Snapshot;
use crate::runtime::tapes;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::device::Stream;
use warp_core::launch::{Block, Dims};

thread_local! {
    static STACK: RefCell<Vec<Py<Tape>>> = const { RefCell::new(Vec::new()) };
}

/// Records a forward launch that is about to run on every tape in force, and keeps what it overwrites.
///
/// # Errors
/// The kernel has no gradient, or an argument cannot be kept.
pub fn add_launch(
    kernel: &Bound<'_, Kernel>,
    stream: Stream,
    dims: Dims,
    args: &[Bound<'_, PyAny>],
    roots: &[Root<'_>],
    block: &Block,
) -> PyResult<()> {
    let launch = TapedLaunch::record(kernel, stream, dims, args, roots, block)?;
    add(kernel.py(), Entry::Launch(launch));
    Ok(())
}

/// Looks at what the launch that was recorded last has left, once it has run, if the settings ask for that.
///
/// # Errors
/// There is no memory.
#[cold]
pub fn after_launch(py: Python<'_>) -> PyResult<()> {
    let tape = STACK.with_borrow(|stack| stack.last().map(|tape| tape.clone_ref(py)));
    let Some(tape) = tape else { return Ok(()) };
    match tape.get().state().entries.last() {
        Some(Entry::Launch(r)) => r.ran(py),
        _ => Ok(()),
    }
}

/// Records on every tape in force.
fn add(py: Python<'_>, entry: Entry) {
    STACK.with_borrow(|stack| {
        let Some((last, others)) = stack.split_last() else {
            return;
        };
        for tape in others {
            tape.get().state().entries.push(entry.clone_ref(py));
        }
        last.get().state().entries.push(entry);
    });
}

/// Records that an array is about to be filled. Called by whoever fills one that has a gradient.
#[pyfunction]
fn _record_fill(array: &Bound<'_, Array>) {
    add(array.py(), Entry::Fill([array.clone().into_any().unbind()]));
}

/// Records launches, to compute gradients.
///
/// ```python
/// with wp.Tape() as tape:
///     wp.launch(loss_kernel, dim=n, inputs=[x], outputs=[loss])
/// tape.backward(loss)
/// print(x.grad)
/// ```
///
/// Gradients are kept for arrays made with `requires_grad=True` and are added to by every backward pass;
/// `zero()` clears them. Tapes nest; each records the launches of the thread that entered it.
///
/// Arrays may be overwritten before the backward pass: the tape keeps what gradients need of them, and nothing else.
#[pyclass(frozen, module = "warp", name = "Tape")]
pub struct Tape {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// A backward pass has run since the gradients were last cleared.
    ran: bool,
    /// When the tape recorded: moments ([`tapes::moment`]). The last has no end while it does.
    spans: Vec<Range<u64>>,
    /// Arrays are not watched, since a backward pass or `zero()`.
    released: bool,
}

impl State {
    fn records(&self) -> bool {
        self.spans.last().is_some_and(|span| span.end == u64::MAX)
    }

    /// Whether the tape recorded at a moment.
    fn recorded(&self, moment: u64) -> bool {
        let after = self.spans.partition_point(|span| span.start <= moment);
        self.spans[..after]
            .last()
            .is_some_and(|span| moment < span.end)
    }

    /// Watches arrays no more whose content is still there, and with `outside` forgets what was overwritten while the tape
    /// did not record. Returns what is to be dropped without the lock.
    fn release(&mut self, outside: bool) -> Vec<Arc<Snapshot>> {
        let mut entries = std::mem::take(&mut self.entries);
        let mut dropped = Vec::new();
        for entry in &mut entries {
            let Entry::Launch(r) = entry else { continue };
            for need in r.needs.iter_mut().flatten() {
                let stays = match need.kept() {
                    Some(kept) => !outside || self.recorded(kept.moment),
                    None => false,
                };
                if !stays {
                    dropped.extend(need.snapshot.take());
                }
            }
        }
        self.entries = entries;
        self.released = true;
        dropped
    }
}

impl Tape {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self, py: Python<'_>) -> PyResult<Vec<Entry>> {
        let mut entries: Vec<Entry> = self
            .state()
            .entries
            .iter()
            .map(|e| e.clone_ref(py))
            .collect();
        entries.iter_mut().try_for_each(|e| e.take_parts(py))?;
        Ok(entries)
    }

    /// Watches arrays no more ([`State::release`]); while the tape records, it goes on with what they hold now.
    fn release(&self, py: Python<'_>, outside: bool) -> PyResult<()> {
        let (dropped, records) = {
            let mut state = self.state();
            let records = state.records();
            if records && !outside {
                return Ok(());
            }
            (state.release(outside), records)
        };
        drop(dropped);
        if records { self.watch(py) } else { Ok(()) }
    }

    /// Takes snapshots of all arrays that are not watched any more.
    fn watch(&self, py: Python<'_>) -> PyResult<()> {
        let mut entries = std::mem::take(&mut self.state().entries);
        let each = entries.iter_mut();
        let outcome = each
            .filter_map(|entry| match entry {
                Entry::Launch(r) => Some(r),
                _ => None,
            })
            .try_for_each(|r| r.take_snapshots(py));
        let mut state = self.state();
        entries.append(&mut state.entries);
        state.entries = entries;
        state.released = outcome.is_err();
        outcome
    }

    /// Every recorded Warp array that has a gradient, once.
    fn differentiable<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Array>>> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for entry in self.entries(py)? {
            // Of what is only filled, nobody takes a gradient.
            if matches!(entry, Entry::Fill(_)) {
                continue;
            }
            for at in 0..entry.arrays().len() {
                if let Ok(array) = entry.whole(at).bind(py).cast::<Array>()
                    && array.get().gradient(py).is_some()
                    && seen.insert(array.as_ptr())
                {
                    found.push(array.clone());
                }
            }
        }
        Ok(found)
    }
}

#[pymethods]
impl Tape {
    #[new]
    fn new() -> Tape {
        Tape {
            state: Mutex::new(State::default()),
        }
    }

    // The lock is not waited for: who holds it is reachable.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(state) = self.state.try_lock() else {
            return Ok(());
        };
        state.entries.iter().try_for_each(|e| e.visit(&visit))
    }

    fn __clear__(&self) {
        let old = std::mem::take(&mut self.state().entries);
        drop(old);
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        if slf.get().state().released {
            slf.get().watch(slf.py())?;
        }
        STACK.with_borrow_mut(|stack| stack.push(slf.clone().unbind()));
        let start = tapes::enter();
        slf.get().state().spans.push(start..u64::MAX);
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(slf: &Bound<'_, Self>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        let popped = STACK.with_borrow_mut(|stack| match stack.last() {
            Some(top) if top.is(slf) => stack.pop(),
            _ => None,
        });
        if popped.is_none() {
            return Err(error(
                Code::Runtime,
                "Tape: left on another thread or in another order than entered; use `with` blocks",
            ));
        }
        let end = tapes::leave();
        let mut state = slf.get().state();
        if let Some(span) = state.spans.iter_mut().rfind(|span| span.end == u64::MAX) {
            span.end = end;
        }
        Ok(())
    }

    /// Runs the recorded launches backwards and adds to the gradients of their arrays.
    ///
    /// Args:
    ///     loss: An array of one element whose gradient is set to 1 first.
    ///     grads: Gradients to start from: `{array: gradient}`. They are copied and stay as they are.
    ///
    /// Without both, the pass starts from the gradients that the arrays hold (`loss.grad.fill_(1.0)`). Where all that it could
    /// start from are zeros that nobody has touched, it is an error and not a pass that does nothing: memory of Warp's own that
    /// launches write is looked at. Gradients of other libraries count as given, zeros too, and so does what a recorded
    /// function may add.
    ///
    /// Raises:
    ///     TypeError, ValueError: `loss` or `grads` is not as described.
    ///     RuntimeError: There is nothing to start from, `loss` has no gradient, or a recorded kernel cannot be differentiated.
    #[pyo3(signature = (loss=None, grads=None))]
    fn backward(
        &self,
        py: Python<'_>,
        loss: Option<&Bound<'_, PyAny>>,
        grads: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut entries = self.entries(py)?;
        let pass = Pass::prepare(py, &entries)?;
        let again = std::mem::replace(&mut self.state().ran, true);
        if again {
            pass.clear_intermediates(py, &entries)?;
        }
        pass.seed(py, &mut entries, loss, grads)?;
        pass.run(py, &entries)?;
        self.release(py, false)
    }

    /// Sets the gradients of all recorded arrays to zero. The next backward pass is taken at what arrays hold then, but
    /// where the recorded launches themselves have overwritten them.
    fn zero(&self, py: Python<'_>) -> PyResult<()> {
        self.state().ran = false;
        self.release(py, true)?;
        for array in self.differentiable(py)? {
            rebind_gradient(&array, false)?;
            if let Some(gradient) = array.get().gradient(py) {
                gradient.call_method0("zero_")?;
            }
        }
        Ok(())
    }

    /// Forgets all recorded launches and sets the gradients of their arrays to zero.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.zero(py)?;
        let old = {
            let mut state = self.state();
            state.spans.retain(|span| span.end == u64::MAX);
            std::mem::take(&mut state.entries)
        };
        drop(old);
        Ok(())
    }

    /// Records a function without arguments to be called at this point of the backward pass.
    ///
    /// Args:
    ///     backward: Called in the backward pass; it adds to the gradients itself.
    ///     arrays: The Warp arrays whose gradients it uses; `zero()` clears them.
    #[pyo3(signature = (backward, arrays=Vec::new()))]
    fn record_func(&self, backward: Py<PyAny>, arrays: Vec<Py<PyAny>>) {
        self.state().entries.push(Entry::Call { backward, arrays });
    }

    /// The gradients of all recorded arrays that have one: `{array: gradient}`.
    #[getter]
    fn gradients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let gradients = PyDict::new(py);
        for array in self.differentiable(py)? {
            if let Some(gradient) = array.get().gradient(py) {
                gradients.set_item(array, gradient)?;
            }
        }
        Ok(gradients)
    }

    /// Bytes that the tape keeps because gradients need them and something has overwritten them.
    #[getter]
    fn kept_bytes(&self) -> usize {
        let state = self.state();
        let needs = state.entries.iter().flat_map(Entry::needs);
        let mut seen = HashSet::new();
        needs
            .filter_map(|(_, need)| {
                let view = &need.kept()?.copy.view;
                // Launches of the same content share one copy.
                seen.insert(view.arg.data as usize)
                    .then(|| view.layout().len() * view.elem.size())
            })
            .sum()
    }

    fn __len__(&self) -> usize {
        self.state().entries.len()
    }

    fn __repr__(&self) -> String {
        format!("<warp tape with {} entries>", self.state().entries.len())
    }
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Tape>()?;
    m.add_function(wrap_pyfunction!(_record_fill, m)?)
}
