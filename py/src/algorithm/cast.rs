//! Arrays of one dtype as another.

use super::operand::{Output, apart, device_of, input, wrong};
use super::perform::perform;
use crate::object::Array;
use crate::object::error::{Code, refuse};
use crate::object::package::PACKAGE;
use crate::runtime::tapes;
use pyo3::prelude::*;
use warp_core::algorithm;
use warp_core::array::{Array as Core, Layout, View};
use warp_core::device::Device;
use warp_core::ty::Elem;

/// Writes the numbers of an array as those of another dtype, as casts in kernels do: floats are cut towards zero and end at the
/// limits of an integer type, integers wrap.
///
/// Arrays of the same shape are cast element by element. Otherwise the components of all elements, in the order of memory, become
/// the first components of `out_array`: vectors become scalars, two dimensions one, and so on.
///
/// Where a tape records and both arrays have gradients, the gradient passes through.
///
/// Args:
///     in_array: An array of numbers, bools, vectors, matrices, quaternions or transforms.
///     out_array: Where the numbers go.
///     count: How many elements are cast, those in front, of arrays with one dimension and equally many components per element.
///
/// Raises:
///     TypeError: An array holds structs. It is a RuntimeError, too.
///     ValueError: The shapes do not fit, or `count`, or the arrays are on several devices. It is a RuntimeError, too.
#[pyfunction]
#[pyo3(signature = (in_array, out_array, count=None))]
fn array_cast(
    in_array: &Bound<'_, Array>,
    out_array: &Bound<'_, Array>,
    count: Option<i64>,
) -> PyResult<()> {
    let (py, place) = (in_array.py(), "array_cast");
    let (from, to) = (in_array.get().view(), out_array.get().view());
    for (name, view) in [("in_array", from), ("out_array", to)] {
        if matches!(view.elem, Elem::Struct(_)) {
            let text = format!(
                "{place}: {name} is an array of {}; structs cannot be cast",
                view.elem
            );
            return Err(wrong(py, Code::Type, text));
        }
    }
    let (components, others) = (from.elem.count(), to.elem.count());
    let (len, room) = (from.layout().len(), to.layout().len());
    let refused = |text: String| Err(wrong(py, Code::Value, format!("{place}: {text}")));
    let n = match count {
        Some(_) if from.ndim != 1 || to.ndim != 1 || components != others => {
            return refused(format!(
                "count needs arrays with one dimension and equally many components per element, in_array is one of {} with \
                 shape {:?}, out_array one of {} with shape {:?}",
                from.elem,
                from.layout().shape(),
                to.elem,
                to.layout().shape()
            ));
        }
        Some(n) if !(0..=len.min(room) as i64).contains(&n) => {
            return refused(format!(
                "count is {n}; in_array has {len} elements and out_array has {room}"
            ));
        }
        Some(n) => n as usize * components,
        None if from.ndim > 1
            && from.ndim == to.ndim
            && components == others
            && from.layout().shape() != to.layout().shape() =>
        {
            return refused(format!(
                "in_array has shape {:?}, out_array has {:?}; they must be equal",
                from.layout().shape(),
                to.layout().shape()
            ));
        }
        None if len * components > room * others => {
            return refused(format!(
                "in_array holds {} numbers, out_array has room for {}",
                len * components,
                room * others
            ));
        }
        None => len * components,
    };
    let device = device_of(py, place, &[("in_array", from), ("out_array", to)])?;
    if tapes::active() && out_array.get().has_gradient() && in_array.get().has_gradient() {
        // As a launch, which the tape records.
        return launch(
            scalars(in_array, "in_array")?,
            scalars(out_array, "out_array")?,
            n,
        );
    }
    let read = input(in_array, place)?;
    let target = Output::new(out_array, place)?;
    let read = apart(py, read, &target.core.view, place)?;
    if device != Device::Cpu {
        let of = |core: &Core| Array::new(flat(py, core)?).object(py);
        launch(of(&read)?, of(&target.core)?, n)?;
        return target.finish(place);
    }
    perform(py, place, &[&read], &[&target.core], move |views| {
        let [from, to] = [views[0], views[1]];
        let (of, into) = (from.elem.scalar(), to.elem.scalar());
        // SAFETY: both are contiguous, hold as many scalars, and are apart; their owners keep them.
        unsafe { algorithm::cast(n, from.arg.data, of, to.arg.data, into) };
        Ok(())
    })?;
    target.finish(place)
}

/// All scalars of an array as a list on the same memory, with those of the gradient.
fn scalars<'py>(array: &Bound<'py, Array>, name: &str) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let flat = |core: &Core| {
        if !core.view.is_contiguous() {
            let text = format!(
                "array_cast: {name} or its gradient has gaps, which a tape cannot record; cast {name}.contiguous()"
            );
            return Err(wrong(py, Code::Value, text));
        }
        flat(py, core)
    };
    let gradient = match this.gradient(py) {
        Some(gradient) => Some(
            Array::new(flat(&gradient.get().core)?)
                .object(py)
                .map(Bound::unbind)?,
        ),
        None => None,
    };
    Array::with_gradient(flat(&this.core)?, gradient).object(py)
}

/// The scalars of an array without gaps as a list on the same memory.
fn flat(py: Python<'_>, core: &Core) -> PyResult<Core> {
    let view = &core.view;
    let scalar = view.elem.scalar();
    let n = (view.layout().len() * view.elem.count()) as i64;
    let layout = Layout::contiguous(&[n], scalar.size()).map_err(refuse(py, "array_cast"))?;
    let (data, elem) = (view.arg.data, Elem::Scalar(scalar));
    Ok(core.with_view(View::new(data, layout, elem, view.device, view.read_only)))
}

/// Casts the first `n` scalars of a list by launching a kernel.
fn launch(from: Bound<'_, Array>, to: Bound<'_, Array>, n: usize) -> PyResult<()> {
    let py = from.py();
    PACKAGE.record_cast.call(py, (from, to, n)).map(|_| ())
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(array_cast, m)?)
}
