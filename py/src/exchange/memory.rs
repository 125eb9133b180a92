//! The memory of any object but lists and records: as it is, or copied and converted.

use super::cuda;
use super::descriptor::Descriptor;
use super::list::{from_list, is_list};
use super::protocol;
use super::reader::Use;
use crate::dtype;
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error, refuse};
use crate::object::message::{describe, type_error, warn};
use crate::object::part::on_host;
use crate::object::shape::dims;
use crate::registry::for_each_framework;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyType};
use warp_core::array::convert::{Lost, convert};
use warp_core::array::{Array as Core, Owner, Placement, View, copy as elements};
use warp_core::device::Device;
use warp_core::dtype::{Class, Scalar};
use warp_core::interop::Desc;
use warp_core::interop::Framework;
use warp_core::interop::import;
use warp_core::ty::Elem;
use warp_dlpack::{Adapter, Lenient, passes, raise, raise_noted};

/// The memory of any object; None where it has none to offer.
///
/// # Errors
/// The object's memory is on another device, or is described wrongly.
pub fn foreign(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<Option<(Desc, Owner)>> {
    if let Some(found) = by_type(value)? {
        return Ok(Some(found));
    }
    let plain = value.is_none()
        || value.is_instance_of::<PyString>()
        // Its methods are for its objects.
        || value.is_instance_of::<PyType>()
        || is_list(value)
        || dtype::elem_of(value.get_type().as_any()).is_some();
    if plain {
        return Ok(None);
    }
    let found = match protocol::memory(value, wanted) {
        Ok(None) if value.hasattr("__array__")? => from_method(value, wanted).map(Some),
        found => found,
    };
    found.map_err(|e| without_values(value, e))
}

/// Why an object's memory cannot be had: what jax traces has none, which its own exceptions say in other words.
#[cold]
pub fn without_values(value: &Bound<'_, PyAny>, refusal: PyErr) -> PyErr {
    let mut why: Option<&str> = None;
    if !passes(&refusal) {
        for_each_framework!(F => { why = why.or_else(|| F::without_values(value)); });
    }
    // What the object raised when it was asked for its class must pass.
    if let Err(raised) = raise_noted() {
        return raised;
    }
    let Some(why) = why else {
        return refusal;
    };
    let explained = error(Code::Type, format!("{} {why}", describe(value)));
    explained.set_cause(value.py(), Some(refusal));
    explained
}

/// The memory of arrays and tensors that we know by their type.
///
/// # Errors
/// The object's memory cannot be looked at.
pub fn by_type(value: &Bound<'_, PyAny>) -> PyResult<Option<(Desc, Owner)>> {
    if let Ok(a) = value.cast::<Array>() {
        let core = &a.get().core;
        check_access(core, "a conversion")?;
        if let Elem::Struct(s) = core.view.elem {
            return Err(error(
                Code::Type,
                format!(
                    "the array holds {s}, a struct, which nothing else can be made of; pass one field: \
                 a['{}']",
                    s.fields()[0].name
                ),
            ));
        }
        return Ok(Some((Desc::of(&core.view), core.owner.clone())));
    }
    for_each_framework!(F => {
        if F::is_tensor(value) {
            let mut desc = Desc::EMPTY;
            let owner = F::hold(value, &mut desc)?;
            return Ok(Some((desc, owner)));
        }
    });
    Ok(None)
}

/// What `__array__` gives. Where the memory must be the object's own, it must be the same when asked twice.
fn from_method(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<(Desc, Owner)> {
    let ask = || -> PyResult<(Desc, Owner)> {
        let array = value.call_method0("__array__")?;
        let found = match by_type(&array)? {
            None if is_memory(&array)? => protocol::memory(&array, Use::Share)?,
            found => found,
        };
        found.ok_or_else(|| {
            error(
                Code::Type,
                format!(
                    "__array__ of {} gave {}, expected a NumPy array",
                    describe(value),
                    describe(&array)
                ),
            )
        })
    };
    let (desc, owner) = ask()?;
    if wanted == Use::Share && !desc.shape().contains(&0) {
        // While the first is alive, a second one has other memory unless both are the object's.
        let (again, _keep) = ask()?;
        if again.data != desc.data {
            return Err(error(
                Code::Value,
                format!(
                    "{} makes a new array each time it is asked for one (__array__), so what is written to it would be \
                 lost; pass an array that holds the memory, as a = np.asarray(x)",
                    describe(value)
                ),
            ));
        }
    }
    Ok((desc, owner))
}

/// Whether an object has memory other than through `__array__`.
fn is_memory(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    // SAFETY: any object may be asked.
    let buffer = unsafe { ffi::PyObject_CheckBuffer(array.as_ptr()) != 0 };
    Ok(buffer || array.hasattr("__dlpack__")? || array.hasattr("__array_interface__")?)
}

/// An array on an object's memory, or, where it is only read, on a temporary with its content.
///
/// # Errors
/// The object has no memory to offer, or its elements are not `elem`.
pub fn on(value: &Bound<'_, PyAny>, elem: Option<Elem>, wanted: Use) -> PyResult<Core> {
    let py = value.py();
    // The commonest without a detour; what it refuses is refused again below, in more words.
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(value)
        && let Some(core) = import::<warp_numpy::Numpy>(py, value, elem).lenient()?
    {
        return Ok(core);
    }
    let Some((desc, owner)) = foreign(value, wanted)? else {
        return Err(no_memory(value));
    };
    let place = || format!("{} cannot be shared", describe(value));
    let view = desc.view(elem).or_else(|e| {
        let regrouped = elem.and_then(|elem| desc.regrouped(elem)).ok_or(e)?;
        regrouped.view(elem)
    });
    let view = view.map_err(|e| raise(py, e.within(place()).hint("copy it instead")))?;
    Ok(Core { view, owner })
}

#[cold]
fn no_memory(value: &Bound<'_, PyAny>) -> PyErr {
    if value.is_instance_of::<Descriptor>() {
        return type_error("an array; a descriptor can only be launched", value);
    }
    if is_list(value) {
        return error(Code::Type, "a list has no memory to share; use copy=True");
    }
    type_error(
        "an array, a tensor or another object with array memory",
        value,
    )
}

/// A new array with the content of an object's memory, as `elem` where that is given.
///
/// # Errors
/// The object has no memory to offer, or its content cannot become `elem`.
pub fn copied(value: &Bound<'_, PyAny>, elem: Option<Elem>, at: Placement) -> PyResult<Core> {
    let py = value.py();
    let found = match own_memory(value) {
        Ok(found) => found,
        // NumPy reads byte orders and alignments that we do not.
        Err(e) if passes(&e) => return Err(e),
        Err(e) => match native(value)? {
            Some(native) => by_type(&native).lenient()?.ok_or(e)?,
            None => return Err(e),
        },
    };
    let Some((mut desc, owner)) = found else {
        // A vector or a matrix is an array of one.
        if let Some(own) = dtype::elem_of(value.get_type().as_any()).filter(|e| e.count() > 1)
            && let Some(core) = from_list(
                PyList::new(py, [value])?.as_any(),
                elem.or(Some(own)),
                at.on_host(),
            )?
        {
            return onto(py, core, at);
        }
        return Err(if dtype::number(value).lenient()?.is_some() {
            type_error("a list, an array or a tensor as data", value)
        } else {
            no_memory(value)
        });
    };
    // A type that NumPy lacks, as bfloat16: unsigned words of its width are the bits, as in other libraries' exchange.
    let of_bits = elem.map(Elem::scalar).filter(|s| {
        !s.is_numpys() && (Class::UInt, s.bits()) == (desc.scalar.class(), desc.scalar.bits())
    });
    if let (Some(scalar), false) = (of_bits, value.is_instance_of::<Array>()) {
        desc.scalar = scalar;
    }
    let same = elem.map(|e| e.with_scalar(desc.scalar));
    let desc = match same {
        Some(elem) if !desc.ends_in(elem) => desc.regrouped(elem).unwrap_or(desc),
        _ => desc,
    };
    let core = match (
        desc.view(same),
        same.and_then(|e| Some((e, desc.components(e)?))),
    ) {
        (Ok(view), _) => Core { view, owner },
        // Side by side or not: the copy has them so.
        (Err(_), Some((elem, parts))) => gathered(py, elem, &parts)?,
        (Err(refusal), None) => return Err(refuse(py, "array")(refusal)),
    };
    match elem {
        Some(e) if e.scalar() != desc.scalar => {
            // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
            let converted = unsafe { converted(py, &core, e.scalar(), at) };
            onto(py, converted?, at)
        }
        // SAFETY: as above.
        _ => unsafe { Core::copy_of(&core.view, at) }.map_err(refuse(py, "array")),
    }
}

/// A new array of elements whose components are given as an array each, somewhere in memory that the caller keeps.
fn gathered(py: Python<'_>, elem: Elem, parts: &[Desc]) -> PyResult<Core> {
    let scalar = Elem::Scalar(elem.scalar());
    let views = parts.iter().map(|part| part.view(None));
    let views: Vec<View> = (views.collect::<Result<_, _>>()).map_err(refuse(py, "array"))?;
    let out = Core::empty(elem, &dims(&views[0]), views[0].device).map_err(refuse(py, "array"))?;
    for (k, from) in views.iter().enumerate() {
        let mut to = out.view.at((k * scalar.size()) as i64, out.view.layout());
        to.elem = scalar;
        // SAFETY: `to` are components of the new array, as many as `from` has elements, which the caller keeps.
        unsafe { elements::copy(&to, from) }.map_err(refuse(py, "array"))?;
    }
    Ok(out)
}

/// The array itself if it is on the device, else a copy there.
///
/// # Errors
/// There is no memory.
pub fn onto(py: Python<'_>, core: Core, at: impl Into<Placement>) -> PyResult<Core> {
    let at = at.into();
    if core.view.device == at.device {
        return Ok(core);
    }
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    unsafe { core.copy_to(at) }.map_err(refuse(py, "array"))
}

/// Copies elements into a new contiguous array of another scalar type, on the same device: as `at` says, if that is where it goes.
///
/// # Safety
/// The memory of `from` is alive, and nothing writes it meanwhile.
unsafe fn converted(py: Python<'_>, from: &Core, scalar: Scalar, at: Placement) -> PyResult<Core> {
    let elem = from.view.elem.with_scalar(scalar);
    let own = match from.view.device {
        device if device == at.device => at,
        device => device.into(),
    };
    let out = Core::empty(elem, &dims(&from.view), own).map_err(refuse(py, "conversion"))?;
    // The host converts, also what lies on a GPU.
    let whole = on_host(py, from)?;
    if out.view.device == Device::Cpu {
        // SAFETY: both are contiguous, with the same number of scalars.
        let lost = unsafe { convert(&out.view, &whole.view) };
        lost.map_or(Ok(()), |lost| told(py, lost, scalar))?;
        return Ok(out);
    }
    let host =
        Core::empty(elem, &dims(&from.view), Device::Cpu).map_err(refuse(py, "conversion"))?;
    // SAFETY: as above; then new memory gets a copy.
    unsafe {
        let lost = convert(&host.view, &whole.view);
        lost.map_or(Ok(()), |lost| told(py, lost, scalar))?;
        elements::copy(&out.view, &host.view).map_err(refuse(py, "conversion"))?;
    }
    Ok(out)
}

/// Refuses floats that are no integers; warns of other numbers that a conversion has not kept, as NumPy does.
#[cold]
fn told(py: Python<'_>, lost: Lost, scalar: Scalar) -> PyResult<()> {
    let text = match lost {
        Lost::NoInteger(v) => {
            let text = format!(
                "{v} among the numbers is no {scalar}; missing values of tables are NaN too"
            );
            return Err(error(Code::Value, text));
        }
        Lost::Wrapped(v) => {
            format!("{v} among the numbers does not fit {scalar}, which keeps its last bits")
        }
        Lost::Infinite(v) => {
            format!("{v:e} among the numbers does not fit {scalar}, and is infinite there")
        }
    };
    warn::<PyRuntimeWarning>(py, &text)
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
        if misaligned && let Some(native) = native(value)? {
            return by_type(&native);
        }
    }
    Ok(found)
}

/// What NumPy makes of an array whose byte order or alignment is not ours; None where that is not what is wrong.
///
/// # Errors
/// What the object raises, if it must pass.
fn native<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    by_numpy(value).lenient().map(Option::flatten)
}

#[cfg(feature = "numpy")]
fn by_numpy<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    // What is on another device is not brought here unasked.
    if value.hasattr(cuda::NAME)? {
        return Ok(None);
    }
    let array = value
        .py()
        .import("numpy")?
        .call_method1("asarray", (value,))?;
    let dtype = array.getattr("dtype")?;
    let order = dtype.call_method1("newbyteorder", ("=",))?;
    let aligned = array.getattr("flags")?.getattr("aligned")?;
    if aligned.is_truthy()? && order.eq(&dtype)? {
        return Ok(None);
    }
    array.call_method1("astype", (order,)).map(Some)
}

#[cfg(not(feature = "numpy"))]
fn by_numpy<'py>(_value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(None)
}
