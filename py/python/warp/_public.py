"""The public names of the package: the module that defines each, and the framework without which a build lacks it.

`__init__.py` puts them into the namespace. `scripts/public_stub.py` writes `__init__.pyi` of them, for type checkers.
"""

from __future__ import annotations

_TABLE: dict[str | None, dict[str, str]] = {
    None: {
        "builtins": "range",
        "warp": "config context types utils",
        "warp._arrays.creation": "arange concatenate eye linspace stack",
        "warp._arrays.fabric": "fabricarray fabricarrayarray indexedfabricarray indexedfabricarrayarray",
        "warp._arrays.indexed": "indexedarray indexedarray1d indexedarray2d indexedarray3d indexedarray4d",
        "warp._arrays.logic": "equal",
        "warp._arrays.map": "map",
        "warp._base.constants": """
            DeterministicMode LOG_DEBUG LOG_ERROR LOG_INFO LOG_WARNING TIMING_ALL TIMING_GRAPH TIMING_KERNEL
            TIMING_KERNEL_BUILTIN TIMING_MEMCPY TIMING_MEMSET""",
        "warp._base.modes": "CaptureMode",
        "warp._cuda.allocator": """
            Allocator CudaManagedAllocator ScopedAllocator get_device_allocator set_cuda_allocator
            set_device_allocator""",
        "warp._cuda.devices": """
            can_access get_cuda_device get_cuda_device_count get_cuda_devices get_cuda_driver_version
            get_cuda_kernel_properties get_cuda_max_cluster_dim get_cuda_supported_archs get_cuda_toolkit_version
            get_suggested_block_size is_conditional_graph_supported map_cuda_device unmap_cuda_device""",
        "warp._cuda.memory": """
            ScopedMempool ScopedMempoolAccess ScopedPeerAccess get_mempool_release_threshold
            get_mempool_used_mem_current get_mempool_used_mem_high is_mempool_access_enabled
            is_mempool_access_supported is_mempool_enabled is_mempool_supported is_peer_access_enabled
            is_peer_access_supported set_mempool_access_enabled set_mempool_enabled set_mempool_release_threshold
            set_peer_access_enabled""",
        "warp._cuda.profiler": "ScopedCudaProfiler cuda_profiler_start cuda_profiler_stop",
        "warp._devices.capture": """
            ScopedCapture capture_begin capture_debug_dot_print capture_end capture_if capture_launch capture_load
            capture_load_from_bytes capture_save capture_while""",
        "warp._devices.stream": """
            DeviceLike Event ScopedStream Stream event_from_ipc_handle get_event_elapsed_time get_stream record_event
            set_stream synchronize synchronize_device synchronize_event synchronize_stream wait_event wait_stream""",
        "warp._devices.timing": "TimingResult timing_begin timing_end timing_print",
        "warp._geometry.bvh": "Bvh",
        "warp._geometry.hash_grid": "HashGrid",
        "warp._geometry.mesh": "Mesh",
        "warp._geometry.queries": """
            BvhQuery HashGridQuery MeshQuery MeshQueryAABB MeshQueryPoint MeshQueryRay""",
        "warp._geometry.texture": "Texture Texture1D Texture2D Texture3D TextureAddressMode TextureFilterMode",
        "warp._geometry.volume": "Volume",
        "warp._host.diagnostics": "print_diagnostics",
        "warp._host.logging": "Logger ScopedLogLevel ScopedLogger get_logger set_logger",
        "warp._host.memory": "ScopedMemoryTracker print_memory_report",
        "warp._host.timeline": "ScopedTrace",
        "warp._language.build_options": "ModuleBuildOptions",
        "warp._language.decorators": """
            address_of adjoint constant func func_grad func_native func_replay grad kernel overload static""",
        "warp._language.dense": "dense_gemm",
        "warp._language.modules": """
            Module clear_kernel_cache clear_lto_cache compile_aot_module force_load get_cpu_kernel_cache_key get_module
            get_module_options load_aot_module load_module set_module_options""",
        "warp._language.struct": "struct",
        "warp._language.tiled": "launch_tiled",
        "warp._values.c_array": "MemoryKind from_ipc_handle",
        "warp._warp": """
            ArgumentError ArrayTypeError ArrayValueError CallError Device FieldError Function Graph Kernel Launch
            LaunchError MismatchError Tape WarpCodegenAttributeError WarpCodegenError WarpCodegenIndexError
            WarpCodegenKeyError WarpCodegenNameError WarpCodegenRecursionError WarpCodegenSyntaxError
            WarpCodegenTypeError WarpCodegenValueError WarpDeterminismError __version__ array clone copy
            dtype_from_numpy dtype_to_numpy empty empty_like from_dlpack from_numpy from_ptr full full_like get_device
            get_devices launch ones ones_like to_dlpack zeros zeros_like""",
        "warp.context": """
            ScopedDevice get_preferred_device init is_cpu_available is_cuda_available is_device_available
            set_device""",
        "warp.geometry._marching_cubes": "MarchingCubes",
        "warp.types": """
            Float Int Scalar array1d array2d array3d array4d bfloat16 bool fixedarray float16 float32 float64 handle
            int16 int32 int64 int8 mat22 mat22bf mat22d mat22f mat22h mat33 mat33bf mat33d mat33f mat33h mat44 mat44bf
            mat44d mat44f mat44h quat quatbf quatd quatf quath ref spatial_matrix spatial_matrixd spatial_matrixf
            spatial_matrixh spatial_vector spatial_vectord spatial_vectorf spatial_vectorh transform transformd
            transformf transformh uint16 uint32 uint64 uint8 vec2 vec2b vec2bf vec2d vec2f vec2h vec2i vec2l vec2s
            vec2ub vec2ui vec2ul vec2us vec3 vec3b vec3bf vec3d vec3f vec3h vec3i vec3l vec3s vec3ub vec3ui vec3ul
            vec3us vec4 vec4b vec4bf vec4d vec4f vec4h vec4i vec4l vec4s vec4ub vec4ui vec4ul vec4us""",
        "warp.utils": "ScopedTimer transform_expand",
    },
    "torch": {
        "warp._devices.interop": "stream_from_torch stream_to_torch",
        "warp._warp": "device_from_torch device_to_torch dtype_from_torch dtype_to_torch from_torch to_torch",
    },
    "paddle": {
        "warp._devices.interop": "stream_from_paddle",
        "warp._warp": "device_from_paddle device_to_paddle dtype_from_paddle dtype_to_paddle from_paddle to_paddle",
    },
    "jax": {
        "warp._jax.callable": "clear_jax_callable_graph_cache jax_callable",
        "warp._jax.modes": "JaxCallableGraphMode JaxModulePreloadMode",
        "warp._jax.operator": "jax_kernel",
        "warp._warp": "device_from_jax device_to_jax dtype_from_jax dtype_to_jax from_jax to_jax",
    },
}

#: The names that `from warp import *` gives, each with its module and framework.
NAMES = {
    name: (module, framework)
    for framework, modules in _TABLE.items()
    for module, names in modules.items()
    for name in names.split()
}

#: Modules that are imported when something of theirs is first used, each with its framework.
MODULES = {
    "_src": None,
    "autograd": None,
    "dlpack": None,
    "examples": None,
    "geometry": None,
    "optim": None,
    "torch": "torch",
    "paddle": "paddle",
    "jax": "jax",
    "jax_experimental": "jax",
}
