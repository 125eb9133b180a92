//! Any object as an array argument of a launch.
//!
//! Plain memory is borrowed: the objects that the launch was given keep it, as long as no code but ours runs. What takes code
//! of others to find out is held. [`super::pack`] says what follows from that.

use super::peers;
use crate::dtype;
use crate::exchange::descriptor::Descriptor;
use crate::exchange::reader::Use;
use crate::exchange::{data, dlpack_in, memory};
use crate::kernel::KernelParam;
use crate::object::Array;
use crate::object::error::{Code, Mismatch, error};
use crate::object::message::{array_of, describe, name_of};
use crate::registry::for_each_framework;
use pyo3::prelude::*;
use std::marker::PhantomData;
use warp_core::abi::ArrayArg;
use warp_core::array::{Array as Core, Owner, View};
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::interop::Desc;
use warp_core::ty::{Elem, MAX_NDIM, Type};
use warp_dlpack::{Adapter, raise};

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

/// The commonest argument, an array of ours that is what the parameter wants, is written where the launch reads it. False: it
/// is another one, and nothing was written.
#[inline(always)]
pub fn copy_own(value: &Bound<'_, PyAny>, want: &Wanted, arg: &mut ArrayArg) -> bool {
    match value.cast_exact::<Array>() {
        Ok(array) => copy_fitting(array, want, arg),
        Err(_) => false,
    }
}

/// [`copy_own`] of an array.
#[inline(always)]
fn copy_fitting(array: &Bound<'_, Array>, want: &Wanted, arg: &mut ArrayArg) -> bool {
    let Core { view, owner } = &*array.get().core;
    let fits = view.elem == want.elem
        && view.ndim == want.ndim
        && view.device == want.device
        && !(want.writes && view.read_only)
        && owner.is_current();
    if fits {
        *arg = view.arg;
    }
    fits
}

/// An array of ours.
#[inline(always)]
fn own_arg(
    array: &Bound<'_, Array>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    if copy_fitting(array, want, arg) {
        return Ok(None);
    }
    let Core { view, owner } = &*array.get().core;
    check_current(owner)?;
    let there = Wanted {
        device: view.device,
        ..*want
    };
    if view.device != want.device
        && copy_fitting(array, &there, arg)
        && peers::array_is_reached(want.device, array.get())
    {
        return Ok(Some(owner.clone()));
    }
    Err(refuse(array.as_any(), view, want))
}

/// [`launch_arg`], written where the launch reads it. Returns the owner of memory that is held; only then may code of the
/// user's have run. Other memory is borrowed.
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
        return own_arg(array, want, arg);
    }
    if let Ok(d) = value.cast_exact::<Descriptor>() {
        return descriptor_arg(value, d.get(), want, arg);
    }
    for_each_framework!(F => {
        if F::is_exact(value) {
            let mut desc = Desc::EMPTY;
            if !F::describe_plain(value, &mut desc) {
                return tensor_arg::<F>(value, want, arg);
            }
            fit(value, &desc, want, arg)?;
            return Ok(None);
        }
    });
    other_arg(value, want, arg)
}

/// A descriptor of a tensor. One that reads the tensor's elements as another type is passed as its whole array is.
#[inline]
fn descriptor_arg(
    value: &Bound<'_, PyAny>,
    d: &Descriptor,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    let py = value.py();
    if d.elem() != want.elem {
        let view = d.view(py).map_err(Mismatch)?;
        return Err(refuse(value, &view, want));
    }
    match launch_arg_into(d.tensor(py), want, arg) {
        Ok(owner) => Ok(owner),
        Err(refused) => whole_arg(d, want, arg, py).unwrap_or(Err(refused)),
    }
}

/// The array of a descriptor whose tensor was refused; None if it does not fit either.
#[cold]
fn whole_arg(
    d: &Descriptor,
    want: &Wanted,
    arg: &mut ArrayArg,
    py: Python<'_>,
) -> Option<Result<Option<Owner>, Mismatch>> {
    if d.view(py).ok()?.elem != want.elem {
        return None;
    }
    match d.array(py) {
        Ok(whole) => copy_own(whole, want, arg).then(|| Ok(Some(whole.get().core.owner.clone()))),
        Err(e) => Some(Err(Mismatch(e))),
    }
}

/// A tensor whose memory must be held, or that its framework must be asked about: an unusual one, or the first of the process.
#[cold]
fn tensor_arg<F: Adapter>(
    value: &Bound<'_, PyAny>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    // As in `other_arg`.
    Python::attach(|_| {
        let mut desc = Desc::EMPTY;
        let owner = F::hold(value, &mut desc).map_err(Mismatch)?;
        fit(value, &desc, want, arg)?;
        Ok(Some(owner))
    })
}

#[cold]
fn other_arg(
    value: &Bound<'_, PyAny>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    // None is an array without elements; kernels can ask.
    if value.is_none() {
        let none = Array::blank(want.elem, want.ndim.into());
        let none = none.map_err(|e| Mismatch(raise(value.py(), e)))?;
        *arg = none.core.view.arg;
        return Ok(Some(none.core.owner.clone()));
    }
    // Launches are fast calls, in which PyO3 does not know that the lock is held, and puts off dropping
    // objects, such as the exceptions that tell that an attribute is missing.
    Python::attach(|_| protocol_arg(value, want, arg))
}

fn protocol_arg(
    value: &Bound<'_, PyAny>,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<Option<Owner>, Mismatch> {
    if let Ok(array) = value.cast::<Array>() {
        // Of a derived class.
        return own_arg(array, want, arg);
    }
    // The frameworks' own types are known only once their adapters have seen a tensor.
    for_each_framework!(F => {
        if F::is_tensor(value) {
            return tensor_arg::<F>(value, want, arg);
        }
    });
    if !want.writes
        && let Some(desc) =
            dlpack_in::lent(value).map_err(|e| Mismatch(memory::without_values(value, e)))?
    {
        fit(value, &desc, want, arg)?;
        return Ok(None);
    }
    if let Some(Elem::Struct(indexed)) = dtype::indexed_of(value) {
        let text = format!(
            "expected {}, found {indexed}; pass a copy of its elements, a.contiguous(), or declare the parameter as \
             wp.indexedarray",
            want.ty()
        );
        return Err(Mismatch(error(Code::Launch, text)));
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
            format!(
                "expected {}, found {}{}",
                want.ty(),
                describe(value),
                array_of(value)
            ),
        ))),
        Err(e) => Err(Mismatch(e)),
    }
}

/// Folds a described array into the parameter's type.
#[inline(always)]
fn fit(
    value: &Bound<'_, PyAny>,
    desc: &Desc,
    want: &Wanted,
    arg: &mut ArrayArg,
) -> Result<(), Mismatch> {
    match desc.arg_into(want.elem, arg) {
        Ok(n)
            if n == want.ndim
                && !(want.writes && desc.read_only)
                && (desc.device == want.device
                    || peers::is_reached(want.device, desc.device, arg.data as usize)) =>
        {
            Ok(())
        }
        Ok(_) => match desc.view(Some(want.elem)) {
            Ok(view) => Err(refuse(value, &view, want)),
            Err(e) => Err(Mismatch(raise(value.py(), e))),
        },
        Err(e) => {
            let text = format!("expected {}, found {}", want.ty(), describe(value));
            let mut e = e.within(text);
            e.message += &cast_of(value, want.elem);
            Err(Mismatch(raise(value.py(), e)))
        }
    }
}

/// How to pass what has other elements or dimensions.
#[cold]
fn remedy(value: &Bound<'_, PyAny>, view: &View, want: &Wanted) -> String {
    let found = view.elem;
    let of = || describe_elem(value.py(), found);
    if found == want.elem {
        let ndim = view.ndim;
        return match ndim > want.ndim {
            true => format!(
                "; declare it wp.array{ndim}d[{}], or pass a part such as a[0]",
                of()
            ),
            false => format!(
                "; declare it wp.array{ndim}d[{}], or pass a.reshape(...)",
                of()
            ),
        };
    }
    let f32 = |elem: Elem| elem.with_scalar(Scalar::F32);
    if f32(found) == f32(want.elem) {
        return cast_of(value, want.elem);
    }
    match found == Elem::Scalar(want.elem.scalar()) {
        true => format!(
            "; a.view({}) is the same memory, if the last dimension has its numbers",
            describe_elem(value.py(), want.elem)
        ),
        false => String::new(),
    }
}

/// The package that an object's class is of.
#[cold]
fn module_of(value: &Bound<'_, PyAny>) -> String {
    let class = value.get_type().fully_qualified_name();
    let class = class.map(|name| name.to_string()).unwrap_or_default();
    class.split('.').next().unwrap_or_default().into()
}

/// How to convert the numbers of an array, in the words of who made it.
#[cold]
fn cast_of(value: &Bound<'_, PyAny>, to: Elem) -> String {
    let scalar = to.scalar();
    match module_of(value).as_str() {
        _ if value.is_instance_of::<Array>() => {
            format!("; a.astype({}) converts it", describe_elem(value.py(), to))
        }
        "numpy" => format!("; a.astype(np.{scalar}) converts it"),
        "torch" if scalar == Scalar::F32 => "; t.float() converts it".to_string(),
        "torch" => format!("; t.to(torch.{scalar}) converts it"),
        "jaxlib" | "jax" => format!("; a.astype(jnp.{scalar}) converts it"),
        "paddle" => format!("; t.astype(\"{scalar}\") converts it"),
        _ => String::new(),
    }
}

/// The name of a type of elements, as programs write it.
fn describe_elem(py: Python<'_>, elem: Elem) -> String {
    let name = dtype::class_of(py, elem).map(|class| name_of(&class));
    format!("wp.{}", name.unwrap_or_default())
}

#[cold]
fn refuse(value: &Bound<'_, PyAny>, view: &View, want: &Wanted) -> Mismatch {
    let same_type = (view.elem, view.ndim) == (want.elem, want.ndim);
    let (found, wanted) = (describe(value), want.ty());
    let text = if !same_type {
        return Mismatch(error(
            Code::Launch,
            format!(
                "expected {wanted}, found {found}{}",
                remedy(value, view, want)
            ),
        ));
    } else if view.device != want.device {
        format!(
            "{found} is on the device \"{}\", the launch runs on \"{}\"; pass a copy that is there, as with \
             a.to(\"{}\")",
            view.device, want.device, want.device
        )
    } else {
        let copied = match module_of(value).as_str() {
            "jax" | "jaxlib" => {
                "jax's arrays never change: pass a copy, wp.array(a), or call the kernel by wp.jax_kernel"
            }
            _ => "pass a copy",
        };
        format!("the kernel writes it, but {found} is read-only; {copied}")
    };
    Mismatch(error(Code::Value, text))
}

/// [`launch_arg`] with an owner of the memory, whatever becomes of the object.
///
/// # Errors
/// The argument is not what the parameter wants.
pub fn held_arg(value: &Bound<'_, PyAny>, want: &Wanted) -> Result<(ArrayArg, Owner), Mismatch> {
    let mut arg = ArrayArg::MISSING;
    let owner = match launch_arg_into(value, want, &mut arg)? {
        Some(owner) => owner,
        None => hold(value, want.elem, &arg)?,
    };
    Ok((arg, owner))
}

/// An owner of memory that [`launch_arg_into`] has borrowed from `value` as `arg`.
///
/// # Errors
/// The object has been given other memory since, or will not share it.
pub fn hold(value: &Bound<'_, PyAny>, elem: Elem, arg: &ArrayArg) -> Result<Owner, Mismatch> {
    if let Ok(array) = value.cast::<Array>() {
        let owner = &array.get().core.owner;
        check_current(owner)?;
        return Ok(owner.clone());
    }
    if let Ok(d) = value.cast::<Descriptor>() {
        return hold(d.get().tensor(value.py()), elem, arg);
    }
    // Asked in another way, an object may say otherwise how it steps over its only element.
    let core = data::readable(value, Some(elem)).map_err(Mismatch)?;
    let found = &core.view.arg;
    let stands = found.shape == arg.shape
        && (found.data == arg.data || core.view.layout().is_empty())
        && (0..MAX_NDIM).all(|d| found.strides[d] == arg.strides[d] || arg.shape[d] <= 1);
    if !stands {
        return Err(Mismatch(error(
            Code::Runtime,
            format!(
                "{} was given other memory while the launch was prepared",
                describe(value)
            ),
        )));
    }
    Ok(core.owner)
}

/// Refuses memory that has been replaced since it was held.
///
/// # Errors
/// It has been replaced.
#[inline]
pub fn check_current(owner: &Owner) -> Result<(), Mismatch> {
    if owner.is_current() {
        Ok(())
    } else {
        Err(moved(owner))
    }
}

#[cold]
fn moved(owner: &Owner) -> Mismatch {
    Python::attach(|py| Mismatch(raise(py, owner.moved())))
}
