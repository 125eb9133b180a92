//! Why a tensor has no memory that can be shared, in our words: torch's end in a trace of its C++ functions.

use pyo3::prelude::*;
use warp_core::error::{Code, Error};
use warp_dlpack::{passes, raise};

/// What to say where torch would not describe a tensor.
#[cold]
pub(crate) fn explain(tensor: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = tensor.py();
    match reason(tensor) {
        Ok(Some(reason)) => raise(py, reason),
        Err(other) if passes(&other) => other,
        Ok(None) | Err(_) => first_line(py, error),
    }
}

/// What to say of integers of fewer than eight bits.
#[cold]
pub(crate) fn narrow(py: Python<'_>, dtype: &Bound<'_, PyAny>) -> PyErr {
    let error = Error::new(
        Code::Type,
        format!("the torch type {dtype} has no counterpart: integers have 8 bits and more"),
    )
    .hint("pass t.view(torch.uint8) for its bytes");
    raise(py, error)
}

/// Why the tensor's memory does not hold its values, if it is of a kind that torch has.
///
/// # Errors
/// Asking torch failed.
pub(crate) fn reason(tensor: &Bound<'_, PyAny>) -> PyResult<Option<Error>> {
    let torch = tensor.py().import("torch")?;
    let said = |text: String, hint: &str| Ok(Some(Error::new(Code::Type, text).hint(hint)));
    let is = |name: &str| tensor.getattr(name)?.is_truthy();
    let functorch = torch.getattr("_C")?.getattr("_functorch")?;
    if (functorch.call_method1("is_functorch_wrapped_tensor", (tensor,))?).is_truthy()? {
        let text = "inside torch.func.grad, vmap and their like a tensor stands for values that have no memory";
        return said(
            text.into(),
            "make an operator of the kernel with wp.torch.torch_kernel, which torch.func can transform",
        );
    }
    if is("is_nested")? {
        return said(
            "a nested tensor is several tensors".into(),
            "pass its parts (t.unbind()), or t.to_padded_tensor(0.0)",
        );
    }
    if is("is_quantized")? {
        return said(
            "a quantised tensor's memory holds codes, not its values".into(),
            "pass t.dequantize(), or t.int_repr() for the codes",
        );
    }
    let dtype = tensor.getattr("dtype")?.str()?.to_string();
    if dtype.starts_with("torch.bits") {
        return said(
            format!("the torch type {dtype} has no counterpart: it is bits without a meaning"),
            "pass t.view(torch.uint8)",
        );
    }
    let layout = tensor.getattr("layout")?;
    if !layout.eq(torch.getattr("strided")?)? {
        let text = format!("a tensor of layout {layout} has no elements side by side in memory");
        return said(text, "pass t.to_dense()");
    }
    if is("is_meta")? {
        return said(
            "a tensor on the device \"meta\" has a shape and no memory".into(),
            "make it on the CPU, as with torch.empty_like(t, device=\"cpu\")",
        );
    }
    Ok(None)
}

/// The same error without what torch's functions were about.
fn first_line(py: Python<'_>, error: PyErr) -> PyErr {
    if passes(&error) {
        return error;
    }
    let text = error.value(py).to_string();
    match text.split_once('\n') {
        Some((line, _)) => PyErr::from_type(error.get_type(py), line.to_owned()),
        None => error,
    }
}
