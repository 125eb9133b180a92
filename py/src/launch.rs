//! `wp.launch`: arguments to an argument block, the block to the pool.

use crate::config;
use crate::convert;
use crate::device;
use crate::dtype;
use crate::kernel::{Kernel, Param, Ready};
use crate::record;
use crate::recorded::Launch;
use crate::reverse;
use crate::scope::describe;
use crate::structs::{self, Argument, Root, Values};
use crate::tape;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyTuple};
use smallvec::SmallVec;
use warp_core::abi::ArrayArg;
use warp_core::array::Owner;
use warp_core::dtype::Scalar;
use warp_core::launch as core;
use warp_core::module::Native;
use warp_core::ty::{Elem, MAX_NDIM};

/// The argument block: 8-byte words, so that it is aligned for everything.
/// Four arrays and a few numbers fit without an allocation; more room would cost every launch its copying.
pub type Block = SmallVec<[u64; 36]>;

/// Launch dimensions; unused ones are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Extents.
    pub shape: [i32; MAX_NDIM],
    /// How many the caller gave.
    pub ndim: usize,
}

impl Dims {
    /// Number of threads.
    pub fn total(&self) -> i64 {
        self.shape.iter().map(|d| i64::from(*d)).product()
    }
}

/// Arguments as they are packed, with what keeps them alive for the launch.
#[derive(Default)]
pub struct Packed {
    /// The argument block.
    pub block: Block,
    /// Few arguments own anything: a `Vec` that stays empty is cheap to move.
    keep: Vec<Owner>,
}

/// Launches a kernel.
///
/// Args:
///     kernel: The kernel, a function decorated with `@wp.kernel`.
///     dim: Number of threads: an int, or a tuple of up to 4 ints.
///     inputs: Arguments for the kernel's parameters, in order: Warp arrays, NumPy arrays, PyTorch tensors
///         (or anything else that is array-like), numbers, vectors, matrices, quaternions, structs.
///     outputs: Arguments for the parameters that follow the inputs.
///     adj_inputs: With `adjoint=True`: the gradients that belong to `inputs`; they are added to. None
///         stands for the array's own `grad`.
///     adj_outputs: With `adjoint=True`: the gradients that belong to `outputs`; they are only read.
///     device: Where to run; the current device if None.
///     stream: Accepted on the CPU, where launches run in order.
///     adjoint: Run the adjoint of the kernel instead.
///     record_tape: Whether an active `wp.Tape` records the launch.
///     record_cmd: Return a `wp.Launch` that can be launched later, and run nothing.
///     max_blocks: Only for CUDA.
///     block_dim: Only for CUDA.
///
/// Raises:
///     TypeError, ValueError, OverflowError: An argument does not fit; the message names it. Nothing has
///         run then.
///     RuntimeError: The kernel has no gradient, or failed while it ran.
#[pyfunction]
#[pyo3(signature = (kernel, dim, inputs=None, outputs=None, adj_inputs=None, adj_outputs=None,
    device=None, stream=None, adjoint=false, record_tape=true, record_cmd=false, max_blocks=0, block_dim=256))]
#[allow(clippy::too_many_arguments, reason = "the documented signature")]
pub fn launch<'py>(
    kernel: &Bound<'py, PyAny>,
    dim: &Bound<'py, PyAny>,
    inputs: Option<&Bound<'py, PyAny>>,
    outputs: Option<&Bound<'py, PyAny>>,
    adj_inputs: Option<&Bound<'py, PyAny>>,
    adj_outputs: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
    stream: Option<&Bound<'py, PyAny>>,
    adjoint: bool,
    record_tape: bool,
    record_cmd: bool,
    max_blocks: i64,
    block_dim: i64,
) -> PyResult<Option<Bound<'py, Launch>>> {
    let _ = (max_blocks, block_dim);
    let py = kernel.py();
    let Ok(bound) = kernel.cast::<Kernel>() else {
        return Err(PyTypeError::new_err(format!(
            "launch: kernel is {}, expected a kernel; decorate the function with @wp.kernel",
            describe(kernel)
        )));
    };
    let kernel = bound.get();
    if device.is_some() || stream.is_some() {
        device::check_launch(kernel.title(), device, stream)?;
    }
    let dims = dims(kernel, dim)?;
    let mut args = Args::default();
    args.collect(kernel, inputs, outputs)?;
    if let Some(arguments) = &kernel.arguments {
        args.spread(kernel, arguments)?;
    }
    if adjoint {
        return reverse::launch(kernel, dims, &args, adj_inputs, adj_outputs).map(|()| None);
    }
    let ready = kernel.ready(py)?;
    if record::active() {
        if record_cmd {
            record::running("record_cmd")?;
        }
        if record::launch(bound, dims, &args.all)? {
            return Ok(None);
        }
    }
    let mut packed = Packed::default();
    packed.fill(kernel, ready, dims, &args.all)?;
    if record_cmd {
        let kernel = bound.clone().unbind();
        let command = Launch::new(kernel, dims, args.given(), packed.block)?;
        return Bound::new(py, command).map(Some);
    }
    if record_tape && tape::active() {
        tape::record(bound, dims, &args.all, args.roots())?;
    }
    run(py, kernel, ready, dims, &packed.block)?;
    Ok(None)
}

/// The arguments of `inputs` and `outputs` in one list.
#[derive(Default)]
pub struct Args<'py> {
    /// All of them, structs as their leaves.
    pub all: Values<'py>,
    /// How many are inputs.
    pub first: usize,
    /// Where there are structs.
    written: Option<Box<Written<'py>>>,
}

/// Arguments of which some are structs, as they were given.
struct Written<'py> {
    all: Values<'py>,
    /// Which leaves are parts of arrays of structs.
    roots: Vec<Root<'py>>,
}

impl<'py> Args<'py> {
    /// Puts the leaves of structs in their places.
    #[cold]
    fn spread(&mut self, kernel: &Kernel, arguments: &[Argument]) -> PyResult<()> {
        // Behind the door PyO3 does not know that the lock is held.
        let (all, roots) = Python::attach(|_| structs::spread(kernel, arguments, &self.all))?;
        self.first = arguments[..self.first].iter().map(|a| a.leaves).sum();
        let all = std::mem::replace(&mut self.all, all);
        self.written = Some(Box::new(Written { all, roots }));
        Ok(())
    }
    /// How many of the arguments as they were given are inputs.
    pub fn inputs(&self, kernel: &Kernel) -> usize {
        match &kernel.arguments {
            None => self.first,
            Some(arguments) => {
                let mut leaves = 0;
                let before = arguments.iter().take_while(|a| {
                    leaves += a.leaves;
                    leaves <= self.first
                });
                before.count()
            }
        }
    }
    /// The arguments as they were given.
    fn given(&self) -> &[Bound<'py, PyAny>] {
        self.written.as_ref().map_or(&self.all, |w| &w.all)
    }
    /// Which leaves are parts of arrays of structs.
    fn roots(&self) -> &[Root<'py>] {
        self.written.as_ref().map_or(&[], |w| &w.roots)
    }
}

impl<'py> Args<'py> {
    /// Reads both lists. In place, because moving them costs as much as reading them.
    fn collect(
        &mut self,
        kernel: &Kernel,
        inputs: Option<&Bound<'py, PyAny>>,
        outputs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        extend(kernel, "inputs", inputs, &mut self.all)?;
        self.first = self.all.len();
        extend(kernel, "outputs", outputs, &mut self.all)?;
        if self.all.len() != kernel.arity {
            let names = kernel.names();
            return Err(PyTypeError::new_err(format!(
                "launch of kernel '{}': it takes {} arguments ({}), but inputs and outputs hold {}",
                kernel.title(),
                names.len(),
                names.join(", "),
                self.all.len()
            )));
        }
        Ok(())
    }
}

fn extend<'py>(
    kernel: &Kernel,
    what: &str,
    list: Option<&Bound<'py, PyAny>>,
    out: &mut Values<'py>,
) -> PyResult<()> {
    let Some(list) = list else { return Ok(()) };
    if let Ok(list) = list.cast::<PyList>() {
        out.extend(list.iter());
    } else if let Ok(tuple) = list.cast::<PyTuple>() {
        out.extend(tuple.iter());
    } else {
        return Err(PyTypeError::new_err(format!(
            "launch of kernel '{}': {what} is {}, expected a list or tuple of arguments, as in \
             {what}=[x, y]",
            kernel.title(),
            describe(list)
        )));
    }
    Ok(())
}

/// Reads `dim`.
pub fn dims(kernel: &Kernel, dim: &Bound<'_, PyAny>) -> PyResult<Dims> {
    let mut dims = Dims {
        shape: [1; MAX_NDIM],
        ndim: 1,
    };
    if let Ok(tuple) = dim.cast::<PyTuple>() {
        dims.ndim = tuple.len();
        for (at, item) in tuple.iter().take(MAX_NDIM).enumerate() {
            dims.shape[at] = extent(kernel, &item)?;
        }
    } else if let Ok(list) = dim.cast::<PyList>() {
        dims.ndim = list.len();
        for (at, item) in list.iter().take(MAX_NDIM).enumerate() {
            dims.shape[at] = extent(kernel, &item)?;
        }
    } else {
        dims.shape[0] = extent(kernel, dim)?;
    }
    if !(1..=MAX_NDIM).contains(&dims.ndim) {
        return Err(PyValueError::new_err(format!(
            "launch of kernel '{}': dim has {} dimensions, expected 1 to {MAX_NDIM}",
            kernel.title(),
            dims.ndim
        )));
    }
    let mut total = 1i64;
    for extent in dims.shape {
        total = match total.checked_mul(extent.into()) {
            Some(total) => total,
            None => {
                return Err(PyOverflowError::new_err(format!(
                    "launch of kernel '{}': dim {:?} has more than 2**63 threads",
                    kernel.title(),
                    &dims.shape[..dims.ndim]
                )));
            }
        };
    }
    Ok(dims)
}

fn extent(kernel: &Kernel, value: &Bound<'_, PyAny>) -> PyResult<i32> {
    let wide = if value.is_instance_of::<pyo3::types::PyInt>() {
        value.extract::<i64>()
    } else {
        value
            .call_method0(pyo3::intern!(value.py(), "__index__"))
            .and_then(|i| i.extract())
    };
    let Ok(wide) = wide else {
        let huge = value.is_instance_of::<pyo3::types::PyInt>();
        let text = if huge {
            "an int of more than 64 bits".into()
        } else {
            describe(value)
        };
        return Err(PyTypeError::new_err(format!(
            "launch of kernel '{}': dim is {text}, expected an int or a tuple of 1 to {MAX_NDIM} ints",
            kernel.title()
        )));
    };
    match i32::try_from(wide) {
        Ok(extent) if extent >= 0 => Ok(extent),
        _ => Err(PyValueError::new_err(format!(
            "launch of kernel '{}': dim {wide} is out of range, expected 0 to 2147483647 (thread \
             indices are int32; use several dimensions for more threads)",
            kernel.title()
        ))),
    }
}

/// Packs all arguments into a new block.
pub fn pack(
    kernel: &Kernel,
    ready: &Ready,
    dims: Dims,
    args: &[Bound<'_, PyAny>],
) -> PyResult<Packed> {
    let mut packed = Packed::default();
    packed.fill(kernel, ready, dims, args)?;
    Ok(packed)
}

impl Packed {
    /// Packs all arguments; nothing has been written when one does not fit. In place, because moving a block
    /// costs as much as filling it.
    fn fill(
        &mut self,
        kernel: &Kernel,
        ready: &Ready,
        dims: Dims,
        args: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let layout = &ready.compiled.code.layout;
        begin(&mut self.block, layout.size, dims);
        for (i, param) in kernel.params.iter().enumerate() {
            let (value, offset) = (&args[i], layout.offsets[i]);
            if param.ndim == 0 {
                pack_value(kernel, param, value, &mut self.block, offset)?;
                continue;
            }
            let place = array_at(&mut self.block, offset);
            let (elem, ndim) = (param.elem, param.ndim);
            match convert::launch_arg_into(value, elem, ndim, ready.writes[i], place) {
                Ok(None) => {}
                Ok(Some(owner)) => self.keep.push(owner),
                Err(e) => return Err(e.at(kernel.title(), &param.name)),
            }
        }
        Ok(())
    }
}

/// An argument block without arguments.
pub fn block(size: usize, dims: Dims) -> Block {
    let mut block = Block::new();
    begin(&mut block, size, dims);
    block
}

fn begin(block: &mut Block, size: usize, dims: Dims) {
    block.resize(size.div_ceil(8), 0);
    let pair = |low: i32, high: i32| u64::from(low as u32) | u64::from(high as u32) << 32;
    // Four int32, as a little-endian machine lays them out.
    block[0] = pair(dims.shape[0], dims.shape[1]);
    block[1] = pair(dims.shape[2], dims.shape[3]);
}

/// Writes bytes at an offset of a block.
pub fn write(block: &mut Block, offset: usize, bytes: &[u8]) {
    // SAFETY: any bytes are valid words, and u8 has no alignment.
    let whole =
        unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr().cast::<u8>(), block.len() * 8) };
    whole[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// Writes an array argument at an offset of a block.
pub fn write_array(block: &mut Block, offset: usize, arg: &ArrayArg) {
    *array_at(block, offset) = *arg;
}

/// The array argument at an offset of a block.
fn array_at(block: &mut Block, offset: usize) -> &mut ArrayArg {
    assert!(offset.is_multiple_of(8) && offset + size_of::<ArrayArg>() <= block.len() * 8);
    // SAFETY: the offset is aligned and inside, as just checked, and any words are an array argument.
    unsafe { &mut *block.as_mut_ptr().cast::<u8>().add(offset).cast() }
}

/// Packs a value that is not an array.
pub fn pack_value(
    kernel: &Kernel,
    param: &Param,
    value: &Bound<'_, PyAny>,
    block: &mut Block,
    offset: usize,
) -> PyResult<()> {
    // The usual case without a detour.
    if param.elem == Elem::Scalar(Scalar::F32) && value.is_exact_instance_of::<PyFloat>() {
        // SAFETY: it is a float, as just seen.
        let number = unsafe { ffi::PyFloat_AsDouble(value.as_ptr()) };
        write(block, offset, &(number as f32).to_ne_bytes());
        return Ok(());
    }
    let mut bytes: SmallVec<[u8; 64]> = SmallVec::new();
    dtype::value_bytes(value, param.elem, &mut bytes)
        .map_err(|e| e.at(kernel.title(), &param.name))?;
    write(block, offset, &bytes);
    Ok(())
}

/// Runs a forward launch.
pub fn run(
    py: Python<'_>,
    kernel: &Kernel,
    ready: &Ready,
    dims: Dims,
    block: &Block,
) -> PyResult<()> {
    let code = &ready.compiled.code;
    let job = core::Job {
        entry: code.entry,
        block: block.as_ptr().cast(),
        dims: dims.shape,
        cost: &code.cost,
        in_order: code.in_order || (config::deterministic() && code.order_matters),
        // A derived kernel has adds that are plain ones unless somebody says so, and nobody has looked.
        overlap: ready.compiled.sums.is_some(),
    };
    finish(py, kernel, &job, code)
}

/// Runs a job, without the GIL if it is long, and turns a fault into an exception.
pub fn finish(py: Python<'_>, kernel: &Kernel, job: &core::Job<'_>, code: &Native) -> PyResult<()> {
    let outcome = if job.is_short() {
        // SAFETY: the block was packed for this kernel; what its arrays need is kept by the caller.
        unsafe { core::run(job, None) }
    } else {
        // A pointer may not cross into the closure; an address may.
        let block = job.block as usize;
        let (entry, dims, cost) = (job.entry, job.dims, job.cost);
        let (in_order, overlap) = (job.in_order, job.overlap);
        let signal = std::sync::Mutex::new(None);
        let outcome = py.detach(|| {
            let block = block as *const u8;
            let job = core::Job {
                entry,
                block,
                dims,
                cost,
                in_order,
                overlap,
            };
            let interrupted = || {
                Python::attach(|py| match py.check_signals() {
                    Ok(()) => false,
                    Err(error) => {
                        *signal.lock().expect("only this thread locks it") = Some(error);
                        true
                    }
                })
            };
            // SAFETY: as above.
            unsafe { core::run(&job, Some(&interrupted)) }
        });
        if let Some(error) = signal.into_inner().expect("no panic inside") {
            return Err(error);
        }
        outcome
    };
    outcome.map_err(|fault| crate::error::fault(kernel, &fault, &code.spans))
}
