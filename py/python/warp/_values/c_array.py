"""Arrays as C sees them: kinds of memory, pointers, structures; handles between processes."""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any

from warp._values.storage import C_TYPES, of_ctypes
from warp._warp import _close_ipc_memory, _open_ipc_memory, array, get_device


class MemoryKind(IntEnum):
    """The kind of an array's memory."""

    UNKNOWN = 0
    HOST = 1
    PINNED = 2
    CUDA_DEVICE = 3
    CUDA_MEMPOOL = 4
    CUDA_MANAGED = 5


class array_t(ctypes.Structure):
    """An array for functions written in C: addresses, shape, strides in bytes, number of dimensions."""

    __module__ = "warp"
    _fields_ = (
        ("data", ctypes.c_uint64),
        ("grad", ctypes.c_uint64),
        ("shape", of_ctypes(ctypes.c_int32 * 4)),
        ("strides", of_ctypes(ctypes.c_int64 * 4)),
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
    if name not in C_TYPES:
        raise TypeError(f"cptr: an array of {a.dtype.__name__} has no pointer to numbers; use a.ptr")
    made = ctypes.cast(a.ptr or 0, of_ctypes(ctypes.POINTER(C_TYPES[name])))
    made.array = a
    return made


def from_ipc_handle(
    handle: bytes, dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, device: Any = None
) -> array:
    """The array of a handle of another process, which must keep its own: only memory of NVIDIA GPUs has handles.

    Args:
        handle: What :meth:`array.ipc_handle` gave there.
        dtype: What each element is.
        shape: Dimensions.
        strides: Bytes per dimension; without gaps by default.
        device: The CUDA device; the current one by default.

    Raises:
        RuntimeError: The device has no such memory, or the driver refuses: this process may not open its own handles.
        ValueError: There is no such device, or ``handle`` is none.
    """
    found = get_device(device)
    if not found.is_cuda:
        raise RuntimeError(f'from_ipc_handle: memory of the device "{found}" has no handles')
    address = _open_ipc_memory(found, handle)

    def close(ptr: int, capacity: int) -> None:
        _close_ipc_memory(found, address)

    return array(ptr=address, dtype=dtype, shape=shape, strides=strides, device=found, deleter=close)
