//! Any object as an array argument of a launch, and the gradients that belong to arguments.

use crate::array::Array;
use crate::convert_data as data;
use crate::convert_dlpack as dlpack;
#[cfg(any(feature = "torch", feature = "paddle"))]
use crate::convert_tensor as tensor;
#[cfg(any(feature = "torch", feature = "paddle"))]
use crate::descriptor::Descriptor;
use crate::dtype::Mismatch;
use crate::kernel::Param;
use crate::protocol::Use;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::marker::PhantomData;
use warp_core::abi::ArrayArg;
use warp_core::array::{Array as Core, Owner, View};
use warp_core::interop::Desc;
use warp_core::ty::{Elem, Type};
use warp_dlpack::raise;

pub use data::{copied, seen, shared, source};

/// An array argument as a launch needs it. The object that it was made from must be kept alive too.
pub struct ArgView<'py> {
    /// What the kernel is given.
    pub arg: ArrayArg,
    /// Keeps memory alive that the object itself does not.
    keep: Option<Owner>,
    _object: PhantomData<Python<'py>>,
}

impl ArgView<'_> {
    #[inline]
    fn new(arg: ArrayArg, keep: Option<Owner>) -> Self {
        ArgView {
            arg,
            keep,
            _object: PhantomData,
        }
    }
}

/// An argument for a parameter that is an array of `elem` in `ndim` dimensions, which the kernel writes or not.
pub fn launch_arg<'py>(
    value: &Bound<'py, PyAny>,
    elem: Elem,
    ndim: u8,
    writes: bool,
) -> Result<ArgView<'py>, Mismatch> {
    let mut view = ArgView::new(ArrayArg::MISSING, None);
    view.keep = launch_arg_into(value, elem, ndim, writes, &mut view.arg)?;
    Ok(view)
}

/// [`launch_arg`], written where the launch reads it. Returns what must outlive the launch besides the object.
#[inline]
pub fn launch_arg_into(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    ndim: u8,
    writes: bool,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    if let Ok(array) = value.cast_exact::<Array>() {
        let view = array.get().view();
        if view.elem == elem && view.ndim == ndim && !(writes && view.read_only) {
            *arg = view.arg;
            return Ok(None);
        }
        return Err(refuse(value, view, elem, ndim));
    }
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(d) = value.cast_exact::<Descriptor>() {
        if d.get().elem() == elem {
            return launch_arg_into(d.get().tensor(value.py()), elem, ndim, writes, arg);
        }
        let view = d.get().view(value.py()).map_err(Mismatch)?;
        return Err(refuse(value, &view, elem, ndim));
    }
    #[cfg(feature = "torch")]
    if warp_torch::is_exact(value) {
        let mut desc = Desc::EMPTY;
        warp_torch::describe(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, elem, ndim, writes, arg)?;
        return Ok(None);
    }
    #[cfg(feature = "paddle")]
    if warp_paddle::is_exact(value) {
        let mut desc = Desc::EMPTY;
        warp_paddle::describe(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, elem, ndim, writes, arg)?;
        return Ok(None);
    }
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(value) {
        let mut desc = Desc::EMPTY;
        warp_numpy::describe(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, elem, ndim, writes, arg)?;
        return Ok(None);
    }
    other_arg(value, elem, ndim, writes, arg)
}

#[cold]
fn other_arg(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    ndim: u8,
    writes: bool,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    // Launches come in by a quick door, where PyO3 does not know that the lock is held, and puts off dropping
    // objects, such as the exceptions that tell that an attribute is missing.
    Python::attach(|_| protocol_arg(value, elem, ndim, writes, arg))
}

fn protocol_arg(
    value: &Bound<'_, PyAny>,
    elem: Elem,
    ndim: u8,
    writes: bool,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    #[cfg(feature = "jax")]
    if warp_jax::is_array(value) {
        let mut desc = Desc::EMPTY;
        let owner = warp_jax::hold(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, elem, ndim, writes, arg)?;
        return Ok(Some(owner));
    }
    if !writes && let Some(desc) = dlpack::lent(value).map_err(Mismatch)? {
        fit(value, &desc, elem, ndim, writes, arg)?;
        return Ok(None);
    }
    // What is written to a temporary would be lost.
    let purpose = if writes { Use::Share } else { Use::Read };
    match data::foreign(value, purpose) {
        Ok(Some((desc, owner))) => {
            fit(value, &desc, elem, ndim, writes, arg)?;
            Ok(Some(owner))
        }
        Ok(None) => Err(Mismatch(PyTypeError::new_err(format!(
            "expected {}, found {}",
            wanted(elem, ndim),
            found(value)
        )))),
        Err(e) => Err(Mismatch(e)),
    }
}

/// Folds a described array into the parameter's type.
#[inline]
fn fit(
    value: &Bound<'_, PyAny>,
    desc: &Desc,
    elem: Elem,
    ndim: u8,
    writes: bool,
    arg: &mut ArrayArg,
) -> Result<(), Mismatch> {
    match desc.arg_into(elem, arg) {
        Ok(n) if n == ndim && !(writes && desc.read_only) => Ok(()),
        Ok(_) => match desc.view(Some(elem)) {
            Ok(view) => Err(refuse(value, &view, elem, ndim)),
            Err(e) => Err(Mismatch(raise(value.py(), e))),
        },
        Err(e) => {
            let text = format!("expected {}, found {}", wanted(elem, ndim), found(value));
            Err(Mismatch(raise(value.py(), e.within(text))))
        }
    }
}

fn wanted(elem: Elem, ndim: u8) -> Type {
    Type::Array { elem, ndim }
}

#[cold]
fn refuse(value: &Bound<'_, PyAny>, view: &View, elem: Elem, ndim: u8) -> Mismatch {
    let have = wanted(view.elem, view.ndim);
    if have == wanted(elem, ndim) {
        return Mismatch(PyValueError::new_err(format!(
            "the kernel writes it, but {} is read-only; pass a copy",
            found(value)
        )));
    }
    Mismatch(PyTypeError::new_err(format!(
        "expected {}, found {}",
        wanted(elem, ndim),
        found(value)
    )))
}

/// An object in words, for messages.
pub fn found(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".into();
    }
    let name = value
        .get_type()
        .fully_qualified_name()
        .map_or_else(|_| "an object".into(), |n| n.to_string());
    if let Ok(a) = value.cast::<Array>() {
        let v = a.get().view();
        return format!(
            "a Warp array of {} with shape {:?}",
            v.elem,
            v.layout().shape()
        );
    }
    let described = (value.getattr("dtype").ok()).zip(value.getattr("shape").ok());
    match described.and_then(|(d, s)| Some((d.str().ok()?, s.try_iter().ok()?))) {
        Some((dtype, shape)) => {
            let shape: Vec<String> = shape.flatten().map(|n| n.to_string()).collect();
            format!("a {name} of {dtype} with shape [{}]", shape.join(", "))
        }
        None => match value.repr() {
            Ok(text) if text.len().is_ok_and(|n| n <= 40) => format!("{text} ({name})"),
            _ => format!("an object of type {name}"),
        },
    }
}

/// An argument as a Warp array that shares its memory, and its gradient if it has one.
pub fn to_array<'py>(value: &Bound<'py, PyAny>, param: &Param) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if value.is_instance_of::<Array>() {
        return Ok(value.clone());
    }
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(d) = value.cast::<Descriptor>() {
        return Ok(d.get().array(py)?.clone().into_any());
    }
    #[cfg(feature = "torch")]
    if warp_torch::is_tensor(value) {
        let array = tensor::array::<warp_torch::Torch>(value, Some(param.elem), None, None)?;
        return Ok(Bound::new(py, array)?.into_any());
    }
    #[cfg(feature = "paddle")]
    if warp_paddle::is_tensor(value) {
        let array = tensor::array::<warp_paddle::Paddle>(value, Some(param.elem), None, None)?;
        return Ok(Bound::new(py, array)?.into_any());
    }
    // A launch has refused temporaries where it writes.
    let core = seen(value, Some(param.elem))?;
    Ok(Bound::new(py, Array::new(core))?.into_any())
}

/// An argument's memory and what keeps it, for launches that come later.
pub fn held(value: &Bound<'_, PyAny>, elem: Elem) -> PyResult<Core> {
    #[cfg(feature = "torch")]
    if let Ok(d) = value.cast::<Descriptor>() {
        return seen(d.get().tensor(value.py()), Some(elem));
    }
    seen(value, Some(elem))
}

/// A copy of an array argument, contiguous and with memory of its own.
pub fn copy_like<'py>(value: &Bound<'py, PyAny>, param: &Param) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let core = match to_array(value, param)?.cast::<Array>() {
        Ok(a) => a.get().core.clone(),
        Err(_) => seen(value, Some(param.elem))?,
    };
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    let copy = unsafe { Core::copy_of(&core.view) }.map_err(|e| raise(py, e))?;
    Ok(Bound::new(py, Array::new(copy))?.into_any())
}

/// The gradient that belongs to an argument, if it has one. A tensor that is passed as it is has none: whoever
/// differentiates through it says where its gradient goes.
pub fn gradient<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if let Ok(a) = value.cast::<Array>() {
        rebind_gradient(a, true)?;
        return Ok(a.get().gradient(py).map(Bound::into_any));
    }
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(d) = value.cast::<Descriptor>() {
        return gradient(d.get().array(py)?.as_any());
    }
    Ok(None)
}

/// Makes an array's gradient and those of the tensors that share its memory one again.
///
/// `optimizer.zero_grad()` takes the gradient off a tensor while the array still holds its memory: then that
/// memory, zeroed, is put back if `attach` says so. Where the tensor got another gradient, the array takes that.
pub fn rebind_gradient(array: &Bound<'_, Array>, attach: bool) -> PyResult<()> {
    if !array.get().is_linked() {
        return Ok(());
    }
    let _ = attach;
    #[cfg(feature = "torch")]
    tensor::rebind::<warp_torch::Torch>(array, attach)?;
    #[cfg(feature = "paddle")]
    tensor::rebind::<warp_paddle::Paddle>(array, attach)?;
    Ok(())
}
