//! Kernels: attributes, occupancy, launches.
use super::abi::LaunchConfig;
use super::argument::{list, out, required, set_optional};
use crate::driver::base::Error;
use crate::driver::launch::{self, Arguments, Dimensions};
use crate::driver::module::{function, occupancy};
use std::ffi::{c_char, c_void};

functions! {
    ctx cuFuncGetAttribute(value: *mut i32, attribute: u32, handle: usize) |g, _c| {
        out(value)?.set(function::attribute(g, handle, attribute)?)
    };
    ctx cuFuncSetAttribute(handle: usize, attribute: u32, value: i32) |g, _c| {
        function::set_attribute(g, handle, attribute, value)
    };
    ctx cuFuncSetCacheConfig(handle: usize, config: u32) |g, _c| {
        if config > 3 { return Err(Error::INVALID_VALUE); }
        function::find(g, handle).map(drop)
    };
    ctx cuFuncSetSharedMemConfig(handle: usize, config: u32) |g, _c| {
        if config > 2 { return Err(Error::INVALID_VALUE); }
        function::find(g, handle).map(drop)
    };
    ctx cuFuncGetModule(module: *mut usize, handle: usize) |g, _c| out(module)?.set(function::find(g, handle)?.module_handle);
    ctx cuFuncGetName(name: *mut *const c_char, handle: usize) |g, _c| {
        out(name)?.set(function::find(g, handle)?.name.as_ptr())
    };
    ctx cuFuncGetParamInfo(handle: usize, index: usize, offset: *mut usize, size: *mut usize) |g, _c| {
        let kernel = function::find(g, handle)?.kernel();
        let param = kernel.params.get(index).ok_or(Error::INVALID_VALUE)?;
        set_optional(size, param.size);
        out(offset)?.set(param.offset)
    };
    init cuFuncIsLoaded(state: *mut u32, handle: usize) |g| {
        function::find(g, handle)?;
        out(state)?.set(1)
    };
    init cuFuncLoad(handle: usize) |g| function::find(g, handle).map(drop);
    ctx cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut i32, handle: usize, block: i32, dynamic: usize) |g, _c| {
        out(blocks)?.set(occupancy::active_blocks(g, handle, block, dynamic)?)
    };
    ctx cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut i32,
        handle: usize,
        block: i32,
        dynamic: usize,
        flags: u32,
    ) |g, _c| {
        if flags > 1 { return Err(Error::INVALID_VALUE); }
        out(blocks)?.set(occupancy::active_blocks(g, handle, block, dynamic)?)
    };
    ctx cuOccupancyMaxPotentialBlockSize(
        grid: *mut i32,
        block: *mut i32,
        handle: usize,
        needed: Option<unsafe extern "C" fn(i32) -> usize>,
        dynamic: usize,
        limit: i32,
    ) |g, _c| {
        // SAFETY: the caller's function, which takes any block size.
        let shared = |block| needed.map_or(dynamic, |needed| unsafe { needed(block) });
        let (blocks, threads) = occupancy::potential_block(g, handle, shared, limit)?;
        out(grid)?.set(blocks)?;
        out(block)?.set(threads)
    };
    ctx cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut i32,
        block: *mut i32,
        handle: usize,
        needed: Option<unsafe extern "C" fn(i32) -> usize>,
        dynamic: usize,
        limit: i32,
        flags: u32,
    ) |g, _c| {
        if flags > 1 { return Err(Error::INVALID_VALUE); }
        // SAFETY: the caller's function, which takes any block size.
        let shared = |block| needed.map_or(dynamic, |needed| unsafe { needed(block) });
        let (blocks, threads) = occupancy::potential_block(g, handle, shared, limit)?;
        out(grid)?.set(blocks)?;
        out(block)?.set(threads)
    };
    ctx cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, handle: usize, blocks: i32, threads: i32) |g, _c| {
        out(bytes)?.set(occupancy::available_shared(g, handle, blocks, threads)?)
    };
    ctx cuOccupancyMaxActiveClusters(clusters: *mut i32, handle: usize, config: *const LaunchConfig) |g, _c| {
        let _ = (clusters, config);
        function::find(g, handle)?;
        Err(Error::NOT_SUPPORTED)
    };
    ctx cuLaunchKernel(
        handle: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        each: *const *const u8,
        extra: *const *const c_void,
    ) |g, c| {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        launch::launch_kernel(g, c, handle, Dimensions { grid, block, shared }, stream, &Arguments { each, extra })
    };
    ctx cuLaunchKernelEx(
        config: *const LaunchConfig,
        handle: usize,
        each: *const *const u8,
        extra: *const *const c_void,
    ) |g, c| {
        let config = required(config)?;
        for attribute in list(config.attributes, config.count as usize)? {
            let value = [attribute.value[0], attribute.value[1], attribute.value[2], attribute.value[3]];
            launch::check_attribute(attribute.id, value)?;
        }
        let dims = Dimensions { grid: config.grid, block: config.block, shared: config.shared };
        launch::launch_kernel(g, c, handle, dims, config.stream, &Arguments { each, extra })
    };
    ctx cuLaunchCooperativeKernel(
        handle: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: usize,
        each: *const *const u8,
    ) |g, _c| {
        let _ = (grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, each);
        function::find(g, handle)?;
        // Barriers across blocks: the attribute of the device says that there are none.
        Err(Error::NOT_SUPPORTED)
    };
}
