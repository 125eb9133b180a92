"""Python functions that XLA calls on a GPU: callbacks, graphs, and what is lowered."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from warp._jax.callable import _Spec  # noqa: E402
from warp._jax.lowering import TARGET, TARGET_ALONE  # noqa: E402
from warp._jax.place import run_at  # noqa: E402
from warp._warp import (  # noqa: E402
    _jax_callback,
    _jax_capture,
    _jax_captured,
)

from gpu.interop.xla import Caller, XlaError  # noqa: E402

from .jax_calls import GPU, LAZY, Device, X, affine, increase, power, sparse  # noqa: E402


@wp.kernel
def says(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    print(x[i])
    y[i] = x[i]


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
