"""Heat: alternating directions, each thread solves the equations of a whole row.

Shows work that is parallel in one direction only: in a thread, two loops run along a row, forward and back (Thomas's
algorithm), and the next launch does the same along the columns. The step is implicit, so that it may be a hundred
times as long as an explicit one (Peaceman and Rachford, 1955).

    python -m warp.examples.simulation.heat [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def half_step(
    u: wp.array2d[float],
    source: wp.array2d[float],
    r: float,
    factor: wp.array2d[float],
    out: wp.array2d[float],
) -> None:
    """Implicit along the second axis, explicit along the first; `r` is dt / (2 dx dx). The outside is at 0.

    Called with arrays that are transposed, it takes the other half.
    """
    i = wp.tid()
    n = u.shape[1]
    for j in range(n):
        across = -2.0 * u[i, j]
        if i > 0:
            across += u[i - 1, j]
        if i < u.shape[0] - 1:
            across += u[i + 1, j]
        right = u[i, j] + r * (across + source[i, j])
        if j > 0:
            left = factor[i, j - 1]
            pivot = 1.0 + 2.0 * r - r * left
            factor[i, j] = r / pivot
            out[i, j] = (right + r * out[i, j - 1]) / pivot
        else:
            factor[i, j] = r / (1.0 + 2.0 * r)
            out[i, j] = right / (1.0 + 2.0 * r)
    for k in range(1, n):
        j = n - 1 - k
        out[i, j] += factor[i, j] * out[i, j + 1]


def advance(u: wp.array, source: wp.array, r: float, steps: int) -> None:
    """Steps of a plate whose border is cold; `source` heats each cell, `u` is its temperature."""
    middle, factor = wp.empty_like(u), wp.empty_like(u)
    rows, columns = u.shape
    for _ in range(steps):
        wp.launch(half_step, dim=rows, inputs=[u, source, r, factor], outputs=[middle])
        turned = [array.transpose() for array in (middle, source, factor, u)]
        wp.launch(half_step, dim=columns, inputs=[*turned[:2], r, turned[2]], outputs=[turned[3]])


def letters(side: int) -> np.ndarray:
    """Wires that heat the plate: a bent line."""
    t = np.linspace(0, 1, 6000)
    x = 0.5 + 0.36 * np.sin(2 * np.pi * 3 * t) * (0.4 + 0.6 * t)
    y = 0.5 + 0.36 * np.cos(2 * np.pi * 2 * t + 0.3)
    source = np.zeros((side, side), dtype=np.float32)
    np.add.at(source, (np.int32(y * side), np.int32(x * side)), 1.0)
    return np.minimum(source, 3.0)


def draw(seen: list[tuple[int, np.ndarray]], file: str) -> None:
    with _shared.sheet(file, 1, len(seen), size=(4.2 * len(seen), 4.5), dark=True) as panels:
        for axes, (steps, u) in zip(panels, seen, strict=True):
            _shared.image(axes, u / u.max(), f"after {steps} steps", cmap="inferno", vmin=0, vmax=1)
            axes.contour(u / u.max(), levels=9, colors="white", linewidths=0.35, alpha=0.5)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=60)
    seen = []
    with wp.ScopedDevice(options.device):
        source = wp.array(letters(360))
        u = wp.zeros_like(source)
        for frame in range(1, options.frames + 1):
            advance(u, source, 25.0, 1)
            if frame in (max(1, options.frames // 30), max(1, options.frames // 6), options.frames):
                seen.append((frame, u.numpy().copy()))
    print(
        f"{options.frames} steps, each {4 * 25} times as long as an explicit one may be: warmest {u.numpy().max():.0f}"
    )
    if not options.headless:
        draw(seen, options.picture)


if __name__ == "__main__":
    main()
