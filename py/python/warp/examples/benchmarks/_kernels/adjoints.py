"""Adjoints of the kernels of `basic` and `flow`, for `benchmark_native`.

Where there is no formula of NumPy, C's values are what they are held against.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp

from . import basic, flow
from .cases import Case, adjoint


@wp.kernel
def trips(x: wp.array[float], rounds: wp.array[int], out: wp.array[float]) -> None:
    i = wp.tid()
    v = wp.float32(x[i])
    for _k in range(rounds[i]):
        v = wp.sin(v) * wp.exp(-v) + wp.sqrt(v * v + 1.0)
    out[i] = v


# The kernel of n-body with its output last.
@wp.kernel
def pulls(positions: wp.array[wp.vec3], count: int, forces: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    here = positions[i]
    force = wp.vec3(0.0, 0.0, 0.0)
    for j in range(count):
        d = positions[j] - here
        r2 = wp.dot(d, d) + 0.01
        force = force + d * (1.0 / (r2 * wp.sqrt(r2)))
    forces[i] = force


def slope_of(v: np.ndarray) -> np.ndarray:
    """The derivative of one round of the chain."""
    return np.asarray(np.exp(-v) * (np.cos(v) - np.sin(v)) + v / np.sqrt(v * v + 1))


def chain_cases(rng: np.random.Generator) -> Iterator[Case]:
    count, most = 200_000, 16
    x, seed = rng.random((2, count), dtype=np.float32)
    for name, rounds in (("equal", np.full(count, most)), ("random", rng.integers(0, most + 1, size=count))):
        v, slope = x.astype(np.float64), seed.astype(np.float64)
        for k in range(most):
            slope = np.where(k < rounds, slope * slope_of(v), slope)
            v = np.where(k < rounds, flow.chain_of(v), v)
        row, out = f"adjoint of chain, {name} trips, 2e+05", np.zeros_like(x)
        if name == "equal":
            yield adjoint(row, flow.chain, count, [x, most], out, [0], slope, seed=seed, tolerance=1e-4)
        else:
            values = [x, rounds.astype(np.int32)]
            yield adjoint(row, trips, count, values, out, [0], slope, seed=seed, tolerance=1e-4)


def cases() -> Iterator[Case]:
    """All but Rosenbrock's, which is among the kernels; counts have no adjoint."""
    rng = np.random.default_rng(2)
    yield from chain_cases(rng)

    count = 1_000_000
    x, seed = rng.normal(size=(2, count)).astype(np.float32)
    out = np.zeros_like(x)
    v = x.astype(np.float64)
    slope = (3 * np.cos(3 * v) - 2 * v * np.sin(3 * v)) * np.exp(-v * v)
    slope += 0.5 * np.sign(v) / np.sqrt(np.abs(v)) + 2 * v / (1 + v * v)
    name = "adjoint of sin exp sqrt log, 1e+06"
    yield adjoint(name, basic.transcendental, count, [x], out, [0], seed * slope, seed=seed, tolerance=1e-4)

    at = rng.normal(size=(1024, 3)).astype(np.float32)
    seeds, types = rng.normal(size=at.shape).astype(np.float32), {0: wp.vec3, 2: wp.vec3}
    values = [at, len(at)]
    name = "adjoint of n-body, 1024^2"
    yield adjoint(name, pulls, len(at), values, np.zeros_like(at), [0], seed=seeds, types=types, tolerance=1e-2)

    side = 1024
    old, g = rng.random((2, side, side), dtype=np.float32)
    inside, slope = 0.25 * g[1:-1, 1:-1], np.zeros_like(g)
    for i, j in ((0, 1), (2, 1), (1, 0), (1, 2)):
        slope[i : i + side - 2, j : j + side - 2] += inside
    name, dim, out = "adjoint of Jacobi, 1024^2", (side - 2, side - 2), np.zeros_like(old)
    yield adjoint(name, basic.jacobi, dim, [old], out, [0], slope, seed=g, memory_bound=True)

    total, one = np.zeros(1, dtype=np.float32), np.full(1, 0.5, dtype=np.float32)
    more: dict[str, Any] = {"seed": one, "memory_bound": True}
    yield adjoint("adjoint of atomic sum, 1e+06", basic.atomic_sum, count, [x], total, [0], np.full(count, 0.5), **more)

    q, v3 = basic.rotate_values(count, rng)
    seeds = rng.normal(size=v3.shape).astype(np.float32)
    more = {"seed": seeds, "types": basic.ROTATE_TYPES, "tolerance": 1e-4, "memory_bound": True}
    name = "adjoint of quaternion rotation, 1e+06"
    yield adjoint(name, basic.rotate, count, [q, v3], np.zeros_like(v3), [0, 1], **more)

    slope = 2 * seed * (9 * x.astype(np.float64) + 36)
    name, out = "adjoint of components, 1e+06", np.zeros_like(x)
    yield adjoint(name, basic.components, count, [x], out, [0], slope, seed=seed, memory_bound=True)

    few = 100_000
    name, out = "adjoint of min max clamp sign, 1e+05", np.zeros(few, dtype=np.float32)
    x1, x2, seed1 = rng.normal(size=(3, few)).astype(np.float32)
    yield adjoint(name, basic.extremes, few, [x1, x2], out, [0, 1], seed=seed1, memory_bound=True)

    at, numbers = flow.divergent_values(count, rng)
    name, out = "adjoint of divergent gather, 1e+06", np.zeros_like(numbers)
    yield adjoint(name, flow.divergent, count, [at, numbers], out, [1], seed=seed, tolerance=1e-4)

    sparse, out = flow.sparse_values(few, rng), np.zeros(few, dtype=np.float32)
    name = "adjoint of sparse rows, 1e+05"
    yield adjoint(name, flow.sparse_rows, few, sparse, out, [2, 3], seed=seed1, tolerance=1e-4)

    bump, depth = flow.march_values(512, rng)
    seeds = rng.random(bump.shape, dtype=np.float32)
    more = {"seed": seeds, "tolerance": 1e-2, "may_differ": 0.01}
    yield adjoint("adjoint of marching, 512^2", flow.march, bump.shape, [bump, flow.MARCH_ROUNDS], depth, [0], **more)

    field, positions = flow.particle_values(count, 512, rng)
    name, out = "adjoint of particles, 1e+06", np.zeros(count, dtype=np.float32)
    more = {"seed": seed, "types": {1: wp.vec2}, "sizes": [512], "tolerance": 1e-4}
    yield adjoint(name, flow.particles, count, [field, positions], out, [0, 1], **more)
