"""Arrays in pickles, between processes, and in deep copies."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys

import numpy as np
import pytest
import warp as wp

DTYPES = [wp.float32, wp.bool, wp.uint64, wp.float16, wp.bfloat16, wp.vec3, wp.mat33d, wp.quat, wp.vec2bf]


def filled(dtype, shape=(3, 2)):
    a = wp.zeros(shape, dtype=dtype)
    bits = a.view(wp.uint8).numpy() if a.capacity == a.size else None
    if bits is not None:
        bits[...] = np.arange(bits.size).reshape(bits.shape) % 2
    else:
        a.fill_(1.5 if dtype._elem.is_float else 3)
        a[0, 0] = dtype(0)
    return a


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


@wp.func
def twice(x: float):
    return 2.0 * x


def same(a, b):
    assert (a.dtype, a.shape, a.read_only) == (b.dtype, b.shape, b.read_only)
    assert a.ptr != b.ptr or a.ptr is None
    assert a.list() == b.list()
    assert (a.grad is None) == (b.grad is None)
    if a.grad is not None:
        same(a.grad, b.grad)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_protocol(dtype, protocol):
    a = filled(dtype)
    for array in (a, a[1:], a.transpose(), a[::-1], a[:0]):
        b = pickle.loads(pickle.dumps(array, protocol=protocol))
        same(array, b)
        assert b.is_contiguous
        b.zero_()
    assert a.list() == filled(dtype).list()
    if dtype._elem.is_float:
        a.requires_grad = True
        a.grad.fill_(2.0)
        same(a, pickle.loads(pickle.dumps(a, protocol=protocol)))
        same(a, copy.deepcopy(a))
    annotation = pickle.loads(pickle.dumps(wp.array(dtype=dtype, ndim=3), protocol=protocol))
    assert repr(annotation) == repr(wp.array(dtype=dtype, ndim=3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_out_of_band_buffers_are_not_copied(dtype):
    a = filled(dtype)
    buffers = []
    head = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(head) < 300
    raw = buffers[0].raw()
    assert raw.nbytes == a.capacity
    assert np.frombuffer(raw, np.uint8).ctypes.data == a.ptr
    received = bytearray(raw)
    b = pickle.loads(head, buffers=[received])
    same(a, b)
    assert b.ptr == np.frombuffer(received, np.uint8).ctypes.data
    b.zero_()
    assert received == bytearray(len(received))
    frozen = memoryview(bytes(raw)).toreadonly()
    c = pickle.loads(head, buffers=[frozen])
    # Aligned or not is up to Python's allocator; a copy may be written.
    assert c.list() == a.list()
    with pytest.raises(ValueError, match="bytes of content"):
        pickle.loads(head, buffers=[bytes(raw)[1:]])
    with pytest.raises(TypeError):
        pickle.loads(head, buffers=[5])


def test_memory_that_must_not_be_written_makes_a_read_only_array():
    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)
    buffers = []
    head = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    store = np.frombuffer(buffers[0].raw(), np.uint8).copy()
    store.flags.writeable = False
    b = pickle.loads(head, buffers=[store])
    assert b.read_only
    out = wp.zeros(4)
    wp.launch(double, dim=4, inputs=[b], outputs=[out])
    assert out.list() == [2, 4, 6, 8]
    with pytest.raises(ValueError, match="argument 'y'.*read-only"):
        wp.launch(double, dim=4, inputs=[a], outputs=[b])
    assert not b.clone().read_only
    unaligned = np.zeros(17, np.uint8)[1:]
    unaligned[:] = store
    assert pickle.loads(head, buffers=[unaligned]).list() == [1, 2, 3, 4]


def test_buffers_live_as_long_as_the_array():
    a = wp.array([1.0, 2.0], dtype=float)
    buffers = []
    head = pickle.dumps(a, protocol=5, buffer_callback=buffers.append)
    received = bytearray(buffers[0].raw())
    before = sys.getrefcount(received)
    b = pickle.loads(head, buffers=[received])
    with pytest.raises(BufferError):
        received.append(0)
    del b
    received.append(0)
    assert sys.getrefcount(received) == before
    buffers[0].release()
    assert sys.getrefcount(a) == 2


def test_kernels_and_functions_are_pickled_by_name():
    """Those that have no name in a module are in package/test_pickles.py."""
    assert pickle.loads(pickle.dumps(double)) is double
    assert pickle.loads(pickle.dumps(twice)) is twice
    assert len(pickle.dumps(double)) + len(pickle.dumps(twice)) < 200


def test_a_container_of_arrays_keeps_identity():
    a = wp.array([1.0], dtype=float)
    x, y = pickle.loads(pickle.dumps([a, a]))
    assert x is y


def test_cloudpickle():
    cloudpickle = pytest.importorskip("cloudpickle")
    a = wp.array([1.0, 2.0], dtype=float)
    task = cloudpickle.loads(cloudpickle.dumps(lambda: a))
    same(a, task())


def launched(x):
    y = wp.zeros_like(x)
    wp.launch(double, dim=len(x), inputs=[x], outputs=[y])
    return y


def through(connection):
    x = connection.recv()
    connection.send(launched(x))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_round_trips_between_processes(method):
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    child = context.Process(target=through, args=(there,), daemon=True)
    child.start()
    x = wp.array(np.arange(10_000, dtype=np.float32), requires_grad=True)
    x.grad.fill_(3.0)
    here.send(x[::2])
    assert here.poll(120), "the child did not answer"
    y = here.recv()
    child.join(60)
    assert child.exitcode == 0
    np.testing.assert_array_equal(y.numpy(), 2 * x.numpy()[::2])
    np.testing.assert_array_equal(y.grad.numpy(), 0)
