"""Closest points of ``wp.Mesh``: limits, ties, the four ways to tell the side, faces without area, exact gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from randomized import random_scenes

from ..meshes import built, sphere
from . import objects

RNG = np.random.default_rng(53)
CORNERS, CUBE = random_scenes.box(-np.ones(3), np.ones(3))
#: The faces of the sides of the cube.
SIDES = {"-x": [0, 1], "+x": [2, 3], "-y": [4, 5], "+y": [6, 7], "-z": [8, 9], "+z": [10, 11]}
IN, OUT = -1.0, 1.0


@wp.func
def query(mesh: wp.uint64, kind: int, p: wp.vec3, limit: float) -> wp.MeshQueryPoint:
    q = wp.mesh_query_point(mesh, p, limit)
    if kind == 1:
        q = wp.mesh_query_point_no_sign(mesh, p, limit)
    elif kind == 2:
        q = wp.mesh_query_point_sign_normal(mesh, p, limit)
    elif kind == 3:
        q = wp.mesh_query_point_sign_winding_number(mesh, p, limit)
    elif kind == 4:
        q = wp.mesh_query_point_sign_parity(mesh, p, limit)
    elif kind == 5:
        q = wp.mesh_query_furthest_point_no_sign(mesh, p, limit)
    return q


@wp.kernel
def of_all_kinds(mesh: wp.uint64, p: wp.vec3, limits: wp.array(dtype=float), out: wp.array3d(dtype=float)):
    kind, i = wp.tid()
    q = query(mesh, kind, p, limits[i])
    out[kind, i, 0] = float(q.result)
    out[kind, i, 1] = q.sign
    out[kind, i, 2] = float(q.face)
    out[kind, i, 3] = q.u
    out[kind, i, 4] = q.v


def results(mesh: Any, p: Any, *limits: float) -> np.ndarray:
    """Whether something is found, the sign, the face, and its weights: of each kind of query and for each limit."""
    out = wp.full((6, len(limits), 5), 7.0, dtype=float)
    wp.launch(of_all_kinds, (6, len(limits)), inputs=[mesh, wp.vec3(*p), wp.array(limits, dtype=float)], outputs=[out])
    return out.numpy()


@pytest.mark.parametrize("winding", [True, False])
def test_limits_of_every_query(winding: bool) -> None:
    """They are strict; where nothing is found all fields are zero."""
    points = np.concatenate([objects.CORNERS + 50, 3 * objects.CORNERS])
    mesh = built(points, np.arange(6, dtype=np.int32).reshape(2, 3), support_winding_number=winding)
    after = float(np.nextafter(np.float32(2), np.float32(3)))
    out = results(mesh, (1, 1, 2), 2.0, 0.0, -1.0, -9.0, np.nan, -np.inf, after, np.inf)[:5]
    assert not out[:, :6].any()
    assert (out[:, 6:, 0] == 1).all()
    assert (out[:, 6:, 2] == 1).all()
    np.testing.assert_allclose(out[:, 6:, 3:], np.full((5, 2, 2), 1 / 3), atol=1e-6)
    assert (np.abs(out[[0, 2, 3, 4], 6:, 1]) == 1).all()
    assert (out[1, :, 1] == 0).all()
    # On the surface.
    out = results(mesh, (1, 1, 0), 0.0, -1.0, 1e-30, np.inf)[:5]
    assert not out[:, :2].any()
    assert (out[:, 2:, 0] == 1).all()
    for p in ((np.nan, 1, 1), (1, np.nan, 1), (1, 1, np.nan)):
        assert not results(mesh, p, 1.0, np.inf, 0.0).any()


def test_the_furthest_point_is_farther_than_its_limit() -> None:
    mesh = built(np.array([[0, 0, 0], [3, 0, 0], [0, 1, 0]], np.float32), np.array([[0, 1, 2]], np.int32))
    before = float(np.nextafter(np.float32(5), np.float32(4)))
    # The corner (3, 0, 0) is 5 away.
    out = results(mesh, (0, 0, 4), before, 0.0, -3.0, 5.0, 6.0, np.inf, np.nan)[5]
    assert out[:3].tolist() == [[1, 0, 0, 0, 1]] * 3
    assert not out[3:].any()


def test_older_forms_have_the_same_options() -> None:
    """They may be left out; and variables keep what they hold where nothing is found."""

    @wp.kernel
    def ask(mesh: wp.uint64, p: wp.vec3, limit: float, out: wp.array2d(dtype=float)):
        for k in range(6):
            inside, face, u, v = float(7.0), int(7), float(7.0), float(7.0)
            found = wp.bool(False)
            if k == 0:
                found = wp.mesh_query_point(mesh, p, limit, inside, face, u, v)
            elif k == 1:
                found = wp.mesh_query_point_no_sign(mesh, p, limit, face, u, v)
            elif k == 2:
                found = wp.mesh_query_point_sign_normal(mesh, p, limit, inside, face, u, v)
            elif k == 3:
                found = wp.mesh_query_point_sign_winding_number(mesh, p, limit, inside, face, u, v)
            elif k == 4:
                found = wp.mesh_query_point_sign_parity(mesh, p, limit, inside, face, u, v)
            else:
                found = wp.mesh_query_furthest_point_no_sign(mesh, p, -limit, face, u, v)
            out[k, 0] = float(found)
            out[k, 1] = inside
            out[k, 2] = float(face)
            out[k, 3] = u
            out[k, 4] = v

    mesh, p = built(CORNERS, CUBE.astype(np.int32)), (0.5, 0.25, -0.125)
    out = wp.zeros((6, 5), dtype=float)
    wp.launch(ask, dim=1, inputs=[mesh, wp.vec3(*p), 9.0], outputs=[out])
    right = results(mesh, p, 9.0)[:, 0]
    right[5] = results(mesh, p, -9.0)[5, 0]
    right[[1, 5], 1] = 7
    assert out.numpy().tolist() == right.tolist()
    wp.launch(ask, dim=1, inputs=[mesh, wp.vec3(*p), 0.1], outputs=[out])
    assert out.numpy()[:5].tolist() == [[0, 7, 7, 7, 7]] * 5
    wp.launch(ask, dim=1, inputs=[mesh, wp.vec3(*p), -9.0], outputs=[out])
    assert out.numpy().tolist() == [[0, 7, 7, 7, 7]] * 6


# Sides


@wp.kernel
def sides(
    mesh: wp.uint64, at: wp.array(dtype=wp.vec3), accuracy: float, threshold: float, samples: int, scale: float,
    epsilon: float, out: wp.array2d(dtype=float),
):  # fmt: skip
    i = wp.tid()
    out[i, 0] = wp.mesh_query_point(mesh, at[i], wp.inf).sign
    out[i, 1] = wp.mesh_query_point_sign_normal(mesh, at[i], wp.inf, epsilon).sign
    out[i, 2] = wp.mesh_query_point_sign_winding_number(mesh, at[i], wp.inf, accuracy, threshold).sign
    out[i, 3] = wp.mesh_query_point_sign_parity(mesh, at[i], wp.inf, samples, scale).sign


def ask(
    mesh: Any, at: Any, accuracy: float = 2.0, threshold: float = 0.5, samples: int = 1, scale: float = 0.1,
    epsilon: float = 1e-3,
) -> np.ndarray:  # fmt: skip
    """The sides by rays, normals, winding numbers and parity."""
    at = np.asarray(at, np.float32).reshape(-1, 3)
    out = wp.zeros((len(at), 4), dtype=float)
    given = [wp.array(at, dtype=wp.vec3), accuracy, threshold, samples, scale, epsilon]
    wp.launch(sides, dim=len(at), inputs=[mesh, *given], outputs=[out])
    return out.numpy()


def cube(without: tuple[str, ...] = (), turned: tuple[str, ...] = (), **more: Any) -> Any:
    faces = CUBE.astype(np.int32)
    for side in turned:
        faces[SIDES[side]] = faces[SIDES[side]][:, ::-1]
    kept = [k for k in range(12) if not any(k in SIDES[side] for side in without)]
    return built(CORNERS, faces[kept], **more)


def test_three_rays_vote() -> None:
    """Along the axes: one that meets nothing, or the front of a face first, says outside."""
    near = (0.1, 0.2, 0.3)
    for kind in ("without", "turned"):
        for side in SIDES:
            assert ask(cube(**{kind: (side,)}), near)[0, 0] == IN
        for pair in (("+x", "+y"), ("+y", "+z"), ("+x", "+z")):
            assert ask(cube(**{kind: pair}), near)[0, 0] == OUT
        for pair in (("-x", "-y"), ("-y", "-z"), ("-x", "+x"), ("-z", "+z")):
            assert ask(cube(**{kind: pair}), near)[0, 0] == IN
    assert ask(cube(without=("+x",), turned=("+z",)), near)[0, 0] == OUT
    # Only the first hit counts: a cube around the turned one says what it says, where rays pass it.
    faces = np.concatenate([CUBE[:, ::-1], CUBE + 8]).astype(np.int32)
    both = built(np.concatenate([CORNERS, CORNERS * 3]), faces)
    assert ask(both, [near, (2, 2, 2), (-2, 0, 0), (4, 4, 4)])[:, 0].tolist() == [OUT, IN, IN, OUT]


def test_of_a_cube_inside_out() -> None:
    out = ask(cube(turned=tuple(SIDES)), [(0.1, 0.2, 0.3), (2.5, 0.3, 0.2)])
    assert out.tolist() == [[OUT, OUT, OUT, IN], [OUT, IN, OUT, OUT]]


def test_epsilon_has_no_effect() -> None:
    points, faces = sphere(6)
    mesh, at = built(points, faces), RNG.uniform(-1.2, 1.2, (200, 3))
    first = ask(mesh, at)[:, 1]
    assert set(first) == {IN, OUT}
    for epsilon in (0.0, 1e-6, 1.0, 1e6, -1.0, np.nan, np.inf):
        assert (ask(mesh, at, epsilon=epsilon)[:, 1] == first).all()


def winding_numbers(points: np.ndarray, faces: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Sums of the solid angles of faces, in float64 (van Oosterom and Strackee, 1983)."""
    a, b, c = (points[faces[:, k]].astype(float)[None] - at.astype(float)[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    volume = (a * np.cross(b, c)).sum(-1)
    rest = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return 2 * np.arctan2(volume, rest).sum(1) / (4 * np.pi)


@pytest.mark.parametrize("winding", [True, False])
def test_winding_numbers_and_thresholds(winding: bool) -> None:
    """Inside is where they are greater: of a surface with holes, one that is doubled, and one inside out."""
    points, faces = sphere(6)
    holes = faces[RNG.random(len(faces)) > 0.2]
    at = RNG.uniform(-1.5, 1.5, (150, 3)).astype(np.float32)
    for of in (holes, np.concatenate([faces, holes]), holes[:, ::-1], faces[:, [1, 2, 0]]):
        mesh = built(points, of, support_winding_number=winding)
        right = winding_numbers(points, of, at)
        for threshold in (-0.6, -0.3, 0.2, 0.5, 0.75, 1.5, 2.5):
            # Clusters of faces are taken together.
            for accuracy, close in ((2.0, 0.03), (4.0, 0.01), (1e6, 1e-4)):
                found = ask(mesh, at, accuracy, threshold)[:, 2]
                sure = np.abs(right - threshold) > (close if winding else 1e-4)
                assert (found == np.where(right > threshold, IN, OUT))[sure].all()
                assert sure.mean() > 0.9


def test_parity_without_perturbation_is_that_of_one_ray() -> None:
    """Along (1, 1, 1), whatever the number of rays; a perturbation is at most its scale."""
    sheet = np.array([[0, 0, 3], [3, 0, 0], [0, 3, 0]], np.float32)
    mesh = built(sheet, np.array([[0, 1, 2]], np.int32))
    at = RNG.uniform(-2, 2, (300, 3)).astype(np.float32)
    # Where the ray meets the plane x + y + z = 3.
    on = at + ((3 - at.sum(1)) / 3)[:, None]
    crosses = (on > 0).all(1) & (at.sum(1) < 3)
    sure = (np.abs(on) > 1e-3).all(1)
    assert 0.1 < crosses.mean() < 0.9
    for samples in (1, 2, 5):
        found = ask(mesh, at, samples=samples, scale=0.0)[:, 3]
        assert (found == np.where(crosses, IN, OUT))[sure].all()
    # From (-1, -1, -1) + t (1 + x, 1 + y, 1 + z), with x, y, z in +-0.5, all rays meet a sheet that is wide enough.
    wide = built(sheet * np.float32(9) - np.float32(5), np.array([[0, 1, 2]], np.int32))
    assert (ask(wide, [(-1, -1, -1)], samples=500, scale=0.5)[:, 3] == IN).all()


def test_parity_is_decided_by_half_of_the_rays() -> None:
    """A sheet that starts a little beside the middle of all rays is met by fewer, or by more, than half of them."""
    for beside, wanted in ((0.03, OUT), (-0.03, IN), (0.25, OUT), (-0.25, IN)):
        # In the plane x + y + z = 3, of the points where x - y > beside.
        a, b = np.array([1 + beside / 2, 1 - beside / 2, 1]), np.array([1, 1, -2]) * 20
        corners = np.array([a + b, a - b, a + 60 * np.array([1, -1, 0])], np.float32)
        mesh = built(corners, np.array([[0, 1, 2]], np.int32))
        for turned in (mesh, built(corners, np.array([[0, 2, 1]], np.int32))):
            assert ask(turned, (0, 0, 0), samples=2000)[0, 3] == wanted
    assert [ask(mesh, (0, 0, 0), samples=n)[0, 3] for n in (0, -1, -(2**31))] == [IN] * 3
    # A sequence of rays is always the same.
    points, faces = sphere(6)
    scattered = built(points, faces[RNG.random(len(faces)) < 0.5])
    at = RNG.uniform(-1, 1, (200, 3))
    first = ask(scattered, at, samples=3, scale=0.5)
    assert set(first[:, 3]) == {IN, OUT}
    for _ in range(2):
        assert (ask(scattered, at, samples=3, scale=0.5) == first).all()


# Ties, faces without area


def lattice(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A flat grid of squares of the side 1, from two triangles each, in any order."""
    x, y = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    points = np.stack([x, y, 0 * x], -1).reshape(-1, 3).astype(np.float32)
    here = (x * (n + 1) + y)[:-1, :-1].ravel()
    faces = [np.stack([here, here + n + 1, here + n + 2], -1), np.stack([here, here + n + 2, here + 1], -1)]
    return points, RNG.permutation(np.concatenate(faces)).astype(np.int32)


def test_the_least_of_faces_that_meet() -> None:
    """Straight above corners and middles of edges, where all distances are exact."""

    @wp.kernel
    def look(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=int)):
        i = wp.tid()
        out[i, 0] = wp.mesh_query_point_no_sign(mesh, at[i], wp.inf).face
        out[i, 1] = wp.mesh_query_ray(mesh, at[i], wp.vec3(0.0, 0.0, -1.0), wp.inf).face

    points, faces = lattice(8)
    corners = points[faces]
    middles = np.concatenate([(corners[:, k] + corners[:, (k + 1) % 3]) / 2 for k in range(3)])
    at = np.concatenate([points, middles]) + np.float32([0, 0, 0.5])
    far = np.array([random_scenes.squares(corners.astype(float), p) for p in at.astype(float)])
    right = (far == 0.25).argmax(1)
    assert ((far == 0.25).sum(1) > 1).mean() > 0.8
    for of, order in ((faces, np.arange(len(faces))), (faces[::-1].copy(), np.arange(len(faces))[::-1])):
        out = wp.zeros((len(at), 2), dtype=int)
        wp.launch(look, dim=len(at), inputs=[built(points, of), wp.array(at, dtype=wp.vec3)], outputs=[out])
        expected = right if of is faces else (far[:, order] == 0.25).argmax(1)
        assert (out.numpy() == expected[:, None]).all()


def test_of_faces_without_area_the_longest_edge_counts() -> None:
    line = np.array([[0, 0, 0], [4, 0, 0], [1, 0, 0]], np.float32)
    for turn in ([0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
        mesh = built(line[turn], np.array([[0, 1, 2]], np.int32))
        for p, place in (((2, 3, 0), (2, 0, 0)), ((-1, 0, 1), (0, 0, 0)), ((9, 1, 1), (4, 0, 0)), ((0.5, 1, 0), 0)):
            found, *_, u, v = results(mesh, p, np.inf)[1, 0]
            assert found == 1
            weights = np.array([u, v, 1 - u - v])
            assert ((weights >= 0) & (weights <= 1)).all()
            np.testing.assert_allclose(weights @ line[turn], place if place else (0.5, 0, 0), atol=1e-6)


# Gradients


def test_gradients_of_distances_are_exact_on_faces_edges_and_corners() -> None:
    """By a corner: its weight times the direction from the point; by the point: the opposite of the sum."""

    @wp.kernel
    def measure(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), kind: int, out: wp.array(dtype=float)):
        i = wp.tid()
        q = query(mesh, kind, at[i], wp.where(kind == 5, 0.0, wp.inf))
        out[i] = wp.length(wp.mesh_eval_position(mesh, q.face, q.u, q.v) - at[i])

    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 2, 1]], np.float32)
    normal = np.cross(corners[1], corners[2]) / np.linalg.norm(np.cross(corners[1], corners[2]))
    inner = np.array([0.2, 0.3, 0.5]) @ corners
    cases = [(inner + 2 * normal, (0.2, 0.3, 0.5)), (inner - 3 * normal, (0.2, 0.3, 0.5))]
    cases += [((1, -2, 0.5), (0.75, 0.25, 0)), ((-1, -1, -1), (1, 0, 0)), ((7, -1, 0.5), (0, 1, 0))]
    cases += [((-0.5, 3, 2), (0, 0, 1))]
    for p, weights in cases:
        far = int(np.linalg.norm(corners - p, axis=1).argmax())
        for kind in range(6):
            if kind == 5:
                weights = np.eye(3)[far]
            mesh = built(corners, np.array([[0, 1, 2]], np.int32), True)
            at = wp.array([p], dtype=wp.vec3, requires_grad=True)
            out = wp.zeros(1, dtype=float, requires_grad=True)
            with wp.Tape() as tape:
                wp.launch(measure, dim=1, inputs=[mesh, at, kind], outputs=[out])
            tape.backward(grads={out: wp.full(1, 2.0, dtype=float)})
            away = np.asarray(weights) @ corners - p
            direction = 2 * away / np.linalg.norm(away)
            assert out.numpy()[0] == pytest.approx(np.linalg.norm(away), rel=1e-5)
            np.testing.assert_allclose(at.grad.numpy()[0], -direction, atol=1e-4)
            np.testing.assert_allclose(mesh.points.grad.numpy(), np.outer(weights, direction), atol=1e-4)


def test_gradients_of_the_place_are_those_of_a_projection() -> None:
    """To the plane of a face, the line of an edge, or a corner."""

    @wp.kernel
    def place(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), by: wp.vec3, out: wp.array(dtype=float)):
        q = wp.mesh_query_point_no_sign(mesh, at[0], wp.inf)
        out[0] = wp.dot(by, wp.mesh_eval_position(mesh, q.face, q.u, q.v))

    mesh = built(np.array([[0, 0, 0], [4, 0, 0], [0, 2, 0]], np.float32), np.array([[0, 1, 2]], np.int32))
    by = np.array([3.0, 5.0, 7.0])
    for p, kept in (((0.5, 0.5, 2), (1, 1, 0)), ((1, -2, 0.5), (1, 0, 0)), ((-1, -1, 3), (0, 0, 0))):
        at, out = wp.array([p], dtype=wp.vec3, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(place, dim=1, inputs=[mesh, at, wp.vec3(*by)], outputs=[out])
        tape.backward(out)
        np.testing.assert_allclose(at.grad.numpy()[0], by * kept, atol=1e-5)
