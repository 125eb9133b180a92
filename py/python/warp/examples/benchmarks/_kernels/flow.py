"""Kernels with control flow and gathers, for `benchmark_native`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp

from .cases import Case, case


@wp.kernel
def chain(x: wp.array[float], rounds: int, out: wp.array[float]) -> None:
    i = wp.tid()
    v = wp.float32(x[i])
    for _k in range(rounds):
        v = wp.sin(v) * wp.exp(-v) + wp.sqrt(v * v + 1.0)
    out[i] = v


@wp.kernel
def divergent(at: wp.array[int], x: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    k = at[i]
    if k < 0:
        return
    v = x[k]
    if v > 0.5:
        s = wp.float32(0.0)
        for q in range(k % 17):
            s += wp.sin(v * float(q))
        out[k] = s
    else:
        out[k] = wp.exp(-v)


@wp.kernel
def sparse_rows(
    starts: wp.array[int],
    columns: wp.array[int],
    a: wp.array[float],
    x: wp.array[float],
    y: wp.array[float],
) -> None:
    i = wp.tid()
    total = wp.float32(0.0)
    for k in range(starts[i], starts[i + 1]):
        total += a[k] * x[columns[k]]
    y[i] = total


@wp.func
def scene(p: wp.vec3) -> float:
    return wp.min(wp.length(p) - 1.0, wp.length(p - wp.vec3(0.7, 0.5, -0.6)) - 0.5)


@wp.kernel
def march(bump: wp.array2d[float], limit: int, depth: wp.array2d[float]) -> None:
    i, j = wp.tid()
    x = 3.0 * float(j) / float(depth.shape[1]) - 1.5
    y = 3.0 * float(i) / float(depth.shape[0]) - 1.5
    ray = wp.normalize(wp.vec3(x, y, 1.5))
    t = wp.float32(0.0)
    d = wp.float32(1.0)
    n = wp.int32(0)
    while n < limit and t < 6.0 and d > 0.001:
        d = scene(t * ray - wp.vec3(0.0, 0.0, 3.0)) - bump[i, j]
        t += d
        n += 1
    depth[i, j] = t


@wp.kernel
def search(ordered: wp.array[float], keys: wp.array[float], found: wp.array[int]) -> None:
    i = wp.tid()
    key = keys[i]
    low = wp.int32(0)
    high = wp.int32(ordered.shape[0])
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < key:
            low = middle + 1
        else:
            high = middle
    found[i] = low


@wp.kernel
def particles(field: wp.array2d[float], positions: wp.array[wp.vec2], out: wp.array[float]) -> None:
    p = wp.tid()
    x = positions[p][0]
    y = positions[p][1]
    j = int(x)
    i = int(y)
    u = x - float(j)
    v = y - float(i)
    near = (1.0 - u) * field[i, j] + u * field[i, j + 1]
    far = (1.0 - u) * field[i + 1, j] + u * field[i + 1, j + 1]
    out[p] = (1.0 - v) * near + v * far


@wp.kernel
def collatz(steps: wp.array[int]) -> None:
    i = wp.tid()
    v = wp.int32(i + 1)
    count = wp.int32(0)
    while v != 1:
        if v % 2 == 0:
            v = v // 2
        else:
            v = 3 * v + 1
        count += 1
    steps[i] = count


def chain_of(v: np.ndarray) -> np.ndarray:
    """One round."""
    return np.asarray(np.sin(v) * np.exp(-v) + np.sqrt(v * v + 1))


def chain_case(rng: np.random.Generator) -> Case:
    count, rounds = 500_000, 16
    x = rng.random(count, dtype=np.float32)
    v = x.astype(np.float64)
    for _ in range(rounds):
        v = chain_of(v)
    return case("chain of 16 iterations, 5e+05", chain, count, [x, rounds, np.zeros_like(x)], v)


def divergent_values(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A permutation with gaps, and numbers on both sides of the branch."""
    at = rng.permutation(count).astype(np.int32)
    at[::17] = -1
    return at, rng.random(count, dtype=np.float32)


def divergent_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    at, x = divergent_values(count, rng)
    v = x.astype(np.float64)
    trips, q = np.arange(count) % 17, np.arange(17)[:, None]
    sums = (np.sin(v * q) * (q < trips)).sum(axis=0)
    expected = np.where(v > 0.5, sums, np.exp(-v))
    expected[np.setdiff1d(np.arange(count), at)] = 0
    return case("divergent gather, 1e+06", divergent, count, [at, x, np.zeros_like(x)], expected)


def sparse_values(rows: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Starts of rows of 0 to 32 entries, their columns and values, and a vector."""
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 33, size=rows))]).astype(np.int32)
    count = int(starts[-1])
    columns = rng.integers(0, rows, size=count).astype(np.int32)
    return [starts, columns, rng.random(count, dtype=np.float32), rng.random(rows, dtype=np.float32)]


def sparse_case(rng: np.random.Generator) -> Case:
    rows = 100_000
    starts, columns, a, x = values = sparse_values(rows, rng)
    sums = np.concatenate([[0], np.cumsum(a.astype(np.float64) * x[columns])])
    expected = sums[starts[1:]] - sums[starts[:-1]]
    values = [*values, np.zeros(rows, dtype=np.float32)]
    return case("sparse rows of 0 to 32, 1e+05", sparse_rows, rows, values, expected, tolerance=1e-4)


MARCH_ROUNDS = 48


def march_values(side: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Heights of bumps, and where the depths go."""
    bump = (0.02 * rng.random((side, side))).astype(np.float32)
    return bump, np.zeros_like(bump)


def march_case(rng: np.random.Generator) -> Case:
    side = 512
    bump, depth = march_values(side, rng)
    at = 3 * np.arange(side, dtype=np.float64) / side - 1.5
    ray = np.stack([*np.broadcast_arrays(at[None, :], at[:, None]), np.full((side, side), 1.5)], axis=-1)
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    t, live = np.zeros((side, side)), np.ones((side, side), dtype=bool)
    for _ in range(MARCH_ROUNDS):
        p = t[live, None] * ray[live] - np.array([0, 0, 3])
        first, second = np.linalg.norm(p, axis=-1) - 1, np.linalg.norm(p - np.array([0.7, 0.5, -0.6]), axis=-1) - 0.5
        d = np.minimum(first, second) - bump[live]
        t[live] += d
        live[live] = (t[live] < 6) & (d > 0.001)
    values = [bump, MARCH_ROUNDS, depth]
    more: dict[str, Any] = {"tolerance": 1e-3, "may_differ": 0.01}
    return case("marching to spheres, 512^2", march, (side, side), values, t, **more)


def search_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    ordered, keys = np.sort(rng.random(100_000, dtype=np.float32)), rng.random(count, dtype=np.float32)
    expected = np.searchsorted(ordered, keys)
    values = [ordered, keys, np.zeros(count, dtype=np.int32)]
    return case("binary search, 1e+06 in 1e+05", search, count, values, expected, sizes=[len(ordered)], tolerance=0.0)


def particle_values(count: int, side: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A field, and positions in it."""
    positions = (rng.random((count, 2)) * (side - 2)).astype(np.float32)
    return rng.random((side, side), dtype=np.float32), positions


def particles_case(rng: np.random.Generator) -> Case:
    count, side = 1_000_000, 512
    field, positions = particle_values(count, side, rng)
    at = positions.astype(np.int32)
    (j, i), (u, v) = at.T, (positions - at).astype(np.float64).T
    expected = (1 - v) * ((1 - u) * field[i, j] + u * field[i, j + 1])
    expected += v * ((1 - u) * field[i + 1, j] + u * field[i + 1, j + 1])
    values = [field, positions, np.zeros(count, dtype=np.float32)]
    return case("particles in a field, 1e+06", particles, count, values, expected, types={1: wp.vec2}, sizes=[side])


def collatz_case() -> Case:
    count = 100_000  # from 113383 on the numbers leave int32
    v, expected = np.arange(1, count + 1), np.zeros(count, dtype=np.int32)
    while (v != 1).any():
        expected += v != 1
        v = np.where(v == 1, 1, np.where(v % 2 == 0, v // 2, 3 * v + 1))
    return case("Collatz, 1e+05", collatz, count, [np.zeros_like(expected)], expected, tolerance=0.0)


def cases() -> Iterator[Case]:
    rng = np.random.default_rng(1)
    yield chain_case(rng)
    yield divergent_case(rng)
    yield sparse_case(rng)
    yield march_case(rng)
    yield search_case(rng)
    yield particles_case(rng)
    yield collatz_case()
