"""Extended position-based dynamics (Macklin et al., 2016): a net of distance constraints, solved colour by colour."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

SUBSTEPS, DT = 8, 1 / 60
COMPLIANCE, GRAVITY = 1e-4, 9.81


@wp.kernel
def predict(
    x: wp.array[wp.vec3], w: wp.array[float], gravity: float, dt: float, v: wp.array[wp.vec3], old: wp.array[wp.vec3]
) -> None:
    i = wp.tid()
    old[i] = x[i]
    if w[i] == 0.0:
        return
    v[i] = v[i] - wp.vec3(0.0, 0.0, dt * gravity)
    x[i] = x[i] + dt * v[i]


@wp.kernel
def solve(
    ends: wp.array[wp.vec2i], rest: wp.array[float], w: wp.array[float], softness: float, x: wp.array[wp.vec3]
) -> None:
    """The constraints of one colour, which share no particle."""
    c = wp.tid()
    a = ends[c][0]
    b = ends[c][1]
    both = w[a] + w[b]
    if both == 0.0:
        return
    away = x[b] - x[a]
    length = wp.length(away)
    change = (length - rest[c]) / (both + softness) / length * away
    x[a] = x[a] + w[a] * change
    x[b] = x[b] - w[b] * change


@wp.kernel
def collide(centre: wp.vec3, radius: float, x: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    away = x[i] - centre
    far = wp.length(away)
    if far < radius:
        x[i] = centre + away * (radius / far)


@wp.kernel
def speed(x: wp.array[wp.vec3], old: wp.array[wp.vec3], dt: float, v: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    v[i] = (x[i] - old[i]) / dt


def start(n: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Places, inverse masses, and the constraints of each colour: along rows and columns, even and odd."""
    rng = np.random.default_rng(11)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    x = np.stack([i, j, 0.1 * rng.random((n, n))], axis=-1).reshape(-1, 3)
    w = np.ones(n * n)
    w[[0, n - 1, n * n - n, n * n - 1]] = 0
    number = i * n + j
    colours = []
    for turned in (number, number.T):
        for first in (0, 1):
            a, b = turned[first : n - 1 : 2], turned[first + 1 :: 2]
            colours.append(np.stack([a.ravel(), b.ravel()], axis=1).astype(np.int32))
    return x.astype(np.float32), w.astype(np.float32), colours


def make(n: int) -> Program:
    places, weights, colours = start(n)
    x, w = wp.array(places, dtype=wp.vec3), wp.array(weights, dtype=float)
    v, old = wp.zeros(n * n, dtype=wp.vec3), wp.zeros(n * n, dtype=wp.vec3)
    constraints = [(wp.array(ends, dtype=wp.vec2i), wp.ones(len(ends), dtype=float)) for ends in colours]
    ball = wp.vec3(0.5 * n, 0.5 * n, -0.3 * n)
    dt = DT / SUBSTEPS

    def frame() -> None:
        for _ in range(SUBSTEPS):
            wp.launch(predict, dim=n * n, inputs=[x, w, GRAVITY, dt], outputs=[v, old])
            for ends, rest in constraints:
                wp.launch(solve, dim=len(ends), inputs=[ends, rest, w, COMPLIANCE / dt**2], outputs=[x])
            wp.launch(collide, dim=n * n, inputs=[ball, 0.3 * n], outputs=[x])
            wp.launch(speed, dim=n * n, inputs=[x, old, dt], outputs=[v])

    return Program(frame, lambda: np.concatenate([x.numpy(), v.numpy()]))


def expected(n: int, frames: int) -> np.ndarray:
    x, w, colours = start(n)
    x, w = x.astype(np.float64), w[:, None].astype(np.float64)
    v, dt = np.zeros_like(x), DT / SUBSTEPS
    ball = np.array([0.5 * n, 0.5 * n, -0.3 * n])
    for _ in range(SUBSTEPS * frames):
        old = x.copy()
        v = np.where(w > 0, v - np.array([0, 0, dt * GRAVITY]), v)
        x = np.where(w > 0, x + dt * v, x)
        for ends in colours:
            a, b = ends.T
            away = x[b] - x[a]
            length = np.linalg.norm(away, axis=1, keepdims=True)
            change = (length - 1) / (w[a] + w[b] + COMPLIANCE / dt**2) / length * away
            x[a] += w[a] * change
            x[b] -= w[b] * change
        away = x - ball
        far = np.linalg.norm(away, axis=1, keepdims=True)
        x = np.where(far < 0.3 * n, ball + away * (0.3 * n / far), x)
        v = (x - old) / dt
    return np.concatenate([x, v])


SPEC = Spec("position-based net, 128^2", make, expected, tiny=13, full=128, tolerance=2e-3)
