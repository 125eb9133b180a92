"""One object of each kind, and kernels that ask them by every builtin there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..meshes import built

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
#: How many kinds of questions the kernels below know.
TREE_KINDS, MESH_KINDS, GRID_KINDS = 6, 20, 3


def tree() -> Any:
    """A tree of the boxes from 0 to 1 and from 5 to 6."""
    low = np.array([[0] * 3, [5] * 3], np.float32)
    return wp.Bvh(wp.array(low, dtype=wp.vec3), wp.array(low + 1, dtype=wp.vec3))


def triangle(grad: bool = False, **more: Any) -> Any:
    return built(CORNERS, np.array([[0, 1, 2]], np.int32), grad, **more)


def grid(dtype: Any = wp.float32) -> Any:
    """A grid with points at 0 and 0.5, of cells of the width 1."""
    vector = {wp.float16: wp.vec3h, wp.float32: wp.vec3, wp.float64: wp.vec3d}[dtype]
    made = wp.HashGrid(4, 4, 4, dtype=dtype)
    made.build(wp.array([[0, 0, 0], [0.5, 0, 0]], dtype=vector), 1.0)
    return made


@wp.func
def items(query: wp.BvhQuery) -> int:
    n, j = int(0), int(0)
    while wp.bvh_query_next(query, j):
        n += 1
    return n


@wp.func
def faces(query: wp.MeshQuery) -> int:
    n, j = int(0), int(0)
    while wp.mesh_query_next(query, j):
        n += 1
    return n


@wp.func
def points(query: wp.HashGridQuery) -> int:
    n, j = int(0), int(0)
    while wp.hash_grid_query_next(query, j):
        n += 1
    return n


@wp.kernel
def ask_tree(tree: wp.uint64, kind: int, out: wp.array(dtype=int)):
    low, high = wp.vec3(0.25), wp.vec3(0.5)
    if kind == 0:
        out[0] = items(wp.bvh_query_aabb(tree, low, high))
    elif kind == 1:
        out[0] = items(wp.bvh_query_sphere(tree, low, 0.5))
    elif kind == 2:
        out[0] = items(wp.bvh_query_ray(tree, low, wp.vec3(1.0, 0.0, 0.0)))
    elif kind == 3:
        out[0] = items(wp.bvh_query_capsule(tree, low, wp.vec3(1.0, 0.0, 0.0), 0.5))
    elif kind == 4:
        out[0] = wp.bvh_query_closest(tree, low, 1.0) + 1
    else:
        out[0] = wp.bvh_get_group_root(tree, 0) + 1


@wp.kernel
def ask_mesh(mesh: wp.uint64, kind: int, out: wp.array(dtype=int)):
    p, down = wp.vec3(0.25, 0.25, 1.0), wp.vec3(0.0, 0.0, -1.0)
    if kind == 0:
        out[0] = int(wp.mesh_query_point(mesh, p, 9.0).result)
    elif kind == 1:
        out[0] = int(wp.mesh_query_point_no_sign(mesh, p, 9.0).result)
    elif kind == 2:
        out[0] = int(wp.mesh_query_furthest_point_no_sign(mesh, p, 0.0).result)
    elif kind == 3:
        out[0] = int(wp.mesh_query_point_sign_normal(mesh, p, 9.0).result)
    elif kind == 4:
        out[0] = int(wp.mesh_query_point_sign_winding_number(mesh, p, 9.0).result)
    elif kind == 5:
        out[0] = int(wp.mesh_query_point_sign_parity(mesh, p, 9.0).result)
    elif kind == 6:
        out[0] = int(wp.mesh_query_ray(mesh, p, down, 9.0).result)
    elif kind == 7:
        out[0] = int(wp.mesh_query_ray_anyhit(mesh, p, down, 9.0))
    elif kind == 8:
        out[0] = wp.mesh_query_ray_count_intersections(mesh, p, down)
    elif kind == 9:
        out[0] = faces(wp.mesh_query_aabb(mesh, wp.vec3(-9.0), wp.vec3(9.0)))
    elif kind == 10:
        out[0] = faces(wp.mesh_query_sphere(mesh, p, 9.0))
    elif kind == 11:
        out[0] = items(wp.bvh_query_aabb(wp.mesh_get_bvh(mesh), wp.vec3(-9.0), wp.vec3(9.0)))
    elif kind == 12:
        out[0] = wp.mesh_get_group_root(mesh, 0) + 1
    elif kind == 13:
        out[0] = wp.mesh_get(mesh).indices.shape[0] // 3
    elif kind == 14:
        out[0] = int(wp.mesh_eval_position(mesh, 0, 0.0, 1.0)[0])
    elif kind == 15:
        out[0] = int(wp.mesh_eval_velocity(mesh, 0, 0.0, 1.0)[0]) + 1
    elif kind == 16:
        out[0] = int(wp.mesh_eval_face_normal(mesh, 0)[2])
    elif kind == 17:
        out[0] = int(wp.mesh_get_point(mesh, 1)[0])
    elif kind == 18:
        out[0] = int(wp.mesh_get_velocity(mesh, 1)[0]) + 1
    else:
        out[0] = wp.mesh_get_index(mesh, 1)


@wp.kernel
def ask_grid(grid: wp.uint64, kind: int, out: wp.array(dtype=int)):
    if kind == 0:
        out[0] = points(wp.hash_grid_query(grid, wp.vec3(), 0.0)) - 1
    elif kind == 1:
        out[0] = points(wp.hash_grid_query(grid, wp.vec3(), 0.0, 3)) - 1
    else:
        out[0] = wp.hash_grid_point_id(grid, 1)


@wp.kernel
def ask_grid_of_doubles(grid: wp.uint64, kind: int, out: wp.array(dtype=int)):
    if kind == 0:
        out[0] = points(wp.hash_grid_query(grid, wp.vec3d(), wp.float64(0.0))) - 1
    elif kind == 1:
        out[0] = points(wp.hash_grid_query(grid, wp.vec3d(), wp.float64(0.0), 3)) - 1
    else:
        out[0] = wp.hash_grid_point_id(grid, 1)


@wp.kernel
def ask_grid_of_halves(grid: wp.uint64, kind: int, out: wp.array(dtype=int)):
    if kind == 0:
        out[0] = points(wp.hash_grid_query(grid, wp.vec3h(), wp.float16(0.0))) - 1
    elif kind == 1:
        out[0] = points(wp.hash_grid_query(grid, wp.vec3h(), wp.float16(0.0), 3)) - 1
    else:
        out[0] = wp.hash_grid_point_id(grid, 1)


def answer(kernel: Any, given: Any, kind: int = 0) -> int:
    """What a kernel says: 1 of the objects above."""
    out = wp.full(1, -77, dtype=int)
    wp.launch(kernel, dim=1, inputs=[given, kind], outputs=[out])
    return int(out.numpy()[0])
