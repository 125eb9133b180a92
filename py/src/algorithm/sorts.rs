//! Sorts of keys with values.

use super::operand::{Output, device_of, expect, input, single_numbers, wrong};
use super::perform::perform_on;
use crate::object::Array;
use crate::object::error::Code;
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::algorithm::{Pairs, sort_pairs, sort_segments};
use warp_core::array::{Array as Core, View};
use warp_core::device::Stream;
use warp_core::dtype::Scalar;
use warp_core::error::Result as Outcome;
use warp_core::ty::Elem;

/// Checks what both sorts are given; how many pairs there are.
fn check(
    place: &str,
    keys: &Bound<'_, Array>,
    values: &Bound<'_, Array>,
    count: i64,
) -> PyResult<(Scalar, usize)> {
    let py = keys.py();
    let (k, v) = (keys.get().view(), values.get().view());
    let scalar = single_numbers(py, place, "keys", k)?;
    let Ok(count) = usize::try_from(count) else {
        let text = format!("{place}: count is {count}; it must not be negative");
        return Err(wrong(py, Code::Value, text));
    };
    let twice = count.saturating_mul(2);
    for (name, view) in [("keys", k), ("values", v)] {
        if view.layout().len() < twice {
            let text = format!(
                "{place}: {name} has {} elements; it must have room for 2 * count = {twice}, of which the second half is \
                 used for sorting",
                view.layout().len()
            );
            return Err(wrong(py, Code::Value, text));
        }
    }
    if k.overlaps(v) && twice > 0 {
        let text = format!("{place}: keys and values share memory; they must be different arrays");
        return Err(wrong(py, Code::Value, text));
    }
    device_of(py, place, &[("keys", k), ("values", v)])?;
    Ok((scalar, count))
}

/// Sorts pairs of keys and values by their keys, in ascending order; equal keys keep their order.
///
/// Floats are ordered by their bits: -0.0 comes before 0.0, and a NaN at the end that its sign says.
///
/// Args:
///     keys: An array of integers or floats with room for `2 * count`; the second half is used for sorting.
///     values: An array of any dtype with room for `2 * count`.
///     count: Number of pairs to sort, from the start.
///     begin_bit: The first significant bit of the keys. The sign bit of integers is flipped first, and all bits of
///         negative floats, so that the order of the bits is that of the numbers.
///     end_bit: The bit after the last significant one; all by default.
///
/// Raises:
///     TypeError: `keys` holds no numbers. It is a RuntimeError, too.
///     ValueError: The arrays are too small, share memory or are on several devices, or there are no such bits. It is a RuntimeError,
///         too.
#[pyfunction]
#[pyo3(signature = (keys, values, count, begin_bit=0, end_bit=None))]
fn radix_sort_pairs(
    keys: &Bound<'_, Array>,
    values: &Bound<'_, Array>,
    count: i64,
    begin_bit: i64,
    end_bit: Option<i64>,
) -> PyResult<()> {
    let (py, place) = (keys.py(), "radix_sort_pairs");
    let (scalar, count) = check(place, keys, values, count)?;
    let bits = i64::from(scalar.bits());
    let end_bit = end_bit.unwrap_or(bits);
    if begin_bit < 0 || begin_bit > end_bit || end_bit > bits {
        let text = format!(
            "{place}: the bits are [{begin_bit}, {end_bit}); of keys of {scalar} they must be within [0, {bits})"
        );
        return Err(wrong(py, Code::Value, text));
    }
    if count < 2 || begin_bit == end_bit {
        return Ok(());
    }
    sorted(
        place,
        scalar,
        keys,
        values,
        count,
        &[],
        move |pairs, _, stream| {
            // SAFETY: `sorted` has room for twice the count, which only this uses.
            unsafe { sort_pairs(stream, pairs, begin_bit as u32, end_bit as u32) }
        },
    )
}

/// Sorts pairs of keys and values by their keys within each segment, in ascending order; equal keys keep their order.
///
/// Args:
///     keys: An array of integers or floats with room for `2 * count`; the second half is used for sorting.
///     values: An array with room for `2 * count` whose elements have 1, 2, 4, 8 or 16 bytes.
///     count: How many pairs there are.
///     segment_start_indices: An array of int32: where each segment begins.
///     segment_end_indices: An array of int32: where each segment ends. By default it ends where the next one begins, so that the
///         last start is no segment.
///
/// Raises:
///     TypeError: `keys` holds no numbers, `values` elements of another size, or the indices are no int32. It is a RuntimeError,
///         too.
///     ValueError: The arrays are too small, share memory or are on several devices, or a segment is not within the count. On a GPU
///         the next wait raises that, also of segments that overlap. It is a RuntimeError, too.
#[pyfunction]
#[pyo3(signature = (keys, values, count, segment_start_indices, segment_end_indices=None))]
fn segmented_sort_pairs(
    keys: &Bound<'_, Array>,
    values: &Bound<'_, Array>,
    count: i64,
    segment_start_indices: &Bound<'_, Array>,
    segment_end_indices: Option<&Bound<'_, Array>>,
) -> PyResult<()> {
    let (py, place) = (keys.py(), "segmented_sort_pairs");
    let (scalar, count) = check(place, keys, values, count)?;
    let size = values.get().view().elem.size();
    if ![1, 2, 4, 8, 16].contains(&size) {
        let text = format!(
            "{place}: values is an array of {}, {size} bytes each; they must have 1, 2, 4, 8 or 16",
            values.get().view().elem
        );
        return Err(wrong(py, Code::Type, text));
    }
    let (k, s) = (keys.get().view(), segment_start_indices.get().view());
    device_of(py, place, &[("keys", k), ("segment_start_indices", s)])?;
    if let Some(ends) = segment_end_indices {
        device_of(
            py,
            place,
            &[("keys", k), ("segment_end_indices", ends.get().view())],
        )?;
    }
    let starts = indices(place, "segment_start_indices", segment_start_indices)?;
    let ends = segment_end_indices.map(|ends| indices(place, "segment_end_indices", ends));
    let ends = ends.transpose()?;
    let len = |core: &Core| core.view.layout().len();
    if let Some(ends) = &ends
        && len(ends) != len(&starts)
    {
        let text = format!(
            "{place}: segment_start_indices has {} elements and segment_end_indices has {}; they must have the same number",
            len(&starts),
            len(ends)
        );
        return Err(wrong(py, Code::Value, text));
    }
    let segments = len(&starts).saturating_sub(usize::from(ends.is_none()));
    if segments == 0 {
        return Ok(());
    }
    let bounds: SmallVec<[&Core; 2]> = std::iter::once(&starts).chain(&ends).collect();
    sorted(
        place,
        scalar,
        keys,
        values,
        count,
        &bounds,
        move |pairs, bounds, stream| {
            let starts = bounds[0].arg.data;
            // Without ends, segments end where the next ones begin.
            let ends = bounds
                .get(1)
                .map_or(starts.wrapping_add(4), |ends| ends.arg.data);
            // SAFETY: `sorted` has room for twice the count, which only this uses; the bounds are contiguous int32.
            unsafe { sort_segments(stream, pairs, starts, ends, segments) }
        },
    )
}

/// An array of int32 without gaps.
fn indices(place: &str, name: &str, array: &Bound<'_, Array>) -> PyResult<Core> {
    let view = array.get().view();
    expect(array.py(), place, name, view, Elem::Scalar(Scalar::I32))?;
    input(array, place)
}

/// Sorts with `sort`, in memory without gaps; `reads`: what else it reads.
fn sorted(
    place: &'static str,
    scalar: Scalar,
    keys: &Bound<'_, Array>,
    values: &Bound<'_, Array>,
    count: usize,
    reads: &[&Core],
    sort: impl Fn(&Pairs, &[View], Stream) -> Outcome<()> + Send + Sync + 'static,
) -> PyResult<()> {
    let py = keys.py();
    let (k, v) = (Output::new(keys, place)?, Output::new(values, place)?);
    perform_on(
        py,
        place,
        reads,
        &[&k.core, &v.core],
        move |views, stream| {
            let [reads @ .., keys, values] = &views[..] else {
                return Ok(());
            };
            let pairs = Pairs {
                scalar,
                keys: keys.arg.data,
                values: values.arg.data,
                width: values.elem.size(),
                count,
            };
            sort(&pairs, reads, stream)
        },
    )?;
    k.finish(place)?;
    v.finish(place)
}

/// Adds the functions to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(radix_sort_pairs, m)?)?;
    m.add_function(wrap_pyfunction!(segmented_sort_pairs, m)?)
}
