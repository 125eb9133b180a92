"""Calls of a CUDA driver through ctypes, for whichever driver it is: NVIDIA's, or the one for tests (`ptx-driver`).

Needs Python's own library alone, so that it runs wherever there is a GPU.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.places import ROOT

# What `warp` asks the loader for, too.
LIBRARY = "libcuda.so.1"


def driver_for_tests() -> str | None:
    """Where the driver for tests lies: it was named, or built here."""
    named = os.environ.get("WARP_CUDA_DRIVER", "")
    # `cargo test` leaves it among the dependencies, `cargo build` above them.
    folders = ("release", "debug", "release/deps", "debug/deps")
    built = [ROOT / "target" / folder / "libptx_driver.so" for folder in folders]
    for path in [Path(named), *built] if "ptx_driver" in named else built:
        if path.is_file():
            return str(path)
    return None


def stands_in() -> bool:
    """Whether the driver for tests is to be taken for a real one: for tests of what runs on a GPU."""
    return os.environ.get("WARP_STAND_IN_GPU") == "1"


def real_driver() -> str | None:
    """NVIDIA's driver, where there is one with a GPU: the one that WARP_CUDA_DRIVER names, or what the loader finds."""
    path = os.environ.get("WARP_CUDA_DRIVER") or LIBRARY
    try:
        driver = Driver(path)
    except OSError:
        return None
    count = ctypes.c_int(0)
    is_refused = driver.is_ours and not stands_in()
    if is_refused or driver.call("cuInit", 0) or driver.call("cuDeviceGetCount", ctypes.byref(count)):
        return None
    return path if count.value else None


class DriverError(RuntimeError):
    """A call that had to succeed gave a code."""

    def __init__(self, name: str, code: int, more: str = "") -> None:
        super().__init__(f"{name} gave {code}{': ' if more else ''}{more}")
        self.code = code


def _pass(value: Any) -> Any:
    # Every handle, address and number fits a word, and whoever wants fewer bits takes the lower ones.
    return ctypes.c_uint64(value & (2**64 - 1)) if isinstance(value, int) else value


class Driver:
    """A driver, and once `start` was called a device with its primary context."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.library = ctypes.CDLL(path)
        self.is_ours = hasattr(self.library, "ptx_driver_reset")
        self.context = 0

    def has(self, name: str) -> bool:
        return hasattr(self.library, name)

    def call(self, name: str, *arguments: Any) -> int:
        """Calls a function and gives its code."""
        function = getattr(self.library, name)
        function.restype = ctypes.c_int
        return int(function(*map(_pass, arguments)))

    def ok(self, name: str, *arguments: Any) -> None:
        """Calls a function that has to succeed."""
        code = self.call(name, *arguments)
        if code:
            raise DriverError(name, code, self.last_fault())

    def get(self, name: str, *arguments: Any, kind: Any = ctypes.c_uint64) -> int:
        """What a function writes to the place that it is given first."""
        place = kind(0)
        self.ok(name, ctypes.byref(place), *arguments)
        return place.value

    def code(self, name: str, *arguments: Any) -> int:
        """The code of a function that gets a place for its answer first."""
        place = (ctypes.c_uint64 * 16)()
        return self.call(name, ctypes.byref(place), *arguments)

    def configure(self, **settings: str) -> None:
        """Settings of the driver for tests, in a new process or after `reset`."""
        for name, value in settings.items():
            self.ok("ptx_driver_configure", name.encode(), value.encode())

    def last_fault(self) -> str:
        if not self.is_ours:
            return ""
        text = ctypes.create_string_buffer(1000)
        self.call("ptx_driver_last_fault", text, 1000)
        return text.value.decode()

    def start(self, device: int = 0) -> Driver:
        """Initialises the driver and makes a device's primary context current."""
        self.ok("cuInit", 0)
        self.context = self.get("cuDevicePrimaryCtxRetain", device)
        self.ok("cuCtxSetCurrent", self.context)
        return self

    def attribute(self, number: int, device: int = 0) -> int:
        return self.get("cuDeviceGetAttribute", number, device, kind=ctypes.c_int)

    @property
    def capability(self) -> int:
        """10 * major + minor."""
        return 10 * self.attribute(75) + self.attribute(76)

    @property
    def version(self) -> int:
        """12040 for 12.4."""
        return self.get("cuDriverGetVersion", kind=ctypes.c_int)

    @property
    def ptx(self) -> str:
        """The newest PTX that this driver is known to take, up to 8.0, in which the tests are written."""
        major, minor = self.version // 1000, self.version % 1000 // 10
        return "8.0" if major >= 12 else f"7.{min(minor, 8)}"

    @property
    def device_name(self) -> str:
        text = ctypes.create_string_buffer(200)
        self.ok("cuDeviceGetName", text, 200, 0)
        return text.value.decode()

    def describe(self) -> str:
        if self.is_ours:
            return f"the driver for tests, sm_{self.capability}"
        return f"{self.device_name}, sm_{self.capability}, driver {self.version // 1000}.{self.version % 1000 // 10}"

    # Memory.

    def alloc(self, size: int) -> int:
        return self.get("cuMemAlloc_v2", size)

    def put(self, data: bytes) -> int:
        """New memory with these bytes."""
        address = self.alloc(max(len(data), 1))
        self.ok("cuMemcpyHtoD_v2", address, data, len(data))
        return address

    def read(self, address: int, size: int) -> bytes:
        self.ok("cuCtxSynchronize")
        data = ctypes.create_string_buffer(size)
        self.ok("cuMemcpyDtoH_v2", data, address, size)
        return data.raw

    def free(self, *addresses: int) -> None:
        for address in addresses:
            self.ok("cuMemFree_v2", address)

    # Kernels.

    def load(self, text: str) -> tuple[int, int, str]:
        """Loads PTX: the code, the module, and what the driver says to errors."""
        module = ctypes.c_uint64(0)
        log = ctypes.create_string_buffer(4000)
        names = (ctypes.c_uint * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
        values = (ctypes.c_uint64 * 2)(ctypes.addressof(log), len(log))
        code = self.call("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 2, names, values)
        return code, module.value, log.value.decode(errors="replace").strip()

    def module(self, text: str) -> int:
        """Loads PTX that has to be taken."""
        code, module, log = self.load(text)
        if code:
            raise DriverError("cuModuleLoadDataEx", code, log)
        return module

    def function(self, module: int, name: str) -> int:
        return self.get("cuModuleGetFunction", module, name.encode())

    def launch(
        self,
        function: int,
        arguments: Sequence[int] = (),
        grid: Sequence[int] = (1, 1, 1),
        block: Sequence[int] = (1, 1, 1),
        shared: int = 0,
        stream: int = 0,
    ) -> int:
        """Launches a kernel of 64-bit arguments and gives the code."""
        values = (ctypes.c_uint64 * max(len(arguments), 1))(*arguments)
        places = (ctypes.c_void_p * max(len(arguments), 1))(
            *(ctypes.addressof(values) + 8 * i for i in range(len(arguments)))
        )
        return self.call("cuLaunchKernel", function, *grid, *block, shared, stream, places, None)
