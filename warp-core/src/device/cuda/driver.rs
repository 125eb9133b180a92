//! The functions of NVIDIA's driver, found when they are first needed.
//!
//! The types are `cudarc`'s. Its functions are not used: they panic where the library or a symbol is missing, and answer an
//! enumeration that a newer driver's codes do not fit.

use super::error::{CAPTURE_IMPLICIT, NOT_READY, failed};
use crate::error::{Code, Error, Result};
use cudarc::driver::sys::*;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Names another library than the driver of this machine.
pub const VARIABLE: &str = "WARP_CUDA_DRIVER";

/// What the loader is asked for otherwise.
const LIBRARY: &str = "libcuda.so.1";

/// A host function that a stream calls.
pub type HostFunction = unsafe extern "C" fn(*mut c_void);

/// Declares the functions of the driver: those whose answer is more than an
/// error or none, those that every driver has, and those that only newer ones have.
macro_rules! functions {
    (
        asked { $($asked:ident as $asked_symbol:literal ($($asked_ty:ty),*);)* }
        required { $($name:ident as $symbol:literal ($($arg:ident: $ty:ty),*);)* }
        optional { $($newer:ident as $newer_symbol:literal ($($newer_arg:ident: $newer_ty:ty),*);)* }
    ) => {
        /// The driver's functions. A method calls one; what is not 0 is an error.
        pub struct Driver {
            $($asked: unsafe extern "C" fn($($asked_ty),*) -> c_int,)*
            $($name: unsafe extern "C" fn($($ty),*) -> c_int,)*
            $($newer: Option<unsafe extern "C" fn($($newer_ty),*) -> c_int>,)*
            /// Where it came from.
            path: PathBuf,
            /// Keeps the functions loaded.
            _library: Library,
        }

        impl Driver {
            fn bind(path: PathBuf, library: Library) -> Result<Driver> {
                // SAFETY: the types are those of NVIDIA's `cuda.h`.
                unsafe {
                    Ok(Driver {
                        $($asked: *library
                            .get(concat!($asked_symbol, "\0").as_bytes())
                            .map_err(|_| lacks(&path, $asked_symbol))?,)*
                        $($name: *library
                            .get(concat!($symbol, "\0").as_bytes())
                            .map_err(|_| lacks(&path, $symbol))?,)*
                        $($newer: library.get(concat!($newer_symbol, "\0").as_bytes()).ok().map(|f| *f),)*
                        path,
                        _library: library,
                    })
                }
            }

            $(
                #[doc = concat!("`", $symbol, "`.")]
                ///
                /// # Safety
                /// As NVIDIA documents it.
                ///
                /// # Errors
                /// What the driver answers.
                #[inline]
                pub unsafe fn $name(&self, $($arg: $ty),*) -> Result<()> {
                    // SAFETY: promised by the caller.
                    self.check(concat!($symbol), unsafe { (self.$name)($($arg),*) })
                }
            )*
            $(
                #[doc = concat!("`", $newer_symbol, "`, where the driver has it.")]
                ///
                /// # Safety
                /// As NVIDIA documents it.
                ///
                /// # Errors
                /// What the driver answers, or that it lacks the function.
                #[inline]
                pub unsafe fn $newer(&self, $($newer_arg: $newer_ty),*) -> Result<()> {
                    let Some(function) = self.$newer else {
                        return Err(lacks(&self.path, $newer_symbol));
                    };
                    // SAFETY: promised by the caller.
                    self.check(concat!($newer_symbol), unsafe { function($($newer_arg),*) })
                }
            )*
        }
    };
}

functions! {
    asked {
        stream_query as "cuStreamQuery"(CUstream);
        event_query as "cuEventQuery"(CUevent);
        launch_kernel as "cuLaunchKernel"(
            CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void);
    }
    required {
        init as "cuInit"(flags: c_uint);
        driver_get_version as "cuDriverGetVersion"(version: *mut c_int);
        device_get_count as "cuDeviceGetCount"(count: *mut c_int);
        device_get as "cuDeviceGet"(device: *mut CUdevice, ordinal: c_int);
        device_get_name as "cuDeviceGetName"(name: *mut c_char, len: c_int, device: CUdevice);
        device_get_uuid as "cuDeviceGetUuid"(uuid: *mut CUuuid, device: CUdevice);
        device_get_attribute as "cuDeviceGetAttribute"(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
        device_get_pci_bus_id as "cuDeviceGetPCIBusId"(id: *mut c_char, len: c_int, device: CUdevice);
        device_total_mem as "cuDeviceTotalMem_v2"(bytes: *mut usize, device: CUdevice);
        primary_retain as "cuDevicePrimaryCtxRetain"(context: *mut CUcontext, device: CUdevice);
        context_get_current as "cuCtxGetCurrent"(context: *mut CUcontext);
        context_set_current as "cuCtxSetCurrent"(context: CUcontext);
        context_push as "cuCtxPushCurrent_v2"(context: CUcontext);
        context_pop as "cuCtxPopCurrent_v2"(context: *mut CUcontext);
        context_synchronize as "cuCtxSynchronize"();
        context_get_device as "cuCtxGetDevice"(device: *mut CUdevice);
        stream_priority_range as "cuCtxGetStreamPriorityRange"(least: *mut c_int, greatest: *mut c_int);
        peer_can_access as "cuDeviceCanAccessPeer"(can: *mut c_int, device: CUdevice, peer: CUdevice);
        peer_enable as "cuCtxEnablePeerAccess"(peer: CUcontext, flags: c_uint);
        peer_disable as "cuCtxDisablePeerAccess"(peer: CUcontext);
        module_load_data_ex as "cuModuleLoadDataEx"(
            module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void);
        module_unload as "cuModuleUnload"(module: CUmodule);
        module_get_function as "cuModuleGetFunction"(function: *mut CUfunction, module: CUmodule, name: *const c_char);
        function_get_attribute as "cuFuncGetAttribute"(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
        occupancy_blocks as "cuOccupancyMaxActiveBlocksPerMultiprocessor"(
            blocks: *mut c_int, function: CUfunction, block_size: c_int, shared: usize);
        occupancy_block_size as "cuOccupancyMaxPotentialBlockSize"(
            blocks: *mut c_int, threads: *mut c_int, function: CUfunction, shared_of: CUoccupancyB2DSize, shared: usize,
            limit: c_int);
        launch_host_function as "cuLaunchHostFunc"(stream: CUstream, function: HostFunction, data: *mut c_void);
        stream_create as "cuStreamCreateWithPriority"(stream: *mut CUstream, flags: c_uint, priority: c_int);
        stream_destroy as "cuStreamDestroy_v2"(stream: CUstream);
        stream_synchronize as "cuStreamSynchronize"(stream: CUstream);
        stream_wait_event as "cuStreamWaitEvent"(stream: CUstream, event: CUevent, flags: c_uint);
        stream_get_flags as "cuStreamGetFlags"(stream: CUstream, flags: *mut c_uint);
        stream_get_priority as "cuStreamGetPriority"(stream: CUstream, priority: *mut c_int);
        stream_is_capturing as "cuStreamIsCapturing"(stream: CUstream, status: *mut CUstreamCaptureStatus);
        stream_begin_capture as "cuStreamBeginCapture_v2"(stream: CUstream, mode: CUstreamCaptureMode);
        stream_end_capture as "cuStreamEndCapture"(stream: CUstream, graph: *mut CUgraph);
        graph_destroy as "cuGraphDestroy"(graph: CUgraph);
        graph_exec_destroy as "cuGraphExecDestroy"(exec: CUgraphExec);
        graph_launch as "cuGraphLaunch"(exec: CUgraphExec, stream: CUstream);
        event_create as "cuEventCreate"(event: *mut CUevent, flags: c_uint);
        event_destroy as "cuEventDestroy_v2"(event: CUevent);
        event_record as "cuEventRecord"(event: CUevent, stream: CUstream);
        event_synchronize as "cuEventSynchronize"(event: CUevent);
        event_elapsed_time as "cuEventElapsedTime"(milliseconds: *mut f32, start: CUevent, end: CUevent);
        mem_get_info as "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
        mem_alloc as "cuMemAlloc_v2"(address: *mut CUdeviceptr, bytes: usize);
        mem_free as "cuMemFree_v2"(address: CUdeviceptr);
        mem_host_alloc as "cuMemHostAlloc"(address: *mut *mut c_void, bytes: usize, flags: c_uint);
        mem_free_host as "cuMemFreeHost"(address: *mut c_void);
        memcpy_async as "cuMemcpyAsync"(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
        memcpy_h_to_d as "cuMemcpyHtoDAsync_v2"(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
        memcpy_d_to_h as "cuMemcpyDtoHAsync_v2"(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
        memcpy_d_to_d as "cuMemcpyDtoDAsync_v2"(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
        memcpy_peer as "cuMemcpyPeerAsync"(
            to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, bytes: usize, stream: CUstream);
        memset_8 as "cuMemsetD8Async"(to: CUdeviceptr, value: u8, count: usize, stream: CUstream);
        memset_16 as "cuMemsetD16Async"(to: CUdeviceptr, value: u16, count: usize, stream: CUstream);
        memset_32 as "cuMemsetD32Async"(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
        pointer_get_attribute as "cuPointerGetAttribute"(
            value: *mut c_void, attribute: CUpointer_attribute, address: CUdeviceptr);
    }
    optional {
        function_set_attribute as "cuFuncSetAttribute"(
            function: CUfunction, attribute: CUfunction_attribute, value: c_int);
        occupancy_clusters as "cuOccupancyMaxActiveClusters"(
            clusters: *mut c_int, function: CUfunction, config: *const CUlaunchConfig);
        mem_alloc_async as "cuMemAllocAsync"(address: *mut CUdeviceptr, bytes: usize, stream: CUstream);
        mem_free_async as "cuMemFreeAsync"(address: CUdeviceptr, stream: CUstream);
        device_default_pool as "cuDeviceGetDefaultMemPool"(pool: *mut CUmemoryPool, device: CUdevice);
        pool_get_attribute as "cuMemPoolGetAttribute"(
            pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);
        pool_set_attribute as "cuMemPoolSetAttribute"(
            pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);
        pool_trim as "cuMemPoolTrimTo"(pool: CUmemoryPool, keep: usize);
        pool_set_access as "cuMemPoolSetAccess"(pool: CUmemoryPool, access: *const CUmemAccessDesc, count: usize);
        pool_get_access as "cuMemPoolGetAccess"(
            flags: *mut CUmemAccess_flags, pool: CUmemoryPool, location: *mut CUmemLocation);
        mem_alloc_managed as "cuMemAllocManaged"(address: *mut CUdeviceptr, bytes: usize, flags: c_uint);
        profiler_start as "cuProfilerStart"();
        profiler_stop as "cuProfilerStop"();
        stream_get_capture_info as "cuStreamGetCaptureInfo_v2"(
            stream: CUstream, status: *mut CUstreamCaptureStatus, id: *mut u64, graph: *mut CUgraph,
            after: *mut *const CUgraphNode, count: *mut usize);
        stream_update_capture as "cuStreamUpdateCaptureDependencies"(
            stream: CUstream, nodes: *mut CUgraphNode, count: usize, flags: c_uint);
        stream_begin_capture_to_graph as "cuStreamBeginCaptureToGraph"(
            stream: CUstream, graph: CUgraph, after: *const CUgraphNode, edges: *const c_void, count: usize,
            mode: CUstreamCaptureMode);
        graph_add_node as "cuGraphAddNode_v2"(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, edges: *const c_void, count: usize,
            params: *mut c_void);
        graph_conditional_handle as "cuGraphConditionalHandleCreate"(
            handle: *mut u64, graph: CUgraph, context: CUcontext, start: c_uint, flags: c_uint);
        graph_instantiate as "cuGraphInstantiateWithFlags"(exec: *mut CUgraphExec, graph: CUgraph, flags: u64);
        stream_get_context as "cuStreamGetCtx"(stream: CUstream, context: *mut CUcontext);
        ipc_get_event_handle as "cuIpcGetEventHandle"(handle: *mut CUipcEventHandle, event: CUevent);
        ipc_open_event_handle as "cuIpcOpenEventHandle"(event: *mut CUevent, handle: CUipcEventHandle);
        ipc_get_mem_handle as "cuIpcGetMemHandle"(handle: *mut CUipcMemHandle, address: CUdeviceptr);
        ipc_open_mem_handle as "cuIpcOpenMemHandle_v2"(address: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint);
        ipc_close_mem_handle as "cuIpcCloseMemHandle"(address: CUdeviceptr);
        error_name as "cuGetErrorName"(code: c_int, name: *mut *const c_char);
        error_string as "cuGetErrorString"(code: c_int, text: *mut *const c_char);
        graph_debug_dot_print as "cuGraphDebugDotPrint"(graph: CUgraph, path: *const c_char, flags: c_uint);
        thread_exchange_capture_mode as "cuThreadExchangeStreamCaptureMode"(mode: *mut CUstreamCaptureMode);
    }
}

impl Driver {
    /// The driver, loaded and initialised when this is first asked.
    ///
    /// # Errors
    /// [`Code::Runtime`] that says what was looked for: there is none, it lacks a function, or it refuses to start.
    pub fn get() -> Result<&'static Driver> {
        static DRIVER: OnceLock<Result<Driver>> = OnceLock::new();
        DRIVER
            .get_or_init(Driver::load)
            .as_ref()
            .map_err(Error::clone)
    }

    fn load() -> Result<Driver> {
        let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        let path = PathBuf::from(named.clone().unwrap_or_else(|| LIBRARY.into()));
        // SAFETY: the driver's initialisers do nothing to this process; whoever names another library answers for it.
        let library =
            unsafe { Library::new(&path) }.map_err(|e| absent(&path, named.is_some(), &e))?;
        let driver = Driver::bind(path, library)?;
        // SAFETY: 0 is the only value of the flags.
        unsafe { driver.init(0) }.map_err(|e| {
            e.hint("the driver is installed, but does not start; `nvidia-smi` may say more")
        })?;
        Ok(driver)
    }

    /// Whether a stream has done what it was given.
    ///
    /// # Safety
    /// The stream is alive.
    ///
    /// # Errors
    /// What went wrong in it.
    pub unsafe fn stream_is_done(&self, stream: CUstream) -> Result<bool> {
        // SAFETY: promised by the caller.
        self.is_done("cuStreamQuery", unsafe { (self.stream_query)(stream) })
    }

    /// Whether what came before an event is done.
    ///
    /// # Safety
    /// The event is alive.
    ///
    /// # Errors
    /// What went wrong before it.
    pub unsafe fn event_is_done(&self, event: CUevent) -> Result<bool> {
        // SAFETY: promised by the caller.
        self.is_done("cuEventQuery", unsafe { (self.event_query)(event) })
    }

    fn is_done(&self, function: &'static str, code: c_int) -> Result<bool> {
        match code {
            NOT_READY => Ok(false),
            code => self.check(function, code).map(|()| true),
        }
    }

    /// The answer of a launch, without the words for it.
    ///
    /// # Safety
    /// As NVIDIA documents `cuLaunchKernel`.
    #[inline]
    pub unsafe fn try_launch(
        &self,
        function: CUfunction,
        blocks: c_uint,
        threads: c_uint,
        stream: CUstream,
        params: &mut [*mut c_void],
    ) -> c_int {
        // SAFETY: promised by the caller.
        unsafe {
            (self.launch_kernel)(
                function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                stream,
                params.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        }
    }

    /// Whether the driver allocates in stream order.
    pub fn has_pools(&self) -> bool {
        self.mem_alloc_async.is_some()
            && self.mem_free_async.is_some()
            && self.device_default_pool.is_some()
    }

    /// Whether graphs can have branches and loops.
    pub fn has_conditional_nodes(&self) -> bool {
        self.version().is_ok_and(|version| version >= 12040)
            && self.stream_get_capture_info.is_some()
            && self.stream_update_capture.is_some()
            && self.stream_begin_capture_to_graph.is_some()
            && self.graph_add_node.is_some()
            && self.graph_conditional_handle.is_some()
    }

    /// Its version, as 12040 for 12.4.
    ///
    /// # Errors
    /// What the driver says.
    pub fn version(&self) -> Result<c_int> {
        let mut version = 0;
        // SAFETY: writes an integer.
        unsafe { self.driver_get_version(&raw mut version) }?;
        Ok(version)
    }

    /// Whether launches on a stream are captured instead of run. So is, in effect, the default stream of CUDA while another one
    /// that it waits for is: the driver then answers `CAPTURE_IMPLICIT`.
    ///
    /// # Safety
    /// The stream is alive.
    ///
    /// # Errors
    /// What the driver says, such as that a kernel failed.
    pub unsafe fn stream_captures(&self, stream: CUstream) -> Result<bool> {
        let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: writes one of three values.
        match unsafe { (self.stream_is_capturing)(stream, &raw mut status) } {
            CAPTURE_IMPLICIT => Ok(true),
            code => {
                self.check("cuStreamIsCapturing", code)?;
                Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
            }
        }
    }

    #[inline]
    fn check(&self, function: &'static str, code: c_int) -> Result<()> {
        match code {
            0 => Ok(()),
            code => Err(failed(function, code, self.describe(code))),
        }
    }

    /// The name and the description that the driver has for a code.
    pub fn describe(&self, code: c_int) -> (String, String) {
        let text = |function: Option<unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int>| {
            let mut found = std::ptr::null();
            // SAFETY: the driver answers with a string of its own that stays.
            unsafe {
                match function {
                    Some(function) if function(code, &raw mut found) == 0 && !found.is_null() => {
                        CStr::from_ptr(found).to_string_lossy().into_owned()
                    }
                    _ => String::new(),
                }
            }
        };
        (text(self.error_name), text(self.error_string))
    }
}

fn absent(path: &std::path::Path, named: bool, why: &libloading::Error) -> Error {
    let why =
        std::error::Error::source(why).map_or_else(|| why.to_string(), |cause| cause.to_string());
    let reason = format!(
        "there is no CUDA driver: {} cannot be loaded ({why})",
        path.display()
    );
    Error::new(Code::Runtime, reason).hint(match named {
        true => format!("the environment variable {VARIABLE} names this library"),
        false => format!(
            "NVIDIA's driver installs it; the environment variable {VARIABLE} names another library"
        ),
    })
}

fn lacks(path: &std::path::Path, symbol: &str) -> Error {
    Error::new(
        Code::Runtime,
        format!(
            "the CUDA driver {} has no function {symbol}",
            path.display()
        ),
    )
    .hint("a newer driver has it; this library needs one for CUDA 11.4 or later")
}
