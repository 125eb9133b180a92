"""Small linear algebra for many matrices: polar decomposition, inverses, and systems of six equations (Cholesky)."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

mat66 = wp.types.matrix(shape=(6, 6), dtype=wp.float32)
vec6 = wp.types.vector(length=6, dtype=wp.float32)


@wp.kernel
def rotations(a: wp.array[wp.mat33], r: wp.array[wp.mat33]) -> None:
    """The rotation nearest to a matrix."""
    i = wp.tid()
    u = wp.mat33()
    s = wp.vec3()
    v = wp.mat33()
    wp.svd3(a[i], u, s, v)
    r[i] = u * wp.transpose(v)


@wp.kernel
def inverses(a: wp.array[wp.mat44], b: wp.array[wp.mat44]) -> None:
    i = wp.tid()
    b[i] = wp.inverse(a[i]) * wp.transpose(a[i])


@wp.func
def cholesky(a: mat66) -> mat66:
    low = mat66()
    for j in range(6):
        s = a[j, j]
        for k in range(j):
            s -= low[j, k] * low[j, k]
        d = wp.sqrt(s)
        low[j, j] = d
        for i in range(j + 1, 6):
            t = a[i, j]
            for k in range(j):
                t -= low[i, k] * low[j, k]
            low[i, j] = t / d
    return low


@wp.kernel
def systems(a: wp.array[mat66], b: wp.array[vec6], x: wp.array[vec6]) -> None:
    t = wp.tid()
    low = cholesky(a[t])
    y = b[t]
    for i in range(6):
        for k in range(i):
            y[i] -= low[i, k] * y[k]
        y[i] /= low[i, i]
    for j in range(6):
        i = 5 - j
        for k in range(i + 1, 6):
            y[i] -= low[k, i] * y[k]
        y[i] /= low[i, i]
    x[t] = y


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(13)
    a3 = rng.normal(size=(n, 3, 3)) + 2 * np.eye(3)
    a4 = rng.normal(size=(n, 4, 4)) + 5 * np.eye(4)
    m = rng.normal(size=(n, 6, 6))
    a6 = m @ m.swapaxes(1, 2) + 6 * np.eye(6)
    first, second, third, right = (a.astype(np.float32) for a in (a3, a4, a6, rng.normal(size=(n, 6))))
    return first, second, third, right


def make(n: int) -> Program:
    values = start(n)
    a3, a4, a6, b = (wp.array(a, dtype=t) for a, t in zip(values, (wp.mat33, wp.mat44, mat66, vec6), strict=True))
    r, inverse, x = wp.zeros_like(a3), wp.zeros_like(a4), wp.zeros_like(b)

    def frame() -> None:
        wp.launch(rotations, dim=n, inputs=[a3], outputs=[r])
        wp.launch(inverses, dim=n, inputs=[a4], outputs=[inverse])
        wp.launch(systems, dim=n, inputs=[a6, b], outputs=[x])

    return Program(frame, lambda: np.concatenate([v.numpy().reshape(n, -1) for v in (r, inverse, x)], axis=1))


def expected(n: int, frames: int) -> np.ndarray:
    a3, a4, a6, b = (a.astype(np.float64) for a in start(n))
    u, _, v = np.linalg.svd(a3)
    u[..., -1] *= np.sign(np.linalg.det(u))[:, None]
    v[:, -1] *= np.sign(np.linalg.det(v))[:, None]
    x = np.linalg.solve(a6, b[..., None])
    return np.concatenate([m.reshape(n, -1) for m in (u @ v, np.linalg.inv(a4) @ a4.swapaxes(1, 2), x)], axis=1)


SPEC = Spec("small matrices, 1e5", make, expected, tiny=50, full=100_000, frames=1, tolerance=1e-3, may_differ=0.01)
