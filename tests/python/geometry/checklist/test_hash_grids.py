"""``wp.HashGrid``: cells, in which order and how often points are found, builds that follow each other, types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(61)
VECTORS = {wp.float16: wp.vec3h, wp.float32: wp.vec3, wp.float64: wp.vec3d}


@wp.kernel
def candidates(
    grid: wp.uint64, at: wp.array(dtype=wp.vec3), reach: wp.array(dtype=float), found: wp.array2d(dtype=int)
):
    i = wp.tid()
    n = int(0)
    for j in wp.hash_grid_query(grid, at[i], reach[i]):
        if n < found.shape[1]:
            found[i, n] = j
        n += 1


def built(points: Any, radius: float, dims: tuple[int, int, int], **more: Any) -> Any:
    grid = wp.HashGrid(*dims)
    grid.build(wp.array(np.asarray(points, np.float32).reshape(-1, 3), dtype=wp.vec3), radius, **more)
    return grid


def found(grid: Any, *asked: tuple[Any, float]) -> list[list[int]]:
    """What queries find, in their order."""
    out = wp.full((len(asked), 64), -1, dtype=int)
    at, reach = wp.array([p for p, _ in asked], dtype=wp.vec3), wp.array([r for _, r in asked], dtype=float)
    wp.launch(candidates, dim=len(asked), inputs=[grid, at, reach], outputs=[out])
    return [[j for j in row if j >= 0] for row in out.numpy().tolist()]


# Cells


def test_cells_are_floors() -> None:
    """Of coordinates by the width of cells, also below 0: a distance of 0 asks for one cell."""
    xs = np.array([-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0])
    cells = np.floor(xs / 0.5)
    for axis in range(3):
        points = np.full((9, 3), 0.1)
        points[:, axis] = xs
        grid = built(points, 0.5, (16, 16, 16))
        for p, cell in zip(points, cells, strict=True):
            assert found(grid, (p, 0.0)) == [np.flatnonzero(cells == cell).tolist()]
        # All cells that the range meets, and no test of distances.
        middle = np.full(3, 0.1)
        middle[axis] = 0.5
        assert found(grid, (middle, 0.25), (middle, 0.5), (middle, -0.25), (middle, -0.0)) == [
            np.flatnonzero((cells >= 0) & (cells <= 1)).tolist(),
            np.flatnonzero((cells >= 0) & (cells <= 2)).tolist(),
            [],
            np.flatnonzero(cells == 1).tolist(),
        ]


def test_the_grid_repeats() -> None:
    """Cells are taken modulo the dimensions, and each point is found once however wide a query is."""
    dims = (3, 2, 5)
    points = np.array([[x, y, z] for z in range(5) for y in range(2) for x in range(3)]) + 0.5
    grid = built(points, 1.0, dims)
    for shift in ((0, 0, 0), (3, 0, 0), (-3, 2, -5), (300, -200, 50), (-1, -1, -1)):
        place = np.array([0.5, 0.5, 0.5]) + shift
        cell = np.floor(place).astype(int) % dims
        own = int(cell[0] + 3 * cell[1] + 6 * cell[2])
        assert found(grid, (place, 0.0)) == [[own]]
        for reach in (2.6, 7.0, 1e4):
            assert sorted(found(grid, (place, reach))[0]) == list(range(30))
    # Along one axis alone, with neighbours over the border.
    assert sorted(found(grid, ((0.5, 0.5, 0.5), 0.6))[0]) == sorted(
        x + 3 * y + 6 * z for x in range(3) for y in range(2) for z in (0, 1, 4)
    )


def test_odd_places_of_queries() -> None:
    """NaN is in the cell 0; what is too far away in some cell: each point is found once at most."""
    points = np.array([[x, y, z] for z in range(4) for y in range(4) for x in range(4)]) + 0.5
    grid = built(points, 1.0, (4, 4, 4))
    nan = np.nan
    assert found(grid, ((nan, 1.5, 2.5), 0.0), ((nan, nan, nan), 0.0), ((0.5, 0.5, 0.5), nan)) == [[36], [0], [0]]
    assert found(grid, ((nan, 1.5, 1.5), 0.6), ((nan, 1.5, 1.5), -1.0))[1] == []
    for far in (1e9, 1e30, 3e38, np.inf, -1e9, -1e30, -np.inf):
        for place in ((far, 0.5, 0.5), (0.5, far, 0.5), (0.5, 0.5, far), (far, far, far)):
            for reach in (0.0, 0.5, 1e9, 1e38, np.inf):
                got = found(grid, (place, reach))[0]
                assert len(set(got)) == len(got)
            assert len(found(grid, (place, 0.0))[0]) == 1
    assert sorted(found(grid, ((0.5, 0.5, 0.5), np.inf))[0]) == list(range(64))


@wp.kernel
def sorted_points(grid: wp.uint64, out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.hash_grid_point_id(grid, i)


def order(grid: Any, count: int) -> list[int]:
    out = wp.full(count, -7, dtype=int)
    wp.launch(sorted_points, dim=count, inputs=[grid], outputs=[out])
    return out.list()


def test_every_point_is_in_one_cell() -> None:
    """Also NaN and those too far away; NaN counts as 0."""
    points = RNG.uniform(-9, 9, (200, 3)).astype(np.float32)
    points[::7, 1] = np.nan
    points[::11, 0] = np.inf
    points[::13, 2] = -1e30
    for dims in ((1, 1, 1), (5, 3, 2)):
        grid = built(points, 0.3, dims)
        assert sorted(order(grid, 200)) == list(range(200))
        assert order(grid, 203)[200:] == [-1] * 3
    grid = built([[np.nan, 1.5, 2.5], [0.5, 1.5, 2.5], [1.5, 1.5, 2.5]], 1.0, (4, 4, 4))
    assert found(grid, ((0.5, 1.5, 2.5), 0.0), ((1.5, 1.5, 2.5), 0.0)) == [[0, 1], [2]]


def test_the_order_of_points() -> None:
    """By cells, x fastest, then y, then z; in a cell as in the array, and by groups before that."""
    dims = (3, 4, 2)
    cells = RNG.integers(0, dims, (60, 3))
    points = (cells + RNG.uniform(0.1, 0.9, (60, 3))).astype(np.float32)
    key = cells[:, 0] + dims[0] * (cells[:, 1] + dims[1] * cells[:, 2])
    right = np.argsort(key, kind="stable").tolist()
    grid = built(points, 1.0, dims)
    assert order(grid, 60) == right
    assert found(grid, ((1.5, 2.0, 1.0), 0.9))[0] == [j for j in right if cells[j, 1] in (1, 2)]
    groups = RNG.integers(-2, 2, 60).astype(np.int32)
    grid = built(points, 1.0, dims, groups=wp.array(groups))
    assert order(grid, 60) == np.lexsort((np.arange(60), groups, key)).tolist()


# Builds


def test_builds_follow_each_other() -> None:
    """Of more or fewer points, other widths and groups: what was there before is forgotten."""
    grid = wp.HashGrid(6, 5, 4)
    kept = grid.id
    assert order(grid, 3) == [-1] * 3
    for count, radius, grouped in (
        (40, 0.5, False),
        (3, 2.0, True),
        (60, 0.25, True),
        (0, 1.0, False),
        (9, 1.0, False),
    ):
        points = RNG.uniform(0, 1, (count, 3)).astype(np.float32)
        groups = wp.array(np.arange(count, dtype=np.int32)) if grouped else None
        grid.build(wp.array(points, dtype=wp.vec3), radius, groups)
        assert grid.groups is groups
        assert sorted(order(grid, count + 1)) == [-1, *range(count)]
        cells = np.floor(points / radius).astype(int) % (6, 5, 4)
        for p in points[:5]:
            own = np.floor(p / np.float32(radius)).astype(int) % (6, 5, 4)
            assert sorted(found(grid, (p, 0.0))[0]) == np.flatnonzero((cells == own).all(1)).tolist()
    assert grid.id == kept


def test_the_points_of_a_build_may_change_afterwards() -> None:
    """The grid has sorted them; it reads them no more."""
    array = wp.array([[0.5, 0.5, 0.5], [2.5, 0.5, 0.5]], dtype=wp.vec3)
    grid = wp.HashGrid(4, 4, 4)
    grid.build(array, 1.0)
    array.fill_(3.5)
    assert found(grid, ((0.5, 0.5, 0.5), 0.0), ((3.5, 3.5, 3.5), 0.0)) == [[0], []]
    del array
    assert found(grid, ((2.5, 0.5, 0.5), 0.0)) == [[1]]


def test_points_and_groups_in_several_dimensions() -> None:
    points = RNG.uniform(0, 4, (3, 4, 3)).astype(np.float32)
    groups = RNG.integers(0, 3, (3, 4)).astype(np.int32)
    right = order(built(points, 1.0, (4, 4, 4), groups=wp.array(groups.ravel())), 12)
    grid = wp.HashGrid(4, 4, 4)
    for of_points in (
        wp.array(groups),
        wp.array(np.repeat(groups.ravel(), 2))[::2],
        wp.array(groups.T.copy()).transpose(),
    ):
        grid.build(wp.array(points, dtype=wp.vec3), 1.0, of_points)
        assert order(grid, 12) == right
    grid.build(wp.array(np.repeat(points.reshape(12, 3), 3, axis=0), dtype=wp.vec3)[::3], 1.0, wp.array(groups.ravel()))
    assert order(grid, 12) == right


def test_room_for_points() -> None:
    grid = wp.HashGrid(4, 4, 4)
    assert (grid.reserved, grid.groups) == (0, None)
    grid.reserve(10)
    grid.reserve(num_points=30, with_groups=True)
    grid.reserve(0)
    assert grid.reserved == 30
    for count in (30, 50):
        grid.build(wp.zeros(count, dtype=wp.vec3), 1.0, wp.zeros(count, dtype=int))
        assert found(grid, ((0.5, 0.5, 0.5), 0.0)) == [list(range(count))]
    for wrong in (2.5, "3", None):
        with pytest.raises(TypeError, match="num_points is"):
            grid.reserve(wrong)


@pytest.mark.parametrize("dtype", VECTORS)
def test_points_have_the_type_of_the_grid(dtype: Any) -> None:
    """Others are refused, and leave the grid as it was."""
    grid = wp.HashGrid(2, 2, 2, dtype=dtype)
    assert grid.dtype is dtype
    grid.build(wp.zeros(3, dtype=VECTORS[dtype]), 1.0)
    wrong = [vector for scalar, vector in VECTORS.items() if scalar is not dtype]
    for vector in (*wrong, wp.vec2, wp.vec4, dtype, wp.vec3i):
        with pytest.raises(TypeError, match="points is an array of") as caught:
            grid.build(wp.zeros(5, dtype=vector), 1.0)
        assert isinstance(caught.value, RuntimeError)
    for groups in (wp.zeros(3, dtype=wp.int64), wp.zeros(3, dtype=wp.uint32), wp.zeros(3, dtype=float)):
        with pytest.raises(RuntimeError, match="groups is an array of"):
            grid.build(wp.zeros(3, dtype=VECTORS[dtype]), 1.0, groups)
    for count in (0, 2, 4):
        with pytest.raises(RuntimeError, match=f"groups has {count} elements, points has 3"):
            grid.build(wp.zeros(3, dtype=VECTORS[dtype]), 1.0, wp.zeros(count, dtype=int))
    for radius in (0.0, -0.0, -1.0, np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match="radius"):
            grid.build(wp.zeros(3, dtype=VECTORS[dtype]), radius)
    assert order(grid, 4) == [0, 1, 2, -1]


def test_types_and_dimensions_of_grids() -> None:
    assert [wp.HashGrid(1, 1, 1, dtype=given).dtype for given in (None, float, wp.float32)] == [wp.float32] * 3
    for wrong in (int, wp.int32, wp.uint64, wp.bool, "float32", 3, wp.vec3, wp.vec4d, wp.mat33, wp.quat):
        with pytest.raises(TypeError, match="dtype is"):
            wp.HashGrid(1, 1, 1, dtype=wrong)
    for dims, axis in (((0, 1, 1), "x"), ((1, 0, 1), "y"), ((1, 1, -1), "z")):
        with pytest.raises(RuntimeError, match=f"dim_{axis} is"):
            wp.HashGrid(*dims)
    for dims, axis in (((1.0, 1, 1), "x"), ((1, "2", 1), "y"), ((1, 1, None), "z"), ((1, 1, np.float32(3)), "z")):
        with pytest.raises(TypeError, match=f"dim_{axis} is"):
            wp.HashGrid(*dims)
    for dims in ((2**31, 1, 1), (2**16, 2**15, 1), (1291, 1291, 1291), (2**62, 2**62, 2**62)):
        with pytest.raises(RuntimeError, match="too many"):
            wp.HashGrid(*dims)


# Queries


@pytest.mark.parametrize("dtype", VECTORS)
def test_queries_of_each_type(dtype: Any) -> None:
    """As parameters and results of functions, in both forms; an index stays where nothing was found."""
    vector = VECTORS[dtype]

    @wp.func
    def near(grid: wp.uint64, p: vector, reach: dtype) -> wp.HashGridQuery[dtype]:
        return wp.hash_grid_query(grid, p, reach)

    @wp.func
    def count(q: wp.HashGridQuery[dtype], last: int) -> int:
        n, j = int(0), int(-7)
        while wp.hash_grid_query_next(q, j):
            n += 1
        if j != last or wp.hash_grid_query_next(q, j):
            n = -1
        return n

    @wp.kernel
    def ask(grid: wp.uint64, out: wp.array(dtype=int)):
        p, reach = vector(dtype(0.5)), dtype(0.0)
        out[0] = count(near(grid, p, reach), 3)
        out[1] = count(wp.hash_grid_query(grid, p, reach, 5), 2)
        out[2] = count(wp.hash_grid_query(grid, p, dtype(-1.0)), -7)
        for j in wp.hash_grid_query(grid, p, reach, 9):
            out[3] += j + 1

    grid = wp.HashGrid(4, 4, 4, dtype=dtype)
    points = wp.array([[0.25] * 3, [2.5] * 3, [0.5] * 3, [0.75] * 3], dtype=vector)
    for groups, wanted in ((None, [3, -1, 0, 8]), ([5, 5, 5, 9], [3, 2, 0, 4])):
        grid.build(points, 1.0, None if groups is None else wp.array(groups, dtype=int))
        out = wp.zeros(4, dtype=int)
        wp.launch(ask, dim=1, inputs=[grid], outputs=[out])
        assert out.list() == wanted


def test_cells_of_doubles_are_computed_in_doubles() -> None:
    @wp.kernel
    def ask(grid: wp.uint64, at: wp.array(dtype=wp.vec3d), out: wp.array2d(dtype=int)):
        i = wp.tid()
        for j in wp.hash_grid_query(grid, at[i], wp.float64(0.0)):
            out[i, j] += 1

    # Apart by 1e-3, which float32 cannot tell there.
    points = np.zeros((8, 3))
    points[:, 0] = 1e5 + 1e-3 * (np.arange(8) + 0.5)
    array, out = wp.array(points, dtype=wp.vec3d), wp.zeros((8, 8), dtype=int)
    grid = wp.HashGrid(64, 1, 1, dtype=wp.float64)
    grid.build(array, 1e-3)
    wp.launch(ask, dim=8, inputs=[grid, array], outputs=[out])
    assert (out.numpy() == np.eye(8)).all()
