"""Smoke in a sparse volume: a solver whose grid is only where the smoke is.

Shows volumes that number their voxels: density, velocity and pressure are arrays with an element for each voxel, which
`wp.volume_sample_index` interpolates. In each frame the tiles near smoke become the grid of the next one, and what is
carried along is sampled in the grid of the last one. The method is Stam's (Stable Fluids, 1999): velocities live on
the sides of voxels, a pressure keeps them free of sources, and it is zero where the grid ends. The picture is made by
rays through the same volume, with the shadow that the smoke throws on itself.

    python -m warp.examples.geometry.smoke [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from .ray_tracer import Camera, look

#: What counts as smoke, and how many voxels of each tile's border keep the next tile.
FAINT, MARGIN = wp.constant(2.0e-3), wp.constant(4)
DT = wp.constant(1.0)
LIGHT = wp.vec3(-0.55, -0.35, 0.76)


@wp.kernel
def spread(
    grid: wp.uint64, smoke: wp.array[float], tiles: wp.array[wp.vec3i], points: wp.array2d[wp.vec3i],
    needed: wp.array2d[wp.bool],
) -> None:  # fmt: skip
    """Which of the 27 tiles around each tile have smoke within MARGIN voxels of them."""
    t, side = wp.tid()
    step = wp.vec3i(side // 9 - 1, (side // 3) % 3 - 1, side % 3 - 1)
    low, high = wp.vec3i(), wp.vec3i()
    for axis in range(3):
        low[axis] = wp.where(step[axis] > 0, 8 - MARGIN, 0)
        high[axis] = wp.where(step[axis] < 0, MARGIN, 8)
    found = wp.bool(False)
    for i in range(low[0], high[0]):
        for j in range(low[1], high[1]):
            for k in range(low[2], high[2]):
                at = tiles[t] + wp.vec3i(i, j, k)
                found = found or smoke[wp.volume_lookup_index(grid, at[0], at[1], at[2])] > FAINT
    points[t, side] = tiles[t] + 8 * step
    needed[t, side] = found


@wp.kernel
def find_neighbours(
    grid: wp.uint64, voxels: wp.array[wp.vec3i], neighbours: wp.array2d[int], inner: wp.array[wp.bool]
) -> None:
    """The voxels before (2 * axis) and behind (2 * axis + 1) along each axis, -1 where the grid ends."""
    n = wp.tid()
    all_there = wp.bool(True)
    for side in range(6):
        at = voxels[n]
        at[side // 2] = at[side // 2] + 2 * (side % 2) - 1
        neighbours[n, side] = wp.volume_lookup_index(grid, at[0], at[1], at[2])
        all_there = all_there and neighbours[n, side] >= 0
    inner[n] = all_there


@wp.func
def centre(voxel: wp.vec3i) -> wp.vec3:
    return wp.vec3(float(voxel[0]), float(voxel[1]), float(voxel[2]))


@wp.func
def velocity_at(grid: wp.uint64, velocity: wp.array[wp.vec3], p: wp.vec3) -> wp.vec3:
    """Component a lies half a voxel before the centre along axis a."""
    v = wp.vec3()
    for axis in range(3):
        q = p
        q[axis] = q[axis] + 0.5
        v[axis] = wp.volume_sample_index(grid, q, wp.Volume.LINEAR, velocity, wp.vec3())[axis]
    return v


@wp.func
def before(grid: wp.uint64, velocity: wp.array[wp.vec3], p: wp.vec3) -> wp.vec3:
    """Where what is at p was DT ago."""
    middle = p - 0.5 * DT * velocity_at(grid, velocity, p)
    return p - DT * velocity_at(grid, velocity, middle)


@wp.kernel
def carry(
    old: wp.uint64, velocity: wp.array[wp.vec3], smoke: wp.array[float], pressure: wp.array[float],
    voxels: wp.array[wp.vec3i], time: float,
    velocity_out: wp.array[wp.vec3], smoke_out: wp.array[float], pressure_out: wp.array[float],
) -> None:  # fmt: skip
    n = wp.tid()
    p = centre(voxels[n])
    density = 0.995 * wp.volume_sample_index(old, before(old, velocity, p), wp.Volume.LINEAR, smoke, 0.0)
    source = wp.length_sq(wp.cw_mul(p, wp.vec3(1.0, 1.0, 1.4))) < 64.0
    smoke_out[n] = wp.where(source, 1.0, density)
    pressure_out[n] = wp.volume_sample_index(old, p, wp.Volume.LINEAR, pressure, 0.0)
    v = wp.vec3()
    for axis in range(3):
        q = p
        q[axis] = q[axis] - 0.5
        v[axis] = velocity_at(old, velocity, before(old, velocity, q))[axis]
    # Smoke is lighter than air; the source is stirred, or the plume would be a straight column.
    v[2] = v[2] + DT * 0.035 * density
    if source:
        v += 0.12 * wp.curlnoise(wp.rand_init(5), 0.16 * p + wp.vec3(0.0, 0.0, 0.07 * time))
    velocity_out[n] = v


@wp.kernel
def diverge(
    velocity: wp.array[wp.vec3], neighbours: wp.array2d[int], inner: wp.array[wp.bool], out: wp.array[float]
) -> None:
    n = wp.tid()
    total = float(0.0)
    if inner[n]:
        for axis in range(3):
            total += velocity[neighbours[n, 2 * axis + 1]][axis] - velocity[n][axis]
    out[n] = total


@wp.kernel
def relax(
    pressure: wp.array[float], divergence: wp.array[float], neighbours: wp.array2d[int], inner: wp.array[wp.bool],
    out: wp.array[float],
) -> None:  # fmt: skip
    n = wp.tid()
    found = float(0.0)
    if inner[n]:
        total = -divergence[n]
        for side in range(6):
            total += pressure[neighbours[n, side]]
        found = wp.lerp(pressure[n], total / 6.0, 0.95)
    out[n] = found


@wp.kernel
def project(pressure: wp.array[float], neighbours: wp.array2d[int], velocity: wp.array[wp.vec3]) -> None:
    n = wp.tid()
    slope = wp.vec3()
    for axis in range(3):
        m = neighbours[n, 2 * axis]
        if m >= 0:
            slope[axis] = pressure[n] - pressure[m]
    velocity[n] = velocity[n] - slope


@wp.kernel
def shade(
    grid: wp.uint64, smoke: wp.array[float], voxels: wp.array[wp.vec3i], light: wp.vec3, out: wp.array[float]
) -> None:
    """The share of the light that reaches each voxel."""
    n = wp.tid()
    p = centre(voxels[n])
    depth = float(0.0)
    for s in range(24):
        q = p + (2.0 * float(s) + 1.0) * light
        depth += 2.0 * wp.volume_sample_index(grid, q, wp.Volume.LINEAR, smoke, 0.0)
    out[n] = wp.exp(-0.3 * depth)


@wp.kernel
def render(
    grid: wp.uint64, smoke: wp.array[float], lit: wp.array[float], camera: Camera, low: wp.vec3, high: wp.vec3,
    image: wp.array2d[wp.vec3],
) -> None:  # fmt: skip
    i, j = wp.tid()
    rows = float(image.shape[0])
    u = (float(j) + 0.5 - 0.5 * float(image.shape[1])) / rows
    v = (float(i) + 0.5) / rows - 0.5
    ray = wp.normalize(camera.forward + u * camera.right + v * camera.up)
    through, colour = float(1.0), wp.vec3()
    # Where the ray is within the box around the grid.
    enter, leave = float(0.0), float(1.0e6)
    for axis in range(3):
        a, b = (low[axis] - camera.eye[axis]) / ray[axis], (high[axis] - camera.eye[axis]) / ray[axis]
        enter, leave = wp.max(enter, wp.min(a, b)), wp.min(leave, wp.max(a, b))
    t = enter + 0.7 * wp.randf(wp.rand_init(1, i * image.shape[1] + j))
    while t < leave and through > 0.01:
        p = camera.eye + t * ray
        density = wp.volume_sample_index(grid, p, wp.Volume.LINEAR, smoke, 0.0)
        if density > 0.0:
            share = wp.exp(-0.35 * 0.7 * density)
            sun = wp.volume_sample_index(grid, p, wp.Volume.LINEAR, lit, 1.0)
            colour += through * (1.0 - share) * (1.15 * sun * wp.vec3(1.0, 0.84, 0.64) + wp.vec3(0.13, 0.16, 0.24))
            through *= share
        t += 0.7
    image[i, j] = colour + through * wp.lerp(wp.vec3(0.05, 0.06, 0.09), wp.vec3(0.2, 0.24, 0.32), v + 0.5)


class Smoke:
    """A plume that rises from a source at the origin."""

    def __init__(self, rounds: int = 30) -> None:
        self.rounds, self.time = rounds, 0.0
        corners = np.stack(np.meshgrid(*[(-16, -8, 0, 8)] * 3), axis=-1).reshape(-1, 3)
        self.use(wp.array(corners, dtype=wp.vec3i), None)
        count = self.grid.get_voxel_count()
        self.velocity = wp.zeros(count, dtype=wp.vec3)
        self.smoke, self.pressure = wp.zeros(count, dtype=float), wp.zeros(count, dtype=float)

    def use(self, points: wp.array, needed: wp.array | None) -> None:
        """Makes the tiles of points the grid."""
        self.grid = wp.Volume.allocate_by_tiles(points, voxel_size=1.0, bg_value=None, point_mask=needed)
        self.voxels = wp.array(self.grid.get_voxels().numpy(), dtype=wp.vec3i)
        count = len(self.voxels)
        self.neighbours, self.inner = wp.empty((count, 6), dtype=int), wp.empty(count, dtype=wp.bool)
        wp.launch(find_neighbours, count, inputs=[self.grid, self.voxels], outputs=[self.neighbours, self.inner])

    def follow(self) -> None:
        """Makes the tiles near smoke the grid."""
        tiles = wp.array(self.grid.get_tiles().numpy(), dtype=wp.vec3i)
        points = wp.empty((len(tiles), 27), dtype=wp.vec3i)
        needed = wp.empty(points.shape, dtype=wp.bool)
        wp.launch(spread, points.shape, inputs=[self.grid, self.smoke, tiles], outputs=[points, needed])
        self.use(points.flatten(), needed.flatten())

    def advance(self) -> None:
        old = self.grid
        if self.time > 0:
            self.follow()
        count = len(self.voxels)
        velocity, smoke, pressure = wp.empty(count, dtype=wp.vec3), *(wp.empty(count, dtype=float) for _ in range(2))
        before = [old, self.velocity, self.smoke, self.pressure, self.voxels, self.time]
        wp.launch(carry, count, inputs=before, outputs=[velocity, smoke, pressure])
        self.velocity, self.smoke, self.pressure = velocity, smoke, pressure
        self.time += 1.0
        divergence, other = self.divergence(), wp.empty(count, dtype=float)
        for _ in range(self.rounds):  # the pressure of the last frame is a good start
            wp.launch(relax, count, inputs=[self.pressure, divergence, self.neighbours, self.inner], outputs=[other])
            self.pressure, other = other, self.pressure
        wp.launch(project, count, inputs=[self.pressure, self.neighbours, self.velocity])

    def divergence(self) -> wp.array:
        found = wp.empty(len(self.voxels), dtype=float)
        wp.launch(diverge, len(found), inputs=[self.velocity, self.neighbours, self.inner], outputs=[found])
        return found

    def image(self, shape: tuple[int, int], camera: Camera, light: wp.vec3) -> np.ndarray:
        lit, image = wp.empty_like(self.smoke), wp.empty(shape, dtype=wp.vec3)
        wp.launch(shade, len(lit), inputs=[self.grid, self.smoke, self.voxels, light], outputs=[lit])
        at = self.voxels.numpy()
        box = wp.vec3(*at.min(axis=0)), wp.vec3(*at.max(axis=0))
        wp.launch(render, shape, inputs=[self.grid, self.smoke, lit, camera, *box], outputs=[image])
        return np.array(image.numpy())


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=150)
    with wp.ScopedDevice(options.device):
        plume = Smoke()
        for _ in _shared.progress(options.frames):
            plume.advance()
        left, speed = plume.divergence().numpy().std(), np.linalg.norm(plume.velocity.numpy(), axis=1).max()
        filled = (plume.smoke.numpy() > float(FAINT)).mean()
        if not options.headless:
            image = plume.image((520, 390), look((55.0, -190.0, 30.0), (0.0, 0.0, 45.0), 0.62), LIGHT)
    tiles = plume.grid.get_tile_count()
    print(f"{options.frames} frames, {tiles} tiles: there is smoke in {filled:.0%} of their voxels")
    print(f"at most {speed:.2f} voxels in a frame, divergence {left:.1e}")
    if not left < 0.1 * speed:
        raise RuntimeError(f"the flow has sources: its divergence is {left}")
    if not options.headless:
        with _shared.sheet(options.picture, size=(6, 8), dark=True) as axes:
            _shared.image(axes, np.clip(image, 0, 1) ** 0.8)


if __name__ == "__main__":
    main()
