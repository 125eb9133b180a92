"""Python functions that become native code, with exact gradients, on the arrays of NumPy, PyTorch, JAX and Paddle."""

# ruff: noqa: E402  (the check comes first, so that it can say what is wrong)

from __future__ import annotations

import builtins as _python
import os as _os
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from warp import _coexist

_coexist.check(_os.path.dirname(__file__))

from warp import _warp, config, context, types, utils
from warp._decorators import constant, func, kernel, static
from warp._interop import stream_from_paddle, stream_from_torch, stream_to_torch
from warp._later import Later as _Later
from warp._modules import get_module_options, set_module_options
from warp._struct import struct
from warp._warp import (
    Function,
    Kernel,
    Launch,
    Tape,
    __version__,
    array,
    clone,
    copy,
    dtype_from_numpy,
    dtype_to_numpy,
    empty,
    empty_like,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    launch,
    ones,
    ones_like,
    to_dlpack,
    zeros,
    zeros_like,
)
from warp.context import (
    Device,
    ScopedDevice,
    ScopedStream,
    Stream,
    get_device,
    get_devices,
    get_preferred_device,
    get_stream,
    init,
    is_cpu_available,
    is_cuda_available,
    is_device_available,
    set_device,
    synchronize,
    synchronize_device,
    synchronize_stream,
)
from warp.types import (
    array1d,
    array2d,
    array3d,
    array4d,
    bfloat16,
    bool,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    mat22,
    mat22bf,
    mat22d,
    mat22f,
    mat22h,
    mat33,
    mat33bf,
    mat33d,
    mat33f,
    mat33h,
    mat44,
    mat44bf,
    mat44d,
    mat44f,
    mat44h,
    quat,
    quatbf,
    quatd,
    quatf,
    quath,
    uint8,
    uint16,
    uint32,
    uint64,
    vec2,
    vec2b,
    vec2bf,
    vec2d,
    vec2f,
    vec2h,
    vec2i,
    vec2l,
    vec2s,
    vec2ub,
    vec2ui,
    vec2ul,
    vec2us,
    vec3,
    vec3b,
    vec3bf,
    vec3d,
    vec3f,
    vec3h,
    vec3i,
    vec3l,
    vec3s,
    vec3ub,
    vec3ui,
    vec3ul,
    vec3us,
    vec4,
    vec4b,
    vec4bf,
    vec4d,
    vec4f,
    vec4h,
    vec4i,
    vec4l,
    vec4s,
    vec4ub,
    vec4ui,
    vec4ul,
    vec4us,
)
from warp.utils import ScopedTimer

if _TYPE_CHECKING:
    from warp._builtins import *  # noqa: F403
    from warp._warp import (
        device_from_jax,
        device_from_paddle,
        device_from_torch,
        device_to_jax,
        device_to_paddle,
        device_to_torch,
        dtype_from_jax,
        dtype_from_paddle,
        dtype_from_torch,
        dtype_to_jax,
        dtype_to_paddle,
        dtype_to_torch,
        from_jax,
        from_paddle,
        from_torch,
        to_jax,
        to_paddle,
        to_torch,
    )

# In kernels `wp.range` is `range`.
range = _python.range

__all__ = [
    "Device",
    "Function",
    "Kernel",
    "Launch",
    "ScopedDevice",
    "ScopedStream",
    "ScopedTimer",
    "Stream",
    "Tape",
    "__version__",
    "array",
    "array1d",
    "array2d",
    "array3d",
    "array4d",
    "bfloat16",
    "bool",
    "clone",
    "config",
    "constant",
    "context",
    "copy",
    "device_from_jax",
    "device_from_paddle",
    "device_from_torch",
    "device_to_jax",
    "device_to_paddle",
    "device_to_torch",
    "dtype_from_jax",
    "dtype_from_numpy",
    "dtype_from_paddle",
    "dtype_from_torch",
    "dtype_to_jax",
    "dtype_to_numpy",
    "dtype_to_paddle",
    "dtype_to_torch",
    "empty",
    "empty_like",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_jax",
    "from_numpy",
    "from_paddle",
    "from_torch",
    "full",
    "full_like",
    "func",
    "get_device",
    "get_devices",
    "get_module_options",
    "get_preferred_device",
    "get_stream",
    "init",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_cpu_available",
    "is_cuda_available",
    "is_device_available",
    "kernel",
    "launch",
    "mat22",
    "mat22bf",
    "mat22d",
    "mat22f",
    "mat22h",
    "mat33",
    "mat33bf",
    "mat33d",
    "mat33f",
    "mat33h",
    "mat44",
    "mat44bf",
    "mat44d",
    "mat44f",
    "mat44h",
    "ones",
    "ones_like",
    "quat",
    "quatbf",
    "quatd",
    "quatf",
    "quath",
    "range",
    "set_device",
    "set_module_options",
    "static",
    "stream_from_paddle",
    "stream_from_torch",
    "stream_to_torch",
    "struct",
    "synchronize",
    "synchronize_device",
    "synchronize_stream",
    "to_dlpack",
    "to_jax",
    "to_paddle",
    "to_torch",
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "utils",
    "vec2",
    "vec2b",
    "vec2bf",
    "vec2d",
    "vec2f",
    "vec2h",
    "vec2i",
    "vec2l",
    "vec2s",
    "vec2ub",
    "vec2ui",
    "vec2ul",
    "vec2us",
    "vec3",
    "vec3b",
    "vec3bf",
    "vec3d",
    "vec3f",
    "vec3h",
    "vec3i",
    "vec3l",
    "vec3s",
    "vec3ub",
    "vec3ui",
    "vec3ul",
    "vec3us",
    "vec4",
    "vec4b",
    "vec4bf",
    "vec4d",
    "vec4f",
    "vec4h",
    "vec4i",
    "vec4l",
    "vec4s",
    "vec4ub",
    "vec4ui",
    "vec4ul",
    "vec4us",
    "zeros",
    "zeros_like",
]

# What belongs to one framework, in builds that have it.
_OF_FRAMEWORK = {
    "torch": ("device_from_torch", "device_to_torch", "dtype_from_torch", "dtype_to_torch", "from_torch", "to_torch"),
    "paddle": (
        "device_from_paddle",
        "device_to_paddle",
        "dtype_from_paddle",
        "dtype_to_paddle",
        "from_paddle",
        "to_paddle",
    ),
    "jax": ("device_from_jax", "device_to_jax", "dtype_from_jax", "dtype_to_jax", "from_jax", "to_jax"),
}
_missing: dict[str, str] = {}
for _framework, _names in _OF_FRAMEWORK.items():
    if _framework in _warp.FRAMEWORKS:
        globals().update((_name, getattr(_warp, _name)) for _name in _names)
    else:
        _missing.update(dict.fromkeys((_framework, *_names), _framework))
if "jax" in _missing:
    _missing["jax_experimental"] = "jax"
__all__ = [_name for _name in __all__ if _name not in _missing]

# Every function of kernels that Python can call too: `wp.sin` and the like.
for _name, _value in vars(_warp).items():
    if isinstance(_value, _warp.Builtin):
        globals().setdefault(_name, _value)

# Modules named in the documents that are not needed to start with.
for _name in ("torch", "paddle", "jax", "jax_experimental", "dlpack", "examples"):
    if _name not in _missing:
        globals()[_name] = _Later(f"{__name__}.{_name}")

# A module that has this function has its names read ten times slower (20 ns in Python 3.11): only where it is needed.
if _missing:

    def __getattr__(name: str) -> _Any:
        if name in _missing:
            framework = _missing[name]
            raise AttributeError(f"warp.{name}: this build was made without '{framework}', one of its cargo features")
        raise AttributeError(f"module 'warp' has no attribute '{name}'")
