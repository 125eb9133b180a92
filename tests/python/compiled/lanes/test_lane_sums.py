"""Sums of floats have the same bits in lanes and where a gang runs its threads one by one (deterministic launches)."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import numpy as np
import warp as wp

from support.places import search_path


@functools.cache
def kernels(lanes: str | int) -> list[wp.Kernel]:
    """Compiled by the settings at their first launch, so that each choice of lanes has its own."""

    @wp.kernel
    def by_rows(
        starts: wp.array[int], columns: wp.array[int], values: wp.array[float], x: wp.array[float],
        y: wp.array[float], out: wp.array[float], most: wp.array[float],
    ):  # fmt: skip
        i = wp.tid()
        total = float(0.0)
        for k in range(starts[i], starts[i + 1]):
            c = columns[k]
            total += values[k] * x[c] + x[columns[c]] * values[columns[c]]
        y[i] = total
        if total > 0.0:
            wp.atomic_add(out, 0, x[i] * total)
        wp.atomic_max(most, 0, total)

    @wp.kernel
    def walks(after: wp.array2d[int], x: wp.array[float], out: wp.array[float], hits: wp.array[int]):
        i, j = wp.tid()
        k = after[i, j]
        for step in range(k % 4):
            wp.atomic_add(out, 0, x[k] * x[after[k, step % 3]])
            wp.atomic_add(out, 0, x[after[k, 1]] * x[after[k, 2]] + x[after[k, j]])
            k = after[k, j % 3]
        wp.atomic_add(hits, k % 7, 1)

    @wp.kernel
    def folds(after: wp.array2d[int], x: wp.array[float], out: wp.array[float]):
        i, j = wp.tid()
        k = after[i, j]
        for step in range(k % 5):
            k = after[k, (k + step) % 3] + after[after[k, 0], 1] - after[after[k, 2], 0]
            k = wp.abs(k) % x.shape[0]
        wp.atomic_add(out, i, x[k])
        wp.atomic_add(out, 0, x[k])

    return [by_rows, walks, folds]


def sums(size: int, lanes: str | int) -> dict[str, bytes]:
    """Of rows that fill no gang, and of rows that do."""
    rng = np.random.default_rng(size)
    counts = rng.integers(0, 9, size)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = rng.integers(0, max(min(size, starts[-1]), 1), starts[-1]).astype(np.int32)
    values, x = (rng.normal(size=n).astype(np.float32) for n in (starts[-1], size))
    y, out, most = (wp.zeros(n, dtype=float) for n in (size, 1, 1))
    given = [wp.array(each) for each in (starts, columns, values, x)]
    wp.config.lanes = lanes
    by_rows, walks, folds = kernels(lanes)
    wp.launch(by_rows, dim=size, inputs=given, outputs=[y, out, most])
    assert most.numpy()[0] == max(y.numpy().max(), 0.0)
    found = {f"by_rows {size}": out.numpy().tobytes()}
    for width in (3, 45):
        after = rng.integers(0, size, (size, width))
        total, hits = wp.zeros(1, dtype=float), wp.zeros(7, dtype=int)
        inputs = [wp.array(after, dtype=int), given[3]]
        wp.launch(walks, dim=(size, width), inputs=inputs, outputs=[total, hits])
        assert hits.numpy().sum() == size * width
        rows = wp.zeros(size, dtype=float)
        wp.launch(folds, dim=(size, width), inputs=inputs, outputs=[rows])
        found[f"folds {size} x {width}"] = rows.numpy().tobytes()
        found[f"walks {size} x {width}"] = total.numpy().tobytes()
    return found


def print_sums() -> None:
    """What gangs find, as they are chosen and in lanes, and how they are chosen."""
    wp.config.deterministic, wp.config.tiered_compilation = True, False
    print({name: found.hex() for size in (1, 31, 64, 101, 1000) for name, found in sums(size, "auto").items()})
    print([kernel.report().count("faster so") for kernel in kernels("auto")])
    # Rows that are too short for a gang run one thread at a time, unless lanes are asked for.
    for size in (64, 101, 1000):
        chosen, lanes = sums(size, "auto"), sums(size, 32)
        assert {k: v for k, v in chosen.items() if "x 3" not in k} == {k: v for k, v in lanes.items() if "x 3" not in k}


def test_gangs_one_by_one_sum_as_lanes_do() -> None:
    def run(level: str) -> list[str]:
        program = "from compiled.lanes.test_lane_sums import print_sums; print_sums()"
        env = {"PYTHONPATH": search_path(), "WARP_CPU": level, "WARP_NUM_THREADS": "1"}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    found, chosen = run("x86-64-v3")
    assert chosen == "[1, 1, 0]"
    assert found == run("")[0] == run("x86-64")[0]
