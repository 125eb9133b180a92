"""Signed distances: how far points of a grid are from a mesh, and on which side.

Shows queries for the closest point with a sign, one for each node of a grid. The distances are good for more than the
mesh is: a surface at some distance from it comes from marching cubes, and between the nodes the distance is
interpolated.

    python -m warp.examples.geometry.signed_distance [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from ..core.marching_cubes import surface
from . import _shapes
from .ray_tracer import Lamp, look, picture


@wp.func
def distance(mesh: wp.uint64, p: wp.vec3) -> float:
    """The distance to the mesh, negative inside."""
    near = wp.mesh_query_point_sign_normal(mesh, p, 100.0)
    return near.sign * wp.length(p - wp.mesh_eval_position(mesh, near.face, near.u, near.v))


@wp.kernel
def sample(mesh: wp.uint64, low: wp.vec3, step: wp.vec3, out: wp.array3d[float]) -> None:
    i, j, k = wp.tid()
    out[i, j, k] = distance(mesh, low + wp.cw_mul(step, wp.vec3(float(i), float(j), float(k))))


def sampled(mesh: wp.Mesh, low: np.ndarray, high: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    """Distances at the nodes of a grid from corner to corner."""
    out = wp.empty(shape, dtype=float)
    step = (np.array(high) - low) / np.maximum(np.array(shape) - 1, 1)
    wp.launch(sample, dim=shape, inputs=[mesh, wp.vec3(*low), wp.vec3(*step)], outputs=[out])
    return np.array(out.numpy())


def offset(field: np.ndarray, by: float, low: np.ndarray, high: np.ndarray) -> _shapes.Shape:
    """The surface at a distance, of distances at the nodes of a grid."""
    triangles = surface(field - by)
    corners = triangles.reshape(-1, 3) * (np.array(high) - low) / (np.array(field.shape) - 1) + low
    points, faces = np.unique(corners.round(5), axis=0, return_inverse=True)
    return points, faces.reshape(-1, 3)


def draw(shapes: list[tuple[str, np.ndarray, np.ndarray]], cut: np.ndarray, extent: list[float], file: str) -> None:
    lamp, camera = Lamp(wp.vec3(-2.2, -3.6, 4.6), 0.6), look((0.0, -3.4, 4.4), (0.0, 0.0, -0.1), 0.46)
    with _shared.sheet(file, 1, 3, size=(12.6, 4.5)) as panels:
        for axes, (title, points, faces) in zip(panels[::2], shapes, strict=True):
            points, faces, part = _shapes.joined((points, faces), _shapes.floor(-0.65))
            colours = np.array([(0.83, 0.27, 0.29), (0.8, 0.78, 0.74)])[part]
            image, _ = picture(points, faces, colours, camera, lamp, (320, 320))
            _shared.image(axes, np.clip(image, 0, 1), title)
        axes = panels[1]
        _shared.image(axes, cut.T, "distances in the plane z = 0", extent=extent, cmap="RdBu", vmin=-0.5, vmax=0.5)
        levels = np.arange(-0.15, 0.8, 0.05)
        axes.contour(cut.T, levels=levels, extent=extent, colors=_shared.INK, linewidths=0.5, alpha=0.6)
        axes.contour(cut.T, levels=[0.0], extent=extent, colors=_shared.INK, linewidths=2.0)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    low, high = np.array([-1.15, -1.15, -0.7]), np.array([1.15, 1.15, 0.7])
    with wp.ScopedDevice(options.device):
        points, faces = _shapes.knot(180, 24)
        mesh = _shapes.mesh(points, faces)
        field = sampled(mesh, low, high, (58, 58, 36))
        cut = sampled(mesh, low * [1, 1, 0], high * [1, 1, 0], (240, 240, 1))[..., 0]
        thick = offset(field, 0.08, low, high)
        away = np.abs(sampled_at(mesh, thick[0]) - 0.08)
    print(f"{field.size} nodes around {len(faces)} faces: the surface at 0.08 is off by {away.mean():.4f} on average")
    if not options.headless:
        shapes = [("the mesh", points, faces), ("the surface at the distance 0.08", *thick)]
        draw(shapes, cut, [low[0], high[0], low[1], high[1]], options.picture)


@wp.kernel
def at_points(mesh: wp.uint64, points: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = distance(mesh, points[i])


def sampled_at(mesh: wp.Mesh, points: np.ndarray) -> np.ndarray:
    """Distances of some points."""
    out = wp.empty(len(points), dtype=float)
    wp.launch(at_points, dim=len(points), inputs=[mesh, wp.array(points, dtype=wp.vec3)], outputs=[out])
    return np.array(out.numpy())


if __name__ == "__main__":
    main()
