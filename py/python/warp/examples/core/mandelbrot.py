"""The Mandelbrot set: a loop in each thread that ends when its number escapes.

Shows a grid of threads, a `while` loop whose length each thread decides, and a result of two dimensions. The colour
is the smooth number of rounds n + 1 - log2(log |z|), known from the potential of the set (Douady and Hubbard, 1982).

    python -m warp.examples.core.mandelbrot [--steps LIMIT] [--headless]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from .. import _shared

# A spiral in the valley of the sea horses.
CENTRE = (-0.743643887, 0.131825904)


@wp.kernel
def escape(centre: wp.vec2d, width: wp.float64, limit: int, rounds: wp.array2d[float]) -> None:
    i, j = wp.tid()
    scale = width / wp.float64(rounds.shape[1])
    cx = centre[0] + (wp.float64(j) - wp.float64(rounds.shape[1]) * wp.float64(0.5)) * scale
    cy = centre[1] + (wp.float64(i) - wp.float64(rounds.shape[0]) * wp.float64(0.5)) * scale
    x = wp.float64(0.0)
    y = wp.float64(0.0)
    n = int(0)
    while n < limit and x * x + y * y < wp.float64(256.0):
        x, y = x * x - y * y + cx, wp.float64(2.0) * x * y + cy
        n += 1
    if n < limit:
        rounds[i, j] = float(n) + 1.0 - wp.log2(0.5 * wp.log(float(x * x + y * y)))


def render(limit: int, width: float, shape: tuple[int, int] = (720, 1080)) -> np.ndarray:
    """Smooth numbers of rounds before each point escapes; 0 where it does not within the limit."""
    rounds = wp.zeros(shape, dtype=float)
    wp.launch(escape, dim=shape, inputs=[wp.vec2d(*CENTRE), width, limit], outputs=[rounds])
    return np.array(rounds.numpy())


def draw(rounds: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(9, 6), dark=True) as axes:
        inside = np.ma.masked_equal(rounds, 0)
        axes.set_facecolor("black")
        _shared.image(axes, np.ma.log(inside - inside.min() + 40), cmap="twilight_shifted")


def main(arguments: list[str] | None = None) -> None:
    options: Any = _shared.options(__file__, __doc__, arguments, steps=3000)
    with wp.ScopedDevice(options.device):
        rounds = render(options.steps, 0.0006)
    print(f"{np.mean(rounds == 0):.1%} of the points did not escape in {options.steps} rounds")
    if not options.headless:
        draw(rounds, options.picture)


if __name__ == "__main__":
    main()
