"""The rows of `benchmark_geometry` with other libraries: those rows that they can do, each with their fastest call.

A library is imported when it is asked for a row. `LIBRARIES` says which module each needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .geometry_scenes import Scene, Work, measured

LIBRARIES = {
    "Embree": "embreex",
    "FCPW": "fcpw",
    "libigl": "igl",
    "Open3D": "open3d",
    "SciPy": "scipy",
    "scikit-image": "skimage",
}


def work_of(library: str, scene: Scene) -> Work | None:
    """What a library runs for a row, if it can."""
    maker = MAKERS[library].get(scene.kind)
    return maker(**scene.data) if maker else None


def embree_scene(points: np.ndarray, faces: np.ndarray) -> Any:
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    scene = EmbreeScene()
    TriangleMesh(scene, points, faces)
    return scene


def embree_build(points: np.ndarray, faces: np.ndarray) -> Work:
    """A scene is built when it is first asked."""
    start, ray = np.zeros((1, 3), dtype=np.float32), np.ones((1, 3), dtype=np.float32)
    return Work(lambda: embree_scene(points, faces).run(start, ray, query="DISTANCE"))


def embree_rays(points: np.ndarray, faces: np.ndarray, starts: np.ndarray, rays: np.ndarray) -> Work:
    scene = embree_scene(points, faces)

    def found() -> np.ndarray:
        t = scene.run(starts, rays, query="DISTANCE")
        return np.where(t < 1e6, t, -1)

    return Work(lambda: scene.run(starts, rays, query="DISTANCE"), found)


def embree_any(points: np.ndarray, faces: np.ndarray, starts: np.ndarray, rays: np.ndarray) -> Work:
    scene = embree_scene(points, faces)
    return Work(
        lambda: scene.run(starts, rays, query="OCCLUDED"),
        lambda: np.asarray(scene.run(starts, rays, query="OCCLUDED") >= 0, dtype=float),
    )


def open3d_scene(points: np.ndarray, faces: np.ndarray) -> Any:
    import open3d

    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(open3d.core.Tensor(points), open3d.core.Tensor(faces.astype(np.uint32)))
    return scene


def open3d_rays(points: np.ndarray, faces: np.ndarray, starts: np.ndarray, rays: np.ndarray) -> Work:
    import open3d

    scene, both = open3d_scene(points, faces), open3d.core.Tensor(np.concatenate([starts, rays], axis=1))

    def found() -> np.ndarray:
        t = scene.cast_rays(both)["t_hit"].numpy()
        return np.where(np.isfinite(t), t, -1)

    return Work(lambda: scene.cast_rays(both), found)


def open3d_any(points: np.ndarray, faces: np.ndarray, starts: np.ndarray, rays: np.ndarray) -> Work:
    import open3d

    scene, both = open3d_scene(points, faces), open3d.core.Tensor(np.concatenate([starts, rays], axis=1))
    return Work(lambda: scene.test_occlusions(both), lambda: scene.test_occlusions(both).numpy().astype(float))


def open3d_near(points: np.ndarray, faces: np.ndarray, at: np.ndarray) -> Work:
    import open3d

    scene, places = open3d_scene(points, faces), open3d.core.Tensor(at)
    return Work(lambda: scene.compute_distance(places), lambda: np.asarray(scene.compute_distance(places).numpy()))


def fcpw_scene(points: np.ndarray, faces: np.ndarray) -> Any:
    import fcpw

    scene = fcpw.scene_3D()
    scene.set_object_count(1)
    scene.set_object_vertices(points, 0)
    scene.set_object_triangles(faces, 0)
    scene.build(fcpw.aggregate_type.bvh_surface_area, True)
    return scene


def fcpw_build(points: np.ndarray, faces: np.ndarray) -> Work:
    return Work(lambda: fcpw_scene(points, faces))


def fcpw_near(points: np.ndarray, faces: np.ndarray, at: np.ndarray) -> Work:
    import fcpw

    scene = fcpw_scene(points, faces)
    squares = np.full(len(at), np.inf, dtype=np.float32)

    def ask() -> Any:
        found = fcpw.interaction_3D_list()
        scene.find_closest_points(at, squares, found)
        return found

    return Work(ask, lambda: np.array([it.d for it in ask()]))


def igl_near(points: np.ndarray, faces: np.ndarray, at: np.ndarray) -> Work:
    import igl

    v, f, p = points.astype(float), faces.astype(np.int64), at.astype(float)
    return Work(
        lambda: igl.point_mesh_squared_distance(p, v, f), lambda: np.sqrt(igl.point_mesh_squared_distance(p, v, f)[0])
    )


def igl_signed(points: np.ndarray, faces: np.ndarray, at: np.ndarray) -> Work:
    """By fast winding numbers, which scale what it calls a distance: closest points are right."""
    import igl

    v, f, p = points.astype(float), faces.astype(np.int64), at.astype(float)
    kind = igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER

    def found() -> np.ndarray:
        scaled, _, closest, _ = igl.signed_distance(p, v, f, kind)
        return np.asarray(np.sign(np.ravel(scaled)) * np.linalg.norm(p - closest, axis=1))

    return Work(lambda: igl.signed_distance(p, v, f, kind), found)


def scipy_build(points: np.ndarray, radius: float) -> Work:
    from scipy.spatial import cKDTree

    return Work(lambda: cKDTree(points))


def scipy_neighbours(points: np.ndarray, radius: float) -> Work:
    """The numbers of neighbours only."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    call = lambda: tree.query_ball_point(points, radius, return_length=True)  # noqa: E731
    return Work(call, lambda: np.asarray(call(), dtype=float))


def scipy_volume(values: np.ndarray, at: np.ndarray) -> Work:
    from scipy.ndimage import map_coordinates

    places = np.ascontiguousarray(at.T)
    call = lambda: map_coordinates(values, places, order=1)  # noqa: E731
    return Work(call, lambda: np.asarray(call()))


def skimage_surface(values: np.ndarray) -> Work:
    from skimage.measure import marching_cubes

    return Work(lambda: marching_cubes(values, 0.0), lambda: measured(*marching_cubes(values, 0.0)[:2]))


MAKERS: dict[str, dict[str, Callable[..., Work]]] = {
    "Embree": {"build": embree_build, "rays": embree_rays, "any hit": embree_any},
    "FCPW": {"build": fcpw_build, "near": fcpw_near},
    "libigl": {"near": igl_near, "near, winding": igl_signed},
    "Open3D": {"rays": open3d_rays, "any hit": open3d_any, "near": open3d_near},
    "SciPy": {"grid": scipy_build, "neighbours": scipy_neighbours, "volume": scipy_volume},
    "scikit-image": {"surface": skimage_surface},
}
