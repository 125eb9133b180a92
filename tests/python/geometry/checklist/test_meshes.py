"""``wp.Mesh``: its arrays and what may be assigned, meshes without faces and with NaN, groups, values of faces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from randomized import random_scenes

from ..meshes import built, sphere
from . import objects

RNG = np.random.default_rng(47)


@wp.kernel
def look(
    mesh: wp.uint64, at: wp.array(dtype=wp.vec3), dirs: wp.array(dtype=wp.vec3), numbers: wp.array2d(dtype=int),
    floats: wp.array2d(dtype=float),
):  # fmt: skip
    i = wp.tid()
    near = wp.mesh_query_point(mesh, at[i], wp.inf)
    far = wp.mesh_query_furthest_point_no_sign(mesh, at[i], 0.0)
    hit = wp.mesh_query_ray(mesh, at[i], dirs[i], wp.inf)
    numbers[i, 0] = wp.where(near.result, near.face, -1)
    numbers[i, 1] = wp.where(far.result, far.face, -1)
    numbers[i, 2] = wp.where(hit.result, hit.face, -1)
    numbers[i, 3] = int(near.sign)
    numbers[i, 4] = int(wp.mesh_query_point_sign_normal(mesh, at[i], wp.inf).sign)
    numbers[i, 5] = int(wp.mesh_query_point_sign_parity(mesh, at[i], wp.inf, 3).sign)
    numbers[i, 6] = wp.mesh_query_ray_count_intersections(mesh, at[i], dirs[i])
    numbers[i, 9] = int(wp.mesh_query_point_sign_winding_number(mesh, at[i], wp.inf).sign)
    for face in wp.mesh_query_sphere(mesh, at[i], 0.7):
        numbers[i, 7] += face * face + 1
    for face in wp.mesh_query_aabb(mesh, at[i] - wp.vec3(0.3), at[i] + wp.vec3(0.3)):
        numbers[i, 8] += face * face + 1
    floats[i, 0] = near.u
    floats[i, 1] = near.v
    floats[i, 2] = hit.t
    floats[i, 3] = wp.length(at[i] - wp.mesh_eval_position(mesh, near.face, near.u, near.v))


PLACES = RNG.uniform(-2, 2, (200, 3)).astype(np.float32)
DIRS = RNG.normal(size=(200, 3)).astype(np.float32)


def seen(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    """What many queries say of a mesh: of all, if one of two meshes differs from the other."""
    numbers, floats = wp.zeros((200, 10), dtype=int), wp.zeros((200, 4), dtype=float)
    given = [wp.array(values, dtype=wp.vec3) for values in (PLACES, DIRS)]
    wp.launch(look, dim=200, inputs=[mesh, *given], outputs=[numbers, floats])
    return numbers.numpy(), floats.numpy()


def alike(mesh: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(seen(mesh), seen(other), strict=True))


def test_answers_depend_neither_on_the_constructor_nor_on_leaves() -> None:
    points, faces = sphere(7, 0.05)
    first = built(points, faces)
    assert len(np.unique(seen(first)[0])) > 50
    for name, size in (("median", 1), ("lbvh", 4), ("cubql", 0), ("SAH", 64), (None, 2)):
        assert alike(built(points, faces, bvh_constructor=name, bvh_leaf_size=size), first)
    for name, size in ((None, 0), ("sah", 0), ("cubql", -1)):
        with pytest.raises(ValueError, match="leaf size"):
            built(points, faces, bvh_constructor=name, bvh_leaf_size=size)
    groups = wp.array(RNG.integers(-3, 3, len(faces)).astype(np.int32))
    assert alike(built(points, faces, groups=groups, bvh_constructor="cubql"), first)
    # A tree that was made for other points.
    moved = built(points[::-1].copy(), faces)
    moved.points.assign(points)
    moved.refit()
    assert alike(moved, first)


def test_arguments_are_checked_by_their_names() -> None:
    """As RuntimeError, too."""
    right: dict[str, Any] = {"points": wp.zeros(4, dtype=wp.vec3), "indices": wp.array([0, 1, 2, 1, 2, 3], dtype=int)}
    for name, wrong in (
        ("points", wp.zeros(4, dtype=wp.vec3d)),
        ("points", np.zeros((4, 3), np.float32)),
        ("points", wp.zeros((4, 3), dtype=float)),
        ("points", wp.zeros(8, dtype=wp.vec3)[::2]),
        ("indices", wp.zeros(6, dtype=wp.uint32)),
        ("indices", wp.zeros(6, dtype=wp.int64)),
        ("indices", wp.zeros((2, 3), dtype=int)),
        ("indices", wp.zeros(12, dtype=int)[::2]),
        ("indices", wp.zeros(7, dtype=int)),
        (r"indices\[5\]", wp.array([0, 1, 2, 1, 2, 4], dtype=int)),
        (r"indices\[0\]", wp.array([-1, 1, 2], dtype=int)),
        (r"indices\[2\]", wp.array([0, 1, 2**31 - 1], dtype=int)),
        ("velocities", wp.zeros(4, dtype=wp.vec3d)),
        ("velocities", wp.zeros(3, dtype=wp.vec3)),
        ("velocities", wp.zeros(8, dtype=wp.vec3)[::2]),
        ("groups", wp.zeros(2, dtype=wp.uint32)),
        ("groups", wp.zeros(6, dtype=int)),
    ):
        with pytest.raises(RuntimeError, match=f"Mesh: {name} ") as caught:
            wp.Mesh(**right | {name.partition("\\")[0]: wrong})
        assert isinstance(caught.value, TypeError | ValueError)
    for name in ("points", "indices", "velocities", "groups"):
        with pytest.raises(TypeError, match=f"Mesh: {name} is ndarray, expected a Warp array"):
            wp.Mesh(**right | {name: np.zeros((4, 3), np.float32)})
    with pytest.raises(RuntimeError, match=r"indices\[0\] is 0, points has 0 elements"):
        wp.Mesh(wp.zeros(0, dtype=wp.vec3), wp.array([0, 0, 0], dtype=int))


def test_what_may_be_assigned() -> None:
    points, faces = sphere(5)
    mesh, other = built(points, faces), built(points * np.float32(1.5), faces)
    kept, before = mesh.id, seen(mesh)
    count = len(points)
    for name, wrong in (
        ("points", wp.zeros(count + 1, dtype=wp.vec3)),
        ("points", wp.zeros(count, dtype=wp.vec3d)),
        ("points", wp.zeros(2 * count, dtype=wp.vec3)[::2]),
        ("velocities", wp.zeros(count - 1, dtype=wp.vec3)),
        ("velocities", wp.zeros(count, dtype=wp.vec4)),
        ("velocities", wp.zeros(2 * count, dtype=wp.vec3)[::2]),
    ):
        with pytest.raises(RuntimeError, match=name):
            setattr(mesh, name, wrong)
    for name in ("points", "velocities"):
        with pytest.raises(TypeError, match=f"{name} is ndarray"):
            setattr(mesh, name, points)
    # What is refused changes nothing.
    assert all(np.array_equal(a, b) for a, b in zip(seen(mesh), before, strict=True))
    assert mesh.velocities is None
    for name in ("id", "indices", "groups", "support_winding_number", "device"):
        with pytest.raises(AttributeError):
            setattr(mesh, name, None)
    # A new array of points is taken in at once, and is the one that a refit reads.
    array = wp.array(points * np.float32(1.5), dtype=wp.vec3)
    mesh.points = array
    assert mesh.points is array
    assert alike(mesh, other)
    array.assign(points)
    mesh.refit()
    assert alike(mesh, built(points, faces))
    mesh.points = array.reshape((2, -1))
    assert mesh.points.shape == (2, count // 2)
    assert mesh.id == kept


def test_velocities_may_be_assigned_later() -> None:
    @wp.kernel
    def read(mesh: wp.uint64, out: wp.array(dtype=wp.vec3)):
        out[0] = wp.mesh_eval_velocity(mesh, 0, 0.25, 0.25)
        out[1] = wp.mesh_get_velocity(mesh, 2)
        m = wp.mesh_get(mesh)
        if m.velocities:
            out[2] = m.velocities[2]

    mesh = objects.triangle()
    speeds = [np.array([[4, 0, 0], [0, 8, 0], [0, 0, by]], np.float32) for by in (2, 6)]
    arrays = [wp.array(speed, dtype=wp.vec3) for speed in speeds]
    for array in (None, arrays[0], arrays[1], None):
        mesh.velocities = array
        assert mesh.velocities is array
        out = wp.zeros(3, dtype=wp.vec3)
        wp.launch(read, dim=1, inputs=[mesh], outputs=[out])
        a, b, c = np.zeros((3, 3)) if array is None else array.numpy()
        assert out.numpy().tolist() == [(0.25 * a + 0.25 * b + 0.5 * c).tolist(), c.tolist(), c.tolist()]


# Meshes without faces, and faces that are none


def test_a_mesh_without_faces_has_nothing_to_find() -> None:
    for count in (0, 3):
        mesh = built(np.zeros((count, 3), np.float32), np.zeros((0, 3), np.int32), support_winding_number=count == 0)
        for _ in range(2):
            found = [objects.answer(objects.ask_mesh, mesh, kind) for kind in range(14)]
            assert found == [0] * 14
            numbers, floats = seen_without_faces(mesh)
            assert not numbers.any()
            assert not floats.any()
            mesh.refit()
        # Without velocities these are zero wherever one asks.
        assert [objects.answer(objects.ask_mesh, mesh, kind) for kind in (15, 18)] == [1, 1]
        for kind in (14, 16, 17, 19):
            with pytest.raises(IndexError):
                objects.answer(objects.ask_mesh, mesh, kind)


@wp.kernel
def of_nothing(mesh: wp.uint64, numbers: wp.array(dtype=int), floats: wp.array2d(dtype=float)):
    p, d = wp.vec3(0.1, 0.2, 0.3), wp.vec3(0.0, 0.0, 1.0)
    for k in range(6):
        q = wp.mesh_query_point(mesh, p, wp.inf)
        if k == 1:
            q = wp.mesh_query_point_no_sign(mesh, p, wp.inf)
        elif k == 2:
            q = wp.mesh_query_point_sign_normal(mesh, p, wp.inf)
        elif k == 3:
            q = wp.mesh_query_point_sign_winding_number(mesh, p, wp.inf)
        elif k == 4:
            q = wp.mesh_query_point_sign_parity(mesh, p, wp.inf)
        elif k == 5:
            q = wp.mesh_query_furthest_point_no_sign(mesh, p, 0.0)
        numbers[k] = int(q.result) + q.face
        floats[k, 0] = q.sign
        floats[k, 1] = q.u
        floats[k, 2] = q.v
    r = wp.mesh_query_ray(mesh, p, d, wp.inf)
    numbers[6] = int(r.result) + r.face
    floats[6, 0] = r.sign + r.t
    floats[6, 1] = r.u + r.v
    floats[6, 2] = wp.length(r.normal)


def seen_without_faces(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    numbers, floats = wp.full(7, 9, dtype=int), wp.full((7, 3), 9.0, dtype=float)
    wp.launch(of_nothing, dim=1, inputs=[mesh], outputs=[numbers, floats])
    return numbers.numpy(), floats.numpy()


def test_no_query_finds_a_face_with_nan() -> None:
    """The others are found as if it were not there."""
    points, faces = sphere(5)
    bad = np.array([[np.nan, 0, 0], [0, np.nan, 9], [np.nan] * 3], np.float32)
    count = len(points)
    extra = np.array([[0, 1, count], [count + 1, 4, 5], [count, count + 1, count + 2]], np.int32)
    clean = built(points, faces)
    spoilt = built(np.concatenate([points, bad]), np.concatenate([faces, extra]))
    assert alike(spoilt, clean)
    # As well where a face has become one.
    spoilt.points.assign(np.concatenate([points, np.zeros((3, 3), np.float32)]))
    spoilt.refit()
    assert not alike(spoilt, clean)
    spoilt.points.assign(np.concatenate([points, bad]))
    spoilt.refit()
    assert alike(spoilt, clean)
    only = built(bad, np.array([[0, 1, 2]], np.int32))
    numbers, floats = seen_without_faces(only)
    assert not numbers.any()
    assert not floats.any()
    for kind in (9, 10, 11):
        assert objects.answer(objects.ask_mesh, only, kind) == 0


# Trees of meshes, groups


def test_the_tree_of_a_mesh_and_its_groups() -> None:
    """`mesh_get_bvh` is a tree over the boxes of faces, with the same roots of groups."""

    @wp.kernel
    def ask(mesh: wp.uint64, group: int, out: wp.array2d(dtype=int), root: wp.array(dtype=int)):
        tree = wp.mesh_get_bvh(mesh)
        root[0] = wp.mesh_get_group_root(mesh, group)
        root[1] = wp.bvh_get_group_root(tree, group)
        p = wp.vec3(0.3, 0.4, 0.5)
        for face in wp.bvh_query_aabb(tree, p - wp.vec3(0.5), p + wp.vec3(0.5), root[0]):
            out[0, face] += 1
        for face in wp.bvh_query_sphere(tree, p, 0.6, root[0]):
            out[1, face] += 1
        # A query of the mesh has no groups.
        for face in wp.mesh_query_aabb(mesh, p - wp.vec3(0.5), p + wp.vec3(0.5)):
            out[2, face] += 1

    points, faces = sphere(6)
    groups = RNG.integers(-1, 2, len(faces)).astype(np.int32)
    p = np.array([0.3, 0.4, 0.5])
    low, high = points[faces].min(1), points[faces].max(1)
    overlap = ((low <= p + 0.5) & (high >= p - 0.5)).all(1)
    near = np.linalg.norm(np.maximum(np.maximum(low - p, p - high), 0), axis=1) <= 0.6
    mesh = built(points, faces, groups=wp.array(groups))
    for group in (-1, 0, 1, 4):
        out, root = wp.zeros((3, len(faces)), dtype=int), wp.zeros(2, dtype=int)
        wp.launch(ask, dim=1, inputs=[mesh, group], outputs=[out, root])
        assert root.list()[0] == root.list()[1]
        assert (root.list()[0] == -1) == (group == 4)
        of_group = groups == group if group != 4 else True
        assert (out.numpy() == [overlap & of_group, near & of_group, overlap]).all()
    for group, wanted in ((0, 0), (1, -1), (-1, -1)):
        wp.launch(ask, dim=1, inputs=[built(points, faces), group], outputs=[out, root])
        assert root.list() == [wanted] * 2


# Values of faces


def test_values_beside_a_mesh_are_errors() -> None:
    @wp.kernel
    def read(mesh: wp.uint64, kind: int, index: int, out: wp.array(dtype=float)):
        if kind == 0:
            out[0] = wp.mesh_eval_position(mesh, index, 0.5, 0.5)[0]
        elif kind == 1:
            out[0] = wp.mesh_eval_velocity(mesh, index, 0.5, 0.5)[0]
        elif kind == 2:
            out[0] = wp.mesh_eval_face_normal(mesh, index)[0]
        elif kind == 3:
            out[0] = wp.mesh_get_point(mesh, index)[0]
        elif kind == 4:
            out[0] = wp.mesh_get_velocity(mesh, index)[0]
        else:
            out[0] = float(wp.mesh_get_index(mesh, index))

    points, faces = random_scenes.box(-np.ones(3), np.ones(3))
    mesh = built(points, faces.astype(np.int32), velocities=wp.zeros(8, dtype=wp.vec3))
    out = wp.zeros(1, dtype=float)
    for kind in range(6):
        last = 11 if kind < 3 else 35
        for index in (0, last):
            wp.launch(read, dim=1, inputs=[mesh, kind, index], outputs=[out])
        for index in (last + 1, 10**6, 2**31 - 1):
            with pytest.raises(IndexError):
                wp.launch(read, dim=1, inputs=[mesh, kind, index], outputs=[out])


def test_an_index_of_a_query_stays_where_nothing_was_found() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, kind: int, out: wp.array(dtype=int)):
        q = wp.mesh_query_aabb(mesh, wp.vec3(0.0), wp.vec3(1.0))
        if kind == 1:
            q = wp.mesh_query_sphere(mesh, wp.vec3(0.0), 1.0)
        elif kind == 2:
            q = wp.mesh_query_aabb(mesh, wp.vec3(5.0), wp.vec3(6.0))
        face = int(-7)
        out[0] = int(wp.mesh_query_next(q, face))
        out[1] = face
        out[2] = int(wp.mesh_query_next(q, face))
        out[3] = face
        out[4] = int(wp.mesh_query_aabb_next(q, face))
        out[5] = face

    points = np.concatenate([objects.CORNERS + 9, objects.CORNERS])
    mesh = built(points.astype(np.float32), np.arange(6, dtype=np.int32).reshape(2, 3))
    for kind, wanted in ((0, [1, 1, 0, 1, 0, 1]), (1, [1, 1, 0, 1, 0, 1]), (2, [0, -7, 0, -7, 0, -7])):
        out = wp.zeros(6, dtype=int)
        wp.launch(ask, dim=1, inputs=[mesh, kind], outputs=[out])
        assert out.list() == wanted


def test_gradients_go_through_what_is_computed_of_faces_nearby() -> None:
    """Which ones are found is a constant: neither the box nor the ball has a gradient."""

    @wp.kernel
    def ask(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), reach: wp.array(dtype=float), out: wp.array(dtype=float)):
        for face in wp.mesh_query_aabb(mesh, at[0] - wp.vec3(reach[0]), at[0] + wp.vec3(reach[0])):
            out[0] += 2.0 * wp.mesh_get_point(mesh, 3 * face)[2]
        for face in wp.mesh_query_sphere(mesh, at[0], reach[0]):
            out[0] += wp.mesh_eval_position(mesh, face, 0.25, 0.25)[0]

    points = np.concatenate([objects.CORNERS + 9, objects.CORNERS])
    mesh = built(points.astype(np.float32), np.arange(6, dtype=np.int32).reshape(2, 3), True)
    at = wp.array([[0.1, 0.1, 0.1]], dtype=wp.vec3, requires_grad=True)
    reach, out = wp.array([1.0], dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(ask, dim=1, inputs=[mesh, at, reach], outputs=[out])
    tape.backward(grads={out: wp.ones(1, dtype=float)})
    right = np.zeros((6, 3))
    right[3, 2], right[3:, 0] = 2, [0.25, 0.25, 0.5]
    assert mesh.points.grad.numpy().tolist() == right.tolist()
    assert not at.grad.numpy().any()
    assert reach.grad.list() == [0]


@pytest.mark.parametrize("late", [False, True])
def test_gradients_of_values_of_faces_are_exact(late: bool) -> None:
    """By weights, points and velocities; also where the arrays came, or were given gradients, after the mesh."""

    @wp.kernel
    def values(mesh: wp.uint64, at: wp.array2d(dtype=float), by: wp.vec3, out: wp.array(dtype=float)):
        i = wp.tid()
        u, v = at[i, 0], at[i, 1]
        out[i] = wp.dot(by, wp.mesh_eval_position(mesh, i, u, v)) + wp.mesh_get_point(mesh, 3 * i)[1]
        out[i] += 2.0 * wp.dot(by, wp.mesh_eval_velocity(mesh, i, u, v)) + wp.mesh_get_velocity(mesh, 3 * i + 2)[0]

    points, speeds = RNG.normal(size=(2, 4, 3)).astype(np.float32)
    faces, by = np.array([[0, 1, 2], [3, 2, 1]], np.int32), np.array([3.0, -5.0, 7.0])
    mesh = built(points, faces, not late, velocities=None)
    if late:
        mesh.points.requires_grad = True
        mesh.velocities = wp.zeros(4, dtype=wp.vec3)
    mesh.velocities = wp.array(speeds, dtype=wp.vec3, requires_grad=True)
    weights = np.array([[0.25, 0.5, 0.25], [0.7, -0.2, 0.5]], np.float32)
    at = wp.array(weights[:, :2], dtype=float, requires_grad=True)
    out = wp.zeros(2, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(values, dim=2, inputs=[mesh, at, wp.vec3(*by)], outputs=[out])
    tape.backward(grads={out: wp.ones(2, dtype=float)})
    of_points, of_speeds = np.zeros((4, 3)), np.zeros((4, 3))
    for face, parts in zip(faces, weights, strict=True):
        np.add.at(of_points, face, np.outer(parts, by))
        np.add.at(of_speeds, face, 2 * np.outer(parts, by))
        of_points[face[0], 1] += 1
        of_speeds[face[2], 0] += 1
    seen = (points + 2 * speeds)[faces] @ by
    np.testing.assert_allclose(mesh.points.grad.numpy(), of_points, atol=1e-5)
    np.testing.assert_allclose(mesh.velocities.grad.numpy(), of_speeds, atol=1e-5)
    np.testing.assert_allclose(at.grad.numpy(), seen[:, :2] - seen[:, 2:], rtol=1e-5, atol=1e-4)
