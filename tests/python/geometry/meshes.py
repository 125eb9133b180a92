"""Meshes for tests, and a kernel that asks them."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

RNG = np.random.default_rng(29)


def sphere(n: int = 12, shake: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface around the origin: points and faces, seen counterclockwise from outside."""
    u, v = np.meshgrid(np.linspace(0, np.pi, n + 1)[1:-1], np.linspace(0, 2 * np.pi, 2 * n + 1)[:-1], indexing="ij")
    ring = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], -1)
    points = np.concatenate([ring.reshape(-1, 3), [[0, 0, 1.0], [0, 0, -1.0]]])
    rows, cols = n - 1, 2 * n
    faces = []
    for i in range(rows):
        for j in range(cols):
            here, beside = i * cols + j, i * cols + (j + 1) % cols
            if i + 1 < rows:
                faces += [[here, here + cols, beside], [beside, here + cols, beside + cols]]
            if i == 0:
                faces.append([here, beside, len(points) - 2])
            if i + 1 == rows:
                faces.append([beside, here, len(points) - 1])
    points += RNG.uniform(-shake, shake, points.shape)
    return points.astype(np.float32), np.array(faces, np.int32)


def built(points: np.ndarray, faces: np.ndarray, grad: bool = False, **more: Any) -> Any:
    array = wp.array(points, dtype=wp.vec3, requires_grad=grad)
    return wp.Mesh(array, wp.array(faces.ravel(), dtype=int), **more)


@wp.kernel
def energy(
    mesh: wp.uint64,
    at: wp.array(dtype=wp.vec3),
    dirs: wp.array(dtype=wp.vec3),
    kind: int,
    out: wp.array(dtype=float),
):
    i = wp.tid()
    p = at[i]
    if kind == 0:
        q = wp.mesh_query_point_no_sign(mesh, p, 10.0)
        out[i] = wp.length(wp.mesh_eval_position(mesh, q.face, q.u, q.v) - p)
    elif kind == 1:
        r = wp.mesh_query_ray(mesh, p, dirs[i], 100.0)
        out[i] = r.t * (1.0 + r.u + 2.0 * r.v) + r.normal[0] * 0.3 + r.normal[2]
    elif kind == 2:
        out[i] = wp.dot(wp.mesh_eval_face_normal(mesh, i), p) + wp.mesh_get_point(mesh, 3 * i + 1)[1]
    else:
        q = wp.mesh_query_point_no_sign(mesh, p, 10.0)
        out[i] = wp.length_sq(wp.mesh_eval_velocity(mesh, q.face, q.u, q.v)) + wp.mesh_get_velocity(mesh, 2)[0]
