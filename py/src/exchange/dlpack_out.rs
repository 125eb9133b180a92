//! Arrays for consumers of DLPack: `__dlpack__` and the C exchange table of the class.

use crate::object::Array;
use crate::object::access::check_access;
use crate::object::error::{Code, error, refuse};
use crate::object::message::describe;
use crate::object::part::on_host;
use crate::runtime::snapshot::before_sharing;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;
use warp_core::array::Array as Core;
use warp_core::device::{Device, current_stream};
use warp_dlpack::ffi as dl;
use warp_dlpack::{Lenient, raise};

/// `a.__dlpack__(...)`.
///
/// # Errors
/// The consumer asks for a stream or device of another kind, or for what a legacy capsule cannot say.
pub fn dlpack<'py>(
    array: &Bound<'py, Array>,
    stream: Option<&Bound<'py, PyAny>>,
    max_version: Option<(u32, u32)>,
    device: Option<(i32, i32)>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, this) = (array.py(), array.get());
    let on = this.view().device;
    let theirs = consumer(on, stream.filter(|s| !s.is_none()))?;
    let is = |(kind, id): (i32, i32), device: Device| {
        let device = warp_dlpack::device(device);
        kind.cast_unsigned() == device.device_type.0 && id == device.device_id
    };
    let elsewhere = device.filter(|device| !is(*device, on));
    let to_host = elsewhere.is_some_and(|device| is(device, Device::Cpu)) && copy != Some(false);
    if let Some((kind, id)) = elsewhere.filter(|_| !to_host) {
        let text = format!(
            "__dlpack__: the array is on the device \"{on}\", the consumer wants it on the device ({kind}, {id})"
        );
        let hint = match copy {
            Some(false) => " and without a copy",
            _ => "; copy it there first, as with a.to(...)",
        };
        return Err(error(Code::Buffer, text + hint));
    }
    before_sharing(py, this.view())?;
    check_access(&this.core, "__dlpack__")?;
    let (mut core, mut flags) = (this.core.clone(), dl::DlpackFlags::empty());
    if to_host {
        core = on_host(py, &core)?;
        flags |= dl::DlpackFlags::IS_COPIED;
    } else if copy == Some(true) && !core.view.arg.data.is_null() {
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        core = unsafe { Core::copy_of(&core.view, core.view.device) }
            .map_err(refuse(py, "__dlpack__"))?;
        flags |= dl::DlpackFlags::IS_COPIED;
    }
    // A copy on the host is there already.
    if let Some(theirs) = theirs.filter(|_| !to_host) {
        warp_dlpack::follow(on, theirs, true).map_err(|e| raise(py, e))?;
    }
    if max_version.is_some_and(|v| v.0 >= 1) {
        let managed = warp_dlpack::export(&core, flags).map_err(refuse(py, "__dlpack__"))?;
        warp_dlpack::capsule(py, managed)
    } else {
        let managed = warp_dlpack::export_legacy(&core).map_err(refuse(py, "__dlpack__"))?;
        warp_dlpack::capsule(py, managed)
    }
}

/// The stream that is to wait for our work: none if the consumer wants no waiting, or on the CPU.
fn consumer(device: Device, stream: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let number = match stream {
        None => None,
        Some(stream) => Some(stream.extract::<i64>().lenient()?.filter(|n| *n >= -1)),
    };
    let wrong = |expected: &str| {
        let found = stream.map_or_else(String::new, describe);
        let text = format!(
            "__dlpack__: stream is {found}, an array on the device \"{device}\" takes {expected}"
        );
        Err(error(Code::Value, text))
    };
    match (device.as_cuda(), number) {
        // -1: the consumer wants no synchronisation, which the CPU never needs.
        (_, Some(Some(-1))) | (None, None) => Ok(None),
        (None, _) => wrong("None"),
        // Nobody said which: CUDA's default stream.
        (Some(_), None) => Ok(Some(1)),
        (Some(_), Some(Some(n))) if n > 0 => Ok(Some(n as usize)),
        (Some(_), _) => wrong("None, -1, 1, 2 or a stream's handle; 0 could mean several"),
    }
}

static TABLE: dl::ExchangeTable = dl::ExchangeTable(dl::DLPackExchangeAPI {
    header: dl::DLPackExchangeAPIHeader {
        version: dl::DLPackVersion::CURRENT,
        prev_api: null_mut(),
    },
    managed_tensor_allocator: Some(allocate),
    managed_tensor_from_py_object_no_sync: Some(managed),
    managed_tensor_to_py_object_no_sync: Some(object),
    dltensor_from_py_object_no_sync: Some(view),
    current_work_stream: Some(stream),
});

/// Adds the exchange table to the class, so that other libraries take our arrays in about 100 ns.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    // SAFETY: the table is static; the name says what the capsule holds.
    let capsule = unsafe {
        let at = (&raw const TABLE).cast_mut().cast::<c_void>();
        let c = ffi::PyCapsule_New(at, dl::EXCHANGE.as_ptr(), None);
        Bound::<PyAny>::from_owned_ptr_or_err(py, c)?
    };
    let class = py.get_type::<Array>();
    class.setattr("__dlpack_c_exchange_api__", capsule)
}

/// Runs a table function's body: errors and panics become Python exceptions and -1.
///
/// # Safety
/// Python's lock is held, as DLPack demands of the callers of a table, and `object` is null or an object.
unsafe fn guarded(
    object: *mut c_void,
    body: impl FnOnce(Python<'_>, &Array) -> PyResult<()>,
) -> c_int {
    // SAFETY: promised by the caller.
    let py = unsafe { Python::assume_attached() };
    guard(|| {
        // SAFETY: promised by the caller.
        let object = unsafe { Bound::<PyAny>::from_borrowed_ptr_or_opt(py, object.cast()) };
        match object.as_ref().and_then(|o| o.cast::<Array>().ok()) {
            Some(array) => body(py, array.get()),
            None => Err(no_array(object.as_ref())),
        }
    })
}

#[cold]
fn no_array(object: Option<&Bound<'_, PyAny>>) -> PyErr {
    // Attached, as in `fail`: looking at an object may end in exceptions that are dropped.
    let found = Python::attach(|_| object.map_or_else(|| "nothing".into(), describe));
    error(
        Code::Type,
        format!("the exchange table of wp.array takes a wp.array, found {found}"),
    )
}

fn guard(body: impl FnOnce() -> PyResult<()>) -> c_int {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(e)) => fail(e),
        Err(_) => fail(error(
            Code::Bug,
            "a broken invariant, please report it: see the panic above",
        )),
    }
}

/// Attached: a caller of the table holds Python's lock without PyO3 knowing, which would put off letting go of what the
/// error held until the next ordinary call.
#[cold]
fn fail(error: PyErr) -> c_int {
    Python::attach(|py| error.restore(py));
    -1
}

/// # Safety
/// DLPack's `DLPackManagedTensorFromPyObjectNoSync`: an object, and a place for the result.
unsafe extern "C" fn managed(
    from: *mut c_void,
    out: *mut *mut dl::DLManagedTensorVersioned,
) -> c_int {
    let body = |py: Python<'_>, array: &Array| {
        before_sharing(py, array.view())?;
        check_access(&array.core, "DLPack")?;
        let managed =
            warp_dlpack::export(&array.core, dl::DlpackFlags::empty()).map_err(|e| raise(py, e))?;
        // SAFETY: promised by the caller.
        unsafe { *out = managed.into_raw() };
        Ok(())
    };
    // SAFETY: promised by the caller.
    unsafe { guarded(from, body) }
}

/// # Safety
/// DLPack's `DLPackManagedTensorToPyObjectNoSync`: a managed tensor that is handed over, whether or not this succeeds,
/// and a place for the result.
unsafe extern "C" fn object(
    from: *mut dl::DLManagedTensorVersioned,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: callers of the table hold Python's lock, as DLPack demands.
    let py = unsafe { Python::assume_attached() };
    guard(|| {
        // SAFETY: promised by the caller.
        let (desc, owner) = unsafe { warp_dlpack::hold(from) }.map_err(|e| raise(py, e))?;
        let view = desc.view(None).map_err(|e| raise(py, e))?;
        let made = Array::new(Core { view, owner })
            .object(py)
            .map(Bound::unbind)?;
        // SAFETY: promised by the caller.
        unsafe { *out = made.into_ptr().cast() };
        Ok(())
    })
}

/// # Safety
/// DLPack's `DLPackDLTensorFromPyObjectNoSync`: an object, and a place for the result.
unsafe extern "C" fn view(from: *mut c_void, out: *mut dl::DLTensor) -> c_int {
    let body = |py: Python<'_>, array: &Array| {
        before_sharing(py, array.view())?;
        check_access(&array.core, "DLPack")?;
        let (mut tensor, numbers) = array.lent().map_err(|e| raise(py, e))?;
        tensor.shape = numbers[0].as_ptr().cast_mut();
        tensor.strides = numbers[1].as_ptr().cast_mut();
        // SAFETY: promised by the caller.
        unsafe { *out = tensor };
        Ok(())
    };
    // SAFETY: promised by the caller.
    unsafe { guarded(from, body) }
}

/// # Safety
/// DLPack's `DLPackManagedTensorAllocator`: a prototype, and a place for the result. Python's lock need not be held, so
/// errors go to `set_error`.
unsafe extern "C" fn allocate(
    prototype: *mut dl::DLTensor,
    out: *mut *mut dl::DLManagedTensorVersioned,
    context: *mut c_void,
    set_error: dl::SetError,
) -> c_int {
    // SAFETY: promised by the caller.
    match unsafe { warp_dlpack::allocate(&*prototype) } {
        Ok(managed) => {
            // SAFETY: promised by the caller.
            unsafe { *out = managed.into_raw() };
            0
        }
        Err(e) => {
            let kind = CString::new(e.code.exception().pythons().name()).unwrap_or_default();
            let text = CString::new(e.to_string()).unwrap_or_default();
            // SAFETY: promised by the caller; the strings live through the call.
            unsafe {
                *out = null_mut();
                if let Some(set_error) = set_error {
                    set_error(context, kind.as_ptr(), text.as_ptr());
                }
            }
            -1
        }
    }
}

/// # Safety
/// DLPack's `DLPackCurrentWorkStream`: a device, and a place for the result.
unsafe extern "C" fn stream(kind: dl::DLDeviceType, id: i32, out: *mut *mut c_void) -> c_int {
    let device = dl::DLDevice {
        device_type: kind,
        device_id: id,
    };
    let stream = warp_dlpack::device_of(device).and_then(current_stream);
    let handle = stream.map_or(0, |stream| stream.handle);
    // SAFETY: promised by the caller. The CPU has no streams.
    unsafe { *out = handle as *mut c_void };
    if handle != 0 {
        return 0;
    }
    if matches!(kind, dl::DLDeviceType::CPU | dl::DLDeviceType::CUDAHOST) {
        return 0;
    }
    fail(error(
        Code::Value,
        format!(
            "there is no device of DLPack kind {} with number {id} here, so it has no stream",
            kind.0.cast_signed()
        ),
    ))
}
