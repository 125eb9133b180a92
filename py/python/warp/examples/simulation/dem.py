"""Discrete elements: sand runs through an hourglass.

Shows contacts between grains that `wp.HashGrid` finds, and walls as a table of lines. Grains are discs in the plane
z = 0; where two overlap, a spring and a damper push them apart, and friction acts up to Coulomb's limit and makes
them roll (Cundall and Strack, 1979).

    python -m warp.examples.simulation.dem [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

LOW, HIGH = (-0.5, 0.0), (0.5, 1.6)
#: The glass: lines from corner to corner, closed.
NECK = 0.045
GLASS = [(-0.42, 0.02), (0.42, 0.02), (0.42, 0.42), (NECK, 0.8), (0.42, 1.18), (0.42, 1.58)]
GLASS += [(-x, y) for x, y in GLASS[:1:-1]]


@wp.struct
class Sand:
    stiffness: float
    damping: float
    friction: float
    gravity: float


@wp.func
def touch(away: wp.vec3, gap: float, velocity: wp.vec3, turning: float, sand: Sand) -> wp.vec3:
    """Force on a grain and its torque over the radius; `velocity` is that of the grain as seen from what it touches.

    `turning` is the speed at which the surfaces turn against each other. The force is zero where there is a gap.
    """
    force = wp.vec3(0.0, 0.0, 0.0)
    torque = float(0.0)
    if gap < 0.0:
        normal = wp.normalize(away)
        side = wp.vec3(-normal[1], normal[0], 0.0)
        push = wp.max(-sand.stiffness * gap - sand.damping * wp.dot(velocity, normal), 0.0)
        slip = wp.dot(velocity, side) - turning
        rub = -wp.clamp(sand.damping * slip, -sand.friction * push, sand.friction * push)
        force = push * normal + rub * side
        torque = -rub
    return wp.vec3(force[0], force[1], torque)


@wp.kernel
def contacts(
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    spin: wp.array[float],
    radius: wp.array[float],
    grid: wp.uint64,
    reach: float,
    walls: wp.array[wp.vec3],
    sand: Sand,
    force: wp.array[wp.vec3],
) -> None:
    """Forces and torques; masses are those of discs, 1 for the radius 1."""
    i = wp.tid()
    here = x[i]
    r = radius[i]
    total = wp.vec3(0.0, -sand.gravity * r * r, 0.0)
    for j in wp.hash_grid_query(grid, here, reach):
        if j != i:
            away = here - x[j]
            gap = wp.length(away) - r - radius[j]
            total += touch(away, gap, v[i] - v[j], spin[i] * r + spin[j] * radius[j], sand)
    for w in range(walls.shape[0]):
        start = walls[w]
        along = walls[(w + 1) % walls.shape[0]] - start
        share = wp.clamp(wp.dot(here - start, along) / wp.dot(along, along), 0.0, 1.0)
        away = here - (start + share * along)
        total += touch(away, wp.length(away) - r, v[i], spin[i] * r, sand)
    force[i] = total


@wp.kernel
def move(
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    spin: wp.array[float],
    radius: wp.array[float],
    force: wp.array[wp.vec3],
    dt: float,
) -> None:
    i = wp.tid()
    f = force[i]
    r = radius[i]
    v[i] = v[i] + dt / (r * r) * wp.vec3(f[0], f[1], 0.0)
    spin[i] = spin[i] + dt * f[2] * r / (0.5 * r * r * r * r)
    x[i] = x[i] + dt * v[i]


class Grains:
    """Discs at rest. The damping is a share of that at which a pair of the mean size no longer bounces."""

    def __init__(
        self, x: np.ndarray, radius: np.ndarray, gravity: float = 9.81, damping: float = 0.3, friction: float = 0.6
    ) -> None:
        self.x = wp.array(np.pad(x, ((0, 0), (0, 1))), dtype=wp.vec3)
        self.radius = wp.array(radius, dtype=float)
        self.v, self.spin = wp.zeros_like(self.x), wp.zeros_like(self.radius)
        self.force = wp.zeros(len(x), dtype=wp.vec3)
        self.walls = wp.array([(*corner, 0.0) for corner in GLASS], dtype=wp.vec3)
        self.size = 2.0 * float(radius.max())
        columns, rows = (int((b - a) / self.size) + 2 for a, b in zip(LOW, HIGH, strict=True))
        self.grid = wp.HashGrid(columns, rows, 1)
        mass = float(radius.mean()) ** 2
        stiffness = mass * 4e6
        self.sand = Sand(stiffness, damping * np.sqrt(2 * stiffness * mass), friction, gravity)

    def advance(self, steps: int, dt: float) -> None:
        n = len(self.x)
        for _ in range(steps):
            self.grid.build(self.x, self.size)
            inputs = [self.x, self.v, self.spin, self.radius, self.grid.id, self.size, self.walls, self.sand]
            wp.launch(contacts, dim=n, inputs=inputs, outputs=[self.force])
            wp.launch(move, dim=n, inputs=[self.x, self.v, self.spin, self.radius, self.force, dt])


def heap(count: int, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Grains in rows that fill the upper half from the neck on."""
    rng = np.random.default_rng(2)
    rows, y = [np.zeros((0, 2))], 0.86
    while sum(map(len, rows)) < count:
        half = NECK + (0.42 - NECK) * min(1.0, (y - 0.8) / 0.38) - 1.6 * size
        x = np.arange(-half, half, 2.1 * size)
        rows.append(np.stack([x - x.mean(), np.full(len(x), y)], axis=1))
        y += 2.1 * size
    x = np.concatenate(rows)[:count]
    return x + rng.normal(scale=0.02 * size, size=x.shape), rng.uniform(0.7, 1.0, count) * size


def draw(seen: list[np.ndarray], radius: np.ndarray, colours: np.ndarray, file: str) -> None:
    from matplotlib.collections import EllipseCollection

    with _shared.sheet(file, 1, len(seen), size=(3.2 * len(seen), 5.8)) as panels:
        for axes, x in zip(panels, seen, strict=True):
            axes.fill(*np.array(GLASS).T, facecolor="#eef3f5", edgecolor=_shared.INK, linewidth=2)
            discs = EllipseCollection(
                2 * radius, 2 * radius, 0, units="x", offsets=x[:, :2], offset_transform=axes.transData, cmap="YlOrBr_r"
            )
            discs.set_array(colours)
            axes.add_collection(discs)
            axes.set(xlim=LOW[:1] + HIGH[:1], ylim=(0, 1.6), aspect="equal")
            _shared.bare(axes)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=200)
    x, radius = heap(1400, 0.0085)
    seen = []
    with wp.ScopedDevice(options.device):
        grains = Grains(x, radius)
        for frame in range(1, options.frames + 1):
            grains.advance(60, 1 / 60 / 60)
            if frame * 4 % options.frames < 4:
                seen.append(grains.x.numpy().copy())
    below = (seen[-1][:, 1] < 0.8).mean()
    print(f"{len(x)} grains, {options.frames} frames: {below:.0%} are below the neck")
    if not options.headless:
        draw(seen, radius, (x[:, 1] * 18).astype(int) % 3, options.picture)


if __name__ == "__main__":
    main()
