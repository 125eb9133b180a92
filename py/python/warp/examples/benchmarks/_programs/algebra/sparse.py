"""Conjugate gradients: a symmetric sparse system by rows, whose scalars stay in arrays of one number."""

from __future__ import annotations

import itertools

import numpy as np
import warp as wp

from ..program import Program, Spec

ITERATIONS = 20  # in a frame


@wp.kernel
def multiply(
    starts: wp.array[int], columns: wp.array[int], values: wp.array[float], p: wp.array[float],
    q: wp.array[float], dots: wp.array[float],
) -> None:  # fmt: skip
    i = wp.tid()
    total = float(0.0)
    for k in range(starts[i], starts[i + 1]):
        total += values[k] * p[columns[k]]
    q[i] = total
    wp.atomic_add(dots, 1, p[i] * total)


@wp.kernel
def descend(
    p: wp.array[float], q: wp.array[float], dots: wp.array[float], x: wp.array[float], r: wp.array[float],
    after: wp.array[float],
) -> None:  # fmt: skip
    i = wp.tid()
    alpha = dots[0] / dots[1]
    x[i] = x[i] + alpha * p[i]
    s = r[i] - alpha * q[i]
    r[i] = s
    wp.atomic_add(after, 0, s * s)


@wp.kernel
def turn(r: wp.array[float], dots: wp.array[float], after: wp.array[float], p: wp.array[float]) -> None:
    i = wp.tid()
    p[i] = r[i] + (after[0] / dots[0]) * p[i]


@wp.kernel
def start_over(
    b: wp.array[float], x: wp.array[float], r: wp.array[float], p: wp.array[float], dots: wp.array[float]
) -> None:
    i = wp.tid()
    x[i] = 0.0
    r[i] = b[i]
    p[i] = b[i]
    wp.atomic_add(dots, 0, b[i] * b[i])


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The Laplacian of a grid of n x n nodes with some more edges at random, plus the identity, and a right side."""
    rng = np.random.default_rng(14)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    a = [(i * n + j)[j < n - 1], (i * n + j)[i < n - 1], rng.integers(0, n * n, size=n * n // 2)]
    b = [(i * n + j + 1)[j < n - 1], (i * n + n + j)[i < n - 1], rng.integers(0, n * n, size=n * n // 2)]
    ends = np.unique(np.sort(np.stack([np.concatenate(a), np.concatenate(b)], axis=1), axis=1), axis=0)
    ends = ends[ends[:, 0] != ends[:, 1]]
    degrees = np.bincount(ends.ravel(), minlength=n * n)
    rows = np.concatenate([ends[:, 0], ends[:, 1], np.arange(n * n)])
    columns = np.concatenate([ends[:, 1], ends[:, 0], np.arange(n * n)])
    values = np.concatenate([-np.ones(2 * len(ends)), degrees + 1.0])
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n * n))])
    right = rng.normal(size=n * n)
    return (
        starts.astype(np.int32),
        columns[order].astype(np.int32),
        values[order].astype(np.float32),
        right.astype(np.float32),
    )


def make(n: int) -> Program:
    first, second, third, right = start(n)
    starts, columns, values = wp.array(first, dtype=int), wp.array(second, dtype=int), wp.array(third, dtype=float)
    b = wp.array(right, dtype=float)
    x, r, p, q = (wp.zeros_like(b) for _ in range(4))
    dots = [wp.zeros(2, dtype=float) for _ in range(ITERATIONS + 1)]
    count = n * n

    def frame() -> None:
        for pair in dots:
            pair.zero_()
        wp.launch(start_over, dim=count, inputs=[b], outputs=[x, r, p, dots[0]])
        for now, after in itertools.pairwise(dots):
            wp.launch(multiply, dim=count, inputs=[starts, columns, values, p], outputs=[q, now])
            wp.launch(descend, dim=count, inputs=[p, q, now], outputs=[x, r, after])
            wp.launch(turn, dim=count, inputs=[r, now, after], outputs=[p])

    return Program(frame, x.numpy)


def expected(n: int, frames: int) -> np.ndarray:
    starts, columns, values, right = start(n)
    b, rows = right.astype(np.float64), np.repeat(np.arange(n * n), np.diff(starts))
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    for _ in range(ITERATIONS):
        q = np.bincount(rows, weights=values * p[columns], minlength=n * n)
        before = r @ r
        alpha = before / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        p = r + (r @ r / before) * p
    return x


SPEC = Spec("conjugate gradients by rows, 2.6e5", make, expected, tiny=20, full=512, frames=1, tolerance=1e-3)
