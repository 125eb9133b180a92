//! `paddle.Tensor`: which objects hold dense memory, and that memory.
//!
//! Of a tensor its allocation is held, through a managed tensor of paddle's. Paddle's exchange functions crash on tensors
//! that are not dense, so they are asked only about tensors that say that they are.

use crate::direct;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use warp_core::array::{Array, Owner};
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, Framework};
use warp_dlpack::ffi::ExchangeTable;
use warp_dlpack::{Lenient, Method, Property, exchange, raise};

/// What is used of the paddle that this process has imported, looked up once.
pub(crate) struct PaddleApi {
    exchange: &'static ExchangeTable,
    is_dense: Method,
    pub stop_gradient: Property,
    pub grad: Property,
    pub is_leaf: Property,
    /// Not every version knows it.
    pub unset_fake_empty: Option<Method>,
}

static API: PyOnceLock<PaddleApi> = PyOnceLock::new();
static TENSOR: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());
static PARAMETER: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// # Errors
/// Paddle cannot be imported, or is one without an exchange table.
pub(crate) fn paddle_api(py: Python<'_>) -> PyResult<&'static PaddleApi> {
    match API.get(py) {
        Some(api) => Ok(api),
        None => look_up(py),
    }
}

#[cold]
fn look_up(py: Python<'_>) -> PyResult<&'static PaddleApi> {
    let paddle = py.import("paddle")?;
    let tensor = paddle.getattr("Tensor")?.cast_into::<PyType>()?;
    // What layers hold; it adds only attributes of Python's.
    let parameter = py
        .import("paddle.base.framework")?
        .getattr("EagerParamBase")?
        .cast_into::<PyType>()?;
    let table = exchange::table_of(&tensor)?.ok_or_else(|| {
        let version = paddle
            .getattr("__version__")
            .map_or_else(|_| "?".into(), |v| v.to_string());
        let message = format!("paddle {version} has no DLPack exchange table");
        raise(
            py,
            Error::new(Code::System, message).hint("paddle 3.3 or later is needed"),
        )
    })?;
    let sample = tensor.call0()?;
    let api = PaddleApi {
        is_dense: Method::new(&sample, "is_dense")?,
        stop_gradient: Property::new(&tensor, "stop_gradient")?,
        grad: Property::new(&tensor, "grad")?,
        is_leaf: Property::new(&tensor, "is_leaf")?,
        unset_fake_empty: Method::new(&sample, "_unset_fake_empty").ok(),
        exchange: table,
    };
    let api = API.get_or_init(py, || api);
    // The types are pinned: their addresses must never come to mean another type.
    TENSOR.store(tensor.into_ptr().cast(), Ordering::Release);
    PARAMETER.store(parameter.into_ptr().cast(), Ordering::Release);
    crate::probe::probe(py)?;
    Ok(api)
}

/// Whether this is exactly a `paddle.Tensor` or a parameter. Never imports paddle.
#[inline]
pub fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type_ptr();
    class == TENSOR.load(Ordering::Relaxed) || class == PARAMETER.load(Ordering::Relaxed)
}

/// Whether this is a tensor, or of a subclass. Never imports paddle.
#[inline]
pub fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
    is_exact(object) || is_derived(object)
}

#[cold]
fn is_derived(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    if API.get(py).is_none() {
        if !is_imported(py) {
            return false;
        }
        let derived = object.get_type().mro().iter().any(|class| {
            let module = class.getattr("__module__").or_note();
            let module = module.and_then(|m| m.extract::<String>().ok());
            module.is_some_and(|m| m == "paddle" || m.starts_with("paddle."))
        });
        if !derived || look_up(py).or_note().is_none() {
            return false;
        }
    }
    let tensor = TENSOR.load(Ordering::Relaxed);
    // SAFETY: both are type objects.
    !tensor.is_null() && unsafe { ffi::PyType_IsSubtype(object.get_type_ptr(), tensor) != 0 }
}

/// Whether paddle has been imported: before that nothing is a tensor.
fn is_imported(py: Python<'_>) -> bool {
    static MODULES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let modules = MODULES.get_or_try_init(py, || {
        let modules = py.import("sys")?.getattr("modules")?;
        Ok::<_, PyErr>(modules.unbind())
    });
    modules.is_ok_and(|m| {
        m.bind(py)
            .contains(pyo3::intern!(py, "paddle"))
            .unwrap_or(false)
    })
}

/// Refuses tensors without dense memory of their own, for which paddle's exchange functions read what is not there.
#[inline]
fn check_dense(object: &Bound<'_, PyAny>, paddle: &PaddleApi) -> PyResult<()> {
    // SAFETY: callers have seen that this is a tensor.
    if unsafe { paddle.is_dense.call(object) }?.is_truthy()? {
        return Ok(());
    }
    Err(no_memory(object))
}

#[cold]
fn no_memory(object: &Bound<'_, PyAny>) -> PyErr {
    let error = Error::new(
        Code::Value,
        "the tensor has no dense memory of its own: it is sparse, distributed, or was cleared",
    )
    .hint("pass t.to_dense(), or a local dense tensor");
    raise(object.py(), error)
}

/// Describes a tensor's memory for the duration of a call. Anything else is refused.
///
/// What a subclass says of itself counts only while [`Framework::hold`] holds it.
///
/// # Errors
/// The tensor has no dense memory of its own, or one that has no counterpart here.
#[inline(always)]
pub fn describe(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    if is_exact(object) && describe_plain(object, out) {
        return Ok(());
    }
    ask(object, out)
}

/// Describes the memory of a plain tensor, running no code of the user's; `false` where paddle must be asked.
///
/// The object is exactly a tensor ([`is_exact`]).
#[inline(always)]
pub fn describe_plain(object: &Bound<'_, PyAny>, out: &mut Desc) -> bool {
    direct::describe(object, out).is_some()
}

/// Lets paddle describe a tensor.
#[inline(never)]
fn ask(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    if !is_exact(object) {
        return Paddle::hold(object, out).map(drop);
    }
    let paddle = paddle_api(object.py())?;
    check_dense(object, paddle)?;
    // SAFETY: the table is that of the object's type.
    unsafe { exchange::describe(paddle.exchange, object, out) }
}

/// What a subclass, which may redefine what its memory is, says through the protocol.
#[cold]
fn hold_derived(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
    let py = object.py();
    if !is_tensor(object) {
        let found = object.get_type().fully_qualified_name()?;
        let error = Error::new(
            Code::Type,
            format!("expected a paddle.Tensor, found {found}"),
        );
        return Err(raise(py, error));
    }
    check_dense(object, paddle_api(py)?)?;
    // Paddle exports only tensors without gradient.
    let detached = object.call_method0("detach")?;
    let capsule = detached.call_method0("__dlpack__")?;
    let (desc, owner) = warp_dlpack::consume(&capsule)?;
    *out = desc;
    Ok(owner)
}

/// Holds the memory through a managed tensor of paddle's, which shares it.
#[inline(never)]
fn hold_managed(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
    if !is_exact(t) {
        return hold_derived(t, out);
    }
    let paddle = paddle_api(t.py())?;
    check_dense(t, paddle)?;
    // SAFETY: the table is that of the object's type.
    let (desc, owner) = unsafe { exchange::hold(paddle.exchange, t) }?;
    *out = desc;
    Ok(owner)
}

/// Paddle, for the one import path.
#[derive(Clone, Copy, Debug)]
pub struct Paddle;

impl Framework for Paddle {
    const NAME: &'static str = "Paddle";
    const READ_ONLY: bool = false;
    const NEGATIVE_STRIDES: bool = false;
    type Cx<'a> = Python<'a>;
    type Tensor<'a> = Bound<'a, PyAny>;
    type Error = PyErr;

    fn raise(py: Python<'_>, error: Error) -> PyErr {
        raise(py, error)
    }
    #[inline]
    fn describe(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
        describe(t, out)
    }
    /// Holds the memory, whatever memory the tensor object is given later.
    #[inline(always)]
    fn hold(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
        if is_exact(t)
            && let Some(count) = direct::describe(t, out)
        {
            return Ok(count.hold());
        }
        hold_managed(t, out)
    }
    fn wrap<'a>(py: Python<'a>, array: &Array) -> PyResult<Bound<'a, PyAny>>
    where
        'a: 'a,
    {
        let scalar = array.view.elem.scalar();
        // SAFETY: the table is the installed framework's.
        unsafe { exchange::wrap(py, paddle_api(py)?.exchange, array, scalar) }
    }
}
