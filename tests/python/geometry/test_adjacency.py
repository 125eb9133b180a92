"""``warp.geometry.tri_tri_adjacency`` and ``delaunay_edge_flip``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp
from warp.geometry import delaunay_edge_flip, find_triangle_neighbor_edge_index, tri_tri_adjacency


def indices_of(faces: Any) -> wp.array:
    return wp.array(np.array(faces, dtype=np.int32).reshape(-1, 3))


def grid(side: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points near those of a grid, and two triangles in each of its squares, counterclockwise."""
    at = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1).astype(float)
    at[1:-1, 1:-1] += np.random.default_rng(seed).uniform(-0.3, 0.3, (side - 2, side - 2, 2))
    a = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    faces = np.stack([a, a + side, a + side + 1, a, a + side + 1, a + 1], axis=1)
    return at.reshape(-1, 2).astype(np.float32), faces.reshape(-1, 3).astype(np.int32)


def by_brute_force(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sides: dict[frozenset[int], list[tuple[int, int]]] = {}
    for t, face in enumerate(faces.tolist()):
        for j in range(3):
            sides.setdefault(frozenset((face[(j + 1) % 3], face[(j + 2) % 3])), []).append((t, j))
    neighbors, edges = np.full_like(faces, -1), np.full_like(faces, -1)
    for found in sides.values():
        if len(found) > 1:
            for one, other in (found[:2], found[1::-1]):
                neighbors[one], edges[one] = other
    return neighbors, edges


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_are_those_of_brute_force(seed: int) -> None:
    """Of a grid whose triangles are in any order and orientation, some of them missing."""
    rng = np.random.default_rng(seed)
    faces = rng.permutation(grid(9)[1])[:100]
    faces = np.array([rng.permutation(face) for face in faces], dtype=np.int32)
    for found, expected in zip(tri_tri_adjacency(wp.array(faces)), by_brute_force(faces), strict=True):
        assert found.dtype is wp.int32
        np.testing.assert_array_equal(found.numpy(), expected)
    alone = tri_tri_adjacency(wp.array(faces), len(faces), return_neighbor_edge_indices=False)
    np.testing.assert_array_equal(alone.numpy(), by_brute_force(faces)[0])


def test_odd_triangles() -> None:
    def neighbors(faces: Any, count: int | None = None) -> list[list[int]]:
        return tri_tri_adjacency(indices_of(faces), count)[0].numpy().tolist()

    assert neighbors([]) == []
    assert neighbors([[0, 1, 2], [2, 1, 3], [2, 1, 4]]) == [[1, -1, -1], [-1, -1, 0], [-1, -1, -1]]
    assert neighbors([[0, 1, 2], [0, 1, 2]]) == [[1, 1, 1], [0, 0, 0]]
    assert neighbors([[0, 0, 1], [1, 0, 2]]) == [[-1, -1, -1], [-1, -1, -1]]
    assert neighbors([[0, 1, -1], [1, 0, 2]]) == [[-1, -1, -1], [-1, -1, -1]]
    assert neighbors([[0, 1, 7], [1, 0, 2]], 3) == [[-1, -1, -1], [-1, -1, -1]]
    assert neighbors([[0, 1, 7], [1, 0, 2]]) == [[-1, -1, 1], [-1, -1, 0]]


def test_sides_in_kernels() -> None:
    @wp.kernel
    def find(neighbors: wp.array2d[int], out: wp.array2d[int]):
        t, j = wp.tid()
        if neighbors[t, j] >= 0:
            out[t, j] = find_triangle_neighbor_edge_index(neighbors, neighbors[t, j], t)
        else:
            out[t, j] = find_triangle_neighbor_edge_index(neighbors, t, 1000)

    neighbors, edges = tri_tri_adjacency(wp.array(grid(6)[1]))
    out = wp.empty_like(neighbors)
    wp.launch(find, dim=out.shape, inputs=[neighbors, out])
    np.testing.assert_array_equal(out.numpy(), edges.numpy())


def test_graphs_record_neighbours() -> None:
    faces = wp.array(grid(6)[1])
    with wp.ScopedCapture() as capture:
        neighbors = tri_tri_adjacency(faces, return_neighbor_edge_indices=False)
    faces.assign(np.roll(faces.numpy(), 1, axis=0))
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(neighbors.numpy(), by_brute_force(faces.numpy())[0])


def areas(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    a, b, c = points.astype(float)[faces].swapaxes(0, 1)
    u, v = b - a, c - a
    return (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2


def worst_circle(points: np.ndarray, faces: np.ndarray) -> float:
    """How far any point is within the circle round a triangle, relative to its radius."""
    a, b, c = points.astype(float)[faces].swapaxes(0, 1)
    u, v = b - a, c - a
    twice = 2 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    uu, vv = (u * u).sum(1), (v * v).sum(1)
    middle = a + np.stack([v[:, 1] * uu - u[:, 1] * vv, u[:, 0] * vv - v[:, 0] * uu], axis=1) / twice[:, None]
    radius = np.linalg.norm(middle - a, axis=1)
    away = np.linalg.norm(points[None] - middle[:, None], axis=2)
    return float(((radius[:, None] - away) / radius[:, None]).max())


@pytest.mark.parametrize("seed", range(5))
def test_grids_become_delaunay(seed: int) -> None:
    points, faces = grid(20, seed)
    points[:, 0] += 0.9 * points[:, 1]  # sheared: nearly all sides are wrong
    assert worst_circle(points, faces) > 0.01
    indices = wp.array(faces)
    flipped = delaunay_edge_flip(wp.array(points, dtype=wp.vec2), indices)
    assert flipped.shape == (1,)
    assert flipped.dtype is wp.int32
    assert flipped.numpy()[0] > 100
    found = indices.numpy()
    assert worst_circle(points, found) < 1e-6
    assert (areas(points, found) > 0).all()
    assert areas(points, found).sum() == pytest.approx(areas(points, faces).sum())
    assert delaunay_edge_flip(wp.array(points, dtype=wp.vec2), indices).numpy()[0] == 0
    np.testing.assert_array_equal(indices.numpy(), found)


KITE, TWO = [[0, 0], [2, -0.3], [4, 0], [2, 0.3]], [[0, 1, 2], [0, 2, 3]]


@pytest.mark.parametrize(
    ("points", "faces", "named", "count"),
    [
        (KITE, TWO, {}, 1),
        (KITE, [[0, 1, 3], [1, 2, 3]], {}, 0),
        (KITE, [[0, 2, 1], [0, 3, 2]], {}, 0),
        (KITE, TWO, {"area_epsilon": 10.0}, 0),
        (KITE, TWO, {"area_epsilon": 0.5}, 1),
        (KITE, TWO, {"ref_positions": [[0, 0], [1, 0], [2, 0], [3, 0]]}, 0),
        (KITE, TWO, {"ref_positions": [[0, 0], [1, 0], [1, 1], [0, 1]]}, 1),
        (KITE, TWO, {"ref_positions": [[0, 0], [1, 0], [1, 1], [0, 1]], "ref_area_epsilon": 0.6}, 0),
        ([[0, 0], [1, 0], [1, 1], [0, 1]], TWO, {}, 0),
        ([[0, 0], [1, 0.1], [2, 0], [1, 2]], TWO, {}, 1),  # the first goes clockwise
        ([[0, 0], [2, 0], [0.5, 0.5], [0, 2]], TWO, {}, 0),
        (KITE, [], {}, 0),
        (KITE, [[0, 1, 2], [0, 1, 2]], {}, 0),
    ],
)
def test_two_triangles(points: Any, faces: Any, named: dict[str, Any], count: int) -> None:
    if "ref_positions" in named:
        named = {**named, "ref_positions": wp.array(named["ref_positions"], dtype=wp.vec2)}
    indices = indices_of(faces)
    assert delaunay_edge_flip(wp.array(points, dtype=wp.vec2), indices, **named).numpy()[0] == count
    if count:
        assert {frozenset(face) for face in indices.numpy().tolist()} == {frozenset((0, 1, 3)), frozenset((1, 2, 3))}
    elif len(faces):
        assert indices.numpy().tolist() == faces


def test_passes_are_limited() -> None:
    points, faces = grid(20)
    points[:, 0] += 0.9 * points[:, 1]
    indices = wp.array(faces)
    once = delaunay_edge_flip(wp.array(points, dtype=wp.vec2), indices, max_passes=1).numpy()[0]
    rest = delaunay_edge_flip(wp.array(points, dtype=wp.vec2), indices).numpy()[0]
    assert 0 < once
    assert 0 < rest


def test_wrong_arguments() -> None:
    points, indices = wp.array(KITE, dtype=wp.vec2), indices_of(TWO)
    for call, error, match in [
        (
            lambda: tri_tri_adjacency(np.zeros((1, 3), np.int32)),
            TypeError,
            r"tri_tri_adjacency: indices is ndarray, exp",
        ),
        (
            lambda: tri_tri_adjacency(wp.zeros((1, 3), dtype=wp.int64)),
            TypeError,
            r"indices holds int64, expected .*int32",
        ),
        (lambda: tri_tri_adjacency(wp.zeros(3, dtype=int)), ValueError, r"indices has 1 dimension, expected"),
        (
            lambda: tri_tri_adjacency(wp.zeros((1, 4), dtype=int)),
            ValueError,
            r"the shape \(1, 4\), expected three vert",
        ),
        (lambda: tri_tri_adjacency(indices, 2.5), TypeError, r"vertex_count is 2\.5, expected an integer"),
        (lambda: tri_tri_adjacency(indices, -1), ValueError, r"vertex_count is -1, expected 0 to"),
        (
            lambda: delaunay_edge_flip(wp.zeros(4, dtype=wp.vec3), indices),
            TypeError,
            r"positions holds vec3f, expected",
        ),
        (lambda: delaunay_edge_flip(points, indices, points[:3]), ValueError, r"ref_positions has 3 points, positions"),
        (lambda: delaunay_edge_flip(points, indices, max_passes=0), ValueError, r"max_passes is 0, expected 1 to"),
        (
            lambda: delaunay_edge_flip(points, indices, area_epsilon=-1),
            ValueError,
            r"area_epsilon is -1\.0, expected a",
        ),
        (lambda: delaunay_edge_flip(points, indices, ref_area_epsilon=None), TypeError, r"ref_area_epsilon is None"),
    ]:
        with pytest.raises(error, match=match):
            call()
    with pytest.raises(RuntimeError, match=r"delaunay_edge_flip: a graph is being captured"), wp.ScopedCapture():
        delaunay_edge_flip(points, indices)
    assert indices.numpy().tolist() == TWO
