"""Smoke through 100 steps of a fluid, and the gradient of where it ends with respect to the first velocity."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec, along, directional

STEPS, ROUNDS, DT = 100, 4, 0.25  # rounds of Jacobi for the pressure of a step


@wp.func
def lerp_vec(u: wp.array2d[wp.vec2], p: wp.vec2) -> wp.vec2:
    """Between four cells of a periodic grid."""
    n = u.shape[0]
    i = int(wp.floor(p[0]))
    j = int(wp.floor(p[1]))
    s = p[0] - float(i)
    t = p[1] - float(j)
    a = (i + n) % n
    b = (j + n) % n
    c = (a + 1) % n
    d = (b + 1) % n
    return (1.0 - s) * ((1.0 - t) * u[a, b] + t * u[a, d]) + s * ((1.0 - t) * u[c, b] + t * u[c, d])


@wp.func
def lerp_float(u: wp.array2d[float], p: wp.vec2) -> float:
    n = u.shape[0]
    i = int(wp.floor(p[0]))
    j = int(wp.floor(p[1]))
    s = p[0] - float(i)
    t = p[1] - float(j)
    a = (i + n) % n
    b = (j + n) % n
    c = (a + 1) % n
    d = (b + 1) % n
    return (1.0 - s) * ((1.0 - t) * u[a, b] + t * u[a, d]) + s * ((1.0 - t) * u[c, b] + t * u[c, d])


@wp.kernel
def advect(
    u: wp.array2d[wp.vec2],
    smoke: wp.array2d[float],
    dt: float,
    u_out: wp.array2d[wp.vec2],
    smoke_out: wp.array2d[float],
) -> None:
    i, j = wp.tid()
    p = wp.vec2(float(i), float(j)) - dt * u[i, j]
    u_out[i, j] = lerp_vec(u, p)
    smoke_out[i, j] = lerp_float(smoke, p)


@wp.kernel
def divergence(u: wp.array2d[wp.vec2], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    n = u.shape[0]
    x = u[(i + 1) % n, j][0] - u[(i + n - 1) % n, j][0]
    y = u[i, (j + 1) % n][1] - u[i, (j + n - 1) % n][1]
    out[i, j] = 0.5 * (x + y)


@wp.kernel
def relax(p: wp.array2d[float], div: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    n = p.shape[0]
    around = p[(i + 1) % n, j] + p[(i + n - 1) % n, j] + p[i, (j + 1) % n] + p[i, (j + n - 1) % n]
    out[i, j] = 0.25 * (around - div[i, j])


@wp.kernel
def project(u: wp.array2d[wp.vec2], p: wp.array2d[float], out: wp.array2d[wp.vec2]) -> None:
    i, j = wp.tid()
    n = p.shape[0]
    slope = wp.vec2(p[(i + 1) % n, j] - p[(i + n - 1) % n, j], p[i, (j + 1) % n] - p[i, (j + n - 1) % n])
    out[i, j] = u[i, j] - 0.5 * slope


@wp.kernel
def miss(smoke: wp.array2d[float], target: wp.array2d[float], loss: wp.array[float]) -> None:
    i, j = wp.tid()
    off = smoke[i, j] - target[i, j]
    wp.atomic_add(loss, 0, off * off)


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A velocity of long waves, smoke in the middle, and where it should be."""
    at = 2 * np.pi * np.arange(n) / n
    x, y = np.meshgrid(at, at, indexing="ij")
    u = np.stack([np.sin(y) + 0.3 * np.cos(2 * x + y), 0.7 * np.cos(x) + 0.2 * np.sin(x - 2 * y)], axis=-1)
    smoke = [np.exp(-2 * (2 - np.cos(x - shift) - np.cos(y))) for shift in (np.pi, np.pi + 0.5)]
    return (0.02 * n * u).astype(np.float32), smoke[0].astype(np.float32), smoke[1].astype(np.float32)


class Fields:
    """The fields of all steps, since a gradient goes back through them."""

    def __init__(self, n: int) -> None:
        self.n = n
        velocity, smoke, target = start(n)
        shape = (n, n)

        def floats(count: int) -> list[Any]:
            return [wp.zeros(shape, dtype=float, requires_grad=True) for _ in range(count)]

        self.u: list[Any] = [wp.array(velocity, dtype=wp.vec2, requires_grad=True)]
        self.u += [wp.zeros(shape, dtype=wp.vec2, requires_grad=True) for _ in range(STEPS)]
        self.moved = [wp.zeros(shape, dtype=wp.vec2, requires_grad=True) for _ in range(STEPS)]
        self.smoke: list[Any] = [wp.array(smoke, dtype=float, requires_grad=True), *floats(STEPS)]
        self.div = floats(STEPS)
        self.p = [floats(ROUNDS + 1) for _ in range(STEPS)]
        self.target = wp.array(target, dtype=float)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def forward(self) -> None:
        dim = (self.n, self.n)
        for t in range(STEPS):
            moved, p = self.moved[t], self.p[t]
            wp.launch(advect, dim=dim, inputs=[self.u[t], self.smoke[t], DT], outputs=[moved, self.smoke[t + 1]])
            wp.launch(divergence, dim=dim, inputs=[moved], outputs=[self.div[t]])
            for k in range(ROUNDS):
                wp.launch(relax, dim=dim, inputs=[p[k], self.div[t]], outputs=[p[k + 1]])
            wp.launch(project, dim=dim, inputs=[moved, p[ROUNDS]], outputs=[self.u[t + 1]])
        wp.launch(miss, dim=dim, inputs=[self.smoke[STEPS], self.target], outputs=[self.loss])


def make(n: int) -> Program:
    fields = Fields(n)
    found: list[np.ndarray] = []

    def frame() -> None:
        fields.loss.zero_()
        with wp.Tape() as tape:
            fields.forward()
        tape.backward(fields.loss)
        found[:] = [fields.loss.numpy().copy(), along(fields.u[0].grad.numpy())]
        tape.zero()

    return Program(frame, lambda: np.concatenate(found))


def loss_of(u: np.ndarray, smoke: np.ndarray, target: np.ndarray) -> float:
    n = len(u)
    cells = np.stack(np.meshgrid(np.arange(n), np.arange(n), indexing="ij"), axis=-1)
    for _ in range(STEPS):
        at = cells - DT * u
        low = np.floor(at).astype(int)
        s, t = np.moveaxis(at - low, -1, 0)[..., None]
        i, j = np.moveaxis(low % n, -1, 0)
        both = np.concatenate([u, smoke[..., None]], axis=-1)
        near = (1 - t) * both[i, j] + t * both[i, (j + 1) % n]
        both = (1 - s) * near + s * ((1 - t) * both[(i + 1) % n, j] + t * both[(i + 1) % n, (j + 1) % n])
        u, smoke = both[..., :2], both[..., 2]
        slope = [np.roll(u[..., k], -1, k) - np.roll(u[..., k], 1, k) for k in range(2)]
        div, p = 0.5 * (slope[0] + slope[1]), np.zeros((n, n))
        for _ in range(ROUNDS):
            p = 0.25 * (sum(np.roll(p, step, axis) for step in (-1, 1) for axis in (0, 1)) - div)
        u = u - 0.5 * np.stack([np.roll(p, -1, k) - np.roll(p, 1, k) for k in range(2)], axis=-1)
    return float(((smoke - target) ** 2).sum())


def expected(n: int, frames: int) -> np.ndarray:
    u, smoke, target = (a.astype(np.float64) for a in start(n))
    return np.array([loss_of(u, smoke, target), *directional(lambda at: loss_of(at, smoke, target), u, h=1e-6)])


SPEC = Spec("gradient of smoke, 64^2, 100 steps", make, expected, tiny=12, full=64, frames=1, tolerance=5e-3)
