//! Arrays that lie described in memory, as fields of the elements of an array of structs.
//!
//! An array descriptor is bytes; its array is held by the memory's owner ([`warp_core::array::nested_owners`]), so that it
//! lives as long as the descriptor is there. A gradient may come, go or be replaced: what descriptors say of it is
//! made true again before an adjoint runs ([`refresh`]).

use super::array::Array;
use super::error::{Code, error};
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::array::nested_owners::{array_descriptors, element_addresses};
use warp_core::array::{Array as Core, Layout, Owner, View, copy as elements};
use warp_core::device::{Device, Streams};
use warp_core::dtype::Scalar;
use warp_core::ty::{ARRAY_DESCRIPTOR, Elem, describe_array, word};
use warp_dlpack::{raise, referent};

/// The array descriptor of an array.
///
/// # Errors
/// Its gradient lies otherwise than the array does.
pub fn words(array: &Bound<'_, Array>) -> PyResult<SmallVec<[u64; 9]>> {
    let view = *array.get().view();
    let layout = view.layout();
    let gradient = gradient_address(array)?;
    let data = view.arg.data as u64;
    Ok(describe_array(
        data,
        gradient,
        layout.shape(),
        layout.strides(),
    ))
}

/// The address of the gradient of an array; 0 for none.
///
/// # Errors
/// It lies otherwise than the array does.
pub fn gradient_address(array: &Bound<'_, Array>) -> PyResult<u64> {
    let Some(gradient) = array.get().gradient(array.py()) else {
        return Ok(0);
    };
    let (view, own) = (*gradient.get().view(), array.get().view().layout());
    let layout = view.layout();
    // Along dimensions of one element or none it does not matter.
    let mut strides = (own.shape().iter()).zip(layout.strides().iter().zip(own.strides()));
    let same = own.is_empty() || strides.all(|(n, (a, b))| *n == 1 || a == b);
    if !same {
        let text = "an array in an array of structs and its gradient have one layout: this gradient has other strides; \
             assign a contiguous one";
        return Err(error(Code::Value, text));
    }
    Ok(view.arg.data as u64)
}

/// Whether elements of a type may hold array descriptors.
pub fn may_hold(elem: Elem) -> bool {
    elem == ARRAY_DESCRIPTOR || matches!(elem, Elem::Struct(s) if !s.is_plain())
}

/// Lets the elements of a part of memory, all of which were given the same bytes, hold what these describe. `held` is by
/// bytes from the start of an element.
///
/// # Errors
/// The memory is not ours.
pub fn hold(owner: &Owner, part: &View, held: &[(usize, Owner)]) -> PyResult<()> {
    if !may_hold(part.elem) {
        return Ok(());
    }
    require_own(owner, held)?;
    for at in element_addresses(part) {
        for by in array_descriptors(part.elem) {
            let what = held.iter().find(|(offset, _)| *offset == by);
            owner.hold(at + by, what.map(|(_, owner)| owner.clone()));
        }
    }
    Ok(())
}

/// Refuses to describe arrays in memory that cannot keep them alive.
///
/// # Errors
/// The memory is not ours, and there is something to hold.
pub fn require_own(owner: &Owner, held: &[(usize, Owner)]) -> PyResult<()> {
    if held.is_empty() || owner.can_hold() {
        return Ok(());
    }
    let text = "the memory of this array is another library's, which would not keep the arrays in the structs alive; use an \
         array that Warp has made, as with wp.zeros(n, dtype=S)";
    Err(error(Code::Value, text))
}

/// The array that is described at an address; None if there is none.
///
/// # Errors
/// Python has no memory.
///
/// # Safety
/// An array descriptor is at `at`, and nothing writes it meanwhile.
pub unsafe fn read<'py>(
    py: Python<'py>,
    at: *const u8,
    (elem, ndim): (Elem, u8),
    owner: Option<&Owner>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    // SAFETY: promised by the caller.
    let words = unsafe { at.cast::<[u64; 9]>().read_unaligned() };
    if words[word::DATA] == 0 {
        return Ok(None);
    }
    let held = owner.and_then(|owner| owner.held(at as usize));
    let object = held.as_ref().and_then(|held| referent(&held.owner));
    let known = object.and_then(|object| object.bind(py).cast::<Array>().ok());
    // A part lies where its array does, and what nobody is known to hold where the description does.
    let device = known.map(|array| array.get().view().device);
    let device = device.or_else(|| owner?.device()).unwrap_or(Device::Cpu);
    let array = |data: u64| {
        let dims = 0..usize::from(ndim);
        let half = |d: usize| words[word::SHAPE + d / 2] >> (32 * (d % 2)) & 0xffff_ffff;
        let shape: Vec<i64> = dims.clone().map(|d| half(d) as i64).collect();
        let strides: Vec<i64> = dims.map(|d| words[word::STRIDES + d] as i64).collect();
        let layout = Layout::strided(&shape, &strides).map_err(|e| raise(py, e))?;
        let view = View::new(data as *mut u8, layout, elem, device, false);
        PyResult::Ok(Core {
            view,
            // Where nobody is held, the author of the description answers for the memory.
            owner: held.clone().map_or(Owner::Nobody, |held| held.owner),
        })
    };
    if let Some(known) = known
        && is_described(known, &words, (elem, ndim))
    {
        return Ok(Some(known.clone().into_any()));
    }
    let gradient = match words[word::GRADIENT] {
        0 => None,
        data => Some(Array::new(array(data)?).object(py).map(Bound::unbind)?),
    };
    let made = Array::with_gradient(array(words[word::DATA])?, gradient);
    Ok(Some(made.object(py)?.into_any()))
}

/// Whether an array descriptor is one of an array, and not of a part of it.
fn is_described(array: &Bound<'_, Array>, words: &[u64], (elem, ndim): (Elem, u8)) -> bool {
    let view = array.get().view();
    let layout = view.layout();
    let own = describe_array(view.arg.data as u64, 0, layout.shape(), layout.strides());
    let same = own.iter().zip(words).enumerate();
    (view.elem, view.ndim) == (elem, ndim)
        && same
            .filter(|(at, _)| *at != word::GRADIENT)
            .all(|(_, (a, b))| a == b)
}

/// The arrays that the elements of one hold, each once, and those that these hold.
pub fn reachable<'py>(py: Python<'py>, core: &Core, out: &mut Vec<Bound<'py, Array>>) {
    if !may_hold(core.view.elem) {
        return;
    }
    for_each(py, core, &mut |_, (array, _)| {
        if !out.iter().any(|known| known.is(array)) {
            out.push(array.clone());
            reachable(py, &array.get().core, out);
        }
        Ok(())
    })
    .unwrap_or_default();
}

/// Updates what array descriptors in an array say of gradients, on a GPU in the order of a stream.
///
/// # Errors
/// A gradient lies otherwise than its array, or what the device says.
pub fn refresh(py: Python<'_>, core: &Core, streams: Streams) -> PyResult<()> {
    if !may_hold(core.view.elem) {
        return Ok(());
    }
    for_each(py, core, &mut |at, (array, offset)| {
        let gradient = match gradient_address(array)? {
            0 => 0,
            start => start.wrapping_add(offset as u64),
        };
        let gradient = gradient.to_ne_bytes();
        let at = (at + word::GRADIENT * size_of::<u64>()) as *mut u8;
        let layout = Layout::contiguous(&[1], size_of::<u64>()).map_err(|e| raise(py, e))?;
        let place = View::new(
            at,
            layout,
            Elem::Scalar(Scalar::U64),
            core.view.device,
            false,
        );
        // SAFETY: a description of ours lies there, whose owner the caller has; Python's lock keeps others away.
        unsafe { elements::fill_on(&place, &gradient, streams) }.map_err(|e| raise(py, e))?;
        refresh(py, &array.get().core, streams)
    })
}

/// The array that an array descriptor names, and how many bytes behind its first element the descriptor's array begins.
type Described<'a, 'py> = (&'a Bound<'py, Array>, usize);

fn for_each<'py>(
    py: Python<'py>,
    core: &Core,
    f: &mut dyn FnMut(usize, Described<'_, 'py>) -> PyResult<()>,
) -> PyResult<()> {
    if !core.owner.holds_any() {
        return Ok(());
    }
    for at in element_addresses(&core.view) {
        for by in array_descriptors(core.view.elem) {
            let Some(held) = core.owner.held(at + by) else {
                continue;
            };
            if let Some(object) = referent(&held.owner)
                && let Ok(array) = object.bind(py).cast::<Array>()
            {
                f(at + by, (array, held.offset))?;
            }
        }
    }
    Ok(())
}
