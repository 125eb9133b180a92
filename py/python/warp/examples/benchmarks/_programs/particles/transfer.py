"""Particles and a grid in two dimensions: particles add their mass and momentum to the grid, and take its velocity."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

STEPS = 4  # in a frame
DT, GRAVITY = 0.1, 0.02


@wp.kernel
def scatter(x: wp.array[wp.vec2], v: wp.array[wp.vec2], mass: wp.array2d[float], momentum: wp.array2d[wp.vec2]) -> None:
    p = wp.tid()
    i = int(x[p][0])
    j = int(x[p][1])
    s = x[p][0] - float(i)
    t = x[p][1] - float(j)
    for a in range(2):
        for b in range(2):
            weight = (1.0 - s if a == 0 else s) * (1.0 - t if b == 0 else t)
            wp.atomic_add(mass, i + a, j + b, weight)
            wp.atomic_add(momentum, i + a, j + b, weight * v[p])


@wp.kernel
def update(
    mass: wp.array2d[float], momentum: wp.array2d[wp.vec2], gravity: float, velocity: wp.array2d[wp.vec2]
) -> None:
    i, j = wp.tid()
    u = wp.vec2(0.0, 0.0)
    if mass[i, j] > 0.0:
        u = momentum[i, j] / mass[i, j] - wp.vec2(0.0, gravity)
    if i < 3 or i > mass.shape[0] - 4:
        u[0] = 0.0
    if j < 3 or j > mass.shape[1] - 4:
        u[1] = 0.0
    velocity[i, j] = u


@wp.kernel
def gather(velocity: wp.array2d[wp.vec2], dt: float, x: wp.array[wp.vec2], v: wp.array[wp.vec2]) -> None:
    p = wp.tid()
    i = int(x[p][0])
    j = int(x[p][1])
    s = x[p][0] - float(i)
    t = x[p][1] - float(j)
    low = (1.0 - t) * velocity[i, j] + t * velocity[i, j + 1]
    high = (1.0 - t) * velocity[i + 1, j] + t * velocity[i + 1, j + 1]
    u = (1.0 - s) * low + s * high
    v[p] = u
    x[p] = x[p] + dt * u


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Four particles for each of n x n cells of a grid that is twice as wide, in random order."""
    rng = np.random.default_rng(6)
    x = (0.5 * n + n * rng.random((4 * n * n, 2))).astype(np.float32)
    return x, rng.normal(size=x.shape).astype(np.float32)


def make(n: int) -> Program:
    places, speeds = start(n)
    x, v = wp.array(places, dtype=wp.vec2), wp.array(speeds, dtype=wp.vec2)
    mass = wp.zeros((2 * n, 2 * n), dtype=float)
    momentum, velocity = (wp.zeros((2 * n, 2 * n), dtype=wp.vec2) for _ in range(2))

    def frame() -> None:
        for _ in range(STEPS):
            mass.zero_()
            momentum.zero_()
            wp.launch(scatter, dim=len(places), inputs=[x, v], outputs=[mass, momentum])
            wp.launch(update, dim=mass.shape, inputs=[mass, momentum, GRAVITY], outputs=[velocity])
            wp.launch(gather, dim=len(places), inputs=[velocity, DT], outputs=[x, v])

    return Program(frame, lambda: np.concatenate([x.numpy(), v.numpy()]))


def expected(n: int, frames: int) -> np.ndarray:
    x, v = (a.astype(np.float64) for a in start(n))
    for _ in range(STEPS * frames):
        cell = x.astype(int)
        s = x - cell
        grid = np.zeros((2 * n, 2 * n, 3))
        near = [
            (a, b, (s[:, 0] if a else 1 - s[:, 0]) * (s[:, 1] if b else 1 - s[:, 1])) for a in (0, 1) for b in (0, 1)
        ]
        for a, b, weight in near:
            np.add.at(grid, (cell[:, 0] + a, cell[:, 1] + b), weight[:, None] * np.column_stack([np.ones(len(x)), v]))
        mass = grid[..., :1]
        u = np.divide(grid[..., 1:], mass, out=np.zeros_like(grid[..., 1:]), where=mass > 0)
        u[..., 1] -= np.where(mass[..., 0] > 0, GRAVITY, 0)
        u[[*range(3), *range(-3, 0)], :, 0] = 0
        u[:, [*range(3), *range(-3, 0)], 1] = 0
        v = sum(weight[:, None] * u[cell[:, 0] + a, cell[:, 1] + b] for a, b, weight in near)
        x = x + DT * v
    return np.concatenate([x, v])


SPEC = Spec("particles to grid and back, 2.6e5", make, expected, tiny=12, full=256)
