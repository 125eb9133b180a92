//! What the annotations of kernels and functions mean.

use crate::dtype;
use crate::object::message::{absent, describe, name_of};
use crate::object::package::{PACKAGE, own};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warp_core::ty::{MAX_NDIM, Pattern, Type};
use warp_dlpack::Lenient;

/// The types that an annotation object admits.
///
/// # Errors
/// The object names no type of kernels; the text says what it is.
pub fn annotation_type(value: &Bound<'_, PyAny>) -> Result<Pattern, String> {
    if let Some(pattern) = dtype::pattern(value) {
        return Ok(pattern);
    }
    if value.is_none() {
        return Ok(Type::None.into());
    }
    let py = value.py();
    if own(py, "Function").is_ok_and(|function| value.is(&function)) {
        return Ok(Type::Function.into());
    }
    if (PACKAGE.fixed_array.get(py)).is_ok_and(|fixed| value.get_type().is(&fixed)) {
        return fixed_array(value).map(Pattern::Exact);
    }
    if let Some(origin) = value.getattr("__origin__").or_note()
        && (PACKAGE.reference.get(py)).is_ok_and(|written| origin.is(&written))
    {
        let item = value.getattr("__args__").and_then(|a| a.get_item(0));
        let item = item.map_err(|_| "a ref needs a type".to_string())?;
        return match annotation_type(&item)? {
            Pattern::Exact(ty @ (Type::Elem(_) | Type::Struct(_))) => {
                Ok(Pattern::Exact(Type::Ref(ty.into())))
            }
            Pattern::Exact(Type::Array { .. }) => {
                Err("an array is written through without `wp.ref`".into())
            }
            _ => Err("a ref needs a type: wp.ref[float]".into()),
        };
    }
    // `tuple[float, int]`
    if let Some(origin) = value.getattr("__origin__").or_note()
        && origin.is(py.get_type::<PyTuple>())
    {
        let items = value
            .getattr("__args__")
            .and_then(|a| Ok(a.cast_into::<PyTuple>()?));
        let items = items.map_err(|_| "a tuple needs types: tuple[float, int]".to_string())?;
        let patterns = items.iter().map(|item| annotation_type(&item));
        return patterns.collect::<Result<_, _>>().map(Pattern::tuple);
    }
    if let Some(instead) = absent(value) {
        return Err(format!("wp.{} is not supported: {instead}", name_of(value)));
    }
    Err(format!(
        "{} is not a type that kernels know",
        describe(value)
    ))
}

/// The type that a `wp.fixedarray` stands for.
fn fixed_array(value: &Bound<'_, PyAny>) -> Result<Type, String> {
    let read = || -> PyResult<(Option<Type>, Vec<u32>)> {
        let dtype = dtype::annotation(&value.getattr("dtype")?);
        Ok((dtype, value.getattr("shape")?.extract()?))
    };
    let (dtype, extents) =
        read().map_err(|_| "a fixedarray has a dtype and a shape".to_string())?;
    let Some(Type::Elem(elem)) = dtype else {
        return Err(
            "a fixedarray holds scalars, vectors, matrices, quaternions or transforms".into(),
        );
    };
    let mut shape = [1; MAX_NDIM];
    if extents.is_empty() || extents.len() > MAX_NDIM {
        return Err(format!("a fixedarray has 1 to {MAX_NDIM} dimensions"));
    }
    shape[..extents.len()].copy_from_slice(&extents);
    let ndim = extents.len() as u8;
    Ok(Type::Fixed { elem, ndim, shape })
}
