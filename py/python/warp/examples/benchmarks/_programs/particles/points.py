"""The material point method in any number of dimensions with NumPy, for the programs `snow_2d` and `snow_3d`.

Moving least squares (Hu et al., 2018) with quadratic B-splines and a neo-Hookean solid, on a grid of width 1.
"""

from __future__ import annotations

import itertools

import numpy as np

MU, LAMBDA = 20.0, 30.0
DT, GRAVITY, MASS, VOLUME = 0.02, 0.5, 0.5, 0.5
BORDER = 3  # cells


def start(n: int, dimensions: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in the middle of a grid of n cells each way, in random order."""
    rng = np.random.default_rng(7)
    x = n * (0.3 + 0.4 * rng.random((count, dimensions)))
    return x.astype(np.float32), (0.5 * rng.normal(size=x.shape)).astype(np.float32)


def advance(state: list[np.ndarray], n: int) -> list[np.ndarray]:
    """One step of places, velocities, velocity gradients and deformations."""
    x, v, c, f = state
    d = x.shape[1]
    base = (x - 0.5).astype(int)
    fx = x - base
    w = np.stack([0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2])
    f = f + DT * c @ f
    j = np.linalg.det(f)[:, None, None]
    stress = MU * (f @ f.swapaxes(1, 2) - np.eye(d)) + LAMBDA * np.log(j) * np.eye(d)
    affine = MASS * c - 4 * DT * VOLUME * stress
    grid = np.zeros((n,) * d + (d + 1,))
    near = []
    for offset in itertools.product(range(3), repeat=d):
        weight = np.prod([w[o, :, k] for k, o in enumerate(offset)], axis=0)[:, None]
        near.append((tuple((base + offset).T), weight, np.array(offset) - fx))
    for at, weight, off in near:
        momentum = MASS * v + np.einsum("pij,pj->pi", affine, off)
        np.add.at(grid, at, weight * np.column_stack([np.full(len(x), MASS), momentum]))
    mass = grid[..., :1]
    u = np.divide(grid[..., 1:], mass, out=np.zeros_like(grid[..., 1:]), where=mass > 0)
    u[..., 1] -= np.where(mass[..., 0] > 0, DT * GRAVITY, 0)
    for k in range(d):
        wall = np.moveaxis(u[..., k], k, 0)
        wall[:BORDER] = np.maximum(wall[:BORDER], 0)
        wall[n - BORDER :] = np.minimum(wall[n - BORDER :], 0)
    v, c = np.zeros_like(v), np.zeros_like(c)
    for at, weight, off in near:
        v += weight * u[at]
        c += 4 * weight[..., None] * u[at][:, :, None] * off[:, None, :]
    return [x + DT * v, v, c, f]


def expected(n: int, dimensions: int, count: int, steps: int) -> np.ndarray:
    x, v = (a.astype(np.float64) for a in start(n, dimensions, count))
    state = [x, v, np.zeros((count, dimensions, dimensions)), np.tile(np.eye(dimensions), (count, 1, 1))]
    for _ in range(steps):
        state = advance(state, n)
    return np.concatenate(state[:2])
