"""The handlers that XLA calls on GPUs, called as XLA does: on its stream, over its memory, and while it captures."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
from warp._jax.lowering import call_name  # noqa: E402
from warp._operator import Where, derive  # noqa: E402
from warp._operator import call as operator_call  # noqa: E402
from warp._warp import (  # noqa: E402
    _jax_gpu_handler,
    _jax_lower,
    _jax_register,
)

from gpu.interop import xla  # noqa: E402
from gpu.interop.xla import Caller, Memory, XlaError  # noqa: E402
from gpu.support.kernels import beyond  # noqa: E402

from .jax_calls import GPU, LAZY, Device, X, affine, increase, power, sparse  # noqa: E402


@wp.kernel
def vectors(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.dot(x[i], x[i])


def attributes(kernel, statics=(), inout=(), **options):
    """What a compiled program says about a call."""
    op = operator_call.operator(kernel, what="jax_kernel", num_outputs=1, in_out_argnames=inout, enable_backward=True)
    return attributes_of(op, statics, **options)


def attributes_of(op, statics=(), block_dim=0, devices=()):
    numbers, values, _, _ = _jax_lower(op.rules, None, None, dict(statics), block_dim)
    key, plan = _jax_register(op.kernel, [wp.get_device(d) for d in devices]), np.array(numbers, dtype=np.int32)
    return {
        "call": call_name(key, plan),
        "key": key,
        "kernel": op.kernel.__name__,
        "plan": plan,
        "values": np.frombuffer(values, dtype=np.uint8),
    }


@pytest.fixture
def launch(theirs):
    return Caller(_jax_gpu_handler(True), theirs.stream)


CONSTANT = (1, np.float32(2.0).tobytes())


def test_a_call_runs_on_the_stream_of_xla(theirs, launch):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    launch([x], [y], attributes(affine, [CONSTANT]))
    if LAZY:
        other = theirs.driver.stream()
        assert theirs.read(y, other) == [9.0] * 4, "the call waits for nothing"
        theirs.driver.end_stream(other)
    assert theirs.read(y) == [1.0, 3.0, 5.0, 7.0]


def test_calls_are_in_order_with_what_xla_gives_its_stream(theirs, launch):
    x, y, z = theirs.new([0.0] * 4), theirs.new([9.0] * 4), theirs.new([9.0] * 4)
    theirs.driver.fill(x.address, 0x3F800000, 4, theirs.stream)
    call = attributes(affine, [CONSTANT])
    launch([x], [y], call)
    launch([y], [z], call)
    theirs.driver.fill(y.address, 0, 4, theirs.stream)
    assert (theirs.read(z), theirs.read(y)) == ([7.0] * 4, [0.0] * 4)


def test_outputs_that_the_kernel_leaves_out_are_zero(theirs, launch):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    launch([x], [y], attributes(sparse))
    assert theirs.read(y) == [0.0, 0.0, 2.0, 3.0]


def test_changed_inputs_are_copies_unless_xla_gives_one_memory(theirs, launch):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    call = attributes(increase, inout=["x"])
    launch([x], [y], call)
    assert (theirs.read(x), theirs.read(y)) == (X, [1.0, 2.0, 3.0, 4.0])
    launch([x], [x], call)
    assert theirs.read(x) == [1.0, 2.0, 3.0, 4.0]


def test_arrays_of_vectors_and_of_nothing(theirs, launch):
    x, y = theirs.new([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]), theirs.new([9.0] * 2)
    call = attributes(vectors)
    launch([x], [y], call)
    assert theirs.read(y) == [14.0, 1.0]
    launch([Memory(0, (0, 3))], [Memory(0, (0,))], call)


def test_the_device_is_the_one_of_the_call(second):
    device = Device(1)
    try:
        for ordinal in (1, None):  # an older XLA does not say: the stream's context does
            caller = Caller(_jax_gpu_handler(True), device.stream, ordinal)
            x, y = device.new(X), device.new([9.0] * 4)
            caller([x], [y], attributes(affine, [CONSTANT]))
            assert device.read(y) == [1.0, 3.0, 5.0, 7.0]
    finally:
        device.close()


def test_what_is_launched_is_one_launch_on_that_stream(theirs, launch, double):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    call = attributes(affine, [CONSTANT])
    launch([x], [y], call)
    theirs.read(y)
    before = double.counts()
    launch([x], [y], call)
    theirs.read(y)
    after = double.counts()
    assert after.kernels == before.kernels + 1
    assert (after.allocations, after.modules, after.streams) == (before.allocations, before.modules, before.streams)


def test_kernels_are_loaded_before_the_call(theirs, launch, double):
    @wp.kernel
    def fresh(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * 17.0

    x, y = theirs.new(X), theirs.new([9.0] * 4)
    call = attributes(fresh)
    before = double.counts().modules
    launch([Memory(0, (4,))], [Memory(0, (4,))], call, xla.INITIALIZE)
    assert double.counts().modules == before + 1
    launch([x], [y], call)
    assert double.counts().modules == before + 1
    assert theirs.read(y) == [0.0, 17.0, 34.0, 51.0]


def test_kernels_are_loaded_for_the_devices_that_are_named(double):
    @wp.kernel
    def early(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * 19.0

    before = double.counts().modules
    attributes(early, devices=[GPU])
    assert double.counts().modules == before + 1


@pytest.mark.parametrize("captured", [True, False])
def test_handlers_say_whether_they_can_be_captured(captured):
    metadata = Caller(_jax_gpu_handler(captured), 0).metadata()
    assert (metadata.version.major, metadata.version.minor) == (0, 1)
    assert metadata.traits == (xla.COMMAND_BUFFER_COMPATIBLE if captured else 0)


def test_xla_may_capture_calls(theirs, launch):
    driver = theirs.driver
    x, y, z = theirs.new(X), theirs.new([9.0] * 4), theirs.new([9.0] * 4)
    calls = attributes(affine, [CONSTANT]), attributes(increase, inout=["x"]), attributes(sparse)
    for call in calls:
        launch([x], [y], call, xla.INITIALIZE)
    stream = ctypes.c_void_p(theirs.stream)
    graph, graph_exec = ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuStreamBeginCapture_v2", stream, 1)  # CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
    launch([x], [y], calls[0])
    launch([y], [z], calls[1])
    launch([z], [y], calls[2])
    driver("cuStreamEndCapture", stream, ctypes.byref(graph))
    assert theirs.read(y) == [9.0] * 4
    driver("cuGraphInstantiateWithFlags", ctypes.byref(graph_exec), graph, ctypes.c_uint64(0))
    for values in (X, [5.0, 6.0, 7.0, -8.0]):
        driver.write(x.address, np.array(values, np.float32).tobytes(), theirs.stream)
        driver("cuGraphLaunch", graph_exec, stream)
        expected = [2.0 * v + 1.0 for v in values]
        assert theirs.read(z) == [v + 1.0 for v in expected]
        assert theirs.read(y) == [v + 1.0 if v + 1.0 > 1.5 else 0.0 for v in expected]
    driver("cuGraphExecDestroy", graph_exec)
    driver("cuGraphDestroy", graph)


def test_a_block_has_as_many_threads_as_was_said(theirs, launch):
    @wp.kernel
    def blocks(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] + 23.0

    x, y = theirs.new(X), theirs.new([9.0] * 4)
    launch([x], [y], attributes(blocks, block_dim=2))
    assert theirs.read(y) == [23.0, 24.0, 25.0, 26.0]
    call = attributes(blocks, block_dim=2)
    assert call["plan"][0] == 2 << 8 | 1


def test_gradients_make_memory_in_the_order_of_the_stream(theirs, double):
    op = operator_call.operator(power, what="jax_kernel", num_outputs=1, in_out_argnames=(), enable_backward=True)
    derivative = derive(op, (0,))
    launch = Caller(_jax_gpu_handler(False), theirs.stream)
    x, gradient = theirs.new([1.0, 2.0, 3.0, -2.0]), theirs.new([9.0] * 4)
    n, seed = theirs.new(np.array([3], np.int32).view(np.float32)), theirs.new([1.0] * 4)
    of = {(Where.ARGUMENT, 0): x, (Where.ARGUMENT, 1): Memory(n.address, (1,), np.int32), (Where.GRADIENT, 2): seed}
    given = [of[source] for source in derivative.sources]
    call = attributes_of(derivative.operator)
    launch(given, [gradient], call)
    assert theirs.read(gradient) == [3.0, 12.0, 27.0, 12.0]
    before = double.counts().allocations
    launch(given, [gradient], call)
    theirs.read(gradient)
    wp.synchronize()
    assert double.counts().allocations == before


@pytest.mark.parametrize("stage", [xla.INITIALIZE, xla.EXECUTE])
def test_a_fault_is_reported_by_a_later_call(theirs, launch, stage):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    bad, good = attributes(beyond, [(1, np.int32(100).tobytes())], inout=["x"]), attributes(affine, [CONSTANT])
    launch([x], [y], bad)
    theirs.read(y)
    with pytest.raises(XlaError, match=r"kernel 'beyond': index 10\d is out of range") as raised:
        launch([x], [y], good, stage)
    assert raised.value.code == 9
    launch([x], [y], good)
    assert theirs.read(y) == [1.0, 3.0, 5.0, 7.0]


def test_a_fault_is_told_to_who_waits_first(theirs, launch):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    launch([x], [y], attributes(beyond, [(1, np.int32(100).tobytes())], inout=["x"]))
    theirs.read(y)
    with pytest.raises(IndexError, match="kernel 'beyond'"):
        wp.synchronize()
    launch([x], [y], attributes(affine, [CONSTANT]))


def test_mistakes_are_errors(theirs, launch):
    x, y = theirs.new(X), theirs.new([9.0] * 4)
    call = attributes(affine, [CONSTANT])
    with pytest.raises(XlaError, match="'x' is an array of float32 in 1 dimensions, found one of int32"):
        launch([Memory(x.address, (4,), np.int32)], [y], call)
    with pytest.raises(XlaError, match="XLA does not say the stream of a call: there is no stream"):
        Caller(_jax_gpu_handler(True), None)([x], [y], call)
    with pytest.raises(XlaError, match="on a GPU that the CUDA driver does not show"):
        Caller(_jax_gpu_handler(True), theirs.stream, 99)([x], [y], call)
    # A value in a buffer: it lies on the GPU, and lowering makes an array of it.
    with pytest.raises(XlaError, match="the call does not fit it"):
        launch([x, Memory(y.address, ())], [y], attributes(affine))
