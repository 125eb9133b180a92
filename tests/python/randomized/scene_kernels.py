"""The kernels of `test_random_scenes`: queries whose results are integers, in columns of `out`."""

from __future__ import annotations

from functools import cache
from typing import Any

import warp as wp

#: How launches are compiled: lanes when they are thought to be faster, none, groups of eight.
MODES = ("auto", "never", 8)

MESH = ("closest", "furthest", "side by rays", "by normal", "by winding", "by parity", "first", "any", "count",
        "first of group", "count of group", "in box", "their order", "in ball")  # fmt: skip


@cache
def kernels(mode: str | int) -> dict[str, Any]:
    """Kernels of their own for each mode, as settings hold when a kernel is compiled."""
    return {"mesh": mesh_kernel(), "tree": tree_kernel(), "volume": volume_kernel()} | {
        scalar: grid_kernel(vector, scalar_type)
        for scalar, vector, scalar_type in (
            ("float16", wp.vec3h, wp.float16), ("float32", wp.vec3, wp.float32), ("float64", wp.vec3d, wp.float64)
        )
    }  # fmt: skip


def mesh_kernel() -> Any:
    @wp.kernel(module="unique", enable_backward=False)
    def ask_mesh(
        mesh: wp.uint64,
        at: wp.array(dtype=wp.vec3),
        starts: wp.array(dtype=wp.vec3),
        rays: wp.array(dtype=wp.vec3),
        reach: wp.array(dtype=float),
        group: wp.array(dtype=int),
        out: wp.array2d(dtype=int),
    ):
        i = wp.tid()
        near = wp.mesh_query_point(mesh, at[i], reach[i])
        out[i, 0] = wp.where(near.result, near.face, -1)
        out[i, 2] = int(near.sign)
        far = wp.mesh_query_furthest_point_no_sign(mesh, at[i], reach[i])
        out[i, 1] = wp.where(far.result, far.face, -1)
        out[i, 3] = int(wp.mesh_query_point_sign_normal(mesh, at[i], wp.inf).sign)
        out[i, 4] = int(wp.mesh_query_point_sign_winding_number(mesh, at[i], wp.inf).sign)
        out[i, 5] = int(wp.mesh_query_point_sign_parity(mesh, at[i], wp.inf, 1, 0.1).sign)
        hit = wp.mesh_query_ray(mesh, starts[i], rays[i], reach[i])
        out[i, 6] = wp.where(hit.result, hit.face, -1)
        out[i, 7] = wp.where(wp.mesh_query_ray_anyhit(mesh, starts[i], rays[i], reach[i]), 1, 0)
        out[i, 8] = wp.mesh_query_ray_count_intersections(mesh, starts[i], rays[i])
        root = wp.mesh_get_group_root(mesh, group[i])
        one = wp.mesh_query_ray(mesh, starts[i], rays[i], wp.inf, root)
        out[i, 9] = wp.where(one.result, one.face, -1)
        out[i, 10] = wp.mesh_query_ray_count_intersections(mesh, starts[i], rays[i], root)
        low = wp.vec3(
            wp.min(at[i][0], starts[i][0]), wp.min(at[i][1], starts[i][1]), wp.min(at[i][2], starts[i][2])
        )  # fmt: skip
        high = wp.vec3(
            wp.max(at[i][0], starts[i][0]), wp.max(at[i][1], starts[i][1]), wp.max(at[i][2], starts[i][2])
        )  # fmt: skip
        bits, order = int(0), int(0)
        for face in wp.mesh_query_aabb(mesh, low, high):
            bits = bits ^ (1 << (face % 31)) ^ (face << 4)
            order = order * 31 + face + 1
        out[i, 11] = bits
        out[i, 12] = order
        ball = int(0)
        for face in wp.mesh_query_sphere(mesh, at[i], reach[i]):
            ball += 1 + face * face
        out[i, 13] = ball

    return ask_mesh


def tree_kernel() -> Any:
    @wp.kernel(module="unique", enable_backward=False)
    def ask_tree(
        tree: wp.uint64,
        low: wp.array(dtype=wp.vec3),
        high: wp.array(dtype=wp.vec3),
        radius: wp.array(dtype=float),
        group: wp.array(dtype=int),
        marks: wp.array3d(dtype=int),
        order: wp.array2d(dtype=int),
    ):
        i = wp.tid()
        j = int(0)
        for kind in range(4):
            query = wp.bvh_query_aabb(tree, low[i], high[i])
            if kind == 1:
                query = wp.bvh_query_aabb(tree, low[i], high[i], wp.bvh_get_group_root(tree, group[i]))
            elif kind == 2:
                query = wp.bvh_query_sphere(tree, low[i], radius[i])
            elif kind == 3:
                query = wp.bvh_query_ray(tree, low[i], high[i])
            steps = int(0)
            while wp.bvh_query_next(query, j):
                marks[i, kind, j] = marks[i, kind, j] + 1
                steps = steps * 31 + j + 1
            order[i, kind] = steps

    return ask_tree


def grid_kernel(vector: Any, scalar: Any) -> Any:
    @wp.kernel(module="unique", enable_backward=False)
    def ask_grid(
        grid: wp.uint64,
        at: wp.array(dtype=vector),
        reach: wp.array(dtype=scalar),
        group: wp.array(dtype=int),
        found: wp.array2d(dtype=int),
        counts: wp.array2d(dtype=int),
    ):
        i = wp.tid()
        n = int(0)
        for j in wp.hash_grid_query(grid, at[i], reach[i]):
            if n < found.shape[1]:
                found[i, n] = j
            n += 1
        counts[i, 0] = n
        grouped, order = int(0), int(0)
        for j in wp.hash_grid_query(grid, at[i], reach[i], group[i]):
            order = order * 31 + j + 1
            grouped += 1
        counts[i, 1] = grouped
        counts[i, 2] = order
        counts[i, 3] = wp.hash_grid_point_id(grid, i)

    return ask_grid


def volume_kernel() -> Any:
    @wp.kernel(module="unique", enable_backward=False)
    def ask_volume(
        index: wp.uint64,
        values: wp.uint64,
        at: wp.array(dtype=wp.vec3i),
        places: wp.array(dtype=wp.vec3),
        out: wp.array2d(dtype=int),
        samples: wp.array2d(dtype=float),
    ):
        i = wp.tid()
        x, y, z = at[i][0], at[i][1], at[i][2]
        out[i, 0] = wp.volume_lookup_index(index, x, y, z)
        out[i, 1] = wp.volume_lookup_index(values, x, y, z)
        samples[i, 0] = wp.volume_lookup_f(values, x, y, z)
        samples[i, 1] = wp.volume_sample_f(values, places[i], wp.Volume.CLOSEST)
        samples[i, 2] = wp.volume_sample_f(values, places[i], wp.Volume.LINEAR)

    return ask_volume


@wp.kernel
def measure(
    mesh: wp.uint64,
    at: wp.array(dtype=wp.vec3),
    starts: wp.array(dtype=wp.vec3),
    rays: wp.array(dtype=wp.vec3),
    far: wp.array(dtype=float),
    t: wp.array(dtype=float),
    faces: wp.array2d(dtype=int),
):
    """The distance of each point, and how far each ray goes, with their faces."""
    i = wp.tid()
    near = wp.mesh_query_point_no_sign(mesh, at[i], wp.inf)
    hit = wp.mesh_query_ray(mesh, starts[i], rays[i], wp.inf)
    faces[i, 0] = wp.where(near.result, near.face, -1)
    faces[i, 1] = wp.where(hit.result, hit.face, -1)
    if near.result:
        far[i] = wp.length(at[i] - wp.mesh_eval_position(mesh, near.face, near.u, near.v))
    if hit.result:
        t[i] = hit.t


@wp.kernel
def sample(volume: wp.uint64, places: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.volume_sample_f(volume, places[i], wp.Volume.LINEAR)
