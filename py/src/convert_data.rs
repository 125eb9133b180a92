//! Any object's memory: shared where that is asked for, else copied and converted.

use crate::array::{Array, refuse, type_error};
use crate::array_export::converted;
use crate::convert_list::{from_list, is_list};
#[cfg(any(feature = "torch", feature = "paddle"))]
use crate::descriptor::Descriptor;
use crate::protocol::{self, Use};
use crate::{convert, dtype, record};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use warp_core::array::{Array as Core, Owner, View};
use warp_core::interop::Desc;
#[cfg(any(feature = "numpy", feature = "torch", feature = "paddle"))]
use warp_core::interop::Framework;
#[cfg(feature = "numpy")]
use warp_core::interop::import;
use warp_core::ty::{Elem, Struct};
use warp_dlpack::raise;

/// The memory of any object; None where it has none to offer.
pub fn foreign(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<Option<(Desc, Owner)>> {
    if let Some(found) = known(value)? {
        return Ok(Some(found));
    }
    let plain = value.is_none()
        || value.is_instance_of::<PyString>()
        || is_list(value)
        || dtype::elem_of(value.get_type().as_any()).is_some();
    if plain {
        return Ok(None);
    }
    protocol::foreign(value, wanted)
}

/// The memory of arrays and tensors that we know by their type.
pub fn known(value: &Bound<'_, PyAny>) -> PyResult<Option<(Desc, Owner)>> {
    if let Ok(a) = value.cast::<Array>() {
        let core = &a.get().core;
        record::door(&core.view, "a conversion")?;
        if let Elem::Struct(s) = core.view.elem {
            return Err(PyTypeError::new_err(format!(
                "the array holds {s}, a struct, which nothing else can be made of; pass one field: \
                 a['{}']",
                s.fields()[0].name
            )));
        }
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
    #[cfg(feature = "paddle")]
    if warp_paddle::is_tensor(value) {
        return held::<warp_paddle::Paddle>(value);
    }
    #[cfg(feature = "jax")]
    if warp_jax::is_array(value) {
        let mut desc = Desc::EMPTY;
        let owner = warp_jax::hold(value, &mut desc)?;
        return Ok(Some((desc, owner)));
    }
    Ok(None)
}

#[cfg(any(feature = "numpy", feature = "torch", feature = "paddle"))]
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
    on_memory(value, elem, Use::Share)
}

/// An array that is only read: on the object's own memory, or on a temporary with its content.
pub fn seen(value: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    on_memory(value, elem, Use::Read)
}

fn on_memory(value: &Bound<'_, PyAny>, elem: Option<Elem>, wanted: Use) -> PyResult<Core> {
    let py = value.py();
    if let Ok(a) = value.cast::<Array>() {
        let core = &a.get().core;
        if elem.is_none_or(|e| e == core.view.elem) {
            return Ok(core.clone());
        }
    }
    if let Some(Elem::Struct(s)) = elem {
        return records(value, s, false);
    }
    // The commonest without a detour; what it refuses is refused again below, in more words.
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(value)
        && let Ok(core) = import::<warp_numpy::Numpy>(py, value, elem)
    {
        return Ok(core);
    }
    let Some((desc, owner)) = foreign(value, wanted)? else {
        return Err(no_memory(value));
    };
    let place = || format!("{} cannot be shared", convert::found(value));
    let view = desc
        .view(elem)
        .map_err(|e| raise(py, e.within(place()).hint("copy it instead")))?;
    Ok(Core { view, owner })
}

/// An array of structs: on the memory of records, or with their content.
#[cold]
fn records(value: &Bound<'_, PyAny>, s: Struct, copy: bool) -> PyResult<Core> {
    #[cfg(feature = "numpy")]
    if crate::structs_numpy::is_record(value) {
        return match copy {
            true => crate::structs_numpy::copied(value, s),
            false => crate::structs_numpy::shared(value, s),
        };
    }
    let _ = copy;
    Err(PyTypeError::new_err(format!(
        "an array of {s} is made of instances of {s}, NumPy's records of its fields, or another array of {s}, not of \
         {}",
        convert::found(value)
    )))
}

#[cold]
fn no_memory(value: &Bound<'_, PyAny>) -> PyErr {
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if value.is_instance_of::<Descriptor>() {
        return type_error("an array; a descriptor can only be launched", value);
    }
    if is_list(value) {
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
    if is_list(value) {
        return from_list(value, elem);
    }
    if let Ok(a) = value.cast::<Array>()
        && let view @ View {
            elem: Elem::Struct(_),
            ..
        } = a.get().view()
        && elem.is_none_or(|e| e == view.elem)
    {
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        return unsafe { Core::copy_of(view) }.map_err(refuse(py, "array"));
    }
    if let Some(Elem::Struct(s)) = elem {
        return records(value, s, true);
    }
    let found = match own_memory(value) {
        Ok(found) => found,
        // NumPy reads byte orders and alignments that we do not.
        Err(e) => match native(value) {
            Some(native) => known(&native).map_err(|_| e)?,
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
    let found = foreign(value, Use::Read)?;
    if let Some((desc, _)) = &found {
        let misaligned = desc.strides[..desc.ndim]
            .iter()
            .fold(desc.data as i64, |a, s| a | s)
            % desc.scalar.size() as i64
            != 0;
        if misaligned && let Some(native) = native(value) {
            return known(&native);
        }
    }
    Ok(found)
}

/// What NumPy makes of an array whose byte order or alignment is not ours; None where that is not what is wrong.
#[cfg(feature = "numpy")]
fn native<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    // What is on another device is not brought here unasked.
    if value.hasattr(protocol::cuda::NAME).ok()? {
        return None;
    }
    let array = (value.py().import("numpy").ok()?)
        .call_method1("asarray", (value,))
        .ok()?;
    let dtype = array.getattr("dtype").ok()?;
    let order = dtype.call_method1("newbyteorder", ("=",)).ok()?;
    let aligned = array.getattr("flags").ok()?.getattr("aligned").ok()?;
    if aligned.is_truthy().ok()? && order.eq(&dtype).ok()? {
        return None;
    }
    array.call_method1("astype", (order,)).ok()
}

#[cfg(not(feature = "numpy"))]
fn native<'py>(_value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    None
}

/// What to assign from: shared where the element is the same, else converted.
pub fn source(value: &Bound<'_, PyAny>, elem: Elem) -> PyResult<Core> {
    match value.cast::<Array>() {
        Ok(a) if a.get().view().elem == elem => Ok(a.get().core.clone()),
        _ if is_list(value) => from_list(value, Some(elem)),
        _ => match seen(value, Some(elem)) {
            Ok(core) => Ok(core),
            Err(_) => copied(value, Some(elem)),
        },
    }
}
