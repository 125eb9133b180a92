//! The probe: finds out whether the installed paddle keeps a tensor's fields where `direct.rs` reads them.

use crate::direct::{self, Count, FieldLayout, IMPL, memory, tensor};
use crate::dtype::dtype_from;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU8, Ordering};
use warp_core::interop::Desc;
use warp_dlpack::Lenient;

/// A probe that failed because of what its caller was in the midst of (static mode, say) may try again.
const TRIES: u8 = 4;

/// Tensors of which every field is known, one that shares the first one's memory, and others that must never be read
/// directly.
const SAMPLES: &CStr = cr#"
def samples(paddle):
    make = lambda shape, dtype="float32": paddle.empty(shape, dtype=dtype).cpu()
    first = make([3, 5, 7])
    part = first[1:, ::2]
    plain = [first, part, make([2, 3]).t(), make([]), make([1]), make([2] * 6), make([4]).detach()]
    plain += [make([3], name) for name in NAMES if hasattr(paddle, name)]
    cleared = make([2])
    cleared._clear()
    odd = [make([2], "complex64"), make([0, 3]), cleared, paddle.Tensor()]
    if hasattr(cleared, "resize_"):
        odd.append(make([2]).resize_([1000]))
    odd.append(paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3]))
    return plain, odd
"#;

/// Probes the installed paddle. Nothing is read directly until this has succeeded once.
///
/// # Errors
/// What came meanwhile and must pass: a signal.
#[cold]
pub(crate) fn probe(py: Python<'_>) -> PyResult<()> {
    static TRIED: AtomicU8 = AtomicU8::new(0);
    if direct::is_enabled() || TRIED.fetch_add(1, Ordering::Relaxed) >= TRIES {
        return Ok(());
    }
    // What paddle cannot do for the samples it may still do for the caller, the long way.
    if let Some(layout) = find_layout(py).lenient()?.flatten() {
        direct::enable(layout);
    }
    Ok(())
}

fn find_layout(py: Python<'_>) -> PyResult<Option<Box<FieldLayout>>> {
    let globals = PyDict::new(py);
    // Paddle has names of its own for these; as types of tensors they are signed.
    let names: Vec<&str> = warp_core::dtype::TABLE
        .iter()
        .map(|r| r.name)
        .filter(|n| !matches!(*n, "uint16" | "uint32" | "uint64"))
        .collect();
    globals.set_item("NAMES", names)?;
    py.run(SAMPLES, Some(&globals), None)?;
    let (plain, odd): (Bound<'_, PyList>, Bound<'_, PyList>) = (globals.as_any())
        .get_item("samples")?
        .call1((py.import("paddle")?,))?
        .extract()?;

    let first = object(&plain.get_item(0)?);
    let owner = match first.is_null() {
        true => std::ptr::null(),
        false => word(first, tensor::MEMORY) as *const u64,
    };
    if owner.is_null() {
        return Ok(None);
    }
    let mut layout = Box::new(FieldLayout {
        class: word(first, tensor::CLASS),
        layout: word(first, tensor::KIND) >> 32,
        place: word(owner, memory::PLACE) & 0xffff,
        scalars: [None; 32],
    });
    for t in plain.iter() {
        let words = object(&t);
        if words.is_null() || word(words, tensor::CLASS) != layout.class {
            return Ok(None);
        }
        let Some(scalar) = (layout.scalars).get_mut(word(words, tensor::KIND) as u32 as usize)
        else {
            return Ok(None);
        };
        *scalar = Some(dtype_from(&t.getattr("dtype")?)?);
    }
    for t in plain.iter() {
        if !agrees(&t, &layout)? {
            return Ok(None);
        }
    }
    for t in odd.iter() {
        if read(&t, &layout, &mut Desc::EMPTY.clone()).is_some() {
            return Ok(None);
        }
    }
    Ok(counts(&plain, &layout)?.then_some(layout))
}

/// What stands in a tensor object where its C++ object is expected.
fn object(t: &Bound<'_, PyAny>) -> *const u64 {
    // SAFETY: a tensor object is larger than that.
    unsafe { *t.as_ptr().cast::<*const u64>().add(IMPL) }
}

fn word(words: *const u64, at: usize) -> u64 {
    // SAFETY: C++ tensors and what owns memory are all larger than what is asked of them here.
    unsafe { *words.add(at) }
}

fn read(t: &Bound<'_, PyAny>, layout: &FieldLayout, out: &mut Desc) -> Option<Count> {
    // SAFETY: the words are null or those of a live C++ tensor, whichever its class.
    unsafe { direct::read(object(t), layout, out) }
}

/// Whether reading a plain tensor tells what paddle tells.
fn agrees(t: &Bound<'_, PyAny>, layout: &FieldLayout) -> PyResult<bool> {
    let mut desc = Desc::EMPTY;
    if read(t, layout, &mut desc).is_none() {
        return Ok(false);
    }
    let shape: Vec<i64> = t.getattr("shape")?.extract()?;
    let strides: Vec<i64> = t.call_method0("get_strides")?.extract()?;
    let data: usize = t.call_method0("data_ptr")?.extract()?;
    let scalar = dtype_from(&t.getattr("dtype")?)?;
    let strides: Vec<i64> = strides.iter().map(|s| s * scalar.size() as i64).collect();
    Ok(desc.shape() == shape
        && desc.strides[..desc.ndim] == *strides
        && desc.data as usize == data
        && desc.scalar == scalar)
}

/// Whether the count is that of the memory's holders: the first two samples share memory, and nothing else has it.
fn counts(plain: &Bound<'_, PyList>, layout: &FieldLayout) -> PyResult<bool> {
    let first = plain.get_item(0)?;
    let Some(count) = read(&first, layout, &mut Desc::EMPTY.clone()) else {
        return Ok(false);
    };
    let two = count.holders();
    let third = count.hold();
    let three = count.holders();
    drop(third);
    let again = count.holders();
    plain.del_item(1)?;
    Ok([two, three, again, count.holders()] == [2, 3, 2, 1])
}
