"""Five stencils in four forms, and a map in two: for `benchmark_guards`.

The forms: a launch that leaves the borders out, a guard by `if`, one by an early return, and one by an early return
on a flat index."""

from __future__ import annotations

from typing import Any

import warp as wp


@wp.func
def jacobi(u: wp.array2d[float], v: wp.array2d[float], i: int, j: int) -> float:
    return 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@wp.func
def nine(u: wp.array2d[float], v: wp.array2d[float], i: int, j: int) -> float:
    edges = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
    corners = u[i - 1, j - 1] + u[i - 1, j + 1] + u[i + 1, j - 1] + u[i + 1, j + 1]
    return 0.25 * u[i, j] + 0.125 * edges + 0.0625 * corners


@wp.func
def advection(u: wp.array2d[float], v: wp.array2d[float], i: int, j: int) -> float:
    speed = v[i, j]
    slope = u[i, j + 1] - u[i, j]
    if speed > 0.0:
        slope = u[i, j] - u[i, j - 1]
    return u[i, j] - 0.1 * speed * slope


@wp.func
def laplacian(u: wp.array3d[float], i: int, j: int, k: int) -> float:
    beside = u[i, j, k - 1] + u[i, j, k + 1]
    return u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] + beside - 6.0 * u[i, j, k]


@wp.func
def heat(u: wp.array3d[float], v: wp.array3d[float], i: int, j: int, k: int) -> float:
    return u[i, j, k] + 0.1 * laplacian(u, i, j, k)


@wp.func
def wave(u: wp.array3d[float], v: wp.array3d[float], i: int, j: int, k: int) -> float:
    return 2.0 * u[i, j, k] - v[i, j, k] + 0.1 * laplacian(u, i, j, k)


def forms_of_2(value: Any) -> dict[str, Any]:
    """The kernels of a stencil in two dimensions, by the name of their form."""

    @wp.kernel(module="unique")
    def inside(u: wp.array2d[float], v: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
        i, j = wp.tid()
        out[i + 1, j + 1] = value(u, v, i + 1, j + 1)

    @wp.kernel(module="unique")
    def by_if(u: wp.array2d[float], v: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
        i, j = wp.tid()
        if i > 0 and j > 0 and i < n - 1 and j < m - 1:
            out[i, j] = value(u, v, i, j)

    @wp.kernel(module="unique")
    def by_return(u: wp.array2d[float], v: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
        i, j = wp.tid()
        if i == 0 or j == 0 or i == n - 1 or j == m - 1:
            return
        out[i, j] = value(u, v, i, j)

    @wp.kernel(module="unique")
    def flat(u: wp.array2d[float], v: wp.array2d[float], out: wp.array2d[float], n: int, m: int) -> None:
        t = wp.tid()
        i, j = t // m, t % m
        if i == 0 or j == 0 or i == n - 1 or j == m - 1:
            return
        out[i, j] = value(u, v, i, j)

    return {"none": inside, "if": by_if, "return": by_return, "flat": flat}


def forms_of_3(value: Any) -> dict[str, Any]:
    """The kernels of a stencil in three dimensions, by the name of their form."""

    @wp.kernel(module="unique")
    def inside(u: wp.array3d[float], v: wp.array3d[float], out: wp.array3d[float], n: int, m: int, p: int) -> None:
        i, j, k = wp.tid()
        out[i + 1, j + 1, k + 1] = value(u, v, i + 1, j + 1, k + 1)

    @wp.kernel(module="unique")
    def by_if(u: wp.array3d[float], v: wp.array3d[float], out: wp.array3d[float], n: int, m: int, p: int) -> None:
        i, j, k = wp.tid()
        if i > 0 and j > 0 and k > 0 and i < n - 1 and j < m - 1 and k < p - 1:
            out[i, j, k] = value(u, v, i, j, k)

    @wp.kernel(module="unique")
    def by_return(u: wp.array3d[float], v: wp.array3d[float], out: wp.array3d[float], n: int, m: int, p: int) -> None:
        i, j, k = wp.tid()
        if i == 0 or j == 0 or k == 0 or i == n - 1 or j == m - 1 or k == p - 1:
            return
        out[i, j, k] = value(u, v, i, j, k)

    @wp.kernel(module="unique")
    def flat(u: wp.array3d[float], v: wp.array3d[float], out: wp.array3d[float], n: int, m: int, p: int) -> None:
        t = wp.tid()
        i = t // (m * p)
        rest = t % (m * p)
        j, k = rest // p, rest % p
        if i == 0 or j == 0 or k == 0 or i == n - 1 or j == m - 1 or k == p - 1:
            return
        out[i, j, k] = value(u, v, i, j, k)

    return {"none": inside, "if": by_if, "return": by_return, "flat": flat}


@wp.kernel
def plain(u: wp.array[float], v: wp.array[float], out: wp.array[float], n: int) -> None:
    i = wp.tid()
    out[i] = 2.0 * u[i] + 1.0


@wp.kernel
def beyond(u: wp.array[float], v: wp.array[float], out: wp.array[float], n: int) -> None:
    i = wp.tid()
    if i >= n:
        return
    out[i] = 2.0 * u[i] + 1.0


# What it is called in C, the extents, and the kernels.
STENCILS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("jacobi", (2048, 2048), forms_of_2(jacobi)),
    ("nine", (2048, 2048), forms_of_2(nine)),
    ("advection", (2048, 2048), forms_of_2(advection)),
    ("heat", (160, 160, 160), forms_of_3(heat)),
    ("wave", (160, 160, 160), forms_of_3(wave)),
    ("map", (4_000_000,), {"none": plain, "return": beyond}),
]
