"""Narrow and wide numbers: arithmetic, vectors, gradients and atomics of each width."""

import numpy as np
from program import gradients, program


def half_precision_in_lanes(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.float16)):
        i = wp.tid()
        a = x[i]
        y[i] = a * a + wp.float16(0.5) - a / wp.float16(3.0)

    x = wp.array(np.linspace(-4, 4, 70), dtype=wp.float16)
    y = wp.zeros(70, dtype=wp.float16)
    wp.launch(k, dim=70, inputs=[x, y])
    return y


def functions_of_half_precision(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float16), y: wp.array2d(dtype=wp.float16)):
        i = wp.tid()
        y[i, 0] = wp.sin(x[i])
        y[i, 1] = wp.exp(x[i])
        y[i, 2] = wp.sqrt(wp.abs(x[i]))
        y[i, 3] = wp.floor(x[i])
        y[i, 4] = wp.tanh(x[i])

    x = wp.array(np.linspace(-3, 3, 9), dtype=wp.float16)
    y = wp.zeros((9, 5), dtype=wp.float16)
    wp.launch(k, dim=9, inputs=[x, y])
    return y


@program(tolerance=2e-3)
def gradients_of_half_precision(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.float16)):
        i = wp.tid()
        y[i] = x[i] * x[i] * wp.float16(0.5) + wp.sin(x[i])

    x = wp.array([0.5, -1.0, 2.0], dtype=wp.float16, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=wp.float16, requires_grad=True)])


def vectors_of_half_precision(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3h), y: wp.array(dtype=wp.float16), m: wp.array(dtype=wp.mat22h)):
        i = wp.tid()
        y[i] = wp.dot(x[i], x[i]) + wp.length(x[i])
        m[i] = wp.mat22h(x[i][0], x[i][1], x[i][2], wp.float16(1.0)) * wp.float16(2.0)

    x = wp.array([[1.0, 2.0, 2.0], [0.5, 0.25, 0.0]], dtype=wp.vec3h)
    y, m = wp.zeros(2, dtype=wp.float16), wp.zeros(2, dtype=wp.mat22h)
    wp.launch(k, dim=2, inputs=[x, y, m])
    return y, m


def atomic_sums_of_half_precision(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.float16)):
        i = wp.tid()
        wp.atomic_add(y, i % 3, x[i])

    x, y = wp.array(np.arange(30) % 4 * 0.25, dtype=wp.float16), wp.zeros(3, dtype=wp.float16)
    wp.launch(k, dim=30, inputs=[x, y])
    return y


def brain_floats(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.bfloat16), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = float(x[i] * x[i]) + float(wp.bfloat16(0.5))

    x = wp.array([1.0, 2.5, -3.0], dtype=wp.bfloat16)
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[x, y])
    return y


def brain_floats_in_gradients(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.bfloat16), y: wp.array(dtype=float)):
        i = wp.tid()
        v = float(x[i])
        y[i] = v * v

    x = wp.array([1.0, 2.5], dtype=wp.bfloat16, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    z = wp.zeros(2, dtype=float)

    @wp.kernel
    def widen(x: wp.array(dtype=wp.bfloat16), z: wp.array(dtype=float)):
        i = wp.tid()
        z[i] = float(x[i])

    wp.launch(widen, dim=2, inputs=[x.grad, z])
    return y, z


@program(exact=True)
def narrow_integers_in_lanes(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.int8), b: wp.array(dtype=wp.uint8), y: wp.array2d(dtype=int)):
        i = wp.tid()
        y[i, 0] = int(a[i] + a[i])
        y[i, 1] = int(b[i] * b[i])
        y[i, 2] = int(a[i] - wp.int8(100))
        y[i, 3] = int(b[i] >> wp.uint8(2))
        y[i, 4] = int(wp.int16(a[i]) * wp.int16(b[i]))
        y[i, 5] = int(-a[i])

    n = 64
    a = wp.array(np.arange(-128, 128, 4), dtype=wp.int8)
    b = wp.array(np.arange(0, 256, 4), dtype=wp.uint8)
    y = wp.zeros((n, 6), dtype=int)
    wp.launch(k, dim=n, inputs=[a, b, y])
    return y


@program(exact=True)
def conversions_between_integers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.int64), y: wp.array2d(dtype=wp.int64)):
        i = wp.tid()
        y[i, 0] = wp.int64(wp.int8(a[i]))
        y[i, 1] = wp.int64(wp.uint8(a[i]))
        y[i, 2] = wp.int64(wp.int16(a[i]))
        y[i, 3] = wp.int64(wp.uint32(a[i]))
        y[i, 4] = wp.int64(wp.int32(a[i]))
        y[i, 5] = wp.int64(wp.bool(a[i]))

    a = wp.array([0, 1, -1, 128, 255, 2**31, 2**32 + 7, -(2**40)], dtype=wp.int64)
    y = wp.zeros((8, 6), dtype=wp.int64)
    wp.launch(k, dim=8, inputs=[a, y])
    return y


@program(exact=True)
def conversions_between_floats(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.float64), y: wp.array2d(dtype=wp.float64)):
        i = wp.tid()
        y[i, 0] = wp.float64(wp.float32(a[i]))
        y[i, 1] = wp.float64(wp.float16(wp.float32(a[i])))
        y[i, 2] = wp.float64(int(a[i]))

    a = wp.array([0.1, -2.7, 1e5, 65504.0, 1e-7, 2049.0], dtype=wp.float64)
    y = wp.zeros((6, 3), dtype=wp.float64)
    wp.launch(k, dim=6, inputs=[a, y])
    return y


@program(exact=True)
def wide_unsigned_numbers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.uint64), y: wp.array2d(dtype=wp.uint64)):
        i = wp.tid()
        y[i, 0] = a[i] / wp.uint64(3)
        y[i, 1] = a[i] % wp.uint64(10)
        y[i, 2] = a[i] >> wp.uint64(60)
        y[i, 3] = a[i] * a[i]
        y[i, 4] = wp.uint64(0)
        if a[i] > wp.uint64(9223372036854775808):
            y[i, 4] = wp.uint64(1)

    a = wp.array(np.array([2**64 - 1, 2**63, 5, 0], np.uint64), dtype=wp.uint64)
    y = wp.zeros((4, 5), dtype=wp.uint64)
    wp.launch(k, dim=4, inputs=[a, y])
    return y


@program(exact=True)
def atomics_of_every_integer(wp):
    from typing import Any

    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i])
        wp.atomic_max(y, 1, x[i])
        wp.atomic_min(y, 2, x[i])
        wp.atomic_sub(y, 3, x[i])

    out = []
    for t in (wp.int32, wp.uint32, wp.int64, wp.uint64):
        x, y = wp.array([3, 9, 1, 7], dtype=t), wp.full(4, 5, dtype=t)
        wp.launch(k, dim=4, inputs=[x, y])
        out.append(y)
    return out


def atomics_of_vectors_and_matrices(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3d), m: wp.array(dtype=wp.mat22), q: wp.array(dtype=wp.quat)):
        i = wp.tid()
        wp.atomic_add(v, i % 2, wp.vec3d(wp.float64(i), wp.float64(0.1), wp.float64(-1.0)))
        wp.atomic_add(m, 0, wp.mat22(float(i), 1.0, 0.0, 2.0))
        wp.atomic_sub(q, 0, wp.quat(0.0, float(i), 0.0, 1.0))

    v, m, q = wp.zeros(2, dtype=wp.vec3d), wp.zeros(1, dtype=wp.mat22), wp.zeros(1, dtype=wp.quat)
    wp.launch(k, dim=20, inputs=[v, m, q])
    return v, m, q


def minima_of_vectors(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec2), lo: wp.array(dtype=wp.vec2), hi: wp.array(dtype=wp.vec2i)):
        i = wp.tid()
        wp.atomic_min(lo, 0, x[i])
        wp.atomic_max(hi, 0, wp.vec2i(int(x[i][0]), int(x[i][1])))

    x = wp.array(np.random.default_rng(0).normal(size=(50, 2)) * 10, dtype=wp.vec2)
    lo, hi = wp.full(1, wp.vec2(1e9, 1e9), dtype=wp.vec2), wp.full(1, wp.vec2i(-999, -999), dtype=wp.vec2i)
    wp.launch(k, dim=50, inputs=[x, lo, hi])
    return lo, hi


@program(exact=True)
def special_floats(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array2d(dtype=bool), z: wp.array2d(dtype=float)):
        i = wp.tid()
        y[i, 0] = wp.isnan(x[i])
        y[i, 1] = wp.isinf(x[i])
        y[i, 2] = wp.isfinite(x[i])
        y[i, 3] = x[i] == x[i]
        y[i, 4] = x[i] < wp.inf
        z[i, 0] = x[i] * 0.0
        z[i, 1] = -x[i]
        z[i, 2] = wp.abs(x[i])

    x = wp.array([1.0, np.inf, -np.inf, np.nan, -0.0, 1e-42], dtype=float)
    y, z = wp.zeros((6, 5), dtype=bool), wp.zeros((6, 3), dtype=float)
    wp.launch(k, dim=6, inputs=[x, y, z])
    return y, z


def functions_at_their_limits(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), y: wp.array2d(dtype=wp.float64)):
        i = wp.tid()
        y[i, 0] = wp.exp(x[i])
        y[i, 1] = wp.log(x[i])
        y[i, 2] = wp.sqrt(x[i])
        y[i, 3] = wp.atan2(x[i], wp.float64(-0.0))
        y[i, 4] = wp.pow(x[i], wp.float64(0.5))
        y[i, 5] = wp.tanh(x[i])

    x = wp.array([0.0, -0.0, -1.0, 1e308, np.inf, -np.inf, 1e-320], dtype=wp.float64)
    y = wp.zeros((7, 6), dtype=wp.float64)
    wp.launch(k, dim=7, inputs=[x, y])
    return y


def double_precision_with_gradients(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3d), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        v = x[i]
        y[i] = wp.exp(-wp.dot(v, v)) * wp.cos(v[0]) + wp.cbrt(wp.abs(v[1])) + wp.atan2(v[2], v[0])

    x = wp.array(np.random.default_rng(1).normal(size=(5, 3)), dtype=wp.vec3d, requires_grad=True)
    return gradients(wp, k, 5, [x], [wp.zeros(5, dtype=wp.float64, requires_grad=True)])
