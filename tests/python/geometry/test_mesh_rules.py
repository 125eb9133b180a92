"""``wp.Mesh``: sides, rays and values in odd cases, the older forms of all queries, what meshes say of themselves."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import warp as wp

from .meshes import built, sphere

RNG = np.random.default_rng(37)

CORNERS = np.array(list(np.ndindex(2, 2, 2)), np.float32) * 2 - 1
#: Two triangles a side, seen counterclockwise from outside.
CUBE = np.array(
    [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3],
    np.int32,
).reshape(12, 3)


@wp.kernel
def sides(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), samples: int, out: wp.array2d(dtype=float)):
    i = wp.tid()
    far = float(100.0)
    out[i, 0] = wp.mesh_query_point(mesh, at[i], far).sign
    out[i, 1] = wp.mesh_query_point_sign_normal(mesh, at[i], far, 1.0e-3).sign
    out[i, 2] = wp.mesh_query_point_sign_winding_number(mesh, at[i], far, 2.0, 0.5).sign
    out[i, 3] = wp.mesh_query_point_sign_parity(mesh, at[i], far, samples, 0.1).sign


def ask_sides(mesh: Any, *at: Any, samples: int = 1) -> list[list[float]]:
    out = wp.zeros((len(at), 4), dtype=float)
    wp.launch(sides, dim=len(at), inputs=[mesh, wp.array(at, dtype=wp.vec3), samples, out])
    return out.numpy().tolist()


IN, OUT, NONE = -1.0, 1.0, 0.0


@pytest.mark.parametrize("winding", [True, False])
def test_points_on_the_surface_are_outside(winding: bool) -> None:
    """By normals; and by winding numbers of a half, those in the middle of a face. Rounding does not decide."""
    points, faces = sphere(8, 0.05)
    # Thirds of edges and middles of faces are multiples of 1 / 256: exactly on the surface.
    points = np.round(points * 85).astype(np.float32) * np.float32(3 / 256)
    a, b, c = (points[faces[:, k]] for k in range(3))
    at = np.concatenate([points, (2 * a + b) / 3, (a + b + c) / 3])
    assert (at * 256 == np.round(at * 256)).all()
    mesh = built(points, faces, support_winding_number=winding)
    found = np.array(ask_sides(mesh, *at))
    np.testing.assert_array_equal(found[:, 1], OUT)
    # Moments of faces far away give a number near a half.
    if not winding:
        np.testing.assert_array_equal(found[-len(faces) :, 2], OUT)
    np.testing.assert_array_equal(np.array(ask_sides(mesh, *(at * 0.97)))[:, 1:3], IN)


@pytest.mark.parametrize("winding", [True, False])
def test_sides_of_odd_cubes(winding: bool) -> None:
    def cube(faces: np.ndarray) -> Any:
        return built(CORNERS, faces, support_winding_number=winding)

    near, away = (0.1, 0.2, 0.3), (2.5, 0.3, 0.2)
    assert ask_sides(cube(CUBE), near, away) == [[IN] * 4, [OUT] * 4]
    # Inside out: the parity does not care.
    inside_out = ask_sides(cube(CUBE[:, ::-1]), near, away)
    assert inside_out[0] == [OUT, OUT, OUT, IN]
    assert inside_out[1][3] == OUT
    # Without one side, near the middle.
    assert ask_sides(cube(CUBE[2:]), (0.3, 0.1, 0.2)) == [[IN] * 4]
    # Each face twice: rays cross an even number.
    assert ask_sides(cube(np.concatenate([CUBE, CUBE])), near)[0][2:] == [IN, OUT]
    # No rays: inside.
    assert [ask_sides(cube(CUBE), away, samples=n)[0][3] for n in (0, -2)] == [IN, IN]
    nowhere = ask_sides(cube(CUBE), (np.nan, 0, 0))
    assert nowhere == [[NONE] * 4]


def test_sides_of_a_mesh_with_groups() -> None:
    """Whatever the groups of faces are: sides are those of the whole mesh, also after a refit."""
    for groups in (np.arange(12) % 5, np.arange(12), np.full(12, -3)):
        given = wp.array(groups.astype(np.int32))
        mesh = built(CORNERS, CUBE, support_winding_number=True, groups=given)
        for _ in range(2):
            assert ask_sides(mesh, (0.1, 0.2, 0.3), (2.5, 0.3, 0.2), samples=3) == [[IN] * 4, [OUT] * 4]
            mesh.points.assign(CORNERS * np.float32(1.5))
            mesh.refit()


def test_sides_where_coordinates_are_those_of_corners() -> None:
    """Rays along axes that leave through edges and corners, and lie in faces of the box around the mesh."""
    mesh = built(CORNERS, CUBE)
    at = [p for p in np.ndindex(5, 5, 5) if max(abs(x - 2) for x in p) != 1]
    found = np.array(ask_sides(mesh, *(np.array(at, np.float32) - 2), samples=3))
    right = [IN if max(abs(x - 2) for x in p) < 1 else OUT for p in at]
    assert (found == np.array(right)[:, None]).all()


@wp.kernel
def cast(
    mesh: wp.uint64,
    start: wp.array(dtype=wp.vec3),
    dir: wp.array(dtype=wp.vec3),
    far: float,
    out: wp.array2d(dtype=float),
    normals: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    q = wp.mesh_query_ray(mesh, start[i], dir[i], far)
    out[i, 0] = float(q.result)
    out[i, 1] = q.t
    out[i, 2] = float(q.face)
    out[i, 3] = q.sign
    out[i, 4] = q.u
    out[i, 5] = q.v
    normals[i] = q.normal
    out[i, 6] = float(wp.mesh_query_ray_anyhit(mesh, start[i], dir[i], far))
    out[i, 7] = float(wp.mesh_query_ray_count_intersections(mesh, start[i], dir[i]))


def ask_rays(mesh: Any, *rays: Any, far: float = 100.0) -> tuple[np.ndarray, np.ndarray]:
    out, normals = wp.zeros((len(rays), 8), dtype=float), wp.zeros(len(rays), dtype=wp.vec3)
    starts, dirs = (wp.array([ray[k] for ray in rays], dtype=wp.vec3) for k in range(2))
    wp.launch(cast, dim=len(rays), inputs=[mesh, starts, dirs, far, out, normals])
    return out.numpy(), normals.numpy()


def test_what_a_ray_says() -> None:
    mesh = built(CORNERS, CUBE)
    rays = [
        ((0.2, 0.3, 5), (0, 0, -1)),  # from outside
        ((0.2, 0.3, 5), (0, 0, -2)),  # in lengths of its direction
        ((0.2, 0.3, 0), (0, 0, 1)),  # from inside: the normal stays, the sign says so
        ((0.2, 0.3, 1), (0, 0, -1)),  # begins on the surface
        ((3, 3, 3), (0, 0, 1)),
        ((0, 0, 0), (0, 0, 0)),
        ((0, 0, 0), (0, np.nan, 1)),
        ((np.nan, 0, 0), (0, 0, 1)),
    ]
    out, normals = ask_rays(mesh, *rays)
    assert out[:4, :2].tolist() == [[1, 4], [1, 2], [1, 1], [1, 0]]
    assert out[:4, 3].tolist() == [1, 1, -1, 1]
    assert normals[:4].tolist() == [[0, 0, 1]] * 4
    assert out[:4, 7].tolist() == [2, 2, 1, 2]
    assert not out[4:].any()
    assert not normals[4:].any()
    assert not ask_rays(mesh, rays[0], far=4.0)[0][0, [0, 6]].any()
    assert ask_rays(mesh, rays[0], far=4.001)[0][0, [0, 6]].all()


def test_rays_through_edges_count_each_side_once() -> None:
    mesh = built(CORNERS, CUBE)
    steps = np.linspace(-0.9, 0.9, 7)
    # Along the diagonals of two sides, and through corners and edges where they stand across the ray.
    rays = [((x, x, 5), (0, 0, -1)) for x in steps] + [((x, -x, 5), (0, 0, -1)) for x in steps]
    rays += [((x + 3, 3, 0), (-1, -1, 0)) for x in (0, 0.5)] + [((3, 3, 3), (-1, -1, -1)), ((-3, 3, -3), (1, -1, 1))]
    out, _ = ask_rays(mesh, *rays)
    assert out[:, [0, 6]].all()
    assert (out[:, 7] == 2).all()


def test_rays_meet_the_border_of_a_sheet() -> None:
    """On its edges and corners, too: with the side of its box, a ray that does not lean never leaves it."""
    points = np.array([[1, 0, 1], [2, 0, 1], [2, 2, 1], [1, 2, 1], [0, 0, 0]], np.float32)
    mesh = built(points, np.array([[0, 1, 2], [0, 2, 3]], np.int32))
    places = [(x, y) for x in (1, 1.5, 2) for y in (0, 0.5, 2)]
    for up in (1, -1):
        out, _ = ask_rays(mesh, *(((x, y, 1 - 2 * up), (0, 0, up)) for x, y in places))
        assert (out[:, 0] == 1).all()
        assert (out[:, 1] == 2).all()
        assert (out[:, 6] == 1).all()
        outside = [(np.nextafter(np.float32(2), np.float32(3)), 1), (0.999, 1), (1.5, -1e-30), (1.5, 2.001)]
        out, _ = ask_rays(mesh, *(((x, y, 1 - 2 * up), (0, 0, up)) for x, y in outside))
        assert not out.any()


@wp.kernel
def values(mesh: wp.uint64, out: wp.array(dtype=wp.vec3), number: wp.array(dtype=int)):
    out[0] = wp.mesh_eval_position(mesh, 1, 0.25, 0.5)
    out[1] = wp.mesh_eval_velocity(mesh, 1, 0.25, 0.5)
    out[2] = wp.mesh_eval_face_normal(mesh, 1)
    out[3] = wp.mesh_get_point(mesh, 4)
    out[4] = wp.mesh_get_velocity(mesh, 4)
    number[0] = wp.mesh_get_index(mesh, 4)
    m = wp.mesh_get(mesh)
    number[1] = m.indices.shape[0]
    number[2] = m.points.shape[0]
    number[3] = 0
    if m.velocities:
        number[3] = 1


def test_values_of_faces() -> None:
    points, faces = sphere(4)
    speeds = RNG.normal(size=points.shape).astype(np.float32)
    out, number = wp.zeros(5, dtype=wp.vec3), wp.zeros(4, dtype=int)
    a, b, c = points[faces[1]].astype(float)
    normal = np.cross(b - a, c - a)
    weights = np.array([0.25, 0.5, 0.25])
    corner = faces[1, 1]
    for given in (wp.array(speeds, dtype=wp.vec3), None):
        mesh = built(points, faces, velocities=given)
        wp.launch(values, dim=1, inputs=[mesh, out, number])
        speed = speeds if given is not None else 0 * speeds
        right = [weights @ points[faces[1]], weights @ speed[faces[1]], normal / np.linalg.norm(normal)]
        np.testing.assert_allclose(out.numpy(), [*right, points[corner], speed[corner]], atol=1e-6)
        assert number.numpy().tolist() == [corner, faces.size, len(points), int(given is not None)]


def test_places_near_with_odd_limits() -> None:
    @wp.kernel
    def near(mesh: wp.uint64, low: wp.vec3, high: wp.vec3, r: float, out: wp.array2d(dtype=int)):
        q = wp.mesh_query_aabb(mesh, low, high)
        if r >= 0.0:
            q = wp.mesh_query_sphere(mesh, low, r)
        f = int(0)
        while wp.mesh_query_next(q, f):
            out[0, f] += 1
        for f in wp.mesh_query_sphere(mesh, low, r):
            out[1, f] += 1

    mesh = built(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32), np.array([[0, 1, 2]], np.int32))
    cases = [
        ((1, 1, 0), (2, 2, 0), -1.0, [1, 0]),  # boxes touch
        ((0.2, 0.2, 1), (9, 9, 9), 1.0, [1, 1]),  # tangent
        ((0.2, 0.2, 1), (9, 9, 9), 0.999, [0, 0]),
        ((0.25, 0.25, 0), (9, 9, 9), -3.0, [1, 1]),  # a radius below 0 is 0
        ((np.nan, 0, 0), (1, 1, 1), -1.0, [0, 0]),
        ((0, 0, 0), (1, np.nan, 1), -1.0, [0, 1]),
        ((0.2, 0.2, 0), (9, 9, 9), np.nan, [1, 0]),
    ]
    for low, high, r, wanted in cases:
        out = wp.zeros((2, 1), dtype=int)
        wp.launch(near, dim=1, inputs=[mesh, wp.vec3(*low), wp.vec3(*high), r, out])
        assert out.numpy()[:, 0].tolist() == wanted, (low, high, r)


def test_the_older_form_of_every_query() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, p: wp.vec3, out: wp.array2d(dtype=float)):
        inside = float(0.0)
        face = int(-1)
        u = float(0.0)
        v = float(0.0)
        found = wp.bool(False)
        for k in range(6):
            inside = 0.0
            if k == 0:
                found = wp.mesh_query_point(mesh, p, 10.0, inside, face, u, v)
            elif k == 1:
                found = wp.mesh_query_point_sign_normal(mesh, p, 10.0, inside, face, u, v, 1.0e-3)
            elif k == 2:
                found = wp.mesh_query_point_sign_winding_number(mesh, p, 10.0, inside, face, u, v, 2.0, 0.5)
            elif k == 3:
                found = wp.mesh_query_point_sign_parity(mesh, p, 10.0, inside, face, u, v, 3, 0.1)
            elif k == 4:
                found = wp.mesh_query_point_no_sign(mesh, p, 10.0, face, u, v)
            else:
                found = wp.mesh_query_furthest_point_no_sign(mesh, p, 0.0, face, u, v)
            out[k, 0] = float(found)
            out[k, 1] = inside
            out[k, 2] = wp.length(wp.mesh_eval_position(mesh, face, u, v) - p)

    out = wp.zeros((6, 3), dtype=float)
    wp.launch(ask, dim=1, inputs=[built(CORNERS, CUBE), wp.vec3(0.2, 0.0, 0.3), out])
    far = np.linalg.norm([1.2, 1.0, 1.3])
    right = [[1, -1, 0.7]] * 4 + [[1, 0, 0.7], [1, 0, far]]
    np.testing.assert_allclose(out.numpy(), right, atol=1e-6)


@wp.func
def height_of(q: wp.MeshQueryPoint) -> float:
    return q.u + 2.0 * q.v


@wp.func
def seen_by(q: wp.MeshQueryRay) -> float:
    return q.t


@wp.func
def faces_in(q: wp.MeshQueryAABB) -> int:
    n, face = int(0), int(0)
    while wp.mesh_query_aabb_next(q, face):
        n += 1
    return n


@wp.func
def faces_of(q: wp.MeshQuery) -> int:
    n, face = int(0), int(0)
    while wp.mesh_query_next(q, face):
        n += 1
    return n


@wp.func
def closest_to(mesh: wp.uint64, p: wp.vec3, reach: float) -> wp.MeshQueryPoint:
    return wp.mesh_query_point(mesh, p, reach)


def test_queries_and_results_as_parameters() -> None:
    """Functions take and return them by the names of their types; where nothing is found, all fields are zero."""

    @wp.kernel
    def ask(mesh: wp.uint64, p: wp.vec3, out: wp.array(dtype=float)):
        out[0] = height_of(closest_to(mesh, p, 10.0))
        out[1] = seen_by(wp.mesh_query_ray(mesh, p, wp.vec3(0.0, 0.0, -0.5), 10.0))
        out[2] = float(faces_in(wp.mesh_query_aabb(mesh, wp.vec3(-1.0), wp.vec3(1.0))))
        out[3] = float(faces_of(wp.mesh_query_sphere(mesh, wp.vec3(0.0), 0.5)))
        none = closest_to(mesh, p, 0.5)
        out[4] = float(none.result)
        out[5] = none.sign
        out[6] = float(none.face)
        out[7] = none.u
        out[8] = none.v

    points = np.array([[9, 9, 9], [9, 8, 9], [8, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    mesh = built(points, np.arange(6).reshape(2, 3).astype(np.int32))
    out = wp.full(9, 7.0, dtype=float)
    wp.launch(ask, 1, inputs=[mesh, wp.vec3(0.25, 0.5, 1.0), out])
    assert out.numpy().tolist() == [0.25 + 2 * 0.25, 2, 1, 1, 0, 0, 0, 0, 0]


def test_roots_of_rays() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, root: wp.array(dtype=int), out: wp.array2d(dtype=int)):
        i = wp.tid()
        start, along = wp.vec3(0.2, 0.2, 9.0), wp.vec3(0.0, 0.0, -1.0)
        out[i, 0] = wp.where(wp.mesh_query_ray_anyhit(mesh, start, along, 99.0, root[i]), 1, 0)
        out[i, 1] = wp.mesh_query_ray_count_intersections(mesh, start, along, root[i])
        hit = wp.mesh_query_ray(mesh, start, along, 99.0, root[i])
        out[i, 2] = wp.where(hit.result, hit.face, -1)

    @wp.kernel
    def roots_of(mesh: wp.uint64, groups: wp.array(dtype=int), out: wp.array(dtype=int)):
        i = wp.tid()
        out[i] = wp.mesh_get_group_root(mesh, groups[i])

    points = np.array(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1], [5, 0, 2], [6, 0, 2], [5, 1, 2]]
    )
    mesh = built(points.astype(np.float32), np.arange(9).reshape(3, 3), groups=wp.array([4, 6, 8], dtype=int))
    roots = wp.zeros(4, dtype=int)
    wp.launch(roots_of, 4, inputs=[mesh, wp.array([4, 6, 8, 9], dtype=int)], outputs=[roots])
    assert roots.list()[3] == -1
    asked = [*roots.list(), -2, -(2**31), 1000]
    out = wp.zeros((len(asked), 3), dtype=int)
    wp.launch(ask, len(asked), inputs=[mesh, wp.array(asked, dtype=int)], outputs=[out])
    nothing = [0, 0, -1]
    assert out.numpy().tolist() == [[1, 1, 0], [1, 1, 1], nothing, [1, 2, 1], nothing, nothing, nothing]
    with pytest.raises(RuntimeError, match="groups is an array of float32"):
        wp.Mesh(mesh.points, mesh.indices, groups=wp.zeros(3))


def test_a_mesh_is_itself() -> None:
    mesh = built(CORNERS, CUBE, groups=wp.zeros(12, dtype=int), bvh_leaf_size=1, bvh_constructor="Median")
    other = copy.copy(mesh)
    assert mesh == mesh
    assert mesh != other
    assert len({mesh, other, mesh}) == 2
    assert mesh.device == wp.get_device("cpu")
    assert mesh.groups.size == 12
    assert mesh.indices.size == 36
    assert mesh.velocities is None
    assert mesh.support_winding_number is False
    with pytest.raises(AttributeError):
        mesh.id = 3
    with pytest.raises(TypeError, match="points is NoneType"):
        mesh.points = None
    with pytest.raises(RuntimeError, match="float64"):
        mesh.points = wp.zeros(8, dtype=wp.vec3d)
    with pytest.raises(ValueError, match="indices has the shape"):
        wp.Mesh(mesh.points, mesh.indices.reshape((12, 3)))
    assert wp.Mesh(mesh.points.reshape((2, 4)), mesh.indices).points.shape == (2, 4)


def test_queries_before_a_refit_read_points_of_today() -> None:
    """Values of a face are those of the points as they are; which face is found, those of the last refit."""
    mesh = built(CORNERS, CUBE)
    mesh.points.assign(CORNERS * np.float32(2))
    out, number = wp.zeros(5, dtype=wp.vec3), wp.zeros(4, dtype=int)
    wp.launch(values, dim=1, inputs=[mesh, out, number])
    assert out.numpy()[3].tolist() == (2 * CORNERS[CUBE[1, 1]]).tolist()
    ray = ((0.2, 0.3, 5), (0, 0, -1))
    assert ask_rays(mesh, ray)[0][0, 2] == ask_rays(built(CORNERS, CUBE), ray)[0][0, 2]
    mesh.refit()
    assert ask_rays(mesh, ray)[0][0, 1] == 3
