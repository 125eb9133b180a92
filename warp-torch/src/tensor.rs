//! `torch.Tensor`: which objects hold plain memory, and that memory.

use crate::probe::{Running, probe};
use crate::{direct, without_exchange};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use pyo3::{ffi, intern};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use warp_core::array::owner::Counts;
use warp_core::array::{Array, Owner};
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Error};
use warp_core::interop::{Desc, Framework};
use warp_dlpack::ffi::ExchangeTable;
use warp_dlpack::{Lenient, Method, Property, exchange, raise};

/// What is used of the torch that this process has imported, looked up once.
pub(crate) struct TorchApi {
    /// Its exchange table; torch has one from 2.10 on.
    exchange: Option<&'static ExchangeTable>,
    /// `Tensor.__torch_dispatch__`: a subclass with another one need not have memory.
    plain_dispatch: Py<PyAny>,
    is_neg: Method,
    untyped_storage: Method,
    dtype: Property,
    /// `torch.int8` and `torch.uint8`.
    byte_dtypes: [Py<PyAny>; 2],
    pub requires_grad: Property,
    pub grad: Property,
    pub is_leaf: Property,
    pub retains_grad: Property,
}

static API: PyOnceLock<TorchApi> = PyOnceLock::new();
static TENSOR: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());
static PARAMETER: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(null_mut());

/// # Errors
/// Torch cannot be imported.
pub(crate) fn torch_api(py: Python<'_>) -> PyResult<&'static TorchApi> {
    match API.get(py) {
        Some(api) => Ok(api),
        None => look_up(py),
    }
}

#[cold]
fn look_up(py: Python<'_>) -> PyResult<&'static TorchApi> {
    let Some(_running) = Running::begin() else {
        return Err(PyRuntimeError::new_err("Python is ending"));
    };
    let torch = py.import("torch")?;
    let tensor = torch.getattr("Tensor")?.cast_into::<PyType>()?;
    let parameter = torch
        .getattr("nn")?
        .getattr("Parameter")?
        .cast_into::<PyType>()?;
    let base = py.import("torch._C")?.getattr("TensorBase")?;
    let sample = torch.getattr("empty")?.call1((0,))?;
    let api = TorchApi {
        plain_dispatch: tensor.getattr("__torch_dispatch__")?.unbind(),
        is_neg: Method::new(&sample, "is_neg")?,
        untyped_storage: Method::new(&sample, "untyped_storage")?,
        dtype: Property::new(&base, "dtype")?,
        byte_dtypes: [
            torch.getattr("int8")?.unbind(),
            torch.getattr("uint8")?.unbind(),
        ],
        requires_grad: Property::new(&base, "requires_grad")?,
        grad: Property::new(&base, "grad")?,
        is_leaf: Property::new(&base, "is_leaf")?,
        retains_grad: Property::new(&base, "retains_grad")?,
        exchange: exchange::table_of(&tensor)?,
    };
    let api = API.get_or_init(py, || api);
    // The types are pinned: their addresses must never come to mean another type.
    TENSOR.store(tensor.into_ptr().cast(), Ordering::Release);
    PARAMETER.store(parameter.into_ptr().cast(), Ordering::Release);
    probe(py)?;
    Ok(api)
}

/// Whether this is exactly a `torch.Tensor` or a `torch.nn.Parameter`. Never imports torch.
#[inline]
pub fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type_ptr();
    class == TENSOR.load(Ordering::Relaxed) || class == PARAMETER.load(Ordering::Relaxed)
}

/// Whether this is a tensor, or of a subclass, and a tensor has been seen before.
#[inline]
pub fn is_known(object: &Bound<'_, PyAny>) -> bool {
    let tensor = TENSOR.load(Ordering::Relaxed);
    // SAFETY: both are type objects.
    is_exact(object)
        || !tensor.is_null() && unsafe { ffi::PyType_IsSubtype(object.get_type_ptr(), tensor) != 0 }
}

/// Whether this is a tensor, or of a subclass. Never imports torch.
#[inline]
pub fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
    if is_exact(object) {
        return true;
    }
    let py = object.py();
    if API.get(py).is_none() {
        // A tensor's type descends from torch's, so torch is imported if this is one.
        let derived = object.get_type().mro().iter().any(|class| {
            let module = class.getattr("__module__").or_note();
            let module = module.and_then(|m| m.extract::<String>().ok());
            module.is_some_and(|m| m == "torch" || m.starts_with("torch."))
        });
        if !derived || look_up(py).or_note().is_none() {
            return false;
        }
    }
    is_known(object)
}

/// Refuses subclasses that need not have memory of their own.
#[inline]
fn check_plain(object: &Bound<'_, PyAny>, torch: &TorchApi) -> PyResult<()> {
    if is_exact(object) {
        return Ok(());
    }
    check_subclass(object, torch)
}

#[cold]
fn check_subclass(object: &Bound<'_, PyAny>, torch: &TorchApi) -> PyResult<()> {
    let class = object.get_type();
    let dispatch = class.getattr("__torch_dispatch__")?;
    if dispatch.is(torch.plain_dispatch.bind(object.py())) {
        return Ok(());
    }
    let error = Error::new(
        Code::Type,
        format!(
            "a tensor of type {} need not have memory of its own",
            class.name()?
        ),
    )
    .hint("pass a plain torch.Tensor");
    Err(raise(object.py(), error))
}

/// Refuses a tensor whose memory holds the negative of its values: the imaginary part of a conjugate.
fn check_sign(object: &Bound<'_, PyAny>, torch: &TorchApi) -> PyResult<()> {
    let py = object.py();
    // SAFETY: callers have seen that this is a tensor.
    if !unsafe { torch.is_neg.call(object) }?.is_truthy()? {
        return Ok(());
    }
    let error = Error::new(
        Code::Value,
        "the tensor is a lazily negated view, whose memory holds the negated values",
    )
    .hint("pass t.resolve_neg()");
    Err(raise(py, error))
}

/// Describes a tensor's memory for the duration of a call.
///
/// # Errors
/// The tensor's memory does not hold its values, or they have no counterpart here; the message says why.
#[inline(always)]
pub fn describe(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    if is_exact(object) && describe_plain(object, out) {
        return Ok(());
    }
    ask(object, out)
}

/// Describes the memory of a plain tensor, running no code of the user's; `false` where torch must be asked.
///
/// The object is exactly a tensor ([`is_exact`]).
#[inline(always)]
pub fn describe_plain(object: &Bound<'_, PyAny>, out: &mut Desc) -> bool {
    direct::plain(object).is_some_and(|t| t.describe(out))
}

/// Lets torch describe a tensor.
#[inline(never)]
fn ask(object: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<()> {
    let torch = torch_api(object.py())?;
    if !direct::is_enabled()
        && let Some(_running) = Running::begin()
    {
        probe(object.py())?;
    }
    check_plain(object, torch)?;
    let Some(table) = torch.exchange else {
        without_exchange::describe(object, out)?;
        check_storage(object, torch, out)?;
        return check_sign(object, torch);
    };
    // SAFETY: the table is that of the object's type, or of one it inherits plain memory from.
    let described = unsafe { exchange::describe(table, object, out) };
    described.map_err(|error| crate::refuse::explain(object, error))?;
    check_bytes(object, torch, out.scalar)?;
    check_storage(object, torch, out)?;
    check_sign(object, torch)
}

/// Refuses a tensor whose storage does not hold all its elements: storages can be made smaller than their tensors.
fn check_storage(object: &Bound<'_, PyAny>, torch: &TorchApi, desc: &Desc) -> PyResult<()> {
    let needed = desc.bytes();
    if needed.is_empty() {
        return Ok(());
    }
    let (start, len) = match direct::plain(object) {
        Some(plain) => plain.storage_bytes(),
        None => {
            // SAFETY: callers have seen that this is a tensor.
            let storage = unsafe { torch.untyped_storage.call(object) }?;
            let ask = |name| storage.call_method0(name)?.extract::<u64>();
            let len = ask("nbytes")?;
            // A wrapper has a size and no address: what takes the description says so.
            if desc.data.is_null() && len > 0 {
                return Ok(());
            }
            (ask("data_ptr")?, len)
        }
    };
    let (low, high) = (i128::from(start), i128::from(start) + i128::from(len));
    if low <= needed.start && needed.end <= high {
        return Ok(());
    }
    Err(raise(object.py(), too_small(needed.end - low, len, desc)))
}

#[cold]
fn too_small(end: i128, len: u64, desc: &Desc) -> Error {
    let text = format!(
        "the tensor's elements, of shape {:?} with byte strides {:?}, end at byte {end} of a storage that has {len} bytes: \
         the storage was made smaller than the tensor",
        desc.shape(),
        &desc.strides[..desc.ndim],
    );
    Error::new(Code::Value, text).hint("give the storage its size back, or pass another tensor")
}

/// Refuses integers of fewer bits: torch says of them what it says of whole bytes.
fn check_bytes(object: &Bound<'_, PyAny>, torch: &TorchApi, scalar: Scalar) -> PyResult<()> {
    if !matches!(scalar, Scalar::I8 | Scalar::U8) {
        return Ok(());
    }
    let dtype = torch.dtype.of(object)?;
    if torch.byte_dtypes.iter().any(|byte| dtype.is(byte)) {
        return Ok(());
    }
    Err(crate::refuse::narrow(object.py(), &dtype))
}

/// PyTorch, for the one import path.
#[derive(Clone, Copy, Debug)]
pub struct Torch;

impl Framework for Torch {
    const NAME: &'static str = "PyTorch";
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
    /// Holds the storage: the tensor object may be given another one (`t.data = ...`), and a managed tensor
    /// of torch's follows it there.
    #[inline(always)]
    fn hold(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
        if is_exact(t)
            && let Some(plain) = direct::plain(t)
            && plain.describe(out)
            && let Some(owner) = plain.hold()
        {
            return Ok(owner);
        }
        hold_object(t, out)
    }
    fn wrap<'a>(py: Python<'a>, array: &Array) -> PyResult<Bound<'a, PyAny>>
    where
        'a: 'a,
    {
        let scalar = array.view.elem.scalar();
        match torch_api(py)?.exchange {
            // SAFETY: the table is the installed framework's.
            Some(table) => unsafe { exchange::wrap(py, table, array, scalar) },
            None => {
                // Old versions have no wide unsigned types.
                let has = py.import(intern!(py, "torch"))?.hasattr(scalar.name())?;
                let scalar = if has {
                    scalar
                } else {
                    crate::dtype::exported(scalar)
                };
                without_exchange::wrap(py, array, scalar)
            }
        }
    }
}

/// Holds the storage through its Python object.
#[inline(never)]
fn hold_object(t: &Bound<'_, PyAny>, out: &mut Desc) -> PyResult<Owner> {
    let torch = torch_api(t.py())?;
    describe(t, out)?;
    // SAFETY: what could be described is a tensor.
    let storage = unsafe { torch.untyped_storage.call(t) }?;
    let address: usize = storage.getattr(intern!(t.py(), "_cdata"))?.extract()?;
    // SAFETY: the Python object keeps the storage.
    let Some(words) = (unsafe { direct::words_of_storage(address) }) else {
        return Ok(warp_dlpack::reference(storage));
    };
    // SAFETY: one reference is given away here, and while it is held the storage's words may be read.
    Ok(unsafe { Owner::watched(storage.into_ptr().cast(), &REFERENCES, words) })
}

/// Storages that are held through their Python objects.
static REFERENCES: Counts = warp_dlpack::references(direct::PLACES, direct::MOVED);
