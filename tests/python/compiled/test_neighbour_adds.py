"""Lanes that add to two numbers beside each other at once: what NumPy adds, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp

from support.places import TESTS

MODES = ["always", "never", 2, 4, 8, 16, 32, 64]
TYPES = [wp.float16, wp.float32, wp.float64, wp.int32, wp.uint64]
# Few threads add to what all have, many to copies.
COUNTS = [203, 20_003]


@wp.kernel
def deposit(
    row: wp.array(dtype=int),
    column: wp.array(dtype=int),
    amount: wp.array(dtype=Any),
    some: wp.array(dtype=int),
    grid: wp.array2d(dtype=Any),
):
    p = wp.tid()
    i = row[p]
    j = column[p]
    a = amount[p]
    b = a + a
    wp.atomic_add(grid, i, j, a)
    wp.atomic_add(grid, i, j + 1, b)
    wp.atomic_add(grid, i + 1, j, b + a)
    wp.atomic_add(grid, i + 1, j - 1, a)
    if some[p] > 0:
        wp.atomic_add(grid, i, j + 2, b)
        wp.atomic_add(grid, i, 1 + j, b)


def run_deposit(dtype: Any, lanes: Any, grid: np.ndarray, count: int, checked: bool = True) -> None:
    """Adds to a grid, from both ends and across them: an index below zero counts from the end."""
    rng = np.random.default_rng(7)
    rows, columns = grid.shape
    i = rng.integers(-rows, rows - 1, count).astype(np.int32)
    j = rng.integers(1 - columns, columns - 2, count).astype(np.int32)
    j[rng.random(count) < 0.8] = 3  # groups without an index below zero, too
    j[:: count // 5] = -1
    # Float16 adds nothing to what is large: few units for many threads.
    amount = (rng.random(count) < 100 / count).astype(wp.dtype_to_numpy(dtype))
    some = rng.integers(0, 2, count).astype(np.int32)
    expected = grid.astype(np.float64)
    for rise, step, times in ((0, 0, 1), (0, 1, 2), (1, 0, 3), (1, -1, 1)):
        np.add.at(expected, (i + rise, j + step), times * amount.astype(float))
    for step in (2, 1):
        np.add.at(expected, (i, j + step), np.where(some > 0, 2 * amount.astype(float), 0))
    kernel = wp.Kernel(deposit.func, options={"lanes": lanes, "check_bounds": checked})
    sums = wp.array(grid, dtype=dtype, copy=False)
    given = [wp.array(a) for a in (i, j)]
    wp.launch(kernel, dim=count, inputs=[*given, wp.array(amount, dtype=dtype), wp.array(some), sums])
    np.testing.assert_array_equal(sums.numpy(), expected)


def grid_of(dtype: Any) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 9, (9, 11)).astype(wp.dtype_to_numpy(dtype))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_adds_to_neighbours_in_a_row(dtype: Any, count: int) -> None:
    for lanes in MODES:
        for checked in (True, False):
            run_deposit(dtype, lanes, grid_of(dtype), count, checked)


@pytest.mark.parametrize("count", COUNTS)
def test_adds_to_rows_that_do_not_follow_each_other(count: int) -> None:
    wide = np.random.default_rng(4).integers(0, 9, (18, 22)).astype(np.float32)
    for grid in (wide[::2, ::2], wide[:9, 2:13], wide[8::-1, :11]):
        run_deposit(wp.float32, "always", grid, count)


@wp.kernel
def shares(
    at: wp.array(dtype=int),
    force: wp.array(dtype=wp.vec3),
    forces: wp.array(dtype=wp.vec3),
    turns: wp.array(dtype=wp.quatd),
):
    p = wp.tid()
    k = at[p]
    f = force[p]
    wp.atomic_add(forces, k, f)
    wp.atomic_sub(forces, k // 2, 2.0 * f)
    if k % 3 == 0:
        wp.atomic_add(turns, k, wp.quatd(1.0, 2.0, 3.0, wp.float64(f[0])))


def run_shares(lanes: Any, count: int) -> None:
    rng = np.random.default_rng(5)
    at = rng.integers(0, 40, count).astype(np.int32)
    force = rng.integers(-9, 9, (count, 3)).astype(np.float32)
    forces, turns = wp.zeros(40, dtype=wp.vec3), wp.zeros(40, dtype=wp.quatd)
    kernel = wp.Kernel(shares.func, options={"lanes": lanes})
    wp.launch(kernel, dim=count, inputs=[wp.array(at), wp.array(force, dtype=wp.vec3), forces, turns])
    expected, turned = np.zeros((40, 3)), np.zeros((40, 4))
    np.add.at(expected, at, force)
    np.subtract.at(expected, at // 2, 2 * force)
    third = at % 3 == 0
    np.add.at(turned, at[third], np.stack([[1.0, 2.0, 3.0, f] for f in force[third, 0]]))
    np.testing.assert_array_equal(forces.numpy(), expected)
    np.testing.assert_array_equal(turns.numpy(), turned)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("lanes", MODES)
def test_components_of_elements_anywhere(lanes: Any, count: int) -> None:
    run_shares(lanes, count)


LEVELS = """
from compiled import test_neighbour_adds as t
for count in t.COUNTS:
    for dtype in t.TYPES:
        for lanes in t.MODES:
            t.run_deposit(dtype, lanes, t.grid_of(dtype), count)
    for lanes in t.MODES:
        t.run_shares(lanes, count)
print("done")
"""


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v3"])
def test_older_processors(level: str) -> None:
    env = {**os.environ, "WARP_CPU": level, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    done = subprocess.run([sys.executable, "-c", LEVELS], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("done\n"), done.stderr


@wp.kernel
def chain(at: wp.array(dtype=int), x: wp.array(dtype=float), grid: wp.array(dtype=float)):
    """An element is read between the adds, which stay where they are."""
    i = wp.tid()
    k = at[i]
    wp.atomic_add(grid, k, x[i])
    wp.atomic_add(grid, k + 1, 2.0 * x[i + 1] - 1.0)


@pytest.mark.parametrize("lanes", MODES)
def test_reads_between_adds(lanes: Any) -> None:
    count = 20_000
    at = np.random.default_rng(1).integers(0, 49, count).astype(np.int32)
    x = np.random.default_rng(2).integers(0, 9, count + 1).astype(np.float32)
    grid = wp.zeros(50)
    wp.launch(wp.Kernel(chain.func, options={"lanes": lanes}), dim=count, inputs=[wp.array(at), wp.array(x), grid])
    expected = np.zeros(50)
    np.add.at(expected, at, x[:-1])
    np.add.at(expected, at + 1, 2 * x[1:] - 1)
    np.testing.assert_array_equal(grid.numpy(), expected)


@wp.kernel
def interpolate(field: wp.array2d(dtype=wp.float64), points: wp.array(dtype=wp.vec2d), out: wp.array(dtype=wp.float64)):
    p = wp.tid()
    x = points[p][0]
    y = points[p][1]
    j = int(x)
    i = int(y)
    u = x - wp.float64(j)
    v = y - wp.float64(i)
    one = wp.float64(1.0)
    near = (one - u) * field[i, j] + u * field[i, j + 1]
    far = (one - u) * field[i + 1, j] + u * field[i + 1, j + 1]
    out[p] = (one - v) * near + v * far


@pytest.mark.parametrize("count", COUNTS)
def test_the_gradient_of_interpolation(count: int) -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(0, 8, (count, 2))
    weights = rng.random(count)
    gradients = []
    for lanes in ("always", "never"):
        field = wp.array(rng.random((10, 10)), requires_grad=True)
        points = wp.array(places, dtype=wp.vec2d, requires_grad=True)
        out = wp.zeros(count, dtype=wp.float64, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(wp.Kernel(interpolate.func, options={"lanes": lanes}), dim=count, inputs=[field, points, out])
        tape.backward(grads={out: wp.array(weights)})
        gradients.append(field.grad.numpy())
    j, i = places.astype(int).T
    u, v = (places - places.astype(int)).T
    expected = np.zeros((10, 10))
    for rise, row in ((0, 1 - v), (1, v)):
        for step, column in ((0, 1 - u), (1, u)):
            np.add.at(expected, (i + rise, j + step), row * column * weights)
    for found in gradients:
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("lanes", ["always", "never"])
def test_a_neighbour_beyond_the_end_is_an_error(lanes: Any, count: int) -> None:
    amount, some = wp.ones(count), wp.ones(count, dtype=int)
    row, column, grid = wp.zeros(count, dtype=int), wp.full(count, 4, dtype=int), wp.zeros((3, 8))
    kernel = wp.Kernel(deposit.func, options={"lanes": lanes})
    wp.launch(kernel, dim=count, inputs=[row, column, amount, some, grid])
    column[count // 2 : count // 2 + 1].fill_(7)
    with pytest.raises(IndexError, match="8"):
        wp.launch(kernel, dim=count, inputs=[row, column, amount, some, grid])


@wp.kernel
def components_in_turn(at: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    k = at[i]
    s = wp.sin(x[i])
    wp.atomic_add(out, k, wp.vec3(s, wp.exp(s), wp.pow(s, 2.0)))
    wp.atomic_sub(out, k, wp.vec3(wp.cos(s), s * s, wp.tanh(s)))


@pytest.mark.parametrize("lanes", ["always", 16])
def test_elements_are_added_whole(lanes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "lanes", lanes)
    rng = np.random.default_rng(4)
    at, x = rng.integers(0, 50, 1003).astype(np.int32), rng.random(1003, dtype=np.float32)
    out = wp.zeros(50, dtype=wp.vec3)
    wp.launch(components_in_turn, 1003, inputs=[at, x, out])
    s = np.sin(x.astype(np.float64))
    each = np.stack([s - np.cos(s), np.exp(s) - s * s, s**2 - np.tanh(s)], axis=1)
    expected = np.zeros((50, 3))
    np.add.at(expected, at, each)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4, atol=1e-4)
