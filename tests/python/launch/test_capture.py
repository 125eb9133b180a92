"""Captures on the CPU: what is recorded, what a graph does each time, and what a capture refuses."""

import gc
import threading

import numpy as np
import pytest
import warp as wp

from .captured import add, count_down, square


@wp.kernel
def out_of_range(x: wp.array(dtype=float), at: wp.array(dtype=wp.int32)):
    x[at[0]] = 7.0


@wp.struct
class Pair:
    a: wp.array(dtype=float)
    s: float


@wp.kernel
def of_struct(p: Pair):
    i = wp.tid()
    p.a[i] = p.a[i] + p.s


def test_launches_fills_and_copies_run_when_the_graph_does():
    x, y, z = wp.zeros(3), wp.zeros(3), wp.zeros(3)
    assert not wp.get_device().is_capturing
    wp.capture_begin()
    assert wp.get_device().is_capturing
    wp.launch(add, dim=3, inputs=[x, 1.0])
    wp.copy(y, x)
    y[1:] = 5.0
    y[0] = 4.0
    wp.launch(add, dim=3, inputs=[y, 1.0])
    z.assign([1.0, 2.0, 3.0])
    wp.copy(z, y, 1, 0, 1)
    graph = wp.capture_end()
    assert not wp.get_device().is_capturing
    assert isinstance(graph, wp.Graph)
    assert len(graph) == 7
    assert [list(a.numpy()) for a in (x, y, z)] == [[0.0] * 3] * 3
    wp.capture_launch(graph)
    assert [list(a.numpy()) for a in (x, y, z)] == [[1.0] * 3, [5.0, 6.0, 6.0], [1.0, 5.0, 3.0]]
    wp.capture_launch(graph)
    assert list(x.numpy()) == [2.0] * 3


def test_a_scoped_capture():
    x = wp.zeros(3)
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(add, dim=3, inputs=[x, 1.0])
        assert capture.graph is None
    for _ in range(3):
        wp.capture_launch(capture.graph)
    assert list(x.numpy()) == [3.0] * 3

    def fail():
        raise KeyError

    capture = wp.ScopedCapture()
    with pytest.raises(KeyError), capture:
        fail()
    assert capture.graph is None
    assert not wp.get_device().is_capturing
    assert list(x.numpy()) == [3.0] * 3


def test_one_capture_at_a_time():
    with wp.ScopedCapture() as capture:
        with pytest.raises(RuntimeError, match="captures already"):
            wp.capture_begin()
        with pytest.raises(RuntimeError, match="captures already"), wp.ScopedCapture():
            pass
    assert len(capture.graph) == 0
    wp.capture_launch(capture.graph)
    with pytest.raises(RuntimeError, match="captures nothing"):
        wp.capture_end()


def test_arguments_are_held():
    x = wp.zeros(3)
    with wp.ScopedCapture() as capture:
        source = wp.full(3, 2.0)
        wp.launch(add, dim=3, inputs=[source, 1.0])
        wp.copy(x, source)
    del source
    gc.collect()
    junk = [wp.zeros(3) for _ in range(100)]
    for _ in range(2):
        wp.capture_launch(capture.graph)
        assert list(x.numpy()) == [3.0] * 3
    assert all(list(a.numpy()) == [0.0] * 3 for a in junk)


def test_values_are_those_of_the_capture():
    p = Pair(wp.zeros(2), 2.0)
    command = wp.launch(add, dim=2, inputs=[p.a, 10.0], record_cmd=True)
    with wp.ScopedCapture() as capture:
        wp.launch(of_struct, dim=2, inputs=[p])
        command.launch()
    p.s = 100.0
    command.set_param_by_name("s", 1000.0)
    wp.capture_launch(capture.graph)
    assert list(p.a.numpy()) == [12.0, 12.0]


@pytest.mark.parametrize(
    ("make", "first"),
    [
        (lambda: wp.zeros(3), 0.0),
        (lambda: wp.zeros_like(wp.ones(3)), 0.0),
        (lambda: wp.ones(3), 1.0),
        (lambda: wp.full(3, 4.0, dtype=float), 4.0),
        (lambda: wp.array([4.0, 4.0, 4.0], dtype=float), 4.0),
        (lambda: wp.array(np.full(3, 4.0, np.float32)), 4.0),
        (lambda: wp.array(shape=3, dtype=float), 0.0),
        (lambda: wp.clone(wp.full(3, 4.0, dtype=float)), 4.0),
    ],
)
def test_new_arrays_begin_each_run_as_they_began(make, first):
    seen = wp.zeros(3)
    with wp.ScopedCapture() as capture:
        a = make()
        wp.copy(seen, a)
        wp.launch(add, dim=3, inputs=[a, 1.0])
    for _ in range(3):
        wp.capture_launch(capture.graph)
        assert list(seen.numpy()) == [first] * 3
        assert list(a.numpy()) == [first + 1.0] * 3


def test_what_nobody_writes_is_not_set_back():
    y = wp.zeros(3)
    with wp.ScopedCapture() as capture:
        x = wp.full(3, 2.0, dtype=float)
        wp.launch(square, dim=3, inputs=[x], outputs=[y])
    assert len(capture.graph) == 1
    assert list(x.numpy()) == [2.0] * 3


def test_numpy_and_torch_memory_is_read_when_the_graph_runs():
    source, y = np.ones(3, np.float32), wp.zeros(3)
    with wp.ScopedCapture() as capture:
        wp.copy(y, source)
        wp.launch(square, dim=3, inputs=[y], outputs=[y])
    source[:] = 3.0
    wp.capture_launch(capture.graph)
    assert list(y.numpy()) == [9.0] * 3


def test_tensors_are_held():
    torch = pytest.importorskip("torch")
    t, y = torch.ones(3), wp.zeros(3)
    with wp.ScopedCapture() as capture:
        wp.launch(square, dim=3, inputs=[t, y])
        wp.copy(y, wp.from_torch(t))
        wp.launch(square, dim=3, inputs=[t, y])
    t += 1.0
    wp.capture_launch(capture.graph)
    assert list(y.numpy()) == [4.0] * 3
    del t
    gc.collect()
    wp.capture_launch(capture.graph)
    assert list(y.numpy()) == [4.0] * 3


def test_memory_that_a_tensor_was_given_anew_is_refused():
    torch = pytest.importorskip("torch")
    t, y, n = torch.ones(3), wp.zeros(3), wp.zeros(3)
    with wp.ScopedCapture() as capture:
        wp.launch(add, dim=3, inputs=[n, 1.0])
        wp.launch(square, dim=3, inputs=[t, y])
    t.untyped_storage().resize_(1 << 20)
    with pytest.raises(RuntimeError, match="square"):
        wp.capture_launch(capture.graph)
    # Nothing has run.
    assert list(n.numpy()) == [0.0] * 3


LOOKS = {
    "numpy": lambda x: x.numpy(),
    "list": lambda x: x.list(),
    "item": lambda x: x.item(0),
    "str": str,
    "index": lambda x: x[0] if not hasattr(x[0], "numpy") else x[0].numpy(),
    "asarray": np.asarray,
    "bytes": bytes,
    "view": lambda x: x[1:].numpy(),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_the_capture_writes_cannot_be_looked_at(name):
    x, other = wp.zeros(3), wp.zeros(3)
    with wp.ScopedCapture() as capture:
        LOOKS[name](x)
        wp.launch(add, dim=3, inputs=[x, 1.0])
        with pytest.raises((RuntimeError, BufferError), match=r"capture|wp\.capture_launch"):
            LOOKS[name](x)
        LOOKS[name](other)
    LOOKS[name](x)
    wp.capture_launch(capture.graph)
    assert list(x.numpy()) == [1.0] * 3


def test_what_cannot_be_captured_is_refused():
    torch = pytest.importorskip("torch")
    x = wp.zeros(3)
    from warp._warp import interpret

    with wp.ScopedCapture():
        with pytest.raises(RuntimeError, match="interpreter cannot be captured"):
            interpret(add, 3, [x, 1.0])
        wp.launch(add, dim=3, inputs=[x, 1.0])
        with pytest.raises(RuntimeError, match=r"to_torch.*capture"):
            wp.to_torch(x)
        with pytest.raises(RuntimeError, match="capture"):
            wp.copy(wp.zeros(3, dtype=wp.float64), x)
    assert torch.equal(wp.to_torch(x), torch.zeros(3))


def test_errors_in_a_capture_leave_it_going():
    x = wp.zeros(3)
    with wp.ScopedCapture() as capture:
        with pytest.raises(TypeError, match="'s'"):
            wp.launch(add, dim=3, inputs=[x, "no"])
        wp.launch(add, dim=3, inputs=[x, 1.0])
    wp.capture_launch(capture.graph)
    assert list(x.numpy()) == [1.0] * 3


def test_faults_of_a_graph():
    x, y, at = wp.zeros(3), wp.zeros(3), wp.array([1], dtype=wp.int32)
    with wp.ScopedCapture() as capture:
        wp.launch(add, dim=3, inputs=[y, 1.0])
        wp.launch(out_of_range, dim=1, inputs=[x, at])
        wp.launch(add, dim=3, inputs=[y, 1.0])
    wp.capture_launch(capture.graph)
    at.fill_(3)
    with pytest.raises(IndexError, match="out_of_range.*index 3"):
        wp.capture_launch(capture.graph)
    assert list(y.numpy()) == [3.0] * 3


def test_a_graph_as_text(tmp_path):
    x, n = wp.zeros(1), wp.array([3], dtype=wp.int32)
    with wp.ScopedCapture() as capture:
        x.fill_(1.0)
        wp.capture_while(n, lambda: wp.launch(count_down, dim=1, inputs=[n]))
    path = tmp_path / "graph.dot"
    wp.capture_debug_dot_print(capture.graph, str(path))
    text = path.read_text()
    for part in ("digraph", "fill float32[1]", "while", "count_down[1]", "step0 -> step1"):
        assert part in text


def test_other_threads_go_on():
    x, y = wp.zeros(3), wp.zeros(3)
    seen = []

    def other():
        wp.launch(add, dim=3, inputs=[y, 1.0])
        seen.append(list(y.numpy()))
        with wp.ScopedCapture() as own:
            wp.launch(add, dim=3, inputs=[y, 1.0])
        seen.append(len(own.graph))
        with pytest.raises(RuntimeError, match="captures nothing"):
            wp.capture_end()

    with wp.ScopedCapture() as capture:
        wp.launch(add, dim=3, inputs=[x, 1.0])
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [[1.0] * 3, 1]
    assert len(capture.graph) == 1


def test_a_thread_that_ends_in_a_capture():
    thread = threading.Thread(target=wp.capture_begin)
    thread.start()
    thread.join()
    x = wp.zeros(1)
    wp.launch(add, dim=1, inputs=[x, 1.0])
    assert x.numpy()[0] == 1.0


def test_long_and_short_steps_and_threads():
    big, small = wp.zeros(1 << 20), wp.zeros(4)
    with wp.ScopedCapture() as capture:
        for _ in range(100):
            wp.launch(add, dim=4, inputs=[small, 1.0])
        wp.launch(add, dim=1 << 20, inputs=[big, 1.0])
        wp.capture_if(wp.array([1], dtype=wp.int32), lambda: wp.launch(add, dim=1 << 20, inputs=[big, 1.0]))
    for _ in range(3):
        wp.capture_launch(capture.graph)
    assert set(big.numpy()) == {6.0}
    assert set(small.numpy()) == {300.0}


def test_an_endless_loop_is_interrupted():
    import signal

    class StoppedError(Exception):
        pass

    def stop(*_):
        raise StoppedError

    condition, x = wp.array([1], dtype=wp.int32), wp.zeros(1)
    with wp.ScopedCapture() as capture:
        wp.capture_while(condition, lambda: wp.launch(add, dim=1, inputs=[x, 1.0]))
    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(StoppedError):
            wp.capture_launch(capture.graph)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert x.numpy()[0] > 100.0


def test_a_cycle_through_a_graph_is_collected():
    import weakref

    class Holder:
        pass

    holder = Holder()
    gone = weakref.ref(holder)
    data = np.zeros(3, np.float32)

    class Own(np.ndarray):
        pass

    own = data.view(Own)
    with wp.ScopedCapture() as capture:
        wp.launch(add, dim=3, inputs=[own, 1.0])
    own.graph, own.holder = capture.graph, holder
    del own, capture, holder
    gc.collect()
    assert gone() is None


def test_a_function_that_jax_calls_may_capture():
    pytest.importorskip("jax")
    import jax.numpy as jnp
    from warp.jax_experimental import jax_callable

    def function(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        with wp.ScopedCapture() as capture:
            wp.launch(square, dim=3, inputs=[x], outputs=[y])
        wp.capture_launch(capture.graph)

    call = jax_callable(function, num_outputs=1)
    np.testing.assert_array_equal(call(jnp.full(3, 3.0))[0], [9.0] * 3)
