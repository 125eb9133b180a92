# Made from the table of public names: `python scripts/public_stub.py` writes it anew.

from builtins import float as float, int as int

from warp import autograd as autograd
from warp import dlpack as dlpack
from warp import examples as examples
from warp import jax as jax
from warp import jax_experimental as jax_experimental
from warp import optim as optim
from warp import paddle as paddle
from warp import torch as torch
from warp._builtins import *
from builtins import (
    range,
)
from warp import (
    config, context, types, utils,
)
from warp._arrays.fabric import (
    fabricarray, fabricarrayarray, indexedfabricarray, indexedfabricarrayarray,
)
from warp._arrays.indexed import (
    indexedarray, indexedarray1d, indexedarray2d, indexedarray3d, indexedarray4d,
)
from warp._arrays.map import (
    map,
)
from warp._base.constants import (
    DeterministicMode, LOG_DEBUG, LOG_ERROR, LOG_INFO, LOG_WARNING, TIMING_ALL, TIMING_GRAPH, TIMING_KERNEL,
    TIMING_KERNEL_BUILTIN, TIMING_MEMCPY, TIMING_MEMSET,
)
from warp._base.modes import (
    CaptureMode,
)
from warp._cuda.allocator import (
    Allocator, CudaManagedAllocator, ScopedAllocator, get_device_allocator, set_cuda_allocator, set_device_allocator,
)
from warp._cuda.devices import (
    can_access, get_cuda_device, get_cuda_device_count, get_cuda_devices, get_cuda_driver_version,
    get_cuda_kernel_properties, get_cuda_max_cluster_dim, get_cuda_supported_archs, get_cuda_toolkit_version,
    get_suggested_block_size, is_conditional_graph_supported, map_cuda_device, unmap_cuda_device,
)
from warp._cuda.memory import (
    ScopedMempool, ScopedMempoolAccess, ScopedPeerAccess, get_mempool_release_threshold, get_mempool_used_mem_current,
    get_mempool_used_mem_high, is_mempool_access_enabled, is_mempool_access_supported, is_mempool_enabled,
    is_mempool_supported, is_peer_access_enabled, is_peer_access_supported, set_mempool_access_enabled,
    set_mempool_enabled, set_mempool_release_threshold, set_peer_access_enabled,
)
from warp._cuda.profiler import (
    ScopedCudaProfiler, cuda_profiler_start, cuda_profiler_stop,
)
from warp._devices.capture import (
    ScopedCapture, capture_begin, capture_debug_dot_print, capture_end, capture_if, capture_launch, capture_load,
    capture_load_from_bytes, capture_save, capture_while,
)
from warp._devices.interop import (
    stream_from_paddle, stream_from_torch, stream_to_torch,
)
from warp._devices.stream import (
    DeviceLike, Event, ScopedStream, Stream, event_from_ipc_handle, get_event_elapsed_time, get_stream, record_event,
    set_stream, synchronize, synchronize_device, synchronize_event, synchronize_stream, wait_event, wait_stream,
)
from warp._devices.timing import (
    TimingResult, timing_begin, timing_end, timing_print,
)
from warp._host.diagnostics import (
    print_diagnostics,
)
from warp._host.logging import (
    Logger, ScopedLogLevel, ScopedLogger, get_logger, set_logger,
)
from warp._host.memory import (
    ScopedMemoryTracker, print_memory_report,
)
from warp._host.timeline import (
    ScopedTrace,
)
from warp._jax.callable import (
    clear_jax_callable_graph_cache, jax_callable,
)
from warp._jax.modes import (
    JaxCallableGraphMode, JaxModulePreloadMode,
)
from warp._jax.operator import (
    jax_kernel,
)
from warp._language.build_options import (
    ModuleBuildOptions,
)
from warp._language.decorators import (
    address_of, adjoint, constant, func, func_grad, func_native, func_replay, grad, kernel, overload, static,
)
from warp._language.dense import (
    dense_gemm,
)
from warp._language.modules import (
    Module, clear_kernel_cache, clear_lto_cache, compile_aot_module, force_load, get_cpu_kernel_cache_key, get_module,
    get_module_options, load_aot_module, load_module, set_module_options,
)
from warp._language.struct import (
    struct,
)
from warp._language.tiled import (
    launch_tiled,
)
from warp._values.c_array import (
    MemoryKind, from_ipc_handle,
)
from warp._warp import (
    ArgumentError, ArrayTypeError, ArrayValueError, CallError, Device, FieldError, Function, Graph, Kernel, Launch,
    LaunchError, MismatchError, Tape, WarpCodegenAttributeError, WarpCodegenError, WarpCodegenIndexError,
    WarpCodegenKeyError, WarpCodegenNameError, WarpCodegenRecursionError, WarpCodegenSyntaxError, WarpCodegenTypeError,
    WarpCodegenValueError, WarpDeterminismError, __version__, array, clone, copy, device_from_jax, device_from_paddle,
    device_from_torch, device_to_jax, device_to_paddle, device_to_torch, dtype_from_jax, dtype_from_numpy,
    dtype_from_paddle, dtype_from_torch, dtype_to_jax, dtype_to_numpy, dtype_to_paddle, dtype_to_torch, empty,
    empty_like, from_dlpack, from_jax, from_numpy, from_paddle, from_ptr, from_torch, full, full_like, get_device,
    get_devices, launch, ones, ones_like, to_dlpack, to_jax, to_paddle, to_torch, zeros, zeros_like,
)
from warp.context import (
    ScopedDevice, get_preferred_device, init, is_cpu_available, is_cuda_available, is_device_available, set_device,
)
from warp.types import (
    Float, Int, Scalar, array1d, array2d, array3d, array4d, bfloat16, bool, fixedarray, float16, float32, float64,
    handle, int16, int32, int64, int8, mat22, mat22bf, mat22d, mat22f, mat22h, mat33, mat33bf, mat33d, mat33f, mat33h,
    mat44, mat44bf, mat44d, mat44f, mat44h, quat, quatbf, quatd, quatf, quath, ref, spatial_matrix, spatial_matrixd,
    spatial_matrixf, spatial_matrixh, spatial_vector, spatial_vectord, spatial_vectorf, spatial_vectorh, transform,
    transformd, transformf, transformh, uint16, uint32, uint64, uint8, vec2, vec2b, vec2bf, vec2d, vec2f, vec2h, vec2i,
    vec2l, vec2s, vec2ub, vec2ui, vec2ul, vec2us, vec3, vec3b, vec3bf, vec3d, vec3f, vec3h, vec3i, vec3l, vec3s, vec3ub,
    vec3ui, vec3ul, vec3us, vec4, vec4b, vec4bf, vec4d, vec4f, vec4h, vec4i, vec4l, vec4s, vec4ub, vec4ui, vec4ul,
    vec4us,
)
from warp.utils import (
    ScopedTimer, transform_expand,
)

__all__ = [
    "Allocator", "ArgumentError", "ArrayTypeError", "ArrayValueError", "CallError", "CaptureMode",
    "CudaManagedAllocator", "DeterministicMode", "Device", "DeviceLike", "Event", "FieldError", "Float", "Function",
    "Graph", "Int", "JaxCallableGraphMode", "JaxModulePreloadMode", "Kernel", "LOG_DEBUG", "LOG_ERROR", "LOG_INFO",
    "LOG_WARNING", "Launch", "LaunchError", "Logger", "MemoryKind", "MismatchError", "Module", "ModuleBuildOptions",
    "Scalar", "ScopedAllocator", "ScopedCapture", "ScopedCudaProfiler", "ScopedDevice", "ScopedLogLevel",
    "ScopedLogger", "ScopedMemoryTracker", "ScopedMempool", "ScopedMempoolAccess", "ScopedPeerAccess", "ScopedStream",
    "ScopedTimer", "ScopedTrace", "Stream", "TIMING_ALL", "TIMING_GRAPH", "TIMING_KERNEL", "TIMING_KERNEL_BUILTIN",
    "TIMING_MEMCPY", "TIMING_MEMSET", "Tape", "TimingResult", "WarpCodegenAttributeError", "WarpCodegenError",
    "WarpCodegenIndexError", "WarpCodegenKeyError", "WarpCodegenNameError", "WarpCodegenRecursionError",
    "WarpCodegenSyntaxError", "WarpCodegenTypeError", "WarpCodegenValueError", "WarpDeterminismError", "__version__",
    "address_of", "adjoint", "array", "array1d", "array2d", "array3d", "array4d", "bfloat16", "bool", "can_access",
    "capture_begin", "capture_debug_dot_print", "capture_end", "capture_if", "capture_launch", "capture_load",
    "capture_load_from_bytes", "capture_save", "capture_while", "clear_jax_callable_graph_cache", "clear_kernel_cache",
    "clear_lto_cache", "clone", "compile_aot_module", "config", "constant", "context", "copy", "cuda_profiler_start",
    "cuda_profiler_stop", "dense_gemm", "device_from_jax", "device_from_paddle", "device_from_torch", "device_to_jax",
    "device_to_paddle", "device_to_torch", "dtype_from_jax", "dtype_from_numpy", "dtype_from_paddle",
    "dtype_from_torch", "dtype_to_jax", "dtype_to_numpy", "dtype_to_paddle", "dtype_to_torch", "empty", "empty_like",
    "event_from_ipc_handle", "fabricarray", "fabricarrayarray", "fixedarray", "float16", "float32", "float64",
    "force_load", "from_dlpack", "from_ipc_handle", "from_jax", "from_numpy", "from_paddle", "from_ptr", "from_torch",
    "full", "full_like", "func", "func_grad", "func_native", "func_replay", "get_cpu_kernel_cache_key",
    "get_cuda_device", "get_cuda_device_count", "get_cuda_devices", "get_cuda_driver_version",
    "get_cuda_kernel_properties", "get_cuda_max_cluster_dim", "get_cuda_supported_archs", "get_cuda_toolkit_version",
    "get_device", "get_device_allocator", "get_devices", "get_event_elapsed_time", "get_logger",
    "get_mempool_release_threshold", "get_mempool_used_mem_current", "get_mempool_used_mem_high", "get_module",
    "get_module_options", "get_preferred_device", "get_stream", "get_suggested_block_size", "grad", "handle",
    "indexedarray", "indexedarray1d", "indexedarray2d", "indexedarray3d", "indexedarray4d", "indexedfabricarray",
    "indexedfabricarrayarray", "init", "int16", "int32", "int64", "int8", "is_conditional_graph_supported",
    "is_cpu_available", "is_cuda_available", "is_device_available", "is_mempool_access_enabled",
    "is_mempool_access_supported", "is_mempool_enabled", "is_mempool_supported", "is_peer_access_enabled",
    "is_peer_access_supported", "jax_callable", "jax_kernel", "kernel", "launch", "launch_tiled", "load_aot_module",
    "load_module", "map", "map_cuda_device", "mat22", "mat22bf", "mat22d", "mat22f", "mat22h", "mat33", "mat33bf",
    "mat33d", "mat33f", "mat33h", "mat44", "mat44bf", "mat44d", "mat44f", "mat44h", "ones", "ones_like", "overload",
    "print_diagnostics", "print_memory_report", "quat", "quatbf", "quatd", "quatf", "quath", "range", "record_event",
    "ref", "set_cuda_allocator", "set_device", "set_device_allocator", "set_logger", "set_mempool_access_enabled",
    "set_mempool_enabled", "set_mempool_release_threshold", "set_module_options", "set_peer_access_enabled",
    "set_stream", "spatial_matrix", "spatial_matrixd", "spatial_matrixf", "spatial_matrixh", "spatial_vector",
    "spatial_vectord", "spatial_vectorf", "spatial_vectorh", "static", "stream_from_paddle", "stream_from_torch",
    "stream_to_torch", "struct", "synchronize", "synchronize_device", "synchronize_event", "synchronize_stream",
    "timing_begin", "timing_end", "timing_print", "to_dlpack", "to_jax", "to_paddle", "to_torch", "transform",
    "transform_expand", "transformd", "transformf", "transformh", "types", "uint16", "uint32", "uint64", "uint8",
    "unmap_cuda_device", "utils", "vec2", "vec2b", "vec2bf", "vec2d", "vec2f", "vec2h", "vec2i", "vec2l", "vec2s",
    "vec2ub", "vec2ui", "vec2ul", "vec2us", "vec3", "vec3b", "vec3bf", "vec3d", "vec3f", "vec3h", "vec3i", "vec3l",
    "vec3s", "vec3ub", "vec3ui", "vec3ul", "vec3us", "vec4", "vec4b", "vec4bf", "vec4d", "vec4f", "vec4h", "vec4i",
    "vec4l", "vec4s", "vec4ub", "vec4ui", "vec4ul", "vec4us", "wait_event", "wait_stream", "zeros", "zeros_like",
]
