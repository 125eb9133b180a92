"""Remainders that bring an index back by one round, as `(i + 1) % n`: right for any numbers, in lanes and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

LEAST, MOST = -(2**31), 2**31 - 1
EDGES = [LEAST, LEAST + 1, -(2**30) - 1, -(2**30), -7, -2, -1, 0, 1, 2, 5, 2**30 - 1, 2**30, 2**30 + 1, MOST - 1, MOST]


@wp.kernel
def moved(a: wp.array[int], n: wp.array[int], out: wp.array[int]):
    i = wp.tid()
    out[i] = (a[i] + 1) % n[i]


@wp.kernel
def turned(a: wp.array[int], n: wp.array[int], out: wp.array[int]):
    i = wp.tid()
    k = n[i]
    out[i] = (a[i] - 2 + k) % k


def wrapped(x: np.ndarray) -> np.ndarray:
    """As int32 holds it."""
    return (x + 2**31) % 2**32 - 2**31


def remainder(x: np.ndarray, n: np.ndarray) -> np.ndarray:
    """With the sign of the dividend; 0 where the divisor is 0."""
    size = np.abs(x) % np.where(n == 0, 1, np.abs(n))
    return np.where(n == 0, 0, np.sign(x) * size)


@pytest.fixture(params=["never", 8, 16, 32, "auto"])
def lanes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(wp.config, "lanes", request.param)
    return request.param


@pytest.mark.parametrize("kernel", [moved, turned], ids=["moved", "turned"])
def test_edges_of_int32(kernel: wp.Kernel, lanes: Any) -> None:
    """All pairs of edges, and many that lie near each other, as indices do."""
    a, n = (v.ravel() for v in np.meshgrid(EDGES, EDGES))
    rng = np.random.default_rng(0)
    near = rng.integers(1, 50, size=1000)
    a = np.concatenate([a, rng.integers(-60, 110, size=1000)]).astype(np.int64)
    n = np.concatenate([n, near]).astype(np.int64)
    out = wp.zeros(len(a), dtype=int)
    inputs = [wp.array(v.astype(np.int32), dtype=int) for v in (a, n)]
    wp.launch(kernel, dim=len(a), inputs=inputs, outputs=[out])
    at = wrapped(a + 1) if kernel is moved else wrapped(wrapped(a - 2) + n)
    np.testing.assert_array_equal(out.numpy(), remainder(at, n))


@wp.kernel
def ring(u: wp.array2d[float], out: wp.array2d[float]):
    i, j = wp.tid()
    rows = u.shape[0]
    columns = u.shape[1]
    above = u[(i + rows - 1) % rows, j]
    below = u[(i + 1) % rows, j]
    left = u[i, (j - 3 + columns) % columns]
    right = u[i, (j + 3) % columns]
    out[i, j] = above + 2.0 * below + 4.0 * left + 8.0 * right


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 64), (33, 47), (3, 200)])
def test_a_stencil_on_a_ring(shape: tuple[int, int], lanes: Any) -> None:
    u = np.random.default_rng(1).integers(0, 100, size=shape).astype(np.float32)
    out = wp.zeros(shape, dtype=float)
    wp.launch(ring, dim=shape, inputs=[wp.array(u, dtype=float)], outputs=[out])
    left = np.stack([u[:, np.fmod(j - 3 + shape[1], shape[1])] for j in range(shape[1])], axis=1)
    expected = np.roll(u, 1, 0) + 2 * np.roll(u, -1, 0) + 4 * left + 8 * np.roll(u, -3, 1)
    np.testing.assert_array_equal(out.numpy(), expected)
