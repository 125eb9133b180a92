//! Fills and copies as steps of a capture.

use crate::object::access::check_current;
use crate::object::capture_state::{self, Place, Step, add, is_short, on, shown};
use crate::object::error::refuse;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::abi::Strided;
use warp_core::array::{Array as Core, View, copy as elements};
use warp_core::device::Device;
use warp_core::device::cuda::is_pinned;
use warp_dlpack::referent;

/// Captures that an array is filled with an element; false if this thread captures nothing.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn fill(array: &Core, element: &[u8]) -> PyResult<bool> {
    if !capture_state::capturing() {
        return Ok(false);
    }
    let element = SmallVec::from_slice(element);
    let to = array.clone();
    add(Box::new(Fill { to, element })).map(|()| true)
}

/// Captures a copy between arrays of one type and shape; false if this thread captures nothing.
///
/// # Errors
/// There is no memory.
#[inline(always)]
pub fn copy(to: &Core, from: &Core) -> PyResult<bool> {
    if !capture_state::capturing() {
        return Ok(false);
    }
    let (to, from) = (to.clone(), from.clone());
    add(Box::new(Copy { to, from })).map(|()| true)
}

/// A copy of an array, contiguous and with memory of its own, that a graph makes each time that it runs.
///
/// # Errors
/// There is no memory.
pub fn copy_of(py: Python<'_>, array: &Core) -> PyResult<Core> {
    let view = &array.view;
    let layout = view.layout();
    let shape: SmallVec<[i64; 4]> = layout.shape().iter().map(|n| i64::from(*n)).collect();
    let made = Core::zeros(view.elem, &shape, view.device).map_err(refuse(py, "a capture"))?;
    copy(&made, array)?;
    Ok(made)
}

struct Fill {
    to: Core,
    element: SmallVec<[u8; 64]>,
}

impl Step for Fill {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(referent(&self.to.owner))
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        each(&self.to.view.strided());
    }
    fn check(&self) -> PyResult<()> {
        check_current(&self.to, "a graph")
    }
    fn is_short(&self) -> bool {
        is_short(&self.to.view)
    }
    fn run(&self, _: &dyn Fn() -> bool) -> PyResult<()> {
        // SAFETY: the owner keeps the memory, which may be written, as was checked when it was captured.
        let outcome = unsafe { elements::fill(&self.to.view, &self.element) };
        outcome.map_err(|e| Python::attach(|py| refuse(py, "a graph")(e)))
    }
    fn name(&self) -> String {
        format!("fill {}", shown(&self.to.view))
    }
    fn place(&self) -> Place {
        on(&self.to.view)
    }
}

struct Copy {
    to: Core,
    from: Core,
}

impl Step for Copy {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(referent(&self.to.owner))?;
        visit.call(referent(&self.from.owner))
    }
    fn writes(&self, each: &mut dyn FnMut(&Strided)) {
        each(&self.to.view.strided());
    }
    fn check(&self) -> PyResult<()> {
        check_current(&self.to, "a graph")?;
        check_current(&self.from, "a graph")
    }
    fn is_short(&self) -> bool {
        is_short(&self.to.view)
    }
    fn run(&self, _: &dyn Fn() -> bool) -> PyResult<()> {
        // SAFETY: both owners keep their memory; shapes, elements and whether the target may be written were checked when
        // this was captured.
        let outcome = unsafe { elements::copy(&self.to.view, &self.from.view) };
        outcome.map_err(|e| Python::attach(|py| refuse(py, "a graph")(e)))
    }
    fn name(&self) -> String {
        format!("copy {}", shown(&self.to.view))
    }
    fn place(&self) -> Place {
        let (to, from) = (&self.to.view, &self.from.view);
        // The host moves what is not in one piece, and what the GPU cannot reach by itself.
        let reached = |host: &View| host.is_contiguous() && is_pinned(host.arg.data as usize);
        match (to.device, from.device) {
            (a, b) if a == b => on(to),
            (Device::Cpu, gpu) if reached(to) => Place::Gpu(gpu),
            (gpu, Device::Cpu) if reached(from) => Place::Gpu(gpu),
            _ => Place::Host,
        }
    }
}
