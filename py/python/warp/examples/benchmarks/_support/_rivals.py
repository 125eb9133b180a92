"""A step of cloth with NumPy, torch, Numba and Taichi, for `benchmark_cloth`.

Each maker takes positions, velocities and numbers, and gives a function that takes some steps and returns the
velocities.
"""

# Taichi reads annotations when a kernel is made, so they must not be text.
# ruff: noqa: ANN001

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    from numba import prange
except ImportError:
    prange = range

BALL, RADIUS = (0.0, 0.0, 0.62), 0.6
#: Springs: rows and columns to the other end, and the share of the stiffness.
SPRINGS = ((1, 0, 1.0), (0, 1, 1.0), (1, 1, 0.5), (1, -1, 0.5), (2, 0, 0.2), (0, 2, 0.2))


def step(xp: Any, x: Any, v: Any, spacing: float, stiffness: float, damping: float, gravity: float, dt: float) -> Any:
    """One step with arrays of NumPy or torch (`xp`): each kind of spring for all particles at once."""
    n = x.shape[0]
    force = xp.zeros_like(x)
    force[..., 2] -= gravity
    for di, dj, share in SPRINGS:
        a = (slice(0, n - di), slice(max(0, -dj), n - max(0, dj)))
        b = (slice(di, n), slice(max(0, dj), n - max(0, -dj)))
        away = x[b] - x[a]
        length = xp.sqrt((away * away).sum(-1))[..., None]
        along = away / length
        faster = ((v[b] - v[a]) * along).sum(-1)[..., None]
        pull = (share * stiffness * (length - spacing * (di * di + dj * dj) ** 0.5) + damping * faster) * along
        force[a] += pull
        force[b] -= pull
    v = v + dt * force
    x = x + dt * v
    centre = xp.asarray(np.array(BALL, dtype=np.float32))
    away = x - centre
    length = xp.sqrt((away * away).sum(-1))[..., None]
    normal, inside = away / length, length < RADIUS
    into = (v * normal).sum(-1)[..., None]
    into = xp.where(into < 0, into, xp.zeros_like(into))
    x = xp.where(inside, centre + RADIUS * normal, x)
    v = xp.where(inside, (v - into * normal) * float(np.exp(-6.0 * dt)), v)
    below = x[..., 2:] < 0.004
    v = xp.where(below, v * float(np.exp(-60.0 * dt)), v)
    x[..., 2] = xp.where(below[..., 0], xp.full_like(x[..., 2], 0.004), x[..., 2])
    return x, v


def with_numpy(x: np.ndarray, v: np.ndarray, **numbers: float) -> Callable[[int], np.ndarray]:
    state: list[Any] = [x.copy(), v.copy()]

    def advance(steps: int) -> Any:
        for _ in range(steps):
            state[:] = step(np, *state, **numbers)
        return state[1]

    return advance


def with_torch(x: np.ndarray, v: np.ndarray, **numbers: float) -> Callable[[int], np.ndarray]:
    import torch

    state: list[Any] = [torch.tensor(x), torch.tensor(v)]

    def advance(steps: int) -> np.ndarray:
        for _ in range(steps):
            state[:] = step(torch, *state, **numbers)
        result: np.ndarray = state[1].numpy()
        return result

    return advance


def with_numba(x: np.ndarray, v: np.ndarray, **numbers: float) -> Callable[[int], np.ndarray]:
    import numba

    one = numba.njit(parallel=True, error_model="numpy")(numba_step)
    state = [x.copy(), v.copy(), x.copy(), v.copy()]
    springs = np.array([s for di, dj, k in SPRINGS for s in ((di, dj, k), (-di, -dj, k))], dtype=np.float32)
    order = ("spacing", "stiffness", "damping", "gravity", "dt")
    values = [np.float32(numbers[name]) for name in order]

    def advance(steps: int) -> np.ndarray:
        for _ in range(steps):
            one(*state[:2], springs, *values, *state[2:])
            state[:] = state[2:] + state[:2]
        return state[1]

    return advance


def numba_step(x, v, springs, spacing, stiffness, damping, gravity, dt, x_out, v_out):
    """The kernel's loops, for a compiler of Python."""
    zero, one = np.float32(0), np.float32(1)
    for i in prange(x.shape[0]):
        for j in range(x.shape[1]):
            fx, fy, fz = zero, zero, -gravity
            for s in range(springs.shape[0]):
                a, b = i + int(springs[s, 0]), j + int(springs[s, 1])
                if a < 0 or b < 0 or a >= x.shape[0] or b >= x.shape[1]:
                    continue
                ax, ay, az = x[a, b, 0] - x[i, j, 0], x[a, b, 1] - x[i, j, 1], x[a, b, 2] - x[i, j, 2]
                length = np.sqrt(ax * ax + ay * ay + az * az)
                rest = spacing * np.sqrt(springs[s, 0] * springs[s, 0] + springs[s, 1] * springs[s, 1])
                ax, ay, az = ax / length, ay / length, az / length
                ux, uy, uz = v[a, b, 0] - v[i, j, 0], v[a, b, 1] - v[i, j, 1], v[a, b, 2] - v[i, j, 2]
                pull = springs[s, 2] * stiffness * (length - rest) + damping * (ux * ax + uy * ay + uz * az)
                fx, fy, fz = fx + pull * ax, fy + pull * ay, fz + pull * az
            ux, uy, uz = v[i, j, 0] + dt * fx, v[i, j, 1] + dt * fy, v[i, j, 2] + dt * fz
            px, py, pz = x[i, j, 0] + dt * ux, x[i, j, 1] + dt * uy, x[i, j, 2] + dt * uz
            ax, ay, az = px, py, pz - np.float32(0.62)
            length = np.sqrt(ax * ax + ay * ay + az * az)
            if length < np.float32(0.6):
                ax, ay, az = ax / length, ay / length, az / length
                r = np.float32(0.6)
                px, py, pz = r * ax, r * ay, np.float32(0.62) + r * az
                into = min(ux * ax + uy * ay + uz * az, zero)
                slow = np.exp(np.float32(-6.0) * dt)
                ux, uy, uz = slow * (ux - into * ax), slow * (uy - into * ay), slow * (uz - into * az)
            if pz < np.float32(0.004):
                pz = np.float32(0.004)
                slow = np.exp(np.float32(-60.0) * dt) * one
                ux, uy, uz = slow * ux, slow * uy, slow * uz
            x_out[i, j, 0], x_out[i, j, 1], x_out[i, j, 2] = px, py, pz
            v_out[i, j, 0], v_out[i, j, 1], v_out[i, j, 2] = ux, uy, uz


def with_taichi(x: np.ndarray, v: np.ndarray, **numbers: float) -> Callable[[int], np.ndarray]:
    import taichi as ti

    if not ti.lang.impl.get_runtime().prog:
        ti.init(arch=ti.cpu, log_level=ti.ERROR)
    shape = x.shape[:2]
    fields = [ti.Vector.field(3, ti.f32, shape=shape) for _ in range(4)]
    for field, values in zip(fields, (x, v), strict=False):
        field.from_numpy(values)
    spacing, stiffness, damping, gravity, dt = (
        numbers[name] for name in ("spacing", "stiffness", "damping", "gravity", "dt")
    )
    springs = tuple(s for di, dj, k in SPRINGS for s in ((di, dj, k), (-di, -dj, k)))

    @ti.kernel
    def one(x: ti.template(), v: ti.template(), x_out: ti.template(), v_out: ti.template()):
        for i, j in x:
            force = ti.Vector([0.0, 0.0, -gravity])
            for s in ti.static(range(12)):
                a = i + ti.static(springs[s][0])
                b = j + ti.static(springs[s][1])
                if a >= 0 and b >= 0 and a < x.shape[0] and b < x.shape[1]:
                    away = x[a, b] - x[i, j]
                    length = away.norm()
                    along = away / length
                    rest = spacing * ti.static((springs[s][0] ** 2 + springs[s][1] ** 2) ** 0.5)
                    faster = (v[a, b] - v[i, j]).dot(along)
                    force += (ti.static(springs[s][2]) * stiffness * (length - rest) + damping * faster) * along
            u = v[i, j] + dt * force
            p = x[i, j] + dt * u
            centre = ti.Vector([0.0, 0.0, 0.62])
            away = p - centre
            if away.norm() < 0.6:
                normal = away.normalized()
                p = centre + 0.6 * normal
                u = (u - ti.min(u.dot(normal), 0.0) * normal) * ti.exp(-6.0 * dt)
            if p[2] < 0.004:
                p[2] = 0.004
                u = u * ti.exp(-60.0 * dt)
            x_out[i, j] = p
            v_out[i, j] = u

    def advance(steps: int) -> np.ndarray:
        for _ in range(steps):
            one(*fields)
            fields[:] = fields[2:] + fields[:2]
        ti.sync()
        return fields[1].to_numpy() if steps > 1 else np.zeros(0)

    return advance
