//! `wp.Tape`: records launches and runs their adjoints backwards.
//!
//! The tapes in force are a stack per thread; a launch is recorded by all of them. A tape holds its
//! arrays, and what a launch overwrote where the gradient needs it.
//!
//! `grads=` is copied, so a backward pass never writes a caller's buffer. Which gradients a launch consumes, which belong
//! to one pass, and what was overwritten too early, [`warp_core::tape::plan`] decides from memory ranges alone.

use super::adjoint::{self, Operand};
use super::gradient::{copy_like, gradient, may_be_seed, rebind_gradient, to_array};
use crate::argument::convert::{Wanted, launch_arg};
use crate::argument::spread::Root;
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::part::part;
use crate::runtime::{config, tapes};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use warp_core::abi::Strided;
use warp_core::adjoint::Data;
use warp_core::device::Stream;
use warp_core::ir::ParamId;
use warp_core::launch::Dims;
use warp_core::module::Reverse;
use warp_core::tape::{self, Use};
use warp_core::ty::Leaf;

thread_local! {
    static STACK: RefCell<Vec<Py<Tape>>> = const { RefCell::new(Vec::new()) };
}

/// Records a forward launch that is about to run on every tape in force.
///
/// # Errors
/// The kernel has no gradient, or an argument cannot be kept.
pub fn add_launch(
    kernel: &Bound<'_, Kernel>,
    stream: Stream,
    dims: Dims,
    args: &[Bound<'_, PyAny>],
    roots: &[Root<'_>],
) -> PyResult<()> {
    let py = kernel.py();
    let entry = Entry::launch(kernel, stream, dims, args, roots)?;
    STACK.with_borrow(|stack| {
        for tape in stack {
            tape.get().state().entries.push(entry.clone_ref(py));
        }
    });
    Ok(())
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
#[pyclass(frozen, module = "warp", name = "Tape")]
pub struct Tape {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// A backward pass has run since the gradients were last cleared.
    ran: bool,
}

enum Entry {
    Launch(TapedLaunch),
    Call {
        backward: Py<PyAny>,
        arrays: Vec<Py<PyAny>>,
    },
}

struct TapedLaunch {
    kernel: Py<Kernel>,
    stream: Stream,
    dims: Dims,
    args: Vec<Py<PyAny>>,
    /// Arguments that are part of an array of structs: which, of what, and where in its elements.
    roots: Vec<(usize, Py<Array>, &'static Leaf)>,
    /// What arrays held before, where the gradient needs it.
    priors: Vec<Option<Py<PyAny>>>,
    aliases: Vec<u32>,
}

impl Entry {
    fn launch(
        kernel: &Bound<'_, Kernel>,
        stream: Stream,
        dims: Dims,
        args: &[Bound<'_, PyAny>],
        roots: &[Root<'_>],
    ) -> PyResult<Entry> {
        let py = kernel.py();
        let k = kernel.get();
        // Tensors become arrays here once, so that their gradients are found in the backward pass.
        let mut kept = Vec::with_capacity(args.len());
        for (param, value) in k.params.iter().zip(args) {
            let array = param.ndim > 0 && !value.is_instance_of::<Array>();
            kept.push(if array {
                to_array(value, param)?
            } else {
                value.clone()
            });
        }
        let mut aliases = Vec::new();
        let mut priors: Vec<Option<Py<PyAny>>> = (0..args.len()).map(|_| None).collect();
        let wanted = kept.iter().any(|a| wants_gradient(a));
        if wanted && k.backward_enabled(py)? {
            aliases = adjoint::aliases(k, stream.device, &kept)?;
            let reverse = Reverse {
                aliases: aliases.clone(),
                consume: Vec::new(),
            };
            let slot = k.reversed(py, &reverse)?;
            for (i, value) in kept.iter().enumerate() {
                let report = slot.reversed.report.array(ParamId(i as u32));
                if report.is_some_and(|r| matches!(r.data, Data::Before | Data::Scratch)) {
                    priors[i] = Some(copy_like(value, &k.params[i])?.unbind());
                }
            }
        }
        let args = kept.into_iter().map(Bound::unbind).collect();
        let roots = roots
            .iter()
            .map(|r| (r.param, r.array.clone().unbind(), r.leaf));
        Ok(Entry::Launch(TapedLaunch {
            kernel: kernel.clone().unbind(),
            stream,
            dims,
            args,
            roots: roots.collect(),
            priors,
            aliases,
        }))
    }

    /// Shows Python's collector every object that this holds.
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Entry::Call { backward, .. } = self {
            visit.call(backward)?;
        }
        if let Entry::Launch(r) = self {
            visit.call(&r.kernel)?;
            r.roots
                .iter()
                .try_for_each(|(_, array, _)| visit.call(array))?;
            r.priors
                .iter()
                .flatten()
                .try_for_each(|prior| visit.call(prior))?;
        }
        self.arrays().iter().try_for_each(|array| visit.call(array))
    }

    fn clone_ref(&self, py: Python<'_>) -> Entry {
        let all = |list: &[Py<PyAny>]| list.iter().map(|a| a.clone_ref(py)).collect();
        match self {
            Entry::Launch(r) => Entry::Launch(TapedLaunch {
                kernel: r.kernel.clone_ref(py),
                stream: r.stream,
                dims: r.dims,
                args: all(&r.args),
                roots: r
                    .roots
                    .iter()
                    .map(|(param, array, leaf)| (*param, array.clone_ref(py), *leaf))
                    .collect(),
                priors: r
                    .priors
                    .iter()
                    .map(|p| p.as_ref().map(|p| p.clone_ref(py)))
                    .collect(),
                aliases: r.aliases.clone(),
            }),
            Entry::Call { backward, arrays } => Entry::Call {
                backward: backward.clone_ref(py),
                arrays: all(arrays),
            },
        }
    }

    /// How the launch uses each argument; values use nothing.
    fn uses(&self, py: Python<'_>) -> PyResult<Vec<Use>> {
        let nothing = || Use {
            bytes: 0..0,
            array: None,
            reads: false,
            writes: false,
        };
        let Entry::Launch(r) = self else {
            return Ok(Vec::new());
        };
        let kernel = r.kernel.get();
        let access = &kernel.ready(py)?.compiled.access;
        let params = kernel.params.iter().zip(&r.args).zip(access);
        params
            .map(|((param, value), access)| {
                if param.ndim == 0 {
                    return Ok(nothing());
                }
                let view = launch_arg(value.bind(py), &Wanted::of(param, false, r.stream.device))
                    .map_err(|e| e.at(kernel.title(), &param.name))?;
                let strided = Strided {
                    array: view.arg,
                    ndim: param.ndim.into(),
                    size: param.elem.size(),
                };
                Ok(Use {
                    bytes: strided.bytes(),
                    array: Some(strided),
                    reads: access.loads,
                    writes: access.writes(),
                })
            })
            .collect()
    }

    fn arrays(&self) -> &[Py<PyAny>] {
        match self {
            Entry::Launch(r) => &r.args,
            Entry::Call { arrays, .. } => arrays,
        }
    }

    /// Parts of arrays of structs with the gradients that those have now.
    fn take_parts(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Entry::Launch(r) = self {
            for (param, array, leaf) in &r.roots {
                r.args[*param] = part(array.bind(py), leaf)?.into_any().unbind();
            }
        }
        Ok(())
    }

    /// The array that an argument is part of.
    fn whole(&self, at: usize) -> &Py<PyAny> {
        if let Entry::Launch(r) = self
            && let Some((_, array, _)) = r.roots.iter().find(|(param, ..)| *param == at)
        {
            return array.as_any();
        }
        &self.arrays()[at]
    }
}

fn wants_gradient(value: &Bound<'_, PyAny>) -> bool {
    value
        .cast::<Array>()
        .is_ok_and(|a| a.get().gradient(value.py()).is_some())
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

    /// Every recorded Warp array that has a gradient, once.
    fn differentiable<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Array>>> {
        let mut seen = std::collections::HashSet::new();
        let mut found = Vec::new();
        for entry in self.entries(py)? {
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

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        STACK.with_borrow_mut(|stack| stack.push(slf.clone().unbind()));
        tapes::enter();
        slf
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
        tapes::leave();
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
        if config::verify_access(py)? {
            warn_overwritten(py, &entries, &plan)?;
        }
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
            }
        }
        Ok(())
    }

    /// Sets the gradients of all recorded arrays to zero.
    fn zero(&self, py: Python<'_>) -> PyResult<()> {
        self.state().ran = false;
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
        let old = std::mem::take(&mut self.state().entries);
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
    for (value, prior) in r.args.iter().zip(&r.priors) {
        operands.push(Operand {
            value: value.bind(py).clone(),
            prior: prior.as_ref().map(|p| p.bind(py).clone()),
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

/// Warns of arrays whose gradient-relevant content a later launch has changed.
fn warn_overwritten(py: Python<'_>, entries: &[Entry], plan: &tape::BackwardPlan) -> PyResult<()> {
    for (entry, flags) in entries.iter().zip(&plan.overwritten) {
        let Entry::Launch(r) = entry else { continue };
        let kernel = r.kernel.get();
        if !flags.contains(&true) || !kernel.backward_enabled(py)? {
            continue;
        }
        let reverse = Reverse {
            aliases: r.aliases.clone(),
            consume: Vec::new(),
        };
        let slot = kernel.reversed(py, &reverse)?;
        for (i, (param, overwritten)) in kernel.params.iter().zip(flags).enumerate() {
            let report = slot.reversed.report.array(ParamId(i as u32));
            if *overwritten && report.is_some_and(|r| r.data == Data::Same) {
                let text = format!(
                    "the gradient of kernel '{}' reads array '{}' again, but a later recorded launch has \
                     overwritten it; write to another array",
                    kernel.title(),
                    param.name
                );
                py.import("warnings")?.getattr("warn")?.call1((text,))?;
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
    m.add_class::<Tape>()
}
