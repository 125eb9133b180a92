//! Nested lists of instances of structs as new arrays of the host.

use super::list::is_list;
use crate::dtype;
use crate::object::error::{Code, error, refuse};
use pyo3::prelude::*;
use smallvec::SmallVec;
use warp_core::array::{Array as Core, Owner, Placement};
use warp_core::ty::{Elem, Struct};

/// Nested lists of instances as a new array.
///
/// # Errors
/// The lists do not have the shape of an array, or an item is no instance of the struct.
pub fn from_list(list: &Bound<'_, PyAny>, s: Struct, at: Placement) -> PyResult<Core> {
    let py = list.py();
    let mut shape = Vec::new();
    let mut bytes = SmallVec::new();
    let mut held = Vec::new();
    collect(list, s, 0, &mut shape, (&mut bytes, &mut held))?;
    let dims: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    let core = Core::empty(Elem::Struct(s), &dims, at).map_err(refuse(py, "array"))?;
    // SAFETY: new memory of as many elements as were written.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), core.view.arg.data, bytes.len()) };
    for (at, what) in held {
        core.owner
            .hold(core.view.arg.data as usize + at, Some(what));
    }
    Ok(core)
}

fn collect(
    item: &Bound<'_, PyAny>,
    s: Struct,
    level: usize,
    shape: &mut Vec<usize>,
    (bytes, held): (&mut SmallVec<[u8; 64]>, &mut Vec<(usize, Owner)>),
) -> PyResult<()> {
    let ragged = || {
        error(
            Code::Type,
            format!(
                "the lists do not have the shape of an array of {s}: items at one level differ in length or kind"
            ),
        )
    };
    if !is_list(item) {
        if level != shape.len() {
            return Err(ragged());
        }
        let (elem, start) = (Elem::Struct(s), bytes.len());
        dtype::element_bytes(item, elem, false, bytes)?;
        let own = dtype::held_by(item, elem).into_iter();
        held.extend(own.map(|(at, what)| (start + at, what)));
        return Ok(());
    }
    let n = item.len()?;
    match shape.get(level) {
        Some(known) if *known == n => {}
        // Once an element has been seen the depth is known.
        None if bytes.is_empty() => shape.push(n),
        _ => return Err(ragged()),
    }
    for item in item.try_iter()? {
        collect(&item?, s, level + 1, shape, (bytes, held))?;
    }
    Ok(())
}
