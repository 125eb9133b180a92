//! Sums, inner products and running sums.

use super::operand::{Output, apart, count, device_of, expect, input, numbers, wrong};
use super::perform::{Views, check_result, perform_on};
use crate::dtype;
use crate::object::Array;
use crate::object::error::{Code, error, refuse};
use crate::object::part::read_element;
use crate::object::shape::dims;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::algorithm::{self, Sum};
use warp_core::array::{Array as Core, View};
use warp_core::device::Device;
use warp_core::ty::{Elem, MAX_NDIM};

/// The sum of the elements of an array, or of those along an axis.
///
/// Integers wrap; floats are summed in float64, in an order that the sizes alone decide. A GPU does it in the order of the current
/// stream.
///
/// Args:
///     values: An array of numbers, or of vectors, matrices, quaternions or transforms of numbers.
///     out: Where the result goes: an array of the same dtype with shape (1,), or with 1 in the place of `axis`.
///     value_count: How many elements are summed, those in front; along `axis`, if there is one. All by default.
///     axis: The dimension that is summed, counted from the last one if negative; all by default.
///
/// Returns:
///     `out` if it is given; else a number or one element, or a new array if there is an axis.
///
/// Raises:
///     TypeError: `values` holds no numbers, or `out` something else. It is a RuntimeError, too.
///     ValueError: The shape of `out`, `value_count`, or arrays on several devices. It is a RuntimeError, too.
///     IndexError: There is no such axis.
#[pyfunction]
#[pyo3(signature = (values, out=None, value_count=None, axis=None))]
fn array_sum<'py>(
    values: &Bound<'py, Array>,
    out: Option<&Bound<'py, Array>>,
    value_count: Option<i64>,
    axis: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let place = "array_sum";
    numbers(values.py(), place, "values", values.get().view())?;
    reduce(place, values, None, out, ("value_count", value_count), axis)
}

/// The inner product of two arrays, or of their parts along an axis: the sum of the products of all their components.
///
/// Args:
///     a: An array of numbers, or of vectors, matrices, quaternions or transforms of numbers.
///     b: An array of the same dtype and shape.
///     out: Where the result goes: an array of the component type with shape (1,), or with 1 in the place of `axis`.
///     count: How many elements are multiplied, those in front; along `axis`, if there is one. All by default.
///     axis: The dimension that is summed, counted from the last one if negative; all by default.
///
/// Returns:
///     `out` if it is given; else a number, or a new array if there is an axis.
///
/// Raises:
///     TypeError: The arrays hold no numbers, or different ones, or `out` does. It is a RuntimeError, too.
///     ValueError: The shapes, `count`, or arrays on several devices. It is a RuntimeError, too.
///     IndexError: There is no such axis.
#[pyfunction]
#[pyo3(signature = (a, b, out=None, count=None, axis=None))]
fn array_inner<'py>(
    a: &Bound<'py, Array>,
    b: &Bound<'py, Array>,
    out: Option<&Bound<'py, Array>>,
    count: Option<i64>,
    axis: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, place) = (a.py(), "array_inner");
    let (left, right) = (a.get().view(), b.get().view());
    numbers(py, place, "a", left)?;
    expect(py, place, "b", right, left.elem)?;
    if left.layout().shape() != right.layout().shape() {
        let text = format!(
            "{place}: a has shape {:?} and b has shape {:?}; they must be equal",
            left.layout().shape(),
            right.layout().shape()
        );
        return Err(wrong(py, Code::Value, text));
    }
    reduce(place, a, Some(b), out, ("count", count), axis)
}

/// The dimension that a caller names.
fn axis_of(place: &str, axis: isize, view: &View) -> PyResult<usize> {
    let ndim = isize::from(view.ndim);
    if (-ndim..ndim).contains(&axis) {
        return Ok(axis.rem_euclid(ndim) as usize);
    }
    Err(error(
        Code::Index,
        format!("{place}: axis {axis} is out of range for an array with {ndim} dimensions"),
    ))
}

/// What is summed, and what comes out.
struct Plan {
    sum: Sum,
    /// What an element of the result is.
    elem: Elem,
    /// The shape of the result.
    shape: SmallVec<[i64; MAX_NDIM]>,
}

impl Plan {
    /// Of an array, or of products of its elements, where they are `multiplied`.
    fn of(
        place: &str,
        a: &Bound<'_, Array>,
        multiplied: bool,
        given: (&str, Option<i64>),
        axis: Option<isize>,
    ) -> PyResult<Plan> {
        let (py, view) = (a.py(), a.get().view());
        let components = view.elem.count();
        let (elem, fold) = match multiplied {
            true => (Elem::Scalar(view.elem.scalar()), components),
            false => (view.elem, 1),
        };
        let mut shape = dims(view);
        let (outer, pitch, rows, inner) = match axis {
            None => {
                let rows = count(py, place, given.0, given.1, view.layout().len())?;
                shape = SmallVec::from_slice(&[1]);
                (1, rows, rows, components)
            }
            Some(axis) => {
                let axis = axis_of(place, axis, view)?;
                let rows = count(py, place, given.0, given.1, shape[axis] as usize)?;
                let product = |dims: &[i64]| dims.iter().product::<i64>() as usize;
                let outer = product(&shape[..axis]);
                let inner = product(&shape[axis + 1..]) * components;
                let pitch = std::mem::replace(&mut shape[axis], 1);
                (outer, pitch as usize, rows, inner)
            }
        };
        let sum = Sum {
            scalar: elem.scalar(),
            outer,
            pitch,
            rows,
            inner,
            fold,
        };
        Ok(Plan { sum, elem, shape })
    }

    /// Checks an array for the result.
    fn check(&self, place: &str, out: &Bound<'_, Array>) -> PyResult<()> {
        let (py, have) = (out.py(), out.get().view());
        expect(py, place, "out", have, self.elem)?;
        if dims(have) == self.shape {
            return Ok(());
        }
        let text = format!(
            "{place}: out has shape {:?}; it must have shape {:?}",
            have.layout().shape(),
            &self.shape[..]
        );
        Err(wrong(py, Code::Value, text))
    }
}

fn reduce<'py>(
    place: &'static str,
    a: &Bound<'py, Array>,
    b: Option<&Bound<'py, Array>>,
    out: Option<&Bound<'py, Array>>,
    given: (&str, Option<i64>),
    axis: Option<isize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, view) = (a.py(), *a.get().view());
    let plan = Plan::of(place, a, b.is_some(), given, axis)?;
    let (of, elem) = (plan.sum, plan.elem);
    out.map_or(Ok(()), |out| plan.check(place, out))?;
    let names = if b.is_some() {
        ["a", "b"]
    } else {
        ["values", ""]
    };
    let mut arrays = vec![(names[0], &view)];
    arrays.extend(b.map(|b| (names[1], b.get().view())));
    arrays.extend(out.map(|out| ("out", out.get().view())));
    let device = device_of(py, place, &arrays)?;
    if out.is_none() && axis.is_none() {
        check_result(place, "out")?;
    }
    let from = input(a, place)?;
    let other = b.map(|b| input(b, place)).transpose()?;
    let act = move |views: &Views, stream| {
        let [from, between @ .., to] = &views[..] else {
            return Ok(());
        };
        let other = between.first().map(|other| other.arg.data.cast_const());
        // SAFETY: `input` gave contiguous arrays that their owners keep, of the sizes that `of` was made of; the result is of
        // the size that was checked or made, and overlaps neither.
        unsafe { algorithm::sum(stream, &of, from.arg.data, other, to.arg.data) }
    };
    let run = |from: &Core, other: Option<&Core>, to: &Core| {
        let reads: SmallVec<[&Core; 2]> = std::iter::once(from).chain(other).collect();
        perform_on(py, place, &reads, &[to], act)
    };
    match (out, axis) {
        (Some(out), _) => {
            let target = Output::new(out, place)?;
            let to = target.core.view;
            let from = apart(py, from, &to, place)?;
            let other = other.map(|o| apart(py, o, &to, place)).transpose()?;
            run(&from, other.as_ref(), &target.core)?;
            target.finish(place)?;
            Ok(out.clone().into_any())
        }
        (None, Some(_)) => {
            let made = Core::empty(elem, &plan.shape, view.device).map_err(refuse(py, place))?;
            run(&from, other.as_ref(), &made)?;
            Ok(Array::new(made).object(py)?.into_any())
        }
        (None, None) if device != Device::Cpu => {
            let made = Core::empty(elem, &[1], device).map_err(refuse(py, place))?;
            run(&from, other.as_ref(), &made)?;
            // A number for Python: the GPU is waited for.
            read_element(py, &made, 0, |at, _| {
                // SAFETY: the element that was just written.
                unsafe { dtype::read(py, elem, at, None) }
            })
        }
        (None, None) => {
            let mut bytes = SmallVec::<[u64; 16]>::from_elem(0, elem.size().div_ceil(8));
            let at = bytes.as_mut_ptr().cast::<u8>();
            let mut to = from.clone();
            to.view.arg.data = at;
            run(&from, other.as_ref(), &to)?;
            // SAFETY: `bytes` holds the element that was just written.
            unsafe { dtype::read(py, elem, at, None) }
        }
    }
}

/// Running sums: element i of the result is the sum of the elements up to the i-th one.
///
/// Integers wrap; floats are summed in float64, in an order that the sizes alone decide. A GPU does it in the order of the current
/// stream.
///
/// Args:
///     in_array: An array of numbers, or of vectors, matrices, quaternions or transforms of numbers; one with several
///         dimensions is read as one list.
///     out_array: Where the sums go: an array of the same dtype and number of elements; `in_array` itself, if wanted.
///     inclusive: Whether a sum includes the element of its own index. Without, the first one is zero.
///
/// Raises:
///     TypeError: `in_array` holds no numbers, or `out_array` something else. It is a RuntimeError, too.
///     ValueError: The arrays differ in size, or are on several devices. It is a RuntimeError, too.
#[pyfunction]
#[pyo3(signature = (in_array, out_array, inclusive=true))]
fn array_scan(
    in_array: &Bound<'_, Array>,
    out_array: &Bound<'_, Array>,
    inclusive: bool,
) -> PyResult<()> {
    let (py, place) = (in_array.py(), "array_scan");
    let view = in_array.get().view();
    let scalar = numbers(py, place, "in_array", view)?;
    expect(py, place, "out_array", out_array.get().view(), view.elem)?;
    let (n, room) = (view.layout().len(), out_array.get().view().layout().len());
    if n != room {
        let text = format!(
            "{place}: in_array has {n} elements and out_array has {room}; they must have the same number"
        );
        return Err(wrong(py, Code::Value, text));
    }
    let arrays = [("in_array", view), ("out_array", out_array.get().view())];
    device_of(py, place, &arrays)?;
    let from = input(in_array, place)?;
    let target = Output::new(out_array, place)?;
    let to = target.core.view;
    let from = match from.view.arg.data == to.arg.data {
        true => from,
        false => apart(py, from, &to, place)?,
    };
    let inner = view.elem.count();
    perform_on(
        py,
        place,
        &[&from],
        &[&target.core],
        move |views, stream| {
            let [read, to] = [views[0].arg.data, views[1].arg.data];
            // SAFETY: both are contiguous, of the same size, and the same or apart; their owners keep them.
            unsafe { algorithm::scan(stream, scalar, n, inner, read, to, inclusive) }
        },
    )?;
    target.finish(place)
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(array_sum, m)?)?;
    m.add_function(wrap_pyfunction!(array_inner, m)?)?;
    m.add_function(wrap_pyfunction!(array_scan, m)?)
}
