//! `wp.array(...)` without the tuple and dictionary that Python builds for a class written outside its core.
//!
//! Calling a class looks for a function in the class object first (`tp_vectorcall`), which the stable interface
//! does not let extensions set. Its offset is asked of Python at run time; if anything looks unfamiliar the class
//! is called through the ordinary path, which is right and takes half a microsecond longer.

use super::make::{self, Request};
use super::place;
use crate::object::error::of_array;
use crate::object::{Array, probe};
use crate::runtime::collector::{self, Recycled};
use crate::runtime::device;
use crate::runtime::fastcall::{self, FastCall};
use crate::runtime::timeline::conversion;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::sync::OnceLock;
use warp_core::device::Device;
use warp_core::timeline;

static ARRAY: FastCall<13> = FastCall::new([
    "data",
    "dtype",
    "shape",
    "strides",
    "ptr",
    "capacity",
    "device",
    "pinned",
    "copy",
    "deleter",
    "ndim",
    "grad",
    "requires_grad",
]);

/// Bits of the parameters above.
const DATA: fastcall::Passed = 1 << 0;
const DTYPE: fastcall::Passed = 1 << 1;
const DEVICE: fastcall::Passed = 1 << 6;
const COPY: fastcall::Passed = 1 << 8;

/// # Safety
/// Python calls it for a call of the class.
unsafe extern "C" fn call(
    _class: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // The highest bit says whether the slot before the arguments may be used.
    let count = (count & !(1 << (usize::BITS - 1))) as isize;
    if timeline::is_on() {
        // SAFETY: promised by the caller.
        return unsafe { noted(args, count, keywords) };
    }
    #[cfg(feature = "numpy")]
    // SAFETY: promised by the caller.
    if let Some(made) = unsafe { shared(args, count, keywords) } {
        return made;
    }
    // SAFETY: promised by the caller.
    unsafe { any(args, count, keywords) }
}

/// A call that is recorded.
///
/// # Safety
/// As `call`, without the highest bit of `count`.
#[cold]
#[inline(never)]
unsafe fn noted(
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    conversion("array", || unsafe { any(args, count, keywords) })
}

/// Every call but the commonest, which shall not pay for the room that the others need.
///
/// # Safety
/// As `call`, without the highest bit of `count`.
#[inline(never)]
unsafe fn any(
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        ARRAY.call_passed(args, count, keywords, |py, slots, passed| {
            // The commonest: `wp.array(a, copy=False)`, with a dtype and a device at most.
            #[cfg(feature = "numpy")]
            if passed & !(DATA | DTYPE | DEVICE | COPY) == 0
                && let (Some(data), Some(false)) = (slots[0], fastcall::flag(slots[8], true))
                && warp_numpy::is_array(data)
            {
                // NumPy's memory is the host's: on another device it is copied or refused, by `make`. So is what does not
                // fit, in more words.
                let here = match fastcall::given(slots[6]) {
                    None => true,
                    device => device::resolve(device).is_ok_and(|d| d == Device::Cpu),
                };
                let dtype = fastcall::given(slots[1]);
                if here && let Ok(shared) = place::shared_as::<warp_numpy::Numpy>(py, data, dtype) {
                    return Ok(Some(shared.into_any()));
                }
            }
            let _ = passed;
            made(py, slots)
        })
    }
}

/// An array of arguments of any kind, `None` where only the ordinary call knows what to do with them.
#[inline(never)]
fn made<'py>(
    py: Python<'py>,
    slots: &[Option<&Bound<'py, PyAny>>; 13],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let [
        data,
        dtype,
        shape,
        strides,
        None,
        None,
        device,
        None,
        copy,
        None,
        None,
        grad,
        requires_grad,
    ] = *slots
    else {
        return Ok(None);
    };
    let (Some(copy), Some(requires_grad)) = (
        fastcall::flag(copy, true),
        fastcall::flag(requires_grad, false),
    ) else {
        return Ok(None);
    };
    let array = make::array(
        py,
        &Request {
            data: fastcall::given(data),
            dtype: fastcall::given(dtype),
            shape: fastcall::given(shape),
            strides: fastcall::given(strides),
            device: fastcall::given(device),
            copy,
            grad: fastcall::given(grad),
            requires_grad,
            ..Request::default()
        },
    )
    .map_err(of_array)?;
    Ok(Some(array.object(py)?.into_any()))
}

/// `wp.array(a, copy=False)` with a NumPy array: the commonest of the short calls, without a look at thirteen parameters.
/// What does not fit, `None`, is for the fast call below, which says why.
///
/// # Safety
/// As `call`, without the highest bit of `count`.
#[cfg(feature = "numpy")]
#[inline(always)]
unsafe fn shared(
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> Option<*mut ffi::PyObject> {
    if count != 1 || keywords.is_null() {
        return None;
    }
    // SAFETY: promised by the caller: one argument, and as many more as `keywords`, a tuple, has names.
    unsafe {
        if ffi::PyTuple_Size(keywords) != 1
            || *args.add(1) != ffi::Py_False()
            || !ARRAY.is_name(8, ffi::PyTuple_GetItem(keywords, 0))
        {
            return None;
        }
        let py = Python::assume_attached();
        let data = &*args.cast::<Bound<'_, PyAny>>();
        if !warp_numpy::is_array(data) {
            return None;
        }
        // A pointer and nothing more leaves the closure: moving a large result is what such a call would wait for.
        let make = || match place::shared_as::<warp_numpy::Numpy>(py, data, None) {
            Ok(array) => array.into_ptr(),
            Err(_) => std::ptr::null_mut(),
        };
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(make));
        made.ok().filter(|array| !array.is_null())
    }
}

/// `wp.array(...)` by the ordinary path.
#[pyfunction]
#[pyo3(name = "array", signature = (data=None, dtype=None, shape=None, strides=None, ptr=None, capacity=None,
    device=None, pinned=false, copy=true, deleter=None, ndim=None, grad=None, requires_grad=false,
    retain_grad=false))]
#[allow(clippy::too_many_arguments, reason = "the documented signature")]
fn ordinary<'py>(
    py: Python<'py>,
    data: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    shape: Option<&Bound<'py, PyAny>>,
    strides: Option<&Bound<'py, PyAny>>,
    ptr: Option<usize>,
    capacity: Option<usize>,
    device: Option<&Bound<'py, PyAny>>,
    pinned: bool,
    copy: bool,
    deleter: Option<&Bound<'py, PyAny>>,
    ndim: Option<usize>,
    grad: Option<&Bound<'py, PyAny>>,
    requires_grad: bool,
    retain_grad: bool,
) -> PyResult<Bound<'py, Array>> {
    make::array(
        py,
        &Request {
            data,
            dtype,
            shape,
            strides,
            ptr,
            capacity,
            device,
            pinned,
            copy,
            deleter,
            ndim,
            grad,
            requires_grad,
            retain_grad,
        },
    )
    .map_err(of_array)?
    .object(py)
}

/// [`ordinary`] with the arguments of a call of the class.
///
/// # Errors
/// Those of `wp.array`.
pub fn plain<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, Array>> {
    let function = ARRAY.function(py).expect("installed with the class");
    Ok(function.call(args, kwargs)?.cast_into()?)
}

/// An object of the class, or of a derived one, whose `__init__` fills it.
///
/// # Errors
/// Those of `wp.array`.
pub fn new<'py>(
    class: &Bound<'py, PyType>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, Array>> {
    let py = class.py();
    match class.is(py.get_type::<Array>()) {
        true => plain(py, args, kwargs),
        false => Array::empty().object_of(class),
    }
}

/// `__init__`, which fills an object of a derived class.
///
/// # Errors
/// Those of `wp.array`.
pub fn init(
    array: &Bound<'_, Array>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    if array.is_exact_instance_of::<Array>() {
        return Ok(());
    }
    let made = plain(array.py(), args, kwargs)?;
    array.get().fill_from(made.get())
}

impl Recycled for Array {
    fn alloc() -> &'static OnceLock<ffi::allocfunc> {
        static ALLOC: OnceLock<ffi::allocfunc> = OnceLock::new();
        &ALLOC
    }
}

/// Bytes into a class object, on 64-bit machines: where it says where its own fast call is.
const OFFSET_AT: usize = 56;
/// What it says there for `type`, in every Python from 3.8 on.
const VECTORCALL: usize = 400;
const HAS_VECTORCALL: std::ffi::c_ulong = 1 << 11;

fn install(m: &Bound<'_, PyModule>) -> PyResult<bool> {
    let py = m.py();
    let metaclass = py.get_type::<PyType>();
    let size: usize = metaclass.getattr("__basicsize__")?.extract()?;
    // SAFETY: every class object has at least `size` bytes, and what is read is checked before it is written.
    unsafe {
        let meta = metaclass.as_ptr().cast::<u8>();
        let says = meta.add(OFFSET_AT).cast::<usize>().read();
        let flags = ffi::PyType_GetFlags(meta.cast());
        if size < VECTORCALL + 8 || says != VECTORCALL || flags & HAS_VECTORCALL == 0 {
            return Ok(false);
        }
        let class = py.get_type::<Array>();
        let slot = class.as_ptr().cast::<u8>().add(VECTORCALL).cast::<usize>();
        if slot.read() != 0 {
            return Ok(false);
        }
        slot.write(call as *const () as usize);
    }
    Ok(true)
}

/// Puts the fast call into the class, if this Python has a place for it.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let ordinary = wrap_pyfunction!(ordinary, m)?;
    ARRAY.install(ordinary.as_any());
    install(m)?;
    probe(m.py())?;
    // After the probe: arrays that are made where they stay hold nothing that the collector knows.
    collector::track_new::<Array>(&m.py().get_type::<Array>())
}
