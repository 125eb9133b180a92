"""Waves on an elliptic pool: what starts at one focus meets again at the other.

Shows a stencil with a boundary that an array describes, and three arrays for three moments of time. The scheme is the
leapfrog of Courant, Friedrichs and Lewy (1928); rays from one focus of an ellipse are reflected to the other, and all
take as long.

    python -m warp.examples.simulation.wave [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def step(
    before: wp.array2d[float],
    now: wp.array2d[float],
    open: wp.array2d[float],
    courant2: float,
    after: wp.array2d[float],
) -> None:
    """One step in all inner cells; `open` is 1 in the pool and 0 outside, where the surface does not move freely.

    No water goes through a wall: a cell has no difference to one that is not open.
    """
    i, j = wp.tid()
    a = i + 1
    b = j + 1
    here = now[a, b]
    change = open[a - 1, b] * (now[a - 1, b] - here) + open[a + 1, b] * (now[a + 1, b] - here)
    change += open[a, b - 1] * (now[a, b - 1] - here) + open[a, b + 1] * (now[a, b + 1] - here)
    after[a, b] = open[a, b] * (2.0 * here - before[a, b] + courant2 * change)


class Pool:
    """Water at rest in a pool with a surface of some height; cells of size 1, and waves of speed 1."""

    def __init__(self, surface: np.ndarray, open: np.ndarray, dt: float = 0.5) -> None:
        self.dt, self.open = dt, wp.array(open, dtype=float)
        self.now, self.after = wp.array(surface * open, dtype=float), wp.zeros(surface.shape, dtype=float)
        # At rest: half a step forward and half a step back are the same.
        self.before = wp.clone(self.now)
        inner = (surface.shape[0] - 2, surface.shape[1] - 2)
        self.inner = inner
        half = [self.now, self.now, self.open, 0.5 * dt * dt]
        wp.launch(step, dim=inner, inputs=half, outputs=[self.before])

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            inputs = [self.before, self.now, self.open, self.dt**2]
            wp.launch(step, dim=self.inner, inputs=inputs, outputs=[self.after])
            self.before, self.now, self.after = self.now, self.after, self.before


def ellipse(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Cells inside an ellipse, a smooth drop at its left focus, and the time to the other focus."""
    y, x = np.mgrid[0:rows, 0:columns] - np.array([rows - 1, columns - 1]).reshape(2, 1, 1) / 2
    a, b = 0.48 * columns, 0.48 * rows
    focus = np.sqrt(a * a - b * b)
    inside = (x / a) ** 2 + (y / b) ** 2 < 1
    r2 = ((x + focus) ** 2 + y**2) / (0.012 * columns) ** 2
    return inside.astype(np.float32), np.exp(-r2) * (1 - r2), 2 * a


def draw(seen: list[tuple[float, np.ndarray]], open: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 2, 2, size=(12, 7.6), dark=True) as panels:
        for axes, (share, surface) in zip(panels, seen, strict=False):
            bright = np.abs(surface[open > 0]).max() * 0.25 + 1e-9
            shown = np.ma.masked_where(open == 0, surface / bright)
            _shared.image(axes, shown, f"{share:.2f} of the way", cmap="YlGnBu_r", vmin=-1, vmax=1)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=100)
    open, drop, way = ellipse(400, 640)
    steps = round(way / 0.5 / 100)
    seen = []
    with wp.ScopedDevice(options.device):
        pool = Pool(drop, open)
        for frame in range(1, options.frames + 1):
            pool.advance(steps)
            if frame * 4 % options.frames < 4:
                seen.append((frame * steps * pool.dt / way, pool.now.numpy().copy()))
    row, column = np.unravel_index(np.argmax(np.abs(seen[-1][1])), drop.shape)
    start = np.unravel_index(np.argmax(drop), drop.shape)[1]
    print(f"the drop was at column {start}, the highest wave is at column {column} of {drop.shape[1]}, row {row}")
    if not options.headless:
        draw(seen, open, options.picture)


if __name__ == "__main__":
    main()
