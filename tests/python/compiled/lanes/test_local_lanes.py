"""Local arrays of threads that run in the lanes of vectors: the bits of single threads at any width, and faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

LANES = ["auto", "always", 2, 4, 8, 16, 32, 64]
COUNT = 101


def both(kernel: Any, lanes: Any, make: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What a launch leaves in its arrays: in lanes, and one thread at a time."""
    left = []
    for mode in (lanes, "never"):
        arrays = make(np.random.default_rng(3))
        one = wp.Kernel(kernel.func, options={"lanes": mode})
        wp.launch(one, dim=COUNT, inputs=arrays)
        left.append([a for a in arrays if isinstance(a, np.ndarray)])
    return left[0], left[1]


def check(kernel: Any, lanes: Any, make: Any) -> list[np.ndarray]:
    got, want = both(kernel, lanes, make)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one, other)
    return got


@wp.kernel
def sorted_rows(x: wp.array2d(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    a = wp.zeros(shape=(16,), dtype=float)
    for k in range(n[i]):
        a[k] = x[i, k]
    for k in range(1, n[i]):
        v = a[k]
        j = k - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v
    for k in range(n[i]):
        x[i, k] = a[k]


@pytest.mark.parametrize("lanes", LANES)
def test_indices_that_differ_between_lanes(lanes: Any) -> None:
    def make(rng: np.random.Generator) -> list[Any]:
        return [rng.normal(size=(COUNT, 16)).astype(np.float32), rng.integers(0, 17, COUNT).astype(np.int32)]

    x, n = check(sorted_rows, lanes, make)
    before = make(np.random.default_rng(3))[0]
    for i, count in enumerate(n):
        np.testing.assert_array_equal(x[i, :count], np.sort(before[i, :count]))
        np.testing.assert_array_equal(x[i, count:], before[i, count:])


@wp.kernel
def counted(x: wp.array2d(dtype=int), most: wp.array(dtype=int), old: wp.array(dtype=int)):
    i = wp.tid()
    a = wp.zeros(shape=(3, 5), dtype=int)
    for k in range(x.shape[1]):
        if x[i, k] > 0:
            a[k % 3, x[i, k] - 5] += 1  # from the end
        elif x[i, k] < -2:
            old[i] += wp.atomic_add(a, 2, 4, 10)
            wp.atomic_max(a, 1, k % 5, x[i, k] + 7)
            wp.atomic_exch(a, 0, 3, k)
    for k in range(3):
        for j in range(5):
            most[i] = wp.max(most[i], a[k, j] * (k + 1) + j)


@pytest.mark.parametrize("lanes", LANES)
def test_two_dimensions_and_atomic_operations(lanes: Any) -> None:
    def make(rng: np.random.Generator) -> list[Any]:
        x = rng.integers(-4, 5, (COUNT, 12)).astype(np.int32)
        return [x, np.zeros(COUNT, np.int32), np.zeros(COUNT, np.int32)]

    x, most, old = check(counted, lanes, make)
    for i in range(COUNT):
        a, taken = np.zeros((3, 5), int), 0
        for k, n in enumerate(x[i]):
            if n > 0:
                a[k % 3, n - 5] += 1
            elif n < -2:
                taken += a[2, 4]
                a[2, 4] += 10
                a[1, k % 5] = max(a[1, k % 5], n + 7)
                a[0, 3] = k
        assert old[i] == taken
        assert most[i] == max(0, (a * np.arange(1, 4)[:, None] + np.arange(5)).max())


@wp.func
def filled(a: wp.array(dtype=wp.vec3), v: wp.vec3, n: int):
    for k in range(n):
        a[k] = v * float(k) + wp.vec3(wp.sin(v[0]), wp.cos(v[1]), 1.0)


@wp.kernel
def elements(x: wp.array(dtype=wp.vec3), turn: wp.array(dtype=int), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = wp.zeros(shape=6, dtype=wp.vec3)
    m = wp.zeros(shape=2, dtype=wp.mat22)
    filled(a, x[i], 4)
    a[turn[i]][turn[i] % 3] = 2.0
    m[turn[i] % 2] = wp.mat22(x[i][0], 1.0, x[i][1], 2.0)
    r = wp.vec3()
    for k in range(6):
        r += wp.cross(a[k], a[5 - k] + wp.vec3(1.0, 2.0, 3.0))
    out[i] = r + wp.vec3(m[0][1, 0], m[1][0, 0], m[turn[i] // 3][turn[i] % 2, 1])


@pytest.mark.parametrize("lanes", LANES)
def test_elements_with_components_and_functions(lanes: Any) -> None:
    def make(rng: np.random.Generator) -> list[Any]:
        x = rng.normal(size=(COUNT, 3)).astype(np.float32)
        return [x, rng.integers(0, 6, COUNT).astype(np.int32), np.zeros((COUNT, 3), np.float32)]

    assert np.abs(check(elements, lanes, make)[2]).sum() > COUNT


@pytest.mark.parametrize("dtype", [wp.int8, wp.uint16, wp.int64, wp.float16, wp.bfloat16, wp.float64, wp.bool])
@pytest.mark.parametrize("lanes", ["always", 4, 64])
def test_each_size(lanes: Any, dtype: Any) -> None:
    @wp.kernel
    def moved(x: wp.array2d(dtype=dtype), at: wp.array(dtype=int), out: wp.array2d(dtype=dtype)):
        i = wp.tid()
        a = wp.zeros(shape=7, dtype=dtype)
        for k in range(7):
            if k != at[i]:
                a[k] = x[i, 6 - k]
        a[at[i] // 2] = x[i, 0]
        for k in range(7):
            out[i, k] = a[k]

    rng = np.random.default_rng(5)
    x = wp.array(rng.integers(0, 2 if dtype is wp.bool else 100, (COUNT, 7)), dtype=dtype)
    at = rng.integers(0, 7, COUNT).astype(np.int32)
    out = [wp.zeros((COUNT, 7), dtype=dtype) for _ in range(2)]
    for mode, to in zip((lanes, "never"), out, strict=True):
        wp.launch(wp.Kernel(moved.func, options={"lanes": mode}), dim=COUNT, inputs=[x, at, to])
    given = np.asarray(x.list()).reshape(COUNT, 7)
    want = given[:, ::-1].copy()
    want[np.arange(COUNT), at] = 0
    want[np.arange(COUNT), at // 2] = given[:, 0]
    for to in out:
        np.testing.assert_array_equal(np.asarray(to.list()).reshape(COUNT, 7), want)


@wp.kernel
def beyond(at: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    a = wp.zeros(shape=4, dtype=float)
    a[at[i]] = 1.0
    out[i] = a[0]


@pytest.mark.parametrize("lanes", ["never", *LANES])
def test_an_index_beyond_a_local_array_is_reported(lanes: Any) -> None:
    at = np.zeros(COUNT, np.int32)
    at[[41, 45, 50]] = [-5, 2000, 3000]
    kernel = wp.Kernel(beyond.func, options={"lanes": lanes})
    with pytest.raises(IndexError, match="index -5 is out of range for a dimension of size 4"):
        wp.launch(kernel, dim=COUNT, inputs=[at, np.zeros(COUNT, np.float32)])


@wp.kernel
def recurrence(x: wp.array(dtype=float), n: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    a = wp.zeros(shape=9, dtype=float)
    a[0] = x[i]
    for k in range(n[i]):
        a[k + 1] = wp.sin(a[k]) * 1.5 + a[k // 2]
    out[i] = a[n[i]] * a[wp.abs(n[i] - 3)]


@pytest.mark.parametrize("lanes", LANES)
def test_gradients_have_the_same_bits(lanes: Any) -> None:
    rng = np.random.default_rng(4)
    values, n = rng.uniform(-1, 1, COUNT).astype(np.float32), rng.integers(0, 9, COUNT).astype(np.int32)

    def gradient(mode: Any) -> np.ndarray:
        kernel = wp.Kernel(recurrence.func, options={"lanes": mode})
        x, out = wp.array(values, requires_grad=True), wp.zeros(COUNT, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, dim=COUNT, inputs=[x, n, out])
        tape.backward(grads={out: wp.array(np.ones(COUNT, np.float32))})
        return x.grad.numpy()

    alone = gradient("never")
    np.testing.assert_array_equal(gradient(lanes), alone)
    step = np.float32(1e-3)

    def value(x: float, count: int) -> float:
        a = [x]
        for k in range(count):
            a.append(np.sin(a[k]) * 1.5 + a[k // 2])
        return float(a[count] * (a[abs(count - 3)] if abs(count - 3) <= count else 0.0))

    want = [
        (value(v + step, c) - value(v - step, c)) / (2 * step) for v, c in zip(values.astype(float), n, strict=True)
    ]
    np.testing.assert_allclose(alone, want, rtol=2e-3, atol=2e-3)


def test_arrays_that_would_not_fit_the_cache_are_left_to_single_threads() -> None:
    @wp.kernel
    def large(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.zeros(shape=4096, dtype=float)
        for k in range(4096):
            a[k] = x[(i + k) % x.shape[0]]
        s = float(0.0)
        for k in range(4096):
            s += a[(k * 7 + i) % 4096]
        out[i] = s

    one = wp.Kernel(large.func, options={"lanes": 64})
    x = np.random.default_rng(1).integers(0, 9, COUNT).astype(np.float32)
    out = np.zeros(COUNT, np.float32)
    wp.launch(one, dim=COUNT, inputs=[x, out])
    rounds = np.array([x[(i + np.arange(4096)) % COUNT].sum() for i in range(COUNT)])
    np.testing.assert_array_equal(out, rounds)
    assert "local arrays of all lanes" in str(one.report())
