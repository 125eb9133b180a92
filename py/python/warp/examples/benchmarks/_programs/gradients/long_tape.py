"""A tape of 200 launches: a chain of coupled oscillators, and the gradient of its energy at the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec, along, directional

STEPS, DT = 199, 0.05


@wp.kernel
def step(
    x: wp.array[float],
    v: wp.array[float],
    stiffness: wp.array[float],
    dt: float,
    x_out: wp.array[float],
    v_out: wp.array[float],
) -> None:
    i = wp.tid()
    n = x.shape[0]
    left = x[(i + n - 1) % n]
    right = x[(i + 1) % n]
    u = v[i] + dt * (stiffness[i] * (left - 2.0 * x[i] + right) - wp.sin(x[i]))
    v_out[i] = u
    x_out[i] = x[i] + dt * u


@wp.kernel
def energy(x: wp.array[float], v: wp.array[float], loss: wp.array[float]) -> None:
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.5 * v[i] * v[i] + 1.0 - wp.cos(x[i]))


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(15)
    x, v = rng.normal(size=(2, n)).astype(np.float32)
    return x, v, (1 + rng.random(n)).astype(np.float32)


def make(n: int) -> Program:
    places, speeds, springs = start(n)
    stiffness = wp.array(springs, dtype=float, requires_grad=True)
    x: list[Any] = [wp.array(places, dtype=float, requires_grad=True)]
    v: list[Any] = [wp.array(speeds, dtype=float, requires_grad=True)]
    x += [wp.zeros_like(x[0]) for _ in range(STEPS)]
    v += [wp.zeros_like(v[0]) for _ in range(STEPS)]
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    found: list[np.ndarray] = []

    def frame() -> None:
        loss.zero_()
        with wp.Tape() as tape:
            for t in range(STEPS):
                wp.launch(step, dim=n, inputs=[x[t], v[t], stiffness, DT], outputs=[x[t + 1], v[t + 1]])
            wp.launch(energy, dim=n, inputs=[x[STEPS], v[STEPS]], outputs=[loss])
        tape.backward(loss)
        found[:] = [loss.numpy().copy(), along(stiffness.grad.numpy()), along(x[0].grad.numpy())]
        tape.zero()

    return Program(frame, lambda: np.concatenate(found))


def loss_of(x: np.ndarray, v: np.ndarray, stiffness: np.ndarray) -> float:
    for _ in range(STEPS):
        v = v + DT * (stiffness * (np.roll(x, 1) - 2 * x + np.roll(x, -1)) - np.sin(x))
        x = x + DT * v
    return float((0.5 * v**2 + 1 - np.cos(x)).sum())


def expected(n: int, frames: int) -> np.ndarray:
    x, v, k = (a.astype(np.float64) for a in start(n))
    by_stiffness = directional(lambda at: loss_of(x, v, at), k)
    return np.array([loss_of(x, v, k), *by_stiffness, *directional(lambda at: loss_of(at, v, k), x)])


SPEC = Spec("tape of 200 launches, 1e4", make, expected, tiny=16, full=10_000, frames=1, tolerance=2e-3)
