//! Python's types as ours: `wp.float32`, `wp.vec3`, `float`, NumPy dtypes.

use super::number::{number, number_object};
use crate::object::Array;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::package::PACKAGE;
use crate::registry::for_each_tensor_framework;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString, PyTuple, PyType};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use warp_core::array::Number;
use warp_core::dtype::{Scalar, TABLE};
use warp_core::error::Error;
use warp_core::front::nearest;
use warp_core::ty::{Compound, Elem, Type};
use warp_dlpack::{Adapter, Lenient, raise};

/// What a type of values is: the attribute `_elem` of `wp.float32`, `wp.vec3` and the like.
#[pyclass(frozen, module = "warp.types", name = "Elem", eq)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PyElem(pub Elem);

#[pymethods]
impl PyElem {
    /// From a kind ("scalar", "vec", "mat", the name of a compound), the scalar's name and the extents.
    #[new]
    #[pyo3(signature = (kind, scalar, rows=1, cols=1))]
    fn new(py: Python<'_>, kind: &str, scalar: &str, rows: u32, cols: u32) -> PyResult<PyElem> {
        let s = Scalar::from_name(scalar).ok_or_else(|| {
            let known: Vec<_> = TABLE.iter().map(|r| r.name).collect();
            let error = Error::new(Code::Type, format!("there is no scalar type '{scalar}'"));
            raise(py, error.hint(format!("there are {}", known.join(", "))))
        })?;
        let (scalar, len) = (s, rows);
        Ok(PyElem(match kind {
            "scalar" => Elem::Scalar(scalar),
            "vec" => Elem::Vec { len, scalar },
            "mat" => Elem::Mat { rows, cols, scalar },
            _ => match Compound::named(kind) {
                Some(compound) => Elem::Compound(compound, scalar),
                None => return Err(error(Code::Type, format!("no kind of type '{kind}'"))),
            },
        }))
    }
    /// `"scalar"`, `"vec"`, `"mat"`, `"struct"`, or the name of a compound such as `"quat"`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            Elem::Scalar(_) => "scalar",
            Elem::Vec { .. } => "vec",
            Elem::Mat { .. } => "mat",
            Elem::Compound(compound, _) => compound.name(),
            Elem::Struct(_) => "struct",
        }
    }
    /// The name of the components' type.
    #[getter]
    fn scalar(&self) -> &'static str {
        self.0.scalar().name()
    }
    /// Extents after an array's own: `()`, `(n,)` or `(rows, cols)`.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.inner_shape())
    }
    /// Number of components.
    #[getter]
    fn count(&self) -> usize {
        self.0.count()
    }
    /// Bytes.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }
    /// Whether the components are floats.
    #[getter]
    fn is_float(&self) -> bool {
        !matches!(self.0, Elem::Struct(_)) && self.0.scalar().is_float()
    }
    /// Arguments that make this again.
    pub fn spec(&self) -> (&'static str, &'static str, u32, u32) {
        let (rows, cols) = match self.0 {
            Elem::Vec { len, .. } => (len, 1),
            Elem::Mat { rows, cols, .. } => (rows, cols),
            _ => (1, 1),
        };
        (self.kind(), self.scalar(), rows, cols)
    }
    /// The number as this scalar type holds it; refuses an integer that does not fit.
    fn round<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        let n = number(value)?
            .rounded(self.0.scalar())
            .map_err(|e| raise(py, e))?;
        number_object(py, n)
    }
    /// The number as an explicit conversion to this scalar type makes it: an integer out of range wraps.
    fn wrap<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, scalar) = (value.py(), self.0.scalar());
        let n = match number(value) {
            Err(_) if scalar.is_int() && value.is_instance_of::<PyInt>() => {
                Number::Int(value.bitand(u64::MAX)?.extract()?)
            }
            n => n?,
        };
        let made = match n {
            Number::Int(_) if scalar.is_int() => Ok(n.cast(scalar)),
            _ => n.rounded(scalar),
        };
        number_object(py, made.map_err(|e| raise(py, e))?)
    }
    fn __hash__(&self) -> u64 {
        let mut h = DefaultHasher::new();
        self.0.hash(&mut h);
        h.finish()
    }
    fn __repr__(&self) -> String {
        format!("Elem({})", self.0)
    }
}

static TYPES: Mutex<Option<HashMap<Elem, Py<PyAny>>>> = Mutex::new(None);

/// Says which Python class stands for a type of values.
#[pyfunction]
fn register_type(elem: &Bound<'_, PyElem>, class: Py<PyAny>) {
    let mut types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    types
        .get_or_insert_with(HashMap::new)
        .insert(elem.get().0, class);
}

fn registered(py: Python<'_>, elem: Elem) -> Option<Bound<'_, PyAny>> {
    let types = TYPES.lock().unwrap_or_else(PoisonError::into_inner);
    Some(types.as_ref()?.get(&elem)?.bind(py).clone())
}

/// The Python class of a type of values; makes it at the first request.
///
/// # Errors
/// The package has no class for the type.
pub fn class_of(py: Python<'_>, elem: Elem) -> PyResult<Bound<'_, PyAny>> {
    if let Some(class) = registered(py, elem) {
        return Ok(class);
    }
    let spec = PyElem(elem).spec();
    PACKAGE.make_type.call(py, spec)?;
    registered(py, elem).ok_or_else(|| error(Code::Runtime, format!("no class for {elem}")))
}

/// The type of values that a Python object names; None if it names none.
#[inline]
pub fn elem_of(object: &Bound<'_, PyAny>) -> Option<Elem> {
    let at = object.as_ptr();
    // The three that annotations and `dtype=` name most.
    if at == (&raw mut ffi::PyFloat_Type).cast() {
        Some(Elem::Scalar(Scalar::F32))
    } else if at == (&raw mut ffi::PyLong_Type).cast() {
        Some(Elem::Scalar(Scalar::I32))
    } else if at == (&raw mut ffi::PyBool_Type).cast() {
        Some(Elem::Scalar(Scalar::Bool))
    } else {
        elem_of_class(object)
    }
}

fn elem_of_class(object: &Bound<'_, PyAny>) -> Option<Elem> {
    // A class that the package imports when it is first used has this attribute, too.
    let is_lazy = || {
        let lazy = PACKAGE.lazy_name.get(object.py()).or_note();
        lazy.is_some_and(|lazy| object.get_type().is(&lazy))
    };
    if (object.is_instance_of::<PyType>() || is_lazy())
        && let Some(elem) = (object.getattr(pyo3::intern!(object.py(), "_elem"))).or_note()
    {
        return elem.cast::<PyElem>().ok().map(|e| e.get().0);
    }
    numpy_scalar(object)
}

/// The scalar that a NumPy dtype or scalar class names.
fn numpy_scalar(object: &Bound<'_, PyAny>) -> Option<Elem> {
    #[cfg(feature = "numpy")]
    {
        let class = if object.is_instance_of::<PyType>() {
            object.clone()
        } else {
            object.get_type().into_any()
        };
        let module: String = class.getattr("__module__").or_note()?.extract().ok()?;
        if module == "numpy" || module.starts_with("numpy.") || module == "ml_dtypes" {
            let dtype = (object.py().import("numpy").or_note()?.getattr("dtype")).or_note()?;
            let descr = dtype.call1((object,)).or_note()?;
            return warp_numpy::from_descr(&descr).ok().map(Elem::Scalar);
        }
    }
    let _ = object;
    None
}

/// The type of values that a `dtype=` argument names.
///
/// # Errors
/// The object names no type of values.
#[inline]
pub fn require_elem(object: &Bound<'_, PyAny>) -> PyResult<Elem> {
    match elem_of(object) {
        Some(elem) => Ok(elem),
        None => named(object),
    }
}

/// The type that a text names, as `"float32"` and `"vec3"` do.
#[cold]
fn named(object: &Bound<'_, PyAny>) -> PyResult<Elem> {
    let Ok(name) = object.cast::<PyString>() else {
        return Err(no_elem(object));
    };
    let namespace = PACKAGE.namespace.get(object.py())?;
    let found = namespace.getattr_opt(name)?;
    if let Some(elem) = found.as_ref().and_then(elem_of) {
        return Ok(elem);
    }
    let known: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
    let text = format!("dtype is {}, which names no type", describe(object));
    let hint = match nearest(&name.to_cow()?, known.iter().copied()) {
        Some(like) => format!("did you mean \"{like}\"?"),
        None => format!(
            "expected one of {}, or \"vec3\" and the like",
            known.join(", ")
        ),
    };
    Err(error(Code::Type, format!("{text}; {hint}")))
}

/// What is wrong with a `dtype=` argument.
#[cold]
fn no_elem(object: &Bound<'_, PyAny>) -> PyErr {
    let mut hint = String::new();
    if object.is_instance_of::<PyInt>() {
        hint += "; if that is an extent, all are one tuple, as in wp.zeros((3, 4))";
    }
    if let Ok(name) = object.get_type().fully_qualified_name() {
        for_each_tensor_framework!(F => {
            if name.to_string_lossy().starts_with(F::MODULE) {
                hint = format!("; use wp.dtype_from_{}", F::MODULE);
            }
        });
    }
    error(
        Code::Type,
        format!(
            "dtype is {}, expected a type such as float, wp.float64, wp.vec3 or wp.mat22{hint}",
            describe(object)
        ),
    )
}

/// The scalar type that an argument names.
///
/// # Errors
/// It names none; the error names the call, `place`.
pub fn require_scalar(place: &str, dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    match elem_of(dtype) {
        Some(Elem::Scalar(scalar)) => Ok(scalar),
        _ => Err(error(
            Code::Type,
            format!(
                "{place}: expected a scalar type such as wp.float32, found {}",
                describe(dtype)
            ),
        )),
    }
}

/// The type that an annotation names: a type of values, `wp.array(dtype=...)`, `wp.indexedarray(dtype=...)` and the like.
pub fn annotation(object: &Bound<'_, PyAny>) -> Option<Type> {
    if let Ok(array) = object.cast::<Array>() {
        if array.get().admits().is_some() {
            return None;
        }
        let view = &array.get().core.view;
        return Some(Type::Array {
            elem: view.elem,
            ndim: view.ndim,
        });
    }
    elem_of(object).or_else(|| indexed_of(object)).map(Type::of)
}

/// What an indexed array, or an annotation of one, is to kernels.
pub fn indexed_of(object: &Bound<'_, PyAny>) -> Option<Elem> {
    let found = kernel_type(object)?;
    found.cast::<PyElem>().ok().map(|elem| elem.get().0)
}

/// What an indexed array says that it is to kernels: a type, or a pattern of them.
pub fn kernel_type<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let name = pyo3::intern!(object.py(), "_kernel_type");
    let known = object.get_type().hasattr(name).or_note()?;
    known.then(|| object.getattr(name).or_note()).flatten()
}

/// The bits of a number that a float type holds.
#[pyfunction]
#[pyo3(name = "_float_bits")]
fn float_bits(x: f64, scalar: &str) -> u64 {
    Scalar::from_name(scalar).map_or(0, |s| s.float_bits(x))
}

/// The number of a float type that has these bits.
#[pyfunction]
#[pyo3(name = "_float_of")]
fn float_of(bits: u64, scalar: &str) -> f64 {
    Scalar::from_name(scalar).map_or(0.0, |s| s.float_of(bits))
}

/// Adds the class and the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PyElem>()?;
    m.add_function(wrap_pyfunction!(register_type, m)?)?;
    m.add_function(wrap_pyfunction!(float_bits, m)?)?;
    m.add_function(wrap_pyfunction!(float_of, m)?)?;
    let rows = TABLE
        .iter()
        .map(|r| (r.name, r.short, r.typestr, r.bits, r.scalar.is_float()));
    m.add("SCALARS", PyTuple::new(m.py(), rows)?)
}
