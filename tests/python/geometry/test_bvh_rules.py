"""``wp.Bvh`` and ``wp.HashGrid``: what queries do in odd cases, and what trees and grids say of themselves."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(31)


@wp.kernel
def of_all_kinds(
    tree: wp.uint64, a: wp.vec3, b: wp.vec3, reach: float, limit: float, root: int, out: wp.array2d(dtype=int)
):
    j = int(-7)
    q = wp.bvh_query_aabb(tree, a, b, root)
    while wp.bvh_query_next(q, j):
        out[0, j] += 1
    q = wp.bvh_query_sphere(tree, a, reach, root)
    while wp.bvh_query_next(q, j):
        out[1, j] += 1
    q = wp.bvh_query_ray(tree, a, b, root)
    while wp.bvh_query_next(q, j, limit):
        out[2, j] += 1
    q = wp.bvh_query_capsule(tree, a, b, reach, root)
    while wp.bvh_query_next(q, j, 1.0):
        out[3, j] += 1


def built(low: Any, high: Any, **more: Any) -> Any:
    low, high = np.asarray(low, np.float32).reshape(-1, 3), np.asarray(high, np.float32).reshape(-1, 3)
    return wp.Bvh(wp.array(low, dtype=wp.vec3), wp.array(high, dtype=wp.vec3), **more)


def found(tree: Any, a: Any, b: Any, reach: float = 0.0, limit: float = np.inf, root: int = -1) -> list[list[int]]:
    """The items that boxes, spheres, rays and capsules meet."""
    out = wp.zeros((4, max(tree.lowers.size, 1)), dtype=int)
    wp.launch(of_all_kinds, dim=1, inputs=[tree, wp.vec3(*a), wp.vec3(*b), reach, limit, root], outputs=[out])
    assert out.numpy().max() <= 1
    return [np.flatnonzero(row).tolist() for row in out.numpy()]


UNIT = [[0, 0, 0]], [[1, 1, 1]]


def test_an_empty_tree_has_no_items() -> None:
    tree = built([], [])
    assert found(tree, (-9, -9, -9), (9, 9, 9), 9.0) == [[]] * 4
    tree.refit()
    tree.rebuild()
    assert found(tree, (-9, -9, -9), (9, 9, 9), 9.0) == [[]] * 4


def test_what_touches_is_found() -> None:
    tree = built(*UNIT)
    after = np.nextafter(np.float32(1), np.float32(2))
    assert found(tree, (1, 1, 1), (2, 2, 2))[0] == [0]
    assert found(tree, (after, 1, 1), (2, 2, 2))[0] == []
    assert found(tree, (0.5, 0.5, 2), (0, 0, 0), 1.0)[1] == [0]
    assert found(tree, (0.5, 0.5, 2), (0, 0, 0), 0.999)[1] == []
    # A query with its corners exchanged still overlaps boxes that contain it.
    assert found(tree, (0.6, 0.6, 0.6), (0.4, 0.4, 0.4))[0] == [0]
    assert found(tree, (2.6, 0.6, 0.6), (2.4, 0.4, 0.4))[0] == []


def test_limits_of_rays_and_capsules() -> None:
    tree = built(*UNIT)
    # The box is entered two lengths of the direction away.
    start, along = (-1, 0.5, 0.5), (0.5, 0, 0)
    assert found(tree, start, along, limit=2.0)[2] == []
    assert found(tree, start, along, limit=float(np.nextafter(np.float32(2), np.float32(3))))[2] == [0]
    # Inside it is entered at 0.
    assert [found(tree, (0.5, 0.5, 0.5), along, limit=x)[2] for x in (0.1, 0.0, -1.0, np.nan)] == [[0], [0], [], []]
    # Both ends of a capsule count, and a radius below 0 is 0.
    assert found(tree, (-1, 0.5, 0.5), (0.75, 0, 0), 0.25)[3] == [0]
    assert found(tree, (-1, 0.5, 0.5), (0.75, 0, 0), 0.24)[3] == []
    assert found(tree, (-1, 0.5, 0.5), (1, 0, 0), -5.0)[3] == [0]
    assert found(tree, (0.5, 0.5, 0.5), (0, 0, 0), 0.0)[3] == [0]
    assert found(tree, (1.5, 0.5, 0.5), (0, 0, 0), 0.4)[3] == []
    assert found(tree, (0.5, 0.5, 0.5), (0, 0, 0), -1.0)[1] == [0]


@pytest.mark.parametrize("place", [0, 1])
def test_queries_with_nan_find_nothing(place: int) -> None:
    tree = built(*UNIT)
    given = [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]
    given[place][1] = np.nan
    boxes, spheres, rays, capsules = found(tree, *given, 0.5)
    assert (boxes, rays, capsules) == ([], [], [])
    assert spheres == ([] if place == 0 else [0])
    assert found(tree, (0.5, 0.5, 0.5), (1, 1, 1), np.nan)[1] == []


def test_an_index_stays_where_nothing_was_found() -> None:
    @wp.kernel
    def ask(tree: wp.uint64, out: wp.array(dtype=int)):
        j = int(-7)
        q = wp.bvh_query_aabb(tree, wp.vec3(0.0), wp.vec3(1.0))
        out[0] = int(wp.bvh_query_next(q, j))
        out[1] = j
        out[2] = int(wp.bvh_query_next(q, j))
        out[3] = j
        out[4] = int(wp.bvh_query_next(q, j))

    out = wp.zeros(5, dtype=int)
    wp.launch(ask, dim=1, inputs=[built([[5, 5, 5], [0, 0, 0]], [[6, 6, 6], [1, 1, 1]]), out])
    assert out.numpy().tolist() == [1, 1, 0, 1, 0]


@pytest.mark.parametrize("constructor", ["sah", "median", "lbvh"])
@pytest.mark.parametrize("kind", ["equal", "geometric", "line"])
def test_deep_trees_find_all(constructor: str, kind: str) -> None:
    if kind == "equal":
        low, high = np.zeros((2000, 3)), np.ones((2000, 3))
    elif kind == "geometric":
        size = (2.0 ** -np.arange(120.0))[:, None]
        low, high = np.tile(size, 3), np.tile(size * 1.5, 3)
    else:
        low = np.array([[k, 0, 0] for k in range(3000)])
        high = low + 0.5
    tree = built(low, high, constructor=constructor)
    assert [len(items) for items in found(tree, (-1, -1, -1), (9999, 9999, 9999), 1e6)[:2]] == [len(low)] * 2
    groups = wp.array(np.arange(len(low)) % 3, dtype=int)
    assert len(found(built(low, high, groups=groups), (-1, -1, -1), (9999, 9999, 9999))[0]) == len(low)


def test_groups_of_one_item_and_of_many() -> None:
    """Also below a root that a query of another kind was given."""

    @wp.kernel
    def roots(tree: wp.uint64, groups: wp.array(dtype=int), out: wp.array(dtype=int)):
        i = wp.tid()
        out[i] = wp.bvh_get_group_root(tree, groups[i])

    low = RNG.uniform(-1, 1, (65, 3))
    groups = np.array([-(2**31)] + [7] * 63 + [2**31 - 1], dtype=np.int32)
    for constructor in ("sah", "median", "lbvh", "cubql"):
        tree = built(low, low + 0.1, groups=wp.array(groups), constructor=constructor)
        asked, out = wp.array(np.array([-(2**31), 7, 2**31 - 1, 0], np.int32)), wp.zeros(4, dtype=int)
        wp.launch(roots, dim=4, inputs=[tree, asked, out])
        *there, missing = out.numpy().tolist()
        assert missing == -1
        for root, group in zip(there, asked.numpy(), strict=False):
            wanted = np.flatnonzero(groups == group).tolist()
            boxes, spheres, _, capsules = found(tree, (-9, -9, -9), (9, 9, 9), 99.0, root=root)
            assert boxes == spheres == capsules == wanted
        alone = built(low[:1], low[:1] + 0.1, groups=wp.array(groups[:1]))
        wp.launch(roots, dim=4, inputs=[alone, asked, out])
        assert out.numpy().tolist() == [0, -1, -1, -1]


def test_a_root_that_is_no_node_finds_nothing() -> None:
    tree = built([[0, 0, 0], [5, 5, 5]], [[1, 1, 1], [6, 6, 6]])
    given = (0.5, 0.5, 0.5), (9, 9, 9), 99.0
    assert [found(tree, *given, root=root)[0] for root in (-1, 0)] == [[0, 1]] * 2
    for root in (-2, -(2**31), 77, 2**31 - 1):
        assert found(tree, *given, root=root) == [[]] * 4


def test_boxes_in_strided_arrays_and_in_several_dimensions() -> None:
    low = RNG.uniform(-1, 1, (12, 3)).astype(np.float32)
    right = found(built(low, low + np.float32(0.4)), (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))[0]
    assert 0 < len(right) < 12
    lows, highs = (wp.array(np.repeat(x, 2, axis=0), dtype=wp.vec3)[::2] for x in (low, low + np.float32(0.4)))
    assert found(wp.Bvh(lows, highs), (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))[0] == right
    lows, highs = (wp.array(x.reshape(3, 4, 3), dtype=wp.vec3) for x in (low, low + np.float32(0.4)))
    tree = wp.Bvh(lows, highs)
    out = wp.zeros((4, 12), dtype=int)
    wp.launch(of_all_kinds, 1, inputs=[tree, wp.vec3(-0.5), wp.vec3(0.5), 0.0, 1.0, -1], outputs=[out])
    assert np.flatnonzero(out.numpy()[0]).tolist() == right
    with pytest.raises(RuntimeError, match="groups is an array of float32"):
        wp.Bvh(lows, highs, groups=wp.zeros(12))


@wp.kernel
def closest(tree: wp.uint64, at: wp.array(dtype=wp.vec3), reach: float, root: int, out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.bvh_query_closest(tree, at[i], reach, root)


def test_the_closest_box() -> None:
    """That of brute force; of boxes that are equally close the first."""
    low = RNG.integers(-6, 7, (200, 3)).astype(np.float32) / 2
    high = low + RNG.integers(0, 3, (200, 3)).astype(np.float32) / 2
    low[7, 1], high[9, 0] = np.nan, np.nan
    low[11], high[11] = low[11] + 1, low[11]
    groups = RNG.integers(0, 3, 200).astype(np.int32)
    tree = built(low, high, groups=wp.array(groups))
    at = (RNG.integers(-16, 17, (300, 3)) / 4).astype(np.float32)
    away = np.maximum(np.maximum(low - at[:, None], at[:, None] - high), 0)
    squares = np.where((low <= high).all(axis=1), (away**2).sum(axis=2), np.inf)
    for reach in (np.inf, 1.0, 0.25, 0.0, -1.0, np.nan):
        out = wp.zeros(300, dtype=int)
        wp.launch(closest, 300, inputs=[tree, wp.array(at, dtype=wp.vec3), reach, -1], outputs=[out])
        least = squares.min(axis=1)
        near = least < reach * reach if reach > 0 else np.zeros(300, bool)
        assert out.numpy().tolist() == np.where(near, squares.argmin(axis=1), -1).tolist()
    assert (least == 0).any()
    odd = wp.array([[np.nan, 0, 0], [1e30, 0, 0]], dtype=wp.vec3)
    out = wp.zeros(2, dtype=int)
    wp.launch(closest, 2, inputs=[tree, odd, 1e9, -1], outputs=[out])
    assert out.list() == [-1, -1]
    for empty in (built([], []), built([[np.nan] * 3], [[np.nan] * 3])):
        wp.launch(closest, 2, inputs=[empty, wp.zeros(2, dtype=wp.vec3), np.inf, -1], outputs=[out])
        assert out.list() == [-1, -1]


def test_the_closest_box_of_a_group() -> None:
    @wp.kernel
    def ask(tree: wp.uint64, at: wp.array(dtype=wp.vec3), group: int, out: wp.array(dtype=int)):
        i = wp.tid()
        root = wp.bvh_get_group_root(tree, group)
        out[i] = wp.bvh_query_closest(tree, at[i], wp.inf, wp.where(root < 0, -2, root))

    low = RNG.uniform(-2, 2, (90, 3)).astype(np.float32)
    groups = RNG.integers(0, 3, 90).astype(np.int32)
    tree = built(low, low, groups=wp.array(groups))
    at = RNG.uniform(-3, 3, (50, 3)).astype(np.float32)
    squares = ((low - at[:, None]) ** 2).sum(axis=2)
    out = wp.zeros(50, dtype=int)
    for group in range(4):
        wp.launch(ask, 50, inputs=[tree, wp.array(at, dtype=wp.vec3), group], outputs=[out])
        right = np.where(groups == group, squares, np.inf).argmin(axis=1) if group < 3 else np.full(50, -1)
        assert out.numpy().tolist() == right.tolist()


def test_a_tree_is_itself() -> None:
    tree = built(*UNIT, groups=wp.array([3], dtype=int))
    other = copy.copy(tree)
    assert tree == tree
    assert tree != other
    assert len({tree, other, tree}) == 2
    assert (tree.device, tree.lowers.shape, tree.groups.list()) == (wp.get_device("cpu"), (1,), [3])
    assert isinstance(tree.id, int)
    with pytest.raises(AttributeError):
        tree.id = 3
    with pytest.raises(ValueError, match="the constructor is 3, expected one of 'sah'"):
        built(*UNIT, constructor=3)


def test_graphs_rebuild_and_make() -> None:
    """What is made in a capture is made once; what is built again is built with each run."""
    tree = built(*UNIT)
    out = wp.zeros((4, 1), dtype=int)
    with wp.ScopedCapture() as capture:
        tree.rebuild()
        made = built(*UNIT)
        for one in (tree, made):
            wp.launch(of_all_kinds, 1, inputs=[one, wp.vec3(5.0), wp.vec3(6.0), 0.0, 1.0, -1], outputs=[out])
    kept = tree.id
    for wanted in (0, 1):
        out.zero_()
        wp.capture_launch(capture.graph)
        assert out.numpy()[0, 0] == wanted
        tree.uppers.assign(np.full((1, 3), 9, np.float32))
    assert tree.id == kept


# Hash grids


@wp.kernel
def candidates(grid: wp.uint64, at: wp.array(dtype=wp.vec3), reach: wp.array(dtype=float), out: wp.array2d(dtype=int)):
    i = wp.tid()
    for j in wp.hash_grid_query(grid, at[i], reach[i]):
        out[i, j] += 1


def test_candidates_of_odd_queries() -> None:
    points = np.array([[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [3.5, 3.5, 3.5]], np.float32)
    grid = wp.HashGrid(4, 4, 4)
    grid.build(wp.array(points, dtype=wp.vec3), 1.0)
    asked = [
        ((0.2, 0.2, 0.2), 0.0, [0]),  # its own cell
        ((0.2, 0.2, 0.2), -1.0, []),
        ((0.2, 0.2, 0.2), np.nan, None),
        ((0.9, 0.5, 0.5), 0.5, [0, 1]),
        ((-0.5, -0.5, -0.5), 0.0, [2]),  # the grid repeats
        ((0.2, 0.2, 0.2), 1e9, [0, 1, 2]),  # each once, wider than the grid
        ((1e9, 1e30, -1e30), 0.5, None),
        ((np.nan, 0.0, 0.0), 0.5, None),
    ]
    out = wp.zeros((len(asked), 3), dtype=int)
    at = wp.array([a[0] for a in asked], dtype=wp.vec3)
    wp.launch(candidates, len(asked), inputs=[grid, at, wp.array([a[1] for a in asked], dtype=float), out])
    assert out.numpy().max() == 1
    for row, (place, reach, wanted) in zip(out.numpy(), asked, strict=True):
        assert wanted is None or np.flatnonzero(row).tolist() == wanted, (place, reach)


def test_grids_that_are_empty_or_not_built() -> None:
    empty, never = wp.HashGrid(4, 4, 4), wp.HashGrid(4, 4, 4)
    empty.build(wp.zeros(0, dtype=wp.vec3), 1.0)
    never.reserve(8, with_groups=True)
    out, reach = wp.zeros((1, 1), dtype=int), wp.array([9.0], dtype=float)
    for grid in (empty, never):
        wp.launch(candidates, 1, inputs=[grid, wp.zeros(1, dtype=wp.vec3), reach, out])
        assert not out.numpy().any()
    assert (never.reserved, never.groups, never.dtype) == (8, None, wp.float32)
    assert never.device == wp.get_device("cpu")
    assert never == never
    assert never != empty


def test_queries_as_parameters_have_a_type() -> None:
    @wp.func
    def count(q: wp.HashGridQuery[wp.float64]):
        n = int(0)
        j = int(0)
        while wp.hash_grid_query_next(q, j):
            n += 1
        return n

    @wp.kernel
    def ask(grid: wp.uint64, out: wp.array(dtype=int)):
        out[0] = count(wp.hash_grid_query(grid, wp.vec3d(), wp.float64(0.1)))

    grid = wp.HashGrid(2, 2, 2, dtype=wp.float64)
    grid.build(wp.zeros(5, dtype=wp.vec3d), 0.5)
    out = wp.zeros(1, dtype=int)
    wp.launch(ask, 1, inputs=[grid, out])
    assert out.list() == [5]


def test_dimensions_by_index() -> None:
    class Three:
        def __index__(self) -> int:
            return 3

    assert repr(wp.HashGrid(Three(), np.int64(2), True)) == repr(wp.HashGrid(3, 2, 1))
