"""``wp.Bvh``: ways to build and rebuild, groups, thick rays, limits that shrink, and in which order boxes are found."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import warp as wp

from ..test_bvh_rules import built, found

RNG = np.random.default_rng(43)
CONSTRUCTORS = (None, "sah", "median", "lbvh", "cubql")


def boxes(count: int, size: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    low = RNG.uniform(-2, 2, (count, 3)).astype(np.float32)
    return low, low + RNG.uniform(0, size, (count, 3)).astype(np.float32)


def way(low: np.ndarray, high: np.ndarray, start: Any, along: Any, radius: float = 0.0) -> np.ndarray:
    """Where a ray enters boxes that are grown by a radius, in float64; infinite for those that it misses."""
    start, along = np.asarray(start, float), np.asarray(along, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([low.astype(float) - radius - start, high.astype(float) + radius - start]) / along
    enter, leave = np.maximum(ends.min(0).max(1), 0), ends.max(0).min(1)
    return np.where(enter <= leave, enter, np.inf)


@pytest.mark.parametrize("before", CONSTRUCTORS)
def test_rebuilds_by_any_constructor(before: str | None) -> None:
    """From any other; none warns, and groups stay."""
    low, high = boxes(150)
    groups = RNG.integers(-1, 2, 150).astype(np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = built(low, high, constructor=before, groups=wp.array(groups), leaf_size=3)
        kept = tree.id
        for after in CONSTRUCTORS:
            low, high = high - np.float32(0.7), low + np.float32(0.7)
            tree.lowers.assign(low)
            tree.uppers.assign(high)
            tree.rebuild(after)
            right = np.flatnonzero(((low <= 1) & (high >= -1)).all(1))
            assert 0 < len(right) < 150
            assert found(tree, (-1, -1, -1), (1, 1, 1))[0] == right.tolist()
            root = roots(tree, [-1, 0, 1, 5])
            assert root[3] == -1
            for group in (-1, 0, 1):
                of_group = found(tree, (-9, -9, -9), (9, 9, 9), root=root[group + 1])[0]
                assert of_group == np.flatnonzero(groups == group).tolist()
    assert tree.id == kept
    for wrong in ("best", "", 1):
        with pytest.raises(ValueError, match=r"Bvh\.rebuild: the constructor is .*, expected one of 'sah'"):
            tree.rebuild(wrong)
    assert found(tree, (-1, -1, -1), (1, 1, 1))[0] == right.tolist()


def test_arguments_are_checked_by_their_names() -> None:
    """As RuntimeError, too."""
    low, high = wp.zeros(4, dtype=wp.vec3), wp.ones(4, dtype=wp.vec3)
    for name, wrong in (
        ("lowers", {"lowers": wp.zeros(4, dtype=wp.vec3d)}),
        ("lowers", {"lowers": wp.zeros((4, 3), dtype=float)}),
        ("uppers", {"uppers": wp.zeros(4, dtype=wp.vec4)}),
        ("uppers", {"uppers": wp.zeros(5, dtype=wp.vec3)}),
        ("groups", {"groups": wp.zeros(4, dtype=wp.int64)}),
        ("groups", {"groups": wp.zeros(4, dtype=wp.uint32)}),
        ("groups", {"groups": wp.zeros(5, dtype=int)}),
    ):
        with pytest.raises(RuntimeError, match=f"Bvh: {name} ") as caught:
            wp.Bvh(**{"lowers": low, "uppers": high, **wrong})
        assert isinstance(caught.value, TypeError | ValueError)
    for name in ("lowers", "uppers", "groups"):
        with pytest.raises(TypeError, match=f"Bvh: {name} is ndarray, expected a Warp array"):
            wp.Bvh(**{"lowers": low, "uppers": high, name: np.zeros((4, 3), np.float32)})
    for size in (0, -1):
        with pytest.raises(ValueError, match=f"the leaf size is {size}, it must be at least 1"):
            wp.Bvh(low, high, leaf_size=size)
    with pytest.raises(TypeError, match=r"the leaf size is 2\.5, expected an integer"):
        wp.Bvh(low, high, leaf_size=2.5)


# Groups


@wp.kernel
def roots_of(tree: wp.uint64, groups: wp.array(dtype=int), out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.bvh_get_group_root(tree, groups[i])


def roots(tree: Any, groups: list[int]) -> list[int]:
    out = wp.zeros(len(groups), dtype=int)
    wp.launch(roots_of, dim=len(groups), inputs=[tree, wp.array(groups, dtype=int)], outputs=[out])
    return out.list()


def test_roots_of_trees_without_groups_and_without_boxes() -> None:
    low, high = boxes(60)
    tree = built(low, high)
    assert roots(tree, [0, 1, -1, 2**31 - 1, -(2**31)]) == [0, -1, -1, -1, -1]
    for root in (0, -1):
        assert found(tree, (-9, -9, -9), (9, 9, 9), root=root)[0] == list(range(60))
    for empty in (built([], []), built([], [], groups=wp.zeros(0, dtype=int))):
        assert roots(empty, [0, 1, -1]) == [-1] * 3
        for root in (-2, -1, 0, 1):
            assert found(empty, (-9, -9, -9), (9, 9, 9), 99.0, root=root) == [[]] * 4


def test_every_query_of_a_group() -> None:
    """Of one that does not exist all is found, or nothing where -2 is passed for it."""

    @wp.kernel
    def ask(tree: wp.uint64, group: int, missing: int, a: wp.vec3, b: wp.vec3, out: wp.array2d(dtype=int)):
        root = wp.bvh_get_group_root(tree, group)
        root = wp.where(root < 0, missing, root)
        for j in wp.bvh_query_aabb(tree, a, b, root):
            out[0, j] += 1
        for j in wp.bvh_query_sphere(tree, a, 1.5, root):
            out[1, j] += 1
        for j in wp.bvh_query_ray(tree, a, b - a, root):
            out[2, j] += 1
        for j in wp.bvh_query_capsule(tree, a, b - a, 0.3, root):
            out[3, j] += 1

    low, high = boxes(200, 1.5)
    groups = RNG.choice(np.array([-(2**31), -7, 0, 2**31 - 1], np.int32), 200)
    tree = built(low, high, groups=wp.array(groups))
    a, b = np.array([-1.1, -0.9, -1.2]), np.array([1.2, 0.8, 1.1])
    away = np.maximum(np.maximum(low - a, a - high), 0)
    right = np.stack(
        [
            ((low <= b) & (high >= a)).all(1),
            np.linalg.norm(away, axis=1) <= 1.5,
            np.isfinite(way(low, high, a, b - a)),
            np.isfinite(way(low, high, a, b - a, 0.3)),
        ]
    )
    assert (right.sum(1) > 3).all()
    for act in (lambda: None, tree.refit, tree.rebuild):
        act()
        for group in (-(2**31), -7, 0, 2**31 - 1, 5):
            for missing in (-1, -2):
                out = wp.zeros((4, 200), dtype=int)
                wp.launch(ask, 1, inputs=[tree, group, missing, wp.vec3(*a), wp.vec3(*b)], outputs=[out])
                allowed = groups == group if group != 5 else np.full(200, missing == -1)
                assert (out.numpy() == right * allowed).all()


# Rays and capsules


@wp.kernel
def along_capsules(
    tree: wp.uint64, starts: wp.array(dtype=wp.vec3), dirs: wp.array(dtype=wp.vec3), radius: wp.array(dtype=float),
    limit: float, out: wp.array2d(dtype=int),
):  # fmt: skip
    i = wp.tid()
    query = wp.bvh_query_capsule(tree, starts[i], dirs[i], radius[i])
    j = int(0)
    while wp.bvh_query_next(query, j, limit):
        out[i, j] += 1


@pytest.mark.parametrize("limit", [np.inf, 1.0, 0.25, 0.0, -1.0, np.nan])
def test_capsules_are_those_of_brute_force(limit: float) -> None:
    low, high = boxes(200)
    tree = built(low, high)
    starts, dirs = RNG.uniform(-3, 3, (80, 3)).astype(np.float32), RNG.normal(size=(80, 3)).astype(np.float32)
    radius = RNG.uniform(-0.1, 0.7, 80).astype(np.float32)
    dirs[:10, 1:], dirs[10:20, :2] = 0, 0
    out = wp.zeros((80, 200), dtype=int)
    given = [wp.array(starts, dtype=wp.vec3), wp.array(dirs, dtype=wp.vec3), wp.array(radius), limit]
    wp.launch(along_capsules, dim=80, inputs=[tree, *given], outputs=[out])
    grown = [max(float(r), 0.0) for r in radius]
    least, middle, most = (
        np.array([way(low, high, s, d, r + by) for s, d, r in zip(starts, dirs, grown, strict=True)])
        for by in (-1e-5, 0.0, 1e-5)
    )
    sure = np.isfinite(least) == np.isfinite(most)
    with np.errstate(invalid="ignore"):
        sure &= ~(np.abs(middle - limit) < 1e-4) | (middle == limit)
    right = np.isfinite(middle) & (middle <= limit) & (limit >= 0)
    assert sure.mean() > 0.99
    assert (out.numpy() == right)[sure].all()
    assert right.any() == (limit >= 0)


def test_both_ends_of_a_capsule_count() -> None:
    """In lengths of its direction; a ray is stricter."""
    tree = built([[1, 0, 0]], [[2, 1, 1]])
    above = float(np.nextafter(np.float32(1), np.float32(2)))
    below = float(np.nextafter(np.float32(1), np.float32(0)))
    at, out = wp.array([[0, 0.5, 0.5]], dtype=wp.vec3), wp.zeros((1, 1), dtype=int)
    for length, limit, wanted in (
        (1.0, 1.0, 1), (1.0, below, 0), (0.5, 2.0, 1), (0.5, 1.9, 0), (4.0, 0.25, 1), (4.0, 0.24, 0)
    ):  # fmt: skip
        out.zero_()
        dirs = wp.array([[length, 0, 0]], dtype=wp.vec3)
        wp.launch(along_capsules, 1, inputs=[tree, at, dirs, wp.zeros(1, dtype=float), limit], outputs=[out])
        assert out.list() == [wanted]
        assert found(tree, (0, 0.5, 0.5), (length, 0, 0), limit=limit)[2] == []
    assert found(tree, (0, 0.5, 0.5), (1, 0, 0), limit=above)[2] == [0]
    for limit, wanted in ((0.0, 1), (-0.0, 1), (-1e-6, 0), (np.nan, 0)):
        out.zero_()
        given = [wp.array([[1.5, 0.5, 0.5]], dtype=wp.vec3), wp.array([[1, 0, 0]], dtype=wp.vec3)]
        wp.launch(along_capsules, 1, inputs=[tree, *given, wp.zeros(1, dtype=float), limit], outputs=[out])
        assert out.list() == [wanted]


def test_what_lies_behind_a_ray_is_not_met() -> None:
    tree = built([[-3, 0, 0], [-0.5, 0, 0], [2, 0, 0]], [[-2, 1, 1], [0, 1, 1], [3, 1, 1]])
    for along, wanted in (((1, 0, 0), [1, 2]), ((-1, 0, 0), [0, 1]), ((0.001, 0, 0), [1, 2]), ((-1e4, 0, 0), [0, 1])):
        _, _, rays, capsules = found(tree, (0, 0.5, 0.5), along, limit=1e9)
        assert rays == wanted
        assert set(capsules) <= set(wanted)


def test_a_limit_that_shrinks_finds_the_first_box() -> None:
    @wp.kernel
    def first(
        tree: wp.uint64, entries: wp.array2d(dtype=float), starts: wp.array(dtype=wp.vec3),
        dirs: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=int),
    ):  # fmt: skip
        i = wp.tid()
        out[i, 0] = -1
        nearest = float(wp.inf)
        query = wp.bvh_query_ray(tree, starts[i], dirs[i])
        j = int(-5)
        while wp.bvh_query_next(query, j, nearest):
            out[i, 1] += 1
            if entries[i, j] < nearest:
                nearest = entries[i, j]
                out[i, 0] = j

    low, high = boxes(500, 0.8)
    tree = built(low, high)
    starts, dirs = RNG.uniform(-3, 3, (60, 3)).astype(np.float32), RNG.normal(size=(60, 3)).astype(np.float32)
    ways = np.array([way(low, high, s, d) for s, d in zip(starts, dirs, strict=True)]).astype(np.float32)
    out = wp.zeros((60, 2), dtype=int)
    given = [wp.array(ways), wp.array(starts, dtype=wp.vec3), wp.array(dirs, dtype=wp.vec3)]
    wp.launch(first, dim=60, inputs=[tree, *given], outputs=[out])
    nearest = ways.min(1)
    best, looked = out.numpy().T
    hit = np.isfinite(nearest)
    assert 10 < hit.sum() < 60
    assert (best >= 0).tolist() == hit.tolist()
    np.testing.assert_allclose(ways[np.arange(60), best][hit], nearest[hit], atol=1e-5)
    assert looked.sum() < np.isfinite(ways).sum()


# Order, values


@wp.kernel
def sequence(tree: wp.uint64, kind: int, out: wp.array(dtype=int)):
    query = wp.bvh_query_aabb(tree, wp.vec3(-1.0), wp.vec3(1.5))
    if kind == 1:
        query = wp.bvh_query_sphere(tree, wp.vec3(0.0), 1.5)
    elif kind == 2:
        query = wp.bvh_query_ray(tree, wp.vec3(-3.0, 0.1, 0.2), wp.vec3(1.0, 0.1, -0.1))
    elif kind == 3:
        query = wp.bvh_query_capsule(tree, wp.vec3(-3.0, 0.1, 0.2), wp.vec3(1.0, 0.1, -0.1), 0.5)
    n, j = int(0), int(0)
    while wp.bvh_query_next(query, j):
        out[n] = j
        n += 1


def order(tree: Any, kind: int) -> list[int]:
    out = wp.full(300, -1, dtype=int)
    wp.launch(sequence, dim=1, inputs=[tree, kind], outputs=[out])
    found = [item for item in out.list() if item >= 0]
    assert len(set(found)) == len(found)
    return found


def test_the_order_of_a_tree_is_its_own() -> None:
    """That of all trees of the same boxes, and it stays."""
    low, high = boxes(300, 2.5)
    tree = built(low, high)
    for kind in range(4):
        first = order(tree, kind)
        assert len(first) > 3
        for _ in range(2):
            assert order(tree, kind) == first
            tree.refit()
        assert order(built(low, high), kind) == first
        tree.rebuild()
        assert order(tree, kind) == first


def test_queries_of_boxes_upside_down_and_without_an_end() -> None:
    """An item upside down is found by a box that holds both corners; an infinite one by all queries."""
    tree = built([[1, 0, 0], [-np.inf] * 3, [0, np.nan, 0]], [[0, 1, 1], [np.inf] * 3, [1, 1, 1]])
    assert found(tree, (-1, -1, -1), (2, 2, 2), 9.0, limit=9.0)[0] == [0, 1]
    assert found(tree, (0.4, 0, 0), (0.6, 1, 1))[0] == [1]
    assert found(tree, (0.5, 0.5, 0.5), (1, 0, 0), 9.0) == [[1], [1], [1], [1]]
