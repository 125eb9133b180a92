"""Kernels of a size that fills a GPU: what they compute is known without NumPy, and how many bytes they have to move.

Under the driver for tests, which is an interpreter, sizes are small: the rows then say that kernels run, no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from .basic import nbody
from .gpu_bare import is_for_tests

DEVICE = "cuda:0"
BINS = 256


@dataclass
class Case:
    """A row: a launch, a check of what it computed, and the same by torch."""

    name: str
    launch: Callable[[], object]
    check: Callable[[], None]
    bytes: int = 0  # that one launch has to move
    flops: int = 0
    torch: Callable[[Any], Callable[[], object]] | None = None


@wp.kernel
def fill(x: wp.array[float]) -> None:
    i = wp.tid()
    x[i] = float(i % 4)


@wp.kernel
def permute(at: wp.array[int], step: int, count: int) -> None:
    i = wp.tid()
    at[i] = int((wp.int64(i) * wp.int64(step)) % wp.int64(count))


@wp.kernel
def total(x: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    wp.atomic_add(out, 0, x[i])


@wp.kernel
def stencil(x: wp.array3d[float], out: wp.array3d[float]) -> None:
    i, j, k = wp.tid()
    around = x[i, j + 1, k + 1] + x[i + 2, j + 1, k + 1] + x[i + 1, j, k + 1]
    around += x[i + 1, j + 2, k + 1] + x[i + 1, j + 1, k] + x[i + 1, j + 1, k + 2]
    out[i + 1, j + 1, k + 1] = around - 6.0 * x[i + 1, j + 1, k + 1]


@wp.kernel
def parabola(x: wp.array3d[float]) -> None:
    i, j, k = wp.tid()
    x[i, j, k] = float(i * i + j * j + k)


@wp.kernel
def products(a: wp.array[wp.mat44], b: wp.array[wp.mat44], out: wp.array[wp.mat44]) -> None:
    i = wp.tid()
    out[i] = a[i] * b[i]


@wp.kernel
def gather(x: wp.array[float], at: wp.array[int], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = x[at[i]]


@wp.kernel
def histogram(at: wp.array[int], counts: wp.array[int]) -> None:
    i = wp.tid()
    wp.atomic_add(counts, at[i] % wp.static(BINS), 1)


def size(count: int, small: int) -> int:
    """That many elements on a GPU, few where an interpreter goes through them."""
    return small if is_for_tests() else count


def expect(name: str, got: object, expected: object, rtol: float = 1e-5) -> None:
    try:
        np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=rtol)
    except AssertionError as error:
        raise RuntimeError(f"{name}: wrong values: {' '.join(str(error).split())[:200]}") from None


def launcher(kernel: Any, dim: Any, *values: Any) -> Callable[[], object]:
    return lambda: wp.launch(kernel, dim=dim, inputs=list(values), device=DEVICE)


def zeros(*shape: int, dtype: Any = float) -> Any:
    return wp.zeros(shape, dtype=dtype, device=DEVICE)


def sums() -> Iterator[Case]:
    count = size(10**8, 4096)
    x, out = zeros(count), zeros(1)
    launcher(fill, count, x)()
    expected = 1.5 * count

    def atomic() -> None:
        out.zero_()
        wp.launch(total, dim=count, inputs=[x, out], device=DEVICE)

    def check() -> None:
        atomic()
        # In float32 a sum of 1e8 terms depends on its order.
        expect("sum by atomics", out.numpy(), [expected], 1e-2)

    def by_torch(torch: Any) -> Callable[[], object]:
        tensor = torch.arange(count, device=DEVICE, dtype=torch.float32).remainder_(4)
        return lambda: tensor.sum()

    yield Case(f"sum by atomics, {count:.0e}", atomic, check, 4 * count, torch=by_torch)

    def reduce() -> None:
        wp.utils.array_sum(x, out=out)

    def check_sum() -> None:
        reduce()
        expect("array_sum", out.numpy(), [expected])

    yield Case(f"array_sum, {count:.0e}", reduce, check_sum, 4 * count, torch=by_torch)


def stencils() -> Iterator[Case]:
    side = size(512, 10)
    x, out = zeros(side, side, side), zeros(side, side, side)
    launcher(parabola, (side, side, side), x)()
    launch = launcher(stencil, (side - 2,) * 3, x, out)

    def check() -> None:
        launch()
        # The second differences of i^2 + j^2 + k.
        expect("stencil", out.numpy()[1:4, 1:4, 1:4], np.full((3, 3, 3), 4.0))

    def by_torch(torch: Any) -> Callable[[], object]:
        x, out = (torch.rand(side, side, side, device=DEVICE) for _ in range(2))
        c = slice(1, -1)

        def run() -> None:
            out[c, c, c] = (
                x[:-2, c, c] + x[2:, c, c] + x[c, :-2, c] + x[c, 2:, c] + x[c, c, :-2] + x[c, c, 2:] - 6 * x[c, c, c]
            )

        return run

    yield Case(f"3-D stencil, {side}^3", launch, check, 8 * side**3, torch=by_torch)


def matrices() -> Iterator[Case]:
    count = size(10**6, 64)
    a, b = (wp.full(count, wp.mat44(*np.arange(16.0) + k), dtype=wp.mat44, device=DEVICE) for k in (0, 1))
    out = zeros(count, dtype=wp.mat44)
    launch = launcher(products, count, a, b, out)

    def check() -> None:
        launch()
        one = np.arange(16.0).reshape(4, 4)
        expect("mat44", out.numpy()[-1], one @ (one + 1))

    def by_torch(torch: Any) -> Callable[[], object]:
        a, b = (torch.rand(count, 4, 4, device=DEVICE) for _ in range(2))
        return lambda: torch.bmm(a, b)

    yield Case(f"mat44 product, {count:.0e}", launch, check, 192 * count, torch=by_torch)


def scattered() -> Iterator[Case]:
    count = size(10**7, 1024)
    # An odd step that shares no divisor with a power of ten or two: each index once, far from the one before.
    step = 7919 if is_for_tests() else 7654321
    x, out, at = zeros(count), zeros(count), zeros(count, dtype=int)
    launcher(fill, count, x)()
    launcher(permute, count, at, step, count)()
    launch = launcher(gather, count, x, at, out)

    def check() -> None:
        launch()
        places = np.arange(5, dtype=np.int64) * step % count
        expect("gather", out.numpy()[:5], places % 4)

    def indices(torch: Any) -> Any:
        return torch.arange(count, device=DEVICE) * step % count

    def by_torch(torch: Any) -> Callable[[], object]:
        x, at = torch.rand(count, device=DEVICE), indices(torch)
        return lambda: x[at]

    yield Case(f"gather, {count:.0e}", launch, check, 12 * count, torch=by_torch)
    counts = zeros(BINS, dtype=int)

    def count_all() -> None:
        counts.zero_()
        wp.launch(histogram, dim=count, inputs=[at, counts], device=DEVICE)

    def check_counts() -> None:
        count_all()
        expect("histogram", counts.numpy(), np.bincount(np.arange(count) % BINS, minlength=BINS), 0.0)

    def counts_by_torch(torch: Any) -> Callable[[], object]:
        at = indices(torch) % BINS
        return lambda: torch.bincount(at, minlength=BINS)

    yield Case(f"histogram of {BINS} bins, {count:.0e}", count_all, check_counts, 4 * count, torch=counts_by_torch)


def bodies() -> Iterator[Case]:
    count = size(32768, 32)
    at = np.random.default_rng(0).normal(size=(count, 3)).astype(np.float32)
    positions, out = wp.array(at, dtype=wp.vec3, device=DEVICE), zeros(count, dtype=wp.vec3)
    launch = launcher(nbody, count, positions, out, count)

    def check() -> None:
        launch()
        d = at.astype(np.float64) - at[3]
        r2 = (d * d).sum(axis=1) + 0.01
        expect("n-body", out.numpy()[3], (d / (r2 * np.sqrt(r2))[:, None]).sum(axis=0), 5e-2)

    # Twenty operations for each pair is what is counted by custom.
    yield Case(f"n-body, {count}^2", launch, check, flops=20 * count * count)


def cases() -> Iterator[Callable[[], Iterator[Case]]]:
    """Groups that share arrays, each made when its turn comes."""
    yield from (sums, stencils, matrices, scattered, bodies)
