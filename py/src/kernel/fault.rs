//! Faults of running kernels as exceptions.

use super::Kernel;
use crate::object::error::error;
use pyo3::prelude::*;
use warp_core::abi::ErrorSlot;
use warp_core::backend::{Code as BackendCode, Executable};
use warp_core::launch::fault;
use warp_core::span::Span;

/// The exception for a fault of a running kernel; `spans` are what its span indexes.
#[cold]
pub fn exception(kernel: &Kernel, slot: &ErrorSlot, spans: &[Span]) -> PyErr {
    let found = fault::error(kernel.title(), kernel.sources(), slot, spans);
    error(found.code, found.message)
}

/// A fault of a running kernel in words; needs no Python.
#[cold]
pub fn fault_text(kernel: &Kernel, slot: &ErrorSlot, spans: &[Span]) -> String {
    fault::error(kernel.title(), kernel.sources(), slot, spans).message
}

/// Says how faults of code on a GPU read: they are found when the kernel itself may be gone.
#[cold]
pub fn explain(kernel: &Kernel, code: &BackendCode) {
    let Executable::Cuda(executable) = &code.executable else {
        return;
    };
    let (name, sources) = (kernel.title().to_string(), kernel.sources().to_vec());
    let spans = code.spans.clone();
    executable.explain(Box::new(move |slot| {
        fault::error(&name, &sources, slot, &spans)
    }));
}
