"""Warp's values on the host: vectors, matrices, quaternions, scalars, builtins called from Python."""

import numpy as np
from program import program, raised


def vector_arithmetic(wp):
    a, b = wp.vec3(1.0, 2.0, 3.0), wp.vec3(4.0, -5.0, 6.0)
    return [a + b, a - b, a * 2.0, 2.0 * a, a / 2.0, -a, wp.dot(a, b), wp.cross(a, b), wp.length(a), wp.normalize(b)]


def vector_components(wp):
    v = wp.vec4(1.0, 2.0, 3.0, 4.0)
    v.x = 10.0
    v[1] = 20.0
    v[2:4] = wp.vec2(5.0, 6.0)
    return [list(v), v.x, v[1], v[-1], list(v[0:2]), len(v), [float(c) for c in v]]


def vector_constructors(wp):
    return [
        wp.vec3(),
        wp.vec3(2.0),
        wp.vec3([1.0, 2.0, 3.0]),
        wp.vec3(np.array([1.0, 2.0, 3.0])),
        wp.vec3i(1, 2, 3),
        wp.vec2h(1.5, 2.5),
        wp.vec3(wp.vec3(4.0, 5.0, 6.0)),
        wp.vec3d(0.1, 0.2, 0.3),
    ]


def equality_of_values(wp):
    v = wp.vec3(1.0, 2.0, 3.0)
    m = wp.mat22(1.0, 2.0, 3.0, 4.0)
    return [
        v == wp.vec3(1.0, 2.0, 3.0),
        v != wp.vec3(1.0, 2.0, 3.0),
        v == (1.0, 2.0, 3.0),
        v == [1.0, 2.0, 4.0],
        m == wp.mat22(1.0, 2.0, 3.0, 4.0),
        v == wp.vec3d(1.0, 2.0, 3.0),
    ]


def texts_of_values(wp):
    return [
        str(wp.vec3(1.0, 2.5, 3.0)),
        str(wp.mat22(1.0, 2.0, 3.0, 4.0)),
        str(wp.quat(0.0, 0.0, 0.0, 1.0)),
        repr(wp.vec2i(1, 2)),
        repr(wp.vec3(1.0, 2.5, 3.0)),
        str(wp.float32(2.0)),
        str(wp.int8(5)),
    ]


def matrix_arithmetic(wp):
    a, b = wp.mat22(1.0, 2.0, 3.0, 4.0), wp.mat22(0.0, 1.0, -1.0, 2.0)
    v = wp.vec2(1.0, -1.0)
    return [
        a + b,
        a - b,
        a * 2.0,
        a @ b,
        a * b,
        a @ v,
        a * v,
        wp.transpose(a),
        wp.determinant(a),
        wp.inverse(a),
        -a,
        a / 2.0,
    ]


@program(decided="`np.array(m)` of a matrix")
def matrix_elements(wp):
    m = wp.mat33(*[float(i) for i in range(9)])
    m[0, 1] = 50.0
    m[2] = wp.vec3(7.0, 7.0, 7.0)
    return [m[0, 1], list(m[1]), m[2, 2], len(m), np.array(m).tolist()]


def rows_and_columns_of_a_matrix(wp):
    m = wp.mat33(*[float(i) for i in range(9)])
    row, column = m.get_row(1), m.get_col(2)
    m.set_row(0, wp.vec3(9.0, 8.0, 7.0))
    m.set_col(1, wp.vec3(1.0, 1.0, 1.0))
    return row, column, np.array(m).reshape(3, 3).tolist()


def slices_of_values(wp):
    v = wp.vec4(1.0, 2.0, 3.0, 4.0)
    m = wp.mat33(*[float(i) for i in range(9)])
    return [v[1:3], v[::2], m[0:2], m[:, 1], m[1:, 1:]]


def matrices_of_nested_lists(wp):
    return [
        wp.mat22([[1.0, 2.0], [3.0, 4.0]]),
        wp.mat22(np.array([[1.0, 2.0], [3.0, 4.0]])),
        wp.mat33(3.0),
        wp.matrix_from_rows(wp.vec2(1.0, 2.0), wp.vec2(3.0, 4.0)),
        wp.matrix_from_cols(wp.vec2(1.0, 2.0), wp.vec2(3.0, 4.0)),
    ]


def quaternions_on_the_host(wp):
    q = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5)
    p = wp.quat(0.1, 0.2, 0.3, 0.4)
    return [
        q * p,
        wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0)),
        wp.quat_inverse(q),
        q.w,
        q[2],
        wp.quat_to_matrix(q),
        p * 2.0,
    ]


def results_of_scalar_builtins(wp):
    return [
        wp.sin(0.5),
        wp.sqrt(2.0),
        wp.min(3, 4),
        wp.clamp(5.0, 0.0, 1.0),
        wp.abs(-3),
        wp.floor(2.7),
        wp.pow(2.0, 0.5),
        wp.sign(-2.0),
    ]


def types_of_results(wp):
    values = [
        wp.dot(wp.vec3(1.0), wp.vec3(2.0)),
        wp.vec3d(1.0, 2.0, 3.0)[0],
        wp.vec3i(1, 2, 3)[0],
        wp.vec3h(1.0, 2.0, 3.0)[1],
        wp.dot(wp.vec2d(1.0, 2.0), wp.vec2d(1.0, 2.0)),
        wp.mat22d(1.0)[0, 0],
    ]
    return [type(v).__name__ for v in values]


def scalar_values(wp):
    a, b = wp.float32(7.5), wp.int32(7)
    return [float(a), int(b), int(wp.uint8(255)), a.value, b.value, bool(wp.bool(True)), float(wp.float64(0.1))]


def arithmetic_of_scalar_values(wp):
    a, b = wp.int32(7), wp.int32(2)
    x, y = wp.float32(7.0), wp.float32(2.0)
    return [a + b, a - b, a * b, a % b, x + y, x / y, x * y, -x, a == wp.int32(7), x < y]


def integer_division_of_scalar_values(wp):
    return [wp.int32(7) / wp.int32(2), wp.int32(-7) % wp.int32(2)]


@program(decided="`np.array(m)` of a matrix")
def numpy_reads_values(wp):
    return [
        np.array(wp.vec3(1.0, 2.0, 3.0)),
        np.array(wp.vec3d(1.0, 2.0, 3.0)).dtype.name,
        np.array(wp.quat(0.0, 0.0, 0.0, 1.0)),
        np.array(wp.mat22(1.0, 2.0, 3.0, 4.0)),
    ]


def numpy_types_of_scalars(wp):
    return [np.dtype(wp.float32).name, np.dtype(wp.uint8).name, np.zeros(2, wp.float64).dtype.name]


@program(decided="integers out of range in `fill_`")
def integers_out_of_range_wrap(wp):
    a = wp.zeros(2, dtype=wp.uint8)
    a.fill_(300)
    return [int(wp.uint8(300)), int(wp.int8(200)), a, raised(wp.array, [300], dtype=wp.uint8)]


def wrong_counts_of_components(wp):
    return [raised(wp.vec3, 1.0, 2.0), raised(wp.mat22, 1.0, 2.0, 3.0), raised(wp.vec3, [1.0, 2.0])]


def wrong_arguments_of_builtins(wp):
    return [raised(wp.dot, wp.vec3(1.0), 2.0), raised(wp.sin, "x"), raised(wp.length, 3.0)]


@program(decided="`v + v` on the host")
def vectors_of_other_lengths(wp):
    vec5 = wp.types.vector(length=5, dtype=float)
    mat23 = wp.types.matrix(shape=(2, 3), dtype=wp.float64)
    v = vec5(1.0, 2.0, 3.0, 4.0, 5.0)
    m = mat23(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    return [list(v), list(v + v), wp.dot(v, v), np.array(m).reshape(-1).tolist(), len(v), wp.length(v)]


def operators_from_the_left(wp):
    v = wp.vec3(1.0, 2.0, 4.0)
    m = wp.mat22(1.0, 2.0, 3.0, 4.0)
    return [8.0 / v, v % wp.vec3(2.0, 3.0, 3.0), wp.vec2(1.0, 2.0) @ m, wp.vec2(1.0, 2.0) * m]


def vectors_as_keys_and_copies(wp):
    import copy

    v = wp.vec3(1.0, 2.0, 3.0)
    w = copy.copy(v)
    w[0] = 9.0
    return list(v), list(w), v._length_ if hasattr(v, "_length_") else 3


def random_values_on_the_host(wp):
    state = wp.rand_init(42)
    return [int(state), int(wp.randi(state)), float(wp.randf(state))]


def functions_called_from_python(wp):
    @wp.func
    def f(x: float, v: wp.vec3):
        return x * wp.length(v) + 1.0

    return f(2.0, wp.vec3(3.0, 4.0, 0.0))


def swizzles_and_named_components(wp):
    v, q = wp.vec4(1.0, 2.0, 3.0, 4.0), wp.quat(0.1, 0.2, 0.3, 0.9)
    v.w = 7.0
    q.w = 1.0
    return v.x, v.y, v.z, v.w, q.x, q.w, list(q)


def transforms_and_spatial_values(wp):
    t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity())
    s = wp.spatial_vector(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    return [
        list(t.p),
        list(t.q),
        list(t * wp.transform(wp.vec3(1.0, 0.0, 0.0), wp.quat_identity())),
        list(wp.transform_point(t, wp.vec3(1.0, 1.0, 1.0))),
        list(s[0:3]),
        len(t),
        t == wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity()),
    ]


@program(exact=True)
def wrapping_of_small_integers(wp):
    return [
        int(wp.uint8(250) + wp.uint8(10)),
        int(wp.int8(100) + wp.int8(100)),
        int(wp.uint16(3) - wp.uint16(5)),
        list(wp.vec2ub(250, 1) + wp.vec2ub(10, 1)),
        wp.uint8(7) > wp.uint8(3),
    ]


def bool_vectors_and_matrices(wp):
    vec3b = wp.types.vector(length=3, dtype=wp.bool)

    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=int)):
        i = wp.tid()
        b = vec3b(x[i][0] > 0.0, x[i][1] > 0.0, x[i][2] > 0.0)
        y[i] = wp.where(b[0] and b[1], 1, 0) + wp.where(b[2], 10, 0)

    y = wp.zeros(2, dtype=int)
    wp.launch(k, dim=2, inputs=[wp.array([[1.0, -1.0, 2.0], [1.0, 1.0, -3.0]], dtype=wp.vec3), y])
    return y, list(vec3b(True, False, True))
