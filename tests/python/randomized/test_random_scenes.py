"""Random and degenerate scenes: brute force, the interpreter, code for one thread, lanes and GPUs find the same.

Each integer of each query is compared: faces, boxes, points, numbers of voxels, counts and orders. `make soak` looks at
10,000 scenes; `WARP_RANDOM_SCENES` is another number. A GPU is asked where there is one, and by `gpu/geometry`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp
from warp import _warp

from . import random_kernels, random_scenes
from .rare.rare_kernels import compiled_as
from .scene_kernels import MESH, MODES, kernels, measure, sample

COUNT = int(os.environ.get("WARP_RANDOM_SCENES", "10000" if random_kernels.SOAK else "60"))
FIRST = int(os.environ.get("WARP_RANDOM_FIRST", "0"))
PARTS = 5
QUERIES = 13
#: Of those whose derivatives are compared.
FEW = 4


def seeds() -> range:
    """Those of one of the five tests."""
    return range(FIRST, FIRST + -(-COUNT // PARTS))


def ask(
    name: str, dim: int, inputs: Callable[[], list[Any]], outputs: list[np.ndarray], about: str
) -> list[np.ndarray]:
    """What a kernel finds; all ways to run it find the same. `inputs` makes arguments on the current device."""
    found: list[list[np.ndarray]] = []
    with wp.ScopedDevice("cpu"):
        passed = inputs()
        for mode in MODES:
            arrays = [wp.array(values) for values in outputs]
            with compiled_as(mode, 0 if COUNT < 1000 else None):
                wp.launch(kernels(mode)[name], dim, inputs=passed, outputs=arrays)
            found.append([array.numpy() for array in arrays])
            same(found, about, f"{mode}")
        arrays = [wp.array(values) for values in outputs]
        _warp.interpret(kernels(MODES[0])[name], dim, [*passed, *arrays])
        found.append([array.numpy() for array in arrays])
        same(found, about, "interpreter", 1e-5)
    for device in wp.get_cuda_devices()[:1]:
        with wp.ScopedDevice(device):
            arrays = [wp.array(values) for values in outputs]
            wp.launch(kernels(MODES[0])[name], dim, inputs=inputs(), outputs=arrays)
            found.append([array.numpy() for array in arrays])
            same(found, about, str(device), 1e-5)
    return found[0]


def same(found: list[list[np.ndarray]], about: str, mode: str, close: float = 0.0) -> None:
    """What was found last is what was found first, sums of float32 up to `close`."""
    for ours, first in zip(found[-1], found[0], strict=True):
        if ours.dtype == np.float32 and close:
            np.testing.assert_allclose(ours, first, rtol=close, atol=close, err_msg=f"{about}, {mode}")
        else:
            np.testing.assert_array_equal(ours, first, err_msg=f"{about}, {mode}")


def vectors(values: np.ndarray, dtype: Any = wp.vec3) -> Any:
    return wp.array(values, dtype=dtype)


def limits(rng: np.random.Generator) -> np.ndarray:
    return rng.choice([np.inf, 0.5, 2.0, 0.0, -1.0, np.nan, 1e-3], QUERIES, p=[0.4, 0.2, 0.2, 0.05, 0.05, 0.05, 0.05])


def alike(scene: random_scenes.Mesh, face: int) -> int:
    """The first face with the same corners, in whatever order."""
    corners = np.sort(scene.points[scene.faces].view("f4,f4,f4")[..., 0], axis=1)
    return int(np.flatnonzero((corners == corners[face]).all(axis=1))[0])


def test_meshes() -> None:
    for seed in seeds():
        check_of_a_mesh(seed)


def check_of_a_mesh(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = random_scenes.mesh(rng)
    winding = bool(rng.integers(2))
    at = random_scenes.places(rng, scene, QUERIES)
    starts, rays = random_scenes.rays(rng, scene, QUERIES)
    reach, group = limits(rng).astype(np.float32), rng.integers(-3, 4, QUERIES).astype(np.int32)

    def inputs() -> list[Any]:
        faces = wp.array(scene.faces.ravel(), dtype=int)
        groups = None if scene.groups is None else wp.array(scene.groups, dtype=int)
        mesh = wp.Mesh(vectors(scene.points), faces, support_winding_number=winding, groups=groups)
        return [mesh, vectors(at), vectors(starts), vectors(rays), wp.array(reach), wp.array(group)]

    (out,) = ask("mesh", QUERIES, inputs, [np.zeros((QUERIES, len(MESH)), np.int32)], f"mesh {seed}")
    for i in range(QUERIES):
        found = dict(zip(MESH, out[i].tolist(), strict=True))
        about = f"mesh {seed}, query {i}: {found}"
        check_points(scene, at[i], float(reach[i]), found, about)
        check_rays(scene, starts[i], rays[i], float(reach[i]), int(group[i]), found, about)
        low, high = np.fmin(at[i], starts[i]), np.fmax(at[i], starts[i])
        check_box(scene, low, high, found["in box"], about)


def check_points(scene: random_scenes.Mesh, p: np.ndarray, reach: float, found: dict[str, int], about: str) -> None:
    corners, face = scene.corners(), found["closest"]
    far = random_scenes.squares(corners, p.astype(float))
    far = np.where(np.isnan(far), np.inf, far)
    limit = reach * reach if reach > 0 else -1.0
    least = far.min(initial=np.inf)
    scale = np.nanmax(np.abs(corners - p), initial=0.0) ** 2 * random_scenes.CLOSE
    if np.isinf(limit) or abs(least - limit) > scale:
        assert (face >= 0) == (least < limit), about
    if face >= 0:
        assert far[face] <= least + scale, about
        assert alike(scene, face) == face, about
        # Where a corner is nearest, all its faces are as near as each other.
        corner = ((corners - p) ** 2).sum(axis=2).min(axis=1)
        same = np.flatnonzero((corner == corner[face]) & (corner == far))
        assert not len(same) or face not in same or same[0] == face, about
    ends = ((corners - p.astype(float)) ** 2).sum(axis=2).max(axis=1)
    beyond = ends > (reach * reach if reach > 0 else -1.0)
    if not np.isnan(reach):
        first = int(np.argmax(np.where(beyond, ends, -1.0))) if beyond.any() else -1
        assert found["furthest"] == first, about
    if scene.closed and np.isfinite(p).all():
        inside = random_scenes.enclosed(scene, p)
        if inside is not None:
            assert found["by parity"] == (-1 if sum(inside) % 2 else 1), about
            assert found["by winding"] == (-1 if any(inside) else 1), about
            if len(inside) == 1:
                assert found["by normal"] == (-1 if inside[0] else 1), about
                assert found["side by rays"] in (0, -1 if inside[0] else 1), about
    if not np.isnan(far).any() and reach > 0 and (np.abs(far - reach * reach) > scale).all():
        ball = np.flatnonzero(far <= reach * reach)
        assert found["in ball"] == wrapped((1 + ball * ball).sum()), about


def wrapped(number: int) -> int:
    return int(np.int64(number).astype(np.int32))


def check_rays(
    scene: random_scenes.Mesh, start: np.ndarray, along: np.ndarray, reach: float, group: int, found: dict[str, int],
    about: str,
) -> None:  # fmt: skip
    sure, maybe, t = random_scenes.hits(scene, start, along)
    of_group = random_scenes.in_group(scene.groups, len(sure), group)
    for name, allowed, limit in (("first", np.ones(len(sure), bool), reach), ("first of group", of_group, np.inf)):
        face = found[name]
        with np.errstate(invalid="ignore"):
            nearest = np.where(sure & allowed, t, np.inf).min(initial=np.inf)
        if face >= 0:
            assert maybe[face], f"{name}: {about}"
            assert allowed[face], f"{name}: {about}"
            assert not t[face] > nearest * (1 + 1e-6) + 1e-9, f"{name}: {about}"
            assert scene.groups is not None or alike(scene, face) == face, f"{name}: {about}"
        else:
            assert not nearest < limit * (1 - 1e-6), f"{name}: {about}"
    assert found["any"] == (found["first"] >= 0), about
    assert sure.sum() <= found["count"] <= maybe.sum(), about
    assert (sure & of_group).sum() <= found["count of group"] <= (maybe & of_group).sum(), about
    if scene.closed and np.isfinite(along).all() and along.any():
        inside = random_scenes.enclosed(scene, start)
        if inside is not None:
            assert found["count"] % 2 == sum(inside) % 2, about


def check_box(scene: random_scenes.Mesh, low: np.ndarray, high: np.ndarray, found: int, about: str) -> None:
    if not len(scene.faces) or not np.isfinite(scene.points).all():
        return
    corners = scene.points[scene.faces]
    overlap = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)
    bits = 0
    for face in np.flatnonzero(overlap):
        bits ^= (1 << (int(face) % 31)) ^ (int(face) << 4)
    assert found == wrapped(bits), about


def test_trees() -> None:
    for seed in seeds():
        check_of_a_tree(seed)


def check_of_a_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = random_scenes.boxes(rng)
    count = len(scene.lows)
    before, refit = scene, bool(rng.integers(2))
    if rng.random() < 0.3:  # moves them, and takes that in
        scene = random_scenes.Boxes(scene.lows[::-1].copy(), scene.highs[::-1].copy(), scene.groups)
    low = random_scenes.spoilt(rng, random_scenes.numbers(rng, (QUERIES, 3), bool(rng.integers(2))), 0.1)
    high = (low + np.abs(random_scenes.numbers(rng, (QUERIES, 3), bool(rng.integers(2))))).astype(np.float32)
    radius = rng.choice([0.0, 0.5, 2.0, -1.0], QUERIES).astype(np.float32)
    group = rng.integers(-3, 4, QUERIES).astype(np.int32)

    def inputs() -> list[Any]:
        groups = None if scene.groups is None else wp.array(scene.groups, dtype=int)
        tree = wp.Bvh(vectors(before.lows), vectors(before.highs), groups=groups)
        if scene is not before:
            tree.lowers.assign(scene.lows)
            tree.uppers.assign(scene.highs)
            tree.refit() if refit else tree.rebuild()
        return [tree, vectors(low), vectors(high), wp.array(radius), wp.array(group)]

    outputs = [np.zeros((QUERIES, 4, max(count, 1)), np.int32), np.zeros((QUERIES, 4), np.int32)]
    marks, _ = ask("tree", QUERIES, inputs, outputs, f"tree {seed}")
    marks = marks[:, :, :count]
    assert marks.max(initial=0) <= 1, f"tree {seed}: a box is found twice"
    for i in range(QUERIES):
        about = f"tree {seed}, query {i}"
        expected = random_scenes.overlapping(scene, low[i], high[i])
        np.testing.assert_array_equal(marks[i, 0] == 1, expected, err_msg=about)
        of_group = random_scenes.in_group(scene.groups, count, int(group[i]))
        np.testing.assert_array_equal(marks[i, 1] == 1, expected & of_group, err_msg=f"{about}, group")
        sure, maybe = random_scenes.near_boxes(scene, low[i].astype(float), float(radius[i]))
        found = marks[i, 2] == 1
        assert (found >= sure).all(), f"{about}, sphere"
        assert (found <= maybe).all(), f"{about}, sphere"
        sure, maybe = random_scenes.met_boxes(scene, low[i], high[i])
        found = marks[i, 3] == 1
        assert (found >= sure).all(), f"{about}, ray"
        assert (found <= maybe).all(), f"{about}, ray"


def test_hash_grids() -> None:
    for seed in seeds():
        check_of_a_hash_grid(seed)


def check_of_a_hash_grid(seed: int) -> None:
    vector = {"float16": wp.vec3h, "float32": wp.vec3, "float64": wp.vec3d}
    rng = np.random.default_rng(seed)
    scene = random_scenes.grid(rng)
    name = scene.points.dtype.name
    at = random_scenes.numbers(rng, (QUERIES, 3), bool(rng.integers(2)), 2.0).astype(name)
    at[:5] = scene.points[rng.integers(len(scene.points), size=5)] if len(scene.points) else at[:5]
    reach = rng.choice([scene.width, 0.0, 0.3, 2.5 * scene.width, -1.0, 40.0], QUERIES).astype(name)
    group = rng.integers(-3, 4, QUERIES).astype(np.int32)

    def inputs() -> list[Any]:
        grid = wp.HashGrid(*scene.dims, dtype=getattr(wp, name))
        groups = None if scene.groups is None else wp.array(scene.groups, dtype=int)
        grid.build(wp.array(scene.points, dtype=vector[name]), scene.width, groups=groups)
        return [grid, wp.array(at, dtype=vector[name]), wp.array(reach), wp.array(group)]

    outputs = [np.full((QUERIES, max(len(scene.points), 1)), -1, np.int32), np.zeros((QUERIES, 4), np.int32)]
    found, counts = ask(name, QUERIES, inputs, outputs, f"hash grid {seed}")
    for i in range(QUERIES):
        about = f"hash grid {seed}, query {i}: {scene.dims}, {at[i]} +- {reach[i]}"
        expected = random_scenes.candidates(scene, at[i], reach[i], None)
        assert counts[i, 0] == len(expected), about
        assert found[i, : len(expected)].tolist() == expected, about
        of_group = random_scenes.candidates(scene, at[i], reach[i], int(group[i]))
        assert counts[i, 1] == len(of_group), about
        order = 0
        for j in of_group:
            order = wrapped((order * 31 + j + 1) & 0xFFFFFFFF)
        assert counts[i, 2] == order, about
        away = np.sqrt(((scene.points.astype(float) - at[i].astype(float)) ** 2).sum(axis=1))
        assert set(np.flatnonzero(away <= float(reach[i]))) <= set(expected), about


def test_volumes() -> None:
    for seed in seeds():
        check_of_a_volume(seed)


def check_of_a_volume(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spread = int(rng.choice([3, 20, 700, 40_000]))
    count = int(rng.choice([1, 3, 12] if spread > 9_000 else [1, 3, 40, 300]))
    points = rng.integers(-spread, spread, (count, 3)).astype(np.int32)
    tiles = wp.Volume.allocate_by_tiles(wp.array(points, dtype=wp.vec3i), 1.0, 7.5).get_tiles().numpy()
    voxels = wp.Volume.allocate_by_voxels(wp.array(points, dtype=wp.vec3i), 1.0).get_voxels().numpy()
    assert {tuple(t) for t in tiles} == {tuple(p) for p in points // 8 * 8}, f"volume {seed}"
    assert {tuple(v) for v in voxels} == {tuple(p) for p in points}, f"volume {seed}"
    filled = rng.integers(-9, 9, (len(tiles), 8, 8, 8)).astype(np.float32)
    near = points[rng.integers(len(points), size=QUERIES)]
    at = (near + rng.integers(-9, 10, (QUERIES, 3)) * rng.integers(0, 2, (QUERIES, 1))).astype(np.int32)
    places = (at + rng.choice([0, 0.5, 0.25, -0.5], (QUERIES, 3))).astype(np.float32)

    def inputs() -> list[Any]:
        index = wp.Volume.allocate_by_voxels(vectors(points, wp.vec3i), 1.0)
        values = wp.Volume.allocate_by_tiles(vectors(points, wp.vec3i), 1.0, 7.5)
        values.values.assign(filled)
        return [index, values, vectors(at, wp.vec3i), vectors(places)]

    outputs = [np.zeros((QUERIES, 2), np.int32), np.zeros((QUERIES, 3), np.float32)]
    numbers, samples = ask("volume", QUERIES, inputs, outputs, f"volume {seed}")
    of_voxel = {tuple(v): k for k, v in enumerate(voxels.tolist())}
    of_tile = {tuple(t): k for k, t in enumerate(tiles.tolist())}

    def number(v: np.ndarray) -> int:
        tile = of_tile.get(tuple((v // 8 * 8).tolist()), -1)
        x, y, z = (v % 8).tolist()
        return -1 if tile < 0 else 512 * tile + 64 * x + 8 * y + z

    def value(v: np.ndarray) -> float:
        return 7.5 if number(v) < 0 else float(filled.reshape(-1)[number(v)])

    for i in range(QUERIES):
        about = f"volume {seed}, query {i}: {at[i]}, {places[i]}"
        assert numbers[i].tolist() == [of_voxel.get(tuple(at[i].tolist()), -1), number(at[i])], about
        p = places[i].astype(float)
        closest = np.where(p < 0, np.ceil(p - 0.5), np.floor(p + 0.5)).astype(int)
        low = np.floor(p).astype(int)
        blend = sum(
            value(low + np.array([x, y, z])) * np.prod(np.where([x, y, z], p - low, 1 - (p - low)))
            for x in (0, 1) for y in (0, 1) for z in (0, 1)
        )  # fmt: skip
        assert samples[i, :2].tolist() == [value(at[i]), value(closest)], about
        assert samples[i, 2] == pytest.approx(blend, abs=1e-5), about


def slopes(function: Any, values: np.ndarray) -> tuple[np.ndarray, bool]:
    """Central differences in float64, and whether those of both sides agree, as they do where a function is smooth."""
    by = 1e-6 * max(1.0, np.abs(values).max())
    steps = by * np.eye(values.size).reshape(-1, *values.shape)
    middle, more, less = function(values), *(np.array([function(values + s * d) for d in steps]) for s in (1, -1))
    found = ((more - less) / (2 * by)).reshape(values.shape)
    smooth = np.abs(more + less - 2 * middle).max() < 1e-3 * by
    return found, bool(smooth)


def test_gradients() -> None:
    """Of distances and rays by points of meshes and by queries, of samples by voxels: all beside differences."""
    for seed in seeds():
        rng = np.random.default_rng(seed)
        scene = random_scenes.mesh(rng)
        if len(scene.faces) and np.isfinite(scene.points).all():
            check_gradients(rng, scene, f"gradients {seed}")
        check_samples(rng, f"samples {seed}")


def check_gradients(rng: np.random.Generator, scene: random_scenes.Mesh, about: str) -> None:
    points = wp.array(scene.points, dtype=wp.vec3, requires_grad=True)
    mesh = wp.Mesh(points, wp.array(scene.faces.ravel(), dtype=int))
    queries = [random_scenes.numbers(rng, (FEW, 3), False, 3.0) for _ in range(3)]
    at, starts, rays = (wp.array(values, dtype=wp.vec3, requires_grad=True) for values in queries)
    far, t = (wp.zeros(FEW, dtype=float, requires_grad=True) for _ in range(2))
    faces = wp.zeros((FEW, 2), dtype=int)
    with wp.Tape() as tape:
        wp.launch(measure, FEW, inputs=[mesh, at, starts, rays], outputs=[far, t, faces])
    corners = scene.points[scene.faces].astype(np.float64)
    p, s, d = (values.astype(np.float64) for values in queries)
    weights, expected = np.zeros((2, FEW), np.float32), [np.zeros(x.shape) for x in (scene.points, p, s, d)]

    def add(face: int, of_corners: np.ndarray, *more: tuple[int, int, np.ndarray]) -> None:
        np.add.at(expected[0], scene.faces[face], of_corners)
        for of, i, slope in more:
            expected[of][i] += slope

    for i, (near, hit) in enumerate(faces.numpy()):
        scale = np.abs(corners).max()
        if near >= 0 and random_scenes.is_wide(corners[near]) and far.numpy()[i] > 0.05 * scale:
            by_corners, smooth = slopes(lambda c, i=i: distance(c, p[i]), corners[near])
            by_point, too = slopes(lambda q, near=near: distance(corners[near], q), p[i])
            if smooth and too:
                weights[0, i] = 1.0
                add(near, by_corners, (1, i, by_point))
        if hit >= 0 and random_scenes.is_wide(corners[hit]) and abs(facing(corners[hit], d[i])) > 0.2:
            weights[1, i] = 1.0
            by_corners, _ = slopes(lambda c, i=i: random_scenes.way(c, s[i], d[i]), corners[hit])
            by_start, _ = slopes(lambda q, i=i, hit=hit: random_scenes.way(corners[hit], q, d[i]), s[i])
            by_ray, _ = slopes(lambda q, i=i, hit=hit: random_scenes.way(corners[hit], s[i], q), d[i])
            add(hit, by_corners, (2, i, by_start), (3, i, by_ray))
    tape.backward(grads={far: wp.array(weights[0]), t: wp.array(weights[1])})
    for array, right in zip((points, at, starts, rays), expected, strict=True):
        size = max(1.0, np.abs(right).max())
        np.testing.assert_allclose(array.grad.numpy(), right, rtol=2e-3, atol=2e-3 * size, err_msg=about)


def distance(corners: np.ndarray, p: np.ndarray) -> float:
    """Of a point to a triangle."""
    return float(np.sqrt(random_scenes.squares(corners[None], p)[0]))


def facing(corners: np.ndarray, along: np.ndarray) -> float:
    """The cosine between a ray and the normal of a triangle."""
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return float(n @ along / np.linalg.norm(n) / np.linalg.norm(along))


def check_samples(rng: np.random.Generator, about: str) -> None:
    """A sample is a sum over eight voxels: its derivatives are the weights, and sums of values."""
    values = rng.integers(-9, 10, (8, 8, 8)).astype(np.float32)
    volume = wp.Volume.load_from_numpy(values)
    volume.requires_grad = True
    low = rng.integers(0, 7, (QUERIES, 3))
    part = rng.uniform(0.05, 0.95, (QUERIES, 3)).astype(np.float32)
    places = wp.array(low + part, dtype=wp.vec3, requires_grad=True)
    out = wp.zeros(QUERIES, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(sample, QUERIES, inputs=[volume, places], outputs=[out])
    tape.backward(grads={out: wp.ones(QUERIES, dtype=float)})
    part = places.numpy().astype(np.float64) - low
    of_voxels, of_places = np.zeros(values.shape), np.zeros((QUERIES, 3))
    for corner in np.ndindex(2, 2, 2):
        factors = np.where(corner, part, 1 - part)
        voxels = tuple((low + np.array(corner)).T)
        np.add.at(of_voxels, voxels, factors.prod(axis=1))
        for axis in range(3):
            others = np.delete(factors, axis, axis=1).prod(axis=1)
            of_places[:, axis] += (1 if corner[axis] else -1) * others * values[voxels]
    np.testing.assert_allclose(volume.values.grad.numpy()[0], of_voxels, atol=1e-5, err_msg=about)
    np.testing.assert_allclose(places.grad.numpy(), of_places, atol=1e-3, err_msg=about)
