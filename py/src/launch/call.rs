//! `wp.launch`: its parameters, and the fast call for the usual ones.

use super::adjoint::{gradients, launch as adjoint_launch};
use super::command::Launch;
use super::command_state::{Given, Packing, State};
use super::forward::{Arguments, Forward};
use super::taped::Recorded;
use crate::argument::args::Args;
use crate::argument::dims::{grid, read_dims};
use crate::argument::infer;
use crate::argument::pack::{Owners, Packed};
use crate::kernel::{Kernel, Ready};
use crate::object::error::{Code, error};
use crate::object::message::describe;
use crate::object::package::PACKAGE;
use crate::object::trace_state;
use crate::runtime::config;
use crate::runtime::fastcall::{self, FastCall};
use crate::runtime::stream::of_launch;
use crate::trace;
use pyo3::ffi;
use pyo3::prelude::*;
use warp_core::launch::Dims;

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
///     stream: A `wp.Stream` of the device, by default its current one. On the CPU launches run in order.
///     adjoint: Run the adjoint of the kernel instead.
///     record_tape: Whether an active `wp.Tape` records the launch.
///     record_cmd: Return a `wp.Launch` that can be launched later, and run nothing.
///     max_blocks: The most blocks of the grid on a GPU, whose threads then take several elements each; 0 sets no limit.
///     block_dim: Threads of a block on a GPU, 1 to 1024; as many as the kernel's module says by default, 256 unless it
///         says something else. The CPU has no use for either.
///
/// Raises:
///     TypeError, ValueError, OverflowError: An argument does not fit; the message names it. Nothing has
///         run then.
///     RuntimeError: The kernel has no gradient, or failed while it ran.
#[pyfunction]
#[pyo3(signature = (kernel, dim, inputs=None, outputs=None, adj_inputs=None, adj_outputs=None,
    device=None, stream=None, adjoint=false, record_tape=true, record_cmd=false, max_blocks=0, block_dim=None))]
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
    block_dim: Option<i64>,
) -> PyResult<Option<Bound<'py, Launch>>> {
    let py = kernel.py();
    let Ok(bound) = kernel.cast::<Kernel>() else {
        return Err(error(
            Code::Launch,
            format!(
                "launch: kernel is {}, expected a kernel, a function decorated with @wp.kernel; as in wp.launch(kernel, dim, inputs=[...])",
                describe(kernel)
            ),
        ));
    };
    let successor;
    let bound = match bound.get().is_current() {
        true => bound,
        false => {
            successor = chosen(bound, inputs, outputs)?;
            &successor
        }
    };
    let kernel = bound.get();
    let stream = of_launch(kernel.title(), device, stream)?;
    let watch = config::watch();
    if watch & config::PRINT != 0 {
        let device = stream.device.to_string();
        (PACKAGE.print_launch).call(py, (bound, dim, inputs, outputs, device))?;
    }
    let mut dims = Dims::default();
    read_dims(kernel, dim, &mut dims)?;
    if max_blocks != 0 || block_dim.is_some() {
        dims.grid = grid(kernel, max_blocks, block_dim)?;
    }
    let mut args = Args::default();
    args.collect(kernel, inputs, outputs)?;
    if let Some(arguments) = &kernel.arguments {
        args.spread(kernel, arguments)?;
    }
    if adjoint && !record_cmd {
        return adjoint_launch(bound, stream, dims, &args, adj_inputs, adj_outputs).map(|()| None);
    }
    let ready = kernel.ready(py)?;
    if trace_state::active() {
        if record_cmd {
            trace_state::check_run("record_cmd")?;
        }
        if trace::launch(bound, stream.device, dims, &args.all)? {
            return Ok(None);
        }
    }
    let mut packed = Packed::default();
    packed.fill(kernel, ready, stream.device, &dims, &args.all)?;
    if record_cmd {
        let gradients = match adjoint {
            true => Some(gradients(kernel, &args, adj_inputs, adj_outputs)?),
            false => None,
        };
        let inputs = args.inputs(kernel);
        let state = kept(kernel, ready, dims, &args, gradients, packed)?;
        let command = Launch::new(bound.clone().unbind(), stream, inputs, state);
        return Bound::new(py, command).map(Some);
    }
    let forward = Forward {
        kernel: bound,
        ready,
        stream,
        dims,
        block: &packed.block,
        tensors: packed.tensors,
    };
    let packed = &packed;
    forward.launch(
        record_tape,
        &Passed {
            kernel,
            ready,
            packed,
            args: &args,
        },
    )?;
    if watch & config::VERIFY_FP != 0 {
        PACKAGE.verify_finite.call(py, (bound, inputs, outputs))?;
    }
    Ok(None)
}

/// What a recorded launch is to run with.
#[cold]
fn kept(
    kernel: &Kernel,
    ready: &Ready,
    dims: Dims,
    args: &Args<'_>,
    gradients: Option<Given<'_>>,
    packed: Packed,
) -> PyResult<State> {
    let packing = Packing {
        memory: packed.hold(kernel, ready, &args.all)?,
        tensors: packed.tensors,
        block: packed.block,
    };
    let given = args.given().iter().cloned().map(Some).collect();
    State::with(kernel, Some(dims), &given, gradients, Some(packing))
}

/// The arguments of a call, from which the block was packed just now.
struct Passed<'a, 'py> {
    kernel: &'a Kernel,
    ready: &'a Ready,
    packed: &'a Packed,
    args: &'a Args<'py>,
}

impl<'py> Arguments<'py> for Passed<'_, 'py> {
    fn with(&self, f: &mut dyn FnMut(&Recorded<'_, 'py>) -> PyResult<()>) -> PyResult<()> {
        f(&Recorded {
            args: &self.args.all,
            roots: self.args.roots(),
            given: self.args.given(),
            inputs: self.args.inputs(self.kernel),
        })
    }
    fn hold(&self) -> PyResult<Owners> {
        self.packed.hold(self.kernel, self.ready, &self.args.all)
    }
    // Done when structs were spread.
    #[inline(always)]
    fn before_reaching(&self) -> PyResult<()> {
        Ok(())
    }
    // Nothing has run since they were packed that could change memory, or they were held, and checked.
    #[inline(always)]
    fn check(&self) -> PyResult<()> {
        Ok(())
    }
}

/// The kernel to launch where it is not the given one as it was compiled: of a generic one that for the types of the
/// arguments, and what the names in it mean by now.
fn chosen<'py>(
    kernel: &Bound<'py, Kernel>,
    inputs: Option<&Bound<'py, PyAny>>,
    outputs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, Kernel>> {
    let Some(generic) = kernel.get().generic() else {
        return Kernel::current(kernel);
    };
    let instance = infer::instance(kernel, generic, inputs, outputs)?;
    match instance.get().is_current() {
        true => Ok(instance),
        false => Kernel::current(&instance),
    }
}

static LAUNCH: FastCall<13> = FastCall::new([
    "kernel",
    "dim",
    "inputs",
    "outputs",
    "adj_inputs",
    "adj_outputs",
    "device",
    "stream",
    "adjoint",
    "record_tape",
    "record_cmd",
    "max_blocks",
    "block_dim",
]);

/// # Safety
/// Python calls it as the method it was registered as.
unsafe extern "C" fn raw_launch(
    _module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: isize,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: promised by the caller.
    unsafe {
        LAUNCH.call(args, count, keywords, |py, slots| {
            let [
                Some(kernel),
                Some(dim),
                inputs,
                outputs,
                adj_inputs,
                adj_outputs,
                device,
                stream,
                adjoint,
                record_tape,
                record_cmd,
                None,
                None,
            ] = *slots
            else {
                return Ok(None);
            };
            let flags = (
                fastcall::flag(adjoint, false),
                fastcall::flag(record_tape, true),
                fastcall::flag(record_cmd, false),
            );
            let (Some(adjoint), Some(record_tape), Some(record_cmd)) = flags else {
                return Ok(None);
            };
            let command = launch(
                kernel,
                dim,
                fastcall::given(inputs),
                fastcall::given(outputs),
                fastcall::given(adj_inputs),
                fastcall::given(adj_outputs),
                fastcall::given(device),
                fastcall::given(stream),
                adjoint,
                record_tape,
                record_cmd,
                0,
                None,
            )?;
            match command {
                None => Ok(Some(py.None().into_bound(py))),
                Some(command) => Ok(Some(command.into_any())),
            }
        })
    }
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let ordinary = wrap_pyfunction!(launch, m)?;
    fastcall::add(m, &LAUNCH, ordinary.as_any(), raw_launch)
}
