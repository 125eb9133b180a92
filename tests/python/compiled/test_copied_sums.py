"""Arrays that a long launch only adds to: threads of the pool do so in copies of their own, and lanes that
meet at one element add their sum."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import warp as wp

LANES: list[Any] = ["never", "auto", "always", 8]
COUNT = 1 << 19  # enough for a launch to be spread over threads


@wp.kernel
def scatter(at: wp.array(dtype=int), x: wp.array(dtype=float), to: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(to, at[i], x[i])


@wp.kernel
def count(at: wp.array(dtype=int), to: wp.array(dtype=wp.int64)):
    i = wp.tid()
    to[at[i]] += wp.int64(1)


@wp.kernel
def count_twice(at: wp.array(dtype=int), a: wp.array(dtype=int), b: wp.array(dtype=int)):
    i = wp.tid()
    wp.atomic_add(a, at[i], 1)
    wp.atomic_add(b, at[i], 2)


@wp.kernel
def gather(at: wp.array(dtype=int), x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[at[i]]
    out[i] = v[0] * v[1] + v[2]


@wp.kernel
def pairs(x: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    total = wp.float64(0.0)
    for j in range(n):
        d = x[j] - x[i % n]
        total += d * d * d
    out[i] = total


@wp.kernel
def shift(x: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = x[i, j] * 2.0 + x[i, j + 1] + x[i + 1, j + 2]


@pytest.fixture(params=LANES, autouse=True)
def lanes(request: pytest.FixtureRequest) -> Any:
    old, wp.config.lanes = wp.config.lanes, request.param
    yield request.param
    wp.config.lanes = old


def numbers(most: int, size: int = COUNT, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, most, size).astype(np.int32)


@pytest.mark.parametrize("most", [1, 3, 100, 40_000, COUNT])
def test_sums_of_floats_and_counts(most: int) -> None:
    at = numbers(most)
    x = np.random.default_rng(2).integers(-8, 8, COUNT).astype(np.float32)  # whose sums are exact
    start = np.arange(most, dtype=np.float32)
    to, counts = wp.array(start), wp.full(most, 5, dtype=wp.int64)
    for _ in range(3):
        wp.launch(scatter, COUNT, [at, x, to])
        wp.launch(count, COUNT, [at, counts])
    np.testing.assert_array_equal(to.numpy(), start + 3 * np.bincount(at, x, most))
    np.testing.assert_array_equal(counts.numpy(), 5 + 3 * np.bincount(at, minlength=most))


def test_what_nobody_adds_to_keeps_its_bits() -> None:
    to = np.full(1000, -0.0, dtype=np.float32)
    to[7] = np.nan
    wp.launch(scatter, COUNT, [2 * numbers(250), np.ones(COUNT, np.float32), to])
    assert np.isnan(to[7])
    assert np.signbit(to[501::2]).all()
    assert to[:500:2].sum() == COUNT


VIEWS = {
    "same": slice(0, 1000),
    "shifted": slice(1, 1001),
    "strided": slice(1, 2001, 2),
    "reversed": slice(999, None, -1),
}


@pytest.mark.parametrize("view", VIEWS)
def test_arrays_that_share_memory(view: str) -> None:
    at, memory = numbers(1000), np.zeros(2002, dtype=np.int32)
    a, b = memory[:1000], memory[VIEWS[view]]
    counts, expected = np.bincount(at, minlength=1000), np.zeros_like(memory)
    expected[:1000] += counts
    expected[VIEWS[view]] += 2 * counts
    for _ in range(2):
        memory[:] = 0
        wp.launch(count_twice, COUNT, [at, wp.array(a, copy=False), wp.array(b, copy=False)])
        np.testing.assert_array_equal(memory, expected)


def test_threads_that_launch_at_once_lose_nothing() -> None:
    at, to = wp.array(numbers(5000)), wp.zeros(5000, dtype=wp.int64)
    wp.launch(count, COUNT, [at, to])

    def work() -> None:
        for _ in range(20):
            wp.launch(count, COUNT, [at, to])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(to.numpy(), 81 * np.bincount(at.numpy(), minlength=5000))


def test_a_fault_among_adds() -> None:
    at = numbers(1000)
    at[COUNT // 2] = 1000
    with pytest.raises(IndexError, match="1000"):
        wp.launch(count, COUNT, [at, wp.zeros(1000, dtype=wp.int64)])


def test_gradient_of_a_gather() -> None:
    most, at = 2000, numbers(2000)
    x = wp.array(np.random.default_rng(3).random((most, 3)).astype(np.float32), dtype=wp.vec3, requires_grad=True)
    out = wp.zeros(COUNT, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(gather, COUNT, [at, x], [out])
    seed = np.random.default_rng(4).random(COUNT).astype(np.float32)
    tape.backward(grads={out: wp.array(seed)})
    v, sums = x.numpy(), np.bincount(at, seed.astype(np.float64), most)
    expected = np.stack([sums * v[:, 1], sums * v[:, 0], sums], axis=-1)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=2e-5)


def test_gradient_of_a_sum_over_all_pairs() -> None:
    n, size = 37, 1 << 14
    x = wp.array(np.random.default_rng(5).random(n), dtype=wp.float64, requires_grad=True)
    out = wp.zeros(size, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(pairs, size, [x, n], [out])
    seed = np.random.default_rng(6).random(size)
    tape.backward(grads={out: wp.array(seed, dtype=wp.float64)})
    v = x.numpy()
    at = np.arange(size) % n
    slope = 3 * (v[None, :] - v[at, None]) ** 2 * seed[:, None]
    expected = slope.sum(axis=0) - np.bincount(at, slope.sum(axis=1), n)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-10, atol=1e-10)


def test_gradient_of_a_stencil() -> None:
    side = 700
    x = wp.zeros((side, side), dtype=float, requires_grad=True)
    out = wp.zeros((side, side), dtype=float, requires_grad=True)
    seed = np.random.default_rng(7).integers(-4, 5, (side, side)).astype(np.float32)
    with wp.Tape() as tape:
        wp.launch(shift, (side - 1, side - 2), [x], [out])
    for rounds in range(1, 4):
        tape.backward(grads={out: wp.array(seed)})
        g, expected = seed[: side - 1, : side - 2], np.zeros_like(seed)
        expected[: side - 1, : side - 2] += 2 * g
        expected[: side - 1, 1 : side - 1] += g
        expected[1:side, 2:side] += g
        np.testing.assert_array_equal(x.grad.numpy(), rounds * expected)


@wp.kernel
def combine(
    x: wp.array(dtype=int),
    n: int,
    lows: wp.array(dtype=int),
    highs: wp.array(dtype=float),
    bits: wp.array(dtype=wp.uint32),
    sums: wp.array(dtype=wp.float16),
):
    i = wp.tid()
    for k in range(n):
        v = x[i] * (k + 1)
        if v % 3 != 0:
            wp.atomic_min(lows, k, v)
            wp.atomic_max(highs, k, float(v))
            wp.atomic_or(bits, k, wp.uint32(v))
        if v > 1000 * n:
            # No thread comes here, and there is no such element.
            wp.atomic_min(lows, n + 1000000, v)
        if i % 1000 == 0:
            wp.atomic_add(sums, k, wp.float16(1.0))


def test_what_lanes_have_for_one_element() -> None:
    n, x = 5, numbers(1000, 100_003)
    lows, highs = wp.full(n, 1 << 30, dtype=int), wp.full(n, -1.0, dtype=float)
    bits, sums = wp.zeros(n, dtype=wp.uint32), wp.zeros(n, dtype=wp.float16)
    wp.launch(combine, len(x), [x, n, lows, highs, bits, sums])
    for k in range(n):
        v = x * (k + 1)
        v = v[v % 3 != 0]
        assert (lows.numpy()[k], highs.numpy()[k]) == ((v.min(), v.max()) if len(v) else (1 << 30, -1))
        assert bits.numpy()[k] == (np.bitwise_or.reduce(v) if len(v) else 0)
    np.testing.assert_array_equal(sums.numpy(), 101)


def test_deterministic_sums_have_the_same_bits_on_any_number_of_threads() -> None:
    values = np.random.default_rng(8).random(37)
    one, two, three = (deterministic_gradient(values, threads) for threads in (1, 2, 3))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, three)


def deterministic_gradient(values: np.ndarray, threads: int) -> np.ndarray:
    old = wp.config.deterministic, wp.config.cpu_threads
    wp.config.deterministic, wp.config.cpu_threads = True, threads
    try:
        x = wp.array(values, dtype=wp.float64, requires_grad=True)
        out = wp.zeros(COUNT, dtype=wp.float64, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(pairs, COUNT, [x, len(values)], [out])
        tape.backward(grads={out: wp.array(np.linspace(0, 1, COUNT), dtype=wp.float64)})
        return np.asarray(x.grad.numpy())
    finally:
        wp.config.deterministic, wp.config.cpu_threads = old
