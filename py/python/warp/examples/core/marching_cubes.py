"""Marching cubes: a surface of triangles where a function of space is zero, and its derivative.

`warp.geometry.IsoSurfaceMarchingCubes` makes triangles of a field, from which gradients go back to it: here from the
volume that the surface encloses to the thickness of a rope. The derivative of a volume is the area that moves, which
the triangles have, too.

    python -m warp.examples.core.marching_cubes [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp
import warp.geometry

from .. import _shared


@wp.kernel
def thicken(distances: wp.array3d[float], thickness: wp.array[float], field: wp.array3d[float]) -> None:
    """Below zero inside the rope."""
    i, j, k = wp.tid()
    field[i, j, k] = distances[i, j, k] - thickness[0]


@wp.kernel
def enclose(verts: wp.array[wp.vec3], indices: wp.array[int], volume: wp.array[float]) -> None:
    """The tetrahedra between the triangles and the origin, with their signs, fill what the surface encloses."""
    t = 3 * wp.tid()
    a, b, c = verts[indices[t]], verts[indices[t + 1]], verts[indices[t + 2]]
    wp.atomic_add(volume, 0, wp.dot(a, wp.cross(b, c)) / 6.0)


def surface(field: np.ndarray) -> np.ndarray:
    """Triangles, counterclockwise from outside, where the field goes through zero; it is negative inside."""
    verts, indices = warp.geometry.IsoSurfaceMarchingCubes.extract(wp.array(field, dtype=float))
    return np.array(verts.numpy()[indices.numpy().reshape(-1, 3)])


def enclosed(distances: np.ndarray, thickness: float) -> tuple[float, float]:
    """The volume within a rope round a curve, and its derivative by the thickness, through the triangles."""
    given = wp.array(distances, dtype=float)
    radius = wp.array([thickness], dtype=float, requires_grad=True)
    field, volume = wp.zeros(given.shape, requires_grad=True), wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(thicken, dim=given.shape, inputs=[given, radius], outputs=[field])
        verts, indices = warp.geometry.IsoSurfaceMarchingCubes.extract(field)
        wp.launch(enclose, dim=len(indices) // 3, inputs=[verts, indices], outputs=[volume])
    tape.backward(volume)
    return float(volume.numpy()[0]), float(radius.grad.numpy()[0])


def knot(side: int) -> np.ndarray:
    """Distance to a trefoil knot."""
    t = np.linspace(0, 2 * np.pi, 240, endpoint=False)
    curve = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -1.2 * np.sin(3 * t)], axis=1) / 4.2
    axis = np.linspace(-1, 1, side, dtype=np.float32)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    least = np.full(x.shape, np.inf, dtype=np.float32)
    for p in curve.astype(np.float32):
        least = np.minimum(least, (x - p[0]) ** 2 + (y - p[1]) ** 2 + (z - p[2]) ** 2)
    return np.sqrt(least)


def draw(triangles: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(7.5, 7.5), dark=True) as axes:
        _shared.solid(axes, triangles, colour="#f2a65a", edge="#00000030")
        _shared.bare(axes, f"a trefoil knot of {len(triangles)} triangles")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    thickness = 0.15
    with wp.ScopedDevice(options.device):
        distances = knot(64)
        triangles = surface(distances - thickness)
        volume, slope = enclosed(distances, thickness)
    a, b, c = triangles.astype(float).swapaxes(0, 1)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    cell = 2 / 63  # distances are in units of the box, which is 2 wide
    print(f"{len(triangles)} triangles round {volume:.0f} cells of space")
    print(f"volume by thickness: {slope * cell:.0f}, and their area is {area:.0f}")
    if not options.headless:
        draw(triangles, options.picture)


if __name__ == "__main__":
    main()
