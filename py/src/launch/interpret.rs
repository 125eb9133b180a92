//! Runs a kernel with the reference interpreter: for tests, and to find out whether a strange result is
//! the kernel's or the compiler's.

use crate::argument::convert::{Wanted, held_arg};
use crate::argument::dims::dims;
use crate::argument::overwrite::before_launch;
use crate::argument::pack::{Owners, check_owners, pack};
use crate::argument::spread::spread;
use crate::kernel::{Kernel, KernelParam};
use crate::object::error::{Code, error, raise_at};
use crate::object::{record, trace_state};
use pyo3::prelude::*;
use warp_core::abi::ArrayArg;
use warp_core::array::Number;
use warp_core::device::Device;
use warp_core::geometry::{named, search_by_id};
use warp_core::interp::{self, Arg, Buffer, Memory, Num, Object, Searches};
use warp_core::ir::{ObjectKind, ParamId};
use warp_core::objects;

/// Runs a kernel with the reference interpreter on the arrays given, in index order and with
/// every access checked. Slow.
///
/// Args:
///     kernel: The kernel.
///     dim: As in `wp.launch`.
///     inputs: All arguments; arrays are changed in place.
///
/// Returns:
///     What the kernel printed.
///
/// Raises:
///     RuntimeError: The kernel did something that has no meaning, such as an index out of range.
#[pyfunction]
fn interpret<'py>(
    kernel: &Bound<'py, Kernel>,
    dim: &Bound<'py, PyAny>,
    inputs: Vec<Bound<'py, PyAny>>,
) -> PyResult<String> {
    trace_state::check_run("the interpreter")?;
    record::check_outside("the interpreter")?;
    let py = kernel.py();
    let kernel = Kernel::current(kernel)?;
    let kernel = kernel.get();
    let ready = kernel.ready(py)?;
    let dims = dims(kernel, dim)?;
    if inputs.len() != kernel.arity {
        return Err(error(
            Code::Launch,
            "interpret: inputs has another length than the parameters",
        ));
    }
    let inputs = match &kernel.arguments {
        Some(arguments) => spread(kernel, arguments, &inputs)?.0.into_vec(),
        None => inputs,
    };
    if ready.stores_arrays {
        let text = "interpret: the kernel stores arrays in an array of structs, and the interpreter's arrays are copies, which end \
                    with it; launch it instead";
        return Err(error(Code::Launch, text));
    }
    let packed = pack(kernel, ready, Device::Cpu, dims, &inputs)?;
    let mut memory = Memory::default();
    copy_objects(&mut memory);
    let mut arrays: Vec<(ArrayArg, usize)> = Vec::new();
    let (mut args, mut owners) = (Vec::new(), Owners::new());
    let rows = kernel
        .params
        .iter()
        .zip(&inputs)
        .zip(&ready.compiled.program.layout.offsets);
    for (i, ((param, value), offset)) in rows.enumerate() {
        if param.ndim == 0 {
            let (scalar, base) = (param.elem.scalar(), packed.block.as_ptr());
            let nums = (0..param.elem.count()).map(|i| {
                // SAFETY: the block holds the packed components of this parameter there.
                num(unsafe { Number::read(scalar, base.add(offset + i * scalar.size())) })
            });
            args.push(Arg::Elem(nums.collect()));
            continue;
        }
        let (arg, owner) = held_arg(value, &Wanted::of(param, ready.writes[i], Device::Cpu))
            .map_err(|e| kernel.refuse(e, &param.name))?;
        owners.push((i, owner));
        // The same array twice is one buffer, so that writes through one are seen through the other.
        let same = arrays
            .iter()
            .find(|(a, i)| *a == arg && memory.buffers[*i].elem == param.elem);
        let index = match same {
            Some((_, index)) => *index,
            None => {
                memory.buffers.push(read(param, &arg));
                memory.buffers.len() - 1
            }
        };
        arrays.push((arg, index));
        args.push(Arg::Array(index));
    }
    before_launch(ready, &packed.block)?;
    let printed = interp::run(
        &ready.compiled.program.func,
        &dims.shape[..],
        &args,
        &mut memory,
    )
    .map_err(|fault| {
        error(
            Code::Runtime,
            format!("kernel '{}': {fault}", kernel.title()),
        )
    })?;
    check_owners(kernel, &owners)?;
    let mut next = arrays.iter();
    for (i, param) in kernel.params.iter().enumerate().filter(|(_, p)| p.ndim > 0) {
        let (arg, index) = next.next().expect("one entry per array");
        if ready
            .compiled
            .program
            .func
            .array(ParamId(i as u32))
            .is_some()
            && ready.writes[i]
        {
            write(param, arg, &memory.buffers[*index])?;
        }
    }
    Ok(printed)
}

/// Copies of all objects that kernels may query, and of the arrays that they name.
fn copy_objects(memory: &mut Memory) {
    for (kind, id, bytes) in objects::copies() {
        // SAFETY: an object keeps its arrays for as long as it lives, and this thread lets nobody write them.
        memory.named.extend(unsafe { named(kind, &bytes) });
        memory.objects.push(Object {
            kind,
            id,
            bytes,
            search: (kind == ObjectKind::Mesh).then_some(Searches(search_by_id)),
        });
    }
}

fn num(number: Number) -> Num {
    match number {
        Number::Bool(b) => Num::Int(b.into()),
        Number::Int(i) => Num::Int(i as i64),
        Number::Float(x) => Num::Float(x),
    }
}

/// Calls `f` with the address of every component in row-major order.
fn each(param: &KernelParam, arg: &ArrayArg, mut f: impl FnMut(*mut u8)) {
    let ndim = param.ndim as usize;
    let shape = &arg.shape[..ndim];
    let total: i64 = shape.iter().map(|n| i64::from(*n)).product();
    for linear in 0..total {
        let (mut rest, mut offset) = (linear, 0);
        for d in (0..ndim).rev() {
            let extent = i64::from(shape[d]);
            offset += rest % extent * arg.strides[d];
            rest /= extent;
        }
        for comp in 0..param.elem.count() {
            let at = offset as isize + (comp * param.elem.scalar().size()) as isize;
            f(arg.data.wrapping_offset(at));
        }
    }
}

fn read(param: &KernelParam, arg: &ArrayArg) -> Buffer {
    let mut data = Vec::new();
    each(param, arg, |at| {
        // SAFETY: `each` gives addresses of components of a live array.
        data.push(num(unsafe { Number::read(param.elem.scalar(), at) }));
    });
    Buffer {
        elem: param.elem,
        shape: arg.shape[..param.ndim as usize].to_vec(),
        data,
    }
}

fn write(param: &KernelParam, arg: &ArrayArg, buffer: &Buffer) -> PyResult<()> {
    let scalar = param.elem.scalar();
    let mut bytes: Vec<u8> = Vec::new();
    for num in &buffer.data {
        let number = match num {
            Num::Int(i) if scalar == warp_core::dtype::Scalar::U64 => {
                Number::Int((*i as u64).into())
            }
            Num::Int(i) => Number::Int((*i).into()),
            Num::Float(x) => Number::Float(*x),
        };
        number.write(scalar, &mut bytes).map_err(|e| raise_at(&e))?;
    }
    let mut chunks = bytes.chunks_exact(scalar.size());
    each(param, arg, |at| {
        let chunk = chunks.next().expect("as many numbers as components");
        // SAFETY: as in `read`; a chunk is one scalar.
        unsafe { std::ptr::copy_nonoverlapping(chunk.as_ptr(), at, chunk.len()) };
    });
    Ok(())
}

/// Adds the function to the module.
///
/// # Errors
/// What Python raises while the module is made.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(interpret, m)?)
}
