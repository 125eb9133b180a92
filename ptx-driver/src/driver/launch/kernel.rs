//! Launches of kernels: checks, and the queue.
use super::arguments::{Arguments, pack};
use crate::driver::base::{Error, Handle, Result};
use crate::driver::module::function;
use crate::driver::state::{Function, Guard, Launch, Op, State};
use crate::driver::stream;
use crate::machine::Grid;
use std::sync::Arc;

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
        let registers =
            (u64::from(function.registers()) * 32).next_multiple_of(256) * threads.div_ceil(32);
        if registers > 65536 {
            Err(Error::LAUNCH_OUT_OF_RESOURCES)
        } else {
            Ok(())
        }
    }
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
pub unsafe fn launch_kernel(
    g: &mut Guard,
    context: Handle,
    function: Handle,
    dims: Dimensions,
    stream: Handle,
    arguments: &Arguments,
) -> Result {
    let stream = g.resolve_stream(context, stream)?;
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
