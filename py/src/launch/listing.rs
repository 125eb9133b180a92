//! What a tape says of its launches, made of what it keeps: nothing here is paid for while it records.

use super::host::TapedLaunch;
use crate::dtype::{self, values};
use crate::object::Array;
use crate::runtime::device;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use warp_core::array::View;
use warp_core::device::Device;
use warp_core::ty::{Elem, Struct, Type};

/// A launch as `Tape.launches` lists it.
///
/// # Errors
/// Python has no memory.
pub fn launch<'py>(py: Python<'py>, launch: &TapedLaunch) -> PyResult<Bound<'py, PyList>> {
    let given = arguments(py, launch)?;
    let more = &launch.more;
    let (inputs, outputs) = given.split_at(more.inputs.min(given.len()));
    let dims = launch.dims;
    let metadata = match &more.metadata {
        Some(metadata) => metadata.bind(py).clone(),
        None => PyDict::new(py),
    };
    let list = PyList::empty(py);
    list.append(&launch.kernel.0)?;
    list.append(PyTuple::new(py, &dims.shape[..dims.ndim])?)?;
    list.append(dims.grid.max_blocks)?;
    list.append(inputs)?;
    list.append(outputs)?;
    list.append(device::object(py, launch.stream.device)?)?;
    // A block on the CPU is one thread.
    list.append(match launch.stream.device {
        Device::Cpu => 1,
        _ => dims.grid.block_dim,
    })?;
    list.append(metadata)?;
    Ok(list)
}

/// The arguments as they are written: structs out of their leaves.
fn arguments<'py>(py: Python<'py>, launch: &TapedLaunch) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Some(written) = &launch.kernel.0.get().arguments else {
        return Ok(launch.args[..launch.kernel.0.get().params.len()]
            .iter()
            .map(|a| a.bind(py).clone())
            .collect());
    };
    let mut at = 0;
    let each = written.iter().map(|argument| {
        let first = at;
        at += argument.leaves;
        value(py, launch, &argument.ty, first)
    });
    each.collect()
}

/// What an argument or field of a type was, whose leaves begin with argument `at`.
fn value<'py>(
    py: Python<'py>,
    launch: &TapedLaunch,
    ty: &Type,
    at: usize,
) -> PyResult<Bound<'py, PyAny>> {
    match ty {
        Type::Struct(s) => {
            let fields = PyList::empty(py);
            let mut leaf = at;
            for field in s.fields() {
                fields.append(value(py, launch, &field.ty, leaf)?)?;
                leaf += field.leaves;
            }
            instance(py, *s, fields)
        }
        Type::Array {
            elem: Elem::Struct(s),
            ..
        } => match (
            launch.more.root(at),
            launch.args[at].bind(py).cast::<Array>(),
        ) {
            (Some(root), _) => Ok(root.bind(py).clone().into_any()),
            (None, Ok(first)) => whole(first, *s),
            (None, Err(_)) => Ok(launch.args[at].bind(py).clone()),
        },
        _ => Ok(launch.args[at].bind(py).clone()),
    }
}

fn instance<'py>(
    py: Python<'py>,
    s: Struct,
    values: Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = dtype::class_of(py, Elem::Struct(s))?;
    class.call_method1("_of", (values,))
}

/// The array of structs whose first leaf is an array.
fn whole<'py>(first: &Bound<'py, Array>, s: Struct) -> PyResult<Bound<'py, PyAny>> {
    let core = &first.get().core;
    let view = &core.view;
    let before = s.stored().first().map_or(0, |leaf| leaf.offset);
    let data = view.arg.data.wrapping_sub(before);
    let elem = Elem::Struct(s);
    let whole = View::new(data, view.layout(), elem, view.device, view.read_only);
    Ok(Array::new(core.with_view(whole))
        .object(first.py())?
        .into_any())
}

/// `Tape.get_adjoint`: the gradient of an array; of a struct one with the gradients of its arrays.
///
/// # Errors
/// Python has no memory.
pub fn adjoint_of<'py>(of: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = of.py();
    if let Ok(array) = of.cast::<Array>() {
        return Ok(array.get().gradient(py).map(Bound::into_any));
    }
    let Some(Elem::Struct(s)) = dtype::elem_of(of.get_type().as_any()) else {
        return Ok(None);
    };
    let Some(values) = values(of, s) else {
        return Ok(None);
    };
    let fields = PyList::empty(py);
    for (field, value) in s.fields().iter().zip(values.iter()) {
        match field.ty {
            Type::Array { .. } | Type::Struct(_) => fields.append(adjoint_of(&value)?)?,
            _ => fields.append(value)?,
        }
    }
    instance(py, s, fields).map(Some)
}

/// Adds a struct to `Tape.gradients`, and those in it, wherever an array has a gradient.
///
/// # Errors
/// Python has no memory.
pub fn add_gradients(of: &Bound<'_, PyAny>, gradients: &Bound<'_, PyDict>) -> PyResult<bool> {
    let py = of.py();
    let Some(Elem::Struct(s)) = dtype::elem_of(of.get_type().as_any()) else {
        return Ok(false);
    };
    let Some(values) = values(of, s) else {
        return Ok(false);
    };
    let mut any = false;
    for (field, value) in s.fields().iter().zip(values.iter()) {
        any |= match field.ty {
            Type::Struct(_) => add_gradients(&value, gradients)?,
            _ => {
                let array = value.cast::<Array>();
                array.is_ok_and(|a| a.get().gradient(py).is_some())
            }
        };
    }
    if any && !gradients.contains(of)? {
        gradients.set_item(of, adjoint_of(of)?)?;
    }
    Ok(any)
}
