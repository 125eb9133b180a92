"""Smoothed particle hydrodynamics: a dam breaks.

Shows a search for neighbours with `wp.HashGrid`. It is a grid in space, so that points have three coordinates, of which
the last is 0 here. The fluid is weakly compressible (Monaghan, 1994) with a cubic spline as its kernel and artificial
viscosity.

    python -m warp.examples.simulation.sph [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

WIDTH, HEIGHT = 2.4, 1.6


@wp.func
def spline(r: float, h: float) -> float:
    """The cubic spline in two dimensions; it ends at 2 h."""
    q = r / h
    scale = 10.0 / (7.0 * wp.PI * h * h)
    if q < 1.0:
        return scale * (1.0 - 1.5 * q * q + 0.75 * q * q * q)
    rest = wp.max(2.0 - q, 0.0)
    return scale * 0.25 * rest * rest * rest


@wp.func
def slope(r: float, h: float) -> float:
    """Derivative of the spline."""
    q = r / h
    scale = 10.0 / (7.0 * wp.PI * h * h * h)
    if q < 1.0:
        return scale * (2.25 * q * q - 3.0 * q)
    rest = wp.max(2.0 - q, 0.0)
    return -0.75 * scale * rest * rest


@wp.kernel
def weigh(x: wp.array[wp.vec3], grid: wp.uint64, h: float, mass: float, density: wp.array[float]) -> None:
    i = wp.tid()
    here = x[i]
    total = float(0.0)
    for j in wp.hash_grid_query(grid, here, 2.0 * h):
        total += spline(wp.length(here - x[j]), h)
    density[i] = mass * total


@wp.kernel
def accelerate(
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    density: wp.array[float],
    grid: wp.uint64,
    h: float,
    mass: float,
    sound: float,
    gravity: float,
    out: wp.array[wp.vec3],
) -> None:
    i = wp.tid()
    here = x[i]
    d = density[i]
    p = pressure(d, sound)
    a = wp.vec3(0.0, -gravity, 0.0)
    for j in wp.hash_grid_query(grid, here, 2.0 * h):
        away = here - x[j]
        r = wp.length(away)
        if r < 2.0 * h and j != i:
            approach = wp.min(wp.dot(v[i] - v[j], away), 0.0)
            mu = h * approach / (r * r + 0.01 * h * h)
            viscous = -0.08 * sound * mu * 2.0 / (d + density[j])
            both = p / (d * d) + pressure(density[j], sound) / (density[j] * density[j]) + viscous
            a -= mass * both * slope(r, h) / (r + 1.0e-6) * away
    out[i] = a


@wp.func
def pressure(density: float, sound: float) -> float:
    """Tait's equation for a fluid of density 1; no tension."""
    d2 = density * density
    return wp.max(sound * sound / 7.0 * (d2 * d2 * d2 * density - 1.0), 0.0)


@wp.func
def wall(inside: float, reach: float, sound: float) -> float:
    """What a wall adds to the velocity's change, at a distance from it."""
    return sound * sound / reach * wp.max(1.0 - inside / reach, 0.0)


@wp.kernel
def move(
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    a: wp.array[wp.vec3],
    reach: float,
    sound: float,
    dt: float,
) -> None:
    i = wp.tid()
    p = x[i]
    push = wp.vec3(
        wall(p[0], reach, sound) - wall(WIDTH - p[0], reach, sound),
        wall(p[1], reach, sound) - wall(HEIGHT - p[1], reach, sound),
        0.0,
    )
    v[i] = v[i] + dt * (a[i] + 0.1 * push)
    x[i] = x[i] + dt * v[i]


class Fluid:
    """Particles at rest, at a distance of `spacing` from each other."""

    def __init__(self, x: np.ndarray, spacing: float, sound: float = 25.0, gravity: float = 9.81) -> None:
        self.spacing, self.h, self.sound, self.gravity = spacing, 1.3 * spacing, sound, gravity
        self.mass = spacing**2
        self.x = wp.array(np.pad(x, ((0, 0), (0, 1))), dtype=wp.vec3)
        self.v, self.a = wp.zeros_like(self.x), wp.zeros_like(self.x)
        self.density = wp.zeros(len(x), dtype=float)
        columns, rows = (int(np.ceil(size / (2 * self.h))) + 2 for size in (WIDTH, HEIGHT))
        self.grid = wp.HashGrid(columns, rows, 1)

    def forces(self) -> None:
        n = len(self.x)
        self.grid.build(self.x, 2 * self.h)
        wp.launch(weigh, dim=n, inputs=[self.x, self.grid.id, self.h, self.mass], outputs=[self.density])
        inputs = [self.x, self.v, self.density, self.grid.id, self.h, self.mass, self.sound, self.gravity]
        wp.launch(accelerate, dim=n, inputs=inputs, outputs=[self.a])

    def advance(self, seconds: float) -> None:
        """Takes the steps that sound allows."""
        steps = int(np.ceil(seconds / (0.25 * self.h / self.sound)))
        for _ in range(steps):
            self.forces()
            wp.launch(move, dim=len(self.x), inputs=[self.x, self.v, self.a, self.spacing, self.sound, seconds / steps])


def dam(spacing: float, width: float = 0.6, height: float = 1.2) -> np.ndarray:
    x, y = np.meshgrid(np.arange(spacing, width, spacing), np.arange(spacing, height, spacing), indexing="ij")
    shift = np.random.default_rng(0).uniform(-0.02, 0.02, size=(x.size, 2)) * spacing
    return np.stack([x.ravel(), y.ravel()], axis=1) + shift


def draw(seen: list[tuple[float, np.ndarray, np.ndarray]], size: float, file: str) -> None:
    with _shared.sheet(file, 2, 2, size=(12, 8.2), dark=True) as panels:
        for axes, (seconds, x, v) in zip(panels, seen, strict=False):
            axes.scatter(*x.T[:2], s=size, c=np.linalg.norm(v, axis=1), cmap="YlGnBu_r", vmin=0, vmax=4, linewidths=0)
            axes.plot([0, 0, WIDTH, WIDTH], [HEIGHT, 0, 0, HEIGHT], color="#c9ccd6", linewidth=1.5)
            axes.set(xlim=(-0.02, WIDTH + 0.02), ylim=(-0.02, HEIGHT), aspect="equal")
            _shared.bare(axes, f"{seconds:.2f} s")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=80)
    seen = []
    with wp.ScopedDevice(options.device):
        fluid = Fluid(dam(0.02), 0.02)
        for frame in range(1, options.frames + 1):
            fluid.advance(1 / 60)
            if frame * 4 % options.frames < 4:
                seen.append((frame / 60, fluid.x.numpy().copy(), fluid.v.numpy().copy()))
    off = fluid.density.numpy().max() - 1
    print(f"{len(fluid.x)} particles, {options.frames} frames: compressed by {off:.1%} at most")
    if not options.headless:
        draw(seen, 18, options.picture)


if __name__ == "__main__":
    main()
