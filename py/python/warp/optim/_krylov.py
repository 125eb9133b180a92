"""Iterations that solve ``A x = b``. They yield how many were made, and the norm of the residual of ``x`` then.

``A`` and ``M`` take vectors: ``A(x, out)`` writes the product. Several systems may follow each other in the
vectors; numbers are those of each (:class:`Each`), and a quotient by zero is zero, so that a system from which nothing
more can be had stays as it is. An iteration ends early once that holds for all of them.

Residuals that are updated drift from those of ``x``. The caller may send True: the iteration then restarts from the
residual of ``x``. It does so by itself where a quotient is by zero for all systems.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from warp.optim._each import Each
from warp.optim._vectors import Vector

Apply = Callable[[Vector, Vector], None]
Iteration = Generator[tuple[int, Each], bool | None, None]


def _residual(A: Apply, b: Vector, x: Vector, out: Vector) -> None:
    A(x, out)
    out.set(1.0, b, -1.0, out)
    out.clear_inactive()


def _copy(x: Vector, out: Vector) -> None:
    out.set(1.0, x)


def cg(A: Apply, b: Vector, x: Vector, M: Apply | None, restart: int | None) -> Iteration:
    """Conjugate gradients. ``restart``: after how many iterations the residual is recomputed."""
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
        begun = done
        while True:
            A(p, q)
            alpha = rz / p.dot(q)
            if not alpha and done == begun:
                return
            if not alpha:
                break
            x.add(alpha, p)
            r.add(-alpha, q)
            done += 1
            anew = yield done, r.norm()
            if anew or (restart and done % restart == 0):
                break
            M(r, z)
            rz, before = r.dot(z), rz
            p.set(1.0, z, rz / before, p)


def cr(A: Apply, b: Vector, x: Vector, M: Apply | None, restart: int | None) -> Iteration:
    """Conjugate residuals. ``restart``: after how many iterations the residual is recomputed."""
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
        begun = done
        while True:
            M(ap, y)
            alpha = zaz / ap.dot(y)
            if not alpha and done == begun:
                return
            if not alpha:
                break
            x.add(alpha, p)
            r.add(-alpha, ap)
            done += 1
            anew = yield done, r.norm()
            if anew or (restart and done % restart == 0):
                break
            z.add(-alpha, y)
            A(z, az)
            zaz, before = z.dot(az), zaz
            beta = zaz / before
            p.set(1.0, z, beta, p)
            ap.set(1.0, az, beta, ap)


def bicgstab(A: Apply, b: Vector, x: Vector, M: Apply | None, left: bool) -> Iteration:
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

    true, done = b.like(), 0
    while True:
        _residual(A, b, x, true)
        if done == 0:
            yield 0, true.norm()
        if left:
            M(true, r)
        else:
            r.set(1.0, true)
        r0.set(1.0, r)
        p.set(1.0, r)
        rho, begun = r0.dot(r), done
        while True:
            apply(p, y, v)
            alpha = rho / r0.dot(v)
            if not alpha and done == begun:
                return
            if not alpha:
                break
            r.add(-alpha, v)
            x.add(alpha, y)
            apply(r, z, t)
            omega = t.dot(r) / t.dot(t)
            x.add(omega, z)
            r.add(-omega, t)
            done += 1
            if left:
                # What is left of M A x = M b is not what is left of A x = b.
                _residual(A, b, x, true)
            anew = yield done, (true if left else r).norm()
            rho, before = r0.dot(r), rho
            beta = rho / before * alpha / omega
            if anew or not beta:
                break
            p.add(-omega, v)
            p.set(1.0, r, beta, p)


def gmres(
    A: Apply,
    b: Vector,
    x: Vector,
    M: Apply | None,
    left: bool,
    restart: int,
    most: int,
    tolerances: Sequence[float],
) -> Iteration:
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
        if not beta:
            return
        basis[0].set(beta.inverse(), w)
        triangle, g = _cycle(A, M, left, basis, beta, min(restart, most - done), tolerances)
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
    A: Apply, M: Apply, left: bool, basis: list[Vector], beta: Each, count: int, tolerances: Sequence[float]
) -> tuple[list[list[Each]], list[Each]]:
    """Extends a basis of one vector. Returns the columns of a triangular matrix, and the right side with it.

    A system whose basis is exhausted has zeros from then on.
    """
    w, y = basis[0].like(), basis[0].like()
    triangle: list[list[Each]] = []
    turns: list[tuple[Each, Each]] = []
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
        # What is left of a new direction that is so short is rounding: the basis spans all that can be reached.
        pairs = zip(length.values, before.values, strict=True)
        length = Each(new if not new <= 1e-15 * old else 0.0 for new, old in pairs)
        for j, (c, s) in enumerate(turns):
            column[j : j + 2] = [c * column[j] + s * column[j + 1], c * column[j + 1] - s * column[j]]
        size = column[k].length(length)
        if not size or not size.is_finite():
            break
        # A system that has come to its end is not turned.
        c = Each(a / n if n != 0.0 else 1.0 for a, n in zip(column[k].values, size.values, strict=True))
        s = length / size
        column[k] = size
        triangle.append(column)
        turns.append((c, s))
        g[k:] = [c * g[k], -(s * g[k])]
        if not length or (not left and g[k + 1].within(tolerances)) or k + 1 == count:
            break
        if len(basis) == k + 1:
            basis.append(w.like())
        basis[k + 1].set(length.inverse(), w)
    return triangle, g


def _back(triangle: list[list[Each]], g: list[Each]) -> list[Each]:
    """Solves a system whose matrix is triangular, given by columns."""
    weights = list(g[: len(triangle)])
    for i in reversed(range(len(triangle))):
        left = g[i]
        for j in range(i + 1, len(triangle)):
            left = left - triangle[j][i] * weights[j]
        weights[i] = left / triangle[i][i]
    return weights
