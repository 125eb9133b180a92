//! `wp.Tape`: records launches and runs their adjoints backwards.
//!
//! The tapes in force are a stack per thread; a launch is recorded by all of them. A tape holds its arrays, and what
//! somebody overwrote where the gradient needs it (`entry.rs`).
//!
//! A gradient is that of what was recorded, whatever happens to the arrays before the backward pass. After the pass, or
//! `zero()`, the tape watches no more: the next pass is taken at what arrays hold then, as training loops need it that
//! record once. What a recorded launch has overwritten is kept until `reset()`.
//!
//! `grads=` is copied, so a backward pass never writes a caller's buffer. Which gradients a launch consumes, and which belong
//! to one pass, [`warp_core::tape::plan`] decides from memory ranges alone.

use super::adjoint::{self, Operand};
use super::entry::{Entry, Need, TapedLaunch};
use super::gradient::{gradient, may_be_seed, rebind_gradient};
use crate::argument::spread::Root;
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::describe;
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
use warp_core::module::Reverse;
use warp_core::tape::{self, Use};

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

    fn seed(&self, py: Python<'_>, loss: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(array) = loss.cast::<Array>() else {
            return Err(error(
                Code::Type,
                format!(
                    "Tape.backward: loss is {}, expected a Warp array with one element",
                    describe(loss)
                ),
            ));
        };
        let size: i64 = array.getattr("size")?.extract()?;
        if size != 1 {
            return Err(error(
                Code::Value,
                format!(
                    "Tape.backward: loss has {size} elements, expected 1; for others pass grads={{array: gradient}}"
                ),
            ));
        }
        match array.get().gradient(py) {
            Some(gradient) => gradient.call_method1("fill_", (1.0,)).map(|_| ()),
            None => Err(error(
                Code::Runtime,
                "Tape.backward: loss has no gradient; create it with requires_grad=True",
            )),
        }
    }

    fn seed_all(&self, py: Python<'_>, grads: &Bound<'_, PyDict>) -> PyResult<()> {
        for (array, gradient) in grads.iter() {
            let Ok(array) = array.cast::<Array>() else {
                return Err(error(
                    Code::Type,
                    format!(
                        "Tape.backward: a key of grads is {}, expected a Warp array",
                        describe(&array)
                    ),
                ));
            };
            if array.get().gradient(py).is_none() {
                array.setattr("requires_grad", true)?;
            }
            let Some(own) = array.get().gradient(py) else {
                return Err(error(
                    Code::Type,
                    "Tape.backward: a key of grads holds no floats, so it has no gradient",
                ));
            };
            // The caller's buffer is copied, so that it is unchanged whatever the pass consumes.
            if !gradient.is(&own) {
                own.call_method1("assign", (gradient,))?;
            }
        }
        Ok(())
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
        for entry in &entries {
            for value in entry.arrays() {
                if let Ok(array) = value.bind(py).cast::<Array>() {
                    rebind_gradient(array, true)?;
                }
            }
        }
        let uses: Vec<Vec<Use>> = entries
            .iter()
            .map(|e| e.uses(py))
            .collect::<PyResult<_>>()?;
        let plan = tape::plan(&uses);
        check_kept(py, &entries)?;
        let again = std::mem::replace(&mut self.state().ran, true);
        if again {
            clear_intermediates(py, &entries, &plan)?;
        }
        if loss.is_none() && grads.is_none_or(|grads| grads.is_empty()) {
            require_seed(py, &entries, &uses)?;
        }
        if let Some(loss) = loss {
            self.seed(py, loss)?;
        }
        if let Some(grads) = grads {
            self.seed_all(py, grads)?;
            // Seeds may have given an array its gradient.
            entries.iter_mut().try_for_each(|e| e.take_parts(py))?;
        }
        for (entry, consume) in entries.iter().zip(&plan.consume).rev() {
            match entry {
                Entry::Call { backward, .. } => {
                    backward.call0(py)?;
                }
                Entry::Launch(r) => backward_launch(py, r, consume)?,
                Entry::Fill([array]) => {
                    if consume[0]
                        && let Some(gradient) = gradient(array.bind(py))?
                    {
                        gradient.call_method0("zero_")?;
                    }
                }
            }
        }
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

fn backward_launch(py: Python<'_>, r: &TapedLaunch, consume: &[bool]) -> PyResult<()> {
    let kernel = r.kernel.get();
    let mut operands = Vec::with_capacity(r.args.len());
    for ((at, value), packed) in r.args.iter().enumerate().zip(r.values()) {
        let need = r.needs.get(at).and_then(Option::as_ref);
        let kept = need.and_then(Need::kept);
        let copy = kept.map(|kept| Bound::new(py, Array::new(kept.copy.clone())));
        operands.push(Operand {
            value: value.bind(py).clone(),
            packed,
            kept: copy.transpose()?.map(Bound::into_any),
            gradient: gradient(value.bind(py))?,
        });
    }
    let consume = (0u32..)
        .zip(consume)
        .filter(|(_, c)| **c)
        .map(|(i, _)| i)
        .collect();
    let reverse = Reverse {
        aliases: r.aliases.clone(),
        consume,
    };
    adjoint::run(py, kernel, r.stream, r.dims, &operands, &reverse)
}

/// Refuses a backward pass whose gradients would all be zero because nobody said where to start.
fn require_seed(py: Python<'_>, entries: &[Entry], uses: &[Vec<Use>]) -> PyResult<()> {
    for (entry, uses) in entries.iter().zip(uses).rev() {
        if let Entry::Call { .. } = entry {
            return Ok(());
        }
        for (value, _) in entry.arrays().iter().zip(uses).filter(|(_, u)| u.writes) {
            if let Some(gradient) = gradient(value.bind(py))?
                && let Ok(gradient) = gradient.cast::<Array>()
                && may_be_seed(py, gradient.get())?
            {
                return Ok(());
            }
        }
    }
    Err(error(
        Code::Runtime,
        "Tape.backward: there is no gradient to start from, all are zero: pass loss=, an array of one element, or \
         grads={array: gradient}; grads={y: y.grad} starts from what y.grad holds, also where that is zero",
    ))
}

/// Refuses a pass that needs what is lost: somebody changed memory without saying so.
fn check_kept(py: Python<'_>, entries: &[Entry]) -> PyResult<()> {
    let mut seen = HashSet::new();
    for entry in entries {
        let Entry::Launch(r) = entry else { continue };
        for (param, need) in entry.needs() {
            if let Some(snapshot) = &need.snapshot
                && seen.insert(Arc::as_ptr(snapshot))
                && snapshot.is_lost(py)?
            {
                let kernel = r.kernel.get();
                return Err(error(
                    Code::Runtime,
                    format!(
                        "Tape.backward: the gradient of kernel '{}' needs what '{}' held when the launch was recorded, \
                         but that was changed since by somebody else than Warp; change it after the backward \
                         pass, or call tape.zero() to take the gradient at what arrays hold now",
                        kernel.title(),
                        kernel.params[param.0 as usize].name
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// Gradients of values that launches pass on belong to one pass: a second one starts them anew.
fn clear_intermediates(
    py: Python<'_>,
    entries: &[Entry],
    plan: &tape::BackwardPlan,
) -> PyResult<()> {
    for (entry, flags) in entries.iter().zip(&plan.intermediate) {
        for (value, intermediate) in entry.arrays().iter().zip(flags) {
            if *intermediate && let Some(gradient) = gradient(value.bind(py))? {
                gradient.call_method0("zero_")?;
            }
        }
    }
    Ok(())
}

/// Adds the class to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Tape>()?;
    m.add_function(wrap_pyfunction!(_record_fill, m)?)
}
