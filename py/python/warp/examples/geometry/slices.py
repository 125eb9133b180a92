"""Slices of a mesh: the outlines in which planes cut it, as a printer builds it up.

Shows queries for the faces near a plane, counted first and written then. A face that a plane cuts gives a line from one
of its sides to another; the sides have numbers, so that lines join into closed outlines by integers, without comparing
places. Corners in a plane count as above it. The areas of the slices, times their distance, are the volume of the
mesh, and the derivative of that sum by the points is found on a tape.

    python -m warp.examples.geometry.slices [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp
import warp.utils

from .. import _shared
from . import _shapes
from .ray_tracer import Lamp, look, picture


@wp.func
def crossing(a: wp.vec3, b: wp.vec3, height: float) -> wp.vec3:
    """Where the line between two points meets a plane, the same for a, b and b, a."""
    t = (height - a[2]) / (b[2] - a[2])
    return wp.lerp(a, b, t)


@wp.func
def corners_above(mesh: wp.uint64, face: int, height: float) -> int:
    """Three bits: which corners of a face are not below a plane."""
    bits = int(0)
    for k in range(3):
        bits += int(wp.mesh_get_point(mesh, 3 * face + k)[2] >= height) << k
    return bits


@wp.kernel
def find(
    mesh: wp.uint64, low: wp.vec3, high: wp.vec3, heights: wp.array[float], starts: wp.array[int],
    cut: wp.array[wp.vec2i], counts: wp.array[int],
) -> None:  # fmt: skip
    """Writes faces and planes that cut each other, from the start of each plane; without starts it only counts them."""
    n = wp.tid()
    height = heights[n]
    count = int(0)
    for face in wp.mesh_query_aabb(mesh, wp.vec3(low[0], low[1], height), wp.vec3(high[0], high[1], height)):
        bits = corners_above(mesh, face, height)
        if bits != 0 and bits != 7:
            if starts:
                cut[starts[n] + count] = wp.vec2i(face, n)
            count += 1
    counts[n] = count


@wp.kernel
def cut_faces(
    mesh: wp.uint64, heights: wp.array[float], cut: wp.array[wp.vec2i], lines: wp.array2d[wp.vec3],
    ends: wp.array2d[wp.vec2i],
) -> None:  # fmt: skip
    """The line of each cut, with the inside to its left, and the sides of faces that it goes between."""
    n = wp.tid()
    face, height = cut[n][0], heights[cut[n][1]]
    bits = corners_above(mesh, face, height)
    # The corner that lies alone, above or below.
    alone = wp.where(bits == 1 or bits == 6, 0, wp.where(bits == 2 or bits == 5, 1, 2))
    a = wp.mesh_get_index(mesh, 3 * face + alone)
    for k in range(2):
        other = wp.mesh_get_index(mesh, 3 * face + (alone + 1 + k) % 3)
        # A corner below, alone: the line goes from the side before it to the side behind it.
        place = wp.where(bits == 1 or bits == 2 or bits == 4, k, 1 - k)
        p, q = wp.min(a, other), wp.max(a, other)
        ends[n, place] = wp.vec2i(p, q)
        points = wp.mesh_get(mesh).points
        lines[n, place] = crossing(points[p], points[q], height)


@wp.kernel
def measure(lines: wp.array2d[wp.vec3], areas: wp.array[float]) -> None:
    """The area between each line and the axis z = 0; those of an outline add up to what it encloses."""
    n = wp.tid()
    a, b = lines[n, 0], lines[n, 1]
    areas[n] = 0.5 * (a[0] * b[1] - a[1] * b[0])


class Slices:
    """The cuts of a mesh at some heights."""

    def __init__(self, mesh: wp.Mesh, heights: np.ndarray) -> None:
        self.mesh, self.heights = mesh, wp.array(heights, dtype=float)
        points, count = mesh.points.numpy(), len(heights)
        inputs = [mesh, wp.vec3(*points.min(axis=0)), wp.vec3(*points.max(axis=0)), self.heights]
        counts, starts = wp.zeros(count, dtype=int), wp.zeros(count, dtype=int)
        wp.launch(find, count, inputs=[*inputs, None, None], outputs=[counts])
        warp.utils.array_scan(counts, starts, inclusive=False)
        self.cut = wp.empty(int(counts.numpy().sum()), dtype=wp.vec2i)
        wp.launch(find, count, inputs=[*inputs, starts, self.cut], outputs=[counts])
        self.lines = wp.empty((len(self.cut), 2), dtype=wp.vec3, requires_grad=mesh.points.requires_grad)
        self.ends = wp.empty((len(self.cut), 2), dtype=wp.vec2i)
        self.areas = wp.zeros(len(self.cut), dtype=float, requires_grad=mesh.points.requires_grad)

    def measure(self) -> None:
        """The lines, and the area beside each."""
        inputs = [self.mesh, self.heights, self.cut]
        wp.launch(cut_faces, len(self.cut), inputs=inputs, outputs=[self.lines, self.ends])
        wp.launch(measure, len(self.cut), inputs=[self.lines], outputs=[self.areas])

    def slice_areas(self) -> np.ndarray:
        return np.bincount(self.cut.numpy()[:, 1], self.areas.numpy().astype(float), minlength=len(self.heights))

    def outlines(self) -> list[list[np.ndarray]]:
        """Closed lines of points (n, 2) for each slice."""
        ends = self.ends.numpy().astype(np.int64)
        keys = np.concatenate([np.broadcast_to(self.cut.numpy()[:, None, 1:], (len(ends), 2, 1)), ends], axis=2)
        _, number = np.unique(keys.reshape(-1, 3), axis=0, return_inverse=True)
        begin, end = number.reshape(-1, 2).T
        if not np.array_equal(np.sort(begin), np.sort(end)) or len(np.unique(begin)) != len(begin):
            raise RuntimeError("outlines are open: the mesh is")
        after = np.argsort(begin)[np.searchsorted(np.sort(begin), end)]
        places, slices, done = self.lines.numpy()[:, 0, :2], self.cut.numpy()[:, 1], np.zeros(len(after), dtype=bool)
        found: list[list[np.ndarray]] = [[] for _ in range(len(self.heights))]
        for first in range(len(after)):
            line, n = [], first
            while not done[n]:
                done[n] = True
                line.append(n)
                n = int(after[n])
            if line:
                found[slices[first]].append(places[line])
        return found


def draw(shape: _shapes.Shape, outlines: list[list[np.ndarray]], heights: np.ndarray, file: str) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    with _shared.sheet(file, 3, 4, size=(12.5, 9.4)) as panels:
        lamp, camera = Lamp(wp.vec3(-3.2, -2.6, 4.6), 0.55), look((1.4, -3.9, 2.2), (0.0, 0.0, 0.0), 0.62)
        points, faces, part = _shapes.joined(shape, _shapes.floor(float(shape[0][:, 2].min())))
        image, _ = picture(
            points, faces, np.array([(0.42, 0.3, 0.58), (0.8, 0.78, 0.74)])[part], camera, lamp, (300, 300)
        )
        _shared.image(panels[0], np.clip(image, 0, 1), "the mesh")
        for axes, n in zip(panels[1:], np.linspace(0, len(heights) - 1, 13).astype(int)[1:-1], strict=True):
            codes, places = [], []
            for line in outlines[n]:
                codes += [Path.MOVETO, *[Path.LINETO] * (len(line) - 1), Path.CLOSEPOLY]
                places += [*line, line[0]]
            axes.add_patch(PathPatch(Path(places, codes), facecolor="#b9a7d1", edgecolor=_shared.VIOLET, linewidth=1.3))
            axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
            _shared.bare(axes, f"z = {heights[n]:.2f}")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    with wp.ScopedDevice(options.device):
        points, faces = _shapes.knot(240, 48, 0.15)
        low, high = points[:, 2].min(), points[:, 2].max()
        step = (high - low) / 200
        heights = (np.arange(200) + 0.5) * step + low
        slices = Slices(_shapes.mesh(points, faces, requires_grad=True), heights)
        with wp.Tape() as tape:
            slices.measure()
        outlines = slices.outlines()
        stacked = slices.slice_areas().sum() * step
        tape.backward(grads={slices.areas: wp.full(len(slices.cut), step, dtype=float)})
        gradient = slices.mesh.points.grad.numpy().astype(float)
    volume = np.linalg.det(points[faces]).sum() / 6
    print(f"{len(heights)} slices, {len(slices.cut)} lines, {sum(map(len, outlines))} closed outlines")
    print(f"their areas stack up to {stacked:.4f}, the mesh encloses {volume:.4f}")
    # Across the planes nothing is lost: moving all points along x or y changes no area, growing x grows all.
    grown = (gradient[:, 0] * points[:, 0]).sum()
    print(f"stretched along x, they grow by {grown:.4f}")
    if abs(stacked - volume) > 1e-3 * volume or abs(grown - stacked) > 1e-3 * volume:
        raise RuntimeError(f"areas are wrong: {stacked} or {grown} in place of {volume}")
    if not options.headless:
        draw((points, faces), outlines, heights, options.picture)


if __name__ == "__main__":
    main()
