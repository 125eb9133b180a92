//! Annotations that admit several types: `typing.Any`, `wp.Float`, `wp.types.vector(length=Any, dtype=wp.Float)`, arrays of these.

use super::elem::{annotation, class_of, elem_of, kernel_type};
use crate::object::Array;
use crate::object::error::{Code, error, refuse};
use crate::object::message::describe;
use crate::object::package::PACKAGE;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warp_core::ty::{Compound, Elem, Pattern, Scalars, Type};
use warp_dlpack::Lenient;

/// Vectors, matrices or compounds of which the extents or the component type are left open.
#[pyclass(frozen, module = "warp.types", name = "Pattern", eq)]
#[derive(Clone, PartialEq)]
pub struct PyPattern(pub Pattern);

#[pymethods]
impl PyPattern {
    /// From a kind ("vec", "mat", the name of a compound), what the components may be, and the extents, None for any.
    #[new]
    #[pyo3(signature = (kind, dtype, rows=None, cols=None))]
    fn new(
        kind: &str,
        dtype: &Bound<'_, PyAny>,
        rows: Option<u32>,
        cols: Option<u32>,
    ) -> PyResult<PyPattern> {
        let Some(scalars) = scalars(dtype) else {
            return Err(error(
                Code::Type,
                format!(
                    "dtype is {}, expected a scalar type, typing.Any, wp.Float, wp.Int or wp.Scalar",
                    describe(dtype)
                ),
            ));
        };
        let pattern = match kind {
            "vec" => Pattern::Vec { len: rows, scalars },
            "mat" => Pattern::Mat {
                rows,
                cols,
                scalars,
            },
            _ => match Compound::named(kind) {
                Some(compound) => Pattern::Compound(compound, scalars),
                None => return Err(error(Code::Type, format!("no kind of type '{kind}'"))),
            },
        };
        Ok(PyPattern(pattern.simplified()))
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __call__(
        &self,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> PyResult<()> {
        let text = format!(
            "{} is no single type: values are made of one, such as wp.vec3 or wp.types.vector(3, float)",
            self.0
        );
        Err(error(Code::Type, text))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut h = DefaultHasher::new();
        self.0.hash(&mut h);
        h.finish()
    }

    fn __repr__(&self) -> String {
        format!("<warp type pattern {}>", self.0)
    }
}

/// The scalars that an object names: a scalar type, `typing.Any`, or a type variable whose constraints are scalars.
fn scalars(object: &Bound<'_, PyAny>) -> Option<Scalars> {
    if let Some(Elem::Scalar(scalar)) = elem_of(object) {
        return Some(Scalars::one(scalar));
    }
    if is_any(object) {
        return Some(Scalars::ANY);
    }
    constrained(object)
}

fn is_any(object: &Bound<'_, PyAny>) -> bool {
    let any = object.py().import("typing").and_then(|t| t.getattr("Any"));
    any.or_note().is_some_and(|any| object.is(&any))
}

/// The scalars among which a type variable chooses.
fn constrained(object: &Bound<'_, PyAny>) -> Option<Scalars> {
    let typing = object.py().import("typing").or_note()?;
    let variable = typing.getattr("TypeVar").or_note()?;
    if !object.is_instance(&variable).or_note()? {
        return None;
    }
    let constraints = object.getattr("__constraints__").or_note()?;
    let constraints = constraints.cast_into::<PyTuple>().ok()?;
    let mut all: Option<Scalars> = None;
    for constraint in constraints.iter() {
        let Some(Elem::Scalar(scalar)) = elem_of(&constraint) else {
            return None;
        };
        let one = Scalars::one(scalar);
        all = Some(all.map_or(one, |all| all | one));
    }
    all
}

/// What an element of an array may be, where a `dtype=` argument admits several types; None where it names one, or none.
pub fn open_elem(object: &Bound<'_, PyAny>) -> Option<Pattern> {
    match elem_of(object) {
        Some(_) => None,
        None => pattern(object).filter(|p| {
            !matches!(
                p,
                Pattern::Exact(_) | Pattern::Array { .. } | Pattern::Indexed { .. }
            )
        }),
    }
}

/// The types that an annotation admits; None if it names none of kernels.
pub fn pattern(object: &Bound<'_, PyAny>) -> Option<Pattern> {
    if let Ok(array) = object.cast::<Array>()
        && let Some(pattern) = array.get().admits()
    {
        return Some(pattern.clone());
    }
    if let Some(ty) = annotation(object) {
        return Some(ty.into());
    }
    let indexed = kernel_type(object);
    if let Ok(pattern) = indexed.as_ref().unwrap_or(object).cast::<PyPattern>() {
        return Some(pattern.get().0.clone());
    }
    if is_any(object) {
        return Some(Pattern::Any);
    }
    constrained(object).map(|scalars| Pattern::Scalar(scalars).simplified())
}

/// The object that names the types of a pattern.
///
/// # Errors
/// The package has no class for a type.
pub fn object_of<'py>(py: Python<'py>, pattern: &Pattern) -> PyResult<Bound<'py, PyAny>> {
    let one = |array: warp_core::error::Result<Array>| {
        let array = array.map_err(refuse(py, "array"))?;
        Ok(array.object(py)?.into_any())
    };
    let indexed = |of: &Pattern, ndim: u8| {
        let args = (py.None(), py.None(), object_of(py, of)?, ndim);
        PACKAGE.indexed_array.call(py, args)
    };
    match pattern {
        Pattern::Exact(Type::Elem(elem)) => class_of(py, *elem),
        Pattern::Exact(Type::Struct(s)) if s.is_indexed() => {
            let (elem, ndim) = s.as_indexed().expect("an indexed array has data");
            indexed(&Type::of(elem).into(), ndim)
        }
        Pattern::Exact(Type::Struct(s)) => class_of(py, Elem::Struct(*s)),
        Pattern::Exact(Type::Array { elem, ndim }) => {
            one(Array::annotation(*elem, usize::from(*ndim)))
        }
        Pattern::Array { ndim, .. } => one(Array::pattern(pattern.clone(), usize::from(*ndim))),
        Pattern::Indexed { of, ndim } => indexed(of, *ndim),
        Pattern::Any => py.import("typing")?.getattr("Any"),
        Pattern::Scalar(s) if *s == Scalars::floats() => PACKAGE.any_float.get(py),
        Pattern::Scalar(s) if *s == Scalars::ints() => PACKAGE.any_int.get(py),
        Pattern::Scalar(s) if *s == Scalars::floats() | Scalars::ints() => {
            PACKAGE.any_scalar.get(py)
        }
        other => Ok(Bound::new(py, PyPattern(other.clone()))?.into_any()),
    }
}
