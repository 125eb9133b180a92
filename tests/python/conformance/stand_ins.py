"""Modules that blocks import and that machines for tests lack: CuPy, on the host's memory and on a GPU's."""

from __future__ import annotations

import importlib.util
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .substitutions import CPU, CUDA


def module(ndarray: Any, device: Any) -> types.ModuleType:
    """A module with the few names of CuPy that the documents use.

    Args:
        ndarray: Makes an array of NumPy's values.
        device: `cupy.cuda.Device`.
    """
    cupy = types.ModuleType("cupy")
    cupy.__dict__.update(
        ndarray=ndarray,
        arange=lambda *args, **options: ndarray(np.arange(*args, **options)),
        ones=lambda *args, **options: ndarray(np.ones(*args, **options)),
        float32=np.float32,
        cuda=types.SimpleNamespace(Device=device),
    )
    return cupy


def cupy_on_the_host() -> types.ModuleType:
    """CuPy on the host's memory.

    Its arrays are no NumPy arrays and know no DLPack: all that they offer is the interface that such objects have.
    """

    class ndarray:
        def __init__(self, values: np.ndarray) -> None:
            self._values = values

        @property
        def __array_interface__(self) -> dict:
            return self._values.__array_interface__

        def get(self) -> np.ndarray:
            return self._values.copy()

    @contextmanager
    def device(_index: int) -> Iterator[None]:
        yield

    return module(ndarray, device)


def cupy_on_a_gpu() -> types.ModuleType:
    """CuPy on a GPU: float32 in memory of the driver's, written on CUDA's default stream.

    All that its arrays offer is `__cuda_array_interface__`, of which the documents speak. DLPack is for
    `gpu/interop/test_exchange.py`.
    """
    from gpu.interop.exchange import Interface, Producer
    from gpu.support import driver as drivers

    current = [0]

    class ndarray(Interface):
        def __init__(self, values: np.ndarray) -> None:
            if values.dtype != np.float32:
                raise TypeError(f"this stand-in for CuPy has arrays of float32 alone, not of {values.dtype}")
            driver = drivers.get()
            driver.enter(current[-1])
            address = driver.allocate(values.nbytes)
            driver.write(address, values.tobytes())
            super().__init__(Producer(address, values.shape, stream=drivers.LEGACY, ordinal=current[-1]))
            weakref.finalize(self, give_back, address, current[-1])

        def get(self) -> np.ndarray:
            driver, producer = drivers.get(), self.producer
            driver.enter(producer.ordinal)
            read = driver.read(producer.address, 4 * int(np.prod(producer.shape)))
            return np.frombuffer(read, np.float32).reshape(producer.shape)

    def give_back(address: int, ordinal: int) -> None:
        driver = drivers.get()
        driver.enter(ordinal)
        driver("cuCtxSynchronize")
        driver.free(address)

    @contextmanager
    def device(ordinal: int) -> Iterator[None]:
        current.append(ordinal)
        yield
        current.pop()

    return module(ndarray, device)


def stand_ins(target: str) -> dict[str, types.ModuleType]:
    """The modules to import in place of those that are not here."""
    makers: dict[str, Callable[[], types.ModuleType]] = {CPU: cupy_on_the_host, CUDA: cupy_on_a_gpu}
    if target == CUDA and importlib.util.find_spec("cupy") is not None:
        return {}
    return {"cupy": makers[target]()}
