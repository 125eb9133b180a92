"""The CUDA driver's own functions, through ctypes: what other libraries in the process would call."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import byref, c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p
from typing import Any

from gpu.support.driver_calls import stands_in

Address = c_uint64
#: Devices' default streams.
LEGACY, PER_THREAD = 1, 2
NON_BLOCKING = 1


class Counts(ctypes.Structure):
    """What `ptx_driver_counts` fills."""

    _fields_ = [
        (name, c_uint64)
        for name in ("kernels instructions bytes allocations pinned_bytes streams events pending execs modules".split())
    ]


class Driver:
    """The driver that `warp` uses."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)

    def __call__(self, name: str, *arguments: Any) -> None:
        """Call a function that must succeed."""
        code = self.ask(name, *arguments)
        assert code == 0, f"{name}: {code}"

    def ask(self, name: str, *arguments: Any) -> int:
        """The code of a call."""
        return getattr(self.library, name)(*arguments)

    def enter(self, ordinal: int = 0) -> None:
        """Makes the primary context of a device the thread's current one."""
        device, context = c_int(), c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", byref(device), ordinal)
        self("cuDevicePrimaryCtxRetain", byref(context), device)
        self("cuCtxSetCurrent", context)

    def allocate(self, size: int) -> int:
        address = Address()
        self("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        self("cuMemFree_v2", Address(address))

    def write(self, address: int, data: bytes, stream: int = LEGACY) -> None:
        """Writes bytes in the order of a stream; they are read at once."""
        self("cuMemcpyHtoDAsync_v2", Address(address), data, c_size_t(len(data)), c_void_p(stream))

    def fill(self, address: int, value: int, count: int, stream: int) -> None:
        """Writes 32-bit words in the order of a stream."""
        self("cuMemsetD32Async", Address(address), c_uint(value), c_size_t(count), c_void_p(stream))

    def read(self, address: int, size: int, stream: int = LEGACY) -> bytes:
        """Reads bytes in the order of a stream, and waits for that stream alone."""
        room = (c_ubyte * size)()
        self("cuMemcpyDtoHAsync_v2", room, Address(address), c_size_t(size), c_void_p(stream))
        self("cuStreamSynchronize", c_void_p(stream))
        return bytes(room)

    def stream(self, flags: int = NON_BLOCKING) -> int:
        handle = c_void_p()
        self("cuStreamCreate", byref(handle), c_uint(flags))
        return handle.value or 0

    def end_stream(self, handle: int) -> None:
        self("cuStreamDestroy_v2", c_void_p(handle))

    def function(self, ptx: str, name: str) -> int:
        """A kernel of a text."""
        module, function = c_void_p(), c_void_p()
        self("cuModuleLoadData", byref(module), c_char_p(ptx.encode()))
        self("cuModuleGetFunction", byref(function), module, c_char_p(name.encode()))
        return function.value or 0

    def launch(self, function: int, threads: int, arguments: list[Any], stream: int = LEGACY) -> None:
        """Launches one block of a kernel."""
        pointers = (c_void_p * len(arguments))(*(ctypes.addressof(a) for a in arguments))
        sizes = [c_uint(n) for n in (1, 1, 1, threads, 1, 1, 0)]
        self("cuLaunchKernel", c_void_p(function), *sizes, c_void_p(stream), pointers, None)

    def counts(self) -> Counts:
        counts = Counts()
        self("ptx_driver_counts", byref(counts))
        return counts

    def last_fault(self) -> str:
        room = ctypes.create_string_buffer(4096)
        self("ptx_driver_last_fault", room, c_size_t(len(room)))
        return room.value.decode()


@functools.cache
def get() -> Driver:
    """The driver of this process."""
    return Driver(os.environ.get("WARP_CUDA_DRIVER") or "libcuda.so.1")


def is_double() -> bool:
    """Whether it is the one for tests."""
    if stands_in():
        return False
    try:
        return hasattr(get().library, "ptx_driver_counts")
    except OSError:
        return False
