//! `wp.Tape`: records launches and runs their adjoints backwards.
//!
//! One tape per thread is active. A tape holds its arrays, and overwritten content that the gradient needs
//! (`taped.rs`). What it says of its launches, it makes of them when it is asked (`listing.rs`).
//!
//! A gradient is that of what was recorded, whatever happens to the arrays before the backward pass. After the pass, or
//! `zero()`, the tape watches no more: the next pass is taken at what arrays hold then, as training loops need it that
//! record once. What a recorded launch has overwritten is kept until `reset()`.

use super::backward::Pass;
use super::entry::Entry;
use super::gradient::rebind_gradient;
use super::listing;
use super::record::record_launch;
use super::taped::{Recorded, TapedLaunch};
use crate::kernel::Kernel;
use crate::object::error::{Code, error};
use crate::object::package::PACKAGE;
use crate::object::{Array, Own};
use crate::runtime::snapshot::Snapshot;
use crate::runtime::tapes;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warp_core::device::Stream;
use warp_core::launch::{Block, Dims};

thread_local! {
    static IN_FORCE: RefCell<Option<Py<Tape>>> = const { RefCell::new(None) };
}

/// Records a forward launch that is about to run on the tape in force, and keeps what it overwrites.
///
/// # Errors
/// The kernel has no gradient, or an argument cannot be kept.
pub fn add_launch(
    kernel: &Bound<'_, Kernel>,
    stream: Stream,
    dims: Dims,
    args: &Recorded<'_, '_>,
    block: &Block,
) -> PyResult<()> {
    let launch = TapedLaunch::record(kernel, stream, dims, args, block)?;
    add(Entry::Launch(launch));
    Ok(())
}

/// Looks at what the launch that was recorded last has left, once it has run, if the settings ask for that.
///
/// # Errors
/// There is no memory.
#[cold]
pub fn after_launch(py: Python<'_>) -> PyResult<()> {
    let tape = IN_FORCE.with_borrow(|tape| tape.as_ref().map(|tape| tape.clone_ref(py)));
    let Some(tape) = tape else { return Ok(()) };
    match tape.get().state().entries.last() {
        Some(Entry::Launch(r)) => r.ran(py),
        _ => Ok(()),
    }
}

/// Records on the tape in force.
fn add(entry: Entry) {
    IN_FORCE.with_borrow(|tape| {
        if let Some(tape) = tape {
            tape.get().state().entries.push(entry);
        }
    });
}

/// Records that an array is about to be filled. Called before a fill of one that has a gradient.
#[pyfunction]
fn _record_fill(array: &Bound<'_, Array>) {
    add(Entry::Fill([array.clone().into_any().unbind()]));
}

/// Records a function to be called at this point of the backward pass, as `Tape.record_func`, on the tape in force.
#[pyfunction]
fn _record_call(backward: Py<PyAny>, arrays: Vec<Py<PyAny>>) {
    add(Entry::Call { backward, arrays });
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
/// `zero()` clears them. A tape records the launches of the thread that entered it; no other tape may record there meanwhile.
///
/// Arrays may be overwritten before the backward pass: the tape keeps what gradients need of them, and nothing else.
#[pyclass(frozen, module = "warp", name = "Tape")]
pub struct Tape {
    state: Mutex<State>,
    /// Attributes of the program's own.
    own: Own,
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
    /// Where scopes begin and end, in order.
    scopes: Vec<ScopeMark>,
    /// What a pass starts from by default.
    loss: Option<Py<PyAny>>,
}

/// Where a scope begins, or one ends.
struct ScopeMark {
    /// The entry that follows.
    at: usize,
    /// Of one that begins: its name and what is known of it.
    begin: Option<(String, Py<PyDict>)>,
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
            own: Own::default(),
        }
    }

    // The lock is not waited for: who holds it is reachable.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.own.visit(&visit)?;
        let Ok(state) = self.state.try_lock() else {
            return Ok(());
        };
        state.loss.iter().try_for_each(|loss| visit.call(loss))?;
        let mut begun = state.scopes.iter().filter_map(|mark| mark.begin.as_ref());
        begun.try_for_each(|(_, metadata)| visit.call(metadata))?;
        state.entries.iter().try_for_each(|e| e.visit(&visit))
    }

    fn __clear__(&self, py: Python<'_>) {
        self.own.clear(py);
        let old = {
            let mut state = self.state();
            let scopes = std::mem::take(&mut state.scopes);
            (
                std::mem::take(&mut state.entries),
                scopes,
                state.loss.take(),
            )
        };
        drop(old);
    }

    fn __getattr__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.get().own.get(slf.as_any(), name)
    }
    fn __setattr__(
        slf: &Bound<'_, Self>,
        name: &Bound<'_, PyString>,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        slf.get().own.set(slf.as_any(), name, Some(value))
    }
    fn __delattr__(slf: &Bound<'_, Self>, name: &Bound<'_, PyString>) -> PyResult<()> {
        slf.get().own.set(slf.as_any(), name, None)
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        if tapes::active() {
            return Err(error(
                Code::Runtime,
                "Tape: a tape records on this thread already; leave its `with` block before entering another",
            ));
        }
        if slf.get().state().released {
            slf.get().watch(slf.py())?;
        }
        IN_FORCE.set(Some(slf.clone().unbind()));
        let start = tapes::enter();
        slf.get().state().spans.push(start..u64::MAX);
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(slf: &Bound<'_, Self>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        let own = IN_FORCE.with_borrow(|tape| tape.as_ref().is_some_and(|tape| tape.is(slf)));
        if !own {
            return Err(error(
                Code::Runtime,
                "Tape: left on another thread than it was entered on, or not entered; use a `with` block",
            ));
        }
        drop(IN_FORCE.take());
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
    ///     loss: An array of one element whose gradient is set to 1 first; where there are no `grads` either, `tape.loss`
    ///         stands for it.
    ///     grads: Gradients to start from: `{array: gradient}`. They are copied and stay as they are.
    ///
    /// Without both, the pass starts from the gradients that the arrays hold (`loss.grad.fill_(1.0)`). It warns if all
    /// gradients that it could start from are zero: those of arrays that launches write, in Warp's own memory. Gradients of
    /// other libraries count as given, zeros too, and so does what a recorded function may add.
    ///
    /// A kernel with `enable_backward=False` is passed over, with a warning where its arrays have gradients: none goes
    /// through it.
    ///
    /// Raises:
    ///     TypeError, ValueError: `loss` or `grads` is not as described.
    ///     RuntimeError: `loss` has no gradient, or a recorded kernel cannot be differentiated.
    #[pyo3(signature = (loss=None, grads=None))]
    fn backward(
        &self,
        py: Python<'_>,
        loss: Option<&Bound<'_, PyAny>>,
        grads: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let own = match (loss, grads) {
            (None, None) => self.loss(py),
            _ => None,
        };
        let loss = loss.or(own.as_ref());
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

    /// Forgets all recorded launches, scopes and the loss, and sets the gradients of their arrays to zero.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.zero(py)?;
        let old = {
            let mut state = self.state();
            state.spans.retain(|span| span.end == u64::MAX);
            let scopes = std::mem::take(&mut state.scopes);
            (
                std::mem::take(&mut state.entries),
                scopes,
                state.loss.take(),
            )
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

    /// Records a launch without running it: where it is to run, or has to be added by hand.
    ///
    /// What a kernel overwrites that its gradient needs is kept as for other launches: call this before it is overwritten.
    ///
    /// Args:
    ///     kernel: The kernel.
    ///     dim: The launch dimensions.
    ///     max_blocks: The most blocks on a GPU; 0 sets no limit.
    ///     inputs: Its arguments, as for `wp.launch`.
    ///     outputs: The arguments that follow.
    ///     device: Where it runs; the current device if None.
    ///     block_dim: Threads of a block on a GPU; 0: as many as the kernel's module says.
    ///     metadata: A dict that `launches` shows.
    ///
    /// Raises:
    ///     TypeError, ValueError: An argument does not fit; the message names it.
    #[pyo3(signature = (kernel, dim, max_blocks, inputs, outputs, device, block_dim=0, metadata=None))]
    #[allow(clippy::too_many_arguments, reason = "the documented signature")]
    fn record_launch(
        &self,
        kernel: &Bound<'_, PyAny>,
        dim: &Bound<'_, PyAny>,
        max_blocks: i64,
        inputs: Option<&Bound<'_, PyAny>>,
        outputs: Option<&Bound<'_, PyAny>>,
        device: Option<&Bound<'_, PyAny>>,
        block_dim: i64,
        metadata: Option<Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let grid = (max_blocks, block_dim);
        let mut launch = record_launch(kernel, dim, inputs, outputs, device, grid)?;
        launch.metadata = metadata.map(Bound::unbind);
        self.state().entries.push(Entry::Launch(launch));
        Ok(())
    }

    /// What was recorded, in order, as a new list.
    ///
    /// A launch is a list `[kernel, dim, max_blocks, inputs, outputs, device, block_dim, metadata]`, a recorded function is
    /// itself. Tensors are arrays that share their memory. A copy is the launch of a kernel that copies; fills are left out.
    #[getter]
    fn launches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for entry in self.entries(py)? {
            match entry {
                Entry::Launch(launch) => list.append(listing::launch(py, &launch)?)?,
                Entry::Call { backward, .. } => list.append(backward)?,
                Entry::Fill(_) => {}
            }
        }
        Ok(list)
    }

    /// Begins a scope: a named part of what is recorded, which `visualize` draws as a box. Scopes nest.
    ///
    /// Args:
    ///     scope_name: Its name.
    ///     metadata: A dict that `scopes` shows.
    #[pyo3(signature = (scope_name, metadata=None))]
    fn record_scope_begin(
        &self,
        py: Python<'_>,
        scope_name: String,
        metadata: Option<Bound<'_, PyDict>>,
    ) {
        let metadata = metadata.unwrap_or_else(|| PyDict::new(py)).unbind();
        let mut state = self.state();
        let at = state.entries.len();
        let begin = Some((scope_name, metadata));
        state.scopes.push(ScopeMark { at, begin });
    }

    /// Ends the scope that was begun last.
    ///
    /// Args:
    ///     remove_scope_if_empty: Whether to forget the scope where nothing was recorded in it.
    ///
    /// Raises:
    ///     RuntimeError: No scope has begun that has not ended.
    #[pyo3(signature = (remove_scope_if_empty=true))]
    fn record_scope_end(&self, remove_scope_if_empty: bool) -> PyResult<()> {
        let mut state = self.state();
        let depth: i64 = state
            .scopes
            .iter()
            .map(|m| if m.begin.is_some() { 1 } else { -1 })
            .sum();
        if depth <= 0 {
            return Err(error(
                Code::Runtime,
                "record_scope_end: no scope is open; call record_scope_begin first",
            ));
        }
        let at = state.entries.len();
        let empty = state
            .scopes
            .last()
            .is_some_and(|m| m.begin.is_some() && m.at == at);
        let removed = if empty && remove_scope_if_empty {
            state.scopes.pop()
        } else {
            state.scopes.push(ScopeMark { at, begin: None });
            None
        };
        drop(state);
        drop(removed);
        Ok(())
    }

    /// Where scopes begin, `(index, name, metadata)`, and end, `(index, None, None)`: before which entry of `launches`.
    #[getter]
    #[allow(clippy::type_complexity, reason = "read by Python alone")]
    fn scopes(&self, py: Python<'_>) -> Vec<(usize, Option<String>, Option<Py<PyDict>>)> {
        let state = self.state();
        let is_fill = |e: &&Entry| matches!(e, Entry::Fill(_));
        let each = state.scopes.iter().map(|mark| {
            let at = mark.at.min(state.entries.len());
            let index = at - state.entries[..at].iter().filter(is_fill).count();
            match &mark.begin {
                Some((name, metadata)) => (index, Some(name.clone()), Some(metadata.clone_ref(py))),
                None => (index, None, None),
            }
        });
        each.collect()
    }

    /// What `backward()` starts from where it is given neither `loss` nor `grads`: an array of one element, or None.
    #[getter]
    fn loss<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let state = self.state();
        state.loss.as_ref().map(|loss| loss.bind(py).clone())
    }
    #[setter]
    fn set_loss(&self, value: Option<Py<PyAny>>) {
        let old = std::mem::replace(&mut self.state().loss, value);
        drop(old);
    }

    /// The gradient of an array, or a struct that holds those of another's arrays; None where there is none.
    fn get_adjoint<'py>(&self, a: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        listing::adjoint_of(a)
    }

    /// Draws what was recorded as a graph: kernels, the arrays that they read and write, and scopes as boxes around them.
    ///
    /// Args:
    ///     filename: Where to write it: `.svg` gives a picture, any other name the text of the graph. None writes nothing.
    ///     simplify_graph: Leave out arrays that only pass on what one kernel writes, and launches of kernels that copy: their
    ///         kernels are joined directly.
    ///     hide_readonly_arrays: Leave out arrays that no launch writes.
    ///     array_labels: Names for arrays: `{array: name}`.
    ///     choose_longest_node_name: Call an array by the longest of its parameters' names, not by the first.
    ///     ignore_graph_scopes: Draw no boxes for scopes.
    ///     track_inputs: Arrays to draw as inputs, whatever else is left out.
    ///     track_outputs: Arrays to draw as outputs.
    ///     track_input_names: Names for them.
    ///     track_output_names: Names for them.
    ///     graph_direction: Where the graph leads: "LR", "RL", "TB" or "BT".
    ///
    /// Returns:
    ///     The graph as text of the language DOT of GraphViz.
    ///
    /// Raises:
    ///     TypeError, ValueError: An argument is not as described.
    ///     OSError: The file cannot be written.
    #[pyo3(signature = (filename=None, simplify_graph=true, hide_readonly_arrays=false, array_labels=None,
        choose_longest_node_name=true, ignore_graph_scopes=false, track_inputs=None, track_outputs=None,
        track_input_names=None, track_output_names=None, graph_direction="LR"))]
    #[allow(clippy::too_many_arguments, reason = "the documented signature")]
    fn visualize<'py>(
        slf: &Bound<'py, Self>,
        filename: Option<Bound<'py, PyAny>>,
        simplify_graph: bool,
        hide_readonly_arrays: bool,
        array_labels: Option<Bound<'py, PyAny>>,
        choose_longest_node_name: bool,
        ignore_graph_scopes: bool,
        track_inputs: Option<Bound<'py, PyAny>>,
        track_outputs: Option<Bound<'py, PyAny>>,
        track_input_names: Option<Bound<'py, PyAny>>,
        track_output_names: Option<Bound<'py, PyAny>>,
        graph_direction: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let options = PyDict::new(py);
        options.set_item("simplify_graph", simplify_graph)?;
        options.set_item("hide_readonly_arrays", hide_readonly_arrays)?;
        options.set_item("array_labels", array_labels)?;
        options.set_item("choose_longest_node_name", choose_longest_node_name)?;
        options.set_item("ignore_graph_scopes", ignore_graph_scopes)?;
        options.set_item("track_inputs", track_inputs)?;
        options.set_item("track_outputs", track_outputs)?;
        options.set_item("track_input_names", track_input_names)?;
        options.set_item("track_output_names", track_output_names)?;
        options.set_item("graph_direction", graph_direction)?;
        let visualize = PACKAGE.visualize_tape.get(py)?;
        visualize.call((slf, filename), Some(&options))
    }

    /// The gradients of all recorded arrays that have one: `{array: gradient}`. An instance of a struct that a launch was given
    /// stands there too, with one whose arrays are the gradients of its own.
    #[getter]
    fn gradients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let gradients = PyDict::new(py);
        for array in self.differentiable(py)? {
            if let Some(gradient) = array.get().gradient(py) {
                gradients.set_item(array, gradient)?;
            }
        }
        for entry in self.entries(py)? {
            if let Entry::Launch(launch) = &entry {
                for s in &launch.structs {
                    listing::add_gradients(s.bind(py), &gradients)?;
                }
            }
        }
        Ok(gradients)
    }

    /// Programs empty the dictionary to have it made anew, as it always is here.
    #[setter(gradients)]
    fn set_gradients(&self, gradients: &Bound<'_, PyAny>) -> PyResult<()> {
        match gradients.len()? {
            0 => Ok(()),
            _ => Err(error(
                Code::Value,
                "gradients: they are those of the arrays: set array.grad; only an empty dictionary may be assigned",
            )),
        }
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
    m.add_function(wrap_pyfunction!(_record_fill, m)?)?;
    m.add_function(wrap_pyfunction!(_record_call, m)?)
}
