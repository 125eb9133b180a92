"""The material point method in two dimensions: an elastic body falls (quadratic B-splines, 9 cells for each point)."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec
from . import points

STEPS = 4  # in a frame

mat32 = wp.types.matrix(shape=(3, 2), dtype=wp.float32)


@wp.func
def spline(fx: wp.vec2) -> mat32:
    """Weights of three cells along each axis."""
    a = wp.vec2(1.5, 1.5) - fx
    b = fx - wp.vec2(1.0, 1.0)
    c = fx - wp.vec2(0.5, 0.5)
    return wp.matrix_from_rows(0.5 * wp.cw_mul(a, a), wp.vec2(0.75, 0.75) - wp.cw_mul(b, b), 0.5 * wp.cw_mul(c, c))


@wp.kernel
def to_grid(
    x: wp.array[wp.vec2], v: wp.array[wp.vec2], c: wp.array[wp.mat22], f: wp.array[wp.mat22], dt: float,
    mass: wp.array2d[float], momentum: wp.array2d[wp.vec2],
) -> None:  # fmt: skip
    p = wp.tid()
    i = int(x[p][0] - 0.5)
    j = int(x[p][1] - 0.5)
    fx = x[p] - wp.vec2(float(i), float(j))
    w = spline(fx)
    deformed = f[p] + dt * c[p] * f[p]
    f[p] = deformed
    eye = wp.identity(n=2, dtype=float)
    stress = 20.0 * (deformed * wp.transpose(deformed) - eye) + 30.0 * wp.log(wp.determinant(deformed)) * eye
    affine = 0.5 * c[p] - 4.0 * dt * 0.5 * stress
    for a in range(3):
        for b in range(3):
            off = wp.vec2(float(a), float(b)) - fx
            weight = w[a, 0] * w[b, 1]
            wp.atomic_add(mass, i + a, j + b, weight * 0.5)
            wp.atomic_add(momentum, i + a, j + b, weight * (0.5 * v[p] + affine * off))


@wp.kernel
def on_grid(mass: wp.array2d[float], momentum: wp.array2d[wp.vec2], dt: float, gravity: float, border: int) -> None:
    i, j = wp.tid()
    if mass[i, j] > 0.0:
        u = momentum[i, j] / mass[i, j]
        u[1] = u[1] - dt * gravity
        if i < border:
            u[0] = wp.max(u[0], 0.0)
        if i >= mass.shape[0] - border:
            u[0] = wp.min(u[0], 0.0)
        if j < border:
            u[1] = wp.max(u[1], 0.0)
        if j >= mass.shape[1] - border:
            u[1] = wp.min(u[1], 0.0)
        momentum[i, j] = u


@wp.kernel
def to_points(
    velocity: wp.array2d[wp.vec2], dt: float, x: wp.array[wp.vec2], v: wp.array[wp.vec2], c: wp.array[wp.mat22]
) -> None:
    p = wp.tid()
    i = int(x[p][0] - 0.5)
    j = int(x[p][1] - 0.5)
    fx = x[p] - wp.vec2(float(i), float(j))
    w = spline(fx)
    new_v = wp.vec2()
    new_c = wp.mat22()
    for a in range(3):
        for b in range(3):
            off = wp.vec2(float(a), float(b)) - fx
            u = w[a, 0] * w[b, 1] * velocity[i + a, j + b]
            new_v += u
            new_c += 4.0 * wp.outer(u, off)
    v[p] = new_v
    c[p] = new_c
    x[p] = x[p] + dt * new_v


def make(n: int) -> Program:
    count = n * n
    places, speeds = points.start(n, 2, count)
    x, v = wp.array(places, dtype=wp.vec2), wp.array(speeds, dtype=wp.vec2)
    c = wp.zeros(count, dtype=wp.mat22)
    f = wp.array(np.tile(np.eye(2, dtype=np.float32), (count, 1, 1)), dtype=wp.mat22)
    mass, momentum = wp.zeros((n, n), dtype=float), wp.zeros((n, n), dtype=wp.vec2)

    def frame() -> None:
        for _ in range(STEPS):
            mass.zero_()
            momentum.zero_()
            wp.launch(to_grid, dim=count, inputs=[x, v, c, f, points.DT], outputs=[mass, momentum])
            wp.launch(on_grid, dim=(n, n), inputs=[mass, momentum, points.DT, points.GRAVITY, points.BORDER])
            wp.launch(to_points, dim=count, inputs=[momentum, points.DT], outputs=[x, v, c])

    return Program(frame, lambda: np.concatenate([x.numpy(), v.numpy()]))


def expected(n: int, frames: int) -> np.ndarray:
    return points.expected(n, 2, n * n, STEPS * frames)


SPEC = Spec("material points in 2-d, 6.6e4", make, expected, tiny=20, full=256, tolerance=1e-3)
