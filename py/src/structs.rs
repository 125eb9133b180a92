//! Structs: their types, and arguments that are structs or arrays of them as the leaves that a kernel is passed.
//!
//! An instance is a Python object whose `_values` hold a value for each field; `warp/_struct.py` has the class. An
//! array of structs is one array for each leaf, on the same memory.

use crate::array::Array;
use crate::array_make as make;
use crate::dtype::{self, PyElem};
use crate::kernel::Kernel;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use smallvec::SmallVec;
use warp_core::array::{Array as Core, View};
use warp_core::ty::{Elem, Leaf, Struct, Type, leaves};
use warp_dlpack::raise;

/// A parameter as its author wrote it, in kernels that take structs.
pub struct Argument {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: Type,
    /// How many of the kernel's parameters it is.
    pub leaves: usize,
}

impl Argument {
    /// The argument of a parameter.
    pub fn new(name: &str, ty: &Type) -> Argument {
        Argument {
            name: name.to_string(),
            leaves: leaves(name, ty).len(),
            ty: ty.clone(),
        }
    }
    /// Whether it is passed as leaves.
    pub fn is_spread(&self) -> bool {
        matches!(
            self.ty,
            Type::Struct(_)
                | Type::Array {
                    elem: Elem::Struct(_),
                    ..
                }
        )
    }
}

/// A leaf that is part of an array of structs.
pub struct Root<'py> {
    /// Which parameter of the kernel.
    pub param: usize,
    /// The array of structs.
    pub array: Bound<'py, Array>,
    /// Which part of its elements.
    pub leaf: &'static Leaf,
}

/// Values for a kernel's parameters.
pub type Values<'py> = SmallVec<[Bound<'py, PyAny>; 12]>;

/// Declares a struct: the key tells apart what has the same name.
#[pyfunction]
fn _struct(
    py: Python<'_>,
    key: &str,
    name: &str,
    fields: Vec<(String, Py<PyAny>)>,
) -> PyResult<PyElem> {
    let mut types = Vec::new();
    for (field, annotation) in fields {
        let annotation = annotation.bind(py);
        let Some(ty) = dtype::annotation(annotation) else {
            return Err(PyTypeError::new_err(format!(
                "struct '{name}': field '{field}' is declared as {}, which is no type of kernels; for example float, \
                 wp.vec3, wp.array(dtype=float) or another struct",
                crate::scope::describe(annotation)
            )));
        };
        types.push((field, ty));
    }
    let made = Struct::new(key, name, types).map_err(|e| raise(py, e))?;
    Ok(PyElem(Elem::Struct(made)))
}

/// Refuses what a field that is an array cannot hold.
#[pyfunction]
fn _check_array(declared: &Bound<'_, Array>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let want = declared.get().view();
    if let Ok(array) = value.cast::<Array>() {
        let have = array.get().view();
        if (have.elem, have.ndim) == (want.elem, want.ndim) && !array.get().is_annotation() {
            return Ok(());
        }
    }
    let (elem, ndim) = (want.elem, want.ndim);
    let hint = match value.cast::<Array>() {
        Err(_) if value.hasattr("__array__")? || value.hasattr("__dlpack__")? => {
            "; make it a Warp array, as with wp.array(a, dtype=..., copy=False)"
        }
        _ => "",
    };
    Err(PyTypeError::new_err(format!(
        "expected {}, found {}{hint}",
        Type::Array { elem, ndim },
        crate::convert::found(value)
    )))
}

type FieldFacts<'py> = (&'static str, Option<Bound<'py, PyAny>>, usize);

/// Fields of a struct: name, type of the values (None for arrays), bytes from the start.
#[pyfunction]
fn _fields<'py>(py: Python<'py>, elem: &PyElem) -> PyResult<Vec<FieldFacts<'py>>> {
    let Elem::Struct(s) = elem.0 else {
        return Ok(Vec::new());
    };
    let fields = s.fields().iter().map(|f| {
        let class = match f.ty {
            Type::Elem(elem) => Some(dtype::class_of(py, elem)?),
            Type::Struct(s) => Some(dtype::class_of(py, Elem::Struct(s))?),
            _ => None,
        };
        Ok((f.name.as_str(), class, f.offset))
    });
    fields.collect()
}

/// The values of an instance's fields; None if it is no instance of this struct.
pub fn values<'py>(value: &Bound<'py, PyAny>, s: Struct) -> Option<Bound<'py, PyList>> {
    if dtype::elem_of(value.get_type().as_any()) != Some(Elem::Struct(s)) {
        return None;
    }
    let values = value.getattr(pyo3::intern!(value.py(), "_values")).ok()?;
    let values = values.cast_into::<PyList>().ok()?;
    (values.len() == s.fields().len()).then_some(values)
}

/// An error about a value that is no instance of a struct.
pub fn expected(s: Struct, value: &Bound<'_, PyAny>) -> PyErr {
    let found = match dtype::elem_of(value.get_type().as_any()) {
        // One of the same name: what is in it tells.
        Some(Elem::Struct(other)) if other.name() == s.name() => {
            let text = format!("expected {}, found {}", s.describe(), other.describe());
            return PyTypeError::new_err(text);
        }
        Some(Elem::Struct(other)) => format!("an instance of {other}"),
        _ => crate::convert::found(value),
    };
    PyTypeError::new_err(format!("expected an instance of {s}, found {found}"))
}

/// Part of an array of structs, with the same part of its gradient.
pub fn part<'py>(array: &Bound<'py, Array>, leaf: &Leaf) -> PyResult<Bound<'py, Array>> {
    let elem = match leaf.ty {
        Type::Elem(elem) => elem,
        _ => array.get().view().elem,
    };
    within(array, elem, leaf.offset)
}

/// `a[name]`: one field of all elements of an array of structs, on the same memory.
pub fn field<'py>(array: &Bound<'py, Array>, name: &str) -> PyResult<Bound<'py, Array>> {
    let view = array.get().view();
    let Elem::Struct(s) = view.elem else {
        return Err(PyTypeError::new_err(format!(
            "an array of {} has no fields: it is indexed by ints and slices, not by '{name}'",
            view.elem
        )));
    };
    let found = s.field(name).map(|(_, field)| (field, &field.ty));
    match found {
        Some((field, Type::Elem(elem))) => within(array, *elem, field.offset),
        Some((field, Type::Struct(inner))) => within(array, Elem::Struct(*inner), field.offset),
        _ => {
            let names: Vec<&str> = s.fields().iter().map(|f| f.name.as_str()).collect();
            Err(PyKeyError::new_err(format!(
                "{s} has no field '{name}'; it has {}",
                names.join(", ")
            )))
        }
    }
}

/// What lies `offset` bytes behind the start of each element, with the same part of the gradient.
fn within<'py>(
    array: &Bound<'py, Array>,
    elem: Elem,
    offset: usize,
) -> PyResult<Bound<'py, Array>> {
    let (py, this) = (array.py(), array.get());
    let gradient = match this.gradient(py).filter(|_| elem.has_floats()) {
        Some(g) => {
            let view = part_view(g.get().view(), elem, offset);
            Some(Py::new(py, Array::new(g.get().core.with_view(view)))?)
        }
        None => None,
    };
    let core = this.core.with_view(part_view(this.view(), elem, offset));
    Bound::new(py, Array::with_gradient(core, gradient))
}

/// Where a part of the elements lies.
pub fn part_view(view: &View, elem: Elem, offset: usize) -> View {
    let mut part = *view;
    part.elem = elem;
    if !part.arg.data.is_null() {
        part.arg.data = part.arg.data.wrapping_add(offset);
    }
    part
}

/// Puts the leaves of all arguments in the places of a kernel's parameters.
pub fn spread<'py>(
    kernel: &Kernel,
    arguments: &[Argument],
    given: &[Bound<'py, PyAny>],
) -> PyResult<(Values<'py>, Vec<Root<'py>>)> {
    let mut out = Spread::default();
    for (argument, value) in arguments.iter().zip(given) {
        let first = out.values.len();
        let fail = |e: PyErr, at: usize| {
            let name = kernel.params.get(at).filter(|_| at > first);
            let name = name.map_or(argument.name.as_str(), |p| p.name.as_str());
            dtype::Mismatch(e).at(kernel.title(), name)
        };
        match argument.ty {
            Type::Struct(s) => {
                if let Err(e) = out.instance(value, s) {
                    return Err(fail(e, out.values.len()));
                }
                out.fill_unused(kernel, first, value.py())?;
            }
            Type::Array {
                elem: Elem::Struct(s),
                ndim,
            } => out.array(value, s, ndim).map_err(|e| fail(e, first))?,
            _ => out.values.push(value.clone()),
        }
    }
    Ok((out.values, out.roots))
}

/// Gradients for some arguments as those of their leaves.
pub fn spread_gradients<'py>(
    kernel: &Kernel,
    arguments: &[Argument],
    given: Vec<Option<Bound<'py, PyAny>>>,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let mut all = Vec::new();
    for (argument, gradient) in arguments.iter().zip(given) {
        let Some(gradient) = gradient else {
            all.resize_with(all.len() + argument.leaves, || None);
            continue;
        };
        let mut out = Spread::default();
        let outcome = match argument.ty {
            Type::Struct(s) => out.instance(&gradient, s),
            Type::Array {
                elem: Elem::Struct(s),
                ndim,
            } => out.array(&gradient, s, ndim),
            _ => {
                all.push(Some(gradient));
                continue;
            }
        };
        outcome.map_err(|e| dtype::Mismatch(e).at(kernel.title(), &argument.name))?;
        // Of a struct's fields only arrays have gradients.
        let arrays = out.values.into_iter();
        all.extend(arrays.map(|v| Some(v).filter(|v| v.is_instance_of::<Array>() || has_shape(v))));
    }
    Ok(all)
}

fn has_shape(value: &Bound<'_, PyAny>) -> bool {
    #[cfg(feature = "numpy")]
    return warp_numpy::is_array(value);
    #[cfg(not(feature = "numpy"))]
    return value.hasattr("shape").unwrap_or(false);
}

/// Leaves as they are found.
#[derive(Default)]
struct Spread<'py> {
    values: Values<'py>,
    roots: Vec<Root<'py>>,
}

impl<'py> Spread<'py> {
    fn instance(&mut self, value: &Bound<'py, PyAny>, s: Struct) -> PyResult<()> {
        let Some(values) = values(value, s) else {
            return Err(expected(s, value));
        };
        for (field, value) in s.fields().iter().zip(values.iter()) {
            match field.ty {
                Type::Struct(inner) => self.instance(&value, inner)?,
                Type::Array {
                    elem: Elem::Struct(inner),
                    ndim,
                } if !value.is_none() => self.array(&value, inner, ndim)?,
                Type::Array { .. } => {
                    let each = std::iter::repeat_n(value, field.leaves);
                    self.values.extend(each);
                }
                _ => self.values.push(value),
            }
        }
        Ok(())
    }

    fn array(&mut self, value: &Bound<'py, PyAny>, s: Struct, ndim: u8) -> PyResult<()> {
        let wanted = Type::Array {
            elem: Elem::Struct(s),
            ndim,
        };
        if let Ok(array) = value.cast::<Array>() {
            let view = array.get().view();
            if view.elem == Elem::Struct(s) && view.ndim == ndim {
                for leaf in s.leaves() {
                    self.roots.push(Root {
                        param: self.values.len(),
                        array: array.clone(),
                        leaf,
                    });
                    self.values.push(part(array, leaf)?.into_any());
                }
                return Ok(());
            }
            if let Elem::Struct(other) = view.elem
                && other.name() == s.name()
                && other != s
            {
                return Err(PyTypeError::new_err(format!(
                    "expected an array of {}, found one of {}",
                    s.describe(),
                    other.describe()
                )));
            }
        }
        #[cfg(feature = "numpy")]
        if crate::structs_numpy::is_record(value) {
            let dims: usize = value.getattr("ndim")?.extract()?;
            if dims == ndim as usize {
                for leaf in s.leaves() {
                    self.values
                        .push(crate::structs_numpy::field(value, s, leaf)?);
                }
                return Ok(());
            }
        }
        Err(PyTypeError::new_err(format!(
            "expected {wanted}, found {}",
            crate::convert::found(value)
        )))
    }

    /// An array that a struct does not have and the kernel does not look at is an empty one.
    fn fill_unused(&mut self, kernel: &Kernel, first: usize, py: Python<'py>) -> PyResult<()> {
        for at in first..self.values.len() {
            let param = &kernel.params[at];
            if param.ndim == 0 || !self.values[at].is_none() {
                continue;
            }
            let access = kernel.ready(py)?.compiled.access[at];
            if access.loads || access.writes() {
                let want = Type::Array {
                    elem: param.elem,
                    ndim: param.ndim,
                };
                let text =
                    format!("the field holds no array, and the kernel uses it; assign one: {want}");
                return Err(
                    dtype::Mismatch(PyTypeError::new_err(text)).at(kernel.title(), &param.name)
                );
            }
            let empty = make::blank(py, param.elem, param.ndim as usize)?;
            self.values[at] = Bound::new(py, empty)?.into_any();
        }
        Ok(())
    }
}

/// Nested lists of instances as a new array.
pub fn from_list(list: &Bound<'_, PyAny>, s: Struct) -> PyResult<Core> {
    let py = list.py();
    let mut shape = Vec::new();
    let mut bytes = SmallVec::new();
    collect(list, s, 0, &mut shape, &mut bytes)?;
    let dims: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    let device = warp_core::device::Device::Cpu;
    let core =
        Core::empty(Elem::Struct(s), &dims, device).map_err(crate::array::refuse(py, "array"))?;
    // SAFETY: new memory of as many elements as were written.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), core.view.arg.data, bytes.len()) };
    Ok(core)
}

fn collect(
    item: &Bound<'_, PyAny>,
    s: Struct,
    level: usize,
    shape: &mut Vec<usize>,
    bytes: &mut SmallVec<[u8; 64]>,
) -> PyResult<()> {
    let ragged = || {
        PyTypeError::new_err(format!(
            "the lists do not have the shape of an array of {s}: items at one level differ in length or kind"
        ))
    };
    if !crate::convert_list::is_list(item) {
        if level != shape.len() {
            return Err(ragged());
        }
        return dtype::element_bytes(item, Elem::Struct(s), false, bytes);
    }
    let n = item.len()?;
    match shape.get(level) {
        Some(known) if *known == n => {}
        // Once an element has been seen the depth is known.
        None if bytes.is_empty() => shape.push(n),
        _ => return Err(ragged()),
    }
    for item in item.try_iter()? {
        collect(&item?, s, level + 1, shape, bytes)?;
    }
    Ok(())
}

/// Adds the functions to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_struct, m)?)?;
    m.add_function(wrap_pyfunction!(_check_array, m)?)?;
    m.add_function(wrap_pyfunction!(_fields, m)?)
}
