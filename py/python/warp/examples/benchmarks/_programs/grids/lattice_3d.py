"""Lattice Boltzmann in three dimensions (D3Q19) in a periodic box; each direction is a grid of its own."""

from __future__ import annotations

import itertools

import numpy as np
import warp as wp

from ..program import Program, Spec

OMEGA = 1.2

vec19 = wp.types.vector(length=19, dtype=wp.float32)

#: The cell itself, its 6 nearest neighbours, and the 12 at the edges of a cube.
DIRECTIONS = sorted(
    (c for c in itertools.product((-1, 0, 1), repeat=3) if np.abs(c).sum() < 3), key=lambda c: np.abs(c).sum()
)
WEIGHTS = [(1 / 3, 1 / 18, 1 / 36)[int(np.abs(c).sum())] for c in DIRECTIONS]

cx = wp.constant(vec19(*(c[0] for c in DIRECTIONS)))
cy = wp.constant(vec19(*(c[1] for c in DIRECTIONS)))
cz = wp.constant(vec19(*(c[2] for c in DIRECTIONS)))
w = wp.constant(vec19(*WEIGHTS))


@wp.kernel
def step(f: wp.array4d[float], omega: float, out: wp.array4d[float]) -> None:
    """Takes what streams into a cell, and relaxes it."""
    i, j, k = wp.tid()
    nx = f.shape[1]
    ny = f.shape[2]
    nz = f.shape[3]
    come = vec19()
    density = wp.float32(0.0)
    u = wp.vec3()
    for q in range(19):
        a = (i - int(cx[q]) + nx) % nx
        b = (j - int(cy[q]) + ny) % ny
        c = (k - int(cz[q]) + nz) % nz
        come[q] = f[q, a, b, c]
        density += come[q]
        u += come[q] * wp.vec3(cx[q], cy[q], cz[q])
    u = u / density
    square = 1.5 * wp.dot(u, u)
    for q in range(19):
        e = 3.0 * (cx[q] * u[0] + cy[q] * u[1] + cz[q] * u[2])
        rest = w[q] * density * (1.0 + e + 0.5 * e * e - square)
        out[q, i, j, k] = come[q] + omega * (rest - come[q])


def start(n: int) -> np.ndarray:
    """A shear flow whose density differs a little."""
    rng = np.random.default_rng(4)
    density = 1 + 0.02 * rng.random((n, n, n))
    u = 0.05 * np.sin(2 * np.pi * np.arange(n) / n)
    return np.stack([w * density * (1 + 3 * c[0] * u) for c, w in zip(DIRECTIONS, WEIGHTS, strict=True)]).astype(
        np.float32
    )


def make(n: int) -> Program:
    f = wp.array(start(n), dtype=float)
    out = wp.zeros_like(f)

    def frame() -> None:
        wp.launch(step, dim=(n, n, n), inputs=[f, OMEGA], outputs=[out])
        wp.launch(step, dim=(n, n, n), inputs=[out, OMEGA], outputs=[f])

    return Program(frame, f.numpy)


def expected(n: int, frames: int) -> np.ndarray:
    f = start(n).astype(np.float64)
    c, weights = np.array(DIRECTIONS, dtype=np.float64), np.array(WEIGHTS)[:, None, None, None]
    for _ in range(2 * frames):
        come = np.stack([np.roll(f[q], DIRECTIONS[q], axis=(0, 1, 2)) for q in range(19)])
        density = come.sum(0)
        u = np.einsum("qijk,qd->dijk", come, c) / density
        e = 3 * np.einsum("dijk,qd->qijk", u, c)
        rest = weights * density * (1 + e + 0.5 * e**2 - 1.5 * (u**2).sum(0))
        f = come + OMEGA * (rest - come)
    return f


SPEC = Spec("lattice Boltzmann D3Q19, 64^3", make, expected, tiny=7, full=64)
