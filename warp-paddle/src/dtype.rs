//! Scalars as paddle names them: the names of the one table, which paddle shares in capitals.

use pyo3::prelude::*;
use warp_core::dtype::{Scalar, TABLE};
use warp_core::error::{Code, Error};
use warp_dlpack::Lenient;

/// The scalar whose values paddle gets: paddle computes with few unsigned types, so the wider ones go out as
/// signed ones of the same width, as documented.
pub const fn exported(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::U16 => Scalar::I16,
        Scalar::U32 => Scalar::I32,
        Scalar::U64 => Scalar::I64,
        s => s,
    }
}

/// The `paddle.dtype` of a scalar.
///
/// # Errors
/// Paddle cannot be imported.
pub fn dtype_to(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    py.import("paddle")?.getattr(exported(scalar).name())
}

/// The scalar of a `paddle.dtype`.
///
/// The members are distinguished by name: the text of `paddle.uint16` is "paddle.bfloat16", because its arrays
/// of that name in NumPy hold bfloat16.
///
/// # Errors
/// The object is no `paddle.dtype`, or one without a counterpart.
pub fn dtype_from(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let class = dtype.get_type();
    let is_dtype = class.name()? == "dtype" || class.name()? == "DataType";
    let name: Option<String> = match is_dtype && class.module()?.to_string().starts_with("paddle") {
        true => dtype.getattr("name")?.extract().ok(),
        false => None,
    };
    let name = name.map(|n| n.to_lowercase());
    let row = name
        .as_ref()
        .and_then(|n| TABLE.iter().find(|r| r.name == n));
    row.map(|r| r.scalar).ok_or_else(|| {
        let names: Vec<_> = TABLE.iter().map(|r| r.name).collect();
        let message = match &name {
            Some(name) => format!("the paddle type paddle.{name} has no counterpart"),
            None => match dtype.repr().or_note() {
                Some(text) => format!("expected a paddle.dtype, found {text}"),
                None => "expected a paddle.dtype".into(),
            },
        };
        let error =
            Error::new(Code::Type, message).hint(format!("supported: {}", names.join(", ")));
        warp_dlpack::raise(dtype.py(), error)
    })
}
