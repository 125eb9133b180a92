"""CuPy, Numba and others that speak `__cuda_array_interface__`; Numba on the CPU.

No CUDA device is needed: what is read is asked of `_read_cuda_array_interface`, which imports nothing, about objects
whose claim to be on a GPU is all that they have of one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import warp as wp
from warp._warp import _read_cuda_array_interface as read


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


class Claims:
    """Says that host memory is on a GPU, as CuPy and Numba say it."""

    def __init__(self, n, **changes):
        self.n = n
        self.dict = {
            "shape": n.shape,
            "typestr": n.dtype.str,
            "data": (n.ctypes.data if n.size else 0, not n.flags.writeable),
            "version": 3,
            **changes,
        }

    @property
    def __cuda_array_interface__(self):
        return {k: v for k, v in self.dict.items() if v is not Ellipsis}

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("an array of a GPU is not copied from there unasked")


@pytest.mark.parametrize("name", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("part", ["whole", "rows", "columns", "reversed", "one", "none"])
def test_everything_in_the_interface_is_read(name, part):
    whole = np.zeros((4, 6), name)
    n = {
        "whole": whole,
        "rows": whole[::2],
        "columns": whole[:, 1::3],
        "reversed": whole[::-1, ::-1],
        "one": whole[0, 0],
        "none": whole[:0],
    }[part]
    n = np.asarray(n)
    found = read(Claims(n, strides=n.strides))
    assert found["ptr"] == (n.ctypes.data if n.size else 0)
    assert (found["shape"], found["strides"]) == (n.shape, n.strides)
    assert getattr(wp, found["dtype"]) is wp.dtype_from_numpy(n.dtype)
    assert (found["read_only"], found["stream"]) == (False, None)
    if n.flags.c_contiguous and n.size:
        for strides in (None, ...):
            assert read(Claims(n, strides=strides))["strides"] == n.strides


def test_streams_and_flags():
    n = np.zeros(3, np.float32)
    assert read(Claims(n, stream=1))["stream"] == 1
    assert read(Claims(n, stream=2))["stream"] == 2
    assert read(Claims(n, stream=0x7F00_0000_1000))["stream"] == 0x7F00_0000_1000
    assert read(Claims(n, stream=None))["stream"] is None
    for version in (0, 1, 2, 3, ...):
        read(Claims(n, version=version))
    n.flags.writeable = False
    assert read(Claims(n))["read_only"]


BAD = {
    "a stream that is none": ({"stream": 0}, "0, which names no stream"),
    "a stream of text": ({"stream": "main"}, "'stream'"),
    "a newer version": ({"version": 4}, "version 4"),
    "a mask": ({"mask": np.zeros(3, bool)}, "mask"),
    "no type": ({"typestr": ...}, "'typestr' is missing"),
    "complex": ({"typestr": "<c8"}, "complex"),
    "foreign order": ({"typestr": ">f4"}, "foreign order"),
    "no address": ({"data": (0, False)}, "no memory"),
    "no data": ({"data": ...}, "'data' is missing"),
    "data without flag": ({"data": (64,)}, "'data'"),
    "a buffer as data": ({"data": bytes(12)}, "'data'"),
    "a list as shape": ({"shape": [3]}, "'shape'"),
    "other strides": ({"strides": (4, 4)}, "strides"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_interfaces_are_refused(name):
    changes, says = BAD[name]
    bad = Claims(np.zeros(3, np.float32), **changes)
    for use in (
        lambda: read(bad),
        lambda: wp.array(bad),
        lambda: wp.array(bad, copy=False),
        lambda: wp.launch(double, dim=3, inputs=[bad], outputs=[wp.zeros(3)]),
    ):
        with pytest.raises((TypeError, ValueError), match=rf"__cuda_array_interface__ of .*Claims.*{says}"):
            use()


def test_memory_of_a_gpu_is_refused_by_name():
    """Not read as if the address were the host's, and not copied behind the caller's back."""
    for n in (np.ones(3, np.float32), np.zeros(0, np.float32)):
        gpu = Claims(n)
        for use in (
            lambda gpu=gpu: wp.array(gpu),
            lambda gpu=gpu: wp.array(gpu, copy=False),
            lambda gpu=gpu: wp.from_numpy(gpu),
            lambda gpu=gpu: wp.zeros(3).assign(gpu),
            lambda gpu=gpu: wp.zeros_like(gpu),
            lambda gpu=gpu: wp.launch(double, dim=3, inputs=[gpu], outputs=[wp.zeros(3)]),
            lambda gpu=gpu: wp.launch(double, dim=3, inputs=[wp.zeros(3)], outputs=[gpu]),
        ):
            with pytest.raises(TypeError, match=r"Claims.*CUDA device.*copy it to the CPU.*get\(\).*copy_to_host"):
                use()
    with pytest.raises(TypeError, match="argument 'x'"):
        wp.launch(double, dim=3, inputs=[gpu], outputs=[wp.zeros(3)])

    class NoDict:
        __cuda_array_interface__ = 5

    with pytest.raises(TypeError, match="expected a dict"):
        wp.array(NoDict())


def test_memory_that_both_can_reach_is_shared():
    """Managed memory has the interfaces of both: the host's counts here."""
    n = np.arange(3, dtype=np.float32)

    class Managed(Claims):
        @property
        def __array_interface__(self):
            return self.n.__array_interface__

    assert wp.array(Managed(n), copy=False).ptr == n.ctypes.data


def test_arrays_of_the_cpu_have_no_cuda_interface():
    a = wp.zeros(3)
    assert not hasattr(a, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="CPU"):
        a.__cuda_array_interface__
    assert hasattr(a, "__array_interface__")


def test_numbas_device_arrays_are_refused_by_name():
    """A device array made without a device, on an address of the host."""
    devicearray = pytest.importorskip("numba.cuda.cudadrv.devicearray")
    n = np.ones(3, np.float32)

    class Memory:
        size = n.nbytes
        device_ctypes_pointer = type("Pointer", (), {"value": n.ctypes.data})
        _cuda_memsize_ = n.nbytes

    try:
        d = devicearray.DeviceNDArray((3,), (4,), n.dtype, gpu_data=Memory())
        said = d.__cuda_array_interface__
    except (AttributeError, RuntimeError) as error:
        pytest.skip(f"this Numba makes no device array without a driver: {error}")
    assert read(d)["ptr"] == said["data"][0]
    with pytest.raises(TypeError, match="DeviceNDArray.*CUDA device.*copy_to_host"):
        wp.launch(double, dim=3, inputs=[d], outputs=[wp.zeros(3)])


def test_numba_functions_on_our_memory():
    numba = pytest.importorskip("numba")

    @numba.njit
    def add(x, y):
        for i in range(len(x)):
            y[i] += x[i]

    x = wp.array([1.0, 2.0, 3.0], dtype=float)
    y = wp.zeros(6)[::2]
    wp.launch(double, dim=3, inputs=[x], outputs=[y])
    add(x.numpy(), y.numpy())
    assert y.list() == [3, 6, 9]

    @numba.njit
    def trace(m):
        return m[0, 0, 0] + m[0, 1, 1]

    assert trace(wp.array([wp.mat22(1, 2, 3, 4)]).numpy()) == 5
    frozen = wp.array(np.ones(1, np.float32).tobytes(), copy=False).view(wp.uint8).numpy()
    with pytest.raises(numba.core.errors.TypingError):
        add(frozen, frozen)


def test_numbas_simulator(tmp_path):
    """Numba's CUDA kernels, simulated on the host, and ours work on one memory."""
    pytest.importorskip("numba")
    program = """
        import numpy as np
        import warp as wp
        from numba import cuda

        @cuda.jit
        def fill(x):
            i = cuda.grid(1)
            if i < x.size:
                x[i] = i

        @wp.kernel
        def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = 2.0 * x[i]

        x = cuda.to_device(np.zeros(8, np.float32))
        y = cuda.device_array(8, np.float32)
        fill[1, 8](x)
        wp.launch(double, dim=8, inputs=[x], outputs=[y])
        assert y.copy_to_host().tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
        shared = wp.array(y, copy=False)
        fill[1, 8](y)
        assert shared.list() == [0, 1, 2, 3, 4, 5, 6, 7]
        print("done")
    """
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(program))
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, str(file)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"
