"""Vector, matrix and quaternion types made by `wp.types`, as values on the host and in kernels."""

import numpy as np
from program import gradients, raised


def vectors_by_their_maker_in_kernels(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        v = wp.types.vector(1.0, 2.0, 3.0, 4.0, 5.0)
        w = wp.types.vector(2.0, length=5)
        y[0] = wp.dot(v, w)
        y[1] = v[4]

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def matrices_by_their_maker_in_kernels(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.mat22)):
        i = wp.tid()
        y[i] = wp.types.matrix(x[i], shape=(2, 2)) + wp.types.matrix(1.0, 2.0, 3.0, 4.0, shape=(2, 2))

    y = wp.zeros(2, dtype=wp.mat22)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 5.0], dtype=float), y])
    return y


def quaternions_by_their_maker_in_kernels(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.quatd)):
        q = wp.types.quaternion(wp.float64(0.0), wp.float64(0.0), wp.float64(0.6), wp.float64(0.8))
        y[0] = q * q

    y = wp.zeros(1, dtype=wp.quatd)
    wp.launch(k, dim=1, inputs=[y])
    return y


def short_makers_in_kernels(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        v = wp.vector(1.0, 2.0, 3.0)
        m = wp.matrix(2.0, shape=(3, 3))
        y[0] = wp.dot(m * v, v)
        u = wp.vector(length=4, dtype=float)
        y[1] = u[3] + 1.0

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def types_called_in_kernels(wp):
    vec5 = wp.types.vector(length=5, dtype=wp.float32)
    mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float64)

    @wp.kernel
    def k(v: wp.array(dtype=vec5), m: wp.array(dtype=mat23)):
        v[0] = vec5(1.0, 2.0, 3.0, 4.0, 5.0) * 2.0
        v[1] = vec5(7.0)
        m[0] = mat23(wp.float64(1.5))

    v, m = wp.zeros(2, dtype=vec5), wp.zeros(1, dtype=mat23)
    wp.launch(k, dim=1, inputs=[v, m])
    return v, m


def keywords_that_agree_with_the_type(wp):
    mat32d = wp.types.matrix(shape=(3, 2), dtype=wp.float64)

    @wp.kernel
    def k(c: wp.float64, m: wp.array(dtype=mat32d), v: wp.array(dtype=wp.vec3d)):
        m[0] = mat32d(c, shape=(3, 2))
        v[0] = wp.vec3d(c, length=3)

    m, v = wp.zeros(1, dtype=mat32d), wp.zeros(1, dtype=wp.vec3d)
    wp.launch(k, dim=1, inputs=[2.5, m, v])
    return m, v


def scalar_types_of_arrays_in_static(wp):
    vec3h = wp.types.vector(length=3, dtype=wp.float16)
    scalar = vec3h._wp_scalar_type_

    @wp.kernel
    def k(v: wp.array(dtype=vec3h), y: wp.array(dtype=wp.float16)):
        i = wp.tid()
        y[i] = v[i][0] * scalar(2.0)

    y = wp.zeros(2, dtype=wp.float16)
    wp.launch(k, dim=2, inputs=[wp.array([[1.0, 2.0, 3.0], [0.5, 1.0, 1.5]], dtype=vec3h), y])
    return y


def dtype_of_a_variable(wp):
    from typing import Any

    @wp.func
    def halved(v: Any):
        return v * v.dtype(0.5)

    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec2d)):
        i = wp.tid()
        a[i] = halved(a[i])
        b[i] = halved(b[i])

    a = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3)
    b = wp.array([[1.0, 2.0]], dtype=wp.vec2d)
    wp.launch(k, dim=1, inputs=[a, b])
    return a, b


def type_of_a_variable(wp):
    from typing import Any

    @wp.func
    def unit(x: Any):
        return type(x)(1.0) / x

    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=wp.float64)):
        i = wp.tid()
        a[i] = unit(a[i])
        b[i] = unit(b[i])

    a, b = wp.array([2.0, 4.0], dtype=float), wp.array([3.0, 5.0], dtype=wp.float64)
    wp.launch(k, dim=2, inputs=[a, b])
    return a, b


def type_of_an_elements_components(wp):
    from typing import Any

    @wp.kernel
    def k(v: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = v[i][0] + type(v[i][0])(3)

    out = []
    for t, s in ((wp.vec2, wp.float32), (wp.vec3d, wp.float64), (wp.vec2i, wp.int32)):
        y = wp.zeros(1, dtype=s)
        wp.launch(k, dim=1, inputs=[wp.ones(1, dtype=t), y])
        out.append(y)
    return out


def dtype_of_an_array_in_kernels(wp):
    from typing import Any

    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x.dtype(2) * x[i]

    out = []
    for t in (wp.int32, wp.float32, wp.float16, wp.uint8):
        y = wp.zeros(2, dtype=t)
        wp.launch(k, dim=2, inputs=[wp.array([1, 3], dtype=t), y])
        out.append(y)
    return out


def scalar_type_of_an_arrays_vectors(wp):
    from typing import Any

    @wp.kernel
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x[i] * x.dtype.dtype(0.25)

    out = []
    for t in (wp.vec2, wp.vec3d, wp.mat22):
        y = wp.zeros(1, dtype=t)
        wp.launch(k, dim=1, inputs=[wp.ones(1, dtype=t), y])
        out.append(y)
    return out


def lengths_in_static(wp):
    vec7 = wp.types.vector(length=7, dtype=float)

    @wp.kernel
    def k(v: wp.array(dtype=vec7), y: wp.array(dtype=float)):
        i = wp.tid()
        u = v[i]
        s = float(0.0)
        for j in range(wp.static(len(vec7))):
            s += u[j]
        y[i] = s

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[wp.array([np.arange(7.0)], dtype=vec7), y])
    return y


def lengths_of_values(wp):
    @wp.kernel
    def k(m: wp.mat33, v: wp.vec2, q: wp.quat, y: wp.array(dtype=int)):
        y[0] = len(m)
        y[1] = len(v)
        y[2] = len(q)
        y[3] = len(y)

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=1, inputs=[wp.mat33(), wp.vec2(), wp.quat(), y])
    return y


def scalar_types_on_the_host(wp):
    types = (wp.vec3, wp.vec2d, wp.mat22h, wp.quatd, wp.transform, wp.vec4ub, wp.spatial_matrix)
    return [[t._wp_scalar_type_, t._shape_, t._length_] for t in types]


def types_in_texts_of_errors(wp):
    types = (wp.vec3, wp.vec2d, wp.mat22h, wp.quatd, wp.transformf, wp.vec4ub, wp.float16)
    return [wp.types.type_repr(t) for t in types]


def equal_types_are_one(wp):
    a, b = wp.types.vector(length=3, dtype=wp.float32), wp.types.vector(length=3, dtype=wp.float32)
    c, d = wp.types.matrix(shape=(4, 2), dtype=wp.int8), wp.types.matrix(shape=(4, 2), dtype=wp.int8)
    return [
        a is b,
        c is d,
        wp.types.types_equal(a, wp.vec3),
        wp.types.types_equal(c, wp.mat22),
        issubclass(wp.vec3, wp.types.vector(length=3, dtype=wp.float32)),
    ]


def values_of_made_types_on_the_host(wp):
    vec6 = wp.types.vector(length=6, dtype=wp.int16)
    mat32 = wp.types.matrix(shape=(3, 2), dtype=wp.float32)
    quath = wp.quath
    m = mat32(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    return [vec6(1, 2, 3, 4, 5, 6), vec6(9), m, m[2], m[1, 1], quath(0.0, 0.0, 0.0, 1.0), len(m), len(vec6())]


def makers_by_position_in_kernels(wp):
    vec = wp.types.vector
    vec3i = vec(3, wp.int32)

    @wp.kernel
    def k(y: wp.array(dtype=vec3i)):
        y[0] = vec3i(1, 2, 3) + vec3i(7)

    y = wp.zeros(1, dtype=vec3i)
    wp.launch(k, dim=1, inputs=[y])
    return y


def lengths_of_values_in_static(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.types.matrix(shape=(4, 3), dtype=float)), y: wp.array(dtype=float)):
        i = wp.tid()
        x = m[i]
        s = float(0.0)
        for r in range(wp.static(len(m.dtype))):
            s += x[r, 2]
        y[i] = s

    m = wp.array(np.arange(24.0), dtype=wp.types.matrix(shape=(4, 3), dtype=float))
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[m, y])
    return y


def ranges_over_the_length_of_a_value(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec4), y: wp.array(dtype=float)):
        i = wp.tid()
        x = v[i]
        s = float(0.0)
        for j in range(len(x)):
            s += x[j] * float(j)
        y[i] = s

    v = wp.array(np.arange(8.0), dtype=wp.vec4, requires_grad=True)
    return gradients(wp, k, 2, [v], [wp.zeros(2, dtype=float, requires_grad=True)])


def types_of_values_called(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3d), m: wp.array(dtype=wp.mat22), y: wp.array(dtype=wp.vec3d)):
        i = wp.tid()
        x = v[i]
        y[i] = type(x)(x[2], x[1], x[0])
        z = m[i]
        m[i] = type(z)(z[1, 1], z[1, 0], z[0, 1], z[0, 0])

    v, m = wp.array(np.arange(6.0), dtype=wp.vec3d), wp.array(np.arange(8.0), dtype=wp.mat22)
    y = wp.zeros(2, dtype=wp.vec3d)
    wp.launch(k, dim=2, inputs=[v, m, y])
    return y, m


def wrong_makers(wp):
    return [
        raised(wp.types.vector(length=3, dtype=float), 1.0, 2.0),
        raised(wp.types.matrix(shape=(2, 2), dtype=float), 1.0, 2.0, 3.0),
    ]


def gradients_of_made_vectors(wp):
    vec6 = wp.types.vector(length=6, dtype=wp.float32)

    @wp.kernel
    def k(v: wp.array(dtype=vec6), y: wp.array(dtype=float)):
        i = wp.tid()
        u = v[i]
        y[i] = wp.dot(u, u) * u[5] + wp.length(vec6(u[0]))

    v = wp.array(np.arange(1.0, 13.0).reshape(2, 6), dtype=vec6, requires_grad=True)
    return gradients(wp, k, 2, [v], [wp.zeros(2, dtype=float, requires_grad=True)])


def gradients_of_made_matrices(wp):
    mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float64)

    @wp.kernel
    def k(m: wp.array(dtype=mat23), v: wp.array(dtype=wp.vec3d), y: wp.array(dtype=wp.vec2d)):
        i = wp.tid()
        y[i] = m[i] * v[i] + wp.vec2d(wp.ddot(m[i], m[i]))

    m = wp.array(np.arange(12.0), dtype=mat23, requires_grad=True)
    v = wp.array(np.arange(6.0) * 0.5, dtype=wp.vec3d, requires_grad=True)
    return gradients(wp, k, 2, [m, v], [wp.zeros(2, dtype=wp.vec2d, requires_grad=True)])


def made_types_in_structs(wp):
    vec5 = wp.types.vector(length=5, dtype=wp.float32)

    @wp.struct
    class Cell:
        f: vec5
        m: wp.types.matrix(shape=(1, 2), dtype=wp.int32)

    @wp.kernel
    def k(c: Cell, y: wp.array(dtype=float)):
        y[0] = c.f[4] * float(c.m[0, 1])

    c = Cell()
    c.f = vec5(1.0, 2.0, 3.0, 4.0, 5.0)
    c.m = wp.types.matrix(shape=(1, 2), dtype=wp.int32)(3, 4)
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[c, y])
    return y


def makers_with_a_dtype(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.vec2d), z: wp.array(dtype=wp.types.matrix(shape=(2, 2), dtype=wp.float16))):
        y[0] = wp.vector(1.0, 2.0, dtype=wp.float64)
        z[0] = wp.matrix(1.0, 2.0, 3.0, 4.0, shape=(2, 2), dtype=wp.float16)

    y = wp.zeros(1, dtype=wp.vec2d)
    z = wp.zeros(1, dtype=wp.types.matrix(shape=(2, 2), dtype=wp.float16))
    wp.launch(k, dim=1, inputs=[y, z])
    return y, z


def identities_of_made_types(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.mat33d), q: wp.array(dtype=wp.quatd)):
        y[0] = wp.identity(n=3, dtype=wp.float64)
        q[0] = wp.quat_identity(dtype=wp.float64)

    y, q = wp.zeros(1, dtype=wp.mat33d), wp.zeros(1, dtype=wp.quatd)
    wp.launch(k, dim=1, inputs=[y, q])
    return y, q


def conversions_between_vector_types(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3d), n: wp.array(dtype=wp.vec3i)):
        i = wp.tid()
        d[i] = wp.vec3d(v[i])
        n[i] = wp.vec3i(v[i])

    d, n = wp.zeros(2, dtype=wp.vec3d), wp.zeros(2, dtype=wp.vec3i)
    wp.launch(k, dim=2, inputs=[wp.array([[1.5, -2.5, 3.0], [0.25, 9.75, -0.5]], dtype=wp.vec3), d, n])
    return d, n


def large_matrices_by_constants(wp):
    rows, columns = wp.constant(3), wp.constant(4)
    mat34 = wp.types.matrix(shape=(3, 4), dtype=wp.float32)

    @wp.kernel
    def k(y: wp.array(dtype=mat34)):
        m = mat34()
        for i in range(rows):
            for j in range(columns):
                m[i, j] = float(i * 10 + j)
        y[0] = m

    y = wp.zeros(1, dtype=mat34)
    wp.launch(k, dim=1, inputs=[y])
    return y
