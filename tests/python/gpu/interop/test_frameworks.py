"""Operators and streams of torch and paddle on a GPU, with stand-ins for what their builds for the CPU lack."""

from __future__ import annotations

import gc
import os
import weakref

import numpy as np
import pytest
import warp as wp
from warp._operator import call as operator_call

from gpu.interop.exchange import Producer
from gpu.support import driver as drivers
from gpu.support.kernels import number

GPU = "cuda:0"
LAZY = drivers.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") == "lazy"
X = [0.0, 1.0, 2.0, 3.0]


@wp.kernel
def affine(x: wp.array(dtype=float), k: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = k * x[i] + 1.0


@wp.kernel
def increase(x: wp.array(dtype=float), by: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + by[i]


class Framework:
    """A framework that works on a stream of its own: what operators ask of one (`warp._operator.Memory`)."""

    def __init__(self, ordinal: int = 0) -> None:
        self.driver, self.ordinal = drivers.get(), ordinal
        self.driver.enter(ordinal)
        self.stream = self.driver.stream()
        self.all: list[Producer] = []

    def empty(self, shape) -> Producer:
        self.driver.enter(self.ordinal)
        address = self.driver.allocate(4 * int(np.prod(shape)))
        self.all.append(Producer(address, shape, ordinal=self.ordinal))
        return self.all[-1]

    def tensor(self, values) -> Producer:
        values = np.asarray(values, dtype=np.float32)
        made = self.empty(values.shape)
        self.driver.write(made.address, values.tobytes(), self.stream)
        return made

    def read(self, tensor: Producer, stream: int | None = None) -> list[float]:
        self.driver.enter(self.ordinal)
        size = 4 * int(np.prod(tensor.shape))
        read = self.driver.read(tensor.address, size, self.stream if stream is None else stream)
        return np.frombuffer(read, np.float32).tolist()

    def close(self) -> None:
        wp.synchronize()
        self.driver.enter(self.ordinal)
        self.driver("cuCtxSynchronize")
        for tensor in self.all:
            self.driver.free(tensor.address)
        self.driver.end_stream(self.stream)
        self.driver.enter(0)

    # What operators ask.

    def zeros(self, shape, scalar, near):
        made = self.empty(shape)
        self.driver.fill(made.address, 0, int(np.prod(shape)), self.stream)
        return made

    def copy(self, array):
        made = self.empty(array.shape)
        self.driver("cuMemcpyDtoDAsync_v2", *map(drivers.Address, (made.address, array.address)), 16, self.handle)
        return made

    @property
    def handle(self):
        return drivers.c_void_p(self.stream)

    def readable(self, array, inner):
        return array

    def shape(self, array):
        return array.shape

    def place(self, array):
        return array.ordinal, self.stream


@pytest.fixture
def framework():
    made = Framework()
    yield made
    made.close()


def operator(kernel, **options):
    return operator_call.operator(
        kernel, what="torch_kernel", **{"num_outputs": 1, "in_out_argnames": (), "enable_backward": False, **options}
    )


class TestOperators:
    def test_they_launch_on_the_stream_of_the_framework(self, framework):
        x = framework.tensor(X)
        (y,) = operator(affine).run([x, 2.0], None, None, framework)
        if LAZY:
            other = framework.driver.stream()
            assert framework.read(y, other) != [1.0, 3.0, 5.0, 7.0], "the launch waits for nothing"
            framework.driver.end_stream(other)
        assert framework.read(y) == [1.0, 3.0, 5.0, 7.0]
        assert x.asked == [framework.stream], "the framework need not let another stream wait"

    def test_they_are_in_order_with_the_framework(self, framework):
        x, run = framework.tensor([9.0] * 4), operator(affine).run
        framework.driver.fill(x.address, 0x3F800000, 4, framework.stream)
        (y,) = run([x, 2.0], None, None, framework)
        framework.driver.fill(x.address, 0, 4, framework.stream)
        (z,) = run([y, 2.0], None, None, framework)
        assert (framework.read(z), framework.read(x)) == ([7.0] * 4, [0.0] * 4)

    def test_inputs_that_the_kernel_changes_are_copied(self, framework):
        x, by = framework.tensor(X), framework.tensor([1.0] * 4)
        (y,) = operator(increase, in_out_argnames=["x"]).run([x, by], None, None, framework)
        assert (framework.read(x), framework.read(y)) == (X, [1.0, 2.0, 3.0, 4.0])

    def test_the_device_is_that_of_the_tensors(self, second):
        framework = Framework(1)
        try:
            (y,) = operator(affine).run([framework.tensor(X), 2.0], None, None, framework)
            assert y.ordinal == 1
            assert framework.read(y) == [1.0, 3.0, 5.0, 7.0]
        finally:
            framework.close()

    def test_tensors_of_two_devices_are_refused_by_name(self, framework, second, double):
        other = Framework(1)
        try:
            x, by = framework.tensor(X), other.tensor([1.0] * 4)
            before = double.counts().kernels
            with pytest.raises(ValueError, match="argument 'by'.*is on the device \"cuda:1\", the launch runs on"):
                operator(increase, in_out_argnames=["x"]).run([x, by], None, None, framework)
            host = wp.ones(4, dtype=float, device="cpu")
            with pytest.raises(ValueError, match="argument 'by'.*is on the device \"cpu\", the launch runs on"):
                operator(increase, in_out_argnames=["x"]).run([x, host], None, None, framework)
            assert double.counts().kernels == before
        finally:
            other.close()

    def test_the_current_stream_is_as_before(self, framework):
        before = wp.get_stream(GPU).cuda_stream
        x = framework.tensor(X)
        operator(affine).run([x, 2.0], None, None, framework)
        a = wp.zeros(4, dtype=float, device=GPU)
        wp.launch(number, dim=4, inputs=[a], device=GPU)
        assert a.list() == X
        assert wp.get_stream(GPU).cuda_stream == before


class Stream:
    """A stand-in for `torch.cuda.Stream` and its like."""

    def __init__(self, cuda_stream: int, device: object) -> None:
        self.cuda_stream, self.device = cuda_stream, device


@pytest.fixture
def theirs():
    driver = drivers.get()
    driver.enter()
    stream = driver.stream()
    yield stream
    wp.synchronize()
    driver.end_stream(stream)


class TestTorch:
    def test_a_stream_of_torch_is_the_same_queue(self, theirs):
        torch = pytest.importorskip("torch")
        given = Stream(theirs, torch.device("cuda:0"))
        ours = wp.stream_from_torch(given)
        assert (ours.cuda_stream, ours.device) == (theirs, GPU)
        a = wp.zeros(4, dtype=float, device=GPU)
        with wp.ScopedStream(ours):
            wp.launch(number, dim=4, inputs=[a], device=GPU)
        read = drivers.get().read(a.ptr, 16, theirs)
        assert np.frombuffer(read, np.float32).tolist() == X
        kept = weakref.ref(given)
        del given
        gc.collect()
        assert kept() is not None, "it lives as long as ours"
        del ours
        gc.collect()
        assert kept() is None

    def test_a_device_stands_for_its_current_stream(self, theirs, monkeypatch):
        torch = pytest.importorskip("torch")
        asked = []

        def current(device=None):
            asked.append(device)
            return Stream(theirs, torch.device("cuda:0"))

        monkeypatch.setattr(torch.cuda, "current_stream", current)
        assert wp.stream_from_torch().cuda_stream == theirs
        assert wp.stream_from_torch("cuda:0").cuda_stream == theirs
        assert asked == [None, "cuda:0"]

    def test_a_stream_of_ours_as_torchs(self, monkeypatch):
        torch = pytest.importorskip("torch")
        monkeypatch.setattr(torch.cuda, "ExternalStream", lambda handle, device: Stream(handle, device))
        monkeypatch.setattr(torch.cuda, "default_stream", lambda device: Stream(0, device))
        ours = wp.Stream(GPU)
        made = wp.stream_to_torch(ours)
        assert (made.cuda_stream, made.device) == (ours.cuda_stream, "cuda:0")
        kept = weakref.ref(ours)
        del ours
        gc.collect()
        assert kept() is not None, "torch's stream keeps it"
        assert wp.stream_to_torch(GPU).cuda_stream == wp.get_stream(GPU).cuda_stream
        with wp.ScopedStream(wp.get_device(GPU).null_stream):
            assert wp.stream_to_torch(GPU).cuda_stream == 0
        with pytest.raises(RuntimeError, match="device cpu has no CUDA streams"):
            wp.stream_to_torch("cpu")

    def test_what_is_no_stream_of_a_gpu_is_refused(self):
        torch = pytest.importorskip("torch")
        for wrong in (Stream(None, torch.device("cuda:0")), Stream(1, torch.device("cpu"))):
            with pytest.raises(RuntimeError, match="is no stream of a CUDA device"):
                wp.stream_from_torch(wrong)

    def test_operators_ask_torch_for_its_stream(self, theirs, monkeypatch):
        torch = pytest.importorskip("torch")
        from warp._torch.operator import _TorchMemory

        class Tensor:
            is_cuda, device = True, torch.device("cuda:1")

        monkeypatch.setattr(torch.cuda, "current_stream", lambda device: Stream(theirs, device))
        assert _TorchMemory.place(Tensor()) == (1, theirs)
        assert _TorchMemory.place(torch.ones(1)) is None


class TestPaddle:
    class Place:
        def __str__(self) -> str:
            return "Place(gpu:0)"

        def is_gpu_place(self) -> bool:
            return True

        def gpu_device_id(self) -> int:
            return 0

    # Paddle's places are known by where they are from.
    Place.__module__ = "paddle.base.libpaddle"

    class Base:
        def __init__(self, handle: int, place: object) -> None:
            self.cuda_stream, self.place = handle, place

    def stream(self, handle: int):
        class Wrapped:
            stream_base = self.Base(handle, self.Place())

        return Wrapped()

    def test_a_stream_of_paddle_is_the_same_queue(self, theirs):
        pytest.importorskip("paddle")
        for given in (self.stream(theirs), self.stream(theirs).stream_base):
            ours = wp.stream_from_paddle(given)
            assert (ours.cuda_stream, ours.device) == (theirs, GPU)

    def test_a_device_stands_for_its_current_stream(self, theirs, monkeypatch):
        paddle = pytest.importorskip("paddle")
        asked = []
        monkeypatch.setattr(paddle.device, "current_stream", lambda d: asked.append(d) or self.stream(theirs))
        assert wp.stream_from_paddle("gpu:0").cuda_stream == theirs
        assert asked == ["gpu:0"]

    def test_operators_ask_paddle_for_its_stream(self, theirs, monkeypatch):
        paddle = pytest.importorskip("paddle")
        from warp._paddle.operator import _PaddleMemory

        class Tensor:
            place = self.Place()

        monkeypatch.setattr(paddle.device, "current_stream", lambda d: self.stream(theirs))
        assert _PaddleMemory.place(Tensor()) == (0, theirs)
        assert _PaddleMemory.place(paddle.ones([1])) is None
