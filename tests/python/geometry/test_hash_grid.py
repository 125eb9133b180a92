"""``wp.HashGrid``: what queries find, how long a grid lives, and what is refused."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(7)


@wp.kernel
def count_near(grid: wp.uint64, points: wp.array(dtype=wp.vec3), radius: float, counts: wp.array(dtype=int)):
    i = wp.tid()
    p = points[i]
    query = wp.hash_grid_query(grid, p, radius)
    j = int(0)
    n = int(0)
    while wp.hash_grid_query_next(query, j):
        if wp.length(p - points[j]) <= radius:
            n += 1
    counts[i] = n


@wp.kernel
def density(grid: wp.uint64, points: wp.array(dtype=wp.vec3), radius: float, out: wp.array(dtype=float)):
    i = wp.tid()
    p = points[i]
    total = float(0.0)
    for j in wp.hash_grid_query(grid, p, radius):
        d = wp.length_sq(p - points[j]) / (radius * radius)
        if d < 1.0:
            total += (1.0 - d) ** 3.0
    out[i] = total


def near(points: np.ndarray, radius: float) -> np.ndarray:
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return (apart <= radius).sum(1)


def built(points: np.ndarray, radius: float, dims: tuple[int, int, int] = (16, 16, 16)) -> tuple[Any, Any]:
    array = wp.array(points, dtype=wp.vec3)
    grid = wp.HashGrid(*dims)
    grid.build(array, radius)
    return grid, array


@pytest.mark.parametrize("dims", [(16, 16, 16), (1, 1, 1), (2, 3, 5), (128, 64, 32)])
def test_neighbours_are_those_of_brute_force(dims: tuple[int, int, int]) -> None:
    points = RNG.uniform(-2, 2, (500, 3)).astype(np.float32)
    grid, array = built(points, 0.4, dims)
    counts = wp.zeros(len(points), dtype=int)
    for given in (grid, grid.id, wp.uint64(grid.id), np.uint64(grid.id)):
        counts.zero_()
        wp.launch(count_near, dim=len(points), inputs=[given, array, 0.4], outputs=[counts])
        assert (counts.numpy() == near(points, np.float32(0.4))).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_positions_of_any_float(dtype: str) -> None:
    scalar = getattr(wp, dtype)
    vector = {"float16": wp.vec3h, "float32": wp.vec3, "float64": wp.vec3d}[dtype]

    @wp.kernel
    def found(grid: wp.uint64, points: wp.array(dtype=vector), r: scalar, marks: wp.array2d(dtype=int)):
        i = wp.tid()
        for j in wp.hash_grid_query(grid, points[i], r):
            marks[i, j] = marks[i, j] + 1

    points = RNG.uniform(-1, 1, (60, 3)).astype(dtype)
    grid = wp.HashGrid(8, 8, 8, dtype=scalar)
    array = wp.array(points, dtype=vector)
    grid.build(array, 0.3)
    marks = wp.zeros((60, 60), dtype=int)
    wp.launch(found, dim=60, inputs=[grid, array, 0.3, marks])
    apart = np.abs(points[:, None].astype(float) - points[None]).max(2)
    assert (marks.numpy()[apart <= 0.299] == 1).all()
    assert marks.numpy().max() == 1


def test_groups() -> None:
    @wp.kernel
    def found(grid: wp.uint64, points: wp.array(dtype=wp.vec3), group: int, marks: wp.array2d(dtype=int)):
        i = wp.tid()
        for j in wp.hash_grid_query(grid, points[i], 0.5, group):
            marks[i, j] = 1

    points = RNG.uniform(-1, 1, (80, 3)).astype(np.float32)
    groups = RNG.integers(-3, 4, 80).astype(np.int32)
    grid = wp.HashGrid(4, 4, 4)
    array = wp.array(points, dtype=wp.vec3)
    grid.build(array, 0.5, wp.array(groups))
    apart = np.abs(points[:, None] - points[None]).max(2)
    for group in range(-4, 5):
        marks = wp.zeros((80, 80), dtype=int)
        wp.launch(found, dim=80, inputs=[grid, array, group, marks])
        assert (marks.numpy()[:, groups != group] == 0).all()
        assert (marks.numpy()[(apart <= 0.5) & (groups == group)[None]] == 1).all()
    assert grid.groups.numpy().tolist() == groups.tolist()
    # Of a grid without groups, all points are found.
    grid.build(array, 0.5)
    assert grid.groups is None
    marks = wp.zeros((80, 80), dtype=int)
    wp.launch(found, dim=80, inputs=[grid, array, 99, marks])
    assert (marks.numpy()[apart <= 0.5] == 1).all()


def test_a_grid_repeats_in_space() -> None:
    """Users make periodic domains of that."""

    @wp.kernel
    def found(grid: wp.uint64, p: wp.vec3, marks: wp.array(dtype=int)):
        for j in wp.hash_grid_query(grid, p, 0.25):
            marks[j] = 1

    grid, _ = built(np.array([[0.1, 0.1, 0.1]], np.float32), 0.5, (4, 4, 4))
    for far in (0.0, 2.0, -6.0):
        marks = wp.zeros(1, dtype=int)
        wp.launch(found, dim=1, inputs=[grid, wp.vec3(far + 0.1, 0.1, 0.1), marks])
        assert marks.numpy()[0] == 1


@wp.kernel
def order(grid: wp.uint64, out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.hash_grid_point_id(grid, i - 1)


def test_points_in_the_order_of_cells() -> None:
    points = np.array([[3.5, 0, 0], [0.5, 0, 0], [3.6, 0, 0], [1.5, 0, 0]], np.float32)
    grid, _ = built(points, 1.0, (4, 1, 1))
    out = wp.zeros(6, dtype=int)
    wp.launch(order, dim=6, inputs=[grid, out])
    assert out.numpy().tolist() == [-1, 1, 3, 0, 2, -1]
    wp.launch(order, dim=6, inputs=[wp.HashGrid(2, 2, 2), out])
    assert out.numpy().tolist() == [-1] * 6


@wp.kernel
def attraction(
    grid: wp.uint64,
    points: wp.array(dtype=wp.vec3),
    radius: float,
    counts: wp.array(dtype=int),
    energy: wp.array(dtype=float),
):
    i = wp.tid()
    p = points[i]
    for j in wp.hash_grid_query(grid, p, radius):
        d = wp.length(p - points[j]) / radius
        if d < 1.0:
            counts[i] = counts[i] + 1
            wp.atomic_add(energy, 0, (1.0 - d) * (1.0 - d))


@pytest.mark.parametrize("lanes", ["auto", "always", "never", 4])
@pytest.mark.parametrize("count", [1, 37, 1000])
def test_each_thread_runs_once_in_the_order_of_cells(lanes: str | int, count: int) -> None:
    """In lanes and one at a time; sums differ by rounding alone."""
    rng = np.random.default_rng(count)
    points = rng.uniform(0, 1, (count, 3)).astype(np.float32)
    radius = 0.3
    apart = np.linalg.norm(points[:, None] - points[None], axis=2) / np.float32(radius)
    weights = np.where(apart < 1, 1 - apart, 0).astype(np.float64)
    away = points[:, None].astype(np.float64) - points[None]
    slopes = -4 * weights[..., None] * away / np.maximum(apart * radius * radius, 1e-30)[..., None]
    old = wp.config.lanes
    wp.config.lanes = lanes
    try:
        grid, array = built(points, radius, (7, 5, 3))
        array.requires_grad = True
        counts, energy = wp.zeros(count, dtype=int), wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(attraction, dim=count, inputs=[grid, array, radius], outputs=[counts, energy])
        tape.backward(energy)
    finally:
        wp.config.lanes = old
    assert (counts.numpy() == (apart < 1).sum(1)).all()
    np.testing.assert_allclose(energy.numpy()[0], (weights**2).sum(), rtol=1e-5)
    np.testing.assert_allclose(array.grad.numpy(), slopes.sum(1), rtol=1e-3, atol=2e-3)


def test_points_are_flattened_and_may_be_strided() -> None:
    points = RNG.uniform(-1, 1, (10, 6, 3)).astype(np.float32)
    grid = wp.HashGrid(8, 8, 8)
    array = wp.array(points, dtype=wp.vec3)
    grid.build(array[::2], 0.5)
    flat = wp.array(points[::2].reshape(-1, 3), dtype=wp.vec3)
    counts = wp.zeros(30, dtype=int)
    wp.launch(count_near, dim=30, inputs=[grid, flat, 0.5], outputs=[counts])
    assert (counts.numpy() == near(points[::2].reshape(-1, 3), np.float32(0.5))).all()


def test_a_query_is_a_value() -> None:
    """In functions, in variables that differ on two ways, and several at once."""

    @wp.func
    def total(q: wp.HashGridQuery):
        n = int(0)
        j = int(0)
        while wp.hash_grid_query_next(q, j):
            n += j
        return n

    @wp.func
    def begin(grid: wp.uint64, p: wp.vec3) -> wp.HashGridQuery:
        return wp.hash_grid_query(grid, p, 0.2)

    @wp.kernel
    def both(a: wp.uint64, b: wp.uint64, p: wp.vec3, out: wp.array(dtype=int)):
        q = begin(a, p)
        if wp.tid() == 1:
            q = begin(b, p)
        n = total(q)
        # Nested, of two grids.
        for i in wp.hash_grid_query(a, p, 0.2):
            for j in wp.hash_grid_query(id=b, point=p, max_dist=0.2):
                n += 1000 * (i + 1) * (j + 1)
        out[wp.tid()] = n

    origin = np.zeros((3, 3), np.float32)
    a, _ = built(origin, 0.5)
    b, _ = built(origin[:2], 0.5)
    out = wp.zeros(2, dtype=int)
    wp.launch(both, dim=2, inputs=[a, b, wp.vec3(), out])
    assert out.numpy().tolist() == [3 + 18000, 1 + 18000]


def test_ids_in_arrays_and_structs() -> None:
    @wp.struct
    class Scene:
        grid: wp.uint64
        radius: float

    @wp.kernel
    def count(ids: wp.array(dtype=wp.uint64), scene: Scene, out: wp.array(dtype=int)):
        i = wp.tid()
        for _ in wp.hash_grid_query(ids[i], wp.vec3(), scene.radius):
            out[i] += 1
        for _ in wp.hash_grid_query(scene.grid, wp.vec3(), scene.radius):
            out[i] += 10

    grids = [built(np.zeros((n, 3), np.float32), 0.5)[0] for n in range(1, 40)]
    scene = Scene()
    scene.grid = grids[2].id
    scene.radius = 0.1
    out = wp.zeros(39, dtype=int)
    wp.launch(count, dim=39, inputs=[wp.array([g.id for g in grids], dtype=wp.uint64), scene, out])
    assert out.numpy().tolist() == [30 + n for n in range(1, 40)]


def test_a_wrong_id_is_an_error() -> None:
    points = wp.zeros(4, dtype=wp.vec3)
    counts = wp.zeros(4, dtype=int)
    gone = wp.HashGrid(2, 2, 2).id
    double = wp.HashGrid(2, 2, 2, dtype=wp.float64)
    said = {
        0: "0 is no id of an object",
        12345: "12345 is no id",
        gone: "has been deleted",
        double.id: "is the id of a HashGrid of float64; the query needs a HashGrid of float32",
    }
    for wrong, what in said.items():
        with pytest.raises(ValueError, match=what) as caught:
            wp.launch(count_near, dim=4, inputs=[wrong, points, 1.0, counts])
        assert "wp.hash_grid_query(grid, p, radius)" in str(caught.value)


def test_a_temporary_grid_lives_as_long_as_its_launch() -> None:
    points = wp.zeros(4, dtype=wp.vec3)
    counts = wp.zeros(4, dtype=int)

    def make() -> Any:
        grid = wp.HashGrid(2, 2, 2)
        grid.build(points, 1.0)
        return grid

    wp.launch(count_near, dim=4, inputs=[make(), points, 1.0, counts])
    assert counts.numpy().tolist() == [4] * 4


def test_what_records_a_launch_keeps_its_grid() -> None:
    points = wp.array(RNG.uniform(-1, 1, (50, 3)).astype(np.float32), dtype=wp.vec3, requires_grad=True)
    grid = wp.HashGrid(8, 8, 8)
    grid.build(points, 0.5)
    out = wp.zeros(50, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(density, dim=50, inputs=[grid, points, 0.5, out])
    command = wp.launch(density, dim=50, inputs=[grid, points, 0.5, out], record_cmd=True)
    with wp.ScopedCapture() as capture:
        wp.launch(density, dim=50, inputs=[grid, points, 0.5, out])
    first, gone = out.numpy(), grid.id
    del grid
    gc.collect()
    tape.backward(grads={out: wp.ones(50, dtype=float)})
    for run in (command.launch, functools.partial(wp.capture_launch, capture.graph)):
        out.zero_()
        run()
        assert (out.numpy() == first).all()
    del command, capture, tape, run
    gc.collect()
    with pytest.raises(ValueError, match="deleted"):
        wp.launch(density, dim=50, inputs=[gone, points, 0.5, out])


def test_gradients_of_what_a_kernel_does_with_neighbours() -> None:
    start = RNG.uniform(-0.5, 0.5, (24, 3)).astype(np.float32)
    points = wp.array(start, dtype=wp.vec3, requires_grad=True)
    grid = wp.HashGrid(4, 4, 4)
    grid.build(points, 0.6)
    out = wp.zeros(24, dtype=float, requires_grad=True)
    seed = RNG.uniform(0.5, 1.5, 24).astype(np.float32)
    with wp.Tape() as tape:
        wp.launch(density, dim=24, inputs=[grid, points, 0.6, out])
    tape.backward(grads={out: wp.array(seed)})

    def objective(x: np.ndarray) -> float:
        d = ((x[:, None] - x[None]) ** 2).sum(2) / 0.36
        return float((seed[:, None] * np.where(d < 1, (1 - d) ** 3, 0)).sum())

    found, x = points.grad.numpy(), start.astype(float)
    for i, c in [(0, 0), (5, 1), (11, 2), (23, 0)]:
        step = np.zeros_like(x)
        step[i, c] = 1e-5
        right = (objective(x + step) - objective(x - step)) / 2e-5
        assert found[i, c] == pytest.approx(right, rel=2e-3, abs=2e-3)


def test_a_graph_builds_the_grid_anew() -> None:
    points = wp.array(RNG.uniform(-1, 1, (40, 3)).astype(np.float32), dtype=wp.vec3)
    grid = wp.HashGrid(8, 8, 8)
    counts = wp.zeros(40, dtype=int)
    with wp.ScopedCapture() as capture:
        grid.build(points, 0.5)
        wp.launch(count_near, dim=40, inputs=[grid, points, 0.5], outputs=[counts])
    for _ in range(3):
        moved = RNG.uniform(-1, 1, (40, 3)).astype(np.float32)
        points.assign(moved)
        wp.capture_launch(capture.graph)
        assert (counts.numpy() == near(moved, np.float32(0.5))).all()


def test_copies_and_pickles_are_grids_of_their_own() -> None:
    points = RNG.uniform(-1, 1, (40, 3)).astype(np.float32)
    grid, array = built(points, 0.5)
    for other in (copy.copy(grid), copy.deepcopy(grid), pickle.loads(pickle.dumps(grid))):
        assert other.id != grid.id
        assert repr(other) == repr(grid)
        counts = wp.zeros(40, dtype=int)
        wp.launch(count_near, dim=40, inputs=[other, array, 0.5], outputs=[counts])
        assert (counts.numpy() == near(points, np.float32(0.5))).all()


def test_odd_positions_harm_nobody() -> None:
    points = RNG.uniform(-1, 1, (40, 3)).astype(np.float32)
    points[3] = np.nan
    points[5, 1] = np.inf
    points[7] = 1e30
    grid, array = built(points, 0.5)
    counts = wp.zeros(40, dtype=int)
    wp.launch(count_near, dim=40, inputs=[grid, array, 0.5], outputs=[counts])
    with np.errstate(invalid="ignore"):
        right = near(points, np.float32(0.5))
    right[7] = 1
    assert (counts.numpy() == right).all()


@pytest.mark.parametrize(
    ("dims", "said"),
    [
        ((0, 1, 1), "dim_x is 0"),
        ((1, -2, 1), "dim_y is -2"),
        ((2048, 2048, 2048), "too many"),
        ((1 << 70, 1, 1), "too many"),
    ],
)
def test_dimensions_are_checked(dims: tuple[int, int, int], said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        wp.HashGrid(*dims)
    assert isinstance(caught.value, RuntimeError)


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="dim_x is 2.5"):
        wp.HashGrid(2.5, 1, 1)
    with pytest.raises(TypeError, match="dtype is"):
        wp.HashGrid(1, 1, 1, dtype=wp.int32)
    grid = wp.HashGrid(2, 2, 2)
    points = wp.zeros(3, dtype=wp.vec3)
    with pytest.raises(TypeError, match="points is ndarray"):
        grid.build(np.zeros((3, 3), np.float32), 1.0)
    with pytest.raises(TypeError, match="points"):
        grid.build(wp.zeros(3, dtype=wp.vec3d), 1.0)
    with pytest.raises(ValueError, match="groups has 2 elements, points has 3"):
        grid.build(points, 1.0, wp.zeros(2, dtype=int))
    for radius in (0.0, -1.0, float("nan"), float("inf"), 1e-42):
        with pytest.raises(ValueError, match="radius"):
            grid.build(points, radius)
    with pytest.raises(ValueError, match="num_points is -1"):
        grid.reserve(-1)


def test_a_query_outside_of_kernels_is_refused() -> None:
    with pytest.raises(TypeError, match="only kernels"):
        wp.hash_grid_query(1, wp.vec3(), 1.0)
    assert "max_dist" in wp.hash_grid_query.__doc__


def test_numbers_written_in_a_call_take_the_types_of_the_query() -> None:
    @wp.kernel
    def found(single: wp.uint64, double: wp.uint64, out: wp.array(dtype=int)):
        for _ in wp.hash_grid_query(single, wp.vec3(0.0), 1):
            out[0] += 1
        for _ in wp.hash_grid_query(double, wp.vec3d(), max_dist=1.0):
            out[1] += 1

    single, _ = built(np.zeros((3, 3), np.float32), 0.5)
    double = wp.HashGrid(2, 2, 2, dtype=wp.float64)
    double.build(wp.zeros(2, dtype=wp.vec3d), 0.5)
    out = wp.zeros(2, dtype=int)
    wp.launch(found, dim=1, inputs=[single, double, out])
    assert out.numpy().tolist() == [3, 2]


def test_a_wrong_call_says_what_is_wrong() -> None:
    @wp.kernel
    def flat(grid: wp.uint64):
        for _ in wp.hash_grid_query(grid, wp.vec2(), 1.0):
            pass

    with pytest.raises(wp.WarpCodegenError, match=r"no overload of function `hash_grid_query` takes \(uint64, vec\(2"):
        wp.launch(flat, dim=1, inputs=[1])
