"""Cloth of masses and springs: a thread for each spring adds its force to both ends."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

STEPS = 10  # in a frame
STIFFNESS, DAMPING, GRAVITY, DT = 4000.0, 2.0, 9.81, 2e-3


@wp.kernel
def pull(
    x: wp.array[wp.vec3], v: wp.array[wp.vec3], ends: wp.array2d[int], rest: wp.array[float],
    stiffness: float, damping: float, f: wp.array[wp.vec3],
) -> None:  # fmt: skip
    s = wp.tid()
    a = ends[s, 0]
    b = ends[s, 1]
    away = x[b] - x[a]
    length = wp.length(away)
    along = away / length
    force = (stiffness * (length - rest[s]) + damping * wp.dot(v[b] - v[a], along)) * along
    wp.atomic_add(f, a, force)
    wp.atomic_sub(f, b, force)


@wp.kernel
def move(
    f: wp.array[wp.vec3], mass: wp.array[float], gravity: wp.vec3, dt: float, x: wp.array[wp.vec3], v: wp.array[wp.vec3]
) -> None:
    i = wp.tid()
    if mass[i] > 0.0:
        v[i] = v[i] + dt * (f[i] / mass[i] + gravity)
        x[i] = x[i] + dt * v[i]
    f[i] = wp.vec3()


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places, masses (0 where the cloth hangs), ends of springs and their lengths at rest."""
    rng = np.random.default_rng(10)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    x = np.stack([i, j, 0.2 * rng.random((n, n))], axis=-1).reshape(-1, 3).astype(np.float32)
    mass = np.ones(n * n, dtype=np.float32)
    mass[[0, n - 1]] = 0
    number = (i * n + j).astype(np.int32)
    ends = []
    for di, dj in ((1, 0), (0, 1), (1, 1), (1, -1)):
        a = number[: n - di, max(0, -dj) : n - max(0, dj)]
        b = number[di:, max(0, dj) : n - max(0, -dj)]
        ends.append(np.stack([a.ravel(), b.ravel()], axis=1))
    springs = np.concatenate(ends)
    flat = x * np.array([1, 1, 0], dtype=np.float32)
    rest = np.linalg.norm(flat[springs[:, 1]] - flat[springs[:, 0]], axis=1)
    return x, mass, springs, rest.astype(np.float32)


def make(n: int) -> Program:
    places, masses, springs, lengths = start(n)
    x, v, f = wp.array(places, dtype=wp.vec3), wp.zeros(n * n, dtype=wp.vec3), wp.zeros(n * n, dtype=wp.vec3)
    mass, ends, rest = wp.array(masses, dtype=float), wp.array(springs, dtype=int), wp.array(lengths, dtype=float)
    gravity = wp.vec3(0.0, 0.0, -GRAVITY)

    def frame() -> None:
        for _ in range(STEPS):
            wp.launch(pull, dim=len(springs), inputs=[x, v, ends, rest, STIFFNESS, DAMPING], outputs=[f])
            wp.launch(move, dim=n * n, inputs=[f, mass, gravity, DT], outputs=[x, v])

    return Program(frame, lambda: np.concatenate([x.numpy(), v.numpy()]))


def expected(n: int, frames: int) -> np.ndarray:
    places, mass, ends, rest = start(n)
    x, v = places.astype(np.float64), np.zeros((n * n, 3))
    a, b = ends.T
    for _ in range(STEPS * frames):
        away = x[b] - x[a]
        length = np.linalg.norm(away, axis=1, keepdims=True)
        along = away / length
        faster = ((v[b] - v[a]) * along).sum(1, keepdims=True)
        force = (STIFFNESS * (length - rest[:, None]) + DAMPING * faster) * along
        f = np.zeros_like(x)
        np.add.at(f, a, force)
        np.subtract.at(f, b, force)
        v = v + np.where(mass[:, None] > 0, DT * (f + np.array([0, 0, -GRAVITY])), 0)
        x = x + DT * v
    return np.concatenate([x, v])


SPEC = Spec("cloth of springs with atomics, 256^2", make, expected, tiny=12, full=256, tolerance=1e-3)
