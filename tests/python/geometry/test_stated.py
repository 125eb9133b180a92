"""What docs/meshes.md and docs/trees.md state of odd cases, where no other test says it."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp.examples.geometry import _shapes

RNG = np.random.default_rng(5)


@wp.kernel
def sides(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=float)):
    i = wp.tid()
    out[i, 0] = wp.mesh_query_point(mesh, at[i], 100.0).sign
    out[i, 1] = wp.mesh_query_point_sign_normal(mesh, at[i], 100.0).sign
    out[i, 2] = wp.mesh_query_point_sign_winding_number(mesh, at[i], 100.0).sign
    out[i, 3] = wp.mesh_query_point_sign_parity(mesh, at[i], 100.0, 3).sign


RAYS, NORMAL, WINDING, PARITY = range(4)


@pytest.mark.parametrize(
    ("change", "right"),
    [
        ("none", [RAYS, NORMAL, WINDING, PARITY]),
        ("turned anyhow", [PARITY]),
        ("holes", [NORMAL, WINDING]),
        ("doubled", [RAYS, NORMAL, WINDING]),
    ],
)
def test_which_side_serves_which_surface(change: str, right: list[int]) -> None:
    points, faces = _shapes.ball(3)
    some = RNG.random(len(faces)) < (0.5 if change == "turned anyhow" else 0.1)
    if change == "turned anyhow":
        faces[some] = faces[some][:, ::-1]
    elif change == "holes":
        faces = faces[~some]
    elif change == "doubled":
        faces = np.concatenate([faces, faces])
    at = RNG.uniform(-1.3, 1.3, (1000, 3))
    away = np.linalg.norm(at, axis=1)
    at = at[(away < 0.9) | (away > 1.1)]
    out = wp.zeros((len(at), 4), dtype=float)
    wp.launch(sides, dim=len(at), inputs=[_shapes.mesh(points, faces), wp.array(at, dtype=wp.vec3)], outputs=[out])
    expected = np.where(np.linalg.norm(at, axis=1) < 1, -1, 1)
    share = (out.numpy() == expected[:, None]).mean(axis=0)
    assert (share[right] > 0.999).all(), share
    others = [k for k in range(4) if k not in right]
    assert (share[others] < 0.999).all(), share


def test_the_side_of_a_sheet_is_told_by_normals() -> None:
    at = np.linspace(-2, 2, 9)
    x, y = np.meshgrid(at, at, indexing="ij")
    mesh = _shapes.mesh(*_shapes.sheet(np.stack([x, y, 0 * x], axis=-1)))
    places = RNG.uniform(-1.5, 1.5, (200, 3))
    out = wp.zeros((200, 4), dtype=float)
    wp.launch(sides, dim=200, inputs=[mesh, wp.array(places, dtype=wp.vec3)], outputs=[out])
    assert (out.numpy()[:, NORMAL] == np.sign(places[:, 2])).all()


def test_limits_are_strict() -> None:
    @wp.kernel
    def ask(mesh: wp.uint64, p: wp.vec3, limits: wp.array(dtype=float), out: wp.array2d(dtype=int)):
        i = wp.tid()
        out[i, 0] = int(wp.mesh_query_point_no_sign(mesh, p, limits[i]).result)
        out[i, 1] = int(wp.mesh_query_ray(mesh, p, wp.vec3(0.0, 0.0, -1.0), limits[i]).result)
        out[i, 2] = int(wp.mesh_query_ray_anyhit(mesh, p, wp.vec3(0.0, 0.0, -1.0), limits[i]))

    mesh = _shapes.mesh(*_shapes.floor(0.0))
    limits = wp.array([2.0, np.nextafter(np.float32(2), np.float32(3)), -3.0, np.nan, np.inf], dtype=float)
    out = wp.zeros((5, 3), dtype=int)
    wp.launch(ask, dim=5, inputs=[mesh, wp.vec3(0.3, 0.1, 2.0), limits], outputs=[out])
    assert out.numpy().tolist() == [[0] * 3, [1] * 3, [0] * 3, [0] * 3, [1] * 3]


def test_rays_in_the_face_of_a_box_and_without_a_direction() -> None:
    @wp.kernel
    def count(tree: wp.uint64, start: wp.array(dtype=wp.vec3), dir: wp.array(dtype=wp.vec3), out: wp.array(dtype=int)):
        i = wp.tid()
        for _ in wp.bvh_query_ray(tree, start[i], dir[i]):
            out[i] += 1

    corners = [wp.array([corner], dtype=wp.vec3) for corner in ((0, 0, 0), (1, 1, 1))]
    rays = [
        ((-1, 1, 0.5), (1, 0, 0), 1),  # in the upper side
        ((-1, 0, 0), (2, 0, 0), 1),  # along an edge
        ((2, 2, -1), (-1, -1, 1), 1),  # through a corner
        ((-1, 1.001, 0.5), (1, 0, 0), 0),
        ((0.5, 0.5, 0.5), (0, 0, 0), 1),
        ((2, 0.5, 0.5), (0, 0, 0), 0),
        ((np.nan, 0.5, 0.5), (1, 0, 0), 0),
    ]
    starts, dirs = (wp.array([ray[k] for ray in rays], dtype=wp.vec3) for k in range(2))
    out = wp.zeros(len(rays), dtype=int)
    wp.launch(count, dim=len(rays), inputs=[wp.Bvh(*corners), starts, dirs], outputs=[out])
    assert out.numpy().tolist() == [expected for *_, expected in rays]


def test_boxes_are_those_of_the_last_refit() -> None:
    @wp.kernel
    def count(tree: wp.uint64, out: wp.array(dtype=int)):
        for _ in wp.bvh_query_aabb(tree, wp.vec3(-1.0), wp.vec3(2.0)):
            out[0] += 1

    low = RNG.uniform(0, 1, (50, 3)).astype(np.float32)
    lowers, uppers = wp.array(low, dtype=wp.vec3), wp.array(low + np.float32(0.1), dtype=wp.vec3)
    tree = wp.Bvh(lowers, uppers, leaf_size=8)
    lowers.fill_(9.0)
    uppers.fill_(9.0)
    found = []
    for _ in range(2):
        out = wp.zeros(1, dtype=int)
        wp.launch(count, dim=1, inputs=[tree], outputs=[out])
        found.append(int(out.numpy()[0]))
        tree.refit()
    assert found == [50, 0]
