"""Graphs on GPUs: captured once, run as CUDA graphs; and captures that other libraries began."""

from __future__ import annotations

import ctypes
import gc
import os

import numpy as np
import pytest
import warp as wp

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")

GPU = "cuda:0"


@wp.kernel
def add(x: wp.array(dtype=float), amount: float):
    i = wp.tid()
    x[i] = x[i] + amount


@wp.kernel
def double(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 2.0


@wp.kernel
def count_down(x: wp.array(dtype=float), left: wp.array(dtype=int)):
    x[0] = x[0] + 1.0
    left[0] = left[0] - 1


@wp.kernel
def less(x: wp.array(dtype=float), limit: float, answer: wp.array(dtype=int)):
    answer[0] = wp.where(x[0] < limit, 1, 0)


@wp.kernel
def tell(x: wp.array(dtype=float)):
    print(x[wp.tid()])


@wp.kernel
def power(x: wp.array(dtype=float), rounds: wp.array(dtype=int), y: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    for _ in range(rounds[0]):
        v = wp.sin(v) * v
    y[i] = v


@wp.kernel
def beyond(x: wp.array(dtype=float), at: int):
    x[at] = 1.0


def zeros(n: int = 4, dtype=float, device: str = GPU) -> wp.array:
    return wp.zeros(n, dtype=dtype, device=device)


def test_nothing_runs_before_the_graph_is_launched():
    x = zeros()
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(add, dim=4, inputs=[x, 1.0])
        wp.launch(double, dim=4, inputs=[x])
    assert x.list() == [0.0] * 4
    for _ in range(3):
        wp.capture_launch(capture.graph)
    assert x.list() == [14.0] * 4


def test_begin_and_end():
    x = zeros()
    assert not wp.get_device(GPU).is_capturing
    wp.capture_begin(device=GPU)
    assert wp.get_device(GPU).is_capturing
    assert wp.get_stream(GPU).is_capturing
    wp.launch(add, dim=4, inputs=[x, 2.0])
    graph = wp.capture_end(device=GPU)
    assert not wp.get_device(GPU).is_capturing
    wp.capture_launch(graph)
    assert x.list() == [2.0] * 4


def test_a_graph_runs_on_the_stream_that_it_is_given():
    x, stream = zeros(1 << 12), wp.Stream(GPU)
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(add, dim=x.size, inputs=[x, 1.0])
    stream.wait_stream(wp.get_stream(GPU))
    wp.launch(add, dim=x.size, inputs=[x, 10.0], stream=stream)
    wp.capture_launch(capture.graph, stream=stream)
    wp.launch(double, dim=x.size, inputs=[x], stream=stream)
    wp.synchronize_stream(stream)
    assert set(x.list()) == {22.0}


def test_launches_on_several_streams_keep_the_order_of_the_calls():
    x, other = zeros(), wp.Stream(GPU)
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(add, dim=4, inputs=[x, 1.0])
        with wp.ScopedStream(other):
            wp.launch(double, dim=4, inputs=[x])
        wp.wait_stream(other)
        wp.launch(add, dim=4, inputs=[x, 3.0])
    wp.capture_launch(capture.graph)
    assert x.list() == [5.0] * 4


def test_fills_and_copies():
    x, y = zeros(), zeros()
    square = wp.zeros((3, 4), dtype=float, device=GPU)
    vectors = wp.zeros(2, dtype=wp.vec3, device=GPU)
    with wp.ScopedCapture(device=GPU) as capture:
        x.fill_(2.5)
        wp.copy(y, x)
        wp.launch(double, dim=4, inputs=[y])
        x.zero_()
        square[:, 1].fill_(7.0)
        wp.copy(square[2], y)
        vectors.fill_(wp.vec3(1.0, 2.0, 3.0))
    for _ in range(2):
        square.zero_()
        vectors.zero_()
        wp.capture_launch(capture.graph)
        assert x.list() == [0.0] * 4
        assert y.list() == [5.0] * 4
        np.testing.assert_array_equal(square.numpy(), [[0, 7, 0, 0], [0, 7, 0, 0], [5, 5, 5, 5]])
        np.testing.assert_array_equal(vectors.numpy(), [[1, 2, 3], [1, 2, 3]])


def test_arrays_made_in_a_capture_begin_each_run_as_they_began():
    out = zeros()
    with wp.ScopedCapture(device=GPU) as capture:
        made, data = zeros(), wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, device=GPU)
        wp.launch(add, dim=4, inputs=[made, 1.0])
        wp.launch(double, dim=4, inputs=[data])
        wp.launch(add, dim=4, inputs=[data, 1.0])
        wp.copy(out, data)
    del data
    gc.collect()
    for _ in range(3):
        wp.capture_launch(capture.graph)
        assert out.list() == [3.0, 5.0, 7.0, 9.0]
        assert made.list() == [1.0] * 4


def test_a_graph_keeps_its_memory_until_it_is_done():
    out = zeros()
    with wp.ScopedCapture(device=GPU) as capture:
        x = wp.full(4, 3.0, dtype=float, device=GPU)
        wp.launch(double, dim=4, inputs=[x])
        wp.copy(out, x)
    del x
    wp.capture_launch(capture.graph)
    del capture
    gc.collect()
    zeros().fill_(9.0)
    assert out.list() == [6.0] * 4


@pytest.mark.parametrize("start", [0, 1, 5])
def test_loops(start):
    x, left = zeros(1), zeros(1, int)
    with wp.ScopedCapture(device=GPU) as capture:
        left.fill_(start)
        wp.capture_while(left, lambda: wp.launch(count_down, dim=1, inputs=[x, left]))
    for times in (1, 2):
        wp.capture_launch(capture.graph)
        assert x.list() == [float(start * times)]


def test_branches():
    x, condition = zeros(1), zeros(1, int)
    with wp.ScopedCapture(device=GPU) as capture:
        wp.capture_if(
            condition,
            on_true=lambda amount: wp.launch(add, dim=1, inputs=[x, amount]),
            on_false=lambda amount: wp.launch(add, dim=1, inputs=[x, -amount]),
            amount=4.0,
        )
    for value, expected in ((1, 4.0), (0, 0.0), (-3, 4.0), (0, 0.0), (0, -4.0)):
        condition.fill_(value)
        wp.capture_launch(capture.graph)
        assert x.list() == [expected]


def test_branches_in_loops():
    x, left, small = zeros(1), zeros(1, int), zeros(1, int)

    def body():
        wp.launch(less, dim=1, inputs=[x, 3.5, small])
        wp.capture_if(small, on_true=lambda: wp.launch(add, dim=1, inputs=[x, 1.0]), on_false=lambda: x.fill_(10.0))
        wp.launch(count_down, dim=1, inputs=[x, left])

    with wp.ScopedCapture(device=GPU) as capture:
        x.zero_()
        left.fill_(4)
        wp.capture_while(left, body)
        wp.launch(double, dim=1, inputs=[x])
    for _ in range(2):
        wp.capture_launch(capture.graph)
        # 2, 4, 11, 11
        assert x.list() == [22.0]


def test_graphs_in_graphs():
    x, left = zeros(1), zeros(1, int)
    with wp.ScopedCapture(device=GPU) as inner:
        wp.launch(count_down, dim=1, inputs=[x, left])
    with wp.ScopedCapture(device=GPU) as outer:
        left.fill_(3)
        wp.capture_launch(inner.graph)
        wp.capture_while(left, inner.graph)
    wp.capture_launch(outer.graph)
    assert x.list() == [3.0]


def test_conditions_at_once_outside_of_captures():
    x, left = zeros(1), wp.full(1, 3, dtype=int, device=GPU)
    wp.capture_while(left, lambda: wp.launch(count_down, dim=1, inputs=[x, left]))
    wp.capture_if(left, on_false=lambda: wp.launch(double, dim=1, inputs=[x]))
    assert x.list() == [6.0]


def test_kernels_that_record():
    """Their stacks are the graph's, in a branch, too."""
    x = wp.array([0.5, 0.9, 1.1], dtype=float, device=GPU, requires_grad=True)
    y, rounds, yes = wp.zeros_like(x), wp.full(1, 3, dtype=int, device=GPU), wp.full(1, 1, dtype=int, device=GPU)

    def gradient():
        with wp.Tape() as tape:
            wp.launch(power, dim=3, inputs=[x, rounds, y])
        tape.backward(grads={y: seed})

    seed = wp.ones(3, dtype=float, device=GPU)
    gradient()
    expected = x.grad.numpy()
    assert np.all(expected != 0)
    for body in (gradient, lambda: wp.capture_if(yes, on_true=gradient)):
        with wp.ScopedCapture(device=GPU) as capture:
            x.grad.zero_()
            body()
        for _ in range(3):
            wp.capture_launch(capture.graph)
            np.testing.assert_array_equal(x.grad.numpy(), expected)


def test_what_kernels_print_comes_with_each_run(capfd):
    x, yes = wp.full(1, 2.0, dtype=float, device=GPU), wp.full(1, 1, dtype=int, device=GPU)
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(tell, dim=1, inputs=[x])
        wp.launch(double, dim=1, inputs=[x])
        wp.capture_if(yes, on_true=lambda: wp.launch(tell, dim=1, inputs=[x]))
    for _ in range(2):
        wp.capture_launch(capture.graph)
        wp.synchronize()
    assert capfd.readouterr().out.split() == ["2", "4", "4", "8"]


def test_what_the_host_does_lies_between():
    """Kernels on the CPU, and copies to memory that is not pinned."""
    x, host = zeros(), zeros(device="cpu")
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(add, dim=4, inputs=[x, 1.0])
        wp.copy(host, x)
        wp.launch(double, dim=4, inputs=[host], device="cpu")
        wp.copy(x, host)
        wp.launch(add, dim=4, inputs=[x, 0.5])
    for expected in (2.5, 7.5):
        wp.capture_launch(capture.graph)
        assert x.list() == [expected] * 4
    assert host.list() == [7.0] * 4


def test_pinned_memory_is_part_of_the_graph():
    source, target = wp.ones(4, dtype=float, device="cpu", pinned=True), wp.zeros(4, device="cpu", pinned=True)
    x = zeros()
    with wp.ScopedCapture(device=GPU) as capture:
        wp.copy(x, source)
        wp.launch(double, dim=4, inputs=[x])
        wp.copy(target, x)
    for value in (1.0, 5.0):
        source.fill_(value)
        wp.capture_launch(capture.graph)
        wp.synchronize()
        assert target.list() == [2 * value] * 4


def test_faults_are_raised_by_who_waits():
    x = zeros()
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(beyond, dim=1, inputs=[x, 9])
    wp.capture_launch(capture.graph)
    with pytest.raises(IndexError):
        wp.synchronize()


def test_an_exception_ends_the_capture():
    x = zeros()
    capture = wp.ScopedCapture(device=GPU)

    def broken():
        with capture:
            wp.launch(add, dim=4, inputs=[x, 1.0])
            raise KeyError

    with pytest.raises(KeyError):
        broken()
    assert capture.graph is None
    assert not wp.get_device(GPU).is_capturing
    with pytest.raises(RuntimeError, match="captures nothing"):
        wp.capture_end(device=GPU)
    wp.launch(add, dim=4, inputs=[x, 1.0])
    assert x.list() == [1.0] * 4


def test_what_a_capture_writes_is_not_looked_at():
    x = zeros()
    with wp.ScopedCapture(device=GPU):
        wp.launch(add, dim=4, inputs=[x, 1.0])
        with pytest.raises(RuntimeError, match="the capture on this thread writes this array"):
            x.numpy()


def test_external_needs_a_capture_of_others():
    with pytest.raises(RuntimeError, match="no other library captures the stream"):
        wp.capture_begin(device=GPU, external=True)


def test_launches_on_the_cpu_are_graphs_as_ever():
    x = zeros(device="cpu")
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(add, dim=4, inputs=[x, 1.0], device="cpu")
    wp.capture_launch(capture.graph)
    assert x.list() == [1.0] * 4


class Others:
    """A capture of another library, through the driver."""

    def __init__(self, mode: int = 0) -> None:
        self.library = ctypes.CDLL(os.environ.get("WARP_CUDA_DRIVER") or "libcuda.so.1")
        self.stream = wp.Stream(GPU)
        self.handle = ctypes.c_void_p(self.stream.cuda_stream)
        self.graph = ctypes.c_void_p()
        self.run = ctypes.c_void_p()
        self.mode = mode

    def call(self, name: str, *arguments) -> None:
        code = getattr(self.library, name)(*arguments)
        assert code == 0, f"{name}: {code}"

    def enter_context(self) -> None:
        context = ctypes.c_void_p(wp.get_device(GPU).context)
        self.call("cuCtxSetCurrent", context)

    def __enter__(self) -> Others:
        self.enter_context()
        wp.synchronize()
        self.call("cuStreamBeginCapture_v2", self.handle, ctypes.c_uint(self.mode))
        return self

    def __exit__(self, kind, *exception) -> None:
        code = self.library.cuStreamEndCapture(self.handle, ctypes.byref(self.graph))
        if kind is None:
            assert code == 0, code
            flags = ctypes.c_uint64(1)  # as torch does: what a run allocates is given back by the next
            self.call("cuGraphInstantiateWithFlags", ctypes.byref(self.run), self.graph, flags)

    def launch(self) -> None:
        self.call("cuGraphLaunch", self.run, self.handle)
        wp.synchronize_stream(self.stream)


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_captures_of_others_take_what_we_do(mode):
    x, y = zeros(), zeros()
    square, vectors = wp.zeros((3, 4), dtype=float, device=GPU), wp.zeros(2, dtype=wp.vec3, device=GPU)
    wp.launch(add, dim=4, inputs=[x, 0.0])
    others = Others(mode)
    with others, wp.ScopedStream(others.stream, sync_enter=False):
        assert wp.get_device(GPU).is_capturing
        wp.launch(add, dim=4, inputs=[x, 1.0])
        wp.launch(double, dim=4, inputs=[x])
        wp.copy(y, x)
        square[:, 1].fill_(2.0)
        vectors.fill_(wp.vec3(1.0, 2.0, 3.0))
    assert x.list() == [0.0] * 4
    for expected in (2.0, 6.0):
        others.launch()
        assert x.list() == [expected] * 4
        assert y.list() == [expected] * 4
    assert square.numpy()[:, 1].tolist() == [2.0] * 3
    assert vectors.numpy().tolist() == [[1.0, 2.0, 3.0]] * 2


def test_kernels_are_compiled_and_record_in_captures_of_others():
    """A first launch loads code, and a kernel that records takes memory."""

    @wp.kernel
    def own(x: wp.array(dtype=float), rounds: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        v = x[i]
        for _ in range(rounds[0]):
            v = wp.cos(v) * v
        y[i] = v

    x = wp.array([0.5, 0.9], dtype=float, device=GPU, requires_grad=True)
    y, rounds = wp.zeros_like(x), wp.full(1, 3, dtype=int, device=GPU)
    seed = wp.ones(2, dtype=float, device=GPU)
    others = Others()
    with others, wp.ScopedStream(others.stream, sync_enter=False):
        wp.launch(
            own, dim=2, inputs=[x, rounds], outputs=[y], adj_inputs=[x.grad, None], adj_outputs=[seed], adjoint=True
        )
    others.launch()
    once = x.grad.numpy().copy()
    assert np.all(once != 0)
    others.launch()
    np.testing.assert_allclose(x.grad.numpy(), 2 * once)


def test_memory_that_goes_meanwhile_waits_for_the_end():
    x = zeros()
    gone = wp.full(1 << 16, 1.0, dtype=float, device=GPU)
    others = Others()
    with others, wp.ScopedStream(others.stream, sync_enter=False):
        wp.launch(add, dim=4, inputs=[x, 1.0])
        del gone
        gc.collect()
        made = wp.zeros(4, dtype=float, device=GPU)
        wp.launch(add, dim=4, inputs=[made, 3.0])
        wp.copy(x, made)
        del made
        gc.collect()
    others.launch()
    assert x.list() == [3.0] * 4
    wp.synchronize()
    zeros()


def test_copies_that_a_graph_could_not_repeat_are_refused():
    """And the capture of the others goes on."""
    x = zeros()
    others = Others()
    with others, wp.ScopedStream(others.stream, sync_enter=False):
        for copy in (lambda: x.numpy(), lambda: wp.copy(x, zeros(device="cpu"))):
            with pytest.raises(RuntimeError, match="memory of the host that is not pinned cannot be captured"):
                copy()
        wp.launch(add, dim=4, inputs=[x, 1.0])
    others.launch()
    assert x.list() == [1.0] * 4


def test_a_graph_of_ours_is_part_of_a_capture_of_others():
    x, left = zeros(1), zeros(1, int)
    with wp.ScopedCapture(device=GPU) as capture:
        left.fill_(2)
        wp.launch(count_down, dim=1, inputs=[x, left])
    others = Others()
    with others, wp.ScopedStream(others.stream, sync_enter=False):
        wp.capture_launch(capture.graph)
        wp.launch(double, dim=1, inputs=[x])
    others.launch()
    assert x.list() == [2.0]
    assert left.list() == [1]


def test_external_records_nothing_itself():
    x = zeros()
    others = Others()
    with others, wp.ScopedStream(others.stream, sync_enter=False):
        with wp.ScopedCapture(device=GPU, external=True) as capture:
            wp.launch(add, dim=4, inputs=[x, 1.0])
        assert capture.graph is None
    others.launch()
    assert x.list() == [1.0] * 4
