"""``warp.geometry.sparse_marching_cubes`` and what it is made of: the surface of the whole grid, from fewer values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp
from warp.geometry import (
    IsoSurfaceMarchingCubes,
    lipschitz_octree,
    sparse_marching_cubes,
    sparse_marching_cubes_from_cells,
)

from .surfaces import is_manifold, noise, triangles, volume


@wp.kernel
def torus(points: wp.array[wp.vec3], radii: wp.array[float], values: wp.array[float]):
    n = wp.tid()
    p = points[n]
    q = wp.length(wp.vec2(p[0], p[1])) - radii[0]
    values[n] = wp.length(wp.vec2(q, p[2])) - radii[1]


class Torus:
    """The distance to a torus, at points."""

    def __init__(self) -> None:
        self.radii = wp.array([0.6, 0.25], dtype=float, requires_grad=True)
        self.seen = 0

    def __call__(self, points: Any) -> Any:
        self.seen += len(points)
        values = wp.empty(len(points), dtype=float, requires_grad=True)
        wp.launch(torus, dim=len(points), inputs=[points, self.radii], outputs=[values])
        return values


def corners_of_triangles(surface: tuple[Any, Any]) -> np.ndarray:
    """Each triangle as the coordinates of its corners, beginning with the least, in order."""
    verts, faces = triangles(surface)
    return np.array(sorted(min([a, b, c], [b, c, a], [c, a, b]) for a, b, c in verts[faces].tolist()))


def assert_same(found: tuple[Any, Any], expected: tuple[Any, Any], atol: float) -> None:
    """Equal triangles in any order, beginning with any corner; coordinates may be rounded otherwise."""
    (verts, faces), (whole, others) = (triangles(surface) for surface in (found, expected))
    assert faces.shape == others.shape
    one, other = verts[faces].astype(float), whole[others].astype(float)
    middles = other.mean(1)
    nearest = np.array([int(np.abs(middles - middle).sum(1).argmin()) for middle in one.mean(1)])
    assert len(np.unique(nearest)) == len(nearest)
    turned = [np.abs(one - np.roll(other[nearest], turn, axis=1)).max((1, 2)) for turn in range(3)]
    assert np.min(turned, axis=0).max() < atol


BOX = {"lower": (-1.0, -1.1, -0.5), "upper": (1.0, 0.9, 0.6)}


@pytest.mark.parametrize("nodes", [(33, 33, 33), (20, 41, 18), (30, 7, 5)])
@pytest.mark.parametrize("threshold", [0.0, 0.1])
def test_the_surface_is_that_of_the_whole_grid(nodes: tuple[int, int, int], threshold: float) -> None:
    field = Torus()
    found = sparse_marching_cubes(field, *nodes, **BOX, threshold=threshold)
    seen = field.seen
    axes = [np.linspace(a, b, n) for a, b, n in zip(*BOX.values(), nodes, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    values = field(wp.array(points, dtype=wp.vec3)).reshape(nodes)
    whole = IsoSurfaceMarchingCubes.extract(values, threshold, **BOX)
    assert len(found[0]) == len(whole[0])
    assert_same(found, whole, 1e-5)
    if min(nodes) > 30 and threshold == 0.0:  # the other one leaves the grid
        assert seen < len(points)
        assert is_manifold(triangles(found)[1])


def test_counts() -> None:
    field = Torus()
    verts, indices, counts = sparse_marching_cubes(field, 33, 33, 20, return_stats=True, **BOX)
    assert len(verts)
    assert len(indices)
    assert counts["resolution"] == 32
    assert counts["requested_ncells"] == (32, 32, 19)
    assert counts["field_evaluations"] == field.seen
    assert counts["leaf_cells"] < counts["unique_corners"] < field.seen
    assert counts["culled_cells"] > 0


def test_gradients_reach_what_the_field_depends_on() -> None:
    """The volume within a torus, 2 pi^2 R r^2, by its radii. What the octree evaluates is not on the tape."""

    @wp.kernel
    def enclose(verts: wp.array[wp.vec3], indices: wp.array[int], total: wp.array[float]):
        t = 3 * wp.tid()
        a, b, c = verts[indices[t]], verts[indices[t + 1]], verts[indices[t + 2]]
        wp.atomic_add(total, 0, wp.dot(a, wp.cross(b, c)) / 6.0)

    field, total = Torus(), wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        verts, indices = sparse_marching_cubes(field, 65, 65, 65, lower=(-1, -1, -1), upper=(1, 1, 1))
        wp.launch(enclose, dim=len(indices) // 3, inputs=[verts, indices], outputs=[total])
    assert len(tape.launches) == 4
    tape.backward(total)
    assert total.numpy()[0] == pytest.approx(2 * np.pi**2 * 0.6 * 0.25**2, rel=0.01)
    np.testing.assert_allclose(field.radii.grad.numpy(), 2 * np.pi**2 * np.array([0.0625, 0.3]), rtol=0.02)


def test_errors_of_the_field_arrive_under_a_tape() -> None:
    def broken(points: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), wp.Tape():
        sparse_marching_cubes(broken, 5, 5, 5)


def test_the_octree_keeps_what_may_have_the_surface() -> None:
    def sphere(points: Any) -> Any:
        return wp.array(np.linalg.norm(points.numpy(), axis=1) - 0.5, dtype=float)

    for depth in range(5):
        cells, width = lipschitz_octree(sphere, (-1, -1, -1), 2.0, depth)
        assert cells.dtype is wp.vec3i
        assert width == 2.0 / (1 << depth)
        at = np.stack(np.meshgrid(*[np.arange(1 << depth)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        away = np.abs(np.linalg.norm(-1 + (at + 0.5) * width, axis=1) - 0.5)
        expected = at[away <= np.sqrt(3) / 2 * width]
        assert sorted(cells.numpy().tolist()) == sorted(expected.tolist())
    more, _ = lipschitz_octree(sphere, (-1, -1, -1), 2.0, 4, lipschitz_bound=3.0)
    assert len(more) > len(lipschitz_octree(sphere, (-1, -1, -1), 2.0, 4)[0])
    assert len(lipschitz_octree(sphere, (-1, -1, -1), 2.0, 4, threshold=10.0)[0]) == 0


def cells_and_corners(field: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cells = np.array(list(np.ndindex(*(n - 1 for n in field.shape))), dtype=np.int32)
    offsets = np.array(IsoSurfaceMarchingCubes.CUBE_CORNER_OFFSETS)
    return cells, field[tuple((cells[:, None] + offsets).transpose(2, 0, 1))]


@pytest.mark.parametrize("seed", range(5))
def test_cells_give_the_surface_of_the_grid(seed: int) -> None:
    field = noise(seed, (6, 7, 8), whole=seed % 2 == 1)
    field[2, 3, 4] = np.nan if seed == 4 else field[2, 3, 4]
    cells, corners = cells_and_corners(field)
    whole = IsoSurfaceMarchingCubes.extract(wp.array(field))
    mixed = np.random.default_rng(seed).permutation(len(cells))
    for shift in (0, -1000):
        found = sparse_marching_cubes_from_cells(cells[mixed] + shift, corners[mixed], origin=(-shift,) * 3)
        if seed % 2 == 1:  # many triangles without area, whose numbers are exact
            np.testing.assert_allclose(corners_of_triangles(found), corners_of_triangles(whole), atol=1e-4)
        else:
            assert_same(found, whole, 2e-4)
    if seed < 4:
        assert len(found[0]) == len(whole[0])
        assert is_manifold(triangles(found)[1])


def test_gradients_to_corners() -> None:
    field = noise(7, (4, 4, 5))
    cells, corners = cells_and_corners(field)
    given = wp.array(corners, requires_grad=True)
    with wp.Tape() as tape:
        verts, _ = sparse_marching_cubes_from_cells(wp.array(cells), given, cell_width=0.5)
    weights = np.random.default_rng(8).normal(size=(len(verts), 3))
    tape.backward(grads={verts: wp.array(weights, dtype=wp.vec3)})
    dense = wp.array(field, requires_grad=True)
    with wp.Tape() as tape:
        whole, _ = IsoSurfaceMarchingCubes.extract(dense, upper=np.array([3, 3, 4]) / 2)
    order = [int(np.argmin(np.abs(verts.numpy() - p).sum(1))) for p in whole.numpy()]
    tape.backward(grads={whole: wp.array(weights[order], dtype=wp.vec3)})
    summed = np.zeros(field.shape)
    at = tuple((cells[:, None] + np.array(IsoSurfaceMarchingCubes.CUBE_CORNER_OFFSETS)).transpose(2, 0, 1))
    np.add.at(summed, at, given.grad.numpy())
    np.testing.assert_allclose(summed, dense.grad.numpy(), rtol=1e-4, atol=1e-4)


def test_one_corner_and_none() -> None:
    verts, indices = sparse_marching_cubes_from_cells([[2, 0, 0]], [[-1, 1, 1, 1, 1, 1, 1, 1]])
    assert sorted(verts.numpy().tolist()) == [[2, 0, 0.5], [2, 0.5, 0], [2.5, 0, 0]]
    assert volume(np.concatenate([verts.numpy() - [2, 0, 0]]), indices.numpy().reshape(-1, 3)) > 0
    for cells, corners in (([], []), ([[0, 0, 0]], [[1] * 8]), ([[0, 0, 0]], [[np.nan] + [-1, 1] * 3 + [1]])):
        verts, indices = sparse_marching_cubes_from_cells(cells, corners)
        assert verts.shape == indices.shape == (0,)
    verts, indices = sparse_marching_cubes(lambda points: wp.full(len(points), 9.0, dtype=float), 9, 9, 9)
    assert verts.shape == indices.shape == (0,)


def test_wrong_arguments() -> None:
    field, one = Torus(), [[0, 0, 0]]
    values = wp.zeros((1, 8), dtype=float)
    for call, error, match in [
        (
            lambda: lipschitz_octree(3, (0, 0, 0), 1.0, 2),
            TypeError,
            r"lipschitz_octree: field is int, expected a function",
        ),
        (lambda: lipschitz_octree(field, (0, 0), 1.0, 2), ValueError, r"origin has 2 numbers, expected three"),
        (lambda: lipschitz_octree(field, (0, 0, 0), 0.0, 2), ValueError, r"root_width is 0\.0, expected a positive"),
        (lambda: lipschitz_octree(field, (0, 0, 0), 1.0, 21), ValueError, r"max_depth is 21, expected 0 to 20"),
        (lambda: lipschitz_octree(field, (0, 0, 0), 1.0, -1), ValueError, r"max_depth is -1, expected 0"),
        (lambda: lipschitz_octree(field, (0, 0, 0), 1.0, 1, lipschitz_bound=0), ValueError, r"lipschitz_bound is 0\.0"),
        (lambda: lipschitz_octree(lambda p: None, (0, 0, 0), 1.0, 1), TypeError, r"the field's result is NoneType"),
        (lambda: lipschitz_octree(lambda p: wp.zeros(7, dtype=float), (0, 0, 0), 1.0, 1), ValueError, r"has 7 numbers"),
        (lambda: sparse_marching_cubes(field, 1, 5, 5), ValueError, r"sparse_marching_cubes: nx is 1, expected 2 to"),
        (lambda: sparse_marching_cubes(field, 2**21, 5, 5), ValueError, r"nodes, expected at most 1048576"),
        (
            lambda: sparse_marching_cubes(field, 5, 5, 5, threshold="a"),
            TypeError,
            r"threshold is 'a', expected a number",
        ),
        (
            lambda: sparse_marching_cubes_from_cells(one, wp.zeros((2, 8), dtype=float)),
            ValueError,
            r"shape \(2, 8\), exp",
        ),
        (
            lambda: sparse_marching_cubes_from_cells([[0.5, 0, 0]], values),
            TypeError,
            r"cells holds float64, expected int32",
        ),
        (
            lambda: sparse_marching_cubes_from_cells([[0, 0]], values),
            ValueError,
            r"cells has the shape \(1, 2\), expected",
        ),
        (lambda: sparse_marching_cubes_from_cells(one, values, cell_width=-1), ValueError, r"cell_width is -1\.0"),
        (
            lambda: sparse_marching_cubes_from_cells([[0, 0, 0], [1 << 21, 0, 0]], np.zeros((2, 8))),
            ValueError,
            r"cells span \[2097153, 1, 1\], expected at most 1048575",
        ),
    ]:
        with pytest.raises(error, match=match):
            call()
