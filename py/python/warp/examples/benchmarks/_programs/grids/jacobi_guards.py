"""Poisson's equation by Jacobi iteration; a condition keeps the border as it is."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

PAIRS = 10  # of iterations in a frame


@wp.kernel
def relax(u: wp.array2d[float], f: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    if i > 0 and i < u.shape[0] - 1 and j > 0 and j < u.shape[1] - 1:
        out[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + f[i, j])


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((n, n), dtype=np.float32), rng.random((n, n), dtype=np.float32) - 0.5


def make(n: int) -> Program:
    values, charges = start(n)
    u, f, other = (wp.array(a, dtype=float) for a in (values, charges, values))

    def frame() -> None:
        for _ in range(PAIRS):
            wp.launch(relax, dim=(n, n), inputs=[u, f], outputs=[other])
            wp.launch(relax, dim=(n, n), inputs=[other, f], outputs=[u])

    return Program(frame, u.numpy)


def expected(n: int, frames: int) -> np.ndarray:
    u, f = start(n)
    for _ in range(2 * PAIRS * frames):
        middle = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + f[1:-1, 1:-1]
        u = u.copy()
        u[1:-1, 1:-1] = 0.25 * middle
    return u


SPEC = Spec("Jacobi with guards, 1024^2", make, expected, tiny=37, full=1024)
