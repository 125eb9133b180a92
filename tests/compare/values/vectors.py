"""Vectors, matrices and quaternions in kernels."""

import numpy as np
from program import gradients, program


def dot_cross_and_length(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.dot(a[i], b[i]) + wp.length(wp.cross(a[i], b[i])) + wp.length_sq(a[i] - b[i])

    a = wp.array([[1.0, 2.0, 3.0], [-0.5, 0.3, 0.7]], dtype=wp.vec3, requires_grad=True)
    b = wp.array([[0.2, -1.0, 4.0], [2.0, 1.0, 0.1]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [a, b], [wp.zeros(2, dtype=float, requires_grad=True)])


def normalize_of_zero(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.normalize(a[i])

    a = wp.array([[0.0, 0.0, 0.0], [3.0, 0.0, 4.0]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros(2, dtype=wp.vec3, requires_grad=True)])


def componentwise_products(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec4), b: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        y[i] = wp.cw_mul(a[i], b[i]) + wp.cw_div(a[i], b[i]) - 2.0 * a[i] / 3.0

    a = wp.array([[1.0, -2.0, 3.0, 4.0]], dtype=wp.vec4, requires_grad=True)
    b = wp.array([[2.0, 5.0, -1.0, 0.5]], dtype=wp.vec4, requires_grad=True)
    return gradients(wp, k, 1, [a, b], [wp.zeros(1, dtype=wp.vec4, requires_grad=True)])


def integer_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3i), y: wp.array(dtype=wp.vec3i)):
        i = wp.tid()
        v = a[i] * 3 - wp.vec3i(1, 2, 3)
        v[1] += 10
        y[i] = wp.max(v, wp.vec3i(0, 0, 0)) + wp.cw_mul(v, v)

    a = wp.array([[1, -2, 3], [0, 7, -9]], dtype=wp.vec3i)
    y = wp.zeros(2, dtype=wp.vec3i)
    wp.launch(k, dim=2, inputs=[a, y])
    return y


def componentwise_integer_division(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec2i), y: wp.array(dtype=wp.vec2i), z: wp.array(dtype=wp.vec2i)):
        i = wp.tid()
        y[i] = wp.cw_div(a[i], wp.vec2i(2, -3))
        z[i] = a[i] % wp.vec2i(2, 3)

    a = wp.array([[7, -7], [8, 9]], dtype=wp.vec2i)
    y, z = wp.zeros_like(a), wp.zeros_like(a)
    wp.launch(k, dim=2, inputs=[a, y, z])
    return y, z


def bits_of_integer_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec2i), y: wp.array2d(dtype=wp.vec2i)):
        i = wp.tid()
        m = wp.vec2i(12, 10)
        y[i, 0] = a[i] & m
        y[i, 1] = a[i] | m
        y[i, 2] = a[i] ^ m
        y[i, 3] = ~a[i]
        y[i, 4] = a[i] << wp.vec2i(1, 2)

    a = wp.array([[7, -7], [8, 9]], dtype=wp.vec2i)
    y = wp.zeros((2, 5), dtype=wp.vec2i)
    wp.launch(k, dim=2, inputs=[a, y])
    return y


@program(decided="gradient of a component that is written over")
def components_read_and_written(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        v = a[i]
        v.x = v.w * 2.0
        v.y += v.z
        v[2] = v[0] * v[1]
        v[-1] = 5.0
        y[i] = v

    a = wp.array([[1.0, 2.0, 3.0, 4.0], [0.5, -1.0, 2.0, -3.0]], dtype=wp.vec4, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros(2, dtype=wp.vec4, requires_grad=True)])


def components_of_array_elements(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i][0] = a[i][2] * 2.0
        y[i].y = a[i].x
        y[i][2] = a[i].y * a[i].z

    a = wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros(2, dtype=wp.vec3, requires_grad=True)])


def dynamic_component_index(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec4), n: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        v = a[i]
        s = float(0.0)
        for j in range(n[i]):
            s += v[j] * float(j + 1)
        y[i] = s

    a = wp.array([[1.0, 2.0, 3.0, 4.0]] * 3, dtype=wp.vec4, requires_grad=True)
    n = wp.array([1, 3, 4], dtype=int)
    return gradients(wp, k, 3, [a, n], [wp.zeros(3, dtype=float, requires_grad=True)])


def smallest_and_largest_component(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array2d(dtype=float), m: wp.array2d(dtype=wp.uint32)):
        i = wp.tid()
        y[i, 0] = wp.min(a[i])
        y[i, 1] = wp.max(a[i])
        m[i, 0] = wp.argmin(a[i])
        m[i, 1] = wp.argmax(a[i])

    a = wp.array([[1.0, -2.0, 3.0], [4.0, 4.0, 1.0]], dtype=wp.vec3)
    y, m = wp.zeros((2, 2), dtype=float), wp.zeros((2, 2), dtype=wp.uint32)
    wp.launch(k, dim=2, inputs=[a, y, m])
    return y, m


def matrix_times_vector(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat33), v: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = m[i] * v[i] + wp.transpose(m[i]) @ v[i] + v[i] @ m[i]

    rng = np.random.default_rng(1)
    m = wp.array(rng.normal(size=(2, 3, 3)), dtype=wp.mat33, requires_grad=True)
    v = wp.array(rng.normal(size=(2, 3)), dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [m, v], [wp.zeros(2, dtype=wp.vec3, requires_grad=True)])


def determinant_inverse_and_trace(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat33d), y: wp.array(dtype=wp.float64), z: wp.array(dtype=wp.mat33d)):
        i = wp.tid()
        y[i] = wp.determinant(m[i]) + wp.trace(m[i]) + wp.ddot(m[i], m[i])
        z[i] = wp.inverse(m[i])

    m = np.random.default_rng(2).normal(size=(2, 3, 3)) + 3 * np.eye(3)
    m = wp.array(m, dtype=wp.mat33d, requires_grad=True)
    y = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    z = wp.zeros(2, dtype=wp.mat33d, requires_grad=True)
    return gradients(wp, k, 2, [m], [y, z])


def inverse_of_a_4_by_4(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat44), y: wp.array(dtype=wp.mat44)):
        y[0] = wp.inverse(m[0]) @ m[0] * wp.determinant(m[0])

    m = np.random.default_rng(3).normal(size=(1, 4, 4)) + 2 * np.eye(4)
    m = wp.array(m, dtype=wp.mat44, requires_grad=True)
    y, g = gradients(wp, k, 1, [m], [wp.zeros(1, dtype=wp.mat44, requires_grad=True)])
    return np.round(y, 2), np.round(g, 2)


@program(decided="gradient of a component that is written over")
def rows_columns_and_elements(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat33), y: wp.array(dtype=wp.mat33)):
        a = m[0]
        r = a[1]
        a[0, 2] = r[0] * 2.0
        a[2] = wp.vec3(1.0, r[2], a[1, 1])
        a[1, 0] += 4.0
        y[0] = a

    m = wp.array(np.arange(9.0).reshape(1, 3, 3), dtype=wp.mat33, requires_grad=True)
    return gradients(wp, k, 1, [m], [wp.zeros(1, dtype=wp.mat33, requires_grad=True)])


def matrix_from_rows_and_columns(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.mat22), z: wp.array(dtype=wp.mat33)):
        a = wp.vec2(1.0, 2.0)
        b = wp.vec2(3.0, 4.0)
        y[0] = wp.matrix_from_cols(a, b)
        y[1] = wp.matrix_from_rows(a, b)
        z[0] = wp.matrix_from_cols(wp.vec3(1.0, 2.0, 3.0), wp.vec3(4.0, 5.0, 6.0), wp.vec3(7.0, 8.0, 9.0))

    y, z = wp.zeros(2, dtype=wp.mat22), wp.zeros(1, dtype=wp.mat33)
    wp.launch(k, dim=1, inputs=[y, z])
    return y, z


def outer_diagonal_and_skew(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array2d(dtype=wp.mat33), z: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i, 0] = wp.outer(a[i], a[i] * 2.0)
        y[i, 1] = wp.diag(a[i])
        y[i, 2] = wp.skew(a[i])
        z[i] = wp.get_diag(wp.outer(a[i], a[i]))

    a = wp.array([[1.0, -2.0, 3.0]], dtype=wp.vec3, requires_grad=True)
    y = wp.zeros((1, 3), dtype=wp.mat33, requires_grad=True)
    return gradients(wp, k, 1, [a], [y, wp.zeros(1, dtype=wp.vec3, requires_grad=True)])


def matrix_of_other_shapes(wp):
    mat23 = wp.types.matrix(shape=(2, 3), dtype=float)
    mat32 = wp.types.matrix(shape=(3, 2), dtype=float)
    vec5 = wp.types.vector(length=5, dtype=float)

    @wp.kernel
    def k(m: wp.array(dtype=mat23), y: wp.array(dtype=wp.mat22), z: wp.array(dtype=vec5)):
        t = wp.transpose(m[0])
        y[0] = m[0] @ t
        v = vec5(1.0, 2.0, 3.0, 4.0, 5.0)
        z[0] = v * wp.dot(v, v) + vec5(t[2, 1])
        s = mat32(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
        y[1] = m[0] @ s

    m = wp.array(np.arange(6.0).reshape(1, 2, 3), dtype=mat23)
    y, z = wp.zeros(2, dtype=wp.mat22), wp.zeros(1, dtype=vec5)
    wp.launch(k, dim=1, inputs=[m, y, z])
    return y, z


def identity_and_constructors(wp):
    @wp.kernel
    def k(y: wp.array(dtype=wp.mat33), v: wp.array(dtype=wp.vec3)):
        y[0] = wp.identity(n=3, dtype=float)
        y[1] = wp.mat33(2.0)
        y[2] = wp.mat33()
        y[3] = wp.matrix(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, shape=(3, 3))
        v[0] = wp.vector(1.0, length=3)
        v[1] = wp.vec3()
        v[2] = wp.vector(1.0, 2.0, 3.0)

    y, v = wp.zeros(4, dtype=wp.mat33), wp.zeros(3, dtype=wp.vec3)
    wp.launch(k, dim=1, inputs=[y, v])
    return y, v


def quaternion_rotation(wp):
    @wp.kernel
    def k(
        axis: wp.array(dtype=wp.vec3),
        angle: wp.array(dtype=float),
        v: wp.array(dtype=wp.vec3),
        y: wp.array(dtype=wp.vec3),
    ):
        i = wp.tid()
        q = wp.quat_from_axis_angle(wp.normalize(axis[i]), angle[i])
        y[i] = wp.quat_rotate(q, v[i]) + wp.quat_rotate_inv(q * q, v[i])

    axis = wp.array([[1.0, 2.0, 0.5], [0.0, 0.0, 1.0]], dtype=wp.vec3, requires_grad=True)
    angle = wp.array([0.7, -2.0], dtype=float, requires_grad=True)
    v = wp.array([[1.0, 0.0, 0.0], [0.3, 0.2, 0.1]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [axis, angle, v], [wp.zeros(2, dtype=wp.vec3, requires_grad=True)])


def quaternions_and_matrices(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), m: wp.array(dtype=wp.mat33), p: wp.array(dtype=wp.quat)):
        i = wp.tid()
        m[i] = wp.quat_to_matrix(wp.normalize(q[i]))
        p[i] = wp.quat_from_matrix(m[i])

    q = wp.array([[0.1, 0.2, 0.3, 0.9], [0.7, 0.0, 0.1, 0.2]], dtype=wp.quat)
    m, p = wp.zeros(2, dtype=wp.mat33), wp.zeros(2, dtype=wp.quat)
    wp.launch(k, dim=2, inputs=[q, m, p])
    return m, p


def quaternion_algebra(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.quat), b: wp.array(dtype=wp.quat), y: wp.array(dtype=wp.quat)):
        i = wp.tid()
        y[i] = a[i] * b[i] + wp.quat_inverse(a[i]) - 2.0 * wp.quat_slerp(wp.normalize(a[i]), wp.normalize(b[i]), 0.3)

    a = wp.array([[0.1, 0.2, 0.3, 0.9]], dtype=wp.quat, requires_grad=True)
    b = wp.array([[0.5, -0.2, 0.1, 0.7]], dtype=wp.quat, requires_grad=True)
    return gradients(wp, k, 1, [a, b], [wp.zeros(1, dtype=wp.quat, requires_grad=True)])


def axis_and_angle_of_a_quaternion(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), axis: wp.array(dtype=wp.vec3), angle: wp.array(dtype=float)):
        i = wp.tid()
        a, s = wp.quat_to_axis_angle(q[i])
        axis[i] = a
        angle[i] = s

    q = wp.array([wp.quat_from_axis_angle(wp.vec3(0.0, 0.6, 0.8), 1.1), wp.quat_identity()], dtype=wp.quat)
    axis, angle = wp.zeros(2, dtype=wp.vec3), wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[q, axis, angle])
    return axis, angle


def roll_pitch_and_yaw(wp):
    @wp.kernel
    def k(e: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.quat)):
        i = wp.tid()
        q[i] = wp.quat_rpy(e[i][0], e[i][1], e[i][2])

    e = wp.array([[0.1, 0.2, 0.3], [-1.0, 0.5, 2.0]], dtype=wp.vec3)
    q = wp.zeros(2, dtype=wp.quat)
    wp.launch(k, dim=2, inputs=[e, q])
    return q


def euler_angles(wp):
    @wp.kernel
    def k(e: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.quat), back: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        q[i] = wp.quat_from_euler(e[i], 0, 1, 2)
        back[i] = wp.quat_to_euler(q[i], 0, 1, 2)

    e = wp.array([[0.1, 0.2, 0.3], [-1.0, 0.5, 2.0]], dtype=wp.vec3)
    q, back = wp.zeros(2, dtype=wp.quat), wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=2, inputs=[e, q, back])
    return q, back


def twist_about_an_axis(wp):
    @wp.kernel
    def k(q: wp.array(dtype=wp.quat), t: wp.array(dtype=wp.quat), a: wp.array2d(dtype=float)):
        i = wp.tid()
        axis = wp.vec3(0.0, 0.0, 1.0)
        t[i] = wp.quat_twist(axis, wp.normalize(q[i]))
        a[i, 0] = wp.quat_twist_angle(axis, wp.normalize(q[i]))
        a[i, 1] = wp.quat_twist_angle_signed(axis, wp.normalize(q[i]))

    q = wp.array([[0.1, 0.2, 0.3, 0.9], [0.5, 0.1, -0.4, 0.7]], dtype=wp.quat)
    t, a = wp.zeros(2, dtype=wp.quat), wp.zeros((2, 2), dtype=float)
    wp.launch(k, dim=2, inputs=[q, t, a])
    return t, a


def rotation_between_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        q = wp.quat_between_vectors(wp.normalize(a[i]), wp.vec3(0.0, 1.0, 0.0))
        y[i] = wp.quat_rotate(q, wp.normalize(a[i]))

    a = wp.array([[1.0, 2.0, 3.0], [-0.3, 0.1, 0.9]], dtype=wp.vec3)
    y = wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=2, inputs=[a, y])
    return y


def norms_of_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array2d(dtype=float)):
        i = wp.tid()
        y[i, 0] = wp.norm_l1(a[i])
        y[i, 1] = wp.norm_l2(a[i])
        y[i, 2] = wp.norm_huber(a[i], 1.0)
        y[i, 3] = wp.norm_pseudo_huber(a[i], 1.0)
        y[i, 4] = wp.length(wp.smooth_normalize(a[i], 0.5))

    a = wp.array([[0.1, 0.2, -0.3], [2.0, -3.0, 1.0]], dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros((2, 5), dtype=float, requires_grad=True)])


def slices_of_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec2), z: wp.array(dtype=wp.vec4)):
        v = a[0]
        y[0] = v[1:3]
        y[1] = v[::-2]
        v[0:2] = wp.vec2(9.0, 8.0)
        v[2:] += wp.vec2(1.0, 1.0)
        z[0] = v

    a = wp.array([[1.0, 2.0, 3.0, 4.0]], dtype=wp.vec4)
    y, z = wp.zeros(2, dtype=wp.vec2), wp.zeros(1, dtype=wp.vec4)
    wp.launch(k, dim=1, inputs=[a, y, z])
    return y, z


def slices_of_matrices(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), y: wp.array(dtype=wp.vec3), z: wp.array(dtype=wp.mat22)):
        m = a[0]
        y[0] = m[:, 1]
        z[0] = m[0:2, 1:3]
        m[:, 0] = wp.vec3(7.0, 8.0, 9.0)
        y[1] = m[2]

    a = wp.array(np.arange(9.0).reshape(1, 3, 3), dtype=wp.mat33)
    y, z = wp.zeros(2, dtype=wp.vec3), wp.zeros(1, dtype=wp.mat22)
    wp.launch(k, dim=1, inputs=[a, y, z])
    return y, z


@program(decided="`!=` of vectors")
def equality_of_vectors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=int)):
        i = wp.tid()
        if a[i] == wp.vec3(1.0, 2.0, 3.0):
            y[i] = 1
        if a[i] != wp.vec3(0.0, 0.0, 0.0):
            y[i] += 10

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([[1, 2, 3], [0, 0, 0], [1, 2, 4]], dtype=wp.vec3), y])
    return y


def vectors_unpacked_into_calls(wp):
    @wp.func
    def volume(x: float, y: float, z: float):
        return x * y * z

    @wp.kernel
    def k(a: wp.array(dtype=wp.vec3), y: wp.array(dtype=float), z: wp.array(dtype=wp.vec4)):
        y[0] = volume(*a[0])
        z[0] = wp.vec4(*a[0], 1.0)

    y, z = wp.zeros(1, dtype=float), wp.zeros(1, dtype=wp.vec4)
    wp.launch(k, dim=1, inputs=[wp.array([[2.0, 3.0, 4.0]], dtype=wp.vec3), y, z])
    return y, z


def singular_values(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), s: wp.array(dtype=wp.vec3), back: wp.array(dtype=wp.mat33)):
        u, sigma, v = wp.svd3(a[0])
        s[0] = sigma
        back[0] = u * wp.diag(sigma) * wp.transpose(v)

    a = wp.array(np.random.default_rng(4).normal(size=(1, 3, 3)), dtype=wp.mat33)
    s, back = wp.zeros(1, dtype=wp.vec3), wp.zeros(1, dtype=wp.mat33)
    wp.launch(k, dim=1, inputs=[a, s, back])
    return np.round(s.numpy(), 4), np.round(back.numpy(), 4)


def orthogonal_factors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), back: wp.array(dtype=wp.mat33), d: wp.array(dtype=wp.vec3)):
        q, r = wp.qr3(a[0])
        back[0] = q * r
        vectors, values = wp.eig3(a[0] + wp.transpose(a[0]))
        back[1] = vectors * wp.diag(values) * wp.transpose(vectors)
        d[0] = values

    a = wp.array(np.random.default_rng(5).normal(size=(1, 3, 3)), dtype=wp.mat33)
    back, d = wp.zeros(2, dtype=wp.mat33), wp.zeros(1, dtype=wp.vec3)
    wp.launch(k, dim=1, inputs=[a, back, d])
    return np.round(back.numpy(), 4) + 0.0, np.sort(np.round(d.numpy(), 4))
