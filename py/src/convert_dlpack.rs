//! `wp.from_dlpack`, and the memory of any object that speaks DLPack.

#[cfg(any(feature = "numpy", feature = "torch", feature = "paddle"))]
use crate::array::place;
use crate::array::{Array, refuse};
use crate::door::{self, Door};
use crate::protocol::Use;
use crate::{convert, convert_data as data, device, dtype};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use warp_core::array::{Array as Core, Owner};
use warp_core::interop::Desc;
use warp_core::ty::Elem;
use warp_dlpack::ffi::{DLDevice, DLDeviceType, DLPackVersion, ExchangeTable};
use warp_dlpack::raise;

/// The exchange table that stands on exactly the object's type.
fn table(value: &Bound<'_, PyAny>) -> PyResult<Option<&'static ExchangeTable>> {
    // Torch's table looks at none of what makes a tensor's memory differ from its values; its adapter does, where
    // it is built in, and `__dlpack__` does most of it.
    #[cfg(not(feature = "torch"))]
    if value.get_type().module()?.to_string_lossy() == "torch" {
        return Ok(None);
    }
    // Paddle's crashes on tensors without dense memory; its adapter looks, and `__dlpack__` is an ordinary call.
    #[cfg(feature = "paddle")]
    if warp_paddle::is_tensor(value) {
        return Ok(None);
    }
    #[cfg(not(feature = "paddle"))]
    if value.get_type().module()?.to_string_lossy() == "paddle" {
        return Ok(None);
    }
    warp_dlpack::exchange::own_table(value)
}

/// Describes the memory of an object with an exchange table for the duration of a call. Tables cannot say that memory
/// must not be written, so that this is only for reading it.
pub fn lent(value: &Bound<'_, PyAny>) -> PyResult<Option<Desc>> {
    let lends = |table: &&ExchangeTable| table.0.dltensor_from_py_object_no_sync.is_some();
    let Some(table) = table(value)?.filter(lends) else {
        return Ok(None);
    };
    let mut desc = Desc::EMPTY;
    // SAFETY: the table is that of exactly this type.
    match unsafe { warp_dlpack::exchange::describe(table, value, &mut desc) } {
        Ok(()) => Ok(Some(desc)),
        // What cannot be lent, such as what is read-only, may still be shared.
        Err(e) if e.is_instance_of::<PyBufferError>(value.py()) => Ok(None),
        Err(e) => Err(e),
    }
}

/// A share in the memory of an object with an exchange table or `__dlpack__`; None where it has neither.
pub fn hold(value: &Bound<'_, PyAny>, wanted: Use) -> PyResult<Option<(Desc, Owner)>> {
    let py = value.py();
    if let Some(table) = table(value)? {
        // SAFETY: the table is that of exactly this type.
        return unsafe { warp_dlpack::exchange::hold(table, value) }.map(Some);
    }
    let Some(method) = value.getattr_opt(pyo3::intern!(py, "__dlpack__"))? else {
        return Ok(None);
    };
    check_device(value)?;
    let options = PyDict::new(py);
    let DLPackVersion { major, minor } = DLPackVersion::CURRENT;
    options.set_item(pyo3::intern!(py, "max_version"), (major, minor))?;
    let capsule = match method.call((), Some(&options)) {
        // A producer from before versions.
        Err(e) if e.is_instance_of::<PyTypeError>(py) => method.call0()?,
        other => other?,
    };
    if wanted == Use::Share && warp_dlpack::is_copied(&capsule) {
        return Err(pyo3::exceptions::PyValueError::new_err(format!(
            "{} gives only a copy of its memory (__dlpack__), so what is written to it would be lost; pass an array that \
             holds the memory",
            convert::found(value)
        )));
    }
    let (mut desc, owner) = warp_dlpack::consume(&capsule)?;
    // jax exports legacy capsules, which cannot say that its arrays are immutable.
    let module = value.get_type().module()?;
    if module.to_string_lossy().starts_with("jax") {
        desc.read_only = true;
    }
    Ok(Some((desc, owner)))
}

/// Refuses memory on other devices before its producer does anything for it.
fn check_device(value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = value.py();
    let Some(method) = value.getattr_opt(pyo3::intern!(py, "__dlpack_device__"))? else {
        return Ok(());
    };
    let answer = method.call0()?;
    let number = |i: usize| answer.get_item(i).and_then(|n| n.extract::<i32>());
    let device = DLDevice {
        device_type: DLDeviceType(number(0)?.cast_unsigned()),
        // Some say None where there is only one.
        device_id: number(1).unwrap_or(0),
    };
    warp_dlpack::device_of(device).map_err(|e| raise(py, e.within(convert::found(value))))?;
    Ok(())
}

/// An array on the memory of an object with `__dlpack__`, or of a DLPack capsule, without a copy.
///
/// Args:
///     source: A NumPy array, a tensor of any framework, another object with `__dlpack__`, or a DLPack capsule, which
///         is consumed by this.
///     dtype: What each element is; that of the source by default. The last dimensions become the components of a
///         vector or matrix type; integers may be read as signed or unsigned.
///     device: Where the array has to be. Only the source's own device is possible so far.
///     copy: True for an array with memory of its own; otherwise the memory is shared.
///
/// Returns:
///     array: One that keeps the memory it shares alive. It is read-only where the producer says that the memory
///         must not be written, and has no gradient.
///
/// Raises:
///     TypeError: The source does not speak DLPack, or its elements have no counterpart or are not `dtype`.
///     ValueError: The memory is not on the CPU, the capsule was consumed before, or the layout cannot be shared.
///     BufferError: The producer refuses, or speaks another major version of DLPack.
#[pyfunction]
#[pyo3(signature = (source, dtype=None, *, device=None, copy=None))]
fn from_dlpack(
    source: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Array> {
    let py = source.py();
    device::resolve(device)?;
    let elem = dtype.map(dtype::require_elem).transpose()?;
    // SAFETY: any object may be asked.
    let capsule = unsafe { ffi::PyCapsule_CheckExact(source.as_ptr()) != 0 };
    // The array keeps a copy that the producer made, unless the caller wants none.
    let wanted = if copy == Some(false) {
        Use::Share
    } else {
        Use::Read
    };
    let found = if capsule {
        Some(warp_dlpack::consume(source)?)
    } else if source.hasattr(pyo3::intern!(py, "__dlpack__"))? {
        data::foreign(source, wanted)?
    } else {
        hold(source, wanted)?
    };
    let Some((mut desc, owner)) = found else {
        return Err(PyTypeError::new_err(format!(
            "from_dlpack: source is {}, expected an object with __dlpack__ or a DLPack capsule",
            convert::found(source)
        )));
    };
    // The elements' text is read before the view takes the description.
    let view = interpret(&mut desc, elem);
    let view = view.map_err(|e| {
        let place = format!("from_dlpack: {}", convert::found(source));
        raise(py, e.within(place))
    })?;
    let mut core = Core { view, owner };
    if copy == Some(true) {
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        core = unsafe { Core::copy_of(&core.view) }.map_err(refuse(py, "from_dlpack"))?;
    }
    Ok(Array::new(core))
}

/// The memory as elements of `elem`; integers are of either sign, as asked for.
fn interpret(
    desc: &mut Desc,
    elem: Option<Elem>,
) -> warp_core::error::Result<warp_core::array::View> {
    if let Some(wanted) = elem.map(Elem::scalar) {
        let have = desc.scalar;
        if wanted.is_int() && have.is_int() && wanted.bits() == have.bits() {
            desc.scalar = wanted;
        }
    }
    desc.view(elem)
}

static FROM_DLPACK: Door<4> = Door::new(["source", "dtype", "device", "copy"]);

/// # Safety
/// Python calls it as the method it was registered as.
unsafe extern "C" fn raw_from_dlpack(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        FROM_DLPACK.call(args, count, keywords, |py, slots| {
            let [Some(source), dtype, None, None] = *slots else {
                return Ok(None);
            };
            let elem = door::given(dtype).map(dtype::require_elem).transpose()?;
            // What does not fit is refused by the ordinary function, in more words.
            #[cfg(feature = "torch")]
            if warp_torch::is_exact(source)
                && let Ok(made) = place::shared::<warp_torch::Torch>(py, source, elem)
            {
                return Ok(Some(made.into_any()));
            }
            #[cfg(feature = "paddle")]
            if warp_paddle::is_exact(source)
                && let Ok(made) = place::shared::<warp_paddle::Paddle>(py, source, elem)
            {
                return Ok(Some(made.into_any()));
            }
            #[cfg(feature = "numpy")]
            if warp_numpy::is_array(source)
                && let Ok(made) = place::shared::<warp_numpy::Numpy>(py, source, elem)
            {
                return Ok(Some(made.into_any()));
            }
            let _ = (py, source, elem);
            Ok(None)
        })
    }
}

/// Adds the function to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let ordinary = wrap_pyfunction!(from_dlpack, m)?;
    door::add(m, &FROM_DLPACK, ordinary.as_any(), raw_from_dlpack)
}
