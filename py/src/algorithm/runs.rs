//! Runs of equal elements.

use super::operand::{
    Output, apart, count, device_of, expect, expect_room, input, single_numbers, wrong,
};
use super::perform::{check_result, perform_on};
use crate::object::Array;
use crate::object::error::{Code, refuse};
use crate::object::part::read_element;
use pyo3::prelude::*;
use warp_core::algorithm;
use warp_core::array::Array as Core;
use warp_core::device::Device;
use warp_core::dtype::Scalar;
use warp_core::ty::Elem;

/// Finds runs of equal elements.
///
/// Args:
///     values: An array of integers or floats.
///     run_values: Where the value of each run goes: an array of the same dtype with room for `value_count`.
///     run_lengths: Where the length of each run goes: an array of int32 with room for `value_count`.
///     run_count: Where the number of runs goes: an array of int32; its first element is written.
///     value_count: How many elements are looked at, those in front; all by default.
///
/// Returns:
///     `run_count` if it is given, else the number of runs.
///
/// Raises:
///     TypeError: An array has another dtype. It is a RuntimeError, too.
///     ValueError: An array is too small, outputs share memory, arrays are on several devices, or `value_count` is not one of
///         `values`. It is a RuntimeError, too.
#[pyfunction]
#[pyo3(signature = (values, run_values, run_lengths, run_count=None, value_count=None))]
fn runlength_encode<'py>(
    values: &Bound<'py, Array>,
    run_values: &Bound<'py, Array>,
    run_lengths: &Bound<'py, Array>,
    run_count: Option<&Bound<'py, Array>>,
    value_count: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, place) = (values.py(), "runlength_encode");
    let view = values.get().view();
    let scalar = single_numbers(py, place, "values", view)?;
    let n = count(py, place, "value_count", value_count, view.layout().len())?;
    let int = Elem::Scalar(Scalar::I32);
    let (to, by) = (run_values.get().view(), run_lengths.get().view());
    expect(py, place, "run_values", to, view.elem)?;
    expect(py, place, "run_lengths", by, int)?;
    expect_room(py, place, "run_values", to, n)?;
    expect_room(py, place, "run_lengths", by, n)?;
    let mut outputs = vec![("run_values", to), ("run_lengths", by)];
    if let Some(run_count) = run_count {
        let view = run_count.get().view();
        expect(py, place, "run_count", view, int)?;
        expect_room(py, place, "run_count", view, 1)?;
        outputs.push(("run_count", view));
    }
    for (i, (name, output)) in outputs.iter().enumerate() {
        if let Some((other, _)) = outputs[..i].iter().find(|(_, o)| o.overlaps(output)) {
            let text =
                format!("{place}: {other} and {name} share memory; they must be different arrays");
            return Err(wrong(py, Code::Value, text));
        }
    }
    let mut arrays = vec![("values", view)];
    arrays.extend(&outputs);
    let device = device_of(py, place, &arrays)?;
    if run_count.is_none() {
        check_result(place, "run_count")?;
    }
    let mut from = input(values, place)?;
    let (to, by) = (
        Output::new(run_values, place)?,
        Output::new(run_lengths, place)?,
    );
    let counted = run_count.map(|c| Output::new(c, place)).transpose()?;
    for target in [Some(&to), Some(&by), counted.as_ref()]
        .into_iter()
        .flatten()
    {
        from = apart(py, from, &target.core.view, place)?;
    }
    if device == Device::Cpu && counted.is_none() {
        let (read, to_view, by_view) = (from.view, to.core.view, by.core.view);
        let found = py.detach(move || {
            // As wholes: addresses alone do not pass between threads.
            let (read, to, by) = (read, to_view, by_view);
            // SAFETY: all are contiguous, large enough and apart; their owners keep them.
            unsafe { algorithm::runs_on_cpu(scalar, n, read.arg.data, to.arg.data, by.arg.data) }
        });
        to.finish(place)?;
        by.finish(place)?;
        return Ok(found.into_pyobject(py)?.into_any());
    }
    let total = match &counted {
        Some(target) => target.core.clone(),
        None => Core::empty(int, &[1], device).map_err(refuse(py, place))?,
    };
    let writes = [&to.core, &by.core, &total];
    perform_on(py, place, &[&from], &writes, move |views, stream| {
        let [read, to, by, count] = [0, 1, 2, 3].map(|at| views[at].arg.data);
        // SAFETY: all are contiguous, large enough and apart, `count` an array of int32 with an element; their owners keep them.
        unsafe { algorithm::runs(stream, scalar, n, read, to, by, count) }
    })?;
    to.finish(place)?;
    by.finish(place)?;
    if let (Some(target), Some(run_count)) = (counted, run_count) {
        target.finish(place)?;
        return Ok(run_count.clone().into_any());
    }
    // A number for Python: the GPU is waited for. There are fewer runs than 2^32.
    read_element(py, &total, 0, |at, _| {
        // SAFETY: an element of int32, which was just written.
        let found = unsafe { at.cast::<u32>().read_unaligned() };
        Ok(found.into_pyobject(py)?.into_any())
    })
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(runlength_encode, m)?)
}
