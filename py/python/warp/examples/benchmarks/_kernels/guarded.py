"""Stencils whose threads ask whether they are at a border, in the forms in which users write that.

The first row asks nothing: its launch leaves borders out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp

from .cases import Case, case


@wp.kernel
def smooth(old: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    out[i + 1, j + 1] = 0.25 * (old[i, j + 1] + old[i + 2, j + 1] + old[i + 1, j] + old[i + 1, j + 2])


@wp.kernel
def smooth_if(old: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    if i > 0 and j > 0 and i < old.shape[0] - 1 and j < old.shape[1] - 1:
        out[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@wp.kernel
def smooth_return(old: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
    i, j = wp.tid()
    if i == 0 or j == 0 or i == n - 1 or j == m - 1:
        return
    out[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@wp.kernel
def smooth_else(old: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
    i, j = wp.tid()
    if i == 0 or j == 0 or i == n - 1 or j == m - 1:
        out[i, j] = old[i, j]
    else:
        out[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@wp.kernel
def smooth_clamped(old: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
    i, j = wp.tid()
    above = old[wp.max(i - 1, 0), j]
    below = old[wp.min(i + 1, n - 1), j]
    out[i, j] = 0.25 * (above + below + old[i, wp.max(j - 1, 0)] + old[i, wp.min(j + 1, m - 1)])


@wp.kernel
def smooth_periodic(old: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
    i, j = wp.tid()
    above, below = old[(i + n - 1) % n, j], old[(i + 1) % n, j]
    out[i, j] = 0.25 * (above + below + old[i, (j + m - 1) % m] + old[i, (j + 1) % m])


@wp.kernel
def smooth_flat(old: wp.array[float], out: wp.array[float], n: int, m: int) -> None:
    t = wp.tid()
    i = t // m
    j = t % m
    if i > 0 and j > 0 and i < n - 1 and j < m - 1:
        out[t] = 0.25 * (old[t - m] + old[t + m] + old[t - 1] + old[t + 1])


@wp.kernel
def diffuse_flat(old: wp.array3d[float], out: wp.array3d[float], n: int) -> None:
    t = wp.tid()
    i = t // (n * n)
    rest = t % (n * n)
    j = rest // n
    k = rest % n
    if i == 0 or j == 0 or k == 0 or i == n - 1 or j == n - 1 or k == n - 1:
        return
    around = (
        old[i - 1, j, k] + old[i + 1, j, k] + old[i, j - 1, k] + old[i, j + 1, k] + old[i, j, k - 1] + old[i, j, k + 1]
    )
    out[i, j, k] = old[i, j, k] + 0.1 * (around - 6.0 * old[i, j, k])


def cases() -> Iterator[Case]:
    n = 1024
    old = np.random.default_rng(11).random((n, n), dtype=np.float32)
    none, flat = np.zeros_like(old), old.reshape(-1)

    def smoothed(padded: np.ndarray) -> np.ndarray:
        mean: np.ndarray = 0.25 * (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:])
        return mean

    inside, copied = none.copy(), old.copy()
    inside[1:-1, 1:-1] = copied[1:-1, 1:-1] = smoothed(old)
    more: dict[str, Any] = {"memory_bound": True}
    yield case("stencil", smooth, (n - 2, n - 2), [old, none.copy()], inside, **more)
    yield case("stencil, if", smooth_if, (n, n), [old, none.copy()], inside, **more)
    yield case("stencil, return", smooth_return, (n, n), [old, none.copy(), n, n], inside, result=1, **more)
    yield case("stencil, else", smooth_else, (n, n), [old, none.copy(), n, n], copied, result=1, **more)
    clamped = smoothed(np.pad(old, 1, mode="edge"))
    yield case("stencil, clamped", smooth_clamped, (n, n), [old, none.copy(), n, n], clamped, result=1, **more)
    periodic = smoothed(np.pad(old, 1, mode="wrap"))
    yield case("stencil, periodic", smooth_periodic, (n, n), [old, none.copy(), n, n], periodic, result=1, **more)
    values = [flat, np.zeros_like(flat), n, n]
    yield case("stencil, flat index", smooth_flat, n * n, values, inside, result=1, **more)

    side = 128
    u = np.random.default_rng(12).random((side, side, side), dtype=np.float32)
    after = np.zeros_like(u)
    middle = slice(1, -1)
    parts = [u[:-2, middle, middle], u[2:, middle, middle], u[middle, :-2, middle], u[middle, 2:, middle]]
    parts += [u[middle, middle, :-2], u[middle, middle, 2:]]
    after[middle, middle, middle] = u[middle, middle, middle] + 0.1 * (sum(parts) - 6 * u[middle, middle, middle])
    values = [u, np.zeros_like(u), side]
    yield case("3-d stencil, flat index", diffuse_flat, side**3, values, after, result=1, **more)
