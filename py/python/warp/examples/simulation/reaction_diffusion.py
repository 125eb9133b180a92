"""Reaction and diffusion: spots and stripes of two substances, one of which feeds on the other.

Shows a stencil on vectors of two numbers, and parameters that differ from place to place. The model is Gray and
Scott's (1984), its patterns were mapped by Pearson (1993); that diffusion makes patterns was Turing's idea (1952).

    python -m warp.examples.simulation.reaction_diffusion [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

FAST, SLOW = 0.16, 0.08  # how fast food and eater spread


@wp.kernel
def react(
    c: wp.array2d[wp.vec2], feed: wp.array2d[float], kill: wp.array2d[float], dt: float,
    out: wp.array2d[wp.vec2],
) -> None:  # fmt: skip
    """One step on a torus; the first component is food, the second what eats it."""
    i, j = wp.tid()
    n, m = c.shape[0], c.shape[1]
    here = c[i, j]
    around = c[(i + 1) % n, j] + c[(i + n - 1) % n, j] + c[i, (j + 1) % m] + c[i, (j + m - 1) % m] - 4.0 * here
    eaten = here[0] * here[1] * here[1]
    f = feed[i, j]
    change = wp.vec2(f * (1.0 - here[0]) - eaten, eaten - (f + kill[i, j]) * here[1])
    out[i, j] = here + dt * (change + wp.vec2(FAST * around[0], SLOW * around[1]))


def grow(start: np.ndarray, feed: np.ndarray, kill: np.ndarray, steps: int, dt: float = 1.0) -> np.ndarray:
    """The concentrations after some steps."""
    c, f, k = wp.array(start, dtype=wp.vec2), wp.array(feed, dtype=float), wp.array(kill, dtype=float)
    out = wp.empty_like(c)
    for _ in range(steps):
        wp.launch(react, dim=c.shape, inputs=[c, f, k, dt], outputs=[out])
        c, out = out, c
    return np.array(c.numpy())


def dish(side: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Food everywhere, many small colonies, and parameters that change from left to right and from top to bottom."""
    rng = np.random.default_rng(0)
    start = np.zeros((side, side, 2))
    start[..., 0] = 1.0
    for row, column in rng.integers(0, side - 6, size=(side * side // 500, 2)):
        start[row : row + 6, column : column + 6] = (0.5, 0.3)
    start += rng.uniform(0, 0.01, size=start.shape)
    y, x = np.mgrid[0:side, 0:side] / (side - 1)
    # Along the curve on which patterns live (Pearson's map), and a little to both sides of it.
    feed = 0.014 + 0.046 * x
    kill = np.interp(feed, [0.014, 0.022, 0.03, 0.04, 0.05, 0.06], [0.0515, 0.0555, 0.0585, 0.0615, 0.0628, 0.0628])
    return start, feed, kill + 0.0022 * (y - 0.6)


def draw(c: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(8, 8.2)) as axes:
        _shared.image(
            axes, c[..., 1], "food is scarce at the left, rich at the right", cmap="GnBu_r", interpolation="bicubic"
        )


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=100)
    start, feed, kill = dish(320)
    with wp.ScopedDevice(options.device):
        c = grow(start, feed, kill, 80 * options.frames)
    print(f"{80 * options.frames} steps: {(c[..., 1] > 0.2).mean():.0%} of the dish is grown over")
    if not options.headless:
        draw(c, options.picture)


if __name__ == "__main__":
    main()
