//! Any object as an array: sharing its memory where that is asked for, else with a copy of its content.

use super::list::{self, listed};
use super::reader::Use;
#[cfg(feature = "numpy")]
use super::structured;
use super::{instances, memory};
use crate::object::Array;
use crate::object::access::check_current;
use crate::object::error::{Code, error, refuse};
use crate::object::message::describe;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::array::{Array as Core, Placement, View};
use warp_core::device::Device;
use warp_core::interop::{Desc, MAX_FOREIGN_NDIM};
use warp_core::ty::{Elem, Struct};
use warp_dlpack::{Lenient, passes};

/// An array on the object's own memory.
///
/// # Errors
/// It has none to offer, or its elements are not `elem`.
pub fn shared(value: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    on_memory(value, elem, Use::Share)
}

/// An array on the object's own memory where that holds `elem`. A list, or memory of other elements, is copied to a device.
///
/// # Errors
/// The object is no list and offers no memory, or its content cannot become `elem`.
pub fn shared_or_copied(
    value: &Bound<'_, PyAny>,
    elem: Option<Elem>,
    at: Placement,
) -> PyResult<Core> {
    if let Some(list) = listed(value)? {
        return of_list(&list, elem, at);
    }
    let refusal = match shared(value, elem) {
        Ok(core) => return Ok(core),
        Err(refusal) => refusal,
    };
    // Memory that cannot be shared whatever it holds is refused still, and so is what would be shared but for its layout.
    let other_elements = match elem {
        Some(elem) if !passes(&refusal) => shared(value, None)
            .lenient()?
            .is_some_and(|found| found.view.elem.scalar() != elem.scalar()),
        _ => false,
    };
    match other_elements {
        true => copied(value, elem, at),
        false => Err(refusal),
    }
}

/// An array that is only read: on the object's own memory, or on a temporary with its content.
///
/// # Errors
/// As for [`shared`].
pub fn readable(value: &Bound<'_, PyAny>, elem: Option<Elem>) -> PyResult<Core> {
    on_memory(value, elem, Use::Read)
}

fn on_memory(value: &Bound<'_, PyAny>, elem: Option<Elem>, wanted: Use) -> PyResult<Core> {
    if let Ok(a) = value.cast::<Array>() {
        let core: &Core = &a.get().core;
        if elem.is_none_or(|e| e == core.view.elem) {
            check_current(core, "a conversion")?;
            return Ok(core.clone());
        }
    }
    if let Some(Elem::Struct(s)) = elem {
        return of_structured(value, s, None);
    }
    memory::on(value, elem, wanted)
}

/// An array of structs: on the memory of records, or with their content on a device.
#[cold]
fn of_structured(value: &Bound<'_, PyAny>, s: Struct, copy: Option<Placement>) -> PyResult<Core> {
    #[cfg(feature = "numpy")]
    if structured::is_structured(value) {
        return match copy {
            Some(at) => memory::onto(value.py(), structured::copied(value, s, at.on_host())?, at),
            None => structured::shared(value, s),
        };
    }
    let _ = copy;
    Err(error(
        Code::Type,
        format!(
            "an array of {s} is made of instances of {s}, NumPy's records of its fields, or another array of {s}, not \
             of {}",
            describe(value)
        ),
    ))
}

/// A new array on a device with the object's content, as `elem` where that is given.
///
/// # Errors
/// The object is no list, array or tensor, or its content cannot become `elem`.
pub fn copied(value: &Bound<'_, PyAny>, elem: Option<Elem>, at: Placement) -> PyResult<Core> {
    let py = value.py();
    if let Some(list) = listed(value)? {
        return of_list(&list, elem, at);
    }
    if let Ok(a) = value.cast::<Array>()
        && let view @ View {
            elem: Elem::Struct(_),
            ..
        } = a.get().view()
        && elem.is_none_or(|e| e == view.elem)
    {
        check_current(&a.get().core, "a copy")?;
        // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
        return unsafe { a.get().core.copy_to(at) }.map_err(refuse(py, "array"));
    }
    match elem {
        Some(Elem::Struct(s)) => of_structured(value, s, Some(at)),
        _ => memory::copied(value, elem, at),
    }
}

/// A new array with the content of nested lists.
fn of_list(value: &Bound<'_, PyAny>, elem: Option<Elem>, at: Placement) -> PyResult<Core> {
    let elem = elem.or_else(|| list::leaf_elem(value));
    if let Some(Elem::Struct(s)) = elem
        && value.len()? > 0
    {
        return memory::onto(
            value.py(),
            instances::from_list(value, s, at.on_host())?,
            at,
        );
    }
    match list::from_list(value, elem, at.on_host())? {
        Some(core) => memory::onto(value.py(), core, at),
        None => memory::copied(&list::by_numpy(value, elem)?, elem, at),
    }
}

/// Numbers in row-major order as an array of `elem` and of `shape`, however they are grouped.
///
/// # Errors
/// There are more or fewer of them, or they do not lie close together.
pub fn of_numbers(py: Python<'_>, numbers: Core, elem: Elem, shape: &[i64]) -> PyResult<Core> {
    let mut dims: SmallVec<[i64; MAX_FOREIGN_NDIM]> = shape.into();
    dims.extend(elem.inner_shape().iter().map(|n| *n as i64));
    let mut desc = Desc::of(&numbers.view);
    desc.regroup_as(&dims).map_err(refuse(py, "array"))?;
    let view = desc.view(Some(elem)).map_err(refuse(py, "array"))?;
    Ok(Core { view, ..numbers })
}

/// What to assign from: shared where the element is the same, else converted.
///
/// # Errors
/// The object is no list, array or tensor, or its content cannot become `elem`.
pub fn source(value: &Bound<'_, PyAny>, elem: Elem) -> PyResult<Core> {
    if let Some(list) = listed(value)? {
        return of_list(&list, Some(elem), Device::Cpu.into());
    }
    match value.cast::<Array>() {
        Ok(a) if a.get().view().elem == elem => Ok(a.get().core.clone()),
        _ => match readable(value, Some(elem)).lenient()? {
            Some(core) => Ok(core),
            None => copied(value, Some(elem), Device::Cpu.into()),
        },
    }
}
