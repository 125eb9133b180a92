"""Values and helpers on the host: powers, wrapping, indices, setters, functions of several lines."""

import ctypes

import numpy as np
from program import program, raised


def powers_of_negative_numbers(wp):
    return [wp.pow(-2.0, 3.0), wp.pow(-2.0, 2.0), wp.pow(2.0, -1.0), wp.pow(0.0, 0.0), wp.pow(9.0, 0.5)]


def powers_in_kernels(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.vec3(wp.pow(x[i], 3.0), x[i] ** 2.0, wp.pow(x[i], -1.0))

    y = wp.zeros(3, dtype=wp.vec3)
    wp.launch(k, dim=3, inputs=[wp.array([-2.0, 0.5, 3.0], dtype=float), y])
    return y


def powers_of_integers(wp):
    @wp.kernel
    def k(x: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.pow(float(x[i]), 2.0)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([-3, 0, 4], dtype=int), y])
    return y


def builtins_that_wrap(wp):
    return [
        wp.add(2**31 - 1, 1),
        wp.mul(2**20, 2**20),
        wp.sub(-(2**31), 1),
        wp.abs(-(2**31)),
    ]


@program(decided="number type of")
def integers_of_warp_that_wrap(wp):
    return [int(wp.int32(2**31)), int(wp.uint8(-1)), int(wp.int8(200)), int(wp.uint32(2**32 + 5)), int(wp.int64(2**63))]


def wrong_indices_of_vectors(wp):
    v, m = wp.vec3(1.0, 2.0, 3.0), wp.mat22(1.0, 2.0, 3.0, 4.0)
    return [
        raised(lambda: v[None]),
        raised(lambda: v[3]),
        raised(lambda: v[0, 1]),
        raised(lambda: v["x"]),
        raised(lambda: m[0, 1, 0]),
        raised(lambda: m[None]),
        raised(lambda: m[2]),
        raised(lambda: m[0, 5]),
    ]


def negative_indices_of_values(wp):
    v, m = wp.vec3(1.0, 2.0, 3.0), wp.mat22(1.0, 2.0, 3.0, 4.0)
    v[-1] = 9.0
    m[-1, 0] = 8.0
    return v[-3], v, m[-1], m, list(v[-2:])


def wrong_stores_to_values(wp):
    v, m = wp.vec3(1.0, 2.0, 3.0), wp.mat22(1.0, 2.0, 3.0, 4.0)
    return [
        raised(v.__setitem__, 3, 1.0),
        raised(v.__setitem__, 0, "a"),
        raised(v.__setitem__, slice(0, 2), [1.0, 2.0, 3.0]),
        raised(m.__setitem__, (2, 0), 1.0),
        raised(m.__setitem__, 0, [1.0, 2.0, 3.0]),
    ]


def stores_to_rows_of_matrices(wp):
    m = wp.mat33(*range(9))
    m[1] = wp.vec3(7.0, 8.0, 9.0)
    m[2, 1] = -1.0
    m[0] = [4.0, 5.0, 6.0]
    return m, m[1]


def setters_of_transforms_on_the_host(wp):
    t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity())
    wp.transform_set_translation(t, wp.vec3(7.0, 8.0, 9.0))
    wp.transform_set_rotation(t, wp.quat(0.0, 0.0, 1.0, 0.0))
    return t


def setters_of_made_transforms(wp):
    transformh = wp.types.transformation(dtype=wp.float64)
    t = transformh(wp.vec3d(1.0, 2.0, 3.0), wp.quatd(0.0, 0.0, 0.0, 1.0))
    wp.transform_set_translation(t, wp.vec3d(7.0, 8.0, 9.0))
    return t, wp.transform_get_translation(t)


def parts_of_transforms_on_the_host(wp):
    t = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat(0.0, 0.6, 0.0, 0.8))
    t.p = wp.vec3(4.0, 5.0, 6.0)
    t.q = wp.quat(0.0, 0.0, 0.0, 1.0)
    return t.p, t.q, t, t[0], t[6]


def streams_of_a_device(wp):
    d = wp.get_device("cpu")
    return d.name != "", d.is_cpu, str(d), d.ordinal if hasattr(d, "ordinal") else None


def functions_of_several_lines_mapped(wp):
    x = wp.array([1.0, 2.0, 3.0], dtype=float)
    return wp.map(
        lambda a, b: (
            a * b
            + 1.0
        ),
        x,
        2.0,
    )  # fmt: skip


def mapped_lambdas(wp):
    x, y = wp.array([1.0, -2.0, 3.0], dtype=float), wp.array([2.0, 2.0, 0.5], dtype=float)
    return [
        wp.map(lambda a: a * a, x),
        wp.map(lambda a, b: wp.max(a, b) - 1.0, x, y),
        wp.map(lambda a, b: wp.vec2(a, b), x, y),
        wp.map(lambda a: int(a) + 1, x),
    ]


def comparisons_of_values(wp):
    a, b = wp.vec3(1.0, 2.0, 3.0), wp.vec3(1.0, 2.0, 3.0)
    return [
        a == b,
        a != b,
        a == wp.vec3(1.0, 2.0, 4.0),
        wp.mat22(1.0, 0.0, 0.0, 1.0) == wp.mat22(1.0, 0.0, 0.0, 1.0),
        wp.quat_identity() == wp.quat(0.0, 0.0, 0.0, 1.0),
        wp.float32(1.5) == 1.5,
        wp.int32(2) == wp.int32(2),
        wp.int32(2) < wp.int32(3),
    ]


def identities_and_units_on_the_host(wp):
    return [
        wp.quat_identity(),
        wp.transform_identity(),
        wp.normalize(wp.vec3(3.0, 0.0, 4.0)),
        wp.cross(wp.vec3(1.0, 0.0, 0.0), wp.vec3(0.0, 1.0, 0.0)),
        wp.dot(wp.vec2(1.0, 2.0), wp.vec2(3.0, 4.0)),
        wp.length(wp.vec2(3.0, 4.0)),
        wp.diag(wp.vec2(1.0, 2.0)),
        wp.outer(wp.vec2(1.0, 2.0), wp.vec2(3.0, 4.0)),
        wp.skew(wp.vec3(1.0, 2.0, 3.0)),
        wp.transpose(wp.mat22(1.0, 2.0, 3.0, 4.0)),
    ]


def matrix_algebra_on_the_host(wp):
    m = wp.mat33(2.0, 0.0, 1.0, 0.0, 3.0, 0.0, 1.0, 0.0, 2.0)
    return [wp.determinant(m), wp.inverse(m), wp.trace(m), m * m, m * wp.vec3(1.0, 2.0, 3.0), m @ m, m + m, m * 0.5]


def rotations_on_the_host(wp):
    q = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), 0.75)
    return [
        q,
        wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0)),
        wp.quat_rotate_inv(q, wp.vec3(1.0, 0.0, 0.0)),
        wp.quat_inverse(q),
        wp.quat_to_matrix(q),
        wp.quat_rpy(0.1, 0.2, 0.3),
        wp.quat_slerp(q, wp.quat_identity(), 0.5),
        q * q,
    ]


def dense_products_in_kernels(wp):
    @wp.kernel(enable_backward=False)
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), c: wp.array(dtype=float)):
        wp.dense_gemm(2, 2, 3, 0, 0, a, b, c)

    a, b = wp.array(np.arange(6.0), dtype=float), wp.array(np.arange(6.0) + 1.0, dtype=float)
    c = wp.zeros(4, dtype=float)
    wp.launch(k, dim=1, inputs=[a, b, c])
    return c


def numbers_of_kernels_as_arguments(wp):
    @wp.kernel
    def k(a: wp.int8, b: wp.uint16, c: wp.float16, d: wp.float64, e: bool, y: wp.array(dtype=wp.float64)):
        y[0] = wp.float64(a) + wp.float64(b) + wp.float64(c) + d
        if e:
            y[1] = d

    y = wp.zeros(2, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[wp.int8(-3), 5, 0.5, np.float32(2.5), True, y])
    return y


def vectors_as_arguments_in_every_form(wp):
    @wp.kernel
    def k(v: wp.vec3, y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = v * float(i + 1)

    out = []
    for v in (wp.vec3(1.0, 2.0, 3.0), (1.0, 2.0, 3.0), [1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0]), (1, 2, 3)):
        y = wp.zeros(1, dtype=wp.vec3)
        wp.launch(k, dim=1, inputs=[v, y])
        out.append(y)
    return out


@program(decided="number type of")
def half_precision_on_the_host(wp):
    return [float(wp.float16(0.1)), float(wp.float16(70000.0)), float(wp.float16(1e-8)), wp.vec2h(0.1, 0.2)[1]]


def clamps_and_selects_on_the_host(wp):
    return [
        wp.clamp(5.0, 0.0, 1.0),
        wp.clamp(-3, 0, 4),
        wp.min(3, 2),
        wp.max(1.5, 2.5),
        wp.sign(-2.0),
        wp.step(0.5),
        wp.lerp(1.0, 3.0, 0.25),
        wp.smoothstep(0.0, 1.0, 0.25),
        wp.floor(-1.5),
        wp.frac(2.75),
        wp.round(2.5),
        wp.rint(2.5),
        wp.trunc(-1.5),
    ]


def values_share_their_memory(wp):
    t, v = wp.transform(), wp.vec3(1.0, 2.0, 3.0)
    np.asarray(t)[:3] = [5.0, 6.0, 7.0]
    np.asarray(v)[1] += 10.0
    matrix = np.arange(16, dtype=np.float32).reshape(4, 4)
    shared = wp.mat44.from_buffer(matrix)
    matrix[0, 1] = 50.0
    return [list(t), list(v), shared[0, 1], ctypes.sizeof(wp.mat33)]


def values_as_bytes(wp):
    joined = np.frombuffer(b"".join([wp.vec2(1.0, 2.0), wp.vec2(3.0, 4.0)]), dtype=np.float32)
    pairs = (wp.vec2i * 2).from_buffer_copy(np.array([1, 2, 3, 4], dtype=np.int32))
    return [
        joined,
        [list(pair) for pair in pairs],
        list(wp.quat.from_buffer_copy(np.array([0.0, 1.0, 2.0, 3.0], dtype=np.float32))),
        list(wp.vec3d.from_buffer_copy(np.arange(4.0), 8)),
        raised(lambda: wp.vec3.from_buffer_copy(b"abc")),
    ]


def native_functions_by_name(wp):
    wp.init()
    core = wp._src.context.runtime.core
    a = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat(0.0, 0.0, 0.6, 0.8))
    product, point = wp.transform(), wp.vec3()
    core.wp_builtin_mul_transformf_transformf(a, a, ctypes.byref(product))
    core.wp_builtin_transform_point_transformf_vec3f(a, wp.vec3(1.0, 0.0, 0.0), ctypes.byref(point))
    return [np.array(product).round(5), np.array(point).round(5)]


def sources_that_are_shorter(wp):
    whole = wp.array([[1.0, 2.0, 3.0]], dtype=float)
    whole.assign(np.array([[7.0]], dtype=np.float32))
    other = wp.array([1.0, 2.0, 3.0], dtype=float)
    other.assign(wp.array([8.0, 9.0], dtype=float))
    return [whole, other, whole.reshape(shape=(3, 1)), raised(lambda: other.assign(wp.zeros(4, dtype=float)))]


def attributes_of_a_program(wp):
    @wp.func
    def core(x: float):
        return 2.0 * x

    @wp.func
    def solve(x: float):
        return x

    solve.core = core

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        out[0] = solve.core(3.0) + solve(1.0)

    out, tape = wp.zeros(1, dtype=float), wp.Tape()
    wp.launch(k, dim=1, inputs=[out])
    k.mine, tape.mine, tape.gradients = 1, 2, {}
    return [out, k.mine, tape.mine, wp.empty((2, 3), dtype=float, ndim=2).shape, wp.zeros(0, dtype=float).ptr]


def seven_numbers_as_a_transform(wp):
    return wp.transform_expand(np.arange(7.0))
