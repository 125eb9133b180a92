"""Arrays as C sees them: kinds of memory, pointers, structures; handles between processes."""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any

from warp._warp import array, get_device


class MemoryKind(IntEnum):
    """Where an array's memory lies."""

    UNKNOWN = 0
    HOST = 1
    PINNED = 2
    CUDA_DEVICE = 3
    CUDA_MEMPOOL = 4
    CUDA_MANAGED = 5


# Types of 16 bits that C lacks are their bits.
_C_TYPES: dict[str, Any] = {
    "bool": ctypes.c_bool,
    "float16": ctypes.c_uint16,
    "bfloat16": ctypes.c_uint16,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    **{f"{u}int{bits}": getattr(ctypes, f"c_{u}int{bits}") for u in ("", "u") for bits in (8, 16, 32, 64)},
}


class array_t(ctypes.Structure):
    """An array for functions written in C: addresses, shape, strides in bytes, number of dimensions."""

    _fields_ = (
        ("data", ctypes.c_uint64),
        ("grad", ctypes.c_uint64),
        ("shape", ctypes.c_int32 * 4),
        ("strides", ctypes.c_int64 * 4),
        ("ndim", ctypes.c_int32),
    )


def ctype(a: array) -> array_t:
    """The array as a C structure, which keeps it alive."""
    grad = a.grad
    made = array_t(a.ptr or 0, (grad.ptr or 0) if grad is not None else 0, a.shape, a.strides, a.ndim)
    made.array = a
    return made


def cptr(a: array) -> Any:
    """A pointer to the first number, which keeps the array alive.

    Raises:
        TypeError: The array holds structs.
    """
    elem = a.dtype._elem
    name = None if elem.kind == "struct" else elem.scalar
    if name not in _C_TYPES:
        raise TypeError(f"cptr: an array of {a.dtype.__name__} has no pointer to numbers; use a.ptr")
    made = ctypes.cast(a.ptr or 0, ctypes.POINTER(_C_TYPES[name]))
    made.array = a
    return made


def from_ipc_handle(
    handle: bytes, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, device: Any = None
) -> array:
    """The array behind a handle of another process: only memory of NVIDIA GPUs has handles.

    Raises:
        RuntimeError: The device has no such memory.
        ValueError: There is no such device.
    """
    found = get_device(device)
    raise RuntimeError(f'from_ipc_handle: memory of the device "{found}" has no handles')
