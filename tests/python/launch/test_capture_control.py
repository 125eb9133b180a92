"""Branches and loops of graphs, and graphs in graphs."""

import numpy as np
import pytest
import warp as wp

from .captured import add, count_down, total


def test_graphs_in_graphs():
    x = wp.zeros(3)
    with wp.ScopedCapture() as inner:
        wp.launch(add, dim=3, inputs=[x, 1.0])
    with wp.ScopedCapture() as outer:
        wp.capture_launch(inner.graph)
        wp.capture_launch(inner.graph)
        with pytest.raises(RuntimeError, match="capture"):
            x.numpy()
    wp.capture_launch(outer.graph)
    assert list(x.numpy()) == [2.0] * 3


@pytest.mark.parametrize("given", ["inside", "outside"])
def test_branches(given):
    x, condition = wp.zeros(1), wp.array([1], dtype=wp.int32)
    with wp.ScopedCapture() as tenth:
        wp.launch(add, dim=1, inputs=[x, 0.1])

    def body(step=1.0):
        wp.launch(add, dim=1, inputs=[x, step])

    def work():
        wp.capture_if(condition, body, tenth.graph, step=2.0)
        wp.capture_if(condition, on_false=body)
        wp.capture_if(condition)

    if given == "inside":
        with wp.ScopedCapture() as capture:
            work()
        run = lambda: wp.capture_launch(capture.graph)  # noqa: E731
    else:
        run = work
    run()
    assert x.numpy()[0] == 2.0
    condition.zero_()
    run()
    np.testing.assert_allclose(x.numpy()[0], 3.1, rtol=1e-6)


@pytest.mark.parametrize("given", ["inside", "outside"])
@pytest.mark.parametrize("kind", ["function", "graph"])
def test_loops(given, kind):
    x, n = wp.zeros(1), wp.array([5], dtype=wp.int32)

    def body():
        wp.launch(count_down, dim=1, inputs=[n])
        wp.launch(add, dim=1, inputs=[x, 1.0])

    with wp.ScopedCapture() as capture:
        body()
    what = body if kind == "function" else capture.graph
    if given == "inside":
        with wp.ScopedCapture() as capture:
            wp.capture_while(n, what)
        assert x.numpy()[0] == 0.0
        wp.capture_launch(capture.graph)
        assert x.numpy()[0] == 5.0
        n.fill_(2)
        wp.capture_launch(capture.graph)
        assert x.numpy()[0] == 7.0
        wp.capture_launch(capture.graph)
        assert x.numpy()[0] == 7.0
    else:
        wp.capture_while(n, what)
        assert x.numpy()[0] == 5.0
    assert n.numpy()[0] == 0


def test_arrays_of_a_body_begin_each_round_as_they_began():
    x, n = wp.zeros(1), wp.array([3], dtype=wp.int32)

    def body():
        sums = wp.zeros(1)
        wp.launch(add, dim=1, inputs=[sums, 2.0])
        wp.launch(total, dim=1, inputs=[sums, x])
        wp.launch(count_down, dim=1, inputs=[n])

    with wp.ScopedCapture() as capture:
        wp.capture_while(n, body)
    wp.capture_launch(capture.graph)
    assert x.numpy()[0] == 6.0


def test_a_body_that_raises():
    x, condition = wp.zeros(1), wp.array([1], dtype=wp.int32)

    def bad():
        wp.launch(add, dim=1, inputs=[x, 1.0])
        raise KeyError("body")

    def ends():
        wp.capture_end()

    with wp.ScopedCapture() as capture:
        with pytest.raises(KeyError):
            wp.capture_if(condition, bad)
        with pytest.raises(KeyError):
            wp.capture_while(condition, bad)
        with pytest.raises(RuntimeError, match="must return first"):
            wp.capture_if(condition, ends)
    assert len(capture.graph) == 0


def test_bad_arguments():
    one = wp.array([1], dtype=wp.int32)
    for bad in (wp.array([1.0]), wp.array([1, 2], dtype=wp.int32), wp.array([1], dtype=wp.int64), 1):
        with pytest.raises(TypeError, match="expected a Warp array of one int32"):
            wp.capture_if(bad, lambda: None)
        with pytest.raises(TypeError, match="expected a Warp array of one int32"):
            wp.capture_while(bad, lambda: None)
    with pytest.raises(TypeError, match="on_true is int"):
        wp.capture_if(one, 3)
    with pytest.raises(TypeError, match="while_body is NoneType"):
        wp.capture_while(one, None)
    for bad in (None, 3):
        with pytest.raises(TypeError, match="expected a wp.Graph"):
            wp.capture_launch(bad)
    with pytest.raises(TypeError, match="stream is int"):
        wp.capture_begin(stream=3)
    with pytest.raises(ValueError, match="external"):
        wp.capture_begin(external=True)
    for refused in (
        lambda: wp.capture_begin(apic=True),
        lambda: wp.capture_save(None, "x"),
        lambda: wp.capture_load("x"),
        lambda: wp.capture_load_from_bytes(b""),
    ):
        with pytest.raises(NotImplementedError, match="graphs"):
            refused()
    with pytest.raises(ValueError, match="cuda:0"):
        wp.capture_begin("cuda:0")
    assert not wp.get_device().is_capturing
