//! Launches of kernels: checks, arguments, execution.
use super::error::{Error, Result};
use super::fault;
use super::function::{self, Function};
use super::handle::Handle;
use super::state::{Guard, State};
use super::work::Op;
use super::{context, execute, stream};
use crate::machine::{self, Grid};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The bytes of the arguments. Few launches need more room than this.
pub type Params = SmallVec<[u8; 64]>;

/// A kernel with all that it is launched with.
pub struct Launch {
    pub function: Arc<Function>,
    pub grid: Grid,
    pub params: Params,
}

/// Where the arguments are, as the program passes them.
pub struct Arguments {
    /// A pointer to each argument.
    pub each: *const *const u8,
    /// Or: pairs of a name and a value, among them a buffer with all of them.
    pub extra: *const *const c_void,
}

/// The dimensions of a launch.
#[derive(Clone, Copy)]
pub struct Dimensions {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
}

impl Dimensions {
    fn check(&self, function: &Function) -> Result {
        let Dimensions {
            grid,
            block,
            shared,
        } = *self;
        let threads = block.iter().map(|n| u64::from(*n)).product::<u64>();
        if grid.contains(&0)
            || threads == 0
            || grid[0] > i32::MAX as u32
            || grid[1] > 65535
            || grid[2] > 65535
            || block[0] > 1024
            || block[1] > 1024
            || block[2] > 64
            || threads > u64::from(function.max_threads())
            || u64::from(shared) > function.max_dynamic_shared()
        {
            return Err(Error::INVALID_VALUE);
        }
        let registers = (u64::from(function::registers(function.kernel())) * 32)
            .next_multiple_of(256)
            * threads.div_ceil(32);
        if registers > 65536 {
            Err(Error::LAUNCH_OUT_OF_RESOURCES)
        } else {
            Ok(())
        }
    }
}

/// Copies the arguments: the program may change them after the call.
///
/// # Safety
/// The pointers are as `cuLaunchKernel` asks for, for this kernel.
unsafe fn pack(function: &Function, arguments: &Arguments) -> Result<Params> {
    let kernel = function.kernel();
    let mut bytes = Params::from_elem(0, kernel.param_bytes);
    if !arguments.extra.is_null() {
        if !arguments.each.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0);
        let mut at = arguments.extra;
        loop {
            // SAFETY: the list ends with a zero, and each name has a value.
            let (name, value) = unsafe { (at.read() as usize, at.add(1)) };
            match name {
                0 => break,
                // SAFETY: as above.
                1 => buffer = unsafe { value.read() }.cast(),
                // SAFETY: as above; the value of this name points to a size.
                2 => size = unsafe { value.read().cast::<usize>().read() },
                _ => return Err(Error::INVALID_VALUE),
            }
            // SAFETY: the list goes on.
            at = unsafe { at.add(2) };
        }
        // Padding behind the last argument may be counted in.
        if size < bytes.len()
            || size > bytes.len().next_multiple_of(16)
            || buffer.is_null() && !bytes.is_empty()
        {
            return Err(Error::INVALID_VALUE);
        }
        if !bytes.is_empty() {
            // SAFETY: the buffer has `size` bytes, which are enough.
            unsafe { std::ptr::copy_nonoverlapping(buffer, bytes.as_mut_ptr(), bytes.len()) };
        }
        return Ok(bytes);
    }
    if arguments.each.is_null() && !kernel.params.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    for (i, param) in kernel.params.iter().enumerate() {
        // SAFETY: there is one pointer for each parameter.
        let from = unsafe { arguments.each.add(i).read() };
        let to = bytes
            .get_mut(param.offset..param.offset + param.size)
            .ok_or(Error::INVALID_PTX)?;
        if from.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: it points to an argument of the parameter's size.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), param.size) };
    }
    Ok(bytes)
}

/// Checks a launch and takes its arguments.
///
/// # Safety
/// As for `cuLaunchKernel`.
pub unsafe fn prepare(
    s: &State,
    function: Handle,
    dims: Dimensions,
    arguments: &Arguments,
) -> Result<Launch> {
    let function = function::find(s, function)?;
    dims.check(function)?;
    // SAFETY: the caller's promise.
    let params = unsafe { pack(function, arguments) }?;
    let Dimensions {
        grid,
        block,
        shared,
    } = dims;
    let grid = Grid {
        grid,
        block,
        dynamic_shared: shared,
    };
    Ok(Launch {
        function: function.clone(),
        grid,
        params,
    })
}

/// `cuLaunchKernel`.
///
/// # Safety
/// As for `cuLaunchKernel`.
pub unsafe fn launch(
    g: &mut Guard,
    context: Handle,
    function: Handle,
    dims: Dimensions,
    stream: Handle,
    arguments: &Arguments,
) -> Result {
    let stream = context::stream(g, context, stream)?;
    // SAFETY: the caller's promise.
    let launch = unsafe { prepare(g, function, dims, arguments) }?;
    let owner = launch.function.module.context;
    if g.streams.get(stream).is_none_or(|st| st.context != owner) {
        return Err(Error::INVALID_HANDLE);
    }
    stream::push(g, stream, Op::Kernel(Arc::new(launch))).map(drop)
}

/// Attributes of `cuLaunchKernelEx` that change nothing here: ignored; those that would: refused.
pub fn check_attribute(id: u32, value: [u32; 4]) -> Result {
    match id {
        // Ignore, access policy, synchronisation policy, cluster scheduling, programmatic serialisation, priority, memory domain.
        0 | 1 | 3 | 5 | 6 | 8 | 9 | 10 => Ok(()),
        // Cooperative.
        2 if value[0] == 0 => Ok(()),
        // A cluster of one block.
        4 if value[..3] == [1, 1, 1] => Ok(()),
        2 | 4 | 7 | 11..=16 => Err(Error::NOT_SUPPORTED),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// Executes a kernel.
pub fn run(g: &mut Guard, context: Handle, ticket: u64, launch: &Launch) {
    let function = &launch.function;
    let kernel = function.kernel;
    let Some(found) = g.contexts.get(context) else {
        return;
    };
    let device = found.device;
    let contexts = [context]
        .into_iter()
        .chain(found.peers.iter().copied())
        .collect();
    if function.module.unloaded.load(Ordering::Relaxed) {
        let sentence = format!(
            "kernel {} is to run, but its module was unloaded",
            function.name()
        );
        fault::raise(g, context, Error::LAUNCH_FAILED, sentence);
        return;
    }
    let settings = machine::Settings {
        seed: g.random.next(),
        switch: g.settings.switch,
        races: g.settings.races,
        instruction_limit: g.settings.limit,
    };
    let view = g.memory.view(ticket, device, contexts);
    let loaded = &function.module;
    g.counts.kernels += 1;
    let result = execute::on_device(g, || {
        let run = || {
            machine::run(
                &loaded.module,
                kernel,
                &loaded.globals,
                &launch.grid,
                &launch.params,
                &view,
                &settings,
            )
        };
        catch_unwind(AssertUnwindSafe(run))
    });
    match result {
        Ok(Ok(report)) => {
            g.counts.instructions += report.instructions;
            g.clock += 1000 + report.instructions;
        }
        Ok(Err(fault)) => fault::of_kernel(g, context, &fault),
        Err(_) => {
            let sentence = format!("the interpreter panicked in kernel {}", function.name());
            fault::raise(g, context, Error::LAUNCH_FAILED, sentence);
        }
    }
}
