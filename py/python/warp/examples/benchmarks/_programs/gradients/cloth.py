"""Cloth through 100 steps, and the gradient of where it ends with respect to the wind on each particle."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec, along, directional

STEPS, DT, STIFFNESS, DAMPING = 100, 5e-3, 400.0, 1.0


@wp.func
def spring(
    x: wp.array2d[wp.vec3], v: wp.array2d[wp.vec3], i: int, j: int, di: int, dj: int, stiffness: float, damping: float
) -> wp.vec3:
    a = i + di
    b = j + dj
    if a < 0 or b < 0 or a >= x.shape[0] or b >= x.shape[1]:
        return wp.vec3(0.0, 0.0, 0.0)
    rest = wp.sqrt(float(di * di + dj * dj))
    away = x[a, b] - x[i, j]
    length = wp.length(away)
    along = away / length
    return (stiffness * (length - rest) + damping * wp.dot(v[a, b] - v[i, j], along)) * along


@wp.kernel
def step(
    x: wp.array2d[wp.vec3], v: wp.array2d[wp.vec3], wind: wp.array2d[wp.vec3], stiffness: float, damping: float,
    dt: float, x_out: wp.array2d[wp.vec3], v_out: wp.array2d[wp.vec3],
) -> None:  # fmt: skip
    i, j = wp.tid()
    force = wind[i, j] + wp.vec3(0.0, 0.0, -1.0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di != 0 or dj != 0:
                force += spring(x, v, i, j, di, dj, stiffness, damping)
    u = v[i, j] + dt * force
    if i == 0:
        u = wp.vec3(0.0, 0.0, 0.0)
    v_out[i, j] = u
    x_out[i, j] = x[i, j] + dt * u


@wp.kernel
def miss(x: wp.array2d[wp.vec3], target: wp.vec3, loss: wp.array[float]) -> None:
    i, j = wp.tid()
    if i == x.shape[0] - 1:
        wp.atomic_add(loss, 0, wp.length_sq(x[i, j] - target))


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(17)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    x = np.stack([i, j, 0.1 * rng.random((n, n))], axis=-1)
    winds = np.asarray(rng.normal(size=x.shape))
    return x.astype(np.float32), winds.astype(np.float32)


def make(n: int) -> Program:
    places, winds = start(n)
    x: list[Any] = [wp.array(places, dtype=wp.vec3, requires_grad=True)]
    x += [wp.zeros_like(x[0]) for _ in range(STEPS)]
    v: list[Any] = [wp.zeros_like(x[0]) for _ in range(STEPS + 1)]
    wind = wp.array(winds, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    target = wp.vec3(float(n), 0.5 * float(n), 1.0)
    found: list[np.ndarray] = []

    def frame() -> None:
        loss.zero_()
        with wp.Tape() as tape:
            for t in range(STEPS):
                inputs = [x[t], v[t], wind, STIFFNESS, DAMPING, DT]
                wp.launch(step, dim=(n, n), inputs=inputs, outputs=[x[t + 1], v[t + 1]])
            wp.launch(miss, dim=(n, n), inputs=[x[STEPS], target], outputs=[loss])
        tape.backward(loss)
        found[:] = [loss.numpy().copy(), along(wind.grad.numpy())]
        tape.zero()

    return Program(frame, lambda: np.concatenate(found))


def loss_of(x: np.ndarray, wind: np.ndarray) -> float:
    n, v = len(x), np.zeros_like(x)
    for _ in range(STEPS):
        force = wind - [0, 0, 1.0]
        for di, dj in ((1, 0), (0, 1), (1, 1), (1, -1)):
            a = (slice(0, n - di), slice(max(0, -dj), n - max(0, dj)))
            b = (slice(di, n), slice(max(0, dj), n - max(0, -dj)))
            away = x[b] - x[a]
            length = np.linalg.norm(away, axis=-1, keepdims=True)
            unit = away / length
            faster = ((v[b] - v[a]) * unit).sum(-1, keepdims=True)
            pull = (STIFFNESS * (length - np.hypot(di, dj)) + DAMPING * faster) * unit
            force[a] += pull
            force[b] -= pull
        v = v + DT * force
        v[0] = 0
        x = x + DT * v
    return float(((x[-1] - [n, 0.5 * n, 1.0]) ** 2).sum())


def expected(n: int, frames: int) -> np.ndarray:
    x, wind = (a.astype(np.float64) for a in start(n))
    return np.array([loss_of(x, wind), *directional(lambda at: loss_of(x, at), wind)])


SPEC = Spec("gradient of cloth, 64^2, 100 steps", make, expected, tiny=8, full=64, frames=1, tolerance=2e-3)
