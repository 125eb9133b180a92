"""Lattice Boltzmann: a street of vortices behind a cylinder.

Shows vectors of nine numbers as elements of an array: how much fluid of a cell moves in each of nine directions. A
step collects what comes from the neighbours, and relaxes it to equilibrium (Qian, d'Humieres and Lallemand, 1992).
Walls throw back what hits them; von Karman explained the street in 1911.

    python -m warp.examples.simulation.lattice_boltzmann [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

vec9 = wp.types.vector(length=9, dtype=wp.float32)

#: Directions, weights, and which direction is the opposite one: column, row.
ACROSS = wp.constant(vec9(0, 1, 0, -1, 0, 1, -1, -1, 1))
ALONG = wp.constant(vec9(0, 0, 1, 0, -1, 1, 1, -1, -1))
WEIGHT = wp.constant(vec9(4 / 9, *[1 / 9] * 4, *[1 / 36] * 4))
BACK = wp.constant(vec9(0, 3, 4, 1, 2, 7, 8, 5, 6))


@wp.func
def equilibrium(density: float, u: wp.vec2) -> vec9:
    f = vec9()
    for k in range(9):
        c = 3.0 * (ACROSS[k] * u[0] + ALONG[k] * u[1])
        f[k] = WEIGHT[k] * density * (1.0 + c + 0.5 * c * c - 1.5 * wp.dot(u, u))
    return f


@wp.func
def velocity_of(f: vec9) -> wp.vec3:
    density = float(0.0)
    u = wp.vec2(0.0, 0.0)
    for k in range(9):
        density += f[k]
        u += f[k] * wp.vec2(ACROSS[k], ALONG[k])
    return wp.vec3(density, u[0] / density, u[1] / density)


@wp.kernel
def start(solid: wp.array2d[int], inflow: float, f: wp.array2d[vec9]) -> None:
    """The fluid flows to the right; a little shear breaks the symmetry."""
    i, j = wp.tid()
    shear = 0.05 * inflow * wp.sin(wp.TAU * float(j) / float(f.shape[1]))
    f[i, j] = equilibrium(1.0, wp.vec2(inflow, shear) * float(1 - solid[i, j]))


@wp.kernel
def step(
    f: wp.array2d[vec9], solid: wp.array2d[int], omega: float, inflow: float, force: float,
    out: wp.array2d[vec9],
) -> None:  # fmt: skip
    """With an inflow, fluid enters at the left and leaves at the right; without, the channel is a ring."""
    i, j = wp.tid()
    rows, columns = f.shape[0], f.shape[1]
    if solid[i, j] != 0:
        return
    if inflow > 0.0 and j == 0:
        out[i, j] = equilibrium(1.0, wp.vec2(inflow, 0.0))
        return
    come = vec9()
    for k in range(9):
        a = (i - int(ALONG[k]) + rows) % rows
        b = (j - int(ACROSS[k]) + columns) % columns
        if solid[a, b] != 0:
            come[k] = f[i, j][int(BACK[k])]
        elif inflow > 0.0 and j == columns - 1 and b == 0:
            come[k] = f[i, j - 1][k]
        else:
            come[k] = f[a, b][k]
    moments = velocity_of(come)
    u = wp.vec2(moments[1] + force / omega / moments[0], moments[2])
    out[i, j] = come + omega * (equilibrium(moments[0], u) - come)


@wp.kernel
def measure(f: wp.array2d[vec9], solid: wp.array2d[int], u: wp.array2d[wp.vec2]) -> None:
    i, j = wp.tid()
    moments = velocity_of(f[i, j])
    u[i, j] = wp.vec2(moments[1], moments[2]) * float(1 - solid[i, j])


class Channel:
    """A fluid between solid cells (1 in `solid`), driven by an inflow at the left or by a force."""

    def __init__(self, solid: np.ndarray, viscosity: float, inflow: float = 0.0, force: float = 0.0) -> None:
        self.omega, self.inflow, self.force = 1 / (3 * viscosity + 0.5), inflow, force
        self.solid = wp.array(solid, dtype=int)
        self.f, self.out = (wp.zeros(solid.shape, dtype=vec9) for _ in range(2))
        wp.launch(start, dim=solid.shape, inputs=[self.solid, inflow], outputs=[self.f])
        wp.copy(self.out, self.f)

    def advance(self, steps: int) -> None:
        for _ in range(steps):
            inputs = [self.f, self.solid, self.omega, self.inflow, self.force]
            wp.launch(step, dim=self.f.shape, inputs=inputs, outputs=[self.out])
            self.f, self.out = self.out, self.f

    def velocity(self) -> np.ndarray:
        u = wp.zeros(self.f.shape, dtype=wp.vec2)
        wp.launch(measure, dim=self.f.shape, inputs=[self.f, self.solid], outputs=[u])
        return np.array(u.numpy())


def cylinder(rows: int, columns: int, radius: float) -> np.ndarray:
    """Walls above and below, and a cylinder near the left end, a little off the middle."""
    y, x = np.mgrid[0:rows, 0:columns]
    solid: np.ndarray = (x - 0.18 * columns) ** 2 + (y - 0.5 * rows - 0.7) ** 2 < radius**2
    solid[[0, -1]] = True
    return solid


def draw(u: np.ndarray, solid: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 2, 1, size=(12, 6.6), dark=True) as (top, bottom):
        curl = np.gradient(u[..., 1], axis=1) - np.gradient(u[..., 0], axis=0)
        high = np.quantile(np.abs(curl), 0.985)
        shown = np.ma.masked_where(solid, curl)
        _shared.image(top, shown, "how fast it turns", cmap="twilight_shifted", vmin=-high, vmax=high)
        shown = np.ma.masked_where(solid, np.linalg.norm(u, axis=-1))
        _shared.image(bottom, shown, "how fast it flows", cmap="magma")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=90)
    radius, inflow = 8.0, 0.1
    solid = cylinder(110, 380, radius)
    viscosity = inflow * 2 * radius / 150  # a Reynolds number of 150
    with wp.ScopedDevice(options.device):
        channel = Channel(solid, viscosity, inflow)
        for _ in _shared.progress(options.frames):
            channel.advance(80)
        u = channel.velocity()
    print(f"{80 * options.frames} steps: fastest {np.linalg.norm(u, axis=-1).max() / inflow:.2f} times the inflow")
    if not options.headless:
        draw(u, solid, options.picture)


if __name__ == "__main__":
    main()
