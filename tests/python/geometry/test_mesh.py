"""``wp.Mesh``: closest points, rays, sides, gradients, and what is refused."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
import warp as wp

from randomized import random_scenes

from .meshes import built, energy, sphere

RNG = np.random.default_rng(23)


@wp.kernel
def closest(
    mesh: wp.uint64,
    at: wp.array(dtype=wp.vec3),
    reach: float,
    face: wp.array(dtype=int),
    place: wp.array(dtype=wp.vec3),
    sign: wp.array(dtype=float),
):
    i = wp.tid()
    q = wp.mesh_query_point(mesh, at[i], reach)
    face[i] = -1
    if q.result:
        face[i] = q.face
        place[i] = wp.mesh_eval_position(mesh, q.face, q.u, q.v)
        sign[i] = q.sign


def ask_closest(mesh: Any, at: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = len(at)
    face, place, sign = wp.zeros(n, dtype=int), wp.zeros(n, dtype=wp.vec3), wp.zeros(n, dtype=float)
    wp.launch(closest, dim=n, inputs=[mesh, wp.array(at, dtype=wp.vec3), reach], outputs=[face, place, sign])
    return face.numpy(), place.numpy(), sign.numpy()


def to_triangles(points: np.ndarray, faces: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Distances of places to faces, in float64, by the closest of many points and then of the plane."""
    a, b, c = (points[faces[:, k]].astype(float)[None] for k in range(3))
    p = at.astype(float)[:, None]
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    height = ((p - a) * n).sum(-1, keepdims=True)
    flat = p - height * n
    inside = np.ones(height.shape[:2], bool)
    nearest = np.full(height.shape[:2], np.inf)
    for x, y in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(y - x, flat - x) * n).sum(-1) >= 0
        t = np.clip(((p - x) * (y - x)).sum(-1) / ((y - x) ** 2).sum(-1), 0, 1)[..., None]
        nearest = np.minimum(nearest, np.linalg.norm(p - (x + t * (y - x)), axis=-1))
    return np.where(inside, np.abs(height[..., 0]), nearest)


def test_closest_points() -> None:
    points, faces = sphere(8, 0.05)
    mesh = built(points, faces)
    at = RNG.uniform(-2, 2, (300, 3)).astype(np.float32)
    far = to_triangles(points, faces, at)
    face, place, sign = ask_closest(mesh, at, np.inf)
    assert np.allclose(np.linalg.norm(place - at, axis=1), far.min(1), atol=2e-6)
    assert np.allclose(far[np.arange(300), face], far.min(1), atol=1e-12)
    outside = np.linalg.norm(at, axis=1)
    sure = np.abs(outside - 1) > 0.12
    assert (sign[sure] == np.where(outside > 1, 1, -1)[sure]).all()
    face, _, _ = ask_closest(mesh, at, 0.5)
    assert ((face >= 0) == (far.min(1) < 0.5)).all()
    for none in (0.0, -1.0, np.nan):
        assert (ask_closest(mesh, at, none)[0] == -1).all()
    assert ask_closest(mesh, np.full((1, 3), np.nan, np.float32), np.inf)[0].tolist() == [-1]


@wp.kernel
def each_alone(meshes: wp.array[wp.uint64], at: wp.array[wp.vec3], out: wp.array2d[float]):
    """How far each point is from its own mesh, and whether a little less reach is too little."""
    i = wp.tid()
    q = wp.mesh_query_point_no_sign(meshes[i], at[i], wp.inf)
    far = wp.length(at[i] - wp.mesh_eval_position(meshes[i], q.face, q.u, q.v))
    out[i, 0] = far
    out[i, 1] = float(wp.mesh_query_point_no_sign(meshes[i], at[i], 0.99 * far).result)
    out[i, 2] = float(wp.mesh_query_point_no_sign(meshes[i], at[i], 1.01 * far).result)
    for face in wp.mesh_query_sphere(meshes[i], at[i], 1.01 * far):
        out[i, 3] = float(face) + 1.0


def test_single_triangles() -> None:
    """Faces of all forms, some of them lines and points: the right place of each is found, just within reach."""
    n = 400
    points = RNG.uniform(-3, 3, (n, 3, 3)).astype(np.float32)
    points[:80] = RNG.integers(-3, 4, (80, 3, 3))
    points[80:95, 1], points[95:110, 1], points[110:120, 2] = points[80:95, 0], points[95:110, 2], points[110:120, 0]
    points[120:160, 2] = (points[120:160, 0] + points[120:160, 1]) / 2  # a line
    points[160:170] = points[160:170, :1]  # a point
    at = RNG.uniform(-4, 4, (n, 3)).astype(np.float32)
    meshes = [built(corners, np.array([[0, 1, 2]])) for corners in points]
    out = wp.zeros((n, 4), dtype=float)
    ids = wp.array([m.id for m in meshes], dtype=wp.uint64)
    wp.launch(each_alone, dim=n, inputs=[ids, wp.array(at, dtype=wp.vec3)], outputs=[out])
    right = np.sqrt(
        [random_scenes.squares(c[None].astype(float), p.astype(float))[0] for c, p in zip(points, at, strict=True)]
    )
    np.testing.assert_allclose(out.numpy()[:, 0], right, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(out.numpy()[:, 1:], np.tile([0, 1, 1], (n, 1)))


@wp.kernel
def cast(
    mesh: wp.uint64,
    starts: wp.array(dtype=wp.vec3),
    dirs: wp.array(dtype=wp.vec3),
    max_t: float,
    t: wp.array(dtype=float),
    place: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    counts: wp.array2d(dtype=int),
):
    i = wp.tid()
    q = wp.mesh_query_ray(mesh, starts[i], dirs[i], max_t)
    t[i] = -1.0
    if q.result:
        t[i] = q.t
        place[i] = wp.mesh_eval_position(mesh, q.face, q.u, q.v)
        normal[i] = q.sign * q.normal
    counts[i, 0] = wp.where(wp.mesh_query_ray_anyhit(mesh, starts[i], dirs[i], max_t), 1, 0)
    counts[i, 1] = wp.mesh_query_ray_count_intersections(mesh, starts[i], dirs[i])


def ask_rays(mesh: Any, starts: np.ndarray, dirs: np.ndarray, max_t: float) -> tuple[np.ndarray, ...]:
    n = len(starts)
    out = [
        wp.zeros(n, dtype=float),
        wp.zeros(n, dtype=wp.vec3),
        wp.zeros(n, dtype=wp.vec3),
        wp.zeros((n, 2), dtype=int),
    ]
    given = [mesh, wp.array(starts, dtype=wp.vec3), wp.array(dirs, dtype=wp.vec3), max_t]
    wp.launch(cast, dim=n, inputs=given, outputs=out)
    return tuple(array.numpy() for array in out)


def test_rays() -> None:
    points, faces = sphere(10)
    mesh = built(points, faces)
    starts = RNG.uniform(-3, 3, (500, 3)).astype(np.float32)
    starts[:100] *= 0.2
    dirs = (RNG.normal(size=(500, 3)) * RNG.uniform(0.1, 3, (500, 1))).astype(np.float32)
    t, place, normal, counts = ask_rays(mesh, starts, dirs, np.inf)
    hit = t >= 0
    assert hit[:100].all()
    assert np.allclose(place[hit], (starts + t[:, None] * dirs)[hit], atol=2e-5)
    assert np.allclose(np.linalg.norm(normal[hit], axis=1), 1, atol=1e-6)
    # The normal is turned towards the start.
    assert ((normal * dirs).sum(1)[hit] < 0).all()
    inside = np.linalg.norm(starts, axis=1) < 0.9
    outside = np.linalg.norm(starts, axis=1) > 1
    assert (counts[inside, 1] % 2 == 1).all()
    assert (counts[outside, 1] % 2 == 0).all()
    assert (counts[:, 0] == hit).all()
    limit = np.float32(1.0)
    near, *_, any_near = ask_rays(mesh, starts, dirs, limit)
    assert ((near >= 0) == (hit & (t < 1))).all()
    assert (any_near[:, 0] == (near >= 0)).all()
    for odd in (np.zeros(3), np.full(3, np.nan), np.array([0, np.inf, 0])):
        t, _, _, counts = ask_rays(mesh, starts[:1], odd[None].astype(np.float32), np.inf)
        assert t[0] == -1
        assert counts.tolist() == [[0, 0]]


def test_rays_leave_no_gap_between_faces() -> None:
    """A flat grid is met exactly once, by rays through its inner edges and corners, too."""
    n = 20
    x, y = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    points = np.stack([x, y, 0 * x], -1).reshape(-1, 3).astype(np.float32) * np.float32(0.1)
    here = (x * (n + 1) + y)[:-1, :-1].ravel()
    faces = np.concatenate(
        [np.stack([here, here + n + 1, here + n + 2], -1), np.stack([here, here + n + 2, here + 1], -1)]
    ).astype(np.int32)
    mesh = built(points, faces)
    inner = points[((x > 0) & (x < n) & (y > 0) & (y < n)).ravel()]
    targets = np.concatenate([inner, inner[:-1] * np.float32(0.5) + inner[1:] * np.float32(0.5)])
    targets = np.concatenate([targets, RNG.uniform(0.01, 1.99, (4000, 3)).astype(np.float32)])
    targets[:, 2] = 0
    starts = targets + (RNG.normal(size=targets.shape) * [1, 1, 0] + [0, 0, 2]).astype(np.float32)
    t, _, _, counts = ask_rays(mesh, starts, targets - starts, np.inf)
    beside = (targets[:, :2] < 1e-3).any(1) | (targets[:, :2] > 1.999).any(1)
    assert (t[~beside] >= 0).all()
    assert (counts[~beside, 1] == 1).all()


def test_sides() -> None:
    @wp.kernel
    def sides(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=float)):
        i = wp.tid()
        far = float(100.0)
        out[i, 0] = wp.mesh_query_point(mesh, at[i], far).sign
        out[i, 1] = wp.mesh_query_point_sign_normal(mesh, at[i], far).sign
        out[i, 2] = wp.mesh_query_point_sign_winding_number(mesh, at[i], far, 2.0, 0.5).sign
        out[i, 3] = wp.mesh_query_point_sign_parity(mesh, at[i], far, 3).sign
        out[i, 4] = wp.mesh_query_point_no_sign(mesh, at[i], far).sign

    points, faces = sphere(9)
    at = RNG.uniform(-1.5, 1.5, (300, 3)).astype(np.float32)
    away = np.linalg.norm(at, axis=1)
    at = at[(away < 0.9) | (away > 1)]
    right = np.where(np.linalg.norm(at, axis=1) > 0.95, 1, -1)
    for winding in (True, False):
        mesh = built(points, faces, support_winding_number=winding)
        assert mesh.support_winding_number is winding
        out = wp.zeros((len(at), 5), dtype=float)
        wp.launch(sides, dim=len(at), inputs=[mesh, wp.array(at, dtype=wp.vec3), out])
        assert (out.numpy()[:, :4] == right[:, None]).all()
        assert (out.numpy()[:, 4] == 0).all()


def test_the_side_of_a_sharp_corner_is_exact() -> None:
    """Outside, in the wedge beyond a corner, where the normal of one face alone says inside."""

    @wp.kernel
    def sides(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = wp.mesh_query_point_sign_normal(mesh, at[i], 100.0).sign

    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 4]], np.float32)
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.int32)
    at = RNG.uniform([-3, -3, -3], [3, 3, 8], (20000, 3)).astype(np.float32)
    x, y, z = at.T
    inside = (x > 0) & (y > 0) & (z > 0) & (x + y + z / 4 < 1)
    out = wp.zeros(len(at), dtype=float)
    for copies in (points, points[faces].reshape(-1, 3)):
        # The same with points of its own for each face.
        own = faces if len(copies) == 4 else np.arange(12, dtype=np.int32).reshape(-1, 3)
        wp.launch(sides, dim=len(at), inputs=[built(copies, own), wp.array(at, dtype=wp.vec3), out])
        assert (out.numpy() == np.where(inside, -1, 1)).all()


def test_faces_near_a_place() -> None:
    @wp.kernel
    def near(mesh: wp.uint64, at: wp.vec3, r: float, out: wp.array2d(dtype=int)):
        for f in wp.mesh_query_aabb(mesh, at - wp.vec3(r), at + wp.vec3(r)):
            out[0, f] += 1
        for f in wp.mesh_query_sphere(mesh, at, r):
            out[1, f] += 1
        q = wp.mesh_query_aabb(mesh, at - wp.vec3(r), at + wp.vec3(r))
        f = int(0)
        while wp.mesh_query_aabb_next(q, f):
            out[2, f] += 1
        b = wp.bvh_query_aabb(wp.mesh_get_bvh(mesh), at - wp.vec3(r), at + wp.vec3(r))
        while wp.bvh_query_next(b, f):
            out[3, f] += 1

    points, faces = sphere(8, 0.03)
    mesh = built(points, faces)
    corners = points[faces]
    low, high = corners.min(1), corners.max(1)
    for at, r in (((0.9, 0.1, 0.2), 0.3), ((0.0, 0.0, 0.0), 0.5), ((0.0, 0.0, 0.0), 2.0), ((0.0, 0.0, 1.0), -1.0)):
        out = wp.zeros((4, len(faces)), dtype=int)
        wp.launch(near, dim=1, inputs=[mesh, wp.vec3(*at), r, out])
        place, box = np.array(at, np.float32), np.float32(r)
        meets = ((low <= place + box) & (high >= place - box)).all(1)
        far = to_triangles(points, faces, place[None])[0]
        sure = np.abs(far - max(r, 0)) > 1e-5
        assert (out.numpy()[[0, 2, 3]] == meets).all()
        assert (out.numpy()[1] == (far <= max(r, 0)))[sure].all()


def test_furthest_points_and_groups() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, p: wp.vec3, group: int, out: wp.array(dtype=float)):
        q = wp.mesh_query_furthest_point_no_sign(mesh, p, 0.0)
        out[0] = wp.length(wp.mesh_eval_position(mesh, q.face, q.u, q.v) - p)
        root = wp.mesh_get_group_root(mesh, group)
        out[1] = wp.mesh_query_ray(mesh, wp.vec3(0.3, 0.2, 9.0), wp.vec3(0.0, 0.0, -1.0), 100.0, root).t
        out[2] = float(
            wp.mesh_query_ray_count_intersections(mesh, wp.vec3(0.3, 0.2, 9.0), wp.vec3(0.0, 0.0, -1.0), root)
        )

    points = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [0, 0, 2], [1, 0, 2], [0, 1, 2]]
    )
    faces = np.arange(9, dtype=np.int32).reshape(3, 3)
    mesh = built(points.astype(np.float32), faces, groups=wp.array([5, 2, 5], dtype=int))
    out = wp.zeros(3, dtype=float)
    for group, t, count in ((5, 7, 2), (2, 8, 1), (9, 7, 3)):
        wp.launch(ask, dim=1, inputs=[mesh, wp.vec3(0.0, 0.0, -1.0), group, out])
        assert out.numpy().tolist() == pytest.approx([np.sqrt(10), t, count])


def test_older_forms_write_their_arguments() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, out: wp.array(dtype=float), n: wp.array(dtype=wp.vec3)):
        p = wp.vec3(0.25, 0.25, 0.5)
        inside = float(0.0)
        face = int(-1)
        u = float(0.0)
        v = float(0.0)
        if wp.mesh_query_point(mesh, p, 10.0, inside, face, u, v):
            out[0] = inside
            out[1] = float(face)
            out[2] = u
            out[3] = v
        t = float(0.0)
        sign = float(0.0)
        normal = wp.vec3()
        if wp.mesh_query_ray(mesh, p, wp.vec3(0.0, 0.0, -2.0), 10.0, t, u, v, sign, normal, face):
            out[4] = t
            out[5] = sign
            n[0] = normal
        face = 7
        if not wp.mesh_query_point_no_sign(mesh, p, 0.1, face, u, v):
            out[6] = float(face)

    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    out, normal = wp.zeros(7, dtype=float), wp.zeros(1, dtype=wp.vec3)
    wp.launch(ask, dim=1, inputs=[built(points, np.array([[0, 1, 2]], np.int32)), out, normal])
    assert out.numpy().tolist() == pytest.approx([1, 0, 0.5, 0.25, 0.25, 1, 7])
    assert normal.numpy().tolist() == [[0, 0, 1]]


def test_refit_follows_points() -> None:
    points, faces = sphere(8)
    mesh = built(points, faces)
    at = RNG.uniform(-2, 2, (100, 3)).astype(np.float32)
    kept = mesh.id
    for act in (0, 1):
        points = points * np.float32(1.2) + np.float32(0.1)
        if act == 0:
            mesh.points.assign(points)
            mesh.refit()
        else:
            mesh.points = wp.array(points, dtype=wp.vec3)
        _, place, _ = ask_closest(mesh, at, np.inf)
        assert np.allclose(np.linalg.norm(place - at, axis=1), to_triangles(points, faces, at).min(1), atol=3e-6)
    assert mesh.id == kept
    mesh.velocities = wp.zeros(len(points), dtype=wp.vec3)
    assert mesh.velocities.size == len(points)


def test_a_graph_refits_the_mesh() -> None:
    points, faces = sphere(6)
    mesh = built(points, faces)
    at = wp.array(RNG.uniform(-2, 2, (50, 3)).astype(np.float32), dtype=wp.vec3)
    out = [wp.zeros(50, dtype=int), wp.zeros(50, dtype=wp.vec3), wp.zeros(50, dtype=float)]
    with wp.ScopedCapture() as capture:
        mesh.refit()
        wp.launch(closest, dim=50, inputs=[mesh, at, np.inf], outputs=out)
    for _ in range(3):
        points = points * np.float32(1.1)
        mesh.points.assign(points)
        wp.capture_launch(capture.graph)
        far = to_triangles(points, faces, at.numpy()).min(1)
        assert np.allclose(np.linalg.norm(out[1].numpy() - at.numpy(), axis=1), far, atol=3e-6)


def test_odd_meshes() -> None:
    at = np.zeros((1, 3), np.float32)
    for empty in (
        built(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32)),
        built(at, np.zeros((0, 3), np.int32)),
    ):
        assert ask_closest(empty, at, np.inf)[0].tolist() == [-1]
        t, _, _, counts = ask_rays(empty, at, at + 1, np.inf)
        assert t.tolist() == [-1]
        assert counts.tolist() == [[0, 0]]
        empty.refit()
    points = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [np.nan, 0, 0], [3, 3, 3]], np.float32)
    # Without area, with NaN, and three alike.
    faces = np.array([[4, 4, 4], [0, 1, 3], [0, 1, 2], [0, 1, 2], [2, 0, 1]], np.int32)
    mesh = built(points, faces)
    face, place, _ = ask_closest(mesh, np.array([[0.2, 0.2, 0], [9, 9, 9]], np.float32), np.inf)
    assert face.tolist() == [2, 0]
    assert place.tolist() == [pytest.approx([0.2, 0.2, 1]), [3, 3, 3]]
    t, _, _, counts = ask_rays(mesh, np.array([[0.2, 0.2, 0]], np.float32), np.array([[0, 0, 2]], np.float32), np.inf)
    assert t.tolist() == [0.5]
    assert counts.tolist() == [[1, 3]]


def test_arrays_of_a_mesh_in_kernels() -> None:
    @wp.kernel
    def read(mesh: wp.uint64, out: wp.array(dtype=wp.vec3), n: wp.array(dtype=int)):
        i = wp.tid()
        m = wp.mesh_get(mesh)
        out[i] = m.points[m.indices[i]]
        n[i] = wp.mesh_get_index(mesh, i) + 10 * m.indices.shape[0]

    points, faces = sphere(4)
    mesh = built(points, faces)
    out, n = wp.zeros(faces.size, dtype=wp.vec3), wp.zeros(faces.size, dtype=int)
    wp.launch(read, dim=faces.size, inputs=[mesh, out, n])
    assert (out.numpy() == points[faces.ravel()]).all()
    assert (n.numpy() == faces.ravel() + 10 * faces.size).all()


def test_a_mesh_lives_as_long_as_what_uses_it() -> None:
    points, faces = sphere(6)
    at = wp.array(RNG.uniform(-2, 2, (50, 3)).astype(np.float32), dtype=wp.vec3)
    out = wp.zeros(50, dtype=float)
    mesh = built(points, faces)
    command = wp.launch(energy, dim=50, inputs=[mesh.id, at, at, 0], outputs=[out], record_cmd=True)
    command.launch()
    first, gone = out.numpy(), mesh.id
    del mesh
    gc.collect()
    out.zero_()
    command.launch()
    assert (out.numpy() == first).all()
    del command
    gc.collect()
    with pytest.raises(ValueError, match="Mesh with the id .* has been deleted"):
        wp.launch(energy, dim=50, inputs=[gone, at, at, 0], outputs=[out])


def test_copies_and_pickles() -> None:
    points, faces = sphere(6)
    mesh = built(points, faces, support_winding_number=True)
    at = RNG.uniform(-2, 2, (50, 3)).astype(np.float32)
    right = ask_closest(mesh, at, np.inf)
    for other in (copy.copy(mesh), copy.deepcopy(mesh), pickle.loads(pickle.dumps(mesh))):
        assert other.id != mesh.id
        assert other.support_winding_number
        assert all((a == b).all() for a, b in zip(ask_closest(other, at, np.inf), right, strict=True))


def test_what_is_refused() -> None:
    points = wp.zeros(4, dtype=wp.vec3)
    indices = wp.array([0, 1, 2, 1, 2, 3], dtype=int)
    with pytest.raises(TypeError, match="points is ndarray"):
        wp.Mesh(points.numpy(), indices)
    with pytest.raises(RuntimeError, match="points is an array of vec.3, float64"):
        wp.Mesh(wp.zeros(4, dtype=wp.vec3d), indices)
    with pytest.raises(RuntimeError, match="indices is an array of uint32"):
        wp.Mesh(points, wp.zeros(3, dtype=wp.uint32))
    with pytest.raises(ValueError, match=r"indices has the shape \[5\]"):
        wp.Mesh(points, wp.zeros(5, dtype=int))
    with pytest.raises(ValueError, match=r"indices\[1\] is 4, points has 4 elements"):
        wp.Mesh(points, wp.array([0, 4, 1], dtype=int))
    with pytest.raises(ValueError, match=r"indices\[0\] is -1"):
        wp.Mesh(points, wp.array([-1, 0, 1], dtype=int))
    with pytest.raises(ValueError, match="points is not contiguous"):
        wp.Mesh(wp.zeros(8, dtype=wp.vec3)[::2], indices)
    with pytest.raises(ValueError, match="velocities has 3 elements, points has 4"):
        wp.Mesh(points, indices, velocities=wp.zeros(3, dtype=wp.vec3))
    with pytest.raises(ValueError, match="groups has 3 elements, faces has 2"):
        wp.Mesh(points, indices, groups=wp.zeros(3, dtype=int))
    with pytest.raises(ValueError, match="constructor is 'x'"):
        wp.Mesh(points, indices, bvh_constructor="x")
    with pytest.raises(ValueError, match="leaf size is -1"):
        wp.Mesh(points, indices, bvh_leaf_size=-1)
    mesh = wp.Mesh(points, indices)
    with pytest.raises(ValueError, match="points has 5 elements, the mesh has 4 points"):
        mesh.points = wp.zeros(5, dtype=wp.vec3)
    with pytest.raises(RuntimeError, match="float64"):
        mesh.velocities = wp.zeros(4, dtype=wp.vec3d)
    assert mesh.points is points
    assert mesh.velocities is None
    out = wp.zeros(1, dtype=float)
    with pytest.raises(IndexError):
        wp.launch(
            energy, dim=3, inputs=[mesh, wp.zeros(3, dtype=wp.vec3), points, 2], outputs=[wp.zeros(3, dtype=float)]
        )
    with pytest.raises(ValueError, match="is the id of a HashGrid"):
        wp.launch(energy, dim=1, inputs=[wp.HashGrid(1, 1, 1), points, points, 0], outputs=[out])


def test_watertight_meshes() -> None:
    points, faces = sphere()
    assert built(points, faces).is_watertight
    turned = faces.copy()
    turned[3] = turned[3, ::-1]
    assert built(points, turned).is_watertight
    twice = np.concatenate([faces, faces + len(points)])
    assert built(np.concatenate([points, points + 3.0]), twice).is_watertight
    assert not built(points, faces[1:]).is_watertight
    assert not built(points, np.concatenate([faces, faces[:1]])).is_watertight
    fin = np.concatenate([faces, [[faces[0, 0], faces[0, 1], len(points)]]]).astype(np.int32)
    assert not built(np.concatenate([points, [[0, 0, 3]]]).astype(np.float32), fin).is_watertight
    flat = np.concatenate([faces, [[0, 0, 1]]]).astype(np.int32)
    assert not built(points, flat).is_watertight
    assert not wp.Mesh(wp.array(points, dtype=wp.vec3), wp.zeros(0, dtype=int)).is_watertight
