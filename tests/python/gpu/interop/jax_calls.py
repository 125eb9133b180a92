"""Kernels that XLA calls on a GPU, and its calls made by hand."""

from __future__ import annotations

import os

import numpy as np
import warp as wp

from gpu.interop.xla import Memory
from gpu.support import driver as drivers

GPU = "cuda:0"
LAZY = drivers.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") == "lazy"


@wp.kernel
def affine(x: wp.array(dtype=float), k: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = k * x[i] + 1.0


@wp.kernel
def sparse(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 1.5:
        y[i] = x[i]


@wp.kernel
def increase(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


@wp.kernel
def power(x: wp.array(dtype=float), n: wp.array(dtype=int), y: wp.array(dtype=float)):
    i = wp.tid()
    z = float(1.0)
    for _ in range(n[0]):
        z = z * x[i]
    y[i] = z


class Device:
    """Memory of a GPU and a stream of XLA's."""

    def __init__(self, ordinal: int = 0) -> None:
        self.ordinal, self.driver, self.memory = ordinal, drivers.get(), []
        self.driver.enter(ordinal)
        self.stream = self.driver.stream()

    def new(self, values, fill: int | None = None) -> Memory:
        values = np.asarray(values, dtype=np.float32)
        self.driver.enter(self.ordinal)
        address = self.driver.allocate(values.nbytes)
        self.memory.append(address)
        self.driver.write(address, values.tobytes())
        self.driver("cuCtxSynchronize")
        return Memory(address, values.shape)

    def read(self, memory: Memory, stream: int | None = None) -> list[float]:
        self.driver.enter(self.ordinal)
        size = 4 * int(np.prod(memory.shape))
        read = self.driver.read(memory.address, size, self.stream if stream is None else stream)
        return np.frombuffer(read, np.float32).reshape(memory.shape).tolist()

    def close(self) -> None:
        self.driver.enter(self.ordinal)
        self.driver("cuCtxSynchronize")
        for address in self.memory:
            self.driver.free(address)
        self.driver.end_stream(self.stream)
        self.driver.enter(0)


X = [0.0, 1.0, 2.0, 3.0]
