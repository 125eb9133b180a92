//! Tapes of Python programs: where gradients of their arrays are, and how their kernels are run backwards.

use super::adjoint::{self, Operand};
use super::gradient::{gradient, rebind_gradient};
use super::saved_array::save;
use crate::argument::convert::{Wanted, launch_arg};
use crate::kernel::Kernel;
use crate::object::Array;
use crate::object::message::warn;
use crate::object::part::part;
use crate::object::queried::Queried;
use pyo3::exceptions::{PyBaseException, PyUserWarning};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use warp_core::abi::ArrayArg;
use warp_core::array::{Owner, View};
use warp_core::device::Stream;
use warp_core::error::Error;
use warp_core::module::{Compiled, Reverse};
use warp_core::tape::{self, Args, Backward, Differentiable, Host, SavedArray, Use};
use warp_core::ty::Leaf;
use warp_dlpack::raise;

/// Python programs.
pub struct OfPython;

/// One thing that a tape has recorded.
pub type Entry = tape::Entry<OfPython>;
/// What a tape holds.
pub type Recording = tape::Recording<OfPython>;
/// The same, for a moment.
pub type State = tape::State<OfPython>;
/// A launch on a tape.
pub type TapedLaunch = tape::TapedLaunch<OfPython>;

/// A kernel that was launched.
pub struct Launched(pub Py<Kernel>);

impl Differentiable for Launched {
    fn compiled(&self) -> &Compiled {
        let ready = self.0.get().at_hand();
        &ready.expect("a launch compiles its kernel").compiled
    }
    fn title(&self) -> &str {
        self.0.get().title()
    }
    fn has_backward(&self) -> bool {
        self.0.get().backward_enabled()
    }
}

/// What is kept of a launch for what Python sees of it.
pub struct More {
    /// Arguments that are part of an array of structs: which, of what, and where in its elements.
    pub roots: Vec<(usize, Py<Array>, &'static Leaf)>,
    /// The structs among the arguments as they were given: `Tape.gradients` names them.
    pub structs: Vec<Py<PyAny>>,
    /// How many of the arguments as they were given are inputs.
    pub inputs: usize,
    /// Metadata that the caller of `record_launch` gave.
    pub metadata: Option<Py<PyDict>>,
    /// Why there is no gradient, where a backward pass that needs one has to say so.
    pub refusal: Option<Py<PyBaseException>>,
    /// What keeps objects alive that the launch queries by their ids, such as meshes.
    #[expect(dead_code, reason = "they are held, and not looked at")]
    pub objects: Vec<Kept>,
}

/// An object that is queried: its memory, and what knows of its arrays if it has any.
pub type Kept = (Option<Owner>, Option<Arc<dyn Queried>>);

impl More {
    /// The array of structs that an argument is part of, if it is of one.
    pub fn root(&self, at: usize) -> Option<&Py<Array>> {
        let mut roots = self.roots.iter();
        let found = roots.find(|(param, ..)| *param == at);
        found.map(|(_, array, _)| array)
    }
}

impl Host for OfPython {
    type Context<'a> = Python<'a>;
    type Value = Py<PyAny>;
    type Kernel = Launched;
    type More = More;
    type Function = Py<PyAny>;
    type Note = Py<PyDict>;
    type Error = PyErr;

    fn error(error: Error) -> PyErr {
        Python::attach(|py| raise(py, error))
    }

    fn view(py: Python<'_>, value: &Py<PyAny>) -> Option<View> {
        let array = value.bind(py).cast::<Array>().ok()?;
        Some(*array.get().view())
    }

    fn argument(
        py: Python<'_>,
        (kernel, stream): (&Launched, Stream),
        value: &Py<PyAny>,
        at: usize,
    ) -> PyResult<ArrayArg> {
        let kernel = kernel.0.get();
        let param = &kernel.params[at];
        let wanted = Wanted::of(param, false, stream.device);
        let view = launch_arg(value.bind(py), &wanted);
        Ok(view.map_err(|e| kernel.refuse(e, &param.name))?.arg)
    }

    fn settle(py: Python<'_>, value: &Py<PyAny>) -> PyResult<()> {
        match value.bind(py).cast::<Array>() {
            Ok(array) => rebind_gradient(array, true),
            Err(_) => Ok(()),
        }
    }

    fn clear(py: Python<'_>, value: &Py<PyAny>) -> PyResult<()> {
        match gradient(value.bind(py))? {
            Some(gradient) => gradient.call_method0("zero_").map(|_| ()),
            None => Ok(()),
        }
    }

    fn save(py: Python<'_>, saved: &mut SavedArray<Py<PyAny>>, array: &Py<PyAny>) -> PyResult<()> {
        save(saved, array.bind(py).cast::<Array>()?)
    }

    fn call(py: Python<'_>, function: &Py<PyAny>) -> PyResult<()> {
        function.call0(py).map(|_| ())
    }
}

impl Backward for OfPython {
    fn parts(py: Python<'_>, launch: &TapedLaunch) -> PyResult<Vec<(usize, Py<PyAny>)>> {
        let each = launch.more.roots.iter().map(|(param, array, leaf)| {
            let part = part(array.bind(py), leaf)?;
            Ok((*param, part.into_any().unbind()))
        });
        each.collect()
    }

    fn check(py: Python<'_>, launch: &TapedLaunch, uses: &[Use]) -> PyResult<()> {
        let Some(refusal) = &launch.more.refusal else {
            return Ok(());
        };
        let mut written = launch.args.iter().zip(uses).filter(|(_, u)| u.writes);
        match written.any(|(value, _)| wants_gradient(value.bind(py))) {
            true => Err(PyErr::from_value(refusal.bind(py).clone().into_any())),
            false => Ok(()),
        }
    }

    fn reverse(
        py: Python<'_>,
        launch: &TapedLaunch,
        args: &Args<'_, OfPython>,
        reverse: Reverse,
    ) -> PyResult<()> {
        if launch.more.refusal.is_some() {
            return Ok(());
        }
        let mut operands = Vec::with_capacity(launch.args.len());
        // The arrays behind the arguments are no operands.
        for (at, packed) in launch.values().enumerate() {
            let value = args.at(at).bind(py);
            let kept = args.content(py, at)?;
            let kept = kept.map(|copy| Array::new(copy).object(py));
            operands.push(Operand {
                value: value.clone(),
                packed,
                kept: kept.transpose()?.map(Bound::into_any),
                gradient: gradient(value)?,
            });
        }
        let kernel = launch.kernel.0.bind(py);
        let prior = |at: usize, changes: bool| launch.has_prior(at, changes);
        let extent = (launch.stream, launch.dims);
        adjoint::run(kernel, extent, &operands, &reverse, &prior)
    }

    /// Says that no gradient goes through a kernel, if its arrays have some.
    fn pass_over(py: Python<'_>, launch: &TapedLaunch) -> PyResult<()> {
        if !launch.args.iter().any(|a| wants_gradient(a.bind(py))) {
            return Ok(());
        }
        let text = format!(
            "Tape.backward: no gradient goes through kernel '{}', which was defined with enable_backward=False; what it has \
             written counts as constant",
            launch.kernel.title()
        );
        warn::<PyUserWarning>(py, &text)
    }
}

/// Whether a value is an array that has a gradient.
pub fn wants_gradient(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<Array>().is_ok_and(|a| a.get().has_gradient())
}

/// Shows Python's collector every object that a tape holds.
///
/// # Errors
/// The collector wants to see no more.
pub fn visit(state: &State, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
    state.loss.iter().try_for_each(|loss| visit.call(loss))?;
    let mut begun = state.scopes.iter().filter_map(|mark| mark.begin.as_ref());
    begun.try_for_each(|(_, metadata)| visit.call(metadata))?;
    for entry in &state.entries {
        match entry {
            Entry::Launch(launch) => visit_launch(launch, visit)?,
            Entry::Fill(_) => {}
            Entry::Call(call) => visit.call(&call.0)?,
        }
        let mut values = entry.values().iter();
        values.try_for_each(|value| visit.call(value))?;
    }
    Ok(())
}

/// What a launch holds besides its arguments.
fn visit_launch(launch: &TapedLaunch, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
    let more = &launch.more;
    visit.call(&launch.kernel.0)?;
    more.refusal.iter().try_for_each(|e| visit.call(e))?;
    more.metadata.iter().try_for_each(|m| visit.call(m))?;
    let mut roots = more.roots.iter();
    roots.try_for_each(|(_, array, _)| visit.call(array))?;
    more.structs.iter().try_for_each(|s| visit.call(s))?;
    // The lock is not waited for: who holds it is reachable.
    let Some(saved) = launch.try_saved() else {
        return Ok(());
    };
    let mut counted = saved.0.iter().flatten().filter_map(|n| n.counted.as_ref());
    counted.try_for_each(|tensor| visit.call(tensor))
}
