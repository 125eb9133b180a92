//! Nested lists as new arrays of the host. Plain numbers and values of our types need no NumPy; anything else it reads.

use crate::dtype;
use crate::object::error::{Code, error, refuse};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyRange, PyTuple};
use smallvec::SmallVec;
use warp_core::array::{Array as Core, Number, Placement};
use warp_core::dtype::Scalar;
use warp_core::interop::{MAX_FOREIGN_NDIM, regrouped};
use warp_core::ty::Elem;
use warp_dlpack::{Lenient, passes, raise};

/// Whether an object is a list or tuple, whose items are rows.
pub fn is_list(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()
}

/// A list, a tuple, or the numbers of a range as a list; None for anything else.
///
/// # Errors
/// Python has no memory.
pub fn listed<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_list(value) {
        return Ok(Some(value.clone()));
    }
    if value.is_instance_of::<PyRange>() {
        let numbers: PyResult<Vec<_>> = value.try_iter()?.collect();
        return Ok(Some(PyList::new(value.py(), numbers?)?.into_any()));
    }
    Ok(None)
}

/// A new array with the numbers, vectors or matrices of nested lists; None where NumPy has to read them.
///
/// # Errors
/// The lists do not have the shape of an array, or a number does not fit `elem`.
pub fn from_list(
    list: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    at: Placement,
) -> PyResult<Option<Core>> {
    let py = list.py();
    if list.len()? == 0 {
        let elem = elem.unwrap_or(Elem::Scalar(Scalar::F32));
        let empty = Core::zeros(elem, &[0], at).map_err(refuse(py, "array"));
        return empty.map(Some);
    }
    if let Some(made) = from_values(list, elem, at)? {
        return Ok(Some(made));
    }
    let mut content = Content::default();
    match content.walk(list, 0)? {
        true => content.array(py, elem, at).map(Some),
        false => Ok(None),
    }
}

/// A new array of a list's values, all of one type; None for other lists.
fn from_values(
    list: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    at: Placement,
) -> PyResult<Option<Core>> {
    let py = list.py();
    let Ok(list) = list.cast::<PyList>() else {
        return Ok(None);
    };
    let first = list.get_item(0)?.get_type();
    if !first.hasattr(pyo3::intern!(py, "_elem"))? {
        return Ok(None);
    }
    let Some(own) = dtype::elem_of(first.as_any()) else {
        return Ok(None);
    };
    if matches!(own, Elem::Scalar(_) | Elem::Struct(_)) || elem.is_some_and(|elem| elem != own) {
        return Ok(None);
    }
    let mut bytes = SmallVec::<[u8; 64]>::with_capacity(list.len() * own.size());
    for item in list.iter() {
        if !dtype::memory_of(&item, own, &mut bytes)? {
            return Ok(None);
        }
    }
    let dims = [(bytes.len() / own.size()) as i64];
    let core = Core::empty(own, &dims, at).map_err(refuse(py, "array"))?;
    // SAFETY: the array has as many elements as values were read.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), core.view.arg.data, bytes.len()) };
    Ok(Some(core))
}

/// What NumPy makes of nested lists.
///
/// # Errors
/// NumPy is not installed, or cannot read them.
pub fn by_numpy<'py>(list: &Bound<'py, PyAny>, elem: Option<Elem>) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    let numpy = py.import("numpy").map_err(|e| {
        if passes(&e) {
            return e;
        }
        let text = "a list of anything but numbers, lists and Warp's own values is read by NumPy, which is not installed";
        let error = error(Code::Type, text);
        error.set_cause(py, Some(e));
        error
    })?;
    // A float that NumPy lacks, as bfloat16: read float32 and round.
    let read = elem.map(|e| match e.scalar() {
        s if s.is_numpys() => s,
        _ => Scalar::F32,
    });
    let dtype = read.map(|s| numpy.getattr("dtype")?.call1((s.name(),)));
    numpy.getattr("array")?.call1((list, dtype.transpose()?))
}

/// The type of the first leaf of nested lists, where that is a vector, matrix or typed number.
pub fn leaf_elem(list: &Bound<'_, PyAny>) -> Option<Elem> {
    let mut leaf = list.clone();
    while is_list(&leaf) {
        leaf = leaf.get_item(0).or_note()?;
    }
    let class = leaf.get_type();
    let typed = class.hasattr("_elem").or_note()?;
    dtype::elem_of(class.as_any()).filter(|_| typed)
}

/// What nested lists hold.
#[derive(Default)]
struct Content {
    /// Items per level, components included.
    shape: SmallVec<[usize; MAX_FOREIGN_NDIM]>,
    /// All numbers in row-major order.
    numbers: Vec<Number>,
    /// Whether some number was a float, or an int (a bool is neither).
    float: bool,
    int: bool,
    /// At which level the first number stood.
    depth: Option<usize>,
}

impl Content {
    /// Reads one item at a level; false where NumPy has to read the list.
    fn walk(&mut self, item: &Bound<'_, PyAny>, level: usize) -> PyResult<bool> {
        if let Ok(list) = item.cast::<PyList>() {
            return self.row(list.len(), list.iter(), level);
        }
        if let Ok(tuple) = item.cast::<PyTuple>() {
            return self.row(tuple.len(), tuple.iter(), level);
        }
        if let Ok(f) = item.cast_exact::<PyFloat>() {
            self.float = true;
            return self.leaf(Number::Float(f.value()), level);
        }
        if item.is_exact_instance_of::<PyInt>() || item.is_exact_instance_of::<PyBool>() {
            let number = dtype::number(item)?;
            self.int |= matches!(number, Number::Int(_));
            return self.leaf(number, level);
        }
        let class = item.get_type();
        if !class.hasattr(pyo3::intern!(item.py(), "_elem"))? {
            return Ok(false);
        }
        let Some(elem) = dtype::elem_of(class.as_any()) else {
            return Ok(false);
        };
        if matches!(elem, Elem::Scalar(_)) {
            let number = dtype::number(item)?;
            self.float |= matches!(number, Number::Float(_));
            self.int |= matches!(number, Number::Int(_));
            return self.leaf(number, level);
        }
        // Vectors are rows of numbers, matrices of vectors; quaternions and transforms likewise.
        let rows: Vec<_> = item.try_iter()?.collect::<PyResult<_>>()?;
        self.row(rows.len(), rows.into_iter(), level)
    }

    fn row<'py>(
        &mut self,
        len: usize,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        level: usize,
    ) -> PyResult<bool> {
        if level == MAX_FOREIGN_NDIM || self.depth.is_some_and(|d| level >= d) {
            return Err(ragged());
        }
        match self.shape.get(level) {
            None => self.shape.push(len),
            Some(n) if *n == len => {}
            Some(_) => return Err(ragged()),
        }
        for item in items {
            if !self.walk(&item, level + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn leaf(&mut self, number: Number, level: usize) -> PyResult<bool> {
        match self.depth {
            None if level == self.shape.len() => self.depth = Some(level),
            Some(d) if d == level => {}
            _ => return Err(ragged()),
        }
        self.numbers.push(number);
        Ok(true)
    }

    /// The type of numbers without one: as NumPy and the documents have it, those of Python in full width.
    fn scalar(&self) -> Scalar {
        let wide = |n: &Number| matches!(n, Number::Int(i) if *i > i64::MAX.into());
        match (self.float || self.numbers.is_empty(), self.int) {
            (true, _) => Scalar::F64,
            (_, true) if self.numbers.iter().any(wide) => Scalar::U64,
            (_, true) => Scalar::I64,
            _ => Scalar::Bool,
        }
    }

    fn array(self, py: Python<'_>, elem: Option<Elem>, placed: Placement) -> PyResult<Core> {
        let elem = elem.unwrap_or_else(|| Elem::Scalar(self.scalar()));
        let inner = elem.inner_shape();
        let mut dims: SmallVec<[i64; MAX_FOREIGN_NDIM]> =
            self.shape.iter().map(|n| *n as i64).collect();
        if !self.shape.ends_with(&inner) {
            let text = || {
                format!(
                    "an array of {elem} ends in the dimensions {:?}, this list has the shape {:?}",
                    inner.as_slice(),
                    self.shape.as_slice()
                )
            };
            dims = regrouped(&dims, elem).ok_or_else(|| error(Code::Type, text()))?;
        }
        dims.truncate(dims.len() - inner.len());
        if dims.is_empty() {
            dims.push(1);
        }
        let core = Core::empty(elem, &dims, placed).map_err(refuse(py, "array"))?;
        let scalar = elem.scalar();
        let mut at = core.view.arg.data;
        let mut bytes = SmallVec::<[u8; 8]>::new();
        for number in &self.numbers {
            bytes.clear();
            whole(*number, scalar)?
                .write(scalar, &mut bytes)
                .map_err(|e| raise(py, e))?;
            // SAFETY: the array has as many scalars as the list has numbers.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
                at = at.add(bytes.len());
            }
        }
        Ok(core)
    }
}

/// A float for an integer type, cut towards zero.
fn whole(number: Number, scalar: Scalar) -> PyResult<Number> {
    match number {
        Number::Float(f) if scalar.is_int() && !f.is_finite() => Err(error(
            Code::Value,
            format!("{f} in the list is no {scalar}"),
        )),
        Number::Float(f) if scalar.is_int() => Ok(Number::Int(f as i128)),
        other => Ok(other),
    }
}

fn ragged() -> PyErr {
    error(
        Code::Value,
        "the lists do not have the shape of an array: items at one level differ in length or kind, or are nested too \
         deep",
    )
}
