"""Electromagnetic waves: a lens of Luneburg makes a plane wave of a point source.

Shows two kernels that take turns: the electric and the magnetic field live half a cell and half a step apart (Yee,
1966). The border is a layer that swallows waves. In Luneburg's lens (1944) the index of refraction is sqrt(2 - r^2),
so that all rays from a point of its rim leave it in parallel.

    python -m warp.examples.simulation.fdtd [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

COURANT = 0.5  # of a cell in each step, where light is fastest


@wp.kernel
def magnetic(ez: wp.array2d[float], loss: wp.array2d[float], h: wp.array2d[wp.vec2]) -> None:
    """The x and y components lie between a cell and the next one along y and x."""
    i, j = wp.tid()
    curl = wp.vec2(ez[i + 1, j] - ez[i, j], ez[i, j] - ez[i, j + 1])  # rows are y, columns x
    d = loss[i, j]
    h[i, j] = ((1.0 - d) * h[i, j] - COURANT * curl) / (1.0 + d)


@wp.kernel
def electric(
    h: wp.array2d[wp.vec2], loss: wp.array2d[float], permittivity: wp.array2d[float],
    ez: wp.array2d[float],
) -> None:  # fmt: skip
    """Inner cells only: the rim stays at 0, as metal does."""
    a, b = wp.tid()
    i = a + 1
    j = b + 1
    curl = (h[i, j][1] - h[i, j - 1][1]) - (h[i, j][0] - h[i - 1, j][0])
    d = loss[i, j]
    ez[i, j] = ((1.0 - d) * ez[i, j] + COURANT * curl / permittivity[i, j]) / (1.0 + d)


@wp.kernel
def excite(ez: wp.array2d[float], i: int, j: int, value: float) -> None:
    ez[i, j] = ez[i, j] + value


class Field:
    """Fields in cells of size 1 in which light has speed 1 over the index of refraction."""

    def __init__(self, permittivity: np.ndarray, layer: int = 0) -> None:
        rows, columns = permittivity.shape
        y, x = np.mgrid[0:rows, 0:columns]
        depth = layer - np.minimum(np.minimum(x, columns - 1 - x), np.minimum(y, rows - 1 - y))
        self.loss = wp.array(0.25 * (np.maximum(depth, 0) / max(layer, 1)) ** 3, dtype=float)
        self.permittivity = wp.array(permittivity, dtype=float)
        self.ez, self.h = wp.zeros((rows, columns), dtype=float), wp.zeros((rows, columns), dtype=wp.vec2)
        self.steps = 0

    def advance(self, steps: int, source: tuple[int, int] | None = None, wavelength: float = 16.0) -> None:
        rows, columns = self.ez.shape
        for _ in range(steps):
            wp.launch(magnetic, dim=(rows - 1, columns - 1), inputs=[self.ez, self.loss], outputs=[self.h])
            wp.launch(
                electric, dim=(rows - 2, columns - 2), inputs=[self.h, self.loss, self.permittivity], outputs=[self.ez]
            )
            if source:
                phase = 2 * np.pi * COURANT * self.steps / wavelength
                wp.launch(excite, dim=1, inputs=[self.ez, *source, np.sin(phase) * min(1.0, phase / 20)])
            self.steps += 1


def lens(rows: int, columns: int, radius: float) -> tuple[np.ndarray, tuple[int, int]]:
    """The permittivity round a Luneburg lens, and the leftmost point of the lens."""
    y, x = np.mgrid[0:rows, 0:columns]
    centre = (rows // 2, round(0.3 * columns))
    r2 = ((x - centre[1]) ** 2 + (y - centre[0]) ** 2) / radius**2
    return np.where(r2 < 1, 2 - r2, 1.0), (centre[0], round(centre[1] - radius))


def draw(ez: np.ndarray, permittivity: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(11, 6.4), dark=True) as axes:
        high = np.quantile(np.abs(ez), 0.97)
        _shared.image(axes, ez, "a point source on the rim of Luneburg's lens", cmap="twilight", vmin=-high, vmax=high)
        axes.contour(permittivity, levels=[1.02, 1.4, 1.7, 1.9], colors="white", linewidths=0.8, alpha=0.7)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=140)
    permittivity, source = lens(360, 640, 120)
    with wp.ScopedDevice(options.device):
        field = Field(permittivity, layer=30)
        for _ in _shared.progress(options.frames):
            field.advance(10, source)
        ez = field.ez.numpy()
    print(f"{field.steps} steps, strongest field {np.abs(ez).max():.3f}")
    if not options.headless:
        draw(ez, permittivity, options.picture)


if __name__ == "__main__":
    main()
