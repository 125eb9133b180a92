"""Algorithms on GPUs: devices, streams and graphs."""

from __future__ import annotations

import os
from itertools import pairwise

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

from gpu.support import driver

from .samples import GPU, RANDOM, there

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")


LAZY = driver.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") == "lazy"


def test_arrays_on_several_devices_are_refused_by_name():
    a, host = wp.zeros(8, dtype=int, device=GPU), wp.zeros(8, dtype=int, device="cpu")
    one = wp.zeros(1, dtype=int, device="cpu")
    calls = [
        (lambda: array_sum(a, out=one), "values", "out"),
        (lambda: array_inner(a, host), "a", "b"),
        (lambda: array_scan(a, host), "in_array", "out_array"),
        (lambda: radix_sort_pairs(a, host, 4), "keys", "values"),
        (lambda: segmented_sort_pairs(a, wp.zeros_like(a), 4, host), "keys", "segment_start_indices"),
        (lambda: segmented_sort_pairs(a, wp.zeros_like(a), 4, a, host), "keys", "segment_end_indices"),
        (lambda: runlength_encode(a, wp.zeros_like(a), host), "values", "run_lengths"),
        (lambda: runlength_encode(a, wp.zeros_like(a), wp.zeros_like(a), one), "values", "run_count"),
        (lambda: array_cast(a, host), "in_array", "out_array"),
    ]
    for call, first, second in calls:
        for error in (ValueError, RuntimeError):
            with pytest.raises(
                error, match=f'{first} is on the device "cuda:0" and {second} on "cpu"; all arrays must'
            ):
                call()


def test_a_second_gpu(second):
    x = np.arange(100, 0, -1, dtype=np.int32)
    keys = wp.array(np.tile(x, 2), device=second)
    radix_sort_pairs(keys, wp.zeros(200, dtype=int, device=second), 100)
    assert keys.list()[:100] == list(range(1, 101))
    assert array_sum(keys[:100]) == 5050


@wp.kernel
def fill(x: wp.array(dtype=int), base: int):
    i = wp.tid()
    x[i] = (i * 7919 + base) % 101


def test_nothing_waits(double):
    """What launches write is read in the order of the stream, and the host goes on at once."""
    if not LAZY:
        pytest.skip("only where work waits for somebody who waits for it")
    n = 3000
    keys, values = wp.zeros(2 * n, dtype=int, device=GPU), wp.zeros(2 * n, dtype=int, device=GPU)
    sums, lengths, count = (
        wp.zeros(n, dtype=int, device=GPU),
        wp.zeros(n, dtype=int, device=GPU),
        wp.zeros(1, dtype=int, device=GPU),
    )
    starts, total = there(np.array([0, 10, n], np.int32)), wp.zeros(1, dtype=int, device=GPU)

    def act():
        wp.launch(fill, dim=n, inputs=[keys, 5], device=GPU)
        array_scan(keys[:n], sums)
        array_sum(keys[:n], out=total)
        radix_sort_pairs(keys, values, n)
        segmented_sort_pairs(keys, values, n, starts)
        runlength_encode(keys[:n], values[:n], lengths, count)

    act()
    wp.synchronize()
    before = double.counts().kernels
    act()
    assert double.counts().kernels == before
    assert double.counts().pending > 0
    x = (np.arange(n) * 7919 + 5) % 101
    assert total.list() == [x.sum()]
    np.testing.assert_array_equal(sums.numpy(), x.cumsum())
    assert keys.list()[:n] == sorted(x.tolist())
    assert count.list() == [101]


def test_streams_of_their_own():
    stream = wp.Stream(GPU)
    n = 2000
    x, out = wp.zeros(n, dtype=int, device=GPU), wp.zeros(n, dtype=int, device=GPU)
    wp.synchronize()
    with wp.ScopedStream(stream):
        wp.launch(fill, dim=n, inputs=[x, 0], stream=stream)
        array_scan(x, out)
    wp.synchronize_stream(stream)
    np.testing.assert_array_equal(out.numpy(), ((np.arange(n) * 7919) % 101).cumsum())


def test_memory_comes_back(double):
    x = there(RANDOM.integers(0, 99, 10_000).astype(np.int32))
    out = wp.zeros_like(x)

    def act():
        array_scan(x, out)
        radix_sort_pairs(x, out, 5000)
        wp.synchronize()

    act()
    before = double.counts()
    for _ in range(3):
        act()
    after = double.counts()
    assert (after.allocations, after.bytes) == (before.allocations, before.bytes)


def captured(act) -> wp.Graph:
    with wp.ScopedCapture(device=GPU) as capture:
        act()
    return capture.graph


@pytest.mark.parametrize("dtype", [wp.int32, wp.float32, wp.float64])
def test_graphs_give_what_calls_give(dtype):
    """The GPU runs them alone: a launch of the graph waits for nothing, and what changes between runs is read."""
    n = 2500
    kind = wp.dtype_to_numpy(dtype)
    zeros = lambda n, dtype=dtype: wp.zeros(n, dtype=dtype, device=GPU)  # noqa: E731
    source, keys, numbers = zeros(n), zeros(2 * n), zeros(2 * n, int)
    running, total, product, rows = zeros(n), zeros(1), zeros(1), zeros((5, 1))
    run_values, lengths, count = zeros(n), zeros(n, int), zeros(1, int)
    starts, parts, places = (
        there(np.array([0, 700, 701, n], np.int32)),
        zeros(2 * n),
        there(np.arange(2 * n, dtype=np.int32)),
    )
    halves = zeros(n, wp.float16)

    def act():
        wp.copy(keys, source, count=n)
        wp.copy(parts, source, count=n)
        array_scan(source, running, inclusive=False)
        array_sum(source, out=total)
        array_inner(source, source, out=product)
        array_sum(source.reshape((5, n // 5)), out=rows, axis=1)
        radix_sort_pairs(keys, numbers, n)
        segmented_sort_pairs(parts, places, n, starts)
        runlength_encode(keys[:n], run_values, lengths, count)
        array_cast(source, halves)

    graph = captured(act)
    assert count.list() == [0]
    for low, high in [(0, 9), (-40, 40), (5, 6)]:
        x = RANDOM.integers(low, high, n).astype(kind)
        source.assign(x)
        starts.assign(np.array([0, high * 10, 701, n], np.int32))
        wp.synchronize()
        before = driver.get().counts().kernels if LAZY else 0
        wp.capture_launch(graph)
        if LAZY and low != 0:
            assert driver.get().counts().kernels == before
        np.testing.assert_array_equal(running.numpy(), x.cumsum() - x)
        assert total.list() == [x.sum()]
        assert product.list() == [(x * x).sum()]
        np.testing.assert_array_equal(rows.numpy()[:, 0], x.reshape(5, -1).sum(1))
        np.testing.assert_array_equal(keys.numpy()[:n], np.sort(x))
        bounds = [0, high * 10, 701, n]
        in_parts = [np.sort(x[a:b]) for a, b in pairwise(bounds)]
        np.testing.assert_array_equal(parts.numpy()[:n], np.concatenate(in_parts))
        found, times = np.unique(x, return_counts=True)
        assert count.list() == [len(found)]
        np.testing.assert_array_equal(run_values.numpy()[: len(found)], found)
        np.testing.assert_array_equal(lengths.numpy()[: len(found)], times)
        np.testing.assert_array_equal(halves.numpy(), x.astype(np.float16))


def test_kernels_are_loaded_before_a_graph_is_recorded(double, second):
    """Loading may wait for the device."""
    x = wp.array(np.array([3, 3, 4], np.int16), device=second)
    runs, lengths, count = (wp.zeros(3, dtype=t, device=second) for t in (wp.int16, int, int))
    wp.synchronize()
    before = double.counts().modules
    with wp.ScopedCapture(device=second) as capture:
        runlength_encode(x, runs, lengths, count)
    loaded = double.counts().modules
    assert loaded > before
    wp.capture_launch(capture.graph)
    wp.synchronize()
    assert count.list() == [2, 0, 0]
    # Besides, graphs have kernels of their own for copies and conditions.
    assert double.counts().modules <= loaded + 5


def test_loops_of_graphs():
    @wp.kernel
    def count_down(left: wp.array(dtype=int)):
        left[0] = left[0] - 1

    x, left = wp.ones(600, dtype=int, device=GPU), wp.zeros(1, dtype=int, device=GPU)

    def body():
        array_scan(x, x)
        wp.launch(count_down, dim=1, inputs=[left])

    def act():
        left.fill_(2)
        wp.capture_while(left, body)

    graph = captured(act)
    wp.capture_launch(graph)
    np.testing.assert_array_equal(x.numpy(), np.ones(600, int).cumsum().cumsum())


def test_graphs_of_layouts_with_gaps():
    base, out = wp.zeros((300, 2), dtype=int, device=GPU), wp.zeros((300, 3), dtype=int, device=GPU)
    graph = captured(lambda: array_scan(base[:, 1], out[:, 2]))
    for factor in (1, 10):
        base.fill_(factor)
        wp.capture_launch(graph)
        np.testing.assert_array_equal(out.numpy()[:, 2], factor * np.arange(1, 301))
    assert not out.numpy()[:, :2].any()


def test_wrong_segments_of_graphs_are_told_to_who_waits():
    keys, starts = wp.zeros(12, dtype=int, device=GPU), there(np.array([0, 3, 6], np.int32))
    graph = captured(lambda: segmented_sort_pairs(keys, wp.zeros(12, dtype=int, device=GPU), 6, starts))
    starts.assign(np.array([0, 3, 7], np.int32))
    wp.capture_launch(graph)
    with pytest.raises(ValueError, match=r"segment 1 is \[3, 7\)"):
        wp.synchronize()


def test_results_for_python_are_refused_in_captures():
    x = wp.zeros(4, dtype=int, device=GPU)
    with wp.ScopedCapture(device=GPU):
        with pytest.raises(RuntimeError, match="array_sum: within a capture there is no result yet; give out"):
            array_sum(x)
        with pytest.raises(RuntimeError, match="runlength_encode: within a capture .* give run_count"):
            runlength_encode(x, wp.zeros(4, dtype=int, device=GPU), wp.zeros(4, dtype=int, device=GPU))
