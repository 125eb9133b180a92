"""Builtins where values are at their edges: signs of zero, NaN, the smallest integer, rotations that are no rotation.

The numbers are those of NVIDIA Warp for the same programs, but for the differences that
docs/coming-from-nvidia-warp.md lists.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

NUMBERS = [
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
]  # fmt: skip
CONSTANTS = {
    "PI": math.pi, "HALF_PI": math.pi / 2, "TAU": math.tau, "E": math.e, "PHI": (1 + math.sqrt(5)) / 2,
    "LN2": math.log(2), "LN10": math.log(10), "LOG2E": math.log2(math.e), "LOG10E": math.log10(math.e),
    "INF": math.inf, "NAN": math.nan,
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_floats_in_either_case(name):
    for spelling in (name, name.lower()):
        value = getattr(wp, spelling)
        assert type(value) is float
        np.testing.assert_allclose(value, CONSTANTS[name], rtol=1e-15)


@wp.kernel
def wide(out: wp.array(dtype=wp.float64)):
    out[0] = wp.float64(wp.PI)
    out[1] = wp.float64(wp.log2e)
    out[2] = wp.float64(-wp.inf)
    out[3] = wp.float64(wp.NAN)
    x = wp.TAU
    out[4] = wp.float64(x)


def test_constants_in_kernels_are_as_wide_as_what_stands_around_them():
    out = np.zeros(5)
    wp.launch(wide, dim=1, inputs=[out])
    np.testing.assert_array_equal(out, [math.pi, math.log2(math.e), -math.inf, math.nan, math.tau])


@wp.kernel
def scalars(f: wp.array(dtype=float), i: wp.array(dtype=int)):
    nan = wp.NAN
    f[0] = wp.copysign(2.0, -0.0)
    f[1] = wp.copysign(-2.0, 0.0)
    f[2] = wp.copysign(wp.INF, y=-1.0)
    f[3] = wp.copysign(nan, -1.0)
    f[4] = wp.div_approx(3.0, 2.0)
    f[5] = wp.float(True)
    i[0] = wp.bit_count(-1)
    i[1] = wp.bit_count(wp.int8(-1))
    i[2] = wp.bit_count(wp.uint64(3))
    i[3] = wp.bit_count(-2147483648)
    i[4] = wp.block_dim()
    i[5] = wp.int(-3.7)
    i[6] = len((1, 2.0, 3))


def test_scalars():
    f, i = np.zeros(6, np.float32), np.zeros(7, np.int32)
    wp.launch(scalars, dim=1, inputs=[f, i])
    np.testing.assert_array_equal(f, [-2, 2, -np.inf, np.nan, 1.5, 1])
    assert np.signbit(f[3])
    threads = 256 if wp.get_device().is_cuda else 1
    assert i.tolist() == [32, 8, 2, 1, threads, -3, 3]


@wp.kernel
def bits(
    x: wp.array(dtype=float), words: wp.array(dtype=wp.uint32), pair: wp.array(dtype=wp.uint64),
    back: wp.array(dtype=wp.vec2), four: wp.array(dtype=wp.vec4), halves: wp.array(dtype=wp.uint16),
):  # fmt: skip
    i = wp.tid()
    words[i] = wp.cast(x[i], wp.uint32)
    pair[0] = wp.cast(wp.vec2(1.0, 2.0), wp.uint64)
    back[0] = wp.cast(wp.cast(wp.vec2(1.0, -2.5), wp.vec2i), dtype=wp.vec2)
    back[1] = wp.cast(wp.uint64(4611686019492741120), wp.vec2)
    four[0] = wp.cast(wp.mat22(1.0, 2.0, 3.0, 4.0), wp.vec4)
    halves[0] = wp.cast(wp.float16(1.0), wp.uint16)
    halves[1] = wp.cast(wp.bfloat16(1.0), wp.uint16)


def test_bits_read_as_another_type():
    x = np.array([1.0, -0.0, np.nan, 1e-45], np.float32)
    words, pair, halves = np.zeros(4, np.uint32), np.zeros(1, np.uint64), np.zeros(2, np.uint16)
    back, four = np.zeros((2, 2), np.float32), np.zeros((1, 4), np.float32)
    wp.launch(bits, dim=4, inputs=[x, words, pair, back, four, halves])
    assert words.tolist() == x.view(np.uint32).tolist()
    assert pair.tolist() == [4611686019492741120]
    assert back.tolist() == [[1.0, -2.5], [1.0, 2.0]]
    assert four.tolist() == [[1, 2, 3, 4]]
    assert halves.tolist() == [0x3C00, 0x3F80]


def test_bits_of_another_size_are_refused():
    @wp.kernel
    def narrow(x: wp.array(dtype=float)):
        x[0] = wp.cast(wp.float64(1.0), wp.float32)

    with pytest.raises(TypeError, match="float64 has 8 bytes and float32 has 4"):
        wp.launch(narrow, dim=1, inputs=[np.zeros(1, np.float32)])


@wp.kernel
def integers(out: wp.array2d(dtype=wp.vec3i), m: wp.array(dtype=wp.types.matrix((2, 2), wp.int32))):
    a = wp.vec3i(7, -7, 5)
    b = wp.vec3i(3, 3, -3)
    out[0, 0] = a % b
    out[0, 1] = wp.mod(a, b)
    out[0, 2] = wp.cw_div(a, b)
    out[0, 3] = wp.cw_div(a, wp.vec3i(0, 2, 0))
    out[1, 0] = a & b
    out[1, 1] = a | b
    out[1, 2] = a ^ b
    out[1, 3] = ~a
    out[2, 0] = wp.bit_and(a, b)
    out[2, 1] = wp.lshift(a, wp.vec3i(1, 2, 3))
    out[2, 2] = a >> wp.vec3i(1, 1, 31)
    out[2, 3] = wp.invert(a)
    m[0] = m[0] & m[1]


def test_integers_component_by_component():
    out, m = np.zeros((3, 4, 3), np.int32), np.array([[[1, 2], [3, 4]], [[1, 1], [1, 1]]], np.int32)
    wp.launch(integers, dim=1, inputs=[out, m])
    a, b = np.array([7, -7, 5], np.int32), np.array([3, 3, -3], np.int32)
    want = [
        [[1, -1, 2], [1, -1, 2], [2, -2, -1], [0, -3, 0]],
        [a & b, a | b, a ^ b, ~a],
        [a & b, a << [1, 2, 3], a >> [1, 1, 31], ~a],
    ]
    np.testing.assert_array_equal(out, want)
    assert m[0].tolist() == [[1, 0], [1, 0]]


@wp.kernel
def twists(q: wp.array(dtype=wp.quat), f: wp.array(dtype=float)):
    r = wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.7))
    axis = wp.vec3(0.0, 0.6, 0.8)
    x = wp.vec3(1.0, 0.0, 0.0)
    across = wp.quat(0.0, 1.0, 0.0, 0.0)
    q[0] = wp.quat_twist(axis, r)
    q[1] = wp.quat_twist(axis * 2.0, r)
    q[2] = wp.quat_twist(x, across)
    q[3] = wp.quat_twist(wp.vec3(), r)
    q[4] = wp.quat_twist(wp.vec3(0.0, 1.0, 0.0), wp.quat(0.1, 0.4, -0.2, -0.7))
    q[5] = wp.quat_between_vectors(wp.vec3(1.0, 2.0, 3.0), wp.vec3(-2.0, 0.5, 1.0))
    q[6] = wp.quat_between_vectors(wp.vec3(), x)
    q[7] = wp.quat_from_euler(wp.vec3(0.3, -0.5, 0.9), 0, 1, 2)
    q[8] = wp.quat_from_euler(wp.vec3(0.3, -0.5, 0.9), 0, 1, 0)
    f[0] = wp.quat_twist_angle(axis, r)
    f[1] = wp.quat_twist_angle(axis, -r)
    f[2] = wp.quat_twist_angle(x, across)
    f[3] = wp.quat_twist_angle(axis, wp.quat(0.0, 0.0, 0.0, -1.0))
    f[4] = wp.quat_twist_angle_signed(axis, -r)
    f[5] = wp.quat_twist_angle_signed(axis, wp.quat_inverse(r))
    f[6] = wp.quat_twist_angle_signed(axis * 2.0, r)
    f[7] = wp.quat_twist_angle_signed(axis, wp.quat(0.0, 0.0, 0.0, -1.0))


def test_twists_and_rotations_that_are_none():
    q, f = np.zeros((9, 4), np.float32), np.zeros(8, np.float32)
    wp.launch(twists, dim=1, inputs=[q, f])
    want = [
        [0, 0.068128, 0.0908373, 0.9935326], [0, 0.2494559, 0.3326079, 0.9094744], [0, 0, 0, 1], [0, 0, 0, 1],
        [0, 0.496139, 0, -0.8682432], [0.0371347, -0.5198855, 0.3342121, 0.7852659], [0, 0, 0, 1],
        [0.2367818, -0.1572929, 0.4500021, 0.8465763], [0.2863332, -0.247404, 0, 0.9256374],
    ]  # fmt: skip
    np.testing.assert_allclose(q, want, atol=1e-6)
    want = [0.2275841, 6.055601, 0, 6.2831855, -6.055601, -0.2275841, 0.4494224, 6.2831855]
    np.testing.assert_allclose(f, want, atol=2e-6)


ANGLES = {
    (0, 1, 0): [0.6055447, 1.1278852, -0.3217505], (0, 1, 2): [-0.0554985, 1.0296968, -0.5880027],
    (0, 2, 0): [2.1763408, -1.8925468, 1.1278852], (0, 2, 1): [0.4636477, 1.1071489, -0.2897518],
    (1, 0, 1): [0.5410996, -0.5880026, 1.6262949], (1, 0, 2): [-0.0285754, 1.0303769, -0.5404196],
    (1, 2, 0): [-0.0333211, 1.047518, -0.5401746], (1, 2, 1): [3.1970913, -2.158799, 0.5410996],
    (2, 0, 1): [0.442911, 0.9652517, -0.3217506], (2, 0, 2): [1.0306218, 1.047518, -1.6041174],
    (2, 1, 0): [0.6947383, 0.8373281, -0.8760582], (2, 1, 2): [-0.5232784, 1.0306218, -0.033321],
}  # fmt: skip


@wp.kernel
def angles(sequence: wp.array(dtype=wp.vec3i), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    s = sequence[i]
    out[i] = wp.quat_to_euler(wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.7)), s[0], s[1], s[2])


def test_angles_of_every_sequence():
    sequence, out = np.array(list(ANGLES), np.int32), np.zeros((12, 3), np.float32)
    wp.launch(angles, dim=12, inputs=[sequence, out])
    np.testing.assert_allclose(out, list(ANGLES.values()), atol=2e-6)
    for axes, want in ANGLES.items():
        q = wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.7))
        np.testing.assert_allclose(list(wp.quat_to_euler(q, *axes)), want, atol=2e-6)


@wp.kernel
def searched(s: wp.array(dtype=float), empty: wp.array(dtype=float), out: wp.array(dtype=int)):
    out[0] = wp.lower_bound(s, 2.5)
    out[1] = wp.lower_bound(s, 9.0)
    out[2] = wp.lower_bound(s, -1.0)
    out[3] = wp.lower_bound(s, 1, 3, 9.0)
    out[4] = wp.lower_bound(s, 2, 2, 0.0)
    out[5] = wp.lower_bound(s, wp.NAN)
    out[6] = wp.lower_bound(s, arr_begin=1, arr_end=4, value=2.0)
    out[7] = wp.lower_bound(s, 3, 1, 2.0)
    out[8] = wp.lower_bound(empty, 1.0)


def test_lower_bound():
    s, out = np.arange(5, dtype=np.float32), np.zeros(9, np.int32)
    wp.launch(searched, dim=1, inputs=[s, np.zeros(0, np.float32), out])
    assert out.tolist() == [3, 4, 0, 2, 2, 0, 2, 3, 0]


@wp.kernel
def expectations():
    nan = wp.NAN
    wp.expect_eq(1, 2)
    wp.expect_eq(True, True)
    wp.expect_eq(wp.vec2(1.0, 2.0), wp.vec2(1.0, 3.0))
    wp.expect_eq(nan, nan)
    wp.expect_neq(wp.uint8(1), wp.uint8(1))
    wp.expect_neq(nan, nan)
    wp.expect_near(1.0, 1.5, 0.5)
    wp.expect_near(1.0, 1.25)
    wp.expect_near(nan, 1.0)
    wp.expect_near(wp.vec2(0.0, 0.0), wp.vec2(0.9, 0.9), tolerance=1.0)
    wp.expect_near(wp.mat22(1.0, 2.0, 3.0, 4.0), wp.mat22(0.0, 2.0, 3.0, 4.0))


def test_expectations_print_and_go_on(capfd):
    wp.launch(expectations, dim=1)
    wp.synchronize()
    assert capfd.readouterr().out.splitlines() == [
        "expect_eq failed: 1 is not equal to 2",
        "expect_eq failed: (1, 2) is not equal to (1, 3)",
        "expect_eq failed: nan is not equal to nan",
        "expect_neq failed: 1 is equal to 1",
        "expect_near failed: 1 is not near 1.25",
        "expect_near failed: nan is not near 1",
        "expect_near failed: (1, 2, 3, 4) is not near (0, 2, 3, 4)",
    ]


@wp.kernel
def named(out: wp.array(dtype=float), counts: wp.array2d(dtype=int)):
    v = wp.vec3(3.0, 4.0, 0.0)
    out[0] = wp.length(a=v)
    out[1] = wp.min(a=1.0, b=2.0)
    out[2] = wp.max(a=v)
    out[3] = wp.get_diag(mat=wp.diag(vec=v))[1]
    out[4] = wp.quat_rotate(quat=wp.quat_identity(), vec=v)[0]
    out[5] = wp.length(x=v)
    wp.atomic_add(arr=counts, i=1, j=2, value=5)


def test_parameters_by_name():
    out, counts = np.zeros(6, np.float32), np.zeros((2, 3), np.int32)
    wp.launch(named, dim=1, inputs=[out, counts])
    assert out.tolist() == [5, 1, 4, 4, 3, 5]
    assert counts[1, 2] == 5


@pytest.mark.parametrize("sign", [-0.0, 0.0, -3.0, 2.0])
def test_gradient_of_copysign(sign):
    @wp.kernel
    def signed(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = wp.copysign(x[0], y[0])

    for x in (2.0, -2.0):
        a = wp.array([x], dtype=float, requires_grad=True)
        b = wp.array([sign], dtype=float, requires_grad=True)
        out = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(signed, dim=1, inputs=[a, b, out])
        tape.backward(grads={out: wp.ones(1, dtype=float)})
        assert a.grad.numpy()[0] == math.copysign(1, x) * math.copysign(1, sign)
        assert b.grad.numpy()[0] == 0


N = wp.constant(3)


@wp.kernel
def made(
    v: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3d), m: wp.array(dtype=wp.types.matrix((2, 3), float)),
    q: wp.array(dtype=wp.quat), r: wp.array(dtype=wp.quatd),
):  # fmt: skip
    v[0] = wp.vector(1.0, 2.0, 3.0)
    v[1] = wp.vector(length=N)
    v[2] = wp.vector(4.0, length=3)
    v[3] = wp.vector(wp.vec3d(1.0, 2.0, 3.0), dtype=float)
    d[0] = wp.vector(0.1, 0.2, 0.3, dtype=wp.float64)
    d[1] = wp.vector(0.1, length=3, dtype=wp.float64)
    d[2] = wp.vector(wp.vec3i(1, 2, 3), dtype=wp.float64)
    m[0] = wp.matrix(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, shape=(2, 3))
    m[1] = wp.matrix(shape=(2, N), dtype=float)
    m[2] = wp.matrix(7.0, shape=(2, 3))
    m[3] = wp.matrix(m[0], dtype=float)
    q[0] = wp.quaternion(1.0, 2.0, 3.0, 4.0)
    q[1] = wp.quaternion(wp.vec3(1.0, 2.0, 3.0), 4.0)
    q[2] = wp.quaternion(wp.quatd(1.0, 2.0, 3.0, 4.0), dtype=float)
    q[3] = wp.quaternion()
    r[0] = wp.quaternion(0.1, 0.2, 0.3, 0.4, dtype=wp.float64)
    r[1] = wp.quaternion(q[0], dtype=wp.float64)
    r[2] = wp.quaternion(dtype=wp.float64)


def test_constructors_that_are_told_the_type():
    v, d, m = np.ones((4, 3), np.float32), np.ones((3, 3)), np.zeros((4, 2, 3), np.float32)
    q, r = np.ones((4, 4), np.float32), np.ones((3, 4))
    wp.launch(made, dim=1, inputs=[v, d, m, q, r])
    assert v.tolist() == [[1, 2, 3], [0, 0, 0], [4, 4, 4], [1, 2, 3]]
    assert d.tolist() == [[0.1, 0.2, 0.3], [0.1] * 3, [1, 2, 3]]
    rows = [[1, 2, 3], [4, 5, 6]]
    assert m.tolist() == [rows, np.zeros((2, 3)).tolist(), np.full((2, 3), 7).tolist(), rows]
    assert q.tolist() == [[1, 2, 3, 4]] * 3 + [[0] * 4]
    assert r.tolist() == [[0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4], [0] * 4]


def test_constructors_that_are_told_too_little():
    @wp.kernel
    def no_length():
        v = wp.vector()  # noqa: F841

    @wp.kernel
    def no_shape():
        m = wp.matrix(1.0, 2.0)  # noqa: F841

    @wp.kernel
    def too_few():
        m = wp.matrix(1.0, 2.0, shape=(2, 3))  # noqa: F841

    with pytest.raises(TypeError, match="without its argument `length`"):
        wp.launch(no_length, dim=1)
    with pytest.raises(TypeError, match="without its argument `shape`"):
        wp.launch(no_shape, dim=1)
    with pytest.raises(TypeError, match="6 components row by row"):
        wp.launch(too_few, dim=1)


@wp.kernel
def interpolated(knots: wp.array(dtype=float), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    at = wp.max(wp.lower_bound(knots, x[i]), 1)
    wp.expect_near(knots[at], knots[at])
    t = (x[i] - knots[at - 1]) / (knots[at] - knots[at - 1])
    out[i] = t * float(wp.cast(t, wp.int32) & 0) + float(at) * t


def test_gradients_pass_by_searches_bits_and_expectations():
    knots = wp.array([0.0, 1.0, 3.0, 7.0], dtype=float)
    x = wp.array([0.5, 2.0, 6.0], dtype=float, requires_grad=True)
    out = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(interpolated, dim=3, inputs=[knots, x, out])
    tape.backward(grads={out: wp.ones(3, dtype=float)})
    np.testing.assert_allclose(x.grad.numpy(), [1, 2 / 2, 3 / 4])


@wp.kernel
def compared(a: Any, b: Any):
    wp.expect_eq(a, a)
    wp.expect_eq(a, b)
    wp.expect_neq(a, b)
    wp.expect_neq(b, b)


@wp.kernel
def near(a: Any, b: Any, tolerance: Any):
    wp.expect_near(a, a)
    wp.expect_near(a, b)
    wp.expect_near(a, b, tolerance)


def printed(capfd, kernel, *inputs):
    wp.launch(kernel, dim=1, inputs=list(inputs))
    wp.synchronize()
    return capfd.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("a", "b"),
    [(getattr(wp, name)(1), getattr(wp, name)(2)) for name in NUMBERS]
    + [
        (True, False),
        (wp.types.vector(2, wp.bool)(True, True), wp.types.vector(2, wp.bool)(True, False)),
        (wp.types.matrix((2, 2), wp.bool)(True), wp.types.matrix((2, 2), wp.bool)(True, True, True, False)),
        (wp.vec3h(1, 2, 3), wp.vec3h(1, 2, 4)),
        (wp.types.vector(5, wp.int8)(1), wp.types.vector(5, wp.int8)(2)),
        (wp.mat33d(1), wp.mat33d(2)),
        (wp.quat(1, 2, 3, 4), wp.quat(1, 2, 3, 5)),
        (wp.transformd(1, 2, 3, 0, 0, 0, 1), wp.transformd(1, 2, 4, 0, 0, 0, 1)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_expectations_of_every_type(capfd, a, b):
    lines = printed(capfd, compared, a, b)
    assert [line.split(":")[0] for line in lines] == ["expect_eq failed", "expect_neq failed"]


@pytest.mark.parametrize("scalar", [wp.float16, wp.bfloat16, wp.float32, wp.float64])
@pytest.mark.parametrize("kind", ["scalar", "vector", "matrix", "quaternion"])
def test_expectations_within_a_tolerance(capfd, scalar, kind):
    made = {
        "scalar": lambda x: scalar(x),
        "vector": lambda x: wp.types.vector(3, scalar)(1, x, 1),
        "matrix": lambda x: wp.types.matrix((2, 3), scalar)(1, 1, 1, 1, x, 1),
        "quaternion": lambda x: wp.types.quaternion(scalar)(1, 1, x, 1),
    }[kind]
    for tolerance, failed in ((0.5, 1), (0.25, 2)):
        lines = printed(capfd, near, made(1), made(1.5), scalar(tolerance))
        assert [line.split(":")[0] for line in lines] == ["expect_near failed"] * failed


@wp.kernel
def every_name(f: wp.array(dtype=float), n: wp.array(dtype=int)):
    v = wp.vec3(3.0, -4.0, 0.0)
    q = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5)
    x = wp.vec3(1.0, 0.0, 0.0)
    f[0] = wp.max(a=1.0, b=2.0)
    f[1] = wp.min(a=v)
    f[2] = wp.length_sq(a=v)
    f[3] = wp.normalize(a=v)[1]
    f[4] = wp.skew(vec=v)[1, 2]
    f[5] = wp.quat_rotate_inv(quat=q, vec=x)[1]
    f[6] = wp.quat_inverse(quat=q)[2]
    f[7] = wp.quat_from_matrix(mat=wp.quat_to_matrix(quat=q))[2]
    axis, angle = wp.quat_to_axis_angle(quat=q)
    f[8] = angle * axis[2]
    n[0] = int(wp.argmin(a=v)) + 10 * int(wp.argmax(a=v))
    n[1] = int(wp.isnan(a=v)) + 10 * int(wp.isinf(a=v)) + 100 * int(wp.isfinite(a=v))
    wp.printf(fmt="seven\n")


def test_every_parameter_that_has_a_name(capfd):
    f, n = np.zeros(9, np.float32), np.zeros(2, np.int32)
    wp.launch(every_name, dim=1, inputs=[f, n])
    wp.synchronize()
    sin = math.sin(0.25)
    np.testing.assert_allclose(f, [2, -4, 25, -0.8, -3, -math.sin(0.5), -sin, sin, 0.5], rtol=1e-6)
    assert n.tolist() == [1, 100]
    assert capfd.readouterr().out == "seven\n"


@pytest.mark.parametrize("name", [name for name in NUMBERS if "int" in name])
def test_parts_of_integers_of_every_width(name):
    scalar = getattr(wp, name)
    vector, matrix = wp.types.vector(2, scalar), wp.types.matrix((2, 2), scalar)

    @wp.kernel
    def kernel(a: vector, b: vector, v: wp.array(dtype=vector), m: wp.array(dtype=matrix)):
        v[0] = wp.cw_div(a, b)
        v[1] = wp.mod(a, b)
        v[2] = a % b
        v[3] = wp.bit_xor(a, b) ^ (a & b) ^ (a | b)
        v[4] = wp.rshift(a << b, b)
        x = wp.matrix_from_rows(a, b)
        y = wp.matrix_from_rows(b, b)
        m[0] = wp.cw_div(x, y)
        m[1] = ~(~x | wp.invert(y))
        m[2] = x << y >> y

    v, m = wp.zeros(5, dtype=vector), wp.zeros(3, dtype=matrix)
    wp.launch(kernel, dim=1, inputs=[vector(7, 9), vector(2, 4), v, m])
    a, b = np.array([7, 9], name), np.array([2, 4], name)
    moved = [(a << b) >> b, (b << b) >> b]
    np.testing.assert_array_equal(v.numpy(), [[3, 2], [1, 1], [1, 1], [0, 0], moved[0]])
    np.testing.assert_array_equal(m.numpy(), [[[3, 2], [1, 1]], [a & b, b], moved])


@pytest.mark.parametrize("scalar", [wp.int8, wp.uint16, wp.int64, wp.float16, wp.float64])
def test_a_search_among_numbers_of_any_type(scalar):
    @wp.kernel
    def kernel(a: wp.array(dtype=scalar), x: scalar, out: wp.array(dtype=int)):
        out[0] = wp.lower_bound(a, x)
        out[1] = wp.lower_bound(a, 0, 2, x)

    out = wp.zeros(2, dtype=int)
    wp.launch(kernel, dim=1, inputs=[wp.array([1, 2, 5, 9], dtype=scalar), 3, out])
    assert out.list() == [2, 1]


@wp.kernel
def as_the_plain_names(x: Any, f: wp.array(dtype=float), n: wp.array(dtype=int)):
    f[0] = wp.float(x)
    n[0] = wp.int(x)


@pytest.mark.parametrize("x", [True, wp.int8(1), wp.uint64(1), wp.float16(1.5), wp.float64(1.5), 1.5])
def test_int_and_float_of_every_number(x):
    f, n = wp.zeros(1), wp.zeros(1, dtype=int)
    wp.launch(as_the_plain_names, dim=1, inputs=[x, f, n])
    assert (f.list(), n.list()) == ([float(x)], [1])


def test_rotations_between_vectors_in_python():
    a, b = wp.normalize(wp.vec3d(1, 2, 3)), wp.normalize(wp.vec3d(-2, 0.5, 1))
    q = wp.quat_between_vectors(a, b)
    assert type(q) is wp.quatd
    np.testing.assert_allclose(list(wp.quat_rotate(q, a)), list(b), atol=1e-15)


@wp.kernel
def bits_and_value(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = wp.cast(wp.cast(x[0], wp.int32) + 8388608, wp.float32) + x[0]


def test_bits_have_no_gradient():
    x, out = wp.ones(1, requires_grad=True), wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(bits_and_value, dim=1, inputs=[x, out])
    tape.backward(out)
    assert out.list() == [3.0]
    assert x.grad.list() == [1.0]


@wp.kernel
def more_names(f: wp.array(dtype=float), cdf: wp.array(dtype=float), g: wp.array(dtype=float)):
    q = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.5)
    x = wp.vec3(1.0, 0.0, 0.0)
    t = wp.transformation(p=wp.vec3(1.0, 2.0, 3.0), q=wp.quat_identity())
    w = wp.spatial_vector(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    m = wp.transform_to_matrix(xform=t)
    wp.expect_eq(a=1, b=1)
    wp.expect_neq(a=1, b=2)
    wp.expect_near(a=1.0, b=1.0, tolerance=0.1)
    f[0] = wp.quat_from_euler(e=wp.vec3(0.5, 0.0, 0.0), i=0, j=1, k=2)[0] - q[0]
    f[1] = wp.quat_to_euler(q=q, i=0, j=1, k=2)[0] - 0.5
    f[2] = wp.quat_twist(axis=x, q=q)[0] - q[0]
    f[3] = wp.quat_twist_angle(axis=x, q=q) - wp.quat_twist_angle_signed(axis=x, q=q)
    f[4] = wp.quat_between_vectors(a=x, b=x)[3] - 1.0
    f[5] = wp.div_approx(a=3.0, b=2.0) - 1.5
    f[6] = wp.inverse_approx(a=wp.mat22(2.0, 0.0, 0.0, 2.0))[0, 0] - 0.5
    f[7] = float(wp.bit_count(x=7)) - wp.cast(a=1077936128, dtype=wp.float32)
    f[8] = wp.transform_point(xform=t, point=x)[0] - wp.transform_point(mat=m, point=x)[0]
    f[9] = wp.transform_vector(xform=t, vec=x)[0] - wp.transform_vector(mat=m, vec=x)[0]
    f[10] = wp.transform_get_translation(xform=t)[2] + wp.transform_inverse(xform=t)[2]
    f[11] = wp.transform_from_matrix(mat=m)[1] - wp.transform_multiply(a=t, b=wp.transform_identity())[1]
    f[12] = wp.transform_compose(position=t.p, rotation=t.q, scale=wp.vec3(1.0))[2, 3] - 3.0
    f[13] = wp.transform_twist(t=t, x=w)[3] - (4.0 + 2.0 * 3.0 - 3.0 * 2.0)
    f[14] = wp.transform_wrench(t=t, x=w)[0] - (1.0 + 2.0 * 6.0 - 3.0 * 5.0)
    f[15] = wp.velocity_at_point(qd=w, r=x)[1] - 8.0
    f[16] = wp.spatial_top(svec=w)[2] + 3.0 - wp.spatial_bottom(svec=w)[2]
    f[17] = wp.spatial_dot(a=w, b=w) - 91.0
    f[18] = wp.spatial_adjoint(r=wp.mat33(1.0), s=wp.mat33(2.0))[3, 0] - 2.0
    s = wp.rand_init(seed=1, offset=2)
    wp.transform_set_translation(xform=t, p=x)
    wp.transform_set_rotation(xform=t, q=q)
    f[19] = t[0] - 1.0 + t[3] - q[0]
    g[0] = wp.randf(state=s, low=1.0, high=2.0)
    g[1] = wp.noise(state=s, xy=wp.vec2(0.3, 0.4)) - wp.noise(s, wp.vec2(0.3, 0.4))
    g[2] = wp.pnoise(state=s, x=1.5, px=3) - wp.pnoise(s, 1.5, 3)
    g[3] = wp.curlnoise(state=s, xy=wp.vec2(0.3, 0.4), octaves=wp.uint32(2), lacunarity=2.0, gain=0.5)[0]
    g[3] -= wp.curlnoise(s, wp.vec2(0.3, 0.4), octaves=wp.uint32(2))[0]
    g[4] = float(wp.sample_cdf(state=s, cdf=cdf)) + float(wp.poisson(state=s, lam=0.0))


def test_more_parameters_by_name(capfd):
    f, g = wp.ones(20), wp.ones(5)
    wp.launch(more_names, dim=1, inputs=[f, wp.array([2.0], dtype=float), g])
    wp.synchronize()
    np.testing.assert_allclose(f.numpy(), 0, atol=1e-6)
    assert 1 <= g.list()[0] < 2
    assert g.list()[1:] == [0, 0, 0, 0]
    assert capfd.readouterr().out == ""
