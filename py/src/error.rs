//! Core errors as Python exceptions.

use crate::kernel::Kernel;
use pyo3::exceptions::{PyAssertionError, PyIndexError, PyRuntimeError, PyZeroDivisionError};
use pyo3::prelude::*;
use warp_core::abi::{ErrorSlot, fault};
use warp_core::error::{Code, Error};
use warp_core::span::{Source, Span};

/// The exception for an error; `sources` are the texts that its spans point into.
#[cold]
pub fn raise(error: &Error, sources: &[Source]) -> PyErr {
    Python::attach(|py| warp_dlpack::exception(py, error.code, error.render(sources)))
}

/// The exception for a fault of a running kernel; `spans` are what its span indexes.
pub fn fault(kernel: &Kernel, slot: &ErrorSlot, spans: &[Span]) -> PyErr {
    let text = fault_text(kernel, slot, spans);
    match slot.code {
        fault::INDEX => PyIndexError::new_err(text),
        fault::DIVISION => PyZeroDivisionError::new_err(text),
        fault::ASSERT => PyAssertionError::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// A fault of a running kernel in words; needs no Python.
#[cold]
pub fn fault_text(kernel: &Kernel, slot: &ErrorSlot, spans: &[Span]) -> String {
    let name = kernel.title();
    let (a, b) = (slot.a, slot.b);
    let (code, message): (_, String) = match slot.code {
        fault::INDEX => (
            Code::Runtime,
            format!("kernel '{name}': index {a} is out of range for a dimension of size {b}"),
        ),
        fault::DIVISION => (
            Code::Runtime,
            format!("kernel '{name}': integer division by zero"),
        ),
        fault::RECORD_LIMIT => (
            Code::Runtime,
            format!(
                "gradient of kernel '{name}': recording its loops takes {a} bytes for one thread, the limit is {b}"
            ),
        ),
        fault::ASSERT => (Code::Runtime, format!("kernel '{name}': assertion failed")),
        fault::CANCELLED => (
            Code::Runtime,
            format!("kernel '{name}': the launch was interrupted"),
        ),
        code => (
            Code::Runtime,
            format!("kernel '{name}': fault {code} ({a}, {b})"),
        ),
    };
    let mut error = Error::new(code, message);
    error.span = spans.get(slot.span as usize).copied();
    error.render(kernel.sources())
}
