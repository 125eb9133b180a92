//! Scalars as torch names them: the names of the one table, which torch shares.

use pyo3::prelude::*;
use warp_core::dtype::Scalar;
use warp_core::error::{Code, Error};

/// The scalar whose values torch gets: torch computes with few unsigned types, so the wider ones go out as
/// signed ones of the same width, as documented.
pub const fn exported(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::U16 => Scalar::I16,
        Scalar::U32 => Scalar::I32,
        Scalar::U64 => Scalar::I64,
        s => s,
    }
}

/// The `torch.dtype` of a scalar.
///
/// # Errors
/// Torch cannot be imported, or lacks the type.
pub fn dtype_to(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    py.import("torch")?.getattr(exported(scalar).name())
}

/// The scalar of a `torch.dtype`.
///
/// # Errors
/// The object is no `torch.dtype`, or one without a counterpart.
pub fn dtype_from(dtype: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let text = dtype.str()?.to_string();
    let name = text.strip_prefix("torch.");
    name.and_then(|n| warp_core::dtype::TABLE.iter().find(|r| r.name == n))
        .map(|r| r.scalar)
        .ok_or_else(|| {
            let names: Vec<_> = warp_core::dtype::TABLE.iter().map(|r| r.name).collect();
            let message = match name {
                Some(_) => format!("the torch type {text} has no counterpart"),
                None => format!("expected a torch.dtype, found {text}"),
            };
            let error =
                Error::new(Code::Type, message).hint(format!("supported: {}", names.join(", ")));
            warp_dlpack::raise(dtype.py(), error)
        })
}
