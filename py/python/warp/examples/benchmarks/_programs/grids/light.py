"""Maxwell's equations in three dimensions by finite differences in time (Yee, 1966), in a box of metal."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec

STEPS = 2  # in a frame
RATE = 0.5


@wp.kernel
def magnetic(
    ex: wp.array3d[float], ey: wp.array3d[float], ez: wp.array3d[float], rate: float,
    hx: wp.array3d[float], hy: wp.array3d[float], hz: wp.array3d[float],
) -> None:  # fmt: skip
    i, j, k = wp.tid()
    if i < ex.shape[0] - 1 and j < ex.shape[1] - 1 and k < ex.shape[2] - 1:
        hx[i, j, k] = hx[i, j, k] + rate * (ey[i, j, k + 1] - ey[i, j, k] - ez[i, j + 1, k] + ez[i, j, k])
        hy[i, j, k] = hy[i, j, k] + rate * (ez[i + 1, j, k] - ez[i, j, k] - ex[i, j, k + 1] + ex[i, j, k])
        hz[i, j, k] = hz[i, j, k] + rate * (ex[i, j + 1, k] - ex[i, j, k] - ey[i + 1, j, k] + ey[i, j, k])


@wp.kernel
def electric(
    hx: wp.array3d[float], hy: wp.array3d[float], hz: wp.array3d[float], rate: wp.array3d[float],
    ex: wp.array3d[float], ey: wp.array3d[float], ez: wp.array3d[float],
) -> None:  # fmt: skip
    i, j, k = wp.tid()
    if i == 0 or j == 0 or k == 0 or i == ex.shape[0] - 1 or j == ex.shape[1] - 1 or k == ex.shape[2] - 1:
        return
    r = rate[i, j, k]
    ex[i, j, k] = ex[i, j, k] + r * (hz[i, j, k] - hz[i, j - 1, k] - hy[i, j, k] + hy[i, j, k - 1])
    ey[i, j, k] = ey[i, j, k] + r * (hx[i, j, k] - hx[i, j, k - 1] - hz[i, j, k] + hz[i - 1, j, k])
    ez[i, j, k] = ez[i, j, k] + r * (hy[i, j, k] - hy[i - 1, j, k] - hx[i, j, k] + hx[i, j - 1, k])


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Electric fields at random inside, and a ball in which light is slower."""
    rng = np.random.default_rng(5)
    e = np.zeros((3, n, n, n), dtype=np.float32)
    e[:, 1:-1, 1:-1, 1:-1] = rng.random((3, n - 2, n - 2, n - 2)) - 0.5
    x = np.arange(n) - n / 2
    inside = x[:, None, None] ** 2 + x[None, :, None] ** 2 + x**2 < (n / 4) ** 2
    return e, np.where(inside, RATE / 2.25, RATE).astype(np.float32)


def make(n: int) -> Program:
    fields, rates = start(n)
    e: list[Any] = [wp.array(a, dtype=float) for a in fields]
    h: list[Any] = [wp.zeros((n, n, n), dtype=float) for _ in range(3)]
    rate = wp.array(rates, dtype=float)

    def frame() -> None:
        for _ in range(STEPS):
            wp.launch(magnetic, dim=(n, n, n), inputs=[*e, RATE], outputs=h)
            wp.launch(electric, dim=(n, n, n), inputs=[*h, rate], outputs=e)

    return Program(frame, lambda: np.stack([a.numpy() for a in e]))


def forward(a: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.roll(a, -1, axis) - a)


def expected(n: int, frames: int) -> np.ndarray:
    fields, rate = start(n)
    e, h = fields.astype(np.float64), np.zeros((3, n, n, n))
    low, middle = (slice(None), *[slice(0, n - 1)] * 3), (slice(None), *[slice(1, n - 1)] * 3)
    for _ in range(STEPS * frames):
        curl = np.stack([forward(e[(a + 2) % 3], (a + 1) % 3) - forward(e[(a + 1) % 3], (a + 2) % 3) for a in range(3)])
        h[low] -= RATE * curl[low]
        curl = np.stack([h[(a + 2) % 3] - np.roll(h[(a + 2) % 3], 1, (a + 1) % 3) for a in range(3)])
        curl -= np.stack([h[(a + 1) % 3] - np.roll(h[(a + 1) % 3], 1, (a + 2) % 3) for a in range(3)])
        e[middle] += (rate * curl)[middle]
    return e


SPEC = Spec("light in three dimensions, 96^3", make, expected, tiny=11, full=96)
