"""DLPack and `__cuda_array_interface__`, both ways, on the GPU: whose memory, how long, and in which order."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest
import warp as wp

from gpu.interop.exchange import CUDA, Interface, Producer, consume, memory
from gpu.support import driver as drivers
from gpu.support.kernels import double, number

GPU = "cuda:0"
VALUES = np.arange(6, dtype=np.float32)
LAZY = drivers.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") == "lazy"
HALF = 0x3F000000


@pytest.fixture
def producer():
    made = Producer(memory(VALUES.tobytes()), (6,))
    yield made
    wp.synchronize()
    drivers.get().free(made.address)


WAYS = {
    "from_dlpack": wp.from_dlpack,
    "array of DLPack": lambda p: wp.array(p, copy=False),
    "array of the interface": lambda p: wp.array(Interface(p), copy=False, dtype=float),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
class TestIn:
    def test_memory_is_shared(self, way, producer):
        a = way(producer)
        assert (a.device, a.ptr, a.shape, a.dtype) == (GPU, producer.address, (6,), wp.float32)
        wp.launch(double, dim=6, inputs=[a], device=GPU)
        assert a.list() == (2 * VALUES).tolist()
        assert drivers.get().read(producer.address, 24) == (2 * VALUES).tobytes()

    def test_strides(self, way, producer):
        producer.shape, producer.strides = (2, 2), (1, 3)
        a = way(producer)
        assert a.strides == (4, 12)
        assert a.numpy().tolist() == [[0.0, 3.0], [1.0, 4.0]]

    def test_the_producer_lives_as_long_as_the_array(self, way, producer):
        before = gc.get_referrers(producer)
        a = way(producer)
        view = a[2:]
        del a
        gc.collect()
        assert producer.freed == 0
        assert len(gc.get_referrers(producer)) >= len(before)
        assert view.list() == [2.0, 3.0, 4.0, 5.0]
        del view
        wp.synchronize()
        gc.collect()
        assert producer.freed == len(producer.asked)


def test_read_only(producer):
    producer.read_only = True
    a = wp.array(Interface(producer), copy=False, dtype=float)
    with pytest.raises((ValueError, TypeError, RuntimeError), match="read-only"):
        a.fill_(1.0)
    with pytest.raises((ValueError, TypeError, RuntimeError), match="read-only"):
        wp.launch(double, dim=6, inputs=[a], device=GPU)
    assert a.list() == VALUES.tolist()


def test_launches_take_producers(producer):
    wp.launch(double, dim=6, inputs=[producer], device=GPU)
    wp.launch(double, dim=6, inputs=[Interface(producer)], device=GPU)
    wp.synchronize()
    assert drivers.get().read(producer.address, 24) == (4 * VALUES).tobytes()


def test_a_producer_of_dlpack_is_told_our_stream(producer):
    stream = wp.Stream(GPU)
    with wp.ScopedStream(stream):
        wp.from_dlpack(producer)
    assert producer.asked == [stream.cuda_stream]


@pytest.mark.parametrize("kind", ["own", "legacy", "per thread"])
def test_we_wait_for_the_stream_that_the_interface_names(producer, kind):
    driver = drivers.get()
    driver.enter()
    own = driver.stream()
    theirs = {"own": own, "legacy": drivers.LEGACY, "per thread": drivers.PER_THREAD}[kind]
    producer.says = theirs
    driver.fill(producer.address, HALF, 6, theirs)
    with wp.ScopedStream(wp.Stream(GPU), sync_enter=False):
        a = wp.array(Interface(producer), copy=False, dtype=float)
        wp.launch(double, dim=6, inputs=[a], device=GPU)
        assert a.list() == [1.0] * 6
    driver.end_stream(own)


def test_a_producer_that_names_no_stream_is_not_waited_for(producer):
    driver = drivers.get()
    driver.enter()
    own = driver.stream()
    driver.fill(producer.address, HALF, 6, own)
    with wp.ScopedStream(wp.Stream(GPU), sync_enter=False):
        a = wp.array(Interface(producer), copy=False, dtype=float)
        found = a.list()
    if LAZY:
        assert found == VALUES.tolist(), "nothing makes it wait"
    driver("cuStreamSynchronize", drivers.c_void_p(own))
    driver.end_stream(own)


def test_stream_0_of_the_interface_is_refused(producer):
    producer.says = 0
    with pytest.raises(ValueError, match="'stream' is 0, which names no stream"):
        wp.array(Interface(producer), copy=False, dtype=float)


def test_memory_of_the_second_device(second):
    driver = drivers.get()
    driver.enter(1)
    address = driver.allocate(24)
    driver.write(address, VALUES.tobytes())
    driver("cuCtxSynchronize")
    try:
        a = wp.array(Interface(Producer(address, (6,))), copy=False, dtype=float)
        b = wp.from_dlpack(Producer(address, (6,), ordinal=1))
        assert a.device == b.device == second
        assert a.list() == b.list() == VALUES.tolist()
        with pytest.raises(ValueError, match='is on the device "cuda:1", the launch runs on "cuda:0"'):
            wp.launch(double, dim=6, inputs=[a], device=GPU)
        assert a.to(GPU).list() == VALUES.tolist()
        del a, b
    finally:
        wp.synchronize()
        driver.enter(1)
        driver.free(address)
        driver.enter(0)


def test_a_device_that_is_not_here_is_refused(producer):
    producer.ordinal = 77
    with pytest.raises((ValueError, RuntimeError, TypeError), match="CUDA device 77, which is not available"):
        wp.from_dlpack(producer)


class TestOut:
    def test_dlpack(self):
        a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4), device=GPU)
        assert tuple(int(n) for n in a.__dlpack_device__()) == (CUDA, 0)
        found = consume(a, stream=1)
        assert (found.data + found.byte_offset, found.shape_) == (a.ptr, [3, 4])
        assert (found.device.kind, found.device.id) == (CUDA, 0)
        found = consume(a[1:, ::2], stream=1)
        assert (found.shape_, found.strides_) == ([2, 2], [4, 2])
        assert found.data + found.byte_offset == a.ptr + 16

    def test_dlpack_of_the_second_device(self, second):
        a = wp.zeros(3, dtype=float, device=second)
        assert tuple(int(n) for n in a.__dlpack_device__()) == (CUDA, 1)
        assert consume(a, stream=-1).device.id == 1

    def test_the_interface(self):
        a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4), device=GPU)
        found = a.__cuda_array_interface__
        assert found["data"] == (a.ptr, False)
        assert (found["shape"], found["strides"], found["typestr"], found["version"]) == ((3, 4), None, "<f4", 3)
        assert found["stream"] == wp.get_stream(GPU).cuda_stream
        found = a[1:, ::2].__cuda_array_interface__
        assert (found["shape"], found["strides"], found["data"][0]) == ((2, 2), (16, 8), a.ptr + 16)
        vectors = wp.zeros(5, dtype=wp.vec3, device=GPU).__cuda_array_interface__
        assert vectors["shape"] == (5, 3)
        null = wp.get_device(GPU).null_stream
        with wp.ScopedStream(null):
            assert a.__cuda_array_interface__["stream"] == 1
        assert not hasattr(a, "__array_interface__")
        assert not hasattr(wp.zeros(1, device="cpu"), "__cuda_array_interface__")

    @pytest.mark.parametrize("kind", ["none", "legacy", "per thread", "own"])
    def test_consumers_wait_for_us(self, kind):
        driver = drivers.get()
        driver.enter()
        own = driver.stream()
        theirs = {"none": None, "legacy": drivers.LEGACY, "per thread": drivers.PER_THREAD, "own": own}[kind]
        a = wp.zeros(6, dtype=float, device=GPU)
        with wp.ScopedStream(wp.Stream(GPU)):
            wp.launch(number, dim=6, inputs=[a], device=GPU)
            consume(a, stream=theirs)
        read = driver.read(a.ptr, 24, drivers.LEGACY if theirs is None else theirs)
        assert np.frombuffer(read, np.float32).tolist() == VALUES.tolist()
        driver.end_stream(own)

    def test_a_consumer_may_ask_not_to_wait(self):
        driver = drivers.get()
        driver.enter()
        own = driver.stream()
        a = wp.zeros(6, dtype=float, device=GPU)
        wp.synchronize()
        wp.launch(number, dim=6, inputs=[a], device=GPU)
        consume(a, stream=-1)
        read = np.frombuffer(driver.read(a.ptr, 24, own), np.float32).tolist()
        if LAZY:
            assert read == [0.0] * 6, "nothing makes it wait"
        driver.end_stream(own)

    def test_streams_that_name_nothing_are_refused(self):
        a = wp.zeros(6, dtype=float, device=GPU)
        for stream in (0, -2, "1"):
            with pytest.raises(ValueError, match="__dlpack__: stream is"):
                a.__dlpack__(stream=stream)

    def test_memory_lives_as_long_as_the_capsule(self, double):
        wp.synchronize()
        a = wp.array(VALUES, dtype=float, device=GPU)
        at, before = a.ptr, double.counts().allocations
        capsule = a.__dlpack__(stream=-1)
        del a
        wp.synchronize()
        assert double.counts().allocations == before
        assert double.read(at, 24) == VALUES.tobytes()
        del capsule
        wp.synchronize()
        assert double.counts().allocations == before - 1

    def test_ours_go_in_again(self):
        a = wp.array(VALUES, dtype=float, device=GPU)
        b = wp.from_dlpack(a)
        c = wp.array(Interface(Producer(a.ptr, (6,))), copy=False, dtype=float)
        assert a.ptr == b.ptr == c.ptr
        wp.launch(double, dim=6, inputs=[b], device=GPU)
        assert c.list() == (2 * VALUES).tolist()


class TestHosts:
    def test_numpy_gets_a_copy_when_it_asks(self):
        a = wp.array(VALUES, dtype=float, device=GPU)
        for copied in (np.asarray(a), np.array(a), a.numpy(), np.stack([a, a])[1]):
            assert copied.tolist() == VALUES.tolist()
            copied[0] = 9.0
        assert a.list() == VALUES.tolist()
        assert np.asarray(a, dtype=np.float64).dtype == np.float64

    def test_numpy_cannot_do_without_one(self):
        a = wp.array(VALUES, dtype=float, device=GPU)
        with pytest.raises(ValueError, match=r"[Cc]opy|device"):
            np.asarray(a, copy=False)
        with pytest.raises((BufferError, RuntimeError, ValueError, TypeError)):
            np.from_dlpack(a)

    def test_buffers_are_refused(self):
        a = wp.array(VALUES, dtype=float, device=GPU)
        with pytest.raises(TypeError):
            memoryview(a)
        assert bytes(a) == np.asarray(VALUES, np.float32).tobytes()


@pytest.mark.parametrize("copy", [None, True])
def test_a_consumer_on_the_host_gets_a_copy(copy):
    a = wp.array(np.arange(6.0), dtype=float, device=GPU)[::2]
    wp.launch(double, dim=3, inputs=[a], device=GPU)
    capsule = a.__dlpack__(dl_device=(1, 0), max_version=(1, 0), copy=copy)
    there = wp.from_dlpack(capsule)
    assert there.device == "cpu"
    assert there.list() == [0.0, 4.0, 8.0]
    wp.launch(double, dim=3, inputs=[a], device=GPU)
    assert there.list() == [0.0, 4.0, 8.0]


def test_a_consumer_on_another_device_is_refused():
    a = wp.array(np.arange(6.0), dtype=float, device=GPU)
    with pytest.raises(
        BufferError, match=r'the device "cuda:0", the consumer wants it on the device \(1, 0\) and without'
    ):
        a.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match=r"wants it on the device \(2, 7\); copy it there first"):
        a.__dlpack__(dl_device=(2, 7))


def test_memory_of_the_host_is_no_memory_of_a_gpu():
    there = np.arange(6, dtype=np.float32)
    with pytest.raises(ValueError, match="no GPU reaches the memory at .*described by __array_interface__"):
        wp.array(Interface(Producer(there.ctypes.data, (6,))), dtype=float)


def test_pinned_memory_of_the_host_is_reached():
    pinned = wp.array(np.arange(6.0), dtype=float, device="cpu", pinned=True)
    seen = wp.array(Interface(Producer(pinned.ptr, (6,))), copy=False, dtype=float)
    assert seen.device == GPU
    wp.launch(double, dim=6, inputs=[seen], device=GPU)
    wp.synchronize()
    assert pinned.list() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
