"""Producers and consumers of GPU memory: what CuPy, Numba, torch and jax do, in Python."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any

from gpu.support import driver as drivers

CUDA = 2
FLOAT = 2


class Device(ctypes.Structure):
    _fields_ = [("kind", c_int32), ("id", c_int32)]


class Type(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", Device),
        ("ndim", c_int32),
        ("dtype", Type),
        ("shape", ctypes.POINTER(c_int64)),
        ("strides", ctypes.POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class Managed(ctypes.Structure):
    """`DLManagedTensor`, as before versions."""


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", Deleter)]

python = ctypes.pythonapi
python.PyCapsule_New.restype = py_object
python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
python.PyCapsule_GetPointer.restype = c_void_p
python.PyCapsule_GetPointer.argtypes = [py_object, c_char_p]
python.PyCapsule_SetName.argtypes = [py_object, c_char_p]
USED = b"used_dltensor"


class Producer:
    """Float32 on a GPU that others own, for both protocols.

    Args:
        address: Where it lies.
        shape: Its shape.
        strides: Of elements; dense by default.
        stream: What it says to `__cuda_array_interface__`'s consumers.
    """

    def __init__(
        self, address: int, shape: tuple[int, ...], strides=None, stream=None, ordinal: int = 0, read_only=False
    ):
        self.address, self.shape, self.strides = address, shape, strides
        self.says, self.ordinal, self.read_only = stream, ordinal, read_only
        self.asked: list[Any] = []
        self.freed = 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.ordinal

    def __dlpack__(self, *, stream=None, **_: Any) -> Any:
        self.asked.append(stream)
        kept = self
        shape = (c_int64 * len(self.shape))(*self.shape)
        strides = (c_int64 * len(self.shape))(*self.strides) if self.strides else None

        @Deleter
        def deleter(_: Any) -> None:
            kept.freed += 1

        managed = Managed(
            Tensor(self.address, Device(CUDA, self.ordinal), len(self.shape), Type(FLOAT, 32, 1), shape, strides, 0),
            None,
            deleter,
        )
        self.alive = (shape, strides, deleter, managed)
        return python.PyCapsule_New(ctypes.addressof(managed), b"dltensor", None)


class Interface:
    """`__cuda_array_interface__` over the same."""

    def __init__(self, producer: Producer) -> None:
        self.producer = producer

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        p = self.producer
        return {
            "data": (p.address, p.read_only),
            "shape": p.shape,
            "strides": tuple(4 * s for s in p.strides) if p.strides else None,
            "typestr": "<f4",
            "version": 3,
            "stream": p.says,
        }


def consume(array: Any, **options: Any) -> Tensor:
    """What a consumer of DLPack finds. It gives the memory back at once."""
    capsule = array.__dlpack__(**options)
    at = python.PyCapsule_GetPointer(capsule, b"dltensor")
    managed = Managed.from_address(at)
    found = Tensor()
    ctypes.pointer(found)[0] = managed.tensor
    found.shape_ = [managed.tensor.shape[n] for n in range(found.ndim)]
    found.strides_ = [managed.tensor.strides[n] for n in range(found.ndim)] if managed.tensor.strides else None
    python.PyCapsule_SetName(capsule, USED)
    managed.deleter(ctypes.byref(managed))
    return found


def memory(values: bytes) -> int:
    """New memory of the driver's with these bytes."""
    driver = drivers.get()
    driver.enter()
    address = driver.allocate(len(values))
    driver.write(address, values)
    driver("cuCtxSynchronize")
    return address
