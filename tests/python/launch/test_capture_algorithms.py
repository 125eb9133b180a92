"""Algorithms of `wp.utils` as steps of graphs: each run gives what they give outside of a capture."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import warp as wp
from warp.utils import (
    array_cast,
    array_inner,
    array_scan,
    array_sum,
    radix_sort_pairs,
    runlength_encode,
    segmented_sort_pairs,
)


def captured(act: Callable[[], object]) -> wp.Graph:
    with wp.ScopedCapture() as capture:
        act()
    return capture.graph


def check(act: Callable[[], object], source: wp.array, outputs: list[wp.array], contents: list[list]) -> None:
    """Runs a graph for each content of the source; the outputs hold what `act` gives at once."""
    before = [out.numpy().copy() for out in outputs]
    graph = captured(act)
    for out, held in zip(outputs, before, strict=True):
        np.testing.assert_array_equal(out.numpy(), held, "nothing has run")
    for content in contents:
        source.assign(np.array(content, source.numpy().dtype).reshape(source.shape))
        wp.capture_launch(graph)
        found = [out.numpy().copy() for out in outputs]
        source.assign(np.array(content, source.numpy().dtype).reshape(source.shape))
        act()
        for out, value in zip(outputs, found, strict=True):
            np.testing.assert_array_equal(value, out.numpy())


FLOATS = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [-1.0, 0.5, 0.0, 8.0, 2.0, 2.0]]


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_sums(axis):
    values = wp.zeros((2, 3), dtype=float)
    out = wp.zeros({None: 1, 0: (1, 3)}.get(axis, (2, 1)), dtype=float)
    check(lambda: array_sum(values, out=out, axis=axis), values, [out], FLOATS)


def test_inner_products():
    a, b, out = (
        wp.zeros(6, dtype=float),
        wp.array([1.0, -1.0, 2.0, 0.0, 3.0, 1.0], dtype=float),
        wp.zeros(1, dtype=float),
    )
    check(lambda: array_inner(a, b, out=out), a, [out], FLOATS)
    assert out.list() == [-1.0 - 0.5 + 0.0 + 0.0 + 6.0 + 2.0]


def test_results_that_are_made_in_the_capture():
    values = wp.array(np.arange(6.0).reshape(2, 3), dtype=float)
    with wp.ScopedCapture() as capture:
        made = array_sum(values, axis=1)
        with pytest.raises(RuntimeError, match="the capture on this thread writes this array"):
            made.numpy()
    wp.capture_launch(capture.graph)
    assert made.numpy().tolist() == [[3.0], [12.0]]
    values.fill_(1.0)
    wp.capture_launch(capture.graph)
    assert made.numpy().tolist() == [[3.0], [3.0]]


@pytest.mark.parametrize("inclusive", [True, False])
@pytest.mark.parametrize("in_place", [True, False])
def test_scans(inclusive, in_place):
    values = wp.zeros(6, dtype=float)
    out = values if in_place else wp.zeros(6, dtype=float)
    check(lambda: array_scan(values, out, inclusive), values, [] if in_place else [out], FLOATS)
    if in_place:
        graph = captured(lambda: array_scan(values, values))
        values.fill_(1.0)
        for _ in range(2):
            wp.capture_launch(graph)
        assert values.list() == [1.0, 3.0, 6.0, 10.0, 15.0, 21.0]


def test_sorts():
    keys, values = wp.zeros(12, dtype=float), wp.array(np.arange(12), dtype=int)
    graph = captured(lambda: radix_sort_pairs(keys, values, 6))
    for content in FLOATS:
        keys.assign(np.array(content + [0.0] * 6, np.float32))
        values.assign(np.arange(12, dtype=np.int32))
        wp.capture_launch(graph)
        assert keys.list()[:6] == sorted(content)
        assert values.list()[:6] == np.argsort(content, kind="stable").tolist()


@pytest.mark.parametrize("with_ends", [True, False])
def test_segments_are_read_when_the_graph_runs(with_ends):
    keys, values = wp.zeros(12, dtype=float), wp.zeros(12, dtype=int)
    starts = wp.array([0, 3, 6], dtype=int)
    ends = wp.array([3, 6, 6], dtype=int) if with_ends else None
    graph = captured(lambda: segmented_sort_pairs(keys, values, 6, starts, ends))
    keys.assign(np.array([3, 2, 1, 6, 5, 4] + [0] * 6, np.float32))
    wp.capture_launch(graph)
    assert keys.list()[:6] == [1, 2, 3, 4, 5, 6]
    keys.assign(np.array([3, 2, 1, 6, 5, 4] + [0] * 6, np.float32))
    starts.assign([0, 2, 6])
    if with_ends:
        ends.assign([2, 6, 6])
    wp.capture_launch(graph)
    assert keys.list()[:6] == [2, 3, 1, 4, 5, 6]
    starts.assign([0, 2, 9])
    if with_ends:
        ends.assign([2, 9, 9])
    with pytest.raises(
        ValueError, match=r"segmented_sort_pairs: segment 1 is \[2, 9\), which is not within the 6 pairs"
    ):
        wp.capture_launch(graph)


def test_runs():
    values = wp.zeros(6, dtype=int)
    runs, lengths, count = wp.zeros(6, dtype=int), wp.zeros(6, dtype=int), wp.zeros(1, dtype=int)
    contents = [[1, 1, 2, 2, 2, 3], [4, 4, 4, 4, 4, 4]]
    check(lambda: runlength_encode(values, runs, lengths, count), values, [runs, lengths, count], contents)
    assert count.list() == [1]


def test_casts():
    values, out = wp.zeros(6, dtype=float), wp.zeros(6, dtype=int)
    check(lambda: array_cast(values, out), values, [out], FLOATS)


def test_arrays_with_gaps():
    """Copies without gaps are made anew by each run, and what is written is put where it belongs."""
    base, target = wp.zeros((6, 2), dtype=float), wp.zeros((6, 3), dtype=float)
    graph = captured(lambda: array_scan(base[:, 1], target[:, 2]))
    for factor in (1.0, 10.0):
        base.assign(np.stack([np.full(6, 9.0), np.full(6, factor)], 1).astype(np.float32))
        wp.capture_launch(graph)
        assert target.numpy()[:, 2].tolist() == [factor * i for i in range(1, 7)]
    assert not target.numpy()[:, :2].any()
    keys = wp.zeros((12, 2), dtype=float)
    values = wp.zeros(12, dtype=int)
    graph = captured(lambda: radix_sort_pairs(keys[:, 0], values, 6))
    keys.assign(np.stack([[5, 3, 4, 1, 2, 0] + [7] * 6, np.arange(12)], 1).astype(np.float32))
    wp.capture_launch(graph)
    assert keys.numpy()[:6, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert keys.numpy()[:, 1].tolist() == list(range(12))


def test_inputs_that_share_memory_with_outputs():
    memory = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)
    graph = captured(lambda: array_scan(memory[:3], memory[1:]))
    wp.capture_launch(graph)
    assert memory.list() == [1.0, 1.0, 3.0, 6.0]
    wp.capture_launch(graph)
    assert memory.list() == [1.0, 1.0, 2.0, 5.0]


def test_algorithms_read_what_steps_before_wrote():
    @wp.kernel
    def squares(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x, y, total = wp.array([1.0, 2.0, 3.0], dtype=float), wp.zeros(3, dtype=float), wp.zeros(1, dtype=float)
    with wp.ScopedCapture() as capture:
        wp.launch(squares, dim=3, inputs=[x, y])
        array_sum(y, out=total)
    wp.capture_launch(capture.graph)
    assert total.list() == [14.0]
    x.fill_(2.0)
    wp.capture_launch(capture.graph)
    assert total.list() == [12.0]


def test_algorithms_in_loops_of_graphs():
    x, total, go_on = wp.array([1.0, 1.0], dtype=float), wp.zeros(1, dtype=float), wp.array([3], dtype=int)

    @wp.kernel
    def count(go_on: wp.array(dtype=int)):
        go_on[0] -= 1

    def body():
        array_scan(x, x)
        wp.launch(count, dim=1, inputs=[go_on])

    with wp.ScopedCapture() as capture:
        wp.capture_while(go_on, body)
        array_sum(x, out=total)
    wp.capture_launch(capture.graph)
    assert x.list() == [1.0, 4.0]
    assert total.list() == [5.0]


def test_a_tape_within_a_capture():
    """A cast that a tape records is a launch, which is a step; and what a gradient needs is kept."""
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    with wp.ScopedCapture() as capture:
        with wp.Tape() as tape:
            array_cast(x, y)
        tape.backward(grads={y: wp.array([3.0, 4.0], dtype=wp.float64)})
    wp.capture_launch(capture.graph)
    assert y.list() == [1.0, 2.0]
    assert x.grad.list() == [3.0, 4.0]


def test_results_for_python_are_refused():
    x = wp.zeros(4, dtype=float)
    ints = wp.zeros(4, dtype=int)
    with wp.ScopedCapture():
        with pytest.raises(RuntimeError, match="array_sum: within a capture there is no result yet; give out"):
            array_sum(x)
        with pytest.raises(RuntimeError, match="array_inner: within a capture .* give out"):
            array_inner(x, x)
        with pytest.raises(RuntimeError, match="runlength_encode: within a capture .* give run_count"):
            runlength_encode(ints, wp.zeros(4, dtype=int), wp.zeros(4, dtype=int))
        with pytest.raises(ValueError, match="axis|must have|elements"):
            array_scan(x, wp.zeros(3, dtype=float))
        read_only = np.zeros(4, np.float32)
        read_only.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            array_scan(x, wp.array(read_only, copy=False))


def test_a_graph_shows_its_algorithms(tmp_path):
    x, total = wp.zeros(4, dtype=float), wp.zeros(1, dtype=float)
    graph = captured(lambda: array_sum(x, out=total))
    wp.capture_debug_dot_print(graph, str(tmp_path / "graph.dot"))
    assert "array_sum float32[4], float32[1]" in (tmp_path / "graph.dot").read_text()


def test_memory_is_held():
    kept, total = [wp.full(1000, 2.0, dtype=float)], wp.zeros(1, dtype=float)
    graph = captured(lambda: array_sum(kept[0], out=total))
    kept.clear()
    trash = [wp.full(1000, 5.0, dtype=float) for _ in range(10)]
    wp.capture_launch(graph)
    assert total.list() == [2000.0]
    del trash
