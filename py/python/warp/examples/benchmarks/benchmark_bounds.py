"""What it costs that kernels check their indices: each kernel with checks and without.

    python -m warp.examples.benchmarks.benchmark_bounds [--rounds N]

The kernels of benchmark_kernels, and some whose indices are gathered, guarded or counted in loops. Processes with and
without checks run in turns; the table holds medians, and the ratio is the time with checks over that without. This
runtime is compared with itself: `--peer` is ignored.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._kernels import basic
    from ._kernels.cases import Case, array, launcher
    from ._support import _harness
else:
    from _kernels import basic
    from _kernels.cases import Case, array, launcher
    from _support import _harness


@wp.kernel
def gather(x: wp.array[float], at: wp.array[int], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = 2.0 * x[at[i]]


@wp.kernel
def histogram(x: wp.array[int], counts: wp.array[int]) -> None:
    wp.atomic_add(counts, x[wp.tid()], 1)


@wp.kernel
def flat(x: wp.array[float], out: wp.array[float], width: int) -> None:
    i, j = wp.tid()
    out[i * width + j] = 2.0 * x[i * width + j] + 1.0


@wp.kernel
def guarded(old: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    if i > 0 and j > 0 and i < old.shape[0] - 1 and j < old.shape[1] - 1:
        out[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@wp.kernel
def rows(
    starts: wp.array[int],
    columns: wp.array[int],
    a: wp.array[float],
    x: wp.array[float],
    y: wp.array[float],
) -> None:
    i = wp.tid()
    total = float(0.0)
    for k in range(starts[i], starts[i + 1]):
        total += a[k] * x[columns[k]]
    y[i] = total


@wp.kernel
def turn(matrices: wp.array[wp.mat33], vectors: wp.array[wp.vec3], out: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    v = matrices[i] * vectors[i]
    k = i % 3
    v[k] = v[k] + 1.0
    out[i] = v


def cases() -> Iterator[Case]:
    """The kernels of benchmark_kernels, and those of this file."""
    yield from basic.cases()
    rng = np.random.default_rng(1)
    count = 1_000_000
    x = rng.random(count, dtype=np.float32)
    at = rng.integers(0, count, size=count).astype(np.int32)
    out = wp.zeros(count, dtype=float)
    yield Case("gather, 1e+06", launcher(gather, count, [array(x), array(at, int), out]), out, 2 * x[at])

    bins = rng.integers(0, 1000, size=count).astype(np.int32)
    counts = wp.zeros(1000, dtype=int)
    yield Case("histogram, 1e+06", launcher(histogram, count, [array(bins, int), counts]), counts, np.bincount(bins))

    side = 1000
    out = wp.zeros(count, dtype=float)
    run = launcher(flat, (side, side), [array(x), out, side])
    yield Case("flattened index, 1000^2", run, out, 2 * x + 1)

    old = x.reshape(side, side)
    new = wp.zeros((side, side), dtype=float)
    expected = np.zeros_like(old)
    expected[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    yield Case("guarded stencil, 1000^2", launcher(guarded, (side, side), [array(old), new]), new, expected)

    starts = np.arange(0, count + 1, 10, dtype=np.int32)
    y = wp.zeros(count // 10, dtype=float)
    run = launcher(rows, count // 10, [array(starts, int), array(at, int), array(x), array(x), y])
    yield Case("sparse rows, 1e+06", run, y, (x * x[at]).reshape(-1, 10).sum(axis=1), tolerance=1e-4)

    matrices = rng.normal(size=(count, 3, 3)).astype(np.float32)
    vectors = rng.normal(size=(count, 3)).astype(np.float32)
    expected = np.einsum("nij,nj->ni", matrices, vectors)
    expected[np.arange(count), np.arange(count) % 3] += 1
    turned: Any = wp.zeros(count, dtype=wp.vec3)
    run = launcher(turn, count, [array(matrices, wp.mat33), array(vectors, wp.vec3), turned])
    yield Case("component by number, 1e+06", run, turned, expected, tolerance=1e-4)


def measure() -> _harness.Rows:
    """Seconds of one launch of each kernel."""
    wp.config.check_bounds = os.environ.get("BENCHMARK_CHECKS") != "0"
    times = {}
    for case in cases():
        case.check()
        times[case.name] = _harness.per_call(case.launch, target=0.05)
    return times


def main() -> None:
    options = _harness.arguments(__doc__).parse_args()
    if options.json:
        _harness.report(options, __file__, measure)
        return
    samples: dict[str, list[_harness.Rows]] = {"1": [], "0": []}
    for turn in range(options.rounds):
        for checks in ("1", "0") if turn % 2 == 0 else ("0", "1"):
            os.environ["BENCHMARK_CHECKS"] = checks
            samples[checks].append(_harness.rows_of(sys.executable, __file__))
    checked, unchecked = (_harness.medians(samples[checks]) for checks in "10")
    print(f"{'':<30}{'checked':>12}{'unchecked':>12}{'ratio':>8}")
    for name, seconds in checked.items():
        ratio = seconds / unchecked[name]
        print(f"{name:<30}{_harness.spell(seconds):>12}{_harness.spell(unchecked[name]):>12}{ratio:>8.2f}")
    mean = statistics.geometric_mean(seconds / unchecked[name] for name, seconds in checked.items())
    print(f"{'geometric mean':<54}{mean:>8.2f}")


if __name__ == "__main__":
    main()
