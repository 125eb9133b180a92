"""Builtins in native code against mpmath (scalars) and NumPy (vectors, matrices, quaternions).

Every row is checked against its own definition and against finite differences on the Rust side; here the
definitions are those of other people.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import warp as wp

mpmath.mp.dps = 40

# name: reference, then the interval that arguments are drawn from.
ONE = {
    "sin": (mpmath.sin, -50, 50),
    "cos": (mpmath.cos, -50, 50),
    "tan": (mpmath.tan, -1.5, 1.5),
    "asin": (mpmath.asin, -1, 1),
    "acos": (mpmath.acos, -1, 1),
    "atan": (mpmath.atan, -20, 20),
    "sinh": (mpmath.sinh, -10, 10),
    "cosh": (mpmath.cosh, -10, 10),
    "tanh": (mpmath.tanh, -5, 5),
    "exp": (mpmath.exp, -50, 50),
    "log": (mpmath.log, 1e-6, 1e6),
    "log2": (lambda x: mpmath.log(x, 2), 1e-6, 1e6),
    "log10": (mpmath.log10, 1e-6, 1e6),
    "sqrt": (mpmath.sqrt, 0, 1e6),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), -100, 100),
    "erf": (mpmath.erf, -4, 4),
    "erfc": (mpmath.erfc, -4, 8),
    "erfinv": (mpmath.erfinv, -0.999, 0.999),
    "erfcinv": (lambda x: mpmath.erfinv(1 - x), 0.001, 1.999),
    "floor": (mpmath.floor, -9, 9),
    "ceil": (mpmath.ceil, -9, 9),
    "abs": (abs, -9, 9),
    "degrees": (mpmath.degrees, -9, 9),
    "radians": (mpmath.radians, -900, 900),
}
TWO = {
    "pow": (mpmath.power, 0.01, 20),
    "atan2": (mpmath.atan2, -9, 9),
    "min": (min, -9, 9),
    "max": (max, -9, 9),
}


def kernel_of(name: str, arity: int, scalar):
    """A kernel that applies a builtin to every element."""
    function = getattr(wp, name)
    if arity == 1:

        @wp.kernel
        def apply(x: wp.array(dtype=scalar), y: wp.array(dtype=scalar), out: wp.array(dtype=scalar)):
            i = wp.tid()
            out[i] = function(x[i])

    else:

        @wp.kernel
        def apply(x: wp.array(dtype=scalar), y: wp.array(dtype=scalar), out: wp.array(dtype=scalar)):
            i = wp.tid()
            out[i] = function(x[i], y[i])

    return apply


@pytest.mark.parametrize(("scalar", "dtype", "ulps"), [(wp.float64, np.float64, 4), (wp.float32, np.float32, 4)])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_scalar_functions(name, scalar, dtype, ulps):
    reference, low, high = ONE.get(name) or TWO[name]
    rng = np.random.default_rng(len(name))
    x = rng.uniform(low, high, 257).astype(dtype)
    y = rng.uniform(low, min(high, 5), 257).astype(dtype)
    x, y = np.clip(x, dtype(low), dtype(high)), np.clip(y, dtype(low), dtype(high))
    out = np.zeros_like(x)
    wp.launch(kernel_of(name, 1 if name in ONE else 2, scalar), dim=len(x), inputs=[x, y, out])
    given = zip(x, y, strict=True) if name in TWO else zip(x, strict=True)
    want = [reference(*(mpmath.mpf(float(a)) for a in args)) for args in given]
    for got, exact, args in zip(out, want, zip(x, y, strict=True), strict=True):
        bound = ulps * np.spacing(np.abs(dtype(float(exact)))) + np.finfo(dtype).tiny
        if name == "tan":  # the libraries' own promise
            bound *= 2
        assert abs(mpmath.mpf(float(got)) - exact) <= float(bound), (name, args, got, exact)


@pytest.mark.parametrize("name", sorted(ONE))
def test_the_same_from_python(name):
    reference, low, high = ONE[name]
    value = np.float64(low + 0.7 * (high - low))
    got = getattr(wp, name)(wp.float64(float(value)))
    np.testing.assert_allclose(float(got), float(reference(mpmath.mpf(float(value)))), rtol=1e-14)


@wp.kernel
def vectors(
    a: wp.array(dtype=wp.vec3d), b: wp.array(dtype=wp.vec3d), s: wp.array(dtype=wp.float64),
    out: wp.array2d(dtype=wp.vec3d), num: wp.array2d(dtype=wp.float64),
):  # fmt: skip
    i = wp.tid()
    out[0, i] = wp.cross(a[i], b[i])
    out[1, i] = wp.normalize(a[i])
    out[2, i] = a[i] + b[i] * s[i]
    out[3, i] = wp.cw_mul(a[i], b[i])
    out[4, i] = wp.cw_div(a[i], b[i])
    out[5, i] = wp.min(a[i], b[i])
    out[6, i] = wp.max(a[i], b[i])
    out[7, i] = wp.lerp(a[i], b[i], s[i])
    num[0, i] = wp.dot(a[i], b[i])
    num[1, i] = wp.length(a[i])
    num[2, i] = wp.length_sq(a[i])
    num[3, i] = wp.min(a[i])
    num[4, i] = wp.max(a[i])


def test_vectors():
    rng = np.random.default_rng(0)
    a, b, s = rng.normal(size=(20, 3)), rng.normal(size=(20, 3)), rng.normal(size=20)
    out, num = np.zeros((8, 20, 3)), np.zeros((5, 20))
    wp.launch(vectors, dim=20, inputs=[a, b, s, out, num])
    length = np.linalg.norm(a, axis=1)
    want = [
        np.cross(a, b), a / length[:, None], a + b * s[:, None], a * b, a / b, np.minimum(a, b),
        np.maximum(a, b), a * (1 - s[:, None]) + b * s[:, None],
    ]  # fmt: skip
    np.testing.assert_allclose(out, want, rtol=1e-12, atol=1e-12)
    numbers = [(a * b).sum(1), length, length**2, a.min(1), a.max(1)]
    np.testing.assert_allclose(num, numbers, rtol=1e-12, atol=1e-13)


@wp.kernel
def matrices(
    a: wp.array(dtype=wp.mat33d), b: wp.array(dtype=wp.mat33d), v: wp.array(dtype=wp.vec3d),
    out: wp.array2d(dtype=wp.mat33d), vec: wp.array2d(dtype=wp.vec3d), num: wp.array2d(dtype=wp.float64),
):  # fmt: skip
    i = wp.tid()
    out[0, i] = a[i] @ b[i]
    out[1, i] = a[i] * b[i]
    out[2, i] = wp.transpose(a[i])
    out[3, i] = wp.inverse(a[i])
    out[4, i] = wp.outer(v[i], v[i])
    out[5, i] = wp.diag(v[i])
    out[6, i] = wp.skew(v[i])
    vec[0, i] = a[i] * v[i]
    vec[1, i] = wp.get_diag(a[i])
    vec[2, i] = a[i][1]
    num[0, i] = wp.determinant(a[i])
    num[1, i] = wp.trace(a[i])
    num[2, i] = wp.ddot(a[i], b[i])
    num[3, i] = a[i][2, 0]


def test_matrices():
    rng = np.random.default_rng(1)
    a, b, v = rng.normal(size=(20, 3, 3)), rng.normal(size=(20, 3, 3)), rng.normal(size=(20, 3))
    out, vec, num = np.zeros((7, 20, 3, 3)), np.zeros((3, 20, 3)), np.zeros((4, 20))
    wp.launch(matrices, dim=20, inputs=[a, b, v, out, vec, num])
    skew = np.stack([np.cross(w, np.eye(3), axisb=0, axisc=0) for w in v])
    want = [a @ b, a @ b, a.transpose(0, 2, 1), np.linalg.inv(a), v[:, :, None] * v[:, None, :]]
    want += [v[:, :, None] * np.eye(3), skew]
    np.testing.assert_allclose(out, want, rtol=1e-9, atol=1e-10)
    rows = [(a @ v[:, :, None])[..., 0], np.diagonal(a, axis1=1, axis2=2), a[:, 1]]
    np.testing.assert_allclose(vec, rows, rtol=1e-12, atol=1e-13)
    numbers = [np.linalg.det(a), np.trace(a, axis1=1, axis2=2), (a * b).sum((1, 2)), a[:, 2, 0]]
    np.testing.assert_allclose(num, numbers, rtol=1e-11, atol=1e-12)


@wp.kernel
def quaternions(
    axis: wp.array(dtype=wp.vec3d), angle: wp.array(dtype=wp.float64), v: wp.array(dtype=wp.vec3d),
    out: wp.array2d(dtype=wp.vec3d), m: wp.array2d(dtype=wp.mat33d),
):  # fmt: skip
    i = wp.tid()
    q = wp.quat_from_axis_angle(axis[i], angle[i])
    out[0, i] = wp.quat_rotate(q, v[i])
    out[1, i] = wp.quat_rotate_inv(q, v[i])
    out[2, i] = wp.quat_rotate(q * q, v[i])
    out[3, i] = wp.quat_rotate(wp.quat_inverse(q), v[i])
    m[0, i] = wp.quat_to_matrix(q)
    m[1, i] = wp.quat_to_matrix(wp.quat_from_matrix(m[0, i]))
    half = wp.quat_slerp(wp.quat_identity(dtype=wp.float64), q, wp.float64(0.5))
    m[2, i] = wp.quat_to_matrix(half * half)


def test_quaternions():
    """Against Rodrigues' formula."""
    rng = np.random.default_rng(2)
    axis = rng.normal(size=(20, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle, v = rng.uniform(-3, 3, 20), rng.normal(size=(20, 3))
    out, m = np.zeros((4, 20, 3)), np.zeros((3, 20, 3, 3))
    wp.launch(quaternions, dim=20, inputs=[axis, angle, v, out, m])

    def rotate(angle, v):
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        return v * c + np.cross(axis, v) * s + axis * (axis * v).sum(1, keepdims=True) * (1 - c)

    want = [rotate(angle, v), rotate(-angle, v), rotate(2 * angle, v), rotate(-angle, v)]
    np.testing.assert_allclose(out, want, rtol=1e-11, atol=1e-12)
    columns = [rotate(angle, np.broadcast_to(e, v.shape)) for e in np.eye(3)]
    np.testing.assert_allclose(m, [np.stack(columns, axis=2)] * 3, rtol=1e-9, atol=1e-10)
