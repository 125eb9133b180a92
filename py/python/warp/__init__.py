"""Python functions that become native code, with exact gradients, on the arrays of NumPy and PyTorch."""

from __future__ import annotations

import os as _os

from warp import _coexist

_coexist.check(_os.path.dirname(__file__))

from warp import _warp, config, context, types, utils  # noqa: E402
from warp._decorators import constant, func, kernel, static  # noqa: E402
from warp._interop import stream_from_torch, stream_to_torch  # noqa: E402
from warp._warp import (  # noqa: E402
    Function,
    Kernel,
    Launch,
    Tape,
    __version__,
    array,
    clone,
    copy,
    device_from_torch,
    device_to_torch,
    dtype_from_numpy,
    dtype_from_torch,
    dtype_to_numpy,
    dtype_to_torch,
    empty,
    empty_like,
    from_numpy,
    from_torch,
    full,
    full_like,
    launch,
    ones,
    ones_like,
    to_torch,
    zeros,
    zeros_like,
)
from warp.context import (  # noqa: E402
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
from warp.types import (  # noqa: E402
    SPELLINGS as _SPELLINGS,
)
from warp.types import (  # noqa: E402
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
    mat33,
    mat44,
    quat,
    uint8,
    uint16,
    uint32,
    uint64,
    vec2,
    vec3,
    vec4,
)
from warp.utils import ScopedTimer  # noqa: E402

globals().update(_SPELLINGS)
# Every function of kernels that Python can call too: `wp.sin` and the like.
for _name, _value in vars(_warp).items():
    if isinstance(_value, _warp.Builtin):
        globals().setdefault(_name, _value)

# Modules named in the documents that are not needed to start with.
_LAZY = ("torch", "dlpack", "examples")


def __getattr__(name: str) -> object:
    if name in _LAZY:
        import importlib

        try:
            return importlib.import_module(f"warp.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"warp.{name}":
                raise
    raise AttributeError(f"module 'warp' has no attribute '{name}'")
