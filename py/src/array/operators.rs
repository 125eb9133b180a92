//! Operators on arrays: launches of kernels that `warp._arrays.map` makes, for what is an array or a value of kernels. Beside
//! anything else, that computes: NumPy, or torch.

use super::item;
use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::warn;
use crate::object::package::{PACKAGE, own};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use std::sync::atomic::{AtomicBool, Ordering};
use warp_core::array::View;

/// What a call that was made before gives, for the same function and types; None for others, which `warp._arrays.map` sees to.
fn again<'py>(
    symbol: &Bound<'py, PyString>,
    operands: &Bound<'py, PyTuple>,
    out: Option<&Bound<'py, Array>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static MAPPED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = symbol.py();
    let mapped = MAPPED.get_or_try_init(py, || own(py, "_mapped").map(Bound::unbind))?;
    let found = mapped.bind(py).call1((symbol, operands, out))?;
    Ok(Some(found).filter(|found| !found.is_none()))
}

/// Whether an operand is ours: an array, a number of Python's, or a value of kernels.
fn is_operand(other: &Bound<'_, PyAny>) -> bool {
    other.is_instance_of::<Array>()
        || other.is_exact_instance_of::<PyFloat>()
        || other.is_exact_instance_of::<PyInt>()
        || other.is_exact_instance_of::<PyBool>()
        || dtype::elem_of(other.get_type().as_any()).is_some()
}

/// `array op other`, or `other op array` where that is `reflected`.
///
/// # Errors
/// There is no such operation on these elements, the shapes do not fit each other, or there is no memory.
pub fn binary<'py>(
    symbol: &str,
    array: &Bound<'py, Array>,
    other: &Bound<'py, PyAny>,
    reflected: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    if !is_operand(other) {
        return PACKAGE
            .map_foreign
            .call(py, (symbol, array, other, reflected));
    }
    let operands = match reflected {
        false => [array.as_any(), other],
        true => [other, array.as_any()],
    };
    let operands = PyTuple::new(py, operands)?;
    let symbol = PyString::intern(py, symbol);
    match again(&symbol, &operands, None)? {
        Some(found) => Ok(found),
        None => {
            let args = (symbol, operands.get_item(0)?, operands.get_item(1)?);
            PACKAGE.map_binary.call(py, args)
        }
    }
}

/// `array ** other`, or the reverse where that is `reflected`. There is none for a modulus.
///
/// # Errors
/// As [`binary`].
pub fn power<'py>(
    array: &Bound<'py, Array>,
    other: &Bound<'py, PyAny>,
    modulo: Option<&Bound<'py, PyAny>>,
    reflected: bool,
) -> PyResult<Bound<'py, PyAny>> {
    match modulo {
        Some(_) => Ok(array.py().NotImplemented().into_bound(array.py())),
        None => binary("**", array, other, reflected),
    }
}

/// `array op other` where `op` compares: an array of bools. `==` and `!=` compare identity, as sets and keys need it.
///
/// # Errors
/// As [`binary`]; or warnings are errors.
pub fn compare<'py>(
    array: &Bound<'py, Array>,
    other: &Bound<'py, PyAny>,
    op: CompareOp,
) -> PyResult<Bound<'py, PyAny>> {
    let symbol = match op {
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
        CompareOp::Eq | CompareOp::Ne => {
            if !array.is(other) && !array.get().is_annotation() {
                warn_of_identity(other)?;
            }
            return Ok(array.py().NotImplemented().into_bound(array.py()));
        }
    };
    if array.get().is_annotation() {
        return Ok(array.py().NotImplemented().into_bound(array.py()));
    }
    Ok(truths(binary(symbol, array, other, false)?))
}

/// `array | other`, or the reverse. Of an annotation and None itself, since every array parameter may be left out.
///
/// # Errors
/// As [`binary`].
pub fn or<'py>(
    array: &Bound<'py, Array>,
    other: &Bound<'py, PyAny>,
    reflected: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if !array.get().is_annotation() {
        return Ok(truths_of(array, binary("|", array, other, reflected)?));
    }
    Ok(match other.is_none() {
        true => array.clone().into_any(),
        false => array.py().NotImplemented().into_bound(array.py()),
    })
}

/// What is computed of comparisons bit by bit are comparisons.
fn truths_of<'py>(array: &Bound<'py, Array>, found: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    match array.get().is_truths() {
        true => truths(found),
        false => found,
    }
}

/// Says once in a process what `==` of arrays does, where it is asked of numbers or of another array.
#[inline]
fn warn_of_identity(other: &Bound<'_, PyAny>) -> PyResult<()> {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.load(Ordering::Relaxed) || !is_operand(other) || SAID.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let text = "array == other: whether both are one object, as sets and keys of dictionaries need it; wp.equal(array, other) \
                compares the elements (said once)";
    warn::<PyUserWarning>(other.py(), text)
}

/// An array that is an answer for each element, so that `if` refuses it unless it is one answer.
fn truths(found: Bound<'_, PyAny>) -> Bound<'_, PyAny> {
    if let Ok(array) = found.cast::<Array>() {
        array.get().set_truths();
    }
    found
}

/// [`truths`], for what is written in Python.
#[pyfunction]
fn _truths<'py>(found: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    truths(found.clone())
}

/// `bool(a)`: whether the array has elements, or what one comparison says.
///
/// # Errors
/// The array holds several comparisons.
pub fn truth(array: &Bound<'_, Array>) -> PyResult<bool> {
    let (this, layout) = (array.get(), array.get().view().layout());
    if !this.is_truths() {
        return Ok(layout.shape()[0] > 0);
    }
    match layout.len() {
        1 => Ok(item::float(this, "bool")? != 0.0),
        n => Err(error(
            Code::Value,
            format!(
                "bool: the array holds {n} comparisons, not one; say which are meant: a.any() or a.all()"
            ),
        )),
    }
}

/// `array op= other`.
///
/// # Errors
/// As [`binary`]; the array is read-only; or the result has another type or shape.
pub fn in_place(symbol: &str, array: &Bound<'_, Array>, other: &Bound<'_, PyAny>) -> PyResult<()> {
    array.get().check_writable("array assignment")?;
    let py = array.py();
    let operands = PyTuple::new(py, [array.as_any(), other])?;
    let symbol = PyString::intern(py, symbol);
    match again(&symbol, &operands, Some(array))? {
        Some(_) => Ok(()),
        None => (PACKAGE.map_in_place.call(py, (symbol, array, other))).map(|_| ()),
    }
}

/// `op array`; the symbol ends with `1`.
///
/// # Errors
/// As [`binary`].
pub fn unary<'py>(symbol: &str, array: &Bound<'py, Array>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let operands = PyTuple::new(py, [array])?;
    let symbol = PyString::intern(py, symbol);
    match again(&symbol, &operands, None)? {
        Some(found) => Ok(found),
        None => PACKAGE.map_unary.call(py, (symbol, array)),
    }
}

/// How the memory of two arrays meets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Not at all.
    Apart,
    /// As the same elements in the same order.
    Same,
    /// Otherwise.
    Overlap,
}

/// How the memory of two arrays meets.
pub fn meeting(a: &View, b: &View) -> Meeting {
    let range = |view: &View| {
        let range = view.layout().byte_range(view.elem.size());
        let at = view.arg.data as i64;
        at + range.start..at + range.end
    };
    let (x, y) = (range(a), range(b));
    if x.start >= y.end || y.start >= x.end {
        return Meeting::Apart;
    }
    let same = a.arg.data == b.arg.data && a.elem == b.elem && a.layout() == b.layout();
    if same {
        Meeting::Same
    } else {
        Meeting::Overlap
    }
}

/// [`meeting`], as a word.
#[pyfunction]
fn _meeting(a: &Bound<'_, Array>, b: &Bound<'_, Array>) -> &'static str {
    match meeting(a.get().view(), b.get().view()) {
        Meeting::Apart => "apart",
        Meeting::Same => "same",
        Meeting::Overlap => "overlap",
    }
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_truths, m)?)?;
    m.add_function(wrap_pyfunction!(_meeting, m)?)
}
