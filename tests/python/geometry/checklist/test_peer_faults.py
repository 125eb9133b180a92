"""Faults that NVIDIA Warp is known to have, where no other test shows that they are not here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from geometry.meshes import built, sphere

RNG = np.random.default_rng(65)
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)


@wp.struct
class Scene:
    mesh: wp.uint64
    tree: wp.uint64
    grid: wp.uint64
    volume: wp.uint64


def test_queries_of_all_kinds_within_each_other() -> None:
    """Each has a state of its own: two of a tree, one of a mesh and one of a grid, in four loops."""

    @wp.kernel
    def ask(scene: Scene, reach: float, places: wp.array[wp.vec3], out: wp.array2d[int]):
        t = wp.tid()
        p = places[t]
        box = wp.vec3(reach)
        for a in wp.bvh_query_aabb(scene.tree, p - box, p + box):
            for b in wp.mesh_query_aabb(scene.mesh, p - box, p + box):
                for c in wp.bvh_query_sphere(scene.tree, p, reach):
                    near = wp.mesh_query_point_no_sign(scene.mesh, p, 100.0)
                    for d in wp.hash_grid_query(scene.grid, p, reach):
                        out[t, 0] += 1
                        out[t, 1] += (a + 1) * (b + 1) + (c + 1) * (d + 1)
                        out[t, 2] = near.face

    points, faces = sphere(5)
    low = RNG.uniform(-1, 1, (12, 3)).astype(np.float32)
    scene, mesh = Scene(), built(points, faces)
    tree = wp.Bvh(wp.array(low, dtype=wp.vec3), wp.array(low + np.float32(0.4), dtype=wp.vec3))
    grid = wp.HashGrid(8, 8, 8)
    grid.build(wp.array(low, dtype=wp.vec3), 0.7)
    scene.mesh, scene.tree, scene.grid = mesh, tree, grid
    places, reach = RNG.uniform(-1, 1, (9, 3)).astype(np.float32), 0.7

    def lists(number: int, kernel: Any) -> list[list[int]]:
        marks = wp.zeros((9, number), dtype=int)
        wp.launch(kernel, 9, inputs=[scene, reach, wp.array(places, dtype=wp.vec3), marks])
        return [np.flatnonzero(row).tolist() for row in marks.numpy()]

    @wp.kernel
    def of_tree(scene: Scene, reach: float, places: wp.array[wp.vec3], out: wp.array2d[int]):
        t = wp.tid()
        for a in wp.bvh_query_aabb(scene.tree, places[t] - wp.vec3(reach), places[t] + wp.vec3(reach)):
            out[t, a] = 1

    @wp.kernel
    def of_mesh(scene: Scene, reach: float, places: wp.array[wp.vec3], out: wp.array2d[int]):
        t = wp.tid()
        for b in wp.mesh_query_aabb(scene.mesh, places[t] - wp.vec3(reach), places[t] + wp.vec3(reach)):
            out[t, b] = 1

    @wp.kernel
    def of_balls(scene: Scene, reach: float, places: wp.array[wp.vec3], out: wp.array2d[int]):
        t = wp.tid()
        for c in wp.bvh_query_sphere(scene.tree, places[t], reach):
            out[t, c] = 1

    @wp.kernel
    def of_grid(scene: Scene, reach: float, places: wp.array[wp.vec3], out: wp.array2d[int]):
        t = wp.tid()
        for d in wp.hash_grid_query(scene.grid, places[t], reach):
            out[t, d] = 1

    @wp.kernel
    def closest(scene: Scene, reach: float, places: wp.array[wp.vec3], out: wp.array2d[int]):
        t = wp.tid()
        out[t, wp.mesh_query_point_no_sign(scene.mesh, places[t], 100.0).face] = 1

    alone = [lists(12, of_tree), lists(len(faces), of_mesh), lists(12, of_balls), lists(12, of_grid)]
    nearest = lists(len(faces), closest)
    out = wp.zeros((9, 3), dtype=int)
    wp.launch(ask, 9, inputs=[scene, reach, wp.array(places, dtype=wp.vec3), out])
    for t, found in enumerate(out.numpy().tolist()):
        a, b, c, d = (np.array(of[t]) + 1 for of in alone)
        count = len(a) * len(b) * len(c) * len(d)
        total = a.sum() * b.sum() * len(c) * len(d) + c.sum() * d.sum() * len(a) * len(b)
        assert found == [count, total, nearest[t][0] if count else 0]
    assert out.numpy()[:, 0].any()


@pytest.mark.parametrize("vector", [wp.vec3d, wp.vec3h, wp.vec2, wp.vec4, float])
def test_points_and_boxes_of_other_types_are_refused(vector: Any) -> None:
    """Before anything is read: those of meshes and trees are float32."""
    wrong, right = wp.zeros(3, dtype=vector), wp.zeros(3, dtype=wp.vec3)
    for call in (
        lambda: wp.Mesh(wrong, wp.array([0, 1, 2], dtype=int)),
        lambda: wp.Mesh(right, wp.array([0, 1, 2], dtype=int), velocities=wrong),
        lambda: wp.Bvh(wrong, right),
        lambda: wp.Bvh(right, wrong),
    ):
        with pytest.raises(RuntimeError, match=r"(points|velocities|lowers|uppers) is an array of"):
            call()
    mesh = wp.Mesh(wp.array(TRIANGLE, dtype=wp.vec3), wp.array([0, 1, 2], dtype=int))
    for name in ("points", "velocities"):
        with pytest.raises(RuntimeError, match=f"{name} is an array of"):
            setattr(mesh, name, wrong)


def test_limits_that_are_negative_or_nan_find_nothing() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, limits: wp.array[float], out: wp.array2d[int]):
        i = wp.tid()
        p, limit = wp.vec3(0.2, 0.2, 0.1), limits[i]
        down = wp.vec3(0.0, 0.0, -1.0)
        out[i, 0] = int(wp.mesh_query_point(mesh, p, limit).result)
        out[i, 1] = int(wp.mesh_query_point_sign_normal(mesh, p, limit).result)
        out[i, 2] = int(wp.mesh_query_point_sign_winding_number(mesh, p, limit).result)
        out[i, 3] = int(wp.mesh_query_point_sign_parity(mesh, p, limit).result)
        out[i, 4] = int(wp.mesh_query_point_no_sign(mesh, p, limit).result)
        out[i, 5] = int(wp.mesh_query_ray(mesh, p, down, limit).result)
        out[i, 6] = int(wp.mesh_query_ray_anyhit(mesh, p, down, limit))
        out[i, 7] = int(wp.bvh_query_closest(wp.mesh_get_bvh(mesh), p, limit) >= 0)

    mesh = wp.Mesh(wp.array(TRIANGLE, dtype=wp.vec3), wp.array([0, 1, 2], dtype=int))
    limits = wp.array([-5.0, -np.inf, np.nan, 0.0, 5.0, np.inf], dtype=float)
    out = wp.zeros((6, 8), dtype=int)
    wp.launch(ask, 6, inputs=[mesh, limits, out])
    assert out.numpy().tolist() == [[0] * 8] * 4 + [[1] * 8] * 2


@wp.func
def shown(q: wp.MeshQueryPoint) -> float:
    return float(q.result) + wp.abs(q.sign) + float(q.face) + q.u + q.v


def test_nothing_to_search() -> None:
    """A mesh of no faces, also with winding numbers, groups and after a refit: each query finds nothing."""

    @wp.kernel
    def ask(mesh: wp.uint64, out: wp.array[float]):
        p, far = wp.vec3(0.1), wp.vec3(9.0)
        a = wp.mesh_query_point(mesh, p, 100.0)
        b = wp.mesh_query_point_sign_normal(mesh, p, 100.0)
        c = wp.mesh_query_point_sign_winding_number(mesh, p, 100.0)
        d = wp.mesh_query_point_sign_parity(mesh, p, 100.0)
        e = wp.mesh_query_furthest_point_no_sign(mesh, p, 0.0)
        r = wp.mesh_query_ray(mesh, p, far, 100.0)
        out[0] = shown(a) + shown(b) + shown(c) + shown(d) + shown(e)
        out[0] += float(r.result) + r.t + r.u + r.v + r.sign + wp.length(r.normal)
        out[0] += float(wp.mesh_query_ray_count_intersections(mesh, p, far))
        for f in wp.mesh_query_aabb(mesh, -far, far):
            out[0] += float(f + 1)
        for f in wp.mesh_query_sphere(mesh, p, 100.0):
            out[0] += float(f + 1)
        out[1] = float(wp.mesh_get_group_root(mesh, 0))

    for points in (np.zeros((0, 3), np.float32), TRIANGLE):
        for winding in (False, True):
            groups = wp.zeros(0, dtype=int)
            for more in ({}, {"groups": groups}):
                mesh = built(points, np.zeros((0, 3), np.int32), support_winding_number=winding, **more)
                for _ in range(2):
                    out = wp.zeros(2, dtype=float)
                    wp.launch(ask, 1, inputs=[mesh, out])
                    assert out.list()[0] == 0.0
                    mesh.refit()


@pytest.mark.parametrize("dtype", [wp.uint8, wp.int8, wp.uint16, wp.int16, wp.uint32, wp.int32])
def test_whole_texels_are_what_they_are_everywhere(dtype: Any) -> None:
    """By each way to run a kernel: those of 8 and 16 bits as fractions, others as numbers."""

    @wp.kernel(module="unique")
    def each(t: wp.Texture1D, out: wp.array[float]):
        i = wp.tid()
        out[i] = wp.texture_sample(t, float(i) + 0.5, dtype=float)

    limits = np.iinfo(dtype.__name__)
    numbers = np.array([limits.min, limits.max, limits.max // 3, 0, 1], dtype.__name__)
    scale = limits.max if limits.bits < 32 else 1
    right = np.maximum(numbers.astype(float) / scale, -1.0 if limits.bits < 32 else -np.inf)
    texture = wp.Texture1D(numbers, normalized_coords=False, filter_mode=0)
    for count in (1, 3, 5):
        out = wp.zeros(5, dtype=float)
        wp.launch(each, count, inputs=[texture, out])
        np.testing.assert_allclose(out.numpy()[:count], right[:count], rtol=1e-6)
