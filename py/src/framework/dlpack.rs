//! `wp.from_dlpack` and `wp.to_dlpack`.

use crate::array;
use crate::dtype;
use crate::exchange::reader::Use;
use crate::exchange::{dlpack_in, memory};
use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error, refuse};
use crate::object::message::describe;
use crate::registry::for_each_framework;
use crate::runtime::device;
use crate::runtime::fastcall::{self, FastCall};
use crate::runtime::snapshot::before_sharing;
use crate::runtime::timeline::conversion;
use pyo3::ffi;
use pyo3::prelude::*;
use warp_core::array::Array as Core;
use warp_core::interop::Desc;
use warp_core::timeline;
use warp_core::ty::Elem;
use warp_dlpack::{Adapter, raise};

/// An array on the memory of an object with `__dlpack__`, or of a DLPack capsule, without a copy.
///
/// Args:
///     source: A NumPy array, a tensor of any framework, another object with `__dlpack__`, or a DLPack capsule, which
///         is consumed by this.
///     dtype: What each element is; that of the source by default. The last dimensions become the components of a
///         vector or matrix type; integers may be read as signed or unsigned, bool as bytes.
///     device: Where the array has to be; where the source is by default.
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
fn from_dlpack<'py>(
    source: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, Array>> {
    conversion("from_dlpack", || imported(source, dtype, device, copy))?.object(source.py())
}

fn imported(
    source: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Array> {
    let py = source.py();
    let on = device::resolve(device)?;
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
        memory::foreign(source, wanted)?
    } else {
        dlpack_in::hold(source, wanted)?
    };
    let Some((mut desc, owner)) = found else {
        return Err(error(
            Code::ArrayType,
            format!(
                "from_dlpack: source is {}, expected an object with __dlpack__ or a DLPack capsule",
                describe(source)
            ),
        ));
    };
    // The elements' text is read before the view takes the description.
    let view = interpret(&mut desc, elem);
    let view = view.map_err(|e| {
        let place = format!("from_dlpack: {}", describe(source));
        raise(py, e.within(place).of_array())
    })?;
    let mut core = Core { view, owner };
    let elsewhere = device.is_some() && core.view.device != on;
    if elsewhere && copy == Some(false) {
        return Err(error(
            Code::Value,
            format!(
                "from_dlpack: the memory is on \"{}\"; on \"{on}\" there can only be a copy",
                core.view.device
            ),
        ));
    }
    if elsewhere {
        core = memory::onto(py, core, on)?;
    } else if copy == Some(true) {
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        core = unsafe { Core::copy_of(&core.view, core.view.device) }
            .map_err(refuse(py, "from_dlpack"))?;
    }
    Ok(Array::new(core))
}

/// The memory as elements of `elem`; integers are of either sign, as asked for, and truth values may be bytes.
fn interpret(
    desc: &mut Desc,
    elem: Option<Elem>,
) -> warp_core::error::Result<warp_core::array::View> {
    desc.read_as(elem);
    desc.view(elem)
}

/// A DLPack capsule that shares an array's memory, for libraries without `from_dlpack(object)`.
///
/// The capsule is of the kind that every library reads, and can be consumed once. Where the consumer calls
/// `__dlpack__` itself, pass it the array.
///
/// Args:
///     wp_array: The array.
///
/// Raises:
///     TypeError: `wp_array` is no Warp array.
///     BufferError: The array is read-only, which such a capsule cannot say.
#[pyfunction]
fn to_dlpack<'py>(wp_array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    conversion("to_dlpack", || exported(wp_array))
}

fn exported<'py>(wp_array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Ok(array) = wp_array.cast::<Array>() else {
        return Err(error(
            Code::Type,
            format!(
                "to_dlpack: wp_array is {}, expected a wp.array",
                describe(wp_array)
            ),
        ));
    };
    let py = wp_array.py();
    before_sharing(py, array.get().view())?;
    check_access(&array.get().core, "to_dlpack")?;
    let managed = warp_dlpack::export_legacy(&array.get().core).map_err(refuse(py, "to_dlpack"))?;
    warp_dlpack::capsule(py, managed)
}

static FROM_DLPACK: FastCall<4> = FastCall::new(["source", "dtype", "device", "copy"]);

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
            if timeline::is_on() {
                return Ok(None);
            }
            let dtype = fastcall::given(dtype);
            // What does not fit is refused by the ordinary function, in more words.
            for_each_framework!(F => {
                if F::is_exact(source)
                    && let Ok(made) = array::shared_as::<F>(py, source, dtype)
                {
                    return Ok(Some(made.into_any()));
                }
            });
            Ok(None)
        })
    }
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(to_dlpack, m)?)?;
    let ordinary = wrap_pyfunction!(from_dlpack, m)?;
    fastcall::add(m, &FROM_DLPACK, ordinary.as_any(), raw_from_dlpack)
}
