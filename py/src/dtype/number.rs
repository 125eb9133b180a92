//! Python's numbers.

use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use smallvec::SmallVec;
use warp_core::array::Number;
use warp_dlpack::Lenient;

/// A Python number.
///
/// # Errors
/// The object is no number.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<Number> {
    if let Ok(b) = value.cast::<PyBool>() {
        return Ok(Number::Bool(b.is_true()));
    }
    if let Ok(f) = value.cast::<PyFloat>() {
        return Ok(Number::Float(f.value()));
    }
    let py = value.py();
    let mut raised = None;
    let whole = if value.is_instance_of::<PyInt>() {
        Some(value.clone())
    } else {
        asked(value, pyo3::intern!(py, "__index__"), &mut raised)?
    };
    if let Some(i) = whole {
        return i
            .extract::<i128>()
            .map(Number::Int)
            .map_err(|_| error(Code::Type, "an integer of more than 128 bits"));
    }
    // Strings have no `__float__`; NumPy's numbers and arrays of one element do. So do our arrays, but a 64-bit integer in
    // them would be rounded.
    let float = match value.is_instance_of::<Array>() {
        false => asked(value, pyo3::intern!(py, "__float__"), &mut raised)?,
        true => None,
    };
    match float.and_then(|f| f.extract::<f64>().ok()) {
        Some(f) if value.get_type().name()? == "bool" => Ok(Number::Bool(f != 0.0)),
        Some(f) => Ok(Number::Float(f)),
        None => Err(raised.unwrap_or_else(|| {
            let text = format!("expected a number, found {}", describe(value));
            error(Code::Type, text)
        })),
    }
}

/// What a method of numbers gives. An exception is kept that says more than that the object is no such number.
fn asked<'py>(
    value: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    raised: &mut Option<PyErr>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    let answer = value.call_method0(name);
    let none =
        |e: &PyErr| e.is_instance_of::<PyAttributeError>(py) || e.is_instance_of::<PyTypeError>(py);
    if let Err(error) = &answer
        && !none(error)
    {
        raised.get_or_insert_with(|| error.clone_ref(py));
    }
    answer.lenient()
}

/// A number as Python's.
///
/// # Errors
/// Python has no memory.
pub fn number_object(py: Python<'_>, n: Number) -> PyResult<Bound<'_, PyAny>> {
    Ok(match n {
        Number::Bool(b) => PyBool::new(py, b).to_owned().into_any(),
        Number::Int(i) => i.into_pyobject(py)?.into_any(),
        Number::Float(f) => PyFloat::new(py, f).into_any(),
    })
}

/// The numbers of a value with components: a vector, a sequence of numbers or of sequences.
pub fn flatten(value: &Bound<'_, PyAny>, out: &mut SmallVec<[Number; 16]>) -> PyResult<()> {
    if value.is_instance_of::<PyString>() {
        return Err(error(Code::Type, "expected numbers, found a string"));
    }
    match value.try_iter().lenient()? {
        Some(items) => items.into_iter().try_for_each(|i| flatten(&i?, out)),
        None => {
            out.push(number(value)?);
            Ok(())
        }
    }
}
