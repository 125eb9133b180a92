//! Any object's memory: shared where that is asked for, else copied and converted.

use crate::array::{Array, refuse, type_error};
use crate::array_export::converted;
use crate::convert_dlpack as dlpack;
#[cfg(feature = "torch")]
use crate::descriptor::Descriptor;
use crate::{convert, dtype};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyString, PyTuple};
use warp_core::array::{Array as Core, Owner};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::{Desc, Framework, import};
use warp_core::ty::Elem;
use warp_dlpack::raise;

/// The memory of an object that is not a Warp array; None where it has none to offer.
pub fn foreign(value: &Bound<'_, PyAny>) -> PyResult<Option<(Desc, Owner)>> {
    let py = value.py();
    if let Ok(a) = value.cast::<Array>() {
        let core = &a.get().core;
        return Ok(Some((Desc::of(&core.view), core.owner.clone())));
    }
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(value) {
        return held::<warp_numpy::Numpy>(value);
    }
    #[cfg(feature = "torch")]
    if warp_torch::is_tensor(value) {
        return held::<warp_torch::Torch>(value);
    }
    let plain = value.is_none()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || dtype::elem_of(value.get_type().as_any()).is_some();
    if plain {
        return Ok(None);
    }
    if let Some(found) = dlpack::hold(value)? {
        return Ok(Some(found));
    }
    // SAFETY: any object may be asked.
    let buffer = unsafe { ffi::PyObject_CheckBuffer(value.as_ptr()) != 0 };
    if buffer || value.hasattr("__array_interface__")? || value.hasattr("__array__")? {
        let numpy = py.import("numpy")?;
        let array = if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
            numpy.getattr("frombuffer")?.call1((value, "uint8"))?
        } else {
            numpy.getattr("asarray")?.call1((value,))?
        };
        #[cfg(feature = "numpy")]
        return held::<warp_numpy::Numpy>(&array);
        #[cfg(not(feature = "numpy"))]
        return dlpack::hold(&array);
    }
    if value.hasattr("__cuda_array_interface__")? {
        return Err(PyTypeError::new_err(format!(
            "{} is on a CUDA device, which is not available here; copy it to the CPU first",
            convert::found(value)
        )));
    }
    Ok(None)
}

#[inline]
fn held<'py, F>(value: &Bound<'py, PyAny>) -> PyResult<Option<(Desc, Owner)>>
where
    F: for<'a> Framework<Tensor<'a> = Bound<'a, PyAny>, Error = PyErr>,
{
    let mut desc = Desc::EMPTY;
    let owner = F::hold(value, &mut desc)?;
    Ok(Some((desc, owner)))
}

/// An array on the object's own memory.
pub fn shared(value: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    let py = value.py();
    if let Ok(a) = value.cast::<Array>() {
        let core = &a.get().core;
        if elem.is_none_or(|e| e == core.view.elem) {
            return Ok(core.clone());
        }
    }
    // The commonest without a detour; what it refuses is refused again below, in more words.
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(value)
        && let Ok(core) = import::<warp_numpy::Numpy>(py, value, elem)
    {
        return Ok(core);
    }
    let Some((desc, owner)) = foreign(value)? else {
        return Err(no_memory(value));
    };
    let place = || format!("{} cannot be shared", convert::found(value));
    let view = desc
        .view(elem)
        .map_err(|e| raise(py, e.within(place()).hint("copy it instead")))?;
    Ok(Core { view, owner })
}

#[cold]
fn no_memory(value: &Bound<'_, PyAny>) -> PyErr {
    #[cfg(feature = "torch")]
    if value.is_instance_of::<Descriptor>() {
        return type_error("an array; a descriptor can only be launched", value);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return PyTypeError::new_err("a list has no memory to share; use copy=True");
    }
    type_error(
        "an array, a tensor or another object with array memory",
        value,
    )
}

/// A new array with the object's content, as `elem` where that is given.
pub fn copied(value: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    let py = value.py();
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return from_list(value, elem);
    }
    let found = match own_memory(value) {
        Ok(found) => found,
        // NumPy reads byte orders and alignments that we do not.
        Err(e) => match native(value) {
            Some(native) => own_memory(&native).map_err(|_| e)?,
            None => return Err(e),
        },
    };
    let Some((desc, owner)) = found else {
        return Err(if dtype::number(value).is_ok() {
            type_error("a list, an array or a tensor as data", value)
        } else {
            no_memory(value)
        });
    };
    let same = elem.map(|e| e.with_scalar(desc.scalar));
    let view = desc.view(same).map_err(refuse(py, "array"))?;
    let core = Core { view, owner };
    match elem {
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        Some(e) if e.scalar() != desc.scalar => unsafe { converted(py, &core, e.scalar()) },
        // SAFETY: as above.
        _ => unsafe { Core::copy_of(&core.view) }.map_err(refuse(py, "array")),
    }
}

/// The object's memory, if it can be read as it is.
fn own_memory(value: &Bound<'_, PyAny>) -> PyResult<Option<(Desc, Owner)>> {
    let found = foreign(value)?;
    if let Some((desc, _)) = &found {
        let misaligned = desc.strides[..desc.ndim]
            .iter()
            .fold(desc.data as i64, |a, s| a | s)
            % desc.scalar.size() as i64
            != 0;
        if misaligned && let Some(native) = native(value) {
            return foreign(&native);
        }
    }
    Ok(found)
}

/// A NumPy array in native byte order and aligned, copied.
fn native<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let dtype = value.getattr("dtype").ok()?;
    let order = dtype.call_method1("newbyteorder", ("=",)).ok()?;
    value.call_method1("astype", (order,)).ok()
}

/// What to assign from: shared where the element is the same, else converted.
pub fn source(value: &Bound<'_, PyAny>, elem: Elem) -> PyResult<Core> {
    match value.cast::<Array>() {
        Ok(a) if a.get().view().elem == elem => Ok(a.get().core.clone()),
        _ if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() => {
            from_list(value, Some(elem))
        }
        _ => match shared(value, Some(elem)) {
            Ok(core) => Ok(core),
            Err(_) => copied(value, Some(elem)),
        },
    }
}

/// The type of the first leaf of nested lists, where that is a vector, matrix or typed number.
fn leaf_elem(list: &Bound<'_, PyAny>) -> Option<Elem> {
    let mut leaf = list.clone();
    while leaf.is_instance_of::<PyList>() || leaf.is_instance_of::<PyTuple>() {
        leaf = leaf.get_item(0).ok()?;
    }
    let class = leaf.get_type();
    let typed = class.hasattr("_elem").unwrap_or(false);
    dtype::elem_of(class.as_any()).filter(|_| typed)
}

/// Nested lists of numbers or vectors, read by NumPy.
fn from_list(list: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    let py = list.py();
    let elem = elem.or_else(|| leaf_elem(list));
    if list.len()? == 0 {
        let elem = elem.unwrap_or(Elem::Scalar(Scalar::F32));
        return Core::zeros(elem, &[0], Device::Cpu).map_err(refuse(py, "array"));
    }
    let numpy = py.import("numpy")?;
    // NumPy has no bfloat16: read float32 and round.
    let read = elem.map(|e| match e.scalar() {
        Scalar::BF16 => Scalar::F32,
        s => s,
    });
    let dtype = read.map(|s| numpy.getattr("dtype")?.call1((s.name(),)));
    let array = numpy.getattr("array")?.call1((list, dtype.transpose()?))?;
    copied(&array, elem)
}
