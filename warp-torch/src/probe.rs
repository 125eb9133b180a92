//! The probe: finds out where the installed torch keeps a tensor's fields, and whether what `direct.rs` reads there is what
//! torch itself says.

use crate::direct::{self, FieldLayout, PlainTensor, storage, tensor};
use crate::dtype::dtype_from;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::Duration;
use warp_core::interop::Desc;
use warp_dlpack::Lenient;

/// The versions whose rules of counting are known: a storage's count is taken by hand only there.
const COUNTED: [(u32, u32); 1] = [(2, 15)];

/// A probe that failed because of what its caller was in the midst of (a function transform, say) may try again: it takes
/// 2 ms.
const TRIES: u8 = 16;

/// Tensors of which every field is known, and others that must never be read directly. In both lists, no two agree in
/// all that is read. They are made as if the caller were in the midst of nothing, without what imports torch's compiler:
/// `torch.func` and its like.
const SAMPLES: &CStr = cr#"
def samples(torch):
    from torch.utils._python_dispatch import _disable_current_modes

    with torch.inference_mode(False), torch.enable_grad(), _disable_current_modes():
        return made(torch)

def made(torch):
    cpu = {"device": "cpu"}
    leaf, bare = (torch.zeros(4, requires_grad=True, **cpu) for _ in range(2))
    leaf.grad = torch.ones(4, **cpu)
    plain = [leaf, bare, leaf.grad, leaf.detach(), leaf.detach()[1:3]]
    plain += [torch.zeros(0, **cpu), torch.zeros((), **cpu), torch.zeros((2, 3, 4, 5), **cpu)[1:, :, 1:, ::2]]
    plain += [torch.zeros((2, 3, 2, 3, 2), **cpu).transpose(1, 3)[:, 1:, :, :, 1], torch.nn.Parameter(torch.ones(3, **cpu))]
    plain += [torch.zeros(3, dtype=getattr(torch, name), **cpu) for name in NAMES if hasattr(torch, name)]
    with torch.inference_mode():
        plain.append(torch.zeros(3, **cpu))
    numbers = torch.zeros(4, dtype=torch.complex64, **cpu)
    odd = [numbers, numbers.conj(), numbers.conj().imag, torch.zeros(2, 2, **cpu).to_sparse()]
    odd += [torch.zeros(3, device="meta"), torch._lazy_clone(torch.zeros(3, **cpu))]
    inner = [torch.zeros(2, 3, **cpu), torch.zeros(3, **cpu)]
    functorch = torch._C._functorch
    level = functorch._vmap_increment_nesting(2, "error")
    try:
        odd.append(functorch._add_batch_dim(inner[0], 0, level))
    finally:
        functorch._vmap_decrement_nesting()
    level = functorch._grad_increment_nesting()
    try:
        odd.append(functorch._wrap_for_grad(inner[1], level))
    finally:
        functorch._grad_decrement_nesting()
    counted = [torch.zeros(4, **cpu) for _ in range(2)]
    for t, changes in ((counted[0], 3), (counted[1], 77)):
        for _ in range(changes):
            t.add_(0)
    return leaf, bare, plain, odd, counted
"#;

/// Probes the installed torch. Nothing is read directly until this has succeeded once.
///
/// # Errors
/// What came meanwhile and must pass: a signal.
#[cold]
pub(crate) fn probe(py: Python<'_>) -> PyResult<()> {
    static TRIED: AtomicU8 = AtomicU8::new(0);
    if direct::is_enabled() || TRIED.fetch_add(1, Ordering::Relaxed) >= TRIES {
        return Ok(());
    }
    // What torch cannot do for the samples it may still do for the caller, the long way.
    if let Some(layout) = find_layout(py).lenient()?.flatten() {
        direct::enable(layout);
    }
    Ok(())
}

/// How many threads probe, and [`ENDING`] once Python ends.
static PROBES: AtomicU32 = AtomicU32::new(0);
const ENDING: u32 = 1 << 31;

/// A thread that probes. Python ends a daemon thread wherever it asks for the lock, in the midst of torch or of Rust as well,
/// which ends the process. So the end of Python waits for these, and none begins after it.
pub(crate) struct Running;

impl Running {
    /// `None` once Python ends.
    pub(crate) fn begin() -> Option<Running> {
        let begun = PROBES.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| {
            (n & ENDING == 0).then_some(n + 1)
        });
        begun.ok().map(|_| Running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        PROBES.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Has the end of Python wait for probes.
///
/// # Errors
/// What Python raises.
pub fn register(py: Python<'_>) -> PyResult<()> {
    let wait = wrap_pyfunction!(wait_for_probes, py)?;
    py.import("atexit")?.call_method1("register", (wait,))?;
    Ok(())
}

/// Called when Python begins to end, while other threads still run.
#[pyfunction]
fn wait_for_probes(py: Python<'_>) {
    PROBES.fetch_or(ENDING, Ordering::AcqRel);
    while PROBES.load(Ordering::Acquire) != ENDING {
        py.detach(|| std::thread::sleep(Duration::from_millis(1)));
    }
}

fn find_layout(py: Python<'_>) -> PyResult<Option<Box<FieldLayout>>> {
    let torch = py.import("torch")?;
    let globals = PyDict::new(py);
    let names: Vec<&str> = warp_core::dtype::TABLE.iter().map(|r| r.name).collect();
    globals.set_item("NAMES", names)?;
    py.run(SAMPLES, Some(&globals), None)?;
    type Any<'py> = Bound<'py, PyAny>;
    type List<'py> = Bound<'py, PyList>;
    let samples = globals.as_any().get_item("samples")?.call1((&torch,))?;
    let (leaf, bare, plain, odd, counted): (Any<'_>, Any<'_>, List<'_>, List<'_>, [Any<'_>; 2]) =
        samples.extract()?;

    let Some(mut layout) = locate_fields(&leaf, &bare)? else {
        return Ok(None);
    };
    for t in plain.iter() {
        let Some(words) = object(&t, layout.object)? else {
            return Ok(None);
        };
        let kind = word(words, layout.shift + tensor::KIND) as usize & 0xffff;
        let Some(scalar) = layout.scalars.get_mut(kind) else {
            return Ok(None);
        };
        *scalar = Some(dtype_from(&t.getattr("dtype")?)?);
        if t.call_method0("is_inference")?.extract()? {
            layout.keys[1] = word(words, layout.shift + tensor::KEYS);
        }
    }
    for t in plain.iter() {
        if !agrees(&t, &layout)? {
            return Ok(None);
        }
    }
    for t in odd.iter() {
        let words = object(&t, layout.object)?;
        // SAFETY: the words are those of a live C++ tensor, whichever its class.
        let read = words.and_then(|words| unsafe { PlainTensor::of(words, &layout) });
        if read.is_some_and(|p| p.describe(&mut Desc::EMPTY.clone())) {
            return Ok(None);
        }
    }
    layout.counts = counts(&torch, &counted, &layout)?;
    layout.version = version(&counted, &plain, &layout)?;
    Ok(Some(layout))
}

/// The C++ object of a tensor, if it is where it is expected.
fn object(t: &Bound<'_, PyAny>, at: usize) -> PyResult<Option<*const u64>> {
    // SAFETY: a tensor object is larger than that.
    let found = unsafe { *t.as_ptr().cast::<u64>().add(at) };
    let told: u64 = t.getattr("_cdata")?.extract()?;
    Ok((found == told).then_some(found as *const u64))
}

fn word(words: *const u64, at: usize) -> u64 {
    // SAFETY: C++ tensors, storages and autograd records are all larger than what is asked of them here.
    unsafe { *words.add(at) }
}

/// Where the fields lie, as two leaves show, of which only the first has a gradient.
fn locate_fields(
    leaf: &Bound<'_, PyAny>,
    bare: &Bound<'_, PyAny>,
) -> PyResult<Option<Box<FieldLayout>>> {
    let mut found = None;
    for at in [2, 3] {
        if let (Some(words), Some(other)) = (object(leaf, at)?, object(bare, at)?) {
            found = Some((at, words, other));
        }
    }
    let Some((at, words, other)) = found else {
        return Ok(None);
    };
    // One dimension of four elements, side by side.
    let sizes = |s: &usize| {
        let expected = [(tensor::NDIM, 1), (tensor::SIZES, 4), (tensor::STRIDES, 1)];
        expected.iter().all(|(at, n)| word(words, s + at) == *n)
    };
    let Some(shift) = [0, 1].into_iter().find(sizes) else {
        return Ok(None);
    };
    let storage_at: u64 = leaf
        .call_method0("untyped_storage")?
        .getattr("_cdata")?
        .extract()?;
    let (record, empty) = (word(words, tensor::AUTOGRAD), word(other, tensor::AUTOGRAD));
    if word(words, tensor::STORAGE) != storage_at || record == 0 || empty == 0 {
        return Ok(None);
    }
    let gradient: u64 = leaf.getattr("grad")?.getattr("_cdata")?.extract()?;
    let (record, empty) = (record as *const u64, empty as *const u64);
    // The record begins with its class and a name.
    let Some(grad) = (1..8).find(|at| word(record, *at) == gradient) else {
        return Ok(None);
    };
    Ok(Some(Box::new(FieldLayout {
        object: at,
        shift,
        tensor_class: word(words, tensor::CLASS),
        storage_class: word(storage_at as *const u64, storage::CLASS),
        keys: [word(words, shift + tensor::KEYS); 2],
        device: word(words, shift + tensor::KIND) >> 16 & 0xff_ffff,
        scalars: [None; 64],
        grad,
        undefined: word(empty, grad),
        counts: false,
        version: None,
    })))
}

/// Whether reading a plain tensor tells what torch tells.
fn agrees(t: &Bound<'_, PyAny>, layout: &FieldLayout) -> PyResult<bool> {
    // SAFETY: the words are those of a live C++ tensor.
    let Some(plain) =
        object(t, layout.object)?.and_then(|words| unsafe { PlainTensor::of(words, layout) })
    else {
        return Ok(false);
    };
    let mut desc = Desc::EMPTY;
    let empty = t.call_method0("numel")?.extract::<usize>()? == 0;
    if !plain.describe(&mut desc) {
        // An empty tensor has no memory to read of.
        return Ok(empty);
    }
    let shape: Vec<i64> = t.getattr("shape")?.extract()?;
    let strides: Vec<i64> = t.call_method0("stride")?.extract()?;
    let data: usize = t.call_method0("data_ptr")?.extract()?;
    let scalar = dtype_from(&t.getattr("dtype")?)?;
    let size = scalar.size() as i64;
    let strides: Vec<i64> = strides.iter().map(|s| s * size).collect();
    if desc.shape() != shape
        || desc.strides[..desc.ndim] != *strides
        || desc.data as usize != data
        || desc.scalar != scalar
    {
        return Ok(false);
    }
    let bytes: u64 = t
        .call_method0("untyped_storage")?
        .call_method0("nbytes")?
        .extract()?;
    if plain.storage_bytes().1 != bytes {
        return Ok(false);
    }
    let wants: bool = t.getattr("requires_grad")?.extract()?;
    let grad = t.getattr("grad")?;
    if plain.without_autograd() && (wants || !grad.is_none()) {
        return Ok(false);
    }
    let told: Option<usize> = match grad.is_none() {
        true => None,
        false => Some(grad.call_method0("data_ptr")?.extract()?),
    };
    let mut of_grad = Desc::EMPTY;
    let read = plain.grad().filter(|g| g.describe(&mut of_grad));
    Ok(read.map(|_| of_grad.data as usize) == told)
}

/// Where the number of changes stands in the object that counts them: there it is what torch says, of every sample, and
/// torch says what is written there.
fn version(
    counted: &[Bound<'_, PyAny>; 2],
    plain: &Bound<'_, PyList>,
    layout: &FieldLayout,
) -> PyResult<Option<usize>> {
    let told = |t: &Bound<'_, PyAny>| -> PyResult<Option<u32>> {
        match t.call_method0("is_inference")?.extract()? {
            true => Ok(None),
            false => t.getattr("_version")?.extract().map(Some),
        }
    };
    let same = |t: &Bound<'_, PyAny>, at: usize| -> PyResult<bool> {
        let Some(words) = object(t, layout.object)? else {
            return Ok(false);
        };
        // SAFETY: the words are those of a live C++ tensor; an object that is counted has two words before its own.
        let read = unsafe { direct::version_at(words, at).as_ref() };
        Ok(read.map(|n| n.load(Ordering::Relaxed)) == told(t)?)
    };
    'places: for at in [2, 3] {
        for t in counted.iter().cloned().chain(plain.iter()) {
            if !same(&t, at)? {
                continue 'places;
            }
        }
        let [first, _] = counted;
        let Some(words) = object(first, layout.object)? else {
            return Ok(None);
        };
        let before = told(first)?;
        // SAFETY: as above; the sample is nobody else's.
        let number = unsafe { direct::version_at(words, at).as_ref() };
        let Some(number) = number else {
            return Ok(None);
        };
        number.fetch_add(1, Ordering::Relaxed);
        return Ok((told(first)? == before.map(|n| n + 1)).then_some(at));
    }
    Ok(None)
}

/// Whether a storage may be held by its count: a known version, in which counting does what it must.
fn counts(
    torch: &Bound<'_, PyModule>,
    counted: &[Bound<'_, PyAny>; 2],
    layout: &FieldLayout,
) -> PyResult<bool> {
    let version = torch.getattr("__version__")?.str()?.to_string();
    let mut numbers = version.split('.').map_while(|n| n.parse::<u32>().ok());
    if !(numbers.next().zip(numbers.next())).is_some_and(|v| COUNTED.contains(&v)) {
        return Ok(false);
    }
    let users = torch.getattr("_C")?.getattr("_storage_Use_Count")?;
    let users = |at: *mut c_void| -> PyResult<u32> { users.call1((at as usize,))?.extract() };
    // One storage that only C++ knows of, and one that has a Python object.
    for (t, has_object) in counted.iter().zip([false, true]) {
        let _object = has_object
            .then(|| t.call_method0("untyped_storage"))
            .transpose()?;
        let Some(words) = object(t, layout.object)? else {
            return Ok(false);
        };
        let at = word(words, tensor::STORAGE) as *mut c_void;
        let before = users(at)?;
        // SAFETY: the tensor keeps the storage; each count that is taken is given back.
        let retained = unsafe {
            direct::retain(at);
            let retained = users(at);
            direct::release(at);
            retained
        };
        if retained? != before + 1 || users(at)? != before {
            return Ok(false);
        }
    }
    Ok(true)
}
