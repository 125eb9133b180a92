"""Lattice Boltzmann in two dimensions (D2Q9): a channel with obstacles, which throw back what hits them."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

PAIRS = 4  # of steps in a frame
OMEGA, FORCE = 1.4, 1e-5

vec9 = wp.types.vector(length=9, dtype=wp.float32)

DX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
DY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
WEIGHTS = (4 / 9, *[1 / 9] * 4, *[1 / 36] * 4)
OPPOSITE = (0, 3, 4, 1, 2, 7, 8, 5, 6)

cx = wp.constant(vec9(*DX))
cy = wp.constant(vec9(*DY))
w = wp.constant(vec9(*WEIGHTS))
back = wp.constant(vec9(*OPPOSITE))


@wp.kernel
def step(f: wp.array2d[vec9], solid: wp.array2d[int], omega: float, force: float, out: wp.array2d[vec9]) -> None:
    """Takes what streams into a cell, and relaxes it."""
    i, j = wp.tid()
    if solid[i, j] != 0:
        return
    ny = f.shape[0]
    nx = f.shape[1]
    come = vec9()
    density = wp.float32(0.0)
    u = wp.float32(0.0)
    v = wp.float32(0.0)
    for k in range(9):
        a = (i - int(cy[k]) + ny) % ny
        b = (j - int(cx[k]) + nx) % nx
        if solid[a, b] != 0:
            come[k] = f[i, j][int(back[k])]
        else:
            come[k] = f[a, b][k]
        density += come[k]
        u += cx[k] * come[k]
        v += cy[k] * come[k]
    u = u / density
    v = v / density
    square = 1.5 * (u * u + v * v)
    for k in range(9):
        c = 3.0 * (cx[k] * u + cy[k] * v)
        rest = w[k] * density * (1.0 + c + 0.5 * c * c - square)
        come[k] = come[k] - omega * (come[k] - rest) + 3.0 * w[k] * cx[k] * force
    out[i, j] = come


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Walls above and below, obstacles at random, and a fluid that nearly rests."""
    rng = np.random.default_rng(3)
    solid = np.zeros((n, 2 * n), dtype=np.int32)
    solid[[0, -1]] = 1
    y, x = np.mgrid[0:n, 0 : 2 * n]
    for _ in range(6):
        at = rng.random(2) * (n, 2 * n)
        solid[(y - at[0]) ** 2 + (x - at[1]) ** 2 < (0.07 * n) ** 2] = 1
    density = 1 + 0.02 * rng.random((n, 2 * n, 1))
    return (np.array(WEIGHTS) * density).astype(np.float32), solid


def make(n: int) -> Program:
    fluid, walls = start(n)
    f, out, solid = wp.array(fluid, dtype=vec9), wp.array(fluid, dtype=vec9), wp.array(walls, dtype=int)

    def frame() -> None:
        for _ in range(PAIRS):
            wp.launch(step, dim=solid.shape, inputs=[f, solid, OMEGA, FORCE], outputs=[out])
            wp.launch(step, dim=solid.shape, inputs=[out, solid, OMEGA, FORCE], outputs=[f])

    return Program(frame, f.numpy)


def expected(n: int, frames: int) -> np.ndarray:
    f, solid = start(n)
    f, walls = f.astype(np.float64), solid != 0
    c = np.array([DX, DY], dtype=np.float64)
    weights = np.array(WEIGHTS)
    for _ in range(2 * PAIRS * frames):
        come = np.empty_like(f)
        for k in range(9):
            shift = (DY[k], DX[k])
            hit = np.roll(walls, shift, axis=(0, 1))
            come[..., k] = np.where(hit, f[..., OPPOSITE[k]], np.roll(f[..., k], shift, axis=(0, 1)))
        density = come.sum(-1, keepdims=True)
        u = come @ c.T / density
        e = 3 * u @ c
        rest = weights * density * (1 + e + 0.5 * e**2 - 1.5 * (u**2).sum(-1, keepdims=True))
        come += -OMEGA * (come - rest) + 3 * weights * c[0] * FORCE
        f = np.where(walls[..., None], f, come)
    return f


SPEC = Spec("lattice Boltzmann D2Q9 with obstacles, 256 x 512", make, expected, tiny=24, full=256)
