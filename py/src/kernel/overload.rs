//! Which overload of a function Python means that calls it.

use super::definition::Written;
use crate::dtype::own_type;
use crate::object::error::{Code, error};
use crate::object::message::describe;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};
use warp_core::ty::{Closeness, Elem, Pattern, Type};
use warp_dlpack::Lenient;

/// The overload whose parameters are closest to the arguments, the latest of several; a function without overloads itself.
///
/// # Errors
/// None takes the arguments.
pub fn meant<'py>(
    py: Python<'py>,
    own: &Py<Written>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Py<Written>> {
    let overloads = &own.get().overloads;
    if overloads.is_empty() {
        return Ok(own.clone_ref(py));
    }
    let mut best: Option<(Vec<Fit>, &Py<Written>)> = None;
    for one in overloads.iter().chain([own]) {
        if let Some(fits) = fits(one.get(), args, kwargs)? {
            let closer =
                |(known, _): &(Vec<Fit>, _)| fits.iter().sum::<Fit>() >= known.iter().sum();
            if best.as_ref().is_none_or(closer) {
                best = Some((fits, one));
            }
        }
    }
    match best {
        Some((_, one)) => Ok(one.clone_ref(py)),
        None => Err(none_fits(own, args)),
    }
}

/// How closely a parameter means an argument, from 0.
type Fit = u32;

/// How closely each parameter of a function means its argument; None if one does not take it.
fn fits<'py>(
    of: &Written,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Vec<Fit>>> {
    let py = args.py();
    let signature = py.import("inspect")?.getattr("signature")?;
    let signature = signature.call1((&of.function,))?;
    let Some(bound) = signature.call_method("bind", args, kwargs).or_note() else {
        return Ok(None);
    };
    let given = bound.getattr("arguments")?;
    let mut all = Vec::with_capacity(of.types.len());
    for (name, pattern) in signature.getattr("parameters")?.try_iter()?.zip(&of.types) {
        let name = name?;
        if !given.contains(&name)? {
            continue;
        }
        match fit(&given.get_item(&name)?, pattern.as_ref()) {
            Some(fit) => all.push(fit),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// How closely a parameter means an argument: a type that it names goes before a number of Python that becomes one, and
/// that before what is open.
fn fit(value: &Bound<'_, PyAny>, pattern: Option<&Pattern>) -> Option<Fit> {
    let Some(pattern) = pattern else {
        return Some(0);
    };
    match own_type(value).and_then(|ty| pattern.closeness(&ty)) {
        Some(Closeness::Exact) => return Some(3),
        Some(Closeness::Like) => return Some(2),
        Some(Closeness::Any) => return Some(0),
        None => {}
    }
    let becomes = match pattern {
        Pattern::Any => true,
        Pattern::Exact(Type::Elem(Elem::Scalar(s))) => match s.is_float() {
            true => value.is_instance_of::<PyFloat>() || value.is_exact_instance_of::<PyInt>(),
            false => value.is_exact_instance_of::<PyInt>(),
        },
        _ => false,
    };
    becomes.then_some(1)
}

#[cold]
fn none_fits(own: &Py<Written>, args: &Bound<'_, PyTuple>) -> PyErr {
    let found: Vec<String> = args.iter().map(|value| describe(&value)).collect();
    let takes = |of: &Py<Written>| {
        let types = of.get().types.iter();
        let each = types.map(|ty| ty.as_ref().map_or("Any".to_string(), Pattern::to_string));
        format!("({})", each.collect::<Vec<_>>().join(", "))
    };
    let all: Vec<String> = own.get().overloads.iter().chain([own]).map(takes).collect();
    error(
        Code::Argument,
        format!(
            "{}: no overload takes ({}); there are {}",
            own.get().source.name,
            found.join(", "),
            all.join(" and ")
        ),
    )
}
