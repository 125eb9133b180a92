"""Smoothed particle hydrodynamics: a block of water falls apart; neighbours are those of a hash grid."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

H, MASS, DT = 1.5, 1.0, 0.02
STIFFNESS, VISCOSITY, GRAVITY = 3.0, 0.1, 1.0


@wp.kernel
def densities(grid: wp.uint64, x: wp.array[wp.vec3], h: float, mass: float, density: wp.array[float]) -> None:
    i = wp.hash_grid_point_id(grid, wp.tid())
    total = wp.float32(0.0)
    for j in wp.hash_grid_query(grid, x[i], h):
        away = x[i] - x[j]
        q = h * h - wp.dot(away, away)
        if q > 0.0:
            total += q * q * q
    density[i] = mass * total * 315.0 / (64.0 * wp.pi * wp.pow(h, 9.0))


@wp.kernel
def forces(
    grid: wp.uint64, x: wp.array[wp.vec3], v: wp.array[wp.vec3], density: wp.array[float], h: float, mass: float,
    stiffness: float, viscosity: float, a: wp.array[wp.vec3],
) -> None:  # fmt: skip
    i = wp.hash_grid_point_id(grid, wp.tid())
    p = x[i]
    own = stiffness * wp.max(density[i] - 1.0, 0.0)
    total = wp.vec3()
    neighbours = wp.hash_grid_query(grid, p, h)
    j = int(0)
    while wp.hash_grid_query_next(neighbours, j):
        if i != j:
            away = p - x[j]
            r = wp.length(away)
            if r < h and r > 0.0:
                pressure = 0.5 * (own + stiffness * wp.max(density[j] - 1.0, 0.0))
                slope = 45.0 / (wp.pi * wp.pow(h, 6.0)) * (h - r)
                total += (mass / density[j] * pressure * slope * (h - r) / r) * away
                total += (viscosity * mass / density[j] * slope) * (v[j] - v[i])
    a[i] = total / density[i]


@wp.kernel
def move(
    a: wp.array[wp.vec3], gravity: float, dt: float, size: float, x: wp.array[wp.vec3], v: wp.array[wp.vec3]
) -> None:
    i = wp.tid()
    u = v[i] + dt * (a[i] + wp.vec3(0.0, -gravity, 0.0))
    p = x[i] + dt * u
    for k in range(3):
        if p[k] < 0.0:
            p[k] = 0.0
            u[k] = -0.5 * u[k]
        if p[k] > size:
            p[k] = size
            u[k] = -0.5 * u[k]
    v[i] = u
    x[i] = p


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    """n^3 particles at random in a corner of a box, in random order."""
    rng = np.random.default_rng(8)
    at = np.stack(np.meshgrid(*[np.arange(n)] * 3), axis=-1).reshape(-1, 3) + 0.3 * rng.random((n**3, 3))
    return rng.permutation(at).astype(np.float32), (0.2 * rng.normal(size=at.shape)).astype(np.float32)


def make(n: int) -> Program:
    places, speeds = start(n)
    count = len(places)
    x, v, a = wp.array(places, dtype=wp.vec3), wp.array(speeds, dtype=wp.vec3), wp.zeros(count, dtype=wp.vec3)
    density = wp.zeros(count, dtype=float)
    grid = wp.HashGrid(64, 64, 64)

    def frame() -> None:
        grid.build(x, H)
        wp.launch(densities, dim=count, inputs=[grid.id, x, H, MASS], outputs=[density])
        wp.launch(forces, dim=count, inputs=[grid.id, x, v, density, H, MASS, STIFFNESS, VISCOSITY], outputs=[a])
        wp.launch(move, dim=count, inputs=[a, GRAVITY, DT, 1.5 * n], outputs=[x, v])

    return Program(frame, lambda: np.concatenate([x.numpy(), v.numpy()]))


def expected(n: int, frames: int) -> np.ndarray:
    x, v = (a.astype(np.float64) for a in start(n))
    for _ in range(frames):
        away = x[:, None] - x[None]
        r = np.linalg.norm(away, axis=-1)
        density = MASS * 315 / (64 * np.pi * H**9) * (np.maximum(H * H - r * r, 0) ** 3).sum(1)
        pressure = STIFFNESS * np.maximum(density - 1, 0)
        slope = 45 / (np.pi * H**6) * np.maximum(H - r, 0) * (r > 0) * MASS / density
        push = 0.5 * (pressure[:, None] + pressure) * slope * np.maximum(H - r, 0) / np.where(r > 0, r, 1)
        force = np.einsum("ij,ijk->ik", push, away) + VISCOSITY * (slope @ v - slope.sum(1)[:, None] * v)
        v = v + DT * (force / density[:, None] + np.array([0, -GRAVITY, 0]))
        x = x + DT * v
        out = (x < 0) | (x > 1.5 * n)
        x, v = np.clip(x, 0, 1.5 * n), np.where(out, -0.5 * v, v)
    return np.concatenate([x, v])


SPEC = Spec("smoothed particles, 6.4e4", make, expected, tiny=6, full=40)
