"""Quaternions, transforms, frames and spatial vectors: chains, gradients, conversions, lanes."""

import numpy as np
from program import gradients


def _quats(wp, n, seed=0, **more):
    q = np.random.default_rng(seed).normal(size=(n, 4))
    return wp.array(q / np.linalg.norm(q, axis=1, keepdims=True), dtype=wp.quat, **more)


def rotations_of_many_points(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), p: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.quat_rotate(q[i], p[i]) - wp.quat_rotate_inv(q[i], p[i])

    p = wp.array(np.random.default_rng(1).normal(size=(70, 3)), dtype=wp.vec3)
    y = wp.zeros(70, dtype=wp.vec3)
    wp.launch(k, dim=70, inputs=[_quats(wp, 70), p, y])
    return y


def gradients_of_rotations(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), p: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.quat_rotate(wp.normalize(q[i]), p[i])

    p = wp.array(np.random.default_rng(2).normal(size=(4, 3)), dtype=wp.vec3, requires_grad=True)
    q = _quats(wp, 4, requires_grad=True)
    return gradients(wp, k, 4, [q, p], [wp.zeros(4, dtype=wp.vec3, requires_grad=True)])


def matrices_there_and_back(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), m: wp.array(dtype=wp.mat33), r: wp.array(dtype=wp.quat)):
        i = wp.tid()
        m[i] = wp.quat_to_matrix(q[i])
        r[i] = wp.quat_from_matrix(m[i])

    q = _quats(wp, 12, 3)
    m, r = wp.zeros(12, dtype=wp.mat33), wp.zeros(12, dtype=wp.quat)
    wp.launch(k, dim=12, inputs=[q, m, r])
    return m, r


def interpolated_rotations(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.quat), b: wp.array(dtype=wp.quat), y: wp.array2d(dtype=wp.quat)):
        i, j = wp.tid()
        y[i, j] = wp.quat_slerp(a[i], b[i], float(j) * 0.25)

    y = wp.zeros((5, 5), dtype=wp.quat)
    wp.launch(k, dim=(5, 5), inputs=[_quats(wp, 5, 4), _quats(wp, 5, 5), y])
    return y


def angular_velocity_of_two_frames(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.quat), b: wp.array(dtype=wp.quat), w: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        d = b[i] * wp.quat_inverse(a[i])
        axis = wp.vec3()
        angle = float(0.0)
        wp.quat_to_axis_angle(d, axis, angle)
        w[i] = axis * angle

    w = wp.zeros(6, dtype=wp.vec3)
    wp.launch(k, dim=6, inputs=[_quats(wp, 6, 6), _quats(wp, 6, 7), w])
    return w


def a_chain_of_transforms(wp):
    @wp.kernel
    def k(t: wp.array(dtype=wp.transform), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        x = wp.transform_identity()
        for j in range(4):
            x = wp.transform_multiply(x, t[j])
        y[i] = wp.transform_point(x, wp.vec3(float(i), 1.0, 0.0)) + wp.transform_vector(x, wp.vec3(0.0, 0.0, 1.0))

    rng = np.random.default_rng(8)
    q = rng.normal(size=(4, 4))
    rows = np.concatenate([rng.normal(size=(4, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)], axis=1)
    t = wp.array(rows, dtype=wp.transform, requires_grad=True)
    return gradients(wp, k, 5, [t], [wp.zeros(5, dtype=wp.vec3, requires_grad=True)])


def inverses_of_transforms(wp):
    @wp.kernel
    def k(t: wp.array(dtype=wp.transform), y: wp.array(dtype=wp.transform), e: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.transform_inverse(t[i])
        p = wp.transform_get_translation(t[i] * y[i])
        e[i] = wp.length(p)

    rng = np.random.default_rng(9)
    q = rng.normal(size=(3, 4))
    rows = np.concatenate([rng.normal(size=(3, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)], axis=1)
    y, e = wp.zeros(3, dtype=wp.transform), wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array(rows, dtype=wp.transform), y, e])
    return y, e.numpy() < 1e-5


def components_of_transforms_in_kernels(wp):
    @wp.kernel
    def k(t: wp.array(dtype=wp.transform), y: wp.array(dtype=float)):
        i = wp.tid()
        x = t[i]
        p = x.p
        q = x.q
        y[i] = p[1] + q[3] * 10.0 + x[0] + x[6]

    rows = np.arange(14.0).reshape(2, 7)
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array(rows, dtype=wp.transform), y])
    return y


def parts_of_transforms_replaced(wp):
    @wp.kernel
    def k(t: wp.array(dtype=wp.transform)):
        i = wp.tid()
        x = t[i]
        x.p = wp.vec3(float(i), 2.0, 3.0)
        wp.transform_set_rotation(x, wp.quat(0.0, 0.0, 1.0, 0.0))
        t[i] = x

    t = wp.array(np.zeros((2, 7)), dtype=wp.transform)
    wp.launch(k, dim=2, inputs=[t])
    return t


def wrenches_and_twists(wp):
    @wp.kernel
    def k(w: wp.array(dtype=wp.spatial_vector), t: wp.array(dtype=wp.spatial_vector), y: wp.array(dtype=float)):
        i = wp.tid()
        c = wp.spatial_cross(t[i], w[i])
        d = wp.spatial_cross_dual(t[i], w[i])
        y[i] = wp.spatial_dot(w[i], t[i]) + wp.length(wp.spatial_top(c)) - wp.length(wp.spatial_bottom(d))

    rng = np.random.default_rng(10)
    w, t = (wp.array(rng.normal(size=(4, 6)), dtype=wp.spatial_vector, requires_grad=True) for _ in range(2))
    return gradients(wp, k, 4, [w, t], [wp.zeros(4, dtype=float, requires_grad=True)])


def turning_tops(wp):
    @wp.kernel
    def step(q: wp.array(dtype=wp.quat), w: wp.array(dtype=wp.vec3), inertia: wp.vec3, dt: float, n: int):
        i = wp.tid()
        r, v = q[i] * 1.0, w[i] * 1.0
        for _ in range(n):
            l = wp.cw_mul(inertia, v)
            v = v - wp.cw_div(wp.cross(v, l), inertia) * dt
            r = wp.normalize(r + wp.quat(v[0], v[1], v[2], 0.0) * r * (0.5 * dt))
        q[i] = r
        w[i] = v

    q, w = _quats(wp, 3, 11), wp.array(np.eye(3) * 2.0 + 0.1, dtype=wp.vec3)
    wp.launch(step, dim=3, inputs=[q, w, wp.vec3(1.0, 2.0, 3.0), 0.01, 30])
    return q, w


def directions_that_look_at_a_point(wp):
    @wp.func
    def look_at(eye: wp.vec3, target: wp.vec3, up: wp.vec3):
        z = wp.normalize(eye - target)
        x = wp.normalize(wp.cross(up, z))
        y = wp.cross(z, x)
        return wp.matrix_from_cols(x, y, z)

    @wp.kernel
    def k(eye: wp.array(dtype=wp.vec3), m: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        m[i] = look_at(eye[i], wp.vec3(0.0, 0.0, 0.0), wp.vec3(0.0, 1.0, 0.0))

    eye = wp.array(np.random.default_rng(12).normal(size=(4, 3)), dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 4, [eye], [wp.zeros(4, dtype=wp.mat33, requires_grad=True)])


def double_precision_rotations(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quatd), v: wp.array(dtype=wp.vec3d), y: wp.array(dtype=wp.vec3d)):
        i = wp.tid()
        y[i] = wp.quat_rotate(wp.normalize(q[i]), v[i])

    rng = np.random.default_rng(13)
    q = wp.array(rng.normal(size=(3, 4)), dtype=wp.quatd, requires_grad=True)
    v = wp.array(rng.normal(size=(3, 3)), dtype=wp.vec3d, requires_grad=True)
    return gradients(wp, k, 3, [q, v], [wp.zeros(3, dtype=wp.vec3d, requires_grad=True)])


def procrustes_of_point_sets(wp):
    @wp.kernel
    def correlate(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), m: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        wp.atomic_add(m, 0, wp.outer(b[i], a[i]))

    @wp.kernel
    def rotation(m: wp.array(dtype=wp.mat33), r: wp.array(dtype=wp.mat33)):
        u, s, v = wp.svd3(m[0])
        r[0] = u * wp.transpose(v)

    rng = np.random.default_rng(14)
    points = rng.normal(size=(20, 3))
    c, s = np.cos(0.7), np.sin(0.7)
    a = wp.array(points, dtype=wp.vec3)
    b = wp.array(points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), dtype=wp.vec3)
    m, r = wp.zeros(1, dtype=wp.mat33), wp.zeros(1, dtype=wp.mat33)
    wp.launch(correlate, dim=20, inputs=[a, b, m])
    wp.launch(rotation, dim=1, inputs=[m, r])
    return r


def inertia_tensors(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), m: wp.array(dtype=float), inertia: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        r = x[i]
        wp.atomic_add(inertia, 0, m[i] * (wp.dot(r, r) * wp.identity(n=3, dtype=float) - wp.outer(r, r)))

    rng = np.random.default_rng(15)
    x = wp.array(rng.normal(size=(10, 3)), dtype=wp.vec3, requires_grad=True)
    m = wp.array(rng.random(10), dtype=float, requires_grad=True)
    return gradients(wp, k, 10, [x, m], [wp.zeros(1, dtype=wp.mat33, requires_grad=True)])
