"""``wp.Bvh``: what queries find, how a tree is kept up to date, and what is refused."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(11)


@wp.kernel
def overlaps(
    tree: wp.uint64, lows: wp.array(dtype=wp.vec3), highs: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=int)
):
    i = wp.tid()
    query = wp.bvh_query_aabb(tree, lows[i], highs[i])
    j = int(0)
    while wp.bvh_query_next(query, j):
        out[i, j] += 1


@wp.kernel
def along(
    tree: wp.uint64,
    starts: wp.array(dtype=wp.vec3),
    dirs: wp.array(dtype=wp.vec3),
    far: float,
    out: wp.array2d(dtype=int),
):
    i = wp.tid()
    query = wp.bvh_query_ray(tree, starts[i], dirs[i])
    j = int(0)
    while wp.bvh_query_next(query, j, far):
        out[i, j] += 1


def boxes(count: int, size: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    low = RNG.uniform(-2, 2, (count, 3)).astype(np.float32)
    return low, (low + RNG.uniform(0, size, (count, 3))).astype(np.float32)


def built(low: np.ndarray, high: np.ndarray, **more: Any) -> Any:
    return wp.Bvh(wp.array(low, dtype=wp.vec3), wp.array(high, dtype=wp.vec3), **more)


def meet(low: np.ndarray, high: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return ((low[None] <= b[:, None]) & (high[None] >= a[:, None])).all(2)


def found(tree: Any, a: np.ndarray, b: np.ndarray, count: int) -> np.ndarray:
    out = wp.zeros((len(a), count), dtype=int)
    wp.launch(overlaps, dim=len(a), inputs=[tree, wp.array(a, dtype=wp.vec3), wp.array(b, dtype=wp.vec3), out])
    return out.numpy()


@pytest.mark.parametrize("count", [0, 1, 2, 700])
@pytest.mark.parametrize("constructor", [None, "sah", "Median", "lbvh", "CUBQL"])
def test_overlaps_are_those_of_brute_force(count: int, constructor: str | None) -> None:
    low, high = boxes(count)
    tree = built(low, high, constructor=constructor, leaf_size=1 + count % 5)
    a, b = boxes(50, 1.5)
    assert (found(tree, a, b, count) == meet(low, high, a, b)).all()


def test_rays_and_limits() -> None:
    low, high = boxes(300)
    tree = built(low, high)
    starts = RNG.uniform(-4, 4, (60, 3)).astype(np.float32)
    dirs = RNG.normal(size=(60, 3)).astype(np.float32)
    with np.errstate(divide="ignore"):
        ends = np.stack([low[None] - starts[:, None], high[None] - starts[:, None]]) / dirs[:, None]
    enter, leave = ends.min(0).max(2), ends.max(0).min(2)
    for far in (np.inf, 1.5, 0.0, -1.0):
        out = wp.zeros((60, 300), dtype=int)
        given = [tree, wp.array(starts, dtype=wp.vec3), wp.array(dirs, dtype=wp.vec3), far, out]
        wp.launch(along, dim=60, inputs=given)
        right = (enter <= leave) & (leave >= 0) & (enter < far) & (far >= 0)
        near_edge = np.abs(enter - leave) + np.abs(leave) * np.abs(enter - far) < 1e-5
        assert ((out.numpy() == right) | near_edge).all()


def test_a_loop_over_each_kind_of_query() -> None:
    @wp.kernel
    def count(tree: wp.uint64, out: wp.array(dtype=int)):
        for _ in wp.bvh_query_aabb(tree, wp.vec3(0.0, 0.0, 0.0), wp.vec3(1.0, 1.0, 1.0)):
            out[0] += 1
        for _ in wp.bvh_query_sphere(tree, wp.vec3(0.0, 0.0, 0.0), 1.0):
            out[1] += 1
        for _ in wp.bvh_query_ray(tree, wp.vec3(-1.0, 0.5, 0.5), wp.vec3(1.0, 0.0, 0.0)):
            out[2] += 1
        for _ in wp.bvh_query_capsule(tree, wp.vec3(-1.0, 0.0, 0.0), wp.vec3(1.0, 0.0, 0.0), 0.75):
            out[3] += 1

    low = np.array([[0, 0, 0], [0.9, 0.9, 0.9], [3, 0, 0], [1, 0.7, 0.7]], np.float32)
    tree = built(low, low + np.float32(0.5))
    out = wp.zeros(4, dtype=int)
    wp.launch(count, dim=1, inputs=[tree, out])
    # The corner of the last box is at a distance of more than 1; the thick ray meets the boxes grown by its radius.
    assert out.numpy().tolist() == [3, 1, 2, 3]


def test_queries_in_functions_and_nested() -> None:
    @wp.func
    def total(q: wp.BvhQuery):
        n = int(0)
        j = int(0)
        while wp.bvh_query_next(q, j):
            n += j + 1
        return n

    @wp.kernel
    def sums(tree: wp.uint64, out: wp.array(dtype=int)):
        q = wp.bvh_query_aabb(tree, wp.vec3(0.0), wp.vec3(1.0))
        if wp.tid() == 1:
            q = wp.bvh_query_sphere(tree, wp.vec3(3.0, 0.0, 0.0), 0.1)
        n = total(q)
        for i in wp.bvh_query_aabb(tree, wp.vec3(0.0), wp.vec3(9.0)):
            for j in wp.bvh_query_aabb(tree, wp.vec3(0.0), wp.vec3(9.0)):
                n += 100 * (i + 1) * (j + 1)
        out[wp.tid()] = n

    low = np.array([[0, 0, 0], [0.5, 0, 0], [3, 0, 0]], np.float32)
    out = wp.zeros(2, dtype=int)
    wp.launch(sums, dim=2, inputs=[built(low, low + np.float32(0.2)), out])
    assert out.numpy().tolist() == [3 + 3600, 3 + 3600]


def test_groups() -> None:
    @wp.kernel
    def of_group(tree: wp.uint64, group: int, out: wp.array(dtype=int), roots: wp.array(dtype=int)):
        root = wp.bvh_get_group_root(tree, group)
        roots[0] = root
        for j in wp.bvh_query_aabb(tree, wp.vec3(-9.0), wp.vec3(9.0), root):
            out[j] = 1

    low, high = boxes(200)
    groups = RNG.integers(-3, 4, 200).astype(np.int32)
    tree = built(low, high, groups=wp.array(groups))
    assert tree.groups.numpy().tolist() == groups.tolist()
    for group in (-3, 0, 3, 77):
        out, roots = wp.zeros(200, dtype=int), wp.zeros(1, dtype=int)
        wp.launch(of_group, dim=1, inputs=[tree, group, out, roots])
        there = group in groups
        assert (roots.numpy()[0] >= 0) == there
        assert (out.numpy() == ((groups == group) if there else 1)).all()
    tree = built(low, high)
    for group, root in ((0, 0), (1, -1)):
        wp.launch(of_group, dim=1, inputs=[tree, group, out, roots])
        assert roots.numpy()[0] == root


def test_refit_and_rebuild_follow_the_arrays() -> None:
    low, high = boxes(300)
    tree = built(low, high)
    a, b = boxes(40, 1.0)
    kept = tree.id
    for act in (tree.refit, tree.rebuild, lambda: tree.rebuild("median")):
        by = RNG.normal(size=(300, 3)).astype(np.float32)
        before = found(tree, a, b, 300)
        low, high = low + by, high + by
        tree.lowers.assign(low)
        tree.uppers.assign(high)
        assert (found(tree, a, b, 300) == before).all()
        act()
        assert (found(tree, a, b, 300) == meet(low, high, a, b)).all()
    assert tree.id == kept


def test_a_graph_refits_the_tree() -> None:
    low, high = boxes(100)
    tree = built(low, high)
    a, b = boxes(20, 1.0)
    out = wp.zeros((20, 100), dtype=int)
    given = [tree, wp.array(a, dtype=wp.vec3), wp.array(b, dtype=wp.vec3), out]
    with wp.ScopedCapture() as capture:
        out.zero_()
        tree.refit()
        wp.launch(overlaps, dim=20, inputs=given)
    for _ in range(3):
        low, high = low + np.float32(0.3), high + np.float32(0.3)
        tree.lowers.assign(low)
        tree.uppers.assign(high)
        wp.capture_launch(capture.graph)
        assert (out.numpy() == meet(low, high, a, b)).all()


def test_odd_boxes() -> None:
    low, high = boxes(40)
    low[3, 1] = np.nan
    high[5] = np.nan
    low[6], high[6] = -np.inf, np.inf
    low[7], high[7] = high[7].copy(), low[7].copy()
    tree = built(low, high)
    a, b = boxes(50, 2.0)
    a[3] = np.nan
    out = found(tree, a, b, 40)
    assert (out == meet(low, high, a, b)).all()
    assert out[:, 6].sum() == 49
    assert out[:, [3, 5]].sum() == 0


def test_copies_and_pickles() -> None:
    low, high = boxes(40)
    tree = built(low, high, groups=wp.zeros(40, dtype=int))
    a, b = boxes(20, 1.0)
    right = found(tree, a, b, 40)
    for other in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert other.id != tree.id
        assert (found(other, a, b, 40) == right).all()
        assert other.groups is not None


def test_what_is_refused() -> None:
    low, high = (wp.array(x, dtype=wp.vec3) for x in boxes(4))
    with pytest.raises(TypeError, match="lowers is ndarray"):
        wp.Bvh(low.numpy(), high)
    with pytest.raises(RuntimeError, match="uppers is an array of vec.3, float64"):
        wp.Bvh(low, wp.zeros(4, dtype=wp.vec3d))
    with pytest.raises(RuntimeError, match="uppers has 3 elements, lowers has 4"):
        wp.Bvh(low, high[:3])
    with pytest.raises(RuntimeError, match="groups has 3 elements"):
        wp.Bvh(low, high, groups=wp.zeros(3, dtype=int))
    with pytest.raises(ValueError, match="'best', expected one of 'sah'"):
        wp.Bvh(low, high, constructor="best")
    with pytest.raises(ValueError, match="leaf size is 0"):
        wp.Bvh(low, high, leaf_size=0)
    tree = wp.Bvh(low, high)
    with pytest.raises(ValueError, match="constructor"):
        tree.rebuild("")
    gone = tree.id
    del tree
    gc.collect()
    out = wp.zeros((1, 4), dtype=int)
    for wrong, what in (
        (0, "0 is no id"),
        (gone, "Bvh with the id .* has been deleted"),
        (wp.HashGrid(1, 1, 1), "HashGrid"),
    ):
        with pytest.raises(ValueError, match=what):
            wp.launch(overlaps, dim=1, inputs=[wrong, low, high, out])
