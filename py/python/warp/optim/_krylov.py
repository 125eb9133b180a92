"""Iterations that solve ``A x = b``. They yield how many were made, and the norm of the residual of ``x`` then.

``A`` and ``M`` take vectors: ``A(x, out)`` writes the product. An iteration ends early where it would divide by zero:
nothing more can be had from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from warp.optim._vectors import Vector

Apply = Callable[[Vector, Vector], None]


def _residual(A: Apply, b: Vector, x: Vector, out: Vector) -> None:
    A(x, out)
    out.set(1.0, b, -1.0, out)


def _copy(x: Vector, out: Vector) -> None:
    out.set(1.0, x)


def cg(A: Apply, b: Vector, x: Vector, M: Apply | None, restart: int | None) -> Iterator[tuple[int, float]]:
    """Conjugate gradients. ``restart``: after how many iterations the residual is formed anew."""
    M = M or _copy
    r, z, p, q = b.like(), b.like(), b.like(), b.like()
    done = 0
    while True:
        _residual(A, b, x, r)
        M(r, z)
        p.set(1.0, z)
        rz = r.dot(z)
        if done == 0:
            yield 0, r.norm()
        while True:
            A(p, q)
            pq = p.dot(q)
            if rz == 0.0 or pq == 0.0:
                return
            alpha = rz / pq
            x.add(alpha, p)
            r.add(-alpha, q)
            done += 1
            yield done, r.norm()
            if restart and done % restart == 0:
                break
            M(r, z)
            rz, before = r.dot(z), rz
            p.set(1.0, z, rz / before, p)


def cr(A: Apply, b: Vector, x: Vector, M: Apply | None, restart: int | None) -> Iterator[tuple[int, float]]:
    """Conjugate residuals. ``restart``: after how many iterations the residual is formed anew."""
    M = M or _copy
    r, z, p, az, ap, y = (b.like() for _ in range(6))
    done = 0
    while True:
        _residual(A, b, x, r)
        M(r, z)
        p.set(1.0, z)
        A(z, az)
        ap.set(1.0, az)
        zaz = z.dot(az)
        if done == 0:
            yield 0, r.norm()
        while True:
            M(ap, y)
            denominator = ap.dot(y)
            if zaz == 0.0 or denominator == 0.0:
                return
            alpha = zaz / denominator
            x.add(alpha, p)
            r.add(-alpha, ap)
            done += 1
            yield done, r.norm()
            if restart and done % restart == 0:
                break
            z.add(-alpha, y)
            A(z, az)
            zaz, before = z.dot(az), zaz
            beta = zaz / before
            p.set(1.0, z, beta, p)
            ap.set(1.0, az, beta, ap)


def bicgstab(A: Apply, b: Vector, x: Vector, M: Apply | None, left: bool) -> Iterator[tuple[int, float]]:
    """Biconjugate gradients, stabilised. ``left``: ``M A x = M b`` is solved in place of ``A M y = b``."""
    M = M or _copy
    r, r0, p, v, t, y, z = (b.like() for _ in range(7))

    def apply(direction: Vector, moved: Vector, out: Vector) -> None:
        """Along ``direction``, ``x`` moves by ``moved`` and the residual by ``out``."""
        if left:
            moved.set(1.0, direction)
            A(direction, true)
            M(true, out)
        else:
            M(direction, moved)
            A(moved, out)

    true = b.like()
    _residual(A, b, x, true)
    yield 0, true.norm()
    if left:
        M(true, r)
    else:
        r.set(1.0, true)
    r0.set(1.0, r)
    p.set(1.0, r)
    rho, done = r0.dot(r), 0
    while True:
        apply(p, y, v)
        denominator = r0.dot(v)
        if rho == 0.0 or denominator == 0.0:
            return
        alpha = rho / denominator
        r.add(-alpha, v)
        x.add(alpha, y)
        apply(r, z, t)
        tt = t.dot(t)
        omega = t.dot(r) / tt if tt != 0.0 else 0.0
        x.add(omega, z)
        r.add(-omega, t)
        done += 1
        if left:
            # What is left of M A x = M b is not what is left of A x = b.
            _residual(A, b, x, true)
        yield done, (true if left else r).norm()
        rho, before = r0.dot(r), rho
        if omega == 0.0:
            return
        beta = rho / before * alpha / omega
        p.add(-omega, v)
        p.set(1.0, r, beta, p)


def gmres(
    A: Apply, b: Vector, x: Vector, M: Apply | None, left: bool, restart: int, most: int, tolerance: float
) -> Iterator[tuple[int, float]]:
    """Generalised minimal residuals. Yields after each cycle of up to ``restart`` iterations, as ``x`` changes then; a
    cycle ends once its residual is below the tolerance, and after ``most`` iterations in all."""
    M = M or _copy
    r, w, y = b.like(), b.like(), b.like()
    basis = [b.like()]
    done = 0
    while True:
        _residual(A, b, x, r)
        yield done, r.norm()
        if left:
            M(r, w)
        else:
            w.set(1.0, r)
        beta = w.norm()
        if beta == 0.0:
            return
        basis[0].set(1.0 / beta, w)
        triangle, g = _cycle(A, M, left, basis, beta, min(restart, most - done), tolerance)
        if not triangle:
            return
        done += len(triangle)
        weights = _back(triangle, g)
        w.set(weights[0], basis[0])
        for weight, v in zip(weights[1:], basis[1:], strict=False):
            w.add(weight, v)
        if left:
            x.add(1.0, w)
        else:
            M(w, y)
            x.add(1.0, y)


def _cycle(
    A: Apply, M: Apply, left: bool, basis: list[Vector], beta: float, count: int, tolerance: float
) -> tuple[list[list[float]], list[float]]:
    """Extends a basis of one vector. Returns the columns of a triangular matrix, and the right side with it."""
    w, y = basis[0].like(), basis[0].like()
    triangle: list[list[float]] = []
    turns: list[tuple[float, float]] = []
    g = [beta]
    for k in range(count):
        if left:
            A(basis[k], y)
            M(y, w)
        else:
            M(basis[k], y)
            A(y, w)
        before = w.norm()
        column = []
        for v in basis[: k + 1]:
            column.append(w.dot(v))
            w.add(-column[-1], v)
        length = w.norm()
        for j, (c, s) in enumerate(turns):
            column[j : j + 2] = [c * column[j] + s * column[j + 1], c * column[j + 1] - s * column[j]]
        size = math.hypot(column[k], length)
        if size == 0.0 or not math.isfinite(size):
            break
        c, s = column[k] / size, length / size
        column[k] = size
        triangle.append(column)
        turns.append((c, s))
        g[k:] = [c * g[k], -s * g[k]]
        # What is left of the new direction is rounding: the basis spans all that can be reached.
        exhausted = length <= 1e-15 * before
        if exhausted or (not left and abs(g[k + 1]) <= tolerance) or k + 1 == count:
            break
        if len(basis) == k + 1:
            basis.append(w.like())
        basis[k + 1].set(1.0 / length, w)
    return triangle, g


def _back(triangle: list[list[float]], g: list[float]) -> list[float]:
    """Solves a system whose matrix is triangular, given by columns."""
    weights = [0.0] * len(triangle)
    for i in reversed(range(len(triangle))):
        known = sum(triangle[j][i] * weights[j] for j in range(i + 1, len(triangle)))
        weights[i] = (g[i] - known) / triangle[i][i]
    return weights
