//! `wp.Tape`: records launches and runs their adjoints backwards.
//!
//! One tape per thread is active. A tape holds its arrays, and overwritten content that the gradient needs
//! ([`warp_core::tape`], `taped.rs`). What it says of its launches, it makes of them when it is asked (`listing.rs`).
//!
//! A gradient is that of what was recorded, whatever happens to the arrays before the backward pass. After the pass, or
//! `zero()`, the tape watches no more: the next pass is taken at what arrays hold then, as training loops need it that
//! record once. What a recorded launch has overwritten is kept until `reset()`.

use super::backward::seed;
use super::gradient::rebind_gradient;
use super::host::{self, Entry, OfPython, Recording, State};
use super::in_force::{self, InForce};
use super::listing;
use super::record::record_launch;
use crate::object::error::{Code, error};
use crate::object::package::PACKAGE;
use crate::object::{Array, Own};
use crate::runtime::tapes;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::collections::HashSet;
use std::sync::{Arc, MutexGuard};
use warp_core::tape::{Host, Pass};

/// Where a scope begins, `(index, name, metadata)`, or ends, `(index, None, None)`.
type Mark = (usize, Option<String>, Option<Py<PyDict>>);

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
    recording: Arc<InForce>,
    /// Attributes of the program's own.
    own: Own,
}

impl Tape {
    fn state(&self) -> MutexGuard<'_, State> {
        self.recording.0.state()
    }

    /// Every recorded Warp array that has a gradient, once.
    fn differentiable<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Array>>> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for entry in self.recording.0.entries() {
            let launch = match &entry {
                Entry::Launch(launch) => Some(launch),
                // Of what is only filled, nobody takes a gradient.
                Entry::Fill(_) => continue,
                Entry::Call(_) => None,
            };
            for (at, value) in entry.values().iter().enumerate() {
                let root = launch.and_then(|launch| launch.more.root(at));
                let whole = root.map_or(value, Py::as_any);
                if let Ok(array) = whole.bind(py).cast::<Array>()
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
            recording: Arc::new(InForce(Recording::default())),
            own: Own::default(),
        }
    }

    // The lock is not waited for: who holds it is reachable. So is what a thread records on.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.own.visit(&visit)?;
        match self.recording.0.try_state() {
            Some(state) if Arc::strong_count(&self.recording) == 1 => host::visit(&state, &visit),
            _ => Ok(()),
        }
    }

    fn __clear__(&self, py: Python<'_>) {
        self.own.clear(py);
        let old = self.state().clear();
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
            slf.get().recording.0.watch(slf.py())?;
        }
        in_force::enter(&slf.get().recording);
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        in_force::leave(&self.recording)
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
        let mut pass = Pass::<OfPython>::prepare(py, self.recording.0.entries())?;
        let again = std::mem::replace(&mut self.state().ran, true);
        if again {
            pass.clear_intermediates(py)?;
        }
        seed(py, &mut pass, loss, grads)?;
        pass.run(py)?;
        self.recording.0.release(py, false)
    }

    /// Sets the gradients of all recorded arrays to zero. The next backward pass is taken at what arrays hold then, but
    /// where the recorded launches themselves have overwritten them.
    fn zero(&self, py: Python<'_>) -> PyResult<()> {
        self.state().ran = false;
        self.recording.0.release(py, true)?;
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
        let old = self.state().forget();
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
        self.recording
            .0
            .add(Entry::call(backward, arrays, Vec::new()));
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
        launch.more.metadata = metadata.map(Bound::unbind);
        self.recording.0.add(Entry::Launch(Arc::new(launch)));
        Ok(())
    }

    /// What was recorded, in order, as a new list.
    ///
    /// A launch is a list `[kernel, dim, max_blocks, inputs, outputs, device, block_dim, metadata]`, a recorded function is
    /// itself. Tensors are arrays that share their memory. A copy is the launch of a kernel that copies; fills are left out.
    #[getter]
    fn launches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for entry in self.recording.0.entries() {
            match entry {
                Entry::Launch(launch) => list.append(listing::launch(py, &launch)?)?,
                Entry::Call(call) => list.append(&call.0)?,
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
        self.state().begin_scope(scope_name, metadata);
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
        let removed = self.state().end_scope(remove_scope_if_empty);
        removed.map(drop).map_err(OfPython::error)
    }

    /// Where scopes begin, `(index, name, metadata)`, and end, `(index, None, None)`: before which entry of `launches`.
    #[getter]
    fn scopes(&self, py: Python<'_>) -> Vec<Mark> {
        let state = self.state();
        let marks = state.marks().map(|(at, begun)| match begun {
            Some((name, metadata)) => (at, Some(name.clone()), Some(metadata.clone_ref(py))),
            None => (at, None, None),
        });
        marks.collect()
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
        for entry in self.recording.0.entries() {
            if let Entry::Launch(launch) = &entry {
                for s in &launch.more.structs {
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
        self.state().kept_bytes()
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
    in_force::register(m)
}
