"""The kernels of `benchmark_kernels`, from memory-bound ones to all-pairs forces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp

from .cases import Case, adjoint, case


@wp.kernel
def saxpy(x: wp.array[float], y: wp.array[float], a: float) -> None:
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def transcendental(x: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    v = x[i]
    out[i] = wp.sin(3.0 * v) * wp.exp(-v * v) + wp.sqrt(wp.abs(v)) + wp.log(1.0 + v * v)


@wp.kernel
def nbody(positions: wp.array[wp.vec3], forces: wp.array[wp.vec3], count: int) -> None:
    i = wp.tid()
    here = positions[i]
    force = wp.vec3(0.0, 0.0, 0.0)
    for j in range(count):
        d = positions[j] - here
        r2 = wp.dot(d, d) + 0.01
        force = force + d * (1.0 / (r2 * wp.sqrt(r2)))
    forces[i] = force


@wp.kernel
def mandelbrot(counts: wp.array2d[int], side: int, limit: int) -> None:
    i, j = wp.tid()
    cx = -2.2 + 3.2 * float(j) / float(side)
    cy = -1.6 + 3.2 * float(i) / float(side)
    x = wp.float32(0.0)
    y = wp.float32(0.0)
    n = wp.int32(0)
    while n < limit and x * x + y * y <= 4.0:
        t = x * x - y * y + cx
        y = 2.0 * x * y + cy
        x = t
        n = n + 1
    counts[i, j] = n


@wp.kernel
def jacobi(old: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    out[i + 1, j + 1] = 0.25 * (old[i, j + 1] + old[i + 2, j + 1] + old[i + 1, j] + old[i + 1, j + 2])


@wp.kernel
def atomic_sum(x: wp.array[float], total: wp.array[float]) -> None:
    i = wp.tid()
    wp.atomic_add(total, 0, x[i])


@wp.func
def rosenbrock_of(x: float, y: float) -> float:
    height: float = (1.0 - x) ** 2.0 + 100.0 * (y - x**2.0) ** 2.0
    return height


@wp.kernel
def rosenbrock(points: wp.array[wp.vec2], heights: wp.array[float]) -> None:
    i = wp.tid()
    p = points[i]
    heights[i] = rosenbrock_of(p[0], p[1])


@wp.kernel
def rotate(turns: wp.array[wp.quat], vectors: wp.array[wp.vec3], out: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    out[i] = wp.quat_rotate(turns[i], vectors[i])


vec9 = wp.types.vector(length=9, dtype=wp.float32)


@wp.kernel
def components(x: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    v = vec9()
    for k in range(9):
        v[k] = x[i] + float(k)
    s = wp.float32(0.0)
    for k in range(9):
        s += v[k] * v[8 - k]
    out[i] = s


@wp.kernel
def extremes(x: wp.array[float], y: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    a = x[i]
    b = y[i]
    out[i] = wp.clamp(a, 0.0, b) + wp.min(a, b) * wp.max(a, -b) + wp.sign(b) * wp.max(a, 0.5)


@wp.kernel
def grows(out: wp.array[float], first: int, slope: int) -> None:
    i = wp.tid()
    x = wp.float32(0.0)
    for _j in range(first + slope * i):
        x = 0.5 * x + 1.0
    out[i] = x


def saxpy_case(count: int, rng: np.random.Generator) -> Case:
    # y grows with each launch and stays finite for all launches that a run makes.
    x, y = rng.random(count, dtype=np.float32), rng.random(count, dtype=np.float32)
    expected = 0.5 * x + y
    return case(f"saxpy, {count:.0e}", saxpy, count, [x, y, 0.5], expected, result=1, memory_bound=True)


def transcendental_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    x = rng.normal(size=count).astype(np.float32)
    v = x.astype(np.float64)
    expected = np.sin(3 * v) * np.exp(-v * v) + np.sqrt(np.abs(v)) + np.log(1 + v * v)
    return case("sin exp sqrt log, 1e+06", transcendental, count, [x, np.zeros_like(x)], expected)


def nbody_case(rng: np.random.Generator) -> Case:
    count = 2048
    at = rng.normal(size=(count, 3)).astype(np.float32)
    p = at.astype(np.float64)
    expected = np.empty((count, 3))
    for i in range(count):
        d = p - p[i]
        r2 = (d * d).sum(axis=1) + 0.01
        expected[i] = (d / (r2 * np.sqrt(r2))[:, None]).sum(axis=0)
    values = [at, np.zeros_like(at), count]
    types = {0: wp.vec3, 1: wp.vec3}
    return case("n-body, 2048^2", nbody, count, values, expected, result=1, types=types, tolerance=1e-2)


def mandelbrot_case() -> Case:
    side, limit = 512, 100
    step = (np.arange(side, dtype=np.float32) / np.float32(side)) * np.float32(3.2)
    c = (step[None, :] - np.float32(2.2)) + 1j * (step[:, None] - np.float32(1.6))
    z, expected = np.zeros_like(c), np.zeros((side, side), dtype=np.int32)
    for _ in range(limit):
        live = z.real**2 + z.imag**2 <= 4
        expected += live
        z = np.where(live, z * z + c, z)
    values = [np.zeros_like(expected), side, limit]
    return case("Mandelbrot, 512^2", mandelbrot, (side, side), values, expected, result=0, may_differ=0.02)


def jacobi_case(side: int, rng: np.random.Generator) -> Case:
    old = rng.random((side, side), dtype=np.float32)
    expected = np.zeros_like(old)
    expected[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    return case(
        f"Jacobi, {side}^2", jacobi, (side - 2, side - 2), [old, np.zeros_like(old)], expected, memory_bound=True
    )


def atomic_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    x = rng.integers(0, 4, size=count).astype(np.float32)  # sums that float32 holds exactly
    total = x.sum(dtype=np.float64, keepdims=True)
    values = [x, np.zeros(1, dtype=np.float32)]
    return case("atomic sum, 1e+06", atomic_sum, count, values, total, memory_bound=True)


def rosenbrock_cases(rng: np.random.Generator) -> Iterator[Case]:
    count = 1_000_000
    at = rng.normal(size=(count, 2)).astype(np.float32)
    heights = np.zeros(count, dtype=np.float32)
    x, y = at.astype(np.float64).T
    off = y - x * x
    more: dict[str, Any] = {"types": {0: wp.vec2}, "tolerance": 1e-3, "memory_bound": True}
    yield case("Rosenbrock, 1e+06", rosenbrock, count, [at, heights], (1 - x) ** 2 + 100 * off**2, **more)
    slope = np.stack([-2 * (1 - x) - 400 * x * off, 200 * off], axis=1)
    yield adjoint("Rosenbrock adjoint, 1e+06", rosenbrock, count, [at], heights, [0], slope, **more)


def rotate_values(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Unit quaternions and vectors."""
    q = rng.normal(size=(count, 4))
    q = (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(np.float32)
    return q, rng.normal(size=(count, 3)).astype(np.float32)


ROTATE_TYPES = {0: wp.quat, 1: wp.vec3, 2: wp.vec3}


def rotate_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    q, v = rotate_values(count, rng)
    axis, w = q[:, :3].astype(np.float64), q[:, 3:].astype(np.float64)
    t = 2 * np.cross(axis, v)
    expected = v + w * t + np.cross(axis, t)
    values = [q, v, np.zeros_like(v)]
    return case("quaternion rotation, 1e+06", rotate, count, values, expected, types=ROTATE_TYPES, memory_bound=True)


def components_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    x = rng.random(count, dtype=np.float32)
    v = x.astype(np.float64) + np.arange(9.0)[:, None]
    expected = (v * v[::-1]).sum(axis=0)
    return case("vector by components, 1e+06", components, count, [x, np.zeros_like(x)], expected, memory_bound=True)


def extremes_case(rng: np.random.Generator) -> Case:
    count = 100_000
    x, y = rng.normal(size=(2, count)).astype(np.float32)
    a, b = x.astype(np.float64), y.astype(np.float64)
    expected = np.minimum(np.maximum(a, 0), b) + np.minimum(a, b) * np.maximum(a, -b)
    expected += np.where(b < 0, -1, 1) * np.maximum(a, 0.5)
    values = [x, y, np.zeros_like(x)]
    return case("min max clamp sign, 1e+05", extremes, count, values, expected, memory_bound=True)


def uneven_cases() -> Iterator[Case]:
    """Threads whose work grows, or falls, with their index: shared evenly, the time is the same."""
    count = 4096
    for name, first, slope in [("growing", 0, 1), ("falling", count, -1)]:
        rounds = first + slope * np.arange(count, dtype=np.float64)
        values = [np.zeros(count, np.float32), first, slope]
        yield case(f"{name} work, {count}", grows, count, values, 2.0 - 2.0 * 0.5**rounds, result=0)


def cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    yield saxpy_case(100_000, rng)
    yield saxpy_case(10_000_000, rng)
    yield transcendental_case(rng)
    yield nbody_case(rng)
    yield mandelbrot_case()
    yield jacobi_case(1024, rng)
    yield atomic_case(rng)
    yield from rosenbrock_cases(rng)
    yield rotate_case(rng)
    yield components_case(rng)
    yield extremes_case(rng)
    yield from uneven_cases()
