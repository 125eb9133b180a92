"""The material point method in three dimensions: an elastic body falls (quadratic B-splines, 27 cells each)."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec
from . import points

mu = wp.constant(points.MU)
lame = wp.constant(points.LAMBDA)
point_mass = wp.constant(points.MASS)
volume = wp.constant(points.VOLUME)


@wp.func
def weights(fx: wp.vec3) -> wp.mat33:
    """Those of three cells, a column for each axis."""
    w = wp.mat33()
    for k in range(3):
        a = 1.5 - fx[k]
        b = fx[k] - 1.0
        c = fx[k] - 0.5
        w[0, k] = 0.5 * a * a
        w[1, k] = 0.75 - b * b
        w[2, k] = 0.5 * c * c
    return w


@wp.kernel
def to_grid(
    x: wp.array[wp.vec3], v: wp.array[wp.vec3], c: wp.array[wp.mat33], f: wp.array[wp.mat33], dt: float,
    mass: wp.array3d[float], momentum: wp.array3d[wp.vec3],
) -> None:  # fmt: skip
    p = wp.tid()
    i = int(x[p][0] - 0.5)
    j = int(x[p][1] - 0.5)
    k = int(x[p][2] - 0.5)
    fx = x[p] - wp.vec3(float(i), float(j), float(k))
    w = weights(fx)
    eye = wp.identity(n=3, dtype=float)
    deformed = (eye + dt * c[p]) * f[p]
    f[p] = deformed
    stress = mu * (deformed * wp.transpose(deformed) - eye) + lame * wp.log(wp.determinant(deformed)) * eye
    affine = point_mass * c[p] - (4.0 * dt * volume) * stress
    for a in range(3):
        for b in range(3):
            for d in range(3):
                off = wp.vec3(float(a), float(b), float(d)) - fx
                weight = w[a, 0] * w[b, 1] * w[d, 2]
                wp.atomic_add(mass, i + a, j + b, k + d, weight * point_mass)
                wp.atomic_add(momentum, i + a, j + b, k + d, weight * (point_mass * v[p] + affine * off))


@wp.kernel
def on_grid(mass: wp.array3d[float], momentum: wp.array3d[wp.vec3], dt: float, gravity: float, border: int) -> None:
    i, j, k = wp.tid()
    m = mass[i, j, k]
    if m == 0.0:
        return
    u = momentum[i, j, k] / m - dt * wp.vec3(0.0, gravity, 0.0)
    if (i < border and u[0] < 0.0) or (i >= mass.shape[0] - border and u[0] > 0.0):
        u[0] = 0.0
    if (j < border and u[1] < 0.0) or (j >= mass.shape[1] - border and u[1] > 0.0):
        u[1] = 0.0
    if (k < border and u[2] < 0.0) or (k >= mass.shape[2] - border and u[2] > 0.0):
        u[2] = 0.0
    momentum[i, j, k] = u


@wp.kernel
def to_points(
    velocity: wp.array3d[wp.vec3], dt: float, x: wp.array[wp.vec3], v: wp.array[wp.vec3], c: wp.array[wp.mat33]
) -> None:
    p = wp.tid()
    i = int(x[p][0] - 0.5)
    j = int(x[p][1] - 0.5)
    k = int(x[p][2] - 0.5)
    fx = x[p] - wp.vec3(float(i), float(j), float(k))
    w = weights(fx)
    new_v = wp.vec3()
    new_c = wp.mat33()
    for a in range(3):
        for b in range(3):
            for d in range(3):
                off = wp.vec3(float(a), float(b), float(d)) - fx
                u = (w[a, 0] * w[b, 1] * w[d, 2]) * velocity[i + a, j + b, k + d]
                new_v += u
                new_c += wp.outer(u, 4.0 * off)
    v[p] = new_v
    c[p] = new_c
    x[p] = x[p] + dt * new_v


def make(n: int) -> Program:
    count = n**3 // 4
    places, speeds = points.start(n, 3, count)
    x, v = wp.array(places, dtype=wp.vec3), wp.array(speeds, dtype=wp.vec3)
    c = wp.zeros(count, dtype=wp.mat33)
    f = wp.array(np.tile(np.eye(3, dtype=np.float32), (count, 1, 1)), dtype=wp.mat33)
    mass, momentum = wp.zeros((n, n, n), dtype=float), wp.zeros((n, n, n), dtype=wp.vec3)

    def frame() -> None:
        mass.zero_()
        momentum.zero_()
        wp.launch(to_grid, dim=count, inputs=[x, v, c, f, points.DT], outputs=[mass, momentum])
        wp.launch(on_grid, dim=(n, n, n), inputs=[mass, momentum, points.DT, points.GRAVITY, points.BORDER])
        wp.launch(to_points, dim=count, inputs=[momentum, points.DT], outputs=[x, v, c])

    return Program(frame, lambda: np.concatenate([x.numpy(), v.numpy()]))


def expected(n: int, frames: int) -> np.ndarray:
    return points.expected(n, 3, n**3 // 4, frames)


SPEC = Spec("material points in 3-d, 6.6e4", make, expected, tiny=12, full=64, tolerance=1e-3)
