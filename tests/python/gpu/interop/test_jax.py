"""The handlers that XLA calls on GPUs, called as XLA does: on its stream, over its memory, and while it captures."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from warp._jax.callable import _Spec  # noqa: E402
from warp._jax.lowering import TARGET, TARGET_ALONE, call_name  # noqa: E402
from warp._jax.place import run_at  # noqa: E402
from warp._operator import Where, derive  # noqa: E402
from warp._operator import call as operator_call  # noqa: E402
from warp._warp import (  # noqa: E402
    _jax_callback,
    _jax_capture,
    _jax_captured,
    _jax_gpu_handler,
    _jax_lower,
    _jax_register,
)

from gpu.interop import xla  # noqa: E402
from gpu.interop.xla import Caller, Memory, XlaError  # noqa: E402
from gpu.support import driver as drivers  # noqa: E402
from gpu.support.kernels import beyond  # noqa: E402

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
def vectors(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.dot(x[i], x[i])


@wp.kernel
def says(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    print(x[i])
    y[i] = x[i]


@wp.kernel
def power(x: wp.array(dtype=float), n: wp.array(dtype=int), y: wp.array(dtype=float)):
    i = wp.tid()
    z = float(1.0)
    for _ in range(n[0]):
        z = z * x[i]
    y[i] = z


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


@pytest.fixture
def theirs():
    device = Device()
    yield device
    device.close()


@pytest.fixture
def launch(theirs):
    return Caller(_jax_gpu_handler(True), theirs.stream)


X = [0.0, 1.0, 2.0, 3.0]
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


known: dict[str, tuple[object, object]] = {}


def called(name, function, theirs, args, rets, **attrs) -> None:
    """A call of a Python function, as `register_ffi_callback` registers it."""
    handlers = _jax_callback(name, lambda *a: run_at(a[3], function, *a))
    if handlers is not None:
        known[name] = handlers
    Caller(known[name][1], theirs.stream, theirs.ordinal)(args, rets, attrs)


class TestCallbacks:
    """`register_ffi_callback`."""

    def call(self, name, function, theirs, args, rets, **attrs):
        called(name, function, theirs, args, rets, **attrs)

    def test_the_device_and_the_stream_are_those_of_the_call(self, second):
        device = Device(1)
        before = wp.get_device(), wp.get_stream(second).cuda_stream
        try:
            x, y = device.new(X), device.new([9.0] * 4)
            seen = []

            def function(inputs, outputs, attrs, ctx):
                seen.append((ctx.device, ctx.stream, wp.get_device(), wp.get_stream().cuda_stream, attrs["k"]))
                wp.launch(affine, dim=4, inputs=[inputs[0], attrs["k"]], outputs=[outputs[0]])

            self.call("gpu_test_place", function, device, [x], [y], k=np.float32(3.0))
            assert seen == [(second, device.stream, second, device.stream, 3.0)]
            assert device.read(y) == [1.0, 4.0, 7.0, 10.0]
            assert (wp.get_device(), wp.get_stream(second).cuda_stream) == before
        finally:
            wp.synchronize()
            device.close()

    def test_buffers_speak_the_interface_of_cuda(self, theirs):
        x, y = theirs.new(X), theirs.new([9.0] * 4)
        kept = []

        def function(inputs, outputs, attrs, ctx):
            found = inputs[0].__cuda_array_interface__
            assert (found["data"], found["shape"], found["typestr"]) == ((x.address, True), (4,), "<f4")
            assert found["stream"] == theirs.stream
            assert not hasattr(inputs[0], "__array_interface__")
            assert inputs[0].device == outputs[0].device == GPU
            with pytest.raises((ValueError, TypeError, RuntimeError), match="read-only"):
                wp.launch(increase, dim=4, inputs=[inputs[0]])
            wp.copy(wp.array(outputs[0], dtype=float, copy=False), wp.array(inputs[0], dtype=float, copy=False))
            kept.extend(inputs)

        self.call("gpu_test_interface", function, theirs, [x], [y])
        assert theirs.read(y) == X
        with pytest.raises(RuntimeError, match="only be used during the call"):
            _ = kept[0].__cuda_array_interface__

    def test_memory_of_a_call_is_not_given_back_before_its_stream_is_done(self, theirs, double):
        x, y = theirs.new(X), theirs.new([9.0] * 4)
        kept = []

        def function(inputs, outputs, attrs, ctx):
            work = wp.zeros(4, dtype=float)
            kept.append(work)
            wp.launch(affine, dim=4, inputs=[inputs[0], 2.0], outputs=[work])
            wp.launch(affine, dim=4, inputs=[work, 1.0], outputs=[outputs[0]])

        self.call("gpu_test_memory", function, theirs, [x], [y])
        kept.clear()
        poison = wp.full(4, 7.0, dtype=float, device=GPU)
        assert theirs.read(y) == [2.0, 4.0, 6.0, 8.0]
        assert poison.list() == [7.0] * 4


def looks(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y.assign(x.numpy() + 1.0)


def changes(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    calls.append(x.size)
    work = wp.clone(x)
    wp.launch(increase, dim=4, inputs=[x])
    wp.launch(affine, dim=4, inputs=[x, 2.0], outputs=[work])
    wp.launch(sparse, dim=4, inputs=[work], outputs=[y])


calls: list[int] = []


class TestFunctions:
    """Functions that cannot be traced: called back, or as graphs."""

    def host_call(self, function, mode, inout=(), num_outputs=1, **options):
        f = wp.jax.jax_callable(function, num_outputs=num_outputs, graph_mode=mode, in_out_argnames=inout, **options)
        return f, f._host_call(_Spec((), None, None), {0: (4,)})

    def run(self, name, call, theirs, args, rets):
        called(name, lambda inputs, outputs, attrs, ctx: call.function(inputs, outputs), theirs, args, rets)

    def test_a_function_is_called_back(self, theirs):
        x, y = theirs.new(X), theirs.new([9.0] * 4)
        _, call = self.host_call(looks, wp.jax.GraphMode.NONE)
        self.run("gpu_test_none", call, theirs, [x], [y])
        assert theirs.read(y) == [1.0, 2.0, 3.0, 4.0]

    def test_a_graph_for_each_set_of_addresses(self, theirs, double):
        x, y, z = theirs.new(X), theirs.new([9.0] * 4), theirs.new([9.0] * 4)
        f, call = self.host_call(changes, wp.jax.GraphMode.WARP, ["x"], 2, graph_cache_max=2)
        calls.clear()
        before = double.counts().execs
        for values in (X, [-5.0, 0.0, 1.0, 2.0]):
            theirs.driver.write(x.address, np.array(values, np.float32).tobytes(), theirs.stream)
            self.run("gpu_test_warp", call, theirs, [x], [z, y])
            assert theirs.read(x) == values
            assert theirs.read(z) == [v + 1.0 for v in values]
            expected = [2.0 * (v + 1.0) + 1.0 for v in values]
            assert theirs.read(y) == [v if v > 1.5 else 0.0 for v in expected]
        assert len(calls) == 1, "the function runs while it is captured, and no more"
        assert double.counts().execs == before + 1
        self.run("gpu_test_warp", call, theirs, [x], [y, z])
        self.run("gpu_test_warp", call, theirs, [y], [x, z])
        assert len(calls) == 3
        self.run("gpu_test_warp", call, theirs, [x], [z, y])
        assert len(calls) == 4, "two graphs are kept"
        f.clear_graph_cache()
        self.run("gpu_test_warp", call, theirs, [x], [z, y])
        assert len(calls) == 5

    def test_a_graph_is_launched_on_the_stream_of_the_call(self, theirs):
        x, y, z = theirs.new(X), theirs.new([9.0] * 4), theirs.new([9.0] * 4)
        _, call = self.host_call(changes, wp.jax.GraphMode.WARP, ["x"], 2)
        for _ in range(2):
            theirs.driver.fill(z.address, 0, 4, theirs.stream)
            self.run("gpu_test_order", call, theirs, [x], [z, y])
            if LAZY:
                other = theirs.driver.stream()
                assert theirs.read(z, other) != [1.0, 2.0, 3.0, 4.0], "the call waits for nothing"
                theirs.driver.end_stream(other)
            assert theirs.read(z) == [1.0, 2.0, 3.0, 4.0]
            theirs.driver.fill(z.address, 0, 4, theirs.stream)
            theirs.read(z)

    def test_a_graph_for_each_value_that_jax_computes(self, theirs):
        def scales(x: wp.array(dtype=float), k: wp.vec3, y: wp.array(dtype=float)):
            calls.append(0)
            wp.launch(affine, dim=4, inputs=[x, k[1]], outputs=[y])

        x, y, k = theirs.new(X), theirs.new([9.0] * 4), theirs.new([0.0, 2.0, 0.0])
        f = wp.jax.jax_callable(scales, graph_mode=wp.jax.GraphMode.WARP)
        call = f._host_call(_Spec((), None, None), {0: (4,)})
        calls.clear()
        for factor, count in ((2.0, 1), (3.0, 2), (2.0, 2)):
            theirs.driver.write(k.address + 4, np.float32(factor).tobytes(), theirs.stream)
            self.run("gpu_test_value", call, theirs, [x, k], [y])
            assert theirs.read(y) == [factor * v + 1.0 for v in X]
            assert len(calls) == count

    @pytest.mark.parametrize("mode", [wp.jax.GraphMode.WARP_STAGED, wp.jax.GraphMode.WARP_STAGED_EX])
    def test_a_staged_graph_serves_all_addresses(self, theirs, mode):
        x, y, z = theirs.new(X), theirs.new([9.0] * 4), theirs.new([9.0] * 4)
        _, call = self.host_call(changes, mode, ["x"], 2)
        calls.clear()
        for given, first, second in ((x, y, z), (y, z, x), (z, x, y)):
            values = theirs.read(given)
            self.run(f"gpu_test_staged_{mode}", call, theirs, [given], [first, second])
            assert theirs.read(first) == [v + 1.0 for v in values]
            expected = [2.0 * (v + 1.0) + 1.0 for v in values]
            assert theirs.read(second) == [v if v > 1.5 else 0.0 for v in expected]
        assert len(calls) == 1

    def test_some_parameters_are_staged(self, theirs):
        x, y, z = theirs.new(X), theirs.new([9.0] * 4), theirs.new([9.0] * 4)
        staged = wp.jax.GraphMode.WARP_STAGED
        _, call = self.host_call(changes, staged, ["x"], 2, stage_in_argnames=["x"])
        calls.clear()
        for given, first in ((x, y), (y, x), (x, y)):
            self.run("gpu_test_some_staged", call, theirs, [given], [first, z])
        assert len(calls) == 1
        assert theirs.read(y) == [3.0, 4.0, 5.0, 6.0]

    def test_what_a_graph_cannot_hold_is_an_error(self, theirs):
        x, y = theirs.new(X), theirs.new([9.0] * 4)

        def reads_itself(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            wp.launch(affine, dim=4, inputs=[x, 2.0], outputs=[y])
            y.numpy()

        _, call = self.host_call(reads_itself, wp.jax.GraphMode.WARP)
        with pytest.raises(XlaError, match="captur"):
            self.run("gpu_test_illegal", call, theirs, [x], [y])
        assert not wp.get_device(GPU).is_capturing

    @pytest.mark.parametrize("source", [GPU, "cpu"])
    def test_arrays_from_outside_count_with_what_they_hold(self, theirs, source):
        handlers = known.setdefault("captured", _jax_captured("gpu_test_captured") or known.get("captured"))
        y, number = theirs.new([9.0] * 4), 17
        stream = wp.Stream(source) if source == GPU else None
        outside = wp.array(X, dtype=float, device=source)
        _jax_capture(number, outside)
        try:
            for _ in range(2):
                with wp.ScopedStream(stream):
                    wp.launch(increase, dim=4, inputs=[outside], device=source)
                Caller(handlers[1], theirs.stream)([], [y], {"number": np.int64(number)})
                found = theirs.read(y)
                assert found == outside.list()
            assert found == [2.0, 3.0, 4.0, 5.0]
        finally:
            _jax_capture(number, None)


def lowered(function, *arrays) -> str:
    """The program for CUDA, which needs no GPU."""
    text: str = jax.jit(function).trace(*arrays).lower(lowering_platforms=("cuda",)).as_text()
    return text


class TestLowering:
    x = jnp.arange(4.0)

    def test_kernels_are_calls_of_the_handler(self):
        f = wp.jax_kernel(affine)
        text = lowered(lambda x: f(x, 2.0)[0], self.x)
        assert f"@{TARGET}(" in text

    def test_a_value_that_jax_computes_is_an_array(self):
        f = wp.jax_kernel(affine)
        text = lowered(lambda x, k: f(x, k)[0], self.x, jnp.float32(2.0))
        (call,) = (line for line in text.splitlines() if f"@{TARGET}(" in line)
        assert "(tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>" in call

    def test_launches_that_need_the_host_or_memory_are_not_captured(self):
        f = wp.jax_kernel(says)
        assert f"@{TARGET_ALONE}(" in lowered(lambda x: f(x)[0], self.x)

    def test_gradients_that_write_down_values_are_not_captured(self):
        f = wp.jax_kernel(power, enable_backward=True)
        n = jnp.array([3], dtype=jnp.int32)
        text = lowered(jax.value_and_grad(lambda x: f(x, n)[0].sum()), self.x)
        assert (text.count(f"@{TARGET}("), text.count(f"@{TARGET_ALONE}(")) == (1, 1)

    def test_gradients_and_batches(self):
        f = wp.jax_kernel(affine, enable_backward=True)
        gradient = lowered(jax.grad(lambda x: f(x, 2.0)[0].sum()), self.x)
        assert f"@{TARGET}(" in gradient
        batch = lowered(jax.vmap(lambda x: f(x, 2.0)[0]), jnp.ones((3, 4)))
        assert "(tensor<3x4xf32>) -> tensor<3x4xf32>" in batch

    def test_functions_of_several_launches(self):
        def twice(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            work = wp.clone(x)
            wp.launch(increase, dim=x.shape, inputs=[work])
            wp.launch(affine, dim=x.shape, inputs=[work, 2.0], outputs=[y], block_dim=32)

        with wp.ScopedDevice(GPU):
            f = wp.jax.jax_callable(twice)
        text = lowered(lambda x: f(x)[0], self.x)
        assert text.count(f"@{TARGET}(") == 2
        assert text.count(f"plan = dense<[{32 << 8 | 1},") == 1, "the threads of a block are kept"

    def test_functions_that_are_called_back(self):
        f = wp.jax.jax_callable(looks, graph_mode=wp.jax.GraphMode.NONE)
        assert "@warp_host_call(" in lowered(lambda x: f(x)[0], self.x)
