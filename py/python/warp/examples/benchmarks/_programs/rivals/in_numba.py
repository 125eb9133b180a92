"""Programs with Numba: the loops of the kernels, `parallel=True` where threads do not add to the same memory."""

# ruff: noqa: ANN001

import numba
import numpy as np
from numba import prange

from ..algebra import sparse
from ..grids import jacobi_guards, lattice_2d, stencil
from ..program import Maker, Program
from ..solids import cloth

parallel = numba.njit(parallel=True, error_model="numpy")
serial = numba.njit(error_model="numpy")

QUARTER = np.float32(0.25)
ZERO, ONE, HALF, THREE = (np.float32(x) for x in (0, 1, 0.5, 3))


@parallel
def relax(u, f, out):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            out[i, j] = QUARTER * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + f[i, j])


def jacobi(n: int) -> Program:
    u, f = jacobi_guards.start(n)
    other = u.copy()

    def frame() -> None:
        for _ in range(jacobi_guards.PAIRS):
            relax(u, f, other)
            relax(other, f, u)

    return Program(frame, lambda: u)


@parallel
def diffuse(u, n, rate, out):
    for t in prange(n * n * n):
        i, j, k = t // (n * n), t // n % n, t % n
        total = ZERO
        if i > 0:
            total += u[t - n * n] - u[t]
        if i < n - 1:
            total += u[t + n * n] - u[t]
        if j > 0:
            total += u[t - n] - u[t]
        if j < n - 1:
            total += u[t + n] - u[t]
        if k > 0:
            total += u[t - 1] - u[t]
        if k < n - 1:
            total += u[t + 1] - u[t]
        out[t] = u[t] + rate * total


def box(n: int) -> Program:
    u = stencil.start(n).ravel()
    other = u.copy()

    def frame() -> None:
        for _ in range(stencil.PAIRS):
            diffuse(u, n, np.float32(0.1), other)
            diffuse(other, n, np.float32(0.1), u)

    return Program(frame, lambda: u)


CX, CY = (np.array(c, dtype=np.float32) for c in (lattice_2d.DX, lattice_2d.DY))
WEIGHT = np.array(lattice_2d.WEIGHTS, dtype=np.float32)
BACK = np.array(lattice_2d.OPPOSITE)


@parallel
def stream(f, solid, omega, force, out):
    ny, nx = solid.shape
    for i in prange(ny):
        come = np.empty(9, dtype=np.float32)
        for j in range(nx):
            if solid[i, j] != 0:
                continue
            density, u, v = ZERO, ZERO, ZERO
            for k in range(9):
                a, b = (i - int(CY[k]) + ny) % ny, (j - int(CX[k]) + nx) % nx
                come[k] = f[i, j, BACK[k]] if solid[a, b] != 0 else f[a, b, k]
                density += come[k]
                u += CX[k] * come[k]
                v += CY[k] * come[k]
            u, v = u / density, v / density
            square = np.float32(1.5) * (u * u + v * v)
            for k in range(9):
                c = THREE * (CX[k] * u + CY[k] * v)
                rest = WEIGHT[k] * density * (ONE + c + HALF * c * c - square)
                out[i, j, k] = come[k] - omega * (come[k] - rest) + THREE * WEIGHT[k] * CX[k] * force


def lattice(n: int) -> Program:
    f, solid = lattice_2d.start(n)
    out = f.copy()
    numbers = (np.float32(lattice_2d.OMEGA), np.float32(lattice_2d.FORCE))

    def frame() -> None:
        for _ in range(lattice_2d.PAIRS):
            stream(f, solid, *numbers, out)
            stream(out, solid, *numbers, f)

    return Program(frame, lambda: f)


@serial
def pull(x, v, ends, rest, stiffness, damping, f):
    for s in range(len(ends)):
        a, b = ends[s, 0], ends[s, 1]
        dx, dy, dz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        length = np.sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = dx / length, dy / length, dz / length
        faster = (v[b, 0] - v[a, 0]) * dx + (v[b, 1] - v[a, 1]) * dy + (v[b, 2] - v[a, 2]) * dz
        size = stiffness * (length - rest[s]) + damping * faster
        for k, part in enumerate((dx, dy, dz)):
            f[a, k] += size * part
            f[b, k] -= size * part


@parallel
def move(f, mass, gravity, dt, x, v):
    for i in prange(len(x)):
        for k in range(3):
            if mass[i] > ZERO:
                v[i, k] += dt * (f[i, k] / mass[i] - (gravity if k == 2 else ZERO))
                x[i, k] += dt * v[i, k]
            f[i, k] = ZERO


def springs(n: int) -> Program:
    x, mass, ends, rest = cloth.start(n)
    v, f = np.zeros_like(x), np.zeros_like(x)
    stiffness, damping, gravity, dt = (np.float32(a) for a in (cloth.STIFFNESS, cloth.DAMPING, cloth.GRAVITY, cloth.DT))

    def frame() -> None:
        for _ in range(cloth.STEPS):
            pull(x, v, ends, rest, stiffness, damping, f)
            move(f, mass, gravity, dt, x, v)

    return Program(frame, lambda: np.concatenate([x, v]))


@parallel
def iterate(starts, columns, values, x, r, p, q):
    dot, square = ZERO, ZERO
    for i in prange(len(x)):
        total = ZERO
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * p[columns[k]]
        q[i] = total
        dot += p[i] * total
        square += r[i] * r[i]
    alpha, after = square / dot, ZERO
    for i in prange(len(x)):
        x[i] += alpha * p[i]
        r[i] -= alpha * q[i]
        after += r[i] * r[i]
    for i in prange(len(x)):
        p[i] = r[i] + after / square * p[i]


def conjugate(n: int) -> Program:
    starts, columns, values, b = sparse.start(n)
    x, q = np.zeros_like(b), np.zeros_like(b)

    def frame() -> None:
        x[:] = 0
        r, p = b.copy(), b.copy()
        for _ in range(sparse.ITERATIONS):
            iterate(starts, columns, values, x, r, p, q)

    return Program(frame, lambda: x)


MAKERS: dict[str, Maker] = {
    "grids.jacobi_guards": jacobi,
    "grids.stencil": box,
    "grids.lattice_2d": lattice,
    "solids.cloth": springs,
    "algebra.sparse": conjugate,
}
