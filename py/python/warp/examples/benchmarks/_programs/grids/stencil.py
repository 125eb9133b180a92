"""Diffusion in a box: a stencil in three dimensions, whose cells are one array with a flat index."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

PAIRS = 4  # of steps in a frame


@wp.kernel
def diffuse(u: wp.array[float], nx: int, ny: int, nz: int, rate: float, out: wp.array[float]) -> None:
    t = wp.tid()
    k = t % nz
    j = (t // nz) % ny
    i = t // (ny * nz)
    total = wp.float32(0.0)
    if i > 0:
        total += u[t - ny * nz] - u[t]
    if i < nx - 1:
        total += u[t + ny * nz] - u[t]
    if j > 0:
        total += u[t - nz] - u[t]
    if j < ny - 1:
        total += u[t + nz] - u[t]
    if k > 0:
        total += u[t - 1] - u[t]
    if k < nz - 1:
        total += u[t + 1] - u[t]
    out[t] = u[t] + rate * total


def start(n: int) -> np.ndarray:
    return np.random.default_rng(2).random((n, n, n), dtype=np.float32)


def make(n: int) -> Program:
    u = wp.array(start(n).ravel(), dtype=float)
    other = wp.zeros_like(u)

    def frame() -> None:
        for _ in range(PAIRS):
            wp.launch(diffuse, dim=n**3, inputs=[u, n, n, n, 0.1], outputs=[other])
            wp.launch(diffuse, dim=n**3, inputs=[other, n, n, n, 0.1], outputs=[u])

    return Program(frame, u.numpy)


def expected(n: int, frames: int) -> np.ndarray:
    u = start(n)
    for _ in range(2 * PAIRS * frames):
        total = np.zeros_like(u)
        for axis in range(3):
            step = np.diff(u, axis=axis)
            low, high = [slice(None)] * 3, [slice(None)] * 3
            low[axis], high[axis] = slice(0, n - 1), slice(1, n)
            total[tuple(low)] += step
            total[tuple(high)] -= step
        u = u + np.float32(0.1) * total
    return u


SPEC = Spec("stencil on a flat index, 128^3", make, expected, tiny=13, full=128)
