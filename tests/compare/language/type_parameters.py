"""Kernels and functions that take their types from arguments: `Any`, `type(x)`, `.dtype`, overloads."""

from typing import Any

import numpy as np
from program import gradients, raised


def types_of_elements(wp):
    @wp.kernel
    def k(a: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = type(a[i])(i + 1) * a[i]

    out = []
    for t in (wp.float32, wp.int16, wp.float64):
        y = wp.zeros(3, dtype=t)
        wp.launch(k, dim=3, inputs=[wp.array([1, 2, 3], dtype=t), y])
        out.append(y)
    return out


def types_of_rows_and_components(wp):
    @wp.kernel
    def k(m: wp.array(dtype=Any), v: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        r = m[i][0]
        y[i] = wp.dot(type(r)(v[i][0]), r) + type(r[0])(2.0)

    out = []
    for mat, vec, t in ((wp.mat22, wp.vec3, wp.float32), (wp.mat33d, wp.vec2d, wp.float64)):
        n = mat._length_
        m = wp.array(np.arange(2.0 * n), dtype=mat)
        v = wp.array(np.arange(2.0 * vec._length_) + 1.0, dtype=vec)
        y = wp.zeros(2, dtype=t)
        wp.launch(k, dim=2, inputs=[m, v, y])
        out.append(y)
    return out


def zeros_and_ones_of_a_type(wp):
    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        s = x.dtype(0)
        for j in range(x.shape[0]):
            s += x[j]
        y[i] = s / x.dtype(2)

    out = []
    for t in (wp.float32, wp.float64, wp.float16, wp.int32):
        y = wp.zeros(1, dtype=t)
        wp.launch(k, dim=1, inputs=[wp.array([1, 2, 5], dtype=t), y])
        out.append(y)
    return out


def sums_of_vectors_of_any_type(wp):
    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        s = x.dtype()
        for j in range(x.shape[0]):
            s += x[j]
        y[0] = s

    out = []
    for t in (wp.vec2, wp.vec3d, wp.vec4i, wp.mat22):
        shape = (3, *t._shape_)
        x = wp.array(np.arange(np.prod(shape)).reshape(shape), dtype=t)
        y = wp.zeros(1, dtype=t)
        wp.launch(k, dim=1, inputs=[x, y])
        out.append(y)
    return out


def functions_of_any_with_overloads(wp):
    @wp.func
    def size(x: Any):
        return wp.length(x)

    @wp.func
    def size(x: float):  # noqa: F811
        return wp.abs(x)

    @wp.func
    def size(x: int):  # noqa: F811
        return float(x) * 10.0

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = size(wp.vec3(3.0, 4.0, 0.0))
        y[1] = size(-2.0)
        y[2] = size(7)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def gradients_of_kernels_of_any(wp):
    @wp.func
    def square(x: Any):
        return x * x

    @wp.kernel
    def k(x: wp.array(dtype=Any), s: Any, y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = square(x[i]) * s + x[i]

    out = []
    for t in (wp.float32, wp.float64):
        x = wp.array([1.0, -2.0, 3.0], dtype=t, requires_grad=True)
        out.append(gradients(wp, k, 3, [x, t(2.5)], [wp.zeros(3, dtype=t, requires_grad=True)]))
    return out


def values_of_any(wp):
    @wp.kernel
    def k(v: Any, y: wp.array(dtype=Any)):
        y[0] = v + v

    out = []
    for v, t in ((wp.vec2(1.0, 2.0), wp.vec2), (wp.quat(0.0, 0.0, 0.0, 1.0), wp.quat), (wp.mat22(1.0), wp.mat22)):
        y = wp.zeros(1, dtype=t)
        wp.launch(k, dim=1, inputs=[v, y])
        out.append(y)
    return out


def scalars_of_the_launch_choose_types(wp):
    @wp.kernel
    def k(n: Any, y: wp.array(dtype=wp.float64)):
        y[0] = wp.float64(n) / wp.float64(4)

    out = []
    for n in (wp.int64(2**40), wp.float16(0.5), wp.uint8(200), 3, 2.5):
        y = wp.zeros(1, dtype=wp.float64)
        wp.launch(k, dim=1, inputs=[n, y])
        out.append(y)
    return out


def structs_of_any(wp):
    @wp.struct
    class A:
        x: float

    @wp.struct
    class B:
        x: wp.float64
        n: int

    @wp.func
    def x_of(s: Any):
        return s.x * s.x

    @wp.kernel
    def k(s: Any, y: wp.array(dtype=Any)):
        y[0] = x_of(s)

    a, b = A(), B()
    a.x, b.x = 3.0, 0.1
    ya, yb = wp.zeros(1, dtype=float), wp.zeros(1, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[a, ya])
    wp.launch(k, dim=1, inputs=[b, yb])
    return ya, yb


def arrays_of_any_dimension(wp):
    @wp.func
    def first(a: wp.array(dtype=Any)):
        return a[0]

    @wp.func
    def first(a: wp.array2d(dtype=Any)):  # noqa: F811
        return a[0, 1]

    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array2d(dtype=wp.vec2), y: wp.array(dtype=float)):
        y[0] = first(a) + first(b)[1]

    y = wp.zeros(1, dtype=float)
    b = wp.array(np.arange(8.0).reshape(2, 2, 2), dtype=wp.vec2)
    wp.launch(k, dim=1, inputs=[wp.array([5.0], dtype=float), b, y])
    return y


def overloads_that_are_listed(wp):
    @wp.kernel
    def k(x: wp.array(dtype=Any), s: Any):
        i = wp.tid()
        x[i] = x[i] * s

    for t in (wp.float32, wp.float64, wp.float16):
        wp.overload(k, [wp.array(dtype=t), t])
    n = len(k.overloads)
    x = wp.array([1.0, 2.0], dtype=wp.float16)
    wp.launch(k, dim=2, inputs=[x, wp.float16(0.5)])
    return n, len(k.overloads), x


def types_that_do_not_agree(wp):
    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x[i]

    return [
        raised(wp.launch, k, dim=1, inputs=[wp.zeros(1, dtype=float), wp.zeros(1, dtype=int)]),
        raised(wp.launch, k, dim=1, inputs=[wp.zeros(1, dtype=float)]),
        raised(wp.launch, k, dim=1, inputs=[wp.zeros((1, 1), dtype=float), wp.zeros(1, dtype=float)]),
    ]


def vectors_of_any_scalar(wp):
    @wp.func
    def norm1(v: wp.types.vector(length=Any, dtype=wp.Scalar)):
        s = wp.abs(v[0])
        for i in range(1, len(v)):
            s += wp.abs(v[i])
        return s

    @wp.kernel
    def k(y: wp.array(dtype=float), z: wp.array(dtype=wp.float64)):
        y[0] = norm1(wp.vec3(1.0, -2.0, 3.0)) + norm1(wp.vec2(1.0, -5.0))
        z[0] = norm1(wp.vec2d(wp.float64(0.5), wp.float64(-0.25)))

    y, z = wp.zeros(1, dtype=float), wp.zeros(1, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[y, z])
    return y, z


def matrices_of_any_shape_and_scalar(wp):
    @wp.func
    def total(m: wp.types.matrix(shape=(Any, Any), dtype=wp.Scalar)):
        s = m[0, 0] - m[0, 0]
        for i in range(2):
            for j in range(2):
                s += m[i, j]
        return s

    @wp.kernel
    def k(a: wp.array(dtype=wp.mat22), b: wp.array(dtype=wp.mat33d), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = total(a[i]) + float(total(b[i]))

    a, b = wp.array(np.arange(8.0), dtype=wp.mat22), wp.array(np.arange(18.0), dtype=wp.mat33d)
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[a, b, y])
    return y


def type_variables_shared_by_parameters(wp):
    @wp.func
    def blend(a: wp.Float, b: wp.Float, t: wp.Float):
        return a + (b - a) * t

    @wp.kernel
    def k(y: wp.array(dtype=float), z: wp.array(dtype=wp.float64)):
        y[0] = blend(1.0, 3.0, 0.25)
        z[0] = blend(wp.float64(1.0), wp.float64(3.0), wp.float64(0.1))

    y, z = wp.zeros(1, dtype=float), wp.zeros(1, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[y, z])
    return y, z


def kernels_of_any_in_lanes(wp):
    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        s = x[i] + x[i]
        for j in range(5):
            s += x[(i + j) % 100] * x.dtype(2)
        y[i] = s

    out = []
    for t in (wp.float32, wp.float64):
        x = wp.array(np.arange(100) % 13, dtype=t)
        y = wp.zeros(100, dtype=t)
        wp.launch(k, dim=100, inputs=[x, y])
        out.append(y)
    return out


def defaults_of_generic_functions(wp):
    @wp.func
    def scaled(x: Any, s: float = 2.0):
        return x * s

    @wp.kernel
    def k(y: wp.array(dtype=wp.vec2), z: wp.array(dtype=float)):
        y[0] = scaled(wp.vec2(1.0, 2.0))
        y[1] = scaled(wp.vec2(1.0, 2.0), 0.5)
        z[0] = scaled(3.0, s=4.0)

    y, z = wp.zeros(2, dtype=wp.vec2), wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y, z])
    return y, z
