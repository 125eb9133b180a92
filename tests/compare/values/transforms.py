"""Transforms and spatial vectors, in kernels and on the host."""

import numpy as np
from program import gradients


def points_and_vectors(wp):
    @wp.kernel
    def k(t: wp.array(dtype=wp.transform), p: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.transform_point(t[i], p[i]) + wp.transform_vector(wp.transform_inverse(t[i]), p[i])

    q = wp.quat_from_axis_angle(wp.normalize(wp.vec3(1.0, 2.0, 3.0)), 0.8)
    t = wp.array([wp.transform(wp.vec3(1.0, 2.0, 3.0), q)] * 2, dtype=wp.transform, requires_grad=True)
    p = wp.array([[1.0, 0.0, 0.0], [0.3, -2.0, 1.0]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [t, p], [wp.zeros(2, dtype=wp.vec3, requires_grad=True)])


def products_and_parts(wp):
    @wp.kernel
    def k(a: wp.transform, b: wp.transform, t: wp.array(dtype=wp.transform), p: wp.array(dtype=wp.vec3)):
        t[0] = a * b
        t[1] = wp.transform_multiply(b, a)
        t[2] = wp.transformation(wp.transform_get_translation(a), wp.transform_get_rotation(b))
        t[3] = wp.transform_identity(dtype=float)
        p[0] = (a * b).p

    q = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 0.3)
    a, b = wp.transform(wp.vec3(1.0, 2.0, 3.0), q), wp.transform(wp.vec3(0.0, 1.0, 0.0), q)
    t, p = wp.zeros(4, dtype=wp.transform), wp.zeros(1, dtype=wp.vec3)
    wp.launch(k, dim=1, inputs=[a, b, t, p])
    return t, p


def setters_of_transforms(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.transform)):
        t = wp.transform_identity(dtype=float)
        wp.transform_set_translation(t, wp.vec3(1.0, 2.0, 3.0))
        wp.transform_set_rotation(t, wp.quat(0.0, 0.0, 1.0, 0.0))
        y[0] = t
        t.p = wp.vec3(7.0, 8.0, 9.0)
        y[1] = t

    y = wp.zeros(2, dtype=wp.transform)
    wp.launch(k, dim=1, inputs=[y])
    return y


def transforms_on_the_host(wp):
    t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity())
    u = wp.transform(p=(0.0, 1.0, 0.0), q=(0.0, 0.0, 0.0, 1.0))
    v = wp.transform_point(t * u, wp.vec3(1.0, 1.0, 1.0))
    return list(t), list(t.p), list(t.q), list(t * u), list(v), list(wp.transform()), t == u, list(t[0:3]), len(t)


def compose_and_decompose(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat44), p: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.quat)):
        a = wp.transform_compose(wp.vec3(1.0, 2.0, 3.0), wp.quat_rpy(0.1, 0.2, 0.3), wp.vec3(1.0, 2.0, 0.5))
        m[0] = a
        pos, rot, scale = wp.transform_decompose(a)
        p[0] = pos
        p[1] = scale
        q[0] = rot

    m, p, q = wp.zeros(1, dtype=wp.mat44), wp.zeros(2, dtype=wp.vec3), wp.zeros(1, dtype=wp.quat)
    wp.launch(k, dim=1, inputs=[m, p, q])
    return m, p, q


def transforms_and_matrices(wp):
    @wp.kernel
    def k(t: wp.transform, m: wp.array(dtype=wp.mat44), y: wp.array(dtype=wp.transform), v: wp.array(dtype=wp.vec3)):
        m[0] = wp.transform_to_matrix(t)
        y[0] = wp.transform_from_matrix(m[0])
        v[0] = wp.transform_point(m[0], wp.vec3(1.0, 2.0, 3.0))
        v[1] = wp.transform_vector(m[0], wp.vec3(1.0, 2.0, 3.0))

    t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 1.2))
    m, y, v = wp.zeros(1, dtype=wp.mat44), wp.zeros(1, dtype=wp.transform), wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=1, inputs=[t, m, y, v])
    return m, y, v


def spatial_vectors(wp):
    @wp.kernel
    def k(
        a: wp.array(dtype=wp.spatial_vector), b: wp.array(dtype=wp.spatial_vector), y: wp.array(dtype=wp.spatial_vector)
    ):
        i = wp.tid()
        y[i] = wp.spatial_cross(a[i], b[i]) + wp.spatial_cross_dual(a[i], b[i]) * wp.spatial_dot(a[i], b[i])

    rng = np.random.default_rng(6)
    a = wp.array(rng.normal(size=(2, 6)), dtype=wp.spatial_vector, requires_grad=True)
    b = wp.array(rng.normal(size=(2, 6)), dtype=wp.spatial_vector, requires_grad=True)
    return gradients(wp, k, 2, [a, b], [wp.zeros(2, dtype=wp.spatial_vector, requires_grad=True)])


def twists_and_wrenches(wp):
    @wp.kernel
    def k(t: wp.transform, x: wp.spatial_vector, y: wp.array(dtype=wp.spatial_vector), v: wp.array(dtype=wp.vec3)):
        y[0] = wp.transform_twist(t, x)
        y[1] = wp.transform_wrench(t, x)
        v[0] = wp.velocity_at_point(x, wp.vec3(1.0, 2.0, 3.0))
        v[1] = wp.spatial_top(x)
        v[2] = wp.spatial_bottom(x)

    t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 1.2))
    x = wp.spatial_vector(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    y, v = wp.zeros(2, dtype=wp.spatial_vector), wp.zeros(3, dtype=wp.vec3)
    wp.launch(k, dim=1, inputs=[t, x, y, v])
    return y, v


def spatial_matrices(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.spatial_matrix), z: wp.array(dtype=wp.spatial_vector)):
        r = wp.quat_to_matrix(wp.quat_rpy(0.1, 0.2, 0.3))
        m = wp.spatial_adjoint(r, wp.skew(wp.vec3(1.0, 2.0, 3.0)))
        y[0] = m
        z[0] = m * wp.spatial_vector(wp.vec3(1.0, 0.0, 0.0), wp.vec3(0.0, 1.0, 0.0))

    y, z = wp.zeros(1, dtype=wp.spatial_matrix), wp.zeros(1, dtype=wp.spatial_vector)
    wp.launch(k, dim=1, inputs=[y, z])
    return y, z


def chain_of_joints(wp):
    @wp.kernel
    def k(angles: wp.array(dtype=float), n: int, tip: wp.array(dtype=wp.vec3)):
        t = wp.transform_identity(dtype=float)
        for j in range(3):
            q = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), angles[j])
            t = t * wp.transform(wp.vec3(0.0, 0.0, 0.0), q) * wp.transform(wp.vec3(1.0, 0.0, 0.0), wp.quat_identity())
        tip[0] = wp.transform_get_translation(t)

    angles = wp.array([0.3, -0.6, 1.1], dtype=float, requires_grad=True)
    return gradients(wp, k, 1, [angles, 3], [wp.zeros(1, dtype=wp.vec3, requires_grad=True)])
