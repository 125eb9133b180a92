"""Gravity between all bodies, and the gradient of how near they are to each other with respect to where they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec, along, directional

STEPS, DT, SOFT = 3, 0.05, 0.1


@wp.kernel
def attract(x: wp.array[wp.vec3], m: wp.array[float], soft: float, a: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    p = x[i]
    total = wp.vec3()
    for j in range(x.shape[0]):
        away = x[j] - p
        square = wp.dot(away, away) + soft
        total += away * (m[j] / (square * wp.sqrt(square)))
    a[i] = total


@wp.kernel
def move(
    x: wp.array[wp.vec3], v: wp.array[wp.vec3], a: wp.array[wp.vec3], dt: float,
    x_out: wp.array[wp.vec3], v_out: wp.array[wp.vec3],
) -> None:  # fmt: skip
    i = wp.tid()
    u = v[i] + dt * a[i]
    v_out[i] = u
    x_out[i] = x[i] + dt * u


@wp.kernel
def spread(x: wp.array[wp.vec3], loss: wp.array[float]) -> None:
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[i]))


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(9)
    x, v = rng.normal(size=(2, n, 3)).astype(np.float32)
    return x, 0.1 * v, (rng.random(n) / n).astype(np.float32)


def make(n: int) -> Program:
    places, speeds, masses = start(n)
    x: list[Any] = [wp.array(places, dtype=wp.vec3, requires_grad=True)]
    v: list[Any] = [wp.array(speeds, dtype=wp.vec3, requires_grad=True)]
    m = wp.array(masses, dtype=float)
    a: list[Any] = [wp.zeros(n, dtype=wp.vec3, requires_grad=True) for _ in range(STEPS)]
    x += [wp.zeros_like(x[0]) for _ in range(STEPS)]
    v += [wp.zeros_like(v[0]) for _ in range(STEPS)]
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    found: list[np.ndarray] = []

    def frame() -> None:
        loss.zero_()
        with wp.Tape() as tape:
            for t in range(STEPS):
                wp.launch(attract, dim=n, inputs=[x[t], m, SOFT], outputs=[a[t]])
                wp.launch(move, dim=n, inputs=[x[t], v[t], a[t], DT], outputs=[x[t + 1], v[t + 1]])
            wp.launch(spread, dim=n, inputs=[x[STEPS]], outputs=[loss])
        tape.backward(loss)
        found[:] = [loss.numpy().copy(), along(x[0].grad.numpy())]
        tape.zero()

    return Program(frame, lambda: np.concatenate(found))


def loss_of(x: np.ndarray, v: np.ndarray, m: np.ndarray) -> float:
    for _ in range(STEPS):
        away = x[None] - x[:, None]
        square = (away**2).sum(-1) + SOFT
        v = v + DT * np.einsum("ij,ijk->ik", m * square**-1.5, away)
        x = x + DT * v
    return float((x**2).sum())


def expected(n: int, frames: int) -> np.ndarray:
    x, v, m = (a.astype(np.float64) for a in start(n))
    return np.array([loss_of(x, v, m), *directional(lambda at: loss_of(at, v, m), x)])


SPEC = Spec("gravity with gradients, 1024 bodies", make, expected, tiny=30, full=1024, frames=1, tolerance=1e-3)
