//! Arrays as algorithms read and write them: without gaps, whatever their layout.

use crate::object::Array;
use crate::object::access::{check_access, check_current};
use crate::object::error::{Code, error, refuse};
use crate::object::part::contiguous;
use crate::object::trace_state;
use crate::runtime::captured;
use crate::runtime::snapshot::before_write;
use pyo3::prelude::*;
use warp_core::array::{Array as Core, View, copy as elements};
use warp_core::command::capture;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::Elem;

/// An error that is also a RuntimeError, which NVIDIA's Warp raises where Python has a more exact class.
#[cold]
pub fn wrong(_: Python<'_>, code: Code, text: String) -> PyErr {
    let code = match code {
        Code::Type => Code::ArrayType,
        Code::Value => Code::ArrayValue,
        other => other,
    };
    error(code, text)
}

/// What elements are made of, where that are numbers.
///
/// # Errors
/// They are bools or structs.
pub fn numbers(py: Python<'_>, place: &str, name: &str, view: &View) -> PyResult<Scalar> {
    match view.elem {
        Elem::Struct(_) | Elem::Scalar(Scalar::Bool) => {}
        elem if elem.scalar() == Scalar::Bool => {}
        elem => return Ok(elem.scalar()),
    }
    let text = format!(
        "{place}: {name} is an array of {}; it must be one of numbers, or of vectors or matrices of numbers",
        view.elem
    );
    Err(wrong(py, Code::Type, text))
}

/// As [`numbers`], of single numbers.
///
/// # Errors
/// The elements are something else.
pub fn single_numbers(py: Python<'_>, place: &str, name: &str, view: &View) -> PyResult<Scalar> {
    match view.elem {
        Elem::Scalar(scalar) if scalar != Scalar::Bool => Ok(scalar),
        elem => Err(wrong(
            py,
            Code::Type,
            format!("{place}: {name} is an array of {elem}; it must be one of numbers"),
        )),
    }
}

/// Checks what an array holds.
///
/// # Errors
/// It holds something else.
pub fn expect(py: Python<'_>, place: &str, name: &str, view: &View, elem: Elem) -> PyResult<()> {
    if view.elem == elem {
        return Ok(());
    }
    let text = format!(
        "{place}: {name} is an array of {}; it must be one of {elem}",
        view.elem
    );
    Err(wrong(py, Code::Type, text))
}

/// Checks that an array has room.
///
/// # Errors
/// It has fewer elements.
pub fn expect_room(
    py: Python<'_>,
    place: &str,
    name: &str,
    view: &View,
    room: usize,
) -> PyResult<()> {
    let len = view.layout().len();
    if len >= room {
        return Ok(());
    }
    let text = format!("{place}: {name} has {len} elements; it must have {room} or more");
    Err(wrong(py, Code::Value, text))
}

/// How many elements a caller names, of those that there are; all by default.
///
/// # Errors
/// The count is negative, or there are not so many.
pub fn count(
    py: Python<'_>,
    place: &str,
    name: &str,
    given: Option<i64>,
    len: usize,
) -> PyResult<usize> {
    match given {
        None => Ok(len),
        Some(n) if (0..=len as i64).contains(&n) => Ok(n as usize),
        Some(n) => Err(wrong(
            py,
            Code::Value,
            format!("{place}: {name} is {n}; it must be from 0 to {len}"),
        )),
    }
}

/// The device that all arrays of a call are on.
///
/// # Errors
/// They are on several.
pub fn device_of(py: Python<'_>, place: &str, arrays: &[(&str, &View)]) -> PyResult<Device> {
    let Some(((first, view), others)) = arrays.split_first() else {
        return Ok(Device::Cpu);
    };
    match others.iter().find(|(_, other)| other.device != view.device) {
        None => Ok(view.device),
        Some((name, other)) => {
            let text = format!(
                "{place}: {first} is on the device \"{}\" and {name} on \"{}\"; all arrays must be on the same one, as with \
                 {name}.to(\"{}\")",
                view.device, other.device, view.device
            );
            Err(wrong(py, Code::Value, text))
        }
    }
}

/// What an algorithm reads: the array, or a contiguous copy of it on its device, which a graph makes anew with each run.
///
/// # Errors
/// A trace is running, the memory has been replaced, or there is none for the copy.
pub fn input(array: &Bound<'_, Array>, place: &str) -> PyResult<Core> {
    whole(array.py(), &array.get().core, place)
}

fn whole(py: Python<'_>, core: &Core, place: &str) -> PyResult<Core> {
    if !capture::capturing() {
        check_access(core, place)?;
        return contiguous(py, core);
    }
    // What a graph will have written by then is there for its own steps.
    check_current(core, place)?;
    trace_state::check_view(&core.view, place)?;
    match core.view.is_contiguous() {
        true => Ok(core.clone()),
        false => captured::copy_of(py, core),
    }
}

/// A copy of an input whose memory an output shares.
///
/// # Errors
/// There is no memory.
pub fn apart(py: Python<'_>, input: Core, output: &View, place: &str) -> PyResult<Core> {
    if !input.view.overlaps(output) {
        return Ok(input);
    }
    if capture::capturing() {
        return captured::copy_of(py, &input);
    }
    // SAFETY: the owner keeps the memory; Python's lock keeps others from writing meanwhile.
    unsafe { Core::copy_of(&input.view, input.view.device) }.map_err(refuse(py, place))
}

/// What an algorithm writes: the array, or memory without gaps that is copied there in the end.
pub struct Output<'a, 'py> {
    array: &'a Bound<'py, Array>,
    /// Where to write; what the array holds stands there already.
    pub core: Core,
}

impl<'a, 'py> Output<'a, 'py> {
    /// Prepares an array to be written. The caller has checked all arguments.
    ///
    /// # Errors
    /// The array is read-only or belongs to a trace, its memory has been replaced, or there is none for a copy.
    pub fn new(array: &'a Bound<'py, Array>, place: &str) -> PyResult<Output<'a, 'py>> {
        let (py, this) = (array.py(), array.get());
        this.check_writable(place)?;
        before_write(py, this.view())?;
        let core = whole(py, &this.core, place)?;
        Ok(Output { array, core })
    }

    /// Copies what was written to where it belongs.
    ///
    /// # Errors
    /// What the device says.
    pub fn finish(self, place: &str) -> PyResult<()> {
        let to = &self.array.get().core;
        if self.core.view == to.view || captured::copy(to, &self.core)? {
            return Ok(());
        }
        // SAFETY: both are alive and of the same shape and element; the array may be written.
        unsafe { elements::copy(&to.view, &self.core.view) }.map_err(refuse(self.array.py(), place))
    }
}
