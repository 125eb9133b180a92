"""Heat in a plate that conducts differently from place to place; threads of the border return early."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

PAIRS = 10  # of steps in a frame
DT = 0.2


@wp.func
def between(k: wp.array2d[float], i: int, j: int, a: int, b: int) -> float:
    """The conductivity between two cells."""
    return 0.5 * (k[i, j] + k[a, b])


@wp.kernel
def conduct(u: wp.array2d[float], k: wp.array2d[float], dt: float, out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    if i == 0 or j == 0 or i == u.shape[0] - 1 or j == u.shape[1] - 1:
        out[i, j] = u[i, j]
        return
    here = u[i, j]
    flow = between(k, i, j, i - 1, j) * (u[i - 1, j] - here)
    flow += between(k, i, j, i + 1, j) * (u[i + 1, j] - here)
    flow += between(k, i, j, i, j - 1) * (u[i, j - 1] - here)
    flow += between(k, i, j, i, j + 1) * (u[i, j + 1] - here)
    out[i, j] = here + dt * flow


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.random((n, n), dtype=np.float32), rng.random((n, n), dtype=np.float32)


def make(n: int) -> Program:
    heat, conductivity = start(n)
    u, k, other = wp.array(heat, dtype=float), wp.array(conductivity, dtype=float), wp.zeros((n, n), dtype=float)

    def frame() -> None:
        for _ in range(PAIRS):
            wp.launch(conduct, dim=(n, n), inputs=[u, k, DT], outputs=[other])
            wp.launch(conduct, dim=(n, n), inputs=[other, k, DT], outputs=[u])

    return Program(frame, u.numpy)


def expected(n: int, frames: int) -> np.ndarray:
    u, k = start(n)
    middle = (slice(1, -1), slice(1, -1))
    for _ in range(2 * PAIRS * frames):
        flow = np.zeros((n - 2, n - 2), dtype=np.float32)
        for a, b in ((0, 1), (2, 1), (1, 0), (1, 2)):
            near = (slice(a, a + n - 2), slice(b, b + n - 2))
            flow += 0.5 * (k[middle] + k[near]) * (u[near] - u[middle])
        u = u.copy()
        u[middle] += np.float32(DT) * flow
    return u


SPEC = Spec("heat with early return, 1024^2", make, expected, tiny=37, full=1024)
