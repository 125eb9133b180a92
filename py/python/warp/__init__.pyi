# Made from the table of public names: `python scripts/public_stub.py` writes it anew.

from builtins import float as float, int as int

from warp import autograd as autograd
from warp import dlpack as dlpack
from warp import examples as examples
from warp import geometry as geometry
from warp import jax as jax
from warp import jax_experimental as jax_experimental
from warp import optim as optim
from warp import paddle as paddle
from warp import torch as torch
from warp._builtins import *
from builtins import (
    range as range,
)
from warp import (
    config as config, context as context, types as types, utils as utils,
)
from warp._arrays.creation import (
    arange as arange, concatenate as concatenate, eye as eye, linspace as linspace, stack as stack,
)
from warp._arrays.fabric import (
    fabricarray as fabricarray, fabricarrayarray as fabricarrayarray, indexedfabricarray as indexedfabricarray,
    indexedfabricarrayarray as indexedfabricarrayarray,
)
from warp._arrays.indexed import (
    indexedarray as indexedarray, indexedarray1d as indexedarray1d, indexedarray2d as indexedarray2d, indexedarray3d as
    indexedarray3d, indexedarray4d as indexedarray4d,
)
from warp._arrays.logic import (
    equal as equal,
)
from warp._arrays.map import (
    map as map,
)
from warp._base.constants import (
    DeterministicMode as DeterministicMode, LOG_DEBUG as LOG_DEBUG, LOG_ERROR as LOG_ERROR, LOG_INFO as LOG_INFO,
    LOG_WARNING as LOG_WARNING, TIMING_ALL as TIMING_ALL, TIMING_GRAPH as TIMING_GRAPH, TIMING_KERNEL as TIMING_KERNEL,
    TIMING_KERNEL_BUILTIN as TIMING_KERNEL_BUILTIN, TIMING_MEMCPY as TIMING_MEMCPY, TIMING_MEMSET as TIMING_MEMSET,
)
from warp._base.modes import (
    CaptureMode as CaptureMode,
)
from warp._cuda.allocator import (
    Allocator as Allocator, CudaManagedAllocator as CudaManagedAllocator, ScopedAllocator as ScopedAllocator,
    get_device_allocator as get_device_allocator, set_cuda_allocator as set_cuda_allocator, set_device_allocator as
    set_device_allocator,
)
from warp._cuda.devices import (
    can_access as can_access, get_cuda_device as get_cuda_device, get_cuda_device_count as get_cuda_device_count,
    get_cuda_devices as get_cuda_devices, get_cuda_driver_version as get_cuda_driver_version, get_cuda_kernel_properties
    as get_cuda_kernel_properties, get_cuda_max_cluster_dim as get_cuda_max_cluster_dim, get_cuda_supported_archs as
    get_cuda_supported_archs, get_cuda_toolkit_version as get_cuda_toolkit_version, get_suggested_block_size as
    get_suggested_block_size, is_conditional_graph_supported as is_conditional_graph_supported, map_cuda_device as
    map_cuda_device, unmap_cuda_device as unmap_cuda_device,
)
from warp._cuda.memory import (
    ScopedMempool as ScopedMempool, ScopedMempoolAccess as ScopedMempoolAccess, ScopedPeerAccess as ScopedPeerAccess,
    get_mempool_release_threshold as get_mempool_release_threshold, get_mempool_used_mem_current as
    get_mempool_used_mem_current, get_mempool_used_mem_high as get_mempool_used_mem_high, is_mempool_access_enabled as
    is_mempool_access_enabled, is_mempool_access_supported as is_mempool_access_supported, is_mempool_enabled as
    is_mempool_enabled, is_mempool_supported as is_mempool_supported, is_peer_access_enabled as is_peer_access_enabled,
    is_peer_access_supported as is_peer_access_supported, set_mempool_access_enabled as set_mempool_access_enabled,
    set_mempool_enabled as set_mempool_enabled, set_mempool_release_threshold as set_mempool_release_threshold,
    set_peer_access_enabled as set_peer_access_enabled,
)
from warp._cuda.profiler import (
    ScopedCudaProfiler as ScopedCudaProfiler, cuda_profiler_start as cuda_profiler_start, cuda_profiler_stop as
    cuda_profiler_stop,
)
from warp._devices.capture import (
    ScopedCapture as ScopedCapture, capture_begin as capture_begin, capture_debug_dot_print as capture_debug_dot_print,
    capture_end as capture_end, capture_if as capture_if, capture_launch as capture_launch, capture_load as
    capture_load, capture_load_from_bytes as capture_load_from_bytes, capture_save as capture_save, capture_while as
    capture_while,
)
from warp._devices.interop import (
    stream_from_paddle as stream_from_paddle, stream_from_torch as stream_from_torch, stream_to_torch as
    stream_to_torch,
)
from warp._devices.stream import (
    DeviceLike as DeviceLike, Event as Event, ScopedStream as ScopedStream, Stream as Stream, event_from_ipc_handle as
    event_from_ipc_handle, get_event_elapsed_time as get_event_elapsed_time, get_stream as get_stream, record_event as
    record_event, set_stream as set_stream, synchronize as synchronize, synchronize_device as synchronize_device,
    synchronize_event as synchronize_event, synchronize_stream as synchronize_stream, wait_event as wait_event,
    wait_stream as wait_stream,
)
from warp._devices.timing import (
    TimingResult as TimingResult, timing_begin as timing_begin, timing_end as timing_end, timing_print as timing_print,
)
from warp._geometry.bvh import (
    Bvh as Bvh,
)
from warp._geometry.hash_grid import (
    HashGrid as HashGrid,
)
from warp._geometry.mesh import (
    Mesh as Mesh,
)
from warp._geometry.queries import (
    BvhQuery as BvhQuery, HashGridQuery as HashGridQuery, MeshQuery as MeshQuery, MeshQueryAABB as MeshQueryAABB,
    MeshQueryPoint as MeshQueryPoint, MeshQueryRay as MeshQueryRay,
)
from warp._geometry.texture import (
    Texture as Texture, Texture1D as Texture1D, Texture2D as Texture2D, Texture3D as Texture3D, TextureAddressMode as
    TextureAddressMode, TextureFilterMode as TextureFilterMode,
)
from warp._geometry.volume import (
    Volume as Volume,
)
from warp._host.diagnostics import (
    print_diagnostics as print_diagnostics,
)
from warp._host.logging import (
    Logger as Logger, ScopedLogLevel as ScopedLogLevel, ScopedLogger as ScopedLogger, get_logger as get_logger,
    set_logger as set_logger,
)
from warp._host.memory import (
    ScopedMemoryTracker as ScopedMemoryTracker, print_memory_report as print_memory_report,
)
from warp._host.timeline import (
    ScopedTrace as ScopedTrace,
)
from warp._jax.callable import (
    clear_jax_callable_graph_cache as clear_jax_callable_graph_cache, jax_callable as jax_callable,
)
from warp._jax.modes import (
    JaxCallableGraphMode as JaxCallableGraphMode, JaxModulePreloadMode as JaxModulePreloadMode,
)
from warp._jax.operator import (
    jax_kernel as jax_kernel,
)
from warp._language.build_options import (
    ModuleBuildOptions as ModuleBuildOptions,
)
from warp._language.decorators import (
    address_of as address_of, adjoint as adjoint, constant as constant, func as func, func_grad as func_grad,
    func_native as func_native, func_replay as func_replay, grad as grad, kernel as kernel, overload as overload, static
    as static,
)
from warp._language.dense import (
    dense_gemm as dense_gemm,
)
from warp._language.modules import (
    Module as Module, clear_kernel_cache as clear_kernel_cache, clear_lto_cache as clear_lto_cache, compile_aot_module
    as compile_aot_module, force_load as force_load, get_cpu_kernel_cache_key as get_cpu_kernel_cache_key, get_module as
    get_module, get_module_options as get_module_options, load_aot_module as load_aot_module, load_module as
    load_module, set_module_options as set_module_options,
)
from warp._language.struct import (
    struct as struct,
)
from warp._language.tiled import (
    launch_tiled as launch_tiled,
)
from warp._values.c_array import (
    MemoryKind as MemoryKind, from_ipc_handle as from_ipc_handle,
)
from warp._warp import (
    ArgumentError as ArgumentError, ArrayTypeError as ArrayTypeError, ArrayValueError as ArrayValueError, CallError as
    CallError, Device as Device, FieldError as FieldError, Function as Function, Graph as Graph, Kernel as Kernel,
    Launch as Launch, LaunchError as LaunchError, MismatchError as MismatchError, Tape as Tape,
    WarpCodegenAttributeError as WarpCodegenAttributeError, WarpCodegenError as WarpCodegenError, WarpCodegenIndexError
    as WarpCodegenIndexError, WarpCodegenKeyError as WarpCodegenKeyError, WarpCodegenNameError as WarpCodegenNameError,
    WarpCodegenRecursionError as WarpCodegenRecursionError, WarpCodegenSyntaxError as WarpCodegenSyntaxError,
    WarpCodegenTypeError as WarpCodegenTypeError, WarpCodegenValueError as WarpCodegenValueError, WarpDeterminismError
    as WarpDeterminismError, __version__ as __version__, array as array, clone as clone, copy as copy, device_from_jax
    as device_from_jax, device_from_paddle as device_from_paddle, device_from_torch as device_from_torch, device_to_jax
    as device_to_jax, device_to_paddle as device_to_paddle, device_to_torch as device_to_torch, dtype_from_jax as
    dtype_from_jax, dtype_from_numpy as dtype_from_numpy, dtype_from_paddle as dtype_from_paddle, dtype_from_torch as
    dtype_from_torch, dtype_to_jax as dtype_to_jax, dtype_to_numpy as dtype_to_numpy, dtype_to_paddle as
    dtype_to_paddle, dtype_to_torch as dtype_to_torch, empty as empty, empty_like as empty_like, from_dlpack as
    from_dlpack, from_jax as from_jax, from_numpy as from_numpy, from_paddle as from_paddle, from_ptr as from_ptr,
    from_torch as from_torch, full as full, full_like as full_like, get_device as get_device, get_devices as
    get_devices, launch as launch, ones as ones, ones_like as ones_like, to_dlpack as to_dlpack, to_jax as to_jax,
    to_paddle as to_paddle, to_torch as to_torch, zeros as zeros, zeros_like as zeros_like,
)
from warp.context import (
    ScopedDevice as ScopedDevice, get_preferred_device as get_preferred_device, init as init, is_cpu_available as
    is_cpu_available, is_cuda_available as is_cuda_available, is_device_available as is_device_available, set_device as
    set_device,
)
from warp.geometry._marching_cubes import (
    MarchingCubes as MarchingCubes,
)
from warp.types import (
    Float as Float, Int as Int, Scalar as Scalar, array1d as array1d, array2d as array2d, array3d as array3d, array4d as
    array4d, bfloat16 as bfloat16, bool as bool, fixedarray as fixedarray, float16 as float16, float32 as float32,
    float64 as float64, handle as handle, int16 as int16, int32 as int32, int64 as int64, int8 as int8, mat22 as mat22,
    mat22bf as mat22bf, mat22d as mat22d, mat22f as mat22f, mat22h as mat22h, mat33 as mat33, mat33bf as mat33bf, mat33d
    as mat33d, mat33f as mat33f, mat33h as mat33h, mat44 as mat44, mat44bf as mat44bf, mat44d as mat44d, mat44f as
    mat44f, mat44h as mat44h, quat as quat, quatbf as quatbf, quatd as quatd, quatf as quatf, quath as quath, ref as
    ref, spatial_matrix as spatial_matrix, spatial_matrixd as spatial_matrixd, spatial_matrixf as spatial_matrixf,
    spatial_matrixh as spatial_matrixh, spatial_vector as spatial_vector, spatial_vectord as spatial_vectord,
    spatial_vectorf as spatial_vectorf, spatial_vectorh as spatial_vectorh, transform as transform, transformd as
    transformd, transformf as transformf, transformh as transformh, uint16 as uint16, uint32 as uint32, uint64 as
    uint64, uint8 as uint8, vec2 as vec2, vec2b as vec2b, vec2bf as vec2bf, vec2d as vec2d, vec2f as vec2f, vec2h as
    vec2h, vec2i as vec2i, vec2l as vec2l, vec2s as vec2s, vec2ub as vec2ub, vec2ui as vec2ui, vec2ul as vec2ul, vec2us
    as vec2us, vec3 as vec3, vec3b as vec3b, vec3bf as vec3bf, vec3d as vec3d, vec3f as vec3f, vec3h as vec3h, vec3i as
    vec3i, vec3l as vec3l, vec3s as vec3s, vec3ub as vec3ub, vec3ui as vec3ui, vec3ul as vec3ul, vec3us as vec3us, vec4
    as vec4, vec4b as vec4b, vec4bf as vec4bf, vec4d as vec4d, vec4f as vec4f, vec4h as vec4h, vec4i as vec4i, vec4l as
    vec4l, vec4s as vec4s, vec4ub as vec4ub, vec4ui as vec4ui, vec4ul as vec4ul, vec4us as vec4us,
)
from warp.utils import (
    ScopedTimer as ScopedTimer, transform_expand as transform_expand,
)

__all__ = [
    "Allocator", "ArgumentError", "ArrayTypeError", "ArrayValueError", "Bvh", "BvhQuery", "CallError", "CaptureMode",
    "CudaManagedAllocator", "DeterministicMode", "Device", "DeviceLike", "Event", "FieldError", "Float", "Function",
    "Graph", "HashGrid", "HashGridQuery", "Int", "JaxCallableGraphMode", "JaxModulePreloadMode", "Kernel", "LOG_DEBUG",
    "LOG_ERROR", "LOG_INFO", "LOG_WARNING", "Launch", "LaunchError", "Logger", "MarchingCubes", "MemoryKind", "Mesh",
    "MeshQuery", "MeshQueryAABB", "MeshQueryPoint", "MeshQueryRay", "MismatchError", "Module", "ModuleBuildOptions",
    "Scalar", "ScopedAllocator", "ScopedCapture", "ScopedCudaProfiler", "ScopedDevice", "ScopedLogLevel",
    "ScopedLogger", "ScopedMemoryTracker", "ScopedMempool", "ScopedMempoolAccess", "ScopedPeerAccess", "ScopedStream",
    "ScopedTimer", "ScopedTrace", "Stream", "TIMING_ALL", "TIMING_GRAPH", "TIMING_KERNEL", "TIMING_KERNEL_BUILTIN",
    "TIMING_MEMCPY", "TIMING_MEMSET", "Tape", "Texture", "Texture1D", "Texture2D", "Texture3D", "TextureAddressMode",
    "TextureFilterMode", "TimingResult", "Volume", "WarpCodegenAttributeError", "WarpCodegenError",
    "WarpCodegenIndexError", "WarpCodegenKeyError", "WarpCodegenNameError", "WarpCodegenRecursionError",
    "WarpCodegenSyntaxError", "WarpCodegenTypeError", "WarpCodegenValueError", "WarpDeterminismError", "__version__",
    "address_of", "adjoint", "arange", "array", "array1d", "array2d", "array3d", "array4d", "bfloat16", "bool",
    "can_access", "capture_begin", "capture_debug_dot_print", "capture_end", "capture_if", "capture_launch",
    "capture_load", "capture_load_from_bytes", "capture_save", "capture_while", "clear_jax_callable_graph_cache",
    "clear_kernel_cache", "clear_lto_cache", "clone", "compile_aot_module", "concatenate", "config", "constant",
    "context", "copy", "cuda_profiler_start", "cuda_profiler_stop", "dense_gemm", "device_from_jax",
    "device_from_paddle", "device_from_torch", "device_to_jax", "device_to_paddle", "device_to_torch", "dtype_from_jax",
    "dtype_from_numpy", "dtype_from_paddle", "dtype_from_torch", "dtype_to_jax", "dtype_to_numpy", "dtype_to_paddle",
    "dtype_to_torch", "empty", "empty_like", "equal", "event_from_ipc_handle", "eye", "fabricarray", "fabricarrayarray",
    "fixedarray", "float16", "float32", "float64", "force_load", "from_dlpack", "from_ipc_handle", "from_jax",
    "from_numpy", "from_paddle", "from_ptr", "from_torch", "full", "full_like", "func", "func_grad", "func_native",
    "func_replay", "get_cpu_kernel_cache_key", "get_cuda_device", "get_cuda_device_count", "get_cuda_devices",
    "get_cuda_driver_version", "get_cuda_kernel_properties", "get_cuda_max_cluster_dim", "get_cuda_supported_archs",
    "get_cuda_toolkit_version", "get_device", "get_device_allocator", "get_devices", "get_event_elapsed_time",
    "get_logger", "get_mempool_release_threshold", "get_mempool_used_mem_current", "get_mempool_used_mem_high",
    "get_module", "get_module_options", "get_preferred_device", "get_stream", "get_suggested_block_size", "grad",
    "handle", "indexedarray", "indexedarray1d", "indexedarray2d", "indexedarray3d", "indexedarray4d",
    "indexedfabricarray", "indexedfabricarrayarray", "init", "int16", "int32", "int64", "int8",
    "is_conditional_graph_supported", "is_cpu_available", "is_cuda_available", "is_device_available",
    "is_mempool_access_enabled", "is_mempool_access_supported", "is_mempool_enabled", "is_mempool_supported",
    "is_peer_access_enabled", "is_peer_access_supported", "jax_callable", "jax_kernel", "kernel", "launch",
    "launch_tiled", "linspace", "load_aot_module", "load_module", "map", "map_cuda_device", "mat22", "mat22bf",
    "mat22d", "mat22f", "mat22h", "mat33", "mat33bf", "mat33d", "mat33f", "mat33h", "mat44", "mat44bf", "mat44d",
    "mat44f", "mat44h", "ones", "ones_like", "overload", "print_diagnostics", "print_memory_report", "quat", "quatbf",
    "quatd", "quatf", "quath", "range", "record_event", "ref", "set_cuda_allocator", "set_device",
    "set_device_allocator", "set_logger", "set_mempool_access_enabled", "set_mempool_enabled",
    "set_mempool_release_threshold", "set_module_options", "set_peer_access_enabled", "set_stream", "spatial_matrix",
    "spatial_matrixd", "spatial_matrixf", "spatial_matrixh", "spatial_vector", "spatial_vectord", "spatial_vectorf",
    "spatial_vectorh", "stack", "static", "stream_from_paddle", "stream_from_torch", "stream_to_torch", "struct",
    "synchronize", "synchronize_device", "synchronize_event", "synchronize_stream", "timing_begin", "timing_end",
    "timing_print", "to_dlpack", "to_jax", "to_paddle", "to_torch", "transform", "transform_expand", "transformd",
    "transformf", "transformh", "types", "uint16", "uint32", "uint64", "uint8", "unmap_cuda_device", "utils", "vec2",
    "vec2b", "vec2bf", "vec2d", "vec2f", "vec2h", "vec2i", "vec2l", "vec2s", "vec2ub", "vec2ui", "vec2ul", "vec2us",
    "vec3", "vec3b", "vec3bf", "vec3d", "vec3f", "vec3h", "vec3i", "vec3l", "vec3s", "vec3ub", "vec3ui", "vec3ul",
    "vec3us", "vec4", "vec4b", "vec4bf", "vec4d", "vec4f", "vec4h", "vec4i", "vec4l", "vec4s", "vec4ub", "vec4ui",
    "vec4ul", "vec4us", "wait_event", "wait_stream", "zeros", "zeros_like",
]
