"""Lanes that read two numbers beside each other at once: what one thread at a time reads, and nothing else."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp

from support.places import TESTS

MODES = ["always", 2, 4, 8, 16, 32, 64]
TYPES = [wp.float16, wp.float32, wp.float64, wp.int8, wp.uint16, wp.int32, wp.uint64]


@wp.kernel
def around(
    field: wp.array2d(dtype=Any),
    row: wp.array(dtype=int),
    column: wp.array(dtype=int),
    some: wp.array(dtype=int),
    out: wp.array2d(dtype=Any),
):
    p = wp.tid()
    i = row[p]
    j = column[p]
    a = field[i, j]
    b = field[i, j + 1]
    c = field[i + 1, j]
    d = field[i + 1, j - 1]
    if some[p] > 0:
        e = field[i, j + 2]
        f = field[i, 1 + j]
        out[p, 4] = e
        out[p, 5] = f
    out[p, 0] = a
    out[p, 1] = b
    out[p, 2] = c
    out[p, 3] = d


def run_around(dtype: Any, lanes: Any, values: np.ndarray, checked: bool = True) -> np.ndarray:
    """What lanes read of a field, from both ends and across them: an index below zero counts from the end."""
    rng = np.random.default_rng(7)
    count, (rows, columns) = 203, values.shape
    row = rng.integers(-rows, rows - 1, count).astype(np.int32)
    column = rng.integers(1 - columns, columns - 2, count).astype(np.int32)
    column[rng.random(count) < 0.8] = 3  # groups without an index below zero, too
    column[::41] = -1
    some = rng.integers(0, 2, count).astype(np.int32)
    out = wp.zeros((count, 6), dtype=dtype)
    kernel = wp.Kernel(around.func, options={"lanes": lanes, "check_bounds": checked})
    arrays = [wp.array(a) for a in (row, column, some)]
    wp.launch(kernel, dim=count, inputs=[wp.array(values, dtype=dtype), *arrays, out])
    found = out.numpy()
    i, j = row, column
    expected = [values[i, j], values[i, j + 1], values[i + 1, j], values[i + 1, j - 1]]
    for k, want in enumerate(expected):
        np.testing.assert_array_equal(found[:, k], want)
    for k, want in ((4, values[i, j + 2]), (5, values[i, 1 + j])):
        np.testing.assert_array_equal(found[:, k], np.where(some > 0, want, np.zeros_like(want)))
    return found


def field_of(dtype: Any) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 100, (9, 11)).astype(wp.dtype_to_numpy(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_neighbours_in_a_row(dtype: Any) -> None:
    for lanes in MODES:
        for checked in (True, False):
            run_around(dtype, lanes, field_of(dtype), checked)


def test_rows_that_do_not_follow_each_other() -> None:
    wide = np.random.default_rng(4).random((18, 22), dtype=np.float32)
    for values in (wide[::2, ::2], wide[:9, 2:13], wide[8::-1, :11]):
        run_around(wp.float32, "always", values)


LEVELS = """
from compiled import test_neighbours as t
for dtype in t.TYPES:
    for lanes in t.MODES:
        t.run_around(dtype, lanes, t.field_of(dtype))
for lanes in t.MODES:
    t.run_elements(lanes)
print("done")
"""


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v3"])
def test_processors_without_a_fast_gather(level: str) -> None:
    env = {**os.environ, "WARP_CPU": level, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    done = subprocess.run([sys.executable, "-c", LEVELS], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("done\n"), done.stderr


@wp.kernel
def elements(
    at: wp.array(dtype=int),
    points: wp.array(dtype=wp.vec3),
    turns: wp.array(dtype=wp.quatd),
    mats: wp.array(dtype=wp.mat22h),
    out: wp.array2d(dtype=float),
):
    p = wp.tid()
    k = at[p]
    v = points[k]
    q = turns[k]
    m = mats[k]
    out[p, 0] = v[0] + 10.0 * v[1] + 100.0 * v[2]
    if k % 2 == 0:
        w = points[k // 2]
        out[p, 1] = w[2] - w[0]
    out[p, 2] = float(q[0]) + 10.0 * float(q[1]) + 100.0 * float(q[2]) + 1000.0 * float(q[3])
    out[p, 3] = float(m[0, 0]) + 10.0 * float(m[0, 1]) + 100.0 * float(m[1, 0]) + 1000.0 * float(m[1, 1])


def run_elements(lanes: Any) -> None:
    rng = np.random.default_rng(5)
    count, size = 150, 40
    at = rng.integers(0, size, count).astype(np.int32)
    points = rng.integers(-9, 9, (size, 3)).astype(np.float32)
    turns = rng.integers(-9, 9, (size, 4)).astype(np.float64)
    mats = rng.integers(-9, 9, (size, 2, 2)).astype(np.float16)
    out = wp.zeros((count, 4))
    types = [int, wp.vec3, wp.quatd, wp.mat22h]
    given = [wp.array(a, dtype=t) for a, t in zip((at, points, turns, mats), types, strict=True)]
    wp.launch(wp.Kernel(elements.func, options={"lanes": lanes}), dim=count, inputs=[*given, out])
    v, w, q, m = points[at].astype(float), points[at // 2].astype(float), turns[at], mats[at].astype(float)
    expected = np.stack(
        [
            v @ [1, 10, 100],
            np.where(at % 2 == 0, w[:, 2] - w[:, 0], 0),
            q @ [1, 10, 100, 1000],
            m[:, 0, 0] + 10 * m[:, 0, 1] + 100 * m[:, 1, 0] + 1000 * m[:, 1, 1],
        ],
        axis=1,
    )
    np.testing.assert_array_equal(out.numpy(), expected)


@pytest.mark.parametrize("lanes", MODES)
def test_components_of_elements_anywhere(lanes: Any) -> None:
    run_elements(lanes)


@wp.kernel
def two(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    k = at[i]
    out[i] = x[k] + 2.0 * x[k + 1]


@pytest.mark.parametrize("lanes", ["always", "never"])
def test_a_neighbour_beyond_the_end_is_an_error(lanes: Any) -> None:
    x, at, out = wp.zeros(50), wp.array(np.arange(49, dtype=np.int32)), wp.zeros(49)
    kernel = wp.Kernel(two.func, options={"lanes": lanes})
    wp.launch(kernel, dim=49, inputs=[x, at, out])
    at[20:21].fill_(49)
    with pytest.raises(IndexError, match="50"):
        wp.launch(kernel, dim=49, inputs=[x, at, out])


@pytest.mark.parametrize("lanes", MODES)
def test_nothing_beyond_the_end_is_read(lanes: Any) -> None:
    """The page after the array may not be read at all."""
    page = mmap.PAGESIZE
    pages = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    mprotect = ctypes.CDLL(None, use_errno=True).mprotect
    mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert mprotect(start + page, page, 0) == 0
    try:
        x = np.frombuffer(pages, np.float32, page // 4)
        x[:] = np.arange(len(x))
        rng = np.random.default_rng(1)
        at = np.concatenate([rng.integers(0, len(x) - 1, 97), [len(x) - 2] * 30, [-len(x)] * 5]).astype(np.int32)
        out = wp.zeros(len(at))
        kernel = wp.Kernel(two.func, options={"lanes": lanes})
        wp.launch(kernel, dim=len(at), inputs=[wp.array(x, copy=False), wp.array(at), out])
        np.testing.assert_array_equal(out.numpy(), x[at] + 2 * x[at + 1])
    finally:
        mprotect(start + page, page, mmap.PROT_READ | mmap.PROT_WRITE)


@wp.kernel(enable_backward=False)
def along_one_index(at: wp.array(dtype=int), turned: int, m: wp.array3d(dtype=float), out: wp.array2d(dtype=float)):
    """Neighbours whose index all lanes share, and rows that each has for itself."""
    a, line = wp.tid()
    o = at[a]
    if turned > 0:
        v = m[a, line, o] + m[a, line, o + 1]
    else:
        v = m[a, o, line] + m[a, o + 1, line]
    out[a, line] = v
    for c in range(2):
        if turned > 0:
            wp.atomic_add(m, a, line, o + c, v)
        else:
            m[a, o + c, line] = v


@pytest.mark.parametrize("lanes", ["auto", *MODES])
@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("first", [0, 3, -1, -5])
def test_an_index_that_all_lanes_share(lanes: Any, turned: int, first: int) -> None:
    field = np.random.default_rng(3).integers(0, 100, (2, 70, 70)).astype(np.float32)
    m, out = wp.array(field), wp.zeros((2, 70))
    at = wp.array([first, 2], dtype=int)
    kernel = wp.Kernel(along_one_index.func, options={"lanes": lanes})
    wp.launch(kernel, dim=(2, 70), inputs=[at, turned, m, out])
    expected = field.copy()
    for a, o in enumerate((first, 2)):
        cells = expected[a] if turned else expected[a].T
        v = cells[:, o] + cells[:, o + 1]
        np.testing.assert_array_equal(out.numpy()[a], v)
        for c in (o, o + 1):
            cells[:, c] = cells[:, c] + v if turned else v
    np.testing.assert_array_equal(m.numpy(), expected)
