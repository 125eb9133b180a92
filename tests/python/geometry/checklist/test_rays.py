"""Rays and meshes: what they meet of edges, corners and faces without area, both forms, roots, exact gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from ..meshes import built, sphere
from . import objects
from .test_closest import lattice

RNG = np.random.default_rng(59)


@wp.kernel
def cast(
    mesh: wp.uint64, starts: wp.array(dtype=wp.vec3), dirs: wp.array(dtype=wp.vec3), limit: float, root: int,
    numbers: wp.array2d(dtype=int), floats: wp.array2d(dtype=float), normals: wp.array(dtype=wp.vec3),
):  # fmt: skip
    i = wp.tid()
    r = wp.mesh_query_ray(mesh, starts[i], dirs[i], limit, root)
    numbers[i, 0] = int(r.result)
    numbers[i, 1] = r.face
    numbers[i, 2] = int(wp.mesh_query_ray_anyhit(mesh, starts[i], dirs[i], limit, root))
    numbers[i, 3] = wp.mesh_query_ray_count_intersections(mesh, starts[i], dirs[i], root)
    floats[i, 0] = r.t
    floats[i, 1] = r.u
    floats[i, 2] = r.v
    floats[i, 3] = r.sign
    normals[i] = r.normal


def ask(mesh: Any, starts: Any, dirs: Any, limit: float = np.inf, root: int = -1) -> tuple[np.ndarray, ...]:
    """Result, face, whether any is met, how many; t, u, v, sign; normals."""
    starts, dirs = (np.asarray(values, np.float32).reshape(-1, 3) for values in (starts, dirs))
    n = len(starts)
    out = [wp.full((n, 4), 7, dtype=int), wp.full((n, 4), 7.0, dtype=float), wp.full(n, wp.vec3(7.0), dtype=wp.vec3)]
    given = [wp.array(values, dtype=wp.vec3) for values in (starts, dirs)]
    wp.launch(cast, dim=n, inputs=[mesh, *given, limit, root], outputs=out)
    return tuple(array.numpy() for array in out)


def hits(points: np.ndarray, faces: np.ndarray, start: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where a ray meets the planes of faces, in float64: t, the weights of corners, and the normals."""
    a, b, c = (points[faces[:, k]].astype(float) for k in range(3))
    normal = np.cross(b - a, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = ((a - start) * normal).sum(1) / (normal @ along)
        at = start + t[:, None] * along
        parts = [(np.cross(y - x, at - x) * normal).sum(1) for x, y in ((b, c), (c, a), (a, b))]
        weights = np.stack(parts, 1) / (normal**2).sum(1)[:, None]
    return t, weights, normal / np.linalg.norm(normal, axis=1)[:, None]


def test_everything_that_a_ray_says() -> None:
    """Of triangles anywhere, seen from both sides: distances in lengths of the direction, normals by winding."""
    points = RNG.uniform(-2, 2, (90, 3)).astype(np.float32)
    faces = np.arange(90, dtype=np.int32).reshape(30, 3)
    starts, dirs = RNG.uniform(-2, 2, (400, 3)).astype(np.float32), RNG.normal(size=(400, 3)).astype(np.float32)
    for mesh, of in ((built(points, faces), faces), (built(points, faces[:, ::-1].copy()), faces[:, ::-1])):
        numbers, floats, normals = ask(mesh, starts, dirs)
        twice, short, _ = ask(mesh, starts, 2 * dirs)
        looked = []
        for i in range(400):
            t, weights, normal = hits(points, of, starts[i].astype(float), dirs[i].astype(float))
            edge = np.minimum(weights.min(1), 1)
            inside = (edge > 0) & (t > 0)
            if (np.abs(edge)[t > 0] < 1e-4).any() or (np.abs(t) < 1e-4).any():
                continue
            looked.append(inside.any())
            assert numbers[i, [0, 2, 3]].tolist() == [inside.any(), inside.any(), inside.sum()]
            if not inside.any():
                assert not numbers[i].any()
                assert not floats[i].any()
                assert not normals[i].any()
                continue
            face = np.where(inside, t, np.inf).argmin()
            assert numbers[i, 1] == face
            side = 1 if normal[face] @ dirs[i] < 0 else -1
            np.testing.assert_allclose(floats[i], [t[face], *weights[face, :2], side], rtol=2e-3, atol=2e-3)
            np.testing.assert_allclose(normals[i], normal[face], atol=1e-5)
            assert np.linalg.norm(normals[i]) == pytest.approx(1, abs=1e-6)
            assert twice[i].tolist() == numbers[i].tolist()
            assert short[i, 0] == pytest.approx(floats[i, 0] / 2, rel=1e-5)
        assert np.mean(looked) > 0.3
        assert len(looked) > 300


def test_the_limit_of_a_ray() -> None:
    """Strict, and in lengths of the direction; a ray that starts on the surface is there at 0."""
    mesh = objects.triangle()
    for length in (1.0, 0.5, 4.0):
        at, down = (0.25, 0.25, 2), (0, 0, -length)
        far = np.float32(2 / length)
        for limit, met in ((far, 0), (np.nextafter(far, np.float32(99)), 1), (np.inf, 1), (0.0, 0), (-far * 2, 0)):
            numbers, floats, _ = ask(mesh, at, down, float(limit))
            assert numbers[0, [0, 2]].tolist() == [met, met]
            assert floats[0, 0] == (far if met else 0)
    for down in ((0, 0, -1), (0, 0, 1), (0.5, -0.25, 3)):
        for limit, met in ((1e-30, 1), (np.inf, 1), (0.0, 0), (-1.0, 0)):
            numbers, floats, _ = ask(mesh, (0.25, 0.25, 0), down, limit)
            assert numbers[0, [0, 2, 3]].tolist() == [met, met, 1]
            assert floats[0, 0] == 0
    for down in ((0, 0, 0), (0, np.nan, -1), (np.nan, 0, 0)):
        numbers, floats, _ = ask(mesh, (0.25, 0.25, 1), down)
        assert not numbers.any()
        assert not floats.any()


@pytest.mark.parametrize("n", [3, 8])
def test_a_closed_surface_has_no_gap(n: int) -> None:
    """From inside every ray through a corner, the middle of an edge or anything else meets an odd number of faces."""
    points, faces = sphere(n)
    corners = points[faces]
    targets = np.concatenate([points, *((corners[:, k] + corners[:, (k + 1) % 3]) / 2 for k in range(3))])
    targets = np.concatenate([targets, RNG.normal(size=(500, 3)).astype(np.float32)])
    for start in (np.zeros(3), np.array([0.125, -0.25, 0.0625])):
        dirs = (targets - start).astype(np.float32)
        numbers, floats, normals = ask(built(points, faces), np.tile(start, (len(dirs), 1)), dirs)
        assert (numbers[:, [0, 2]] == 1).all()
        assert (numbers[:, 3] == 1).all()
        assert (floats[:, 3] == -1).all()
        assert ((normals * dirs).sum(1) > 0).all()
        # The other way round, from outside, they come in once and go out once.
        away = dirs / np.linalg.norm(dirs, axis=1)[:, None]
        numbers, *_ = ask(built(points, faces), start + 4 * away, -away)
        assert (numbers[:, 3] == 2).all()


def test_the_diagonals_of_a_cube_count_once() -> None:
    points = np.array(list(np.ndindex(2, 2, 2)), np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))], np.int32)
    steps = np.linspace(0.0625, 0.9375, 15)
    for axis in range(3):
        for slope in (1, -1):
            starts = np.stack([np.full(15, 3.0), steps, steps[::slope]], 1)
            starts = np.roll(starts, axis, axis=1)
            for sign in (1, -1):
                dirs = np.zeros((15, 3))
                dirs[:, axis] = -sign
                starts[:, axis] = 0.5 + sign * 2.5
                numbers, floats, _ = ask(built(points, faces), starts, dirs)
                assert (numbers[:, [0, 2, 3]] == [1, 1, 2]).all()
                assert (floats[:, 0] == 2).all()


def test_faces_without_area_are_not_met() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [5, 5, 5]], np.float32)
    flat = np.array([[0, 1, 2], [0, 0, 1], [4, 4, 4], [2, 1, 1]], np.int32)
    starts = [(1, 0, 1), (0.5, 0, 1), (5, 5, 6), (0, 0, 1), (-1, 0, 0)]
    dirs = [(0, 0, -1)] * 4 + [(1, 0, 0)]
    numbers, floats, _ = ask(built(points, flat), starts, dirs)
    assert not numbers.any()
    assert not floats.any()
    # Nor do they hide another one.
    numbers, *_ = ask(built(points, np.concatenate([flat, [[0, 2, 3]]]).astype(np.int32)), starts, dirs)
    assert numbers[[0, 1, 3], 1].tolist() == [4, 4, 4]
    assert numbers[:, 0].tolist() == [1, 1, 0, 1, 0]
    # A ray in the plane of a face does not cross it.
    numbers, *_ = ask(built(points, np.array([[0, 2, 3]], np.int32)), [(-1, 0.25, 0)], [(1, 0, 0)])
    assert not numbers.any()


def test_roots_in_both_forms() -> None:
    @wp.kernel
    def older(mesh: wp.uint64, group: int, missing: int, out: wp.array2d(dtype=float), n: wp.array(dtype=wp.vec3)):
        start, down = wp.vec3(0.25, 0.25, 9.0), wp.vec3(0.0, 0.0, -2.0)
        root = wp.mesh_get_group_root(mesh, group)
        root = wp.where(root < 0, missing, root)
        t, u, v, sign, normal, face = float(7.0), float(7.0), float(7.0), float(7.0), wp.vec3(7.0), int(7)
        out[0, 0] = float(wp.mesh_query_ray(mesh, start, down, 99.0, t, u, v, sign, normal, face, root))
        out[0, 1] = t
        out[0, 2] = u
        out[0, 3] = v
        out[0, 4] = sign
        out[0, 5] = float(face)
        n[0] = normal
        q = wp.mesh_query_ray(mesh, start, down, 99.0, root)
        out[1, 0] = float(q.result)
        out[1, 1] = q.t
        out[1, 2] = q.u
        out[1, 3] = q.v
        out[1, 4] = q.sign
        out[1, 5] = float(q.face)
        n[1] = q.normal
        out[0, 6] = float(wp.mesh_query_ray_anyhit(mesh, start, down, 99.0, root))
        out[1, 6] = float(wp.mesh_query_ray_count_intersections(mesh, start, down, root))

    heights = (1, 2, 3, 4)
    points = np.concatenate([objects.CORNERS + np.array([0, 0, z]) for z in heights]).astype(np.float32)
    faces = np.arange(12, dtype=np.int32).reshape(4, 3)
    faces[2] = faces[2, ::-1]
    mesh = built(points, faces, groups=wp.array([-5, 7, 7, -5], dtype=int))
    for group, missing, face, count in ((-5, -1, 3, 2), (7, -1, 2, 2), (0, -1, 3, 4), (0, -2, None, 0)):
        out, normals = wp.zeros((2, 7), dtype=float), wp.zeros(2, dtype=wp.vec3)
        wp.launch(older, dim=1, inputs=[mesh, group, missing], outputs=[out, normals])
        (*old, any_hit), (*new, crossed) = out.numpy().tolist()
        assert (any_hit, crossed) == (count > 0, count)
        if face is None:
            assert (old, new) == ([0, 7, 7, 7, 7, 7], [0] * 6)
            assert normals.numpy().tolist() == [[7] * 3, [0] * 3]
            continue
        side = -1 if face == 2 else 1
        weights = (0.25, 0.25) if face == 2 else (0.5, 0.25)
        assert old == new == [1, (9 - heights[face]) / 2, *weights, side, face]
        assert normals.numpy().tolist() == [[0, 0, side]] * 2


def test_gradients_of_rays_are_exact() -> None:
    """With the weights l of the corners, d t / d corner = l n / (n . dir); by the start -n / (n . dir), and so on."""

    @wp.kernel
    def measure(
        mesh: wp.uint64, starts: wp.array(dtype=wp.vec3), dirs: wp.array(dtype=wp.vec3), by: wp.vec3,
        out: wp.array(dtype=float),
    ):  # fmt: skip
        i = wp.tid()
        r = wp.mesh_query_ray(mesh, starts[i], dirs[i], wp.inf)
        out[i] = by[0] * r.t + by[1] * r.u + by[2] * r.v

    corners = np.array([[0, 0, 0], [4, 0, 1], [0, 3, 1]], np.float32)
    weights = np.array([0.25, 0.25, 0.5])
    for start in ((1, 1, 5), (1.5, 0.5, -2)):
        along = (weights @ corners - start) / 2
        shape = corners.astype(float), np.array(start, float), along.astype(np.float32).astype(float)
        n = np.cross(shape[0][1] - shape[0][0], shape[0][2] - shape[0][0])
        for by in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            mesh = built(corners, np.array([[0, 1, 2]], np.int32), True)
            starts, dirs = (wp.array([x], dtype=wp.vec3, requires_grad=True) for x in shape[1:])
            out = wp.zeros(1, dtype=float, requires_grad=True)
            with wp.Tape() as tape:
                wp.launch(measure, dim=1, inputs=[mesh, starts, dirs, wp.vec3(*by)], outputs=[out])
            tape.backward(out)
            found = [mesh.points.grad.numpy(), starts.grad.numpy()[0], dirs.grad.numpy()[0]]
            if by[0]:
                t, per = 2.0, n / (n @ shape[2])
                assert out.numpy()[0] == pytest.approx(t, rel=1e-5)
                right = [np.outer(weights, per), -per, -t * per]
            else:
                right = differences(shape, 0 if by[1] else 1)
            for ours, wanted in zip(found, right, strict=True):
                np.testing.assert_allclose(ours, wanted, atol=2e-5)


def differences(shape: tuple[np.ndarray, ...], which: int) -> list[np.ndarray]:
    """Of a weight of the place where a ray meets a triangle, by corners, start and direction, in float64."""
    faces, out = np.array([[0, 1, 2]]), []
    for k, x in enumerate(shape):
        slope = np.zeros(x.shape)
        for at in np.ndindex(x.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [values.copy() for values in shape]
                moved[k][at] += step
                ends.append(hits(moved[0], faces, moved[1], moved[2])[1][0, which])
            slope[at] = (ends[0] - ends[1]) / 2e-6
        out.append(slope)
    return out


def test_gradients_of_normals_are_exact() -> None:
    """Those that a ray gives, and those of a face: n is the unit vector along e = (b - a) x (c - a)."""

    @wp.kernel
    def measure(mesh: wp.uint64, kind: int, by: wp.vec3, out: wp.array(dtype=float)):
        n = wp.mesh_eval_face_normal(mesh, 0)
        if kind == 1:
            n = wp.mesh_query_ray(mesh, wp.vec3(0.5, 0.5, 9.0), wp.vec3(0.0, 0.0, -1.0), wp.inf).normal
        out[0] = wp.dot(n, by)

    corners, by = np.array([[0, 0, 0], [2, 0, 1], [0, 3, 1]], np.float32), np.array([3.0, -2.0, 0.5])
    a, b, c = corners.astype(float)
    e = np.cross(b - a, c - a)
    n, size = e / np.linalg.norm(e), np.linalg.norm(e)
    pulled = (by - n * (n @ by)) / size
    # d (by . n) = pulled . de, and de = (db - da) x (c - a) + (b - a) x (dc - da).
    right = [np.cross(pulled, c - b), np.cross(c - a, pulled), np.cross(pulled, b - a)]
    for kind in range(2):
        mesh = built(corners, np.array([[0, 1, 2]], np.int32), True)
        out = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(measure, dim=1, inputs=[mesh, kind, wp.vec3(*by)], outputs=[out])
        tape.backward(out)
        np.testing.assert_allclose(mesh.points.grad.numpy(), right, atol=1e-5)


def test_a_sheet_that_leans_is_met_once() -> None:
    """By rays at places on its inner edges and corners, which are rounded: none slips through, none counts twice."""
    n, count = 12, 20000
    flat, faces = lattice(n)
    flat -= np.float32([n / 2, n / 2, 0])
    for _ in range(3):
        turn = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
        points = (0.37 * flat @ turn.T).astype(np.float32)
        face, k = RNG.integers(0, len(faces), count), RNG.integers(0, 3, count)
        part = RNG.choice([0.0, 0.5, 0.3, 0.77], (count, 1)).astype(np.float32)
        targets = points[faces[face, k]] * (1 - part) + points[faces[face, (k + 1) % 3]] * part
        targets = targets[(np.abs(targets @ turn[:, :2]) < 0.37 * (n / 2 - 0.01)).all(1)]
        starts = (targets + RNG.normal(size=targets.shape) * 0.7 + 4 * turn[:, 2]).astype(np.float32)
        numbers, *_ = ask(built(points, faces), starts, targets - starts)
        assert len(targets) > count / 2
        assert (numbers[:, [0, 2, 3]] == 1).all()
