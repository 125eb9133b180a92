//! Any object as an array argument of a launch.

#[cfg(any(feature = "torch", feature = "paddle"))]
use crate::exchange::descriptor::Descriptor;
use crate::exchange::reader::Use;
use crate::exchange::{data, dlpack_in, memory};
use crate::kernel::KernelParam;
use crate::object::Array;
use crate::object::error::{Code, Mismatch, error};
use crate::object::message::describe;
use pyo3::prelude::*;
use std::marker::PhantomData;
use warp_core::abi::ArrayArg;
use warp_core::array::{Array as Core, Owner, View};
use warp_core::device::Device;
use warp_core::interop::Desc;
use warp_core::ty::{Elem, Type};
use warp_dlpack::raise;

/// What a launch wants for a parameter that is an array.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// What each element is.
    pub elem: Elem,
    /// Number of dimensions.
    pub ndim: u8,
    /// Whether the kernel writes it.
    pub writes: bool,
    /// Where the launch runs.
    pub device: Device,
}

impl Wanted {
    /// What a parameter wants.
    #[inline(always)]
    pub fn of(param: &KernelParam, writes: bool, device: Device) -> Wanted {
        Wanted {
            elem: param.elem,
            ndim: param.ndim,
            writes,
            device,
        }
    }
    /// The type that messages name.
    fn ty(&self) -> Type {
        Type::Array {
            elem: self.elem,
            ndim: self.ndim,
        }
    }
}

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

/// An argument for a parameter that is an array.
///
/// # Errors
/// The argument is not what the parameter wants.
pub fn launch_arg<'py>(value: &Bound<'py, PyAny>, want: &Wanted) -> Result<ArgView<'py>, Mismatch> {
    let mut view = ArgView::new(ArrayArg::MISSING, None);
    view.keep = launch_arg_into(value, want, &mut view.arg)?;
    Ok(view)
}

/// [`launch_arg`], written where the launch reads it. Returns what must outlive the launch besides the object.
///
/// # Errors
/// The argument is not what the parameter wants.
#[inline]
pub fn launch_arg_into(
    value: &Bound<'_, PyAny>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    if let Ok(array) = value.cast_exact::<Array>() {
        let view = array.get().view();
        if view.elem == want.elem
            && view.ndim == want.ndim
            && view.device == want.device
            && !(want.writes && view.read_only)
        {
            *arg = view.arg;
            return Ok(None);
        }
        return Err(refuse(value, view, want));
    }
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(d) = value.cast_exact::<Descriptor>() {
        if d.get().elem() == want.elem {
            return launch_arg_into(d.get().tensor(value.py()), want, arg);
        }
        let view = d.get().view(value.py()).map_err(Mismatch)?;
        return Err(refuse(value, &view, want));
    }
    #[cfg(feature = "torch")]
    if warp_torch::is_exact(value) {
        let mut desc = Desc::EMPTY;
        warp_torch::describe(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, want, arg)?;
        return Ok(None);
    }
    #[cfg(feature = "paddle")]
    if warp_paddle::is_exact(value) {
        let mut desc = Desc::EMPTY;
        warp_paddle::describe(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, want, arg)?;
        return Ok(None);
    }
    #[cfg(feature = "numpy")]
    if warp_numpy::is_array(value) {
        let mut desc = Desc::EMPTY;
        warp_numpy::describe(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, want, arg)?;
        return Ok(None);
    }
    other_arg(value, want, arg)
}

#[cold]
fn other_arg(
    value: &Bound<'_, PyAny>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    // Launches are fast calls, in which PyO3 does not know that the lock is held, and puts off dropping
    // objects, such as the exceptions that tell that an attribute is missing.
    Python::attach(|_| protocol_arg(value, want, arg))
}

fn protocol_arg(
    value: &Bound<'_, PyAny>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    #[cfg(feature = "jax")]
    if warp_jax::is_array(value) {
        let mut desc = Desc::EMPTY;
        let owner = warp_jax::hold(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, want, arg)?;
        return Ok(Some(owner));
    }
    if !want.writes
        && let Some(desc) = dlpack_in::lent(value).map_err(Mismatch)?
    {
        fit(value, &desc, want, arg)?;
        return Ok(None);
    }
    // What is written to a temporary would be lost.
    let purpose = if want.writes { Use::Share } else { Use::Read };
    match memory::foreign(value, purpose) {
        Ok(Some((desc, owner))) => {
            fit(value, &desc, want, arg)?;
            Ok(Some(owner))
        }
        Ok(None) => Err(Mismatch(error(
            Code::Launch,
            format!("expected {}, found {}", want.ty(), describe(value)),
        ))),
        Err(e) => Err(Mismatch(e)),
    }
}

/// Folds a described array into the parameter's type.
#[inline]
fn fit(
    value: &Bound<'_, PyAny>,
    desc: &Desc,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<(), Mismatch> {
    match desc.arg_into(want.elem, arg) {
        Ok(n)
            if n == want.ndim && desc.device == want.device && !(want.writes && desc.read_only) =>
        {
            Ok(())
        }
        Ok(_) => match desc.view(Some(want.elem)) {
            Ok(view) => Err(refuse(value, &view, want)),
            Err(e) => Err(Mismatch(raise(value.py(), e))),
        },
        Err(e) => {
            let text = format!("expected {}, found {}", want.ty(), describe(value));
            Err(Mismatch(raise(value.py(), e.within(text))))
        }
    }
}

#[cold]
fn refuse(value: &Bound<'_, PyAny>, view: &View, want: &Wanted) -> Mismatch {
    let same_type = (view.elem, view.ndim) == (want.elem, want.ndim);
    let (found, wanted) = (describe(value), want.ty());
    let text = if !same_type {
        return Mismatch(error(
            Code::Launch,
            format!("expected {wanted}, found {found}"),
        ));
    } else if view.device != want.device {
        format!(
            "{found} is on the device \"{}\", the launch runs on \"{}\"; pass a copy that is there, as with \
             a.to(\"{}\")",
            view.device, want.device, want.device
        )
    } else {
        format!("the kernel writes it, but {found} is read-only; pass a copy")
    };
    Mismatch(error(Code::Value, text))
}

/// An argument's memory and what keeps it, for launches that come later.
///
/// # Errors
/// The argument has no memory to offer.
pub fn hold(value: &Bound<'_, PyAny>, elem: Elem) -> PyResult<Core> {
    #[cfg(any(feature = "torch", feature = "paddle"))]
    if let Ok(d) = value.cast::<Descriptor>() {
        return data::readable(d.get().tensor(value.py()), Some(elem));
    }
    data::readable(value, Some(elem))
}
