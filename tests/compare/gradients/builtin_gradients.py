"""Gradients of builtins of vectors, matrices, quaternions and transforms, one kind a program."""

import numpy as np
from program import gradients, program


def _random(wp, dtype, n, seed, low=-1.0, high=1.0):
    shape = (n, *dtype._shape_) if hasattr(dtype, "_shape_") else (n,)
    data = np.random.default_rng(seed).uniform(low, high, shape)
    return wp.array(data, dtype=dtype, requires_grad=True)


def _zeros(wp, dtype, n):
    return wp.zeros(n, dtype=dtype, requires_grad=True)


def norms(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        y[i] = wp.vec4(wp.norm_l1(v[i]), wp.norm_l2(v[i]), wp.norm_huber(v[i], 0.5), wp.norm_pseudo_huber(v[i], 0.5))

    return gradients(wp, k, 6, [_random(wp, wp.vec3, 6, 0)], [_zeros(wp, wp.vec4, 6)])


def lengths_and_directions(wp):
    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.normalize(v[i]) * wp.length(v[i]) + wp.smooth_normalize(v[i], 0.3) * wp.length_sq(v[i])

    return gradients(wp, k, 5, [_random(wp, wp.vec3, 5, 1)], [_zeros(wp, wp.vec3, 5)])


def products_of_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        c = wp.cross(a[i], b[i]) + wp.cw_mul(a[i], b[i]) - wp.cw_div(a[i], b[i])
        y[i] = wp.outer(c, b[i]) * wp.dot(a[i], b[i]) + wp.skew(c)

    a, b = _random(wp, wp.vec3, 4, 2), _random(wp, wp.vec3, 4, 3, 0.5, 1.5)
    return gradients(wp, k, 4, [a, b], [_zeros(wp, wp.mat33, 4)])


def extremes_of_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec4), b: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        y[i] = wp.min(a[i], b[i]) * wp.max(a[i]) + wp.max(a[i], b[i]) * wp.min(b[i]) + wp.abs(a[i])

    a, b = _random(wp, wp.vec4, 5, 4), _random(wp, wp.vec4, 5, 5)
    return gradients(wp, k, 5, [a, b], [_zeros(wp, wp.vec4, 5)])


def matrices_and_their_parts(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat33), y: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.transpose(m[i]) * m[i]
        y[i] = wp.trace(a) + wp.determinant(m[i]) + wp.ddot(m[i], a) + wp.dot(wp.get_diag(a), m[i][1])

    return gradients(wp, k, 4, [_random(wp, wp.mat33, 4, 6)], [_zeros(wp, float, 4)])


def inverses_of_every_size(wp):
    @wp.kernel
    def k(
        a: wp.array(dtype=wp.mat22d),
        b: wp.array(dtype=wp.mat33d),
        c: wp.array(dtype=wp.mat44d),
        y: wp.array(dtype=wp.vec3d),
    ):
        i = wp.tid()
        p, q, r = wp.inverse(a[i]), wp.inverse(b[i]), wp.inverse(c[i])
        y[i] = wp.vec3d(p[0, 1] * p[1, 1], wp.trace(q) * q[2, 0], wp.trace(r) + r[3, 1] * r[0, 2])

    inputs = []
    for n, t in ((2, wp.mat22d), (3, wp.mat33d), (4, wp.mat44d)):
        data = np.random.default_rng(n).uniform(-0.3, 0.3, (3, n, n)) + np.eye(n)
        inputs.append(wp.array(data, dtype=t, requires_grad=True))
    return gradients(wp, k, 3, inputs, [_zeros(wp, wp.vec3d, 3)])


def rows_and_columns(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.mat22)):
        i = wp.tid()
        r = wp.matrix_from_rows(a[i], b[i])
        c = wp.matrix_from_cols(b[i], a[i])
        y[i] = r * c + wp.diag(wp.vec2(a[i][0], b[i][2]))

    a, b = _random(wp, wp.vec3, 3, 7), _random(wp, wp.vec3, 3, 8)
    return gradients(wp, k, 3, [a, b], [_zeros(wp, wp.mat22, 3)])


def quaternions_as_numbers(wp):
    @wp.kernel
    def k(p: wp.array(dtype=wp.quat), q: wp.array(dtype=wp.quat), y: wp.array(dtype=wp.quat)):
        i = wp.tid()
        a = wp.normalize(p[i])
        y[i] = a * wp.quat_inverse(q[i]) + q[i] * wp.dot(a, q[i]) - wp.quat_slerp(a, wp.normalize(q[i]), 0.3)

    p, q = _random(wp, wp.quat, 4, 9, 0.2, 1.0), _random(wp, wp.quat, 4, 10, 0.2, 1.0)
    return gradients(wp, k, 4, [p, q], [_zeros(wp, wp.quat, 4)])


def quaternions_of_axes_and_angles(wp):
    @wp.kernel
    def k(axis: wp.array(dtype=wp.vec3), angle: wp.array(dtype=float), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        q = wp.quat_from_axis_angle(wp.normalize(axis[i]), angle[i])
        y[i] = wp.quat_rotate(q, wp.vec3(1.0, 2.0, 3.0)) + wp.quat_rotate_inv(q, axis[i])

    axis, angle = _random(wp, wp.vec3, 5, 11), _random(wp, float, 5, 12)
    return gradients(wp, k, 5, [axis, angle], [_zeros(wp, wp.vec3, 5)])


def quaternions_of_angles(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.quat)):
        i = wp.tid()
        y[i] = wp.quat_rpy(a[i][0], a[i][1], a[i][2])

    return gradients(wp, k, 5, [_random(wp, wp.vec3, 5, 13)], [_zeros(wp, wp.quat, 5)])


def angles_of_quaternions(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.quat_to_rpy(wp.normalize(q[i]))

    q = _random(wp, wp.quat, 5, 14, 0.2, 0.6)
    y = wp.zeros(5, dtype=wp.vec3)
    wp.launch(k, dim=5, inputs=[q], outputs=[y])
    return y


@program(tolerance=5e-5)
def rotations_as_matrices(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), y: wp.array(dtype=wp.mat33), r: wp.array(dtype=wp.quat)):
        i = wp.tid()
        m = wp.quat_to_matrix(wp.normalize(q[i]))
        y[i] = m
        r[i] = wp.quat_from_matrix(m)

    q = _random(wp, wp.quat, 4, 15, 0.2, 1.0)
    y, r = wp.zeros(4, dtype=wp.mat33, requires_grad=True), wp.zeros(4, dtype=wp.quat)
    tape = wp.Tape()
    with tape:
        wp.launch(k, 4, [q], [y, r])
    tape.backward(grads={y: wp.array(np.arange(36.0).reshape(4, 3, 3), dtype=wp.mat33)})
    return y, r, q.grad


def transforms_of_points(wp):
    @wp.kernel
    def k(t: wp.array(dtype=wp.transform), p: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.transform_point(t[i], p[i]) + wp.transform_vector(wp.transform_inverse(t[i]), p[i])

    t, p = _random(wp, wp.transform, 4, 16, 0.2, 0.6), _random(wp, wp.vec3, 4, 17)
    return gradients(wp, k, 4, [t, p], [_zeros(wp, wp.vec3, 4)])


def products_of_transforms(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.transform), b: wp.array(dtype=wp.transform), y: wp.array(dtype=wp.transform)):
        i = wp.tid()
        y[i] = a[i] * b[i]

    a, b = _random(wp, wp.transform, 3, 18), _random(wp, wp.transform, 3, 19)
    return gradients(wp, k, 3, [a, b], [_zeros(wp, wp.transform, 3)])


def edges_and_their_closest_points(wp):
    @wp.kernel
    def k(p: wp.array2d(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[i, 2], p[i, 3], 1.0e-6)

    p = wp.array(np.random.default_rng(20).normal(size=(6, 4, 3)), dtype=wp.vec3)
    y = wp.zeros(6, dtype=wp.vec3)
    wp.launch(k, dim=6, inputs=[p, y])
    return y


@program(exact=True)
def triangles_that_intersect(wp):
    @wp.kernel
    def k(p: wp.array2d(dtype=wp.vec3), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = wp.intersect_tri_tri(p[i, 0], p[i, 1], p[i, 2], p[i, 3], p[i, 4], p[i, 5])

    p = wp.array(np.random.default_rng(21).normal(size=(20, 6, 3)), dtype=wp.vec3)
    y = wp.zeros(20, dtype=int)
    wp.launch(k, dim=20, inputs=[p, y])
    return y


@program(tolerance=1e-3)
def approximate_inverses(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat22), y: wp.array(dtype=wp.mat22), x: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.inverse_approx(m[i])
        x[i] = wp.div_approx(3.0, m[i][0, 0])

    m = wp.array([[[2.0, 1.0], [0.5, 3.0]], [[1.0, -4.0], [2.0, 0.25]]], dtype=wp.mat22)
    y, x = wp.zeros(2, dtype=wp.mat22), wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[m, y, x])
    return y, x


def interpolation(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        y[i] = wp.vec4(
            wp.lerp(x[i], 2.0 * x[i], x[i] * x[i]),
            wp.smoothstep(-0.5, 1.5, x[i]),
            wp.clamp(x[i], -0.3, 0.4) * x[i],
            wp.mod(x[i], 0.7),
        )

    return gradients(wp, k, 7, [_random(wp, float, 7, 22)], [_zeros(wp, wp.vec4, 7)])


def functions_of_one_number(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), y: wp.array2d(dtype=wp.float64)):
        i = wp.tid()
        v = x[i]
        y[i, 0] = wp.asin(v) + wp.acos(v) * v
        y[i, 1] = wp.atan(v) + wp.tan(v)
        y[i, 2] = wp.sinh(v) * wp.cosh(v) + wp.tanh(v)
        y[i, 3] = wp.log(v) + wp.log2(v) + wp.log10(v)
        y[i, 4] = wp.cbrt(v) + wp.sqrt(v)
        y[i, 5] = wp.erf(v) + wp.erfc(v) * v
        y[i, 6] = wp.pow(v, v) + wp.exp(v)
        y[i, 7] = wp.degrees(v) + wp.radians(v) * v

    x = wp.array([0.1, 0.4, 0.9], dtype=wp.float64, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros((3, 8), dtype=wp.float64, requires_grad=True)])


def functions_of_two_numbers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64), y: wp.array2d(dtype=wp.float64)):
        i = wp.tid()
        y[i, 0] = wp.atan2(a[i], b[i])
        y[i, 1] = wp.pow(wp.abs(a[i]), b[i])
        y[i, 2] = wp.min(a[i], b[i]) * wp.max(a[i], b[i])
        y[i, 3] = a[i] / b[i] - b[i] / a[i]

    a = wp.array([0.3, -1.2, 2.0], dtype=wp.float64, requires_grad=True)
    b = wp.array([1.1, 0.7, -0.4], dtype=wp.float64, requires_grad=True)
    return gradients(wp, k, 3, [a, b], [wp.zeros((3, 4), dtype=wp.float64, requires_grad=True)])


def velocities_of_points(wp):
    @wp.kernel
    def k(w: wp.array(dtype=wp.spatial_vector), p: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.velocity_at_point(w[i], p[i])

    w = _random(wp, wp.spatial_vector, 4, 23)
    return gradients(wp, k, 4, [w, _random(wp, wp.vec3, 4, 24)], [_zeros(wp, wp.vec3, 4)])


def noise_in_two_and_three_dimensions(wp):
    @wp.kernel
    def k(p: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        s = wp.rand_init(11)
        y[i] = wp.noise(s, p[i]) + wp.noise(s, wp.vec2(p[i][0], p[i][2])) * wp.noise(s, p[i][1])

    return gradients(wp, k, 8, [_random(wp, wp.vec3, 8, 25, -3.0, 3.0)], [_zeros(wp, float, 8)])
